//! Data for direct delta mush: the moments of each joint in the smoothed neighborhood of each vertex.
//!
//! Binh Huy Le and J. P. Lewis, 2019, "Direct Delta Mush Skinning and Variants".

use crate::{
    AuthorError, LaplacianKind, Progress, laplacian::Laplacian, progress::tell, smoothing::Smoothing,
    topology::WeldedTopology,
};
use faer::Mat;
use rayon::prelude::*;
use sinew::{
    DirectMushData, DirectMushParts, Mesh, MushDetail,
    glam::{DVec3, Vec3},
};

/// How direct delta mush smooths a surface, and what it stores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectMushOptions {
    /// The number of implicit smoothing iterations `p`, 1 to 100.
    pub iterations: u32,
    /// The smoothing `λ` of each iteration, above 0. `p·λ` corresponds to the iterations of delta mush times their step.
    pub smoothness: f64,
    /// How edges are weighted.
    pub laplacian: LaplacianKind,
    /// How much is stored per influence.
    pub detail: MushDetail,
    /// Smaller weights are dropped and the rest is renormalized, 0 to 0.1.
    pub min_weight: f64,
    /// The maximum number of influences per vertex, at least 1.
    pub max_influences: usize,
}

impl Default for DirectMushOptions {
    fn default() -> Self {
        Self {
            iterations: 4,
            smoothness: 2.5,
            laplacian: LaplacianKind::Uniform,
            detail: MushDetail::Full,
            min_weight: 1e-4,
            max_influences: 16,
        }
    }
}

/// Figures about direct delta mush data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DirectMushReport {
    /// The number of points (vertices without their copies), which are the unknowns of the system.
    pub points: usize,
    /// The number of right-hand sides, each of which is solved once per iteration.
    pub columns: usize,
    /// The largest relative residual of a solve.
    pub residual: f64,
    /// The mean number of influences per vertex.
    pub mean_influences: f64,
    /// The largest number of influences of a vertex.
    pub max_influences: usize,
    /// The largest total weight that was dropped from a vertex.
    pub largest_dropped: f64,
    /// The size of the data in bytes per vertex.
    pub bytes_per_vertex: f64,
}

/// The number of columns per joint: weight, first moments, second moments.
const COLUMNS: usize = 10;
/// The number of joints that are smoothed together. It bounds memory to some 0.6 kB per point.
const BATCH: usize = 8;

/// The moments of one joint in the neighborhood of a point, about the center of the mesh until the pivot is known.
type PartialMoments = (u16, [f64; COLUMNS]);

/// Precomputes direct delta mush data for `mesh`.
///
/// For each joint, its weights times 1, x and xxᵀ are smoothed over the surface by solving the symmetric system
/// `(D + λL) x = D b` once per iteration, with one Cholesky factorization. All copies of a vertex are one point. Runs on rayon's
/// current pool; the result does not depend on the number of threads.
///
/// # Errors
/// If the mesh has no weights, an option is out of range, the system cannot be factored, or `progress` stops the work.
pub fn direct_mush(
    mesh: &Mesh,
    options: &DirectMushOptions,
    progress: Progress<'_>,
) -> Result<(DirectMushData, DirectMushReport), AuthorError> {
    check(options)?;
    let topology = WeldedTopology::new(mesh)?;
    let laplacian = Laplacian::new(&topology, options.laplacian);
    let smoothing = Smoothing::new(laplacian, options.smoothness, options.iterations)?;
    let origin = topology.positions.iter().sum::<DVec3>() / topology.len().max(1) as f64;
    let joints: Vec<u16> = used_slots(&topology);
    let mut report = DirectMushReport {
        points: topology.len(),
        columns: joints.len() * COLUMNS,
        ..DirectMushReport::default()
    };
    let mut parts: Vec<Vec<PartialMoments>> = vec![Vec::new(); topology.len()];
    for (batch, slots) in joints.chunks(BATCH).enumerate() {
        tell(progress, batch * BATCH, joints.len())?;
        let smooth = |&slot: &u16| smoothed_columns(&topology, &smoothing, origin, slot);
        let results: Vec<(Mat<f64>, f64)> = slots.par_iter().map(smooth).collect();
        for (&slot, (columns, residual)) in slots.iter().zip(&results) {
            report.residual = report.residual.max(*residual);
            keep(&mut parts, slot, columns);
        }
    }
    let (direct, report) = assemble(&topology, &parts, origin, options, report)?;
    tell(progress, 1, 1)?;
    Ok((direct, report))
}

fn check(options: &DirectMushOptions) -> Result<(), AuthorError> {
    let bad = |option, value, wanted| Err(AuthorError::BadOption { option, value, wanted });
    if !(1..=100).contains(&options.iterations) {
        return bad("iterations", f64::from(options.iterations), "1 to 100");
    }
    if !(options.smoothness > 0.0 && options.smoothness.is_finite()) {
        return bad("smoothness", options.smoothness, "above 0");
    }
    if !(0.0..=0.1).contains(&options.min_weight) {
        return bad("min_weight", options.min_weight, "0 to 0.1");
    }
    if options.max_influences == 0 {
        return bad("max_influences", 0.0, "at least 1");
    }
    Ok(())
}

fn used_slots(topology: &WeldedTopology<'_>) -> Vec<u16> {
    let mut used = vec![false; topology.weights.slot_count()];
    for point in 0..topology.len() {
        topology.weights_of(point).0.iter().for_each(|&slot| used[usize::from(slot)] = true);
    }
    (0..=u16::MAX).zip(used).filter(|(_, used)| *used).map(|(slot, _)| slot).collect()
}

