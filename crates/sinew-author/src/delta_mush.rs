//! Data for delta mush: neighbors, frames and the smoothed rest surface.
//!
//! Joe Mancewicz, Matt L. Derksen, Hans Rijpkema and Cyrus A. Wilson, 2014, "Delta Mush: Smoothing Deformations While Preserving
//! Detail".

use crate::{AuthorError, Progress, progress::tell, topology::WeldedTopology};
use sinew::{
    DeltaMushData, Mesh, MushParts,
    glam::{DMat2, DVec2, DVec3},
};

/// How delta mush smooths a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MushOptions {
    /// The number of smoothing iterations, at most 1000.
    pub iterations: u32,
    /// How far each iteration moves a point towards the mean of its neighbors, 0 to 1.
    pub step: f32,
}

impl Default for MushOptions {
    fn default() -> Self {
        Self { iterations: 20, step: 0.5 }
    }
}

/// Figures about delta mush data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MushReport {
    /// The number of points: vertices without their copies.
    pub points: usize,
    /// The number of points without a triangle. They are not smoothed.
    pub loose: usize,
    /// The mean number of neighbors per point.
    pub mean_neighbors: f64,
    /// The largest offset that smoothing removes, in meters.
    pub largest_delta: f32,
    /// The size of the data in bytes per vertex.
    pub bytes_per_vertex: f64,
}

/// Precomputes delta mush data for `mesh`: uniform smoothing over the points that share an edge.
///
/// All copies of a vertex are one point, so that seams stay closed. The frame of a point is fitted to the edges around it on the
/// smoothed rest surface, by least squares in its tangent plane.
///
/// # Errors
/// If the mesh has no weights, an option is out of range, or `progress` stops the work.
pub fn delta_mush(
    mesh: &Mesh,
    options: &MushOptions,
    progress: Progress<'_>,
) -> Result<(DeltaMushData, MushReport), AuthorError> {
    let topology = WeldedTopology::new(mesh)?;
    let (first, neighbors) = topology.rings();
    let ring = |point: usize| &neighbors[first[point] as usize..first[point + 1] as usize];
    let mut smoothed = topology.positions.clone();
    for iteration in 0..options.iterations {
        tell(progress, iteration as usize, options.iterations as usize)?;
        let step = f64::from(options.step);
        let next = |point: usize| {
            let here = smoothed[point];
            let sum: DVec3 = ring(point).iter().map(|&n| smoothed[n as usize]).sum();
            let count = ring(point).len();
            if count == 0 { here } else { here.lerp(sum / count as f64, step) }
        };
        smoothed = (0..topology.len()).map(next).collect();
    }
    let normals = point_normals(&topology, &smoothed);
    let mut parts = MushParts {
        iterations: options.iterations,
        step: options.step,
        point_of_vertex: mesh.points().of_vertex().to_vec(),
        vertex_of_point: mesh.points().first_vertex().to_vec(),
        rest: topology.positions.iter().map(|p| p.as_vec3()).collect(),
        smoothed: smoothed.iter().map(|p| p.as_vec3()).collect(),
        ..MushParts::default()
    };
    for (point, &here) in smoothed.iter().enumerate() {
        let edges: Vec<DVec3> = ring(point).iter().map(|&n| smoothed[n as usize] - here).collect();
        let coefficients = edge_weights(&edges, normals[point]);
        let tangent = |axis: fn(DVec2) -> f64| {
            coefficients.iter().zip(&edges).map(|(s, e)| *e * axis(*s)).sum::<DVec3>()
        };
        parts.rest_tangents.push([tangent(|s| s.x).as_vec3(), tangent(|s| s.y).as_vec3()]);
        parts.edge_weights.extend(coefficients.iter().map(|s| s.as_vec2()));
    }
    let report = report(&topology, &smoothed, &first, neighbors.len());
    (parts.first, parts.neighbors) = (first, neighbors);
    tell(progress, 1, 1)?;
    Ok((DeltaMushData::new(parts)?, report))
}

/// The unit normal of each point, weighted by area.
fn point_normals(topology: &WeldedTopology<'_>, positions: &[DVec3]) -> Vec<DVec3> {
    let mut normals = vec![DVec3::ZERO; positions.len()];
    for &triangle in &topology.triangles {
        let area = WeldedTopology::area_vector(positions, triangle);
        triangle.iter().for_each(|&p| normals[p as usize] += area);
    }
    normals.into_iter().map(|n| n.normalize_or(DVec3::Y)).collect()
}

/// The coefficients of each edge in the two tangents of a point.
///
/// With the coordinates `u` of the edges in the tangent plane, they are `(Σ u uᵀ)⁻¹ u`: under any linear map of the edges, the
/// sums of edges times coefficients are the images of two perpendicular unit vectors.
fn edge_weights(edges: &[DVec3], normal: DVec3) -> Vec<DVec2> {
    let (x, y) = normal.any_orthonormal_pair();
    let flat: Vec<DVec2> = edges.iter().map(|e| DVec2::new(e.dot(x), e.dot(y))).collect();
    let mut spread = flat.iter().fold(DMat2::ZERO, |m, u| m + DMat2::from_cols(*u * u.x, *u * u.y));
    // A ring that is nearly a line keeps finite coefficients; without a direction, the frame falls back to that of the joint.
    let ridge = 1e-6 * (spread.x_axis.x + spread.y_axis.y);
    spread += DMat2::from_diagonal(DVec2::splat(ridge));
    let inverse = spread.inverse();
    let fraction = |u: &DVec2| {
        let fraction = inverse * *u;
        if fraction.is_finite() { fraction } else { DVec2::ZERO }
    };
    flat.iter().map(fraction).collect()
}

fn report(topology: &WeldedTopology<'_>, smoothed: &[DVec3], first: &[u32], neighbors: usize) -> MushReport {
    let points = topology.len();
    let deltas = topology.positions.iter().zip(smoothed).map(|(a, b)| a.distance(*b));
    // Per neighbor an index and two coefficients; per point rest, smoothed, two tangents, a range and a vertex.
    let bytes = neighbors * 12 + points * (12 * 4 + 8) + topology.mesh.vertex_count() * 4;
    MushReport {
        points,
        loose: first.windows(2).filter(|range| range[0] == range[1]).count(),
        mean_neighbors: neighbors as f64 / points.max(1) as f64,
        largest_delta: deltas.fold(0.0, f64::max) as f32,
        bytes_per_vertex: bytes as f64 / topology.mesh.vertex_count().max(1) as f64,
    }
}
