//! Weights from one surface to another: clothes onto a body.

use super::{
    SlotMap,
    smooth::{keep_largest, mixed},
};
use crate::weights::{
    Edit, EditOutcome, WeightError, WeightTable, auto::system::Factor, error::check_count,
    error::check_option, surface::WeldedSurface, table::SlotWeights, tree::TriangleTree,
};
use faer::Mat;
use sinew::{
    Mesh, Weights,
    glam::{DVec3, Vec3},
};

/// What counts as the same place of two surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransferOptions {
    /// How far the nearest place may be, in metres.
    pub distance: f32,
    /// How far the two normals may differ there, in radians.
    pub angle_radians: f32,
    /// The most influences of a vertex, at least 1.
    pub most: usize,
}

impl Default for TransferOptions {
    fn default() -> Self {
        Self { distance: 0.05, angle_radians: std::f32::consts::FRAC_PI_3, most: 8 }
    }
}

/// Transferred weights, and where they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferOutcome {
    /// The weights and what they do.
    pub outcome: EditOutcome,
    /// Points that found a near place with a like normal.
    pub matched: usize,
    /// Points filled in between those.
    pub filled: usize,
    /// Points of parts in which none was matched: they take the nearest place, whatever its normal.
    pub by_nearest: usize,
}

/// Gives every selected point of the edit's mesh the weights of the nearest place of `source` that faces the same way.
///
/// Both meshes lie in the same space. Points without such a place are filled in by a Laplacian solve over their mesh, as
/// smoothly as its shape allows.
///
/// # Errors
/// Where an option is out of range or the weights are of another mesh than `source`.
pub fn transfer(
    edit: &Edit<'_>,
    source: &Mesh,
    source_weights: &Weights,
    slots: &SlotMap,
    options: &TransferOptions,
) -> Result<TransferOutcome, WeightError> {
    check_count("vertices with weights", source_weights.vertex_count(), source.vertex_count())?;
    check_option("distance", options.distance.into(), options.distance >= 0.0, "at least 0")?;
    check_option("most", options.most as f64, options.most > 0, "at least 1")?;
    let edit = edit.clone().in_skin_of(slots.slot_count());
    let giver = TransferMesh::new(source, source_weights, slots);
    let target = WeldedSurface::new(edit.mesh());
    let place = |point: usize| edit.mesh().positions()[edit.vertex(point)];
    let like = f64::from(options.angle_radians.cos());
    let give = |point| giver.shares_at(place(point), target.normals[point], options.distance.into(), like);
    let mut shares: Vec<Option<SlotWeights>> = (0..target.len()).map(give).collect();
    let matched = shares.iter().filter(|s| s.is_some()).count();
    let lone = points_without_match(&target, &shares);
    for &point in &lone {
        shares[point] = giver.shares_at(place(point), DVec3::ZERO, f64::INFINITY, -2.0);
    }
    let filled = fill(&target, &mut shares);
    let outcome = edit.for_each_point(|point, _| {
        let mut wanted = shares[point].take()?;
        keep_largest(&mut wanted, options.most);
        Some(wanted)
    })?;
    Ok(TransferOutcome { outcome, matched, filled, by_nearest: lone.len() })
}

/// The points of the parts in which none has shares.
fn points_without_match(surface: &WeldedSurface, shares: &[Option<SlotWeights>]) -> Vec<usize> {
    let (part, parts) = surface.components();
    let mut has_match = vec![false; parts];
    shares.iter().zip(&part).for_each(|(s, &part)| has_match[part as usize] |= s.is_some());
    (0..surface.len()).filter(|&point| !has_match[part[point] as usize]).collect()
}

/// A surface that gives its weights.
struct TransferMesh {
    surface: WeldedSurface,
    tree: TriangleTree,
    shares: Vec<SlotWeights>,
}

impl TransferMesh {
    fn new(mesh: &Mesh, weights: &Weights, slots: &SlotMap) -> Self {
        let surface = WeldedSurface::new(mesh);
        let table = WeightTable::new(weights, weights.slot_count());
        let of_point = |&vertex: &u32| slots.apply(table.shares(vertex as usize));
        let shares = surface.first_vertex.iter().map(of_point).collect();
        Self { tree: surface.tree(), shares, surface }
    }

    /// The weights at the nearest place within `reach` whose normal has at least the cosine `like` to `normal`.
    fn shares_at(&self, place: Vec3, normal: DVec3, reach: f64, like: f64) -> Option<SlotWeights> {
        let place = self.surface.unit_from_mesh(place.as_dvec3());
        let faces_alike = |triangle: u32| {
            let own = self.surface.area_vector(self.surface.triangles[triangle as usize]).normalize_or_zero();
            normal == DVec3::ZERO || own == DVec3::ZERO || own.dot(normal) >= like
        };
        let near = self.tree.nearest(place, reach * self.surface.scale, faces_alike)?;
        let corners = self.surface.triangles[near.triangle as usize];
        let parts = corners.iter().zip(near.shares).map(|(&p, share)| (&self.shares[p as usize][..], share));
        Some(mixed(parts)).filter(|shares| !shares.is_empty())
    }
}

/// Holds what is known this much harder than edges pull.
const HELD: f64 = 1e6;

/// Fills in the points without shares, joint by joint, and says how many there were.
fn fill(surface: &WeldedSurface, shares: &mut [Option<SlotWeights>]) -> usize {
    let missing: Vec<usize> = (0..shares.len()).filter(|&p| shares[p].is_none()).collect();
    if missing.is_empty() {
        return 0;
    }
    let hold = |s: &Option<SlotWeights>| if s.is_some() { HELD } else { 1e-9 };
    let Some(factor) = Factor::of_graph(&surface.cotangent_edges(), shares.iter().map(hold).collect()) else {
        return 0;
    };
    let mut used: Vec<u16> = shares.iter().flatten().flatten().map(|s| s.0).collect();
    used.sort_unstable();
    used.dedup();
    let mut found: Vec<SlotWeights> = vec![Vec::new(); missing.len()];
    for some in used.chunks(32) {
        let mut values = Mat::zeros(surface.len(), some.len());
        for (point, known) in shares.iter().enumerate() {
            for &(slot, share) in known.iter().flatten() {
                if let Ok(column) = some.binary_search(&slot) {
                    values[(point, column)] = HELD * share;
                }
            }
        }
        factor.solve(&mut values);
        for (found, &point) in found.iter_mut().zip(&missing) {
            let shares = some.iter().enumerate().map(|(column, &slot)| (slot, values[(point, column)]));
            found.extend(shares.filter(|s| s.1 > 1e-4 && s.1.is_finite()));
        }
    }
    for (found, &point) in found.into_iter().zip(&missing) {
        shares[point] = Some(found).filter(|f| !f.is_empty());
    }
    missing.len()
}