/// The smoothed moments of one joint's weights, and the residual of the first solve.
fn smoothed_columns(
    topology: &WeldedTopology<'_>,
    smoothing: &Smoothing,
    origin: DVec3,
    slot: u16,
) -> (Mat<f64>, f64) {
    let weight = |point: usize| {
        let (slots, weights) = topology.weights_of(point);
        slots.iter().position(|&s| s == slot).map_or(0.0, |at| f64::from(weights[at]))
    };
    let mut columns = Mat::zeros(topology.len(), COLUMNS);
    for (point, position) in topology.positions.iter().enumerate() {
        let (w, d) = (weight(point), *position - origin);
        let moments = [1.0, d.x, d.y, d.z, d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.y * d.z, d.z * d.x];
        for (column, moment) in moments.into_iter().enumerate() {
            columns[(point, column)] = w * moment;
        }
    }
    let residual = smoothing.residual(columns.col_as_slice(0));
    smoothing.apply(&mut columns);
    (columns, residual)
}

/// Smaller weights are rounding errors, whatever the options say.
const ROUNDING: f64 = 1e-9;

fn keep(parts: &mut [Vec<PartialMoments>], slot: u16, columns: &Mat<f64>) {
    for (point, parts) in parts.iter_mut().enumerate() {
        if columns[(point, 0)] > ROUNDING {
            parts.push((slot, std::array::from_fn(|column| columns[(point, column)])));
        }
    }
}

/// Moves moments to their pivots, drops small ones, and expands points to vertices.
fn assemble(
    topology: &WeldedTopology<'_>,
    parts: &[Vec<PartialMoments>],
    origin: DVec3,
    options: &DirectMushOptions,
    mut report: DirectMushReport,
) -> Result<(DirectMushData, DirectMushReport), AuthorError> {
    let mut of_points: Vec<(Vec3, Vec<PartialMoments>)> = Vec::with_capacity(parts.len());
    for (point, parts) in parts.iter().enumerate() {
        let position = topology.positions[point];
        let total: f64 = parts.iter().map(|p| p.1[0]).sum();
        let sum: DVec3 = parts.iter().map(first_moment).sum();
        // Rounded as it will be stored, so that the moments are about exactly the pivot that is used.
        let pivot = if total > 0.0 { origin + sum / total } else { position }.as_vec3();
        let mut kept: Vec<PartialMoments> =
            parts.iter().map(|p| about(p, pivot.as_dvec3() - origin)).collect();
        kept.sort_by(|a, b| b.1[0].total_cmp(&a.1[0]).then(a.0.cmp(&b.0)));
        let enough = kept.iter().take_while(|p| p.1[0] >= options.min_weight * total).count();
        kept.truncate(enough.clamp(1, options.max_influences));
        let dropped = normalize(&mut kept);
        report.largest_dropped = report.largest_dropped.max((total - dropped) / total.max(ROUNDING));
        of_points.push((pivot, kept));
    }
    let mut out = DirectMushParts { detail: options.detail, first: vec![0], ..DirectMushParts::default() };
    for (pivot, kept) in topology.mesh.points().of_vertex().iter().map(|&p| &of_points[p as usize]) {
        out.pivots.push(*pivot);
        for (slot, numbers) in kept {
            out.slots.push(*slot);
            out.numbers.extend(numbers[..options.detail.numbers()].iter().map(|&n| n as f32));
        }
        out.first.push(out.slots.len() as u32);
        report.max_influences = report.max_influences.max(kept.len());
    }
    report.mean_influences = out.slots.len() as f64 / out.pivots.len().max(1) as f64;
    let direct = DirectMushData::new(out)?;
    report.bytes_per_vertex = direct.bytes_per_vertex();
    Ok((direct, report))
}

fn first_moment((_, numbers): &PartialMoments) -> DVec3 {
    DVec3::new(numbers[1], numbers[2], numbers[3])
}

/// Moments about `pivot` instead of the origin.
fn about(part: &PartialMoments, pivot: DVec3) -> PartialMoments {
    let (slot, [fraction, x, y, z, xx, yy, zz, xy, yz, zx]) = *part;
    let p = pivot;
    let cross = |ab: f64, a: f64, b: f64, pa: f64, pb: f64| ab - a * pb - b * pa + fraction * pa * pb;
    let second = [
        cross(xx, x, x, p.x, p.x),
        cross(yy, y, y, p.y, p.y),
        cross(zz, z, z, p.z, p.z),
        cross(xy, x, y, p.x, p.y),
        cross(yz, y, z, p.y, p.z),
        cross(zx, z, x, p.z, p.x),
    ];
    let [a, b, c, d, e, f] = second;
    (slot, [fraction, x - fraction * p.x, y - fraction * p.y, z - fraction * p.z, a, b, c, d, e, f])
}

/// Makes weights sum to one and first moments to zero after some were dropped. Returns the former sum of the weights.
fn normalize(parts: &mut [PartialMoments]) -> f64 {
    let total: f64 = parts.iter().map(|p| p.1[0]).sum();
    if total <= 0.0 {
        parts.iter_mut().take(1).for_each(|p| p.1[0] = 1.0);
        return total;
    }
    parts.iter_mut().for_each(|p| p.1.iter_mut().for_each(|n| *n /= total));
    let left: DVec3 = parts.iter().map(first_moment).sum();
    for (_, numbers) in parts {
        let fraction = numbers[0];
        numbers[1..4].iter_mut().zip(left.to_array()).for_each(|(n, l)| *n -= fraction * l);
    }
    total
}
