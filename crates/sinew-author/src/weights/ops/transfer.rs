//! Transfers weights from one surface to another, for instance from a body to clothes.

use super::{
    SlotMap,
    smooth::{keep_largest, mixed, weighted_sum},
};
use crate::weights::{
    Edit, EditOutcome, MuscleSlots, WeightError, WeightTable,
    auto::system::Factor,
    error::{check_count, check_option},
    muscle_slots::muscle_weights,
    surface::WeldedSurface,
    table::SlotWeights,
    tree::{NearestPoint, TriangleTree},
};
use faer::Mat;
use sinew::{
    Mesh, Weights,
    glam::{DVec3, Vec3},
};

/// Which points of two surfaces correspond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransferOptions {
    /// The maximum distance of the nearest point, in meters.
    pub distance: f32,
    /// The maximum angle between the two normals, in radians.
    pub angle_radians: f32,
    /// The maximum number of influences per vertex, at least 1.
    pub max_influences: usize,
}

impl Default for TransferOptions {
    fn default() -> Self {
        Self { distance: 0.05, angle_radians: std::f32::consts::FRAC_PI_3, max_influences: 8 }
    }
}

/// Transferred weights, and how they were found.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferOutcome {
    /// The new weights with their effect.
    pub outcome: EditOutcome,
    /// The number of points with a corresponding point on the source.
    pub matched: usize,
    /// The number of points that were filled in between those.
    pub filled: usize,
    /// The number of points in parts without any match. They take the nearest point, whatever its normal.
    pub by_nearest: usize,
}

/// Transfers the weights of the nearest point of `source` with a similar normal to every selected point of the edited mesh.
///
/// Both meshes must be in the same space. Points without a match are filled in by a Laplacian solve over their mesh, as smoothly
/// as its shape allows. Muscle weights are transferred for muscles that both skins have; the target's other muscles keep theirs.
///
/// # Errors
/// If an option is out of range or the weights do not belong to `source`.
pub fn transfer(
    edit: &Edit<'_>,
    source: &Mesh,
    source_weights: &Weights,
    slots: &SlotMap,
    options: &TransferOptions,
) -> Result<TransferOutcome, WeightError> {
    check_count("vertices with weights", source_weights.vertex_count(), source.vertex_count())?;
    check_option("distance", options.distance.into(), options.distance >= 0.0, "at least 0")?;
    check_option("max_influences", options.max_influences as f64, options.max_influences > 0, "at least 1")?;
    let edit = edit.clone().in_skin_of(slots.slot_count());
    let source_mesh = TransferSourceMesh::new(source, source_weights, slots);
    let target = WeldedSurface::new(edit.mesh());
    let place = |point: usize| edit.mesh().positions()[edit.vertex(point)];
    let like = f64::from(options.angle_radians.cos());
    let give =
        |point| source_mesh.nearest(place(point), target.normals[point], options.distance.into(), like);
    let mut found: Vec<Option<NearestPoint>> = (0..target.len()).map(give).collect();
    let weights_at = |found: &Option<NearestPoint>| source_mesh.weights_at(found.as_ref()?);
    let mut slot_weights: Vec<Option<SlotWeights>> = found.iter().map(weights_at).collect();
    let matched = slot_weights.iter().filter(|s| s.is_some()).count();
    let lone = points_without_match(&target, &slot_weights);
    for &point in &lone {
        found[point] = source_mesh.nearest(place(point), DVec3::ZERO, f64::INFINITY, -2.0);
        slot_weights[point] = weights_at(&found[point]);
    }
    let filled = fill(&target, &mut slot_weights);
    let outcome = edit.for_each_point(|point, _| {
        let mut wanted = slot_weights[point].take()?;
        keep_largest(&mut wanted, options.max_influences);
        Some(wanted)
    })?;
    let weights = with_muscles(&edit, outcome.weights, &target, &source_mesh, &found)?;
    Ok(TransferOutcome { outcome: edit.outcome_of(weights), matched, filled, by_nearest: lone.len() })
}

/// `weights` with the muscle weights of the source, where it has muscles that the target's skin has too.
fn with_muscles(
    edit: &Edit<'_>,
    weights: Weights,
    target: &WeldedSurface,
    source: &TransferSourceMesh,
    found: &[Option<NearestPoint>],
) -> Result<Weights, WeightError> {
    if source.taken.is_empty() {
        return Ok(weights);
    }
    let muscles_at = |found: &Option<NearestPoint>| found.as_ref().map(|near| source.muscles_at(near));
    let mut muscles: Vec<Option<SlotWeights>> = found.iter().map(muscles_at).collect();
    fill(target, &mut muscles);
    edit.with_muscles(weights, |point| {
        let given = muscles[point].take().unwrap_or_default();
        Some(source.taken.replaced(edit.weights(), edit.vertex(point), given))
    })
}

/// The points of parts in which no point has weights.
fn points_without_match(surface: &WeldedSurface, slot_weights: &[Option<SlotWeights>]) -> Vec<usize> {
    let (part, parts) = surface.components();
    let mut has_match = vec![false; parts];
    slot_weights.iter().zip(&part).for_each(|(s, &part)| has_match[part as usize] |= s.is_some());
    (0..surface.len()).filter(|&point| !has_match[part[point] as usize]).collect()
}

/// The surface from which weights are transferred.
struct TransferSourceMesh {
    surface: WeldedSurface,
    tree: TriangleTree,
    slot_weights: Vec<SlotWeights>,
    muscles: Vec<SlotWeights>,
    /// The muscles of the source, as slots of the target.
    taken: MuscleSlots,
}

impl TransferSourceMesh {
    fn new(mesh: &Mesh, weights: &Weights, slots: &SlotMap) -> Self {
        let surface = WeldedSurface::new(mesh);
        let table = WeightTable::new(weights, weights.slot_count());
        let of_point = |&vertex: &u32| slots.apply(table.slot_weights(vertex as usize));
        let slot_weights = surface.first_vertex.iter().map(of_point).collect();
        let of_point = |&vertex: &u32| slots.apply_to_muscles(&muscle_weights(weights, vertex as usize));
        let muscles = surface.first_vertex.iter().map(of_point).collect();
        Self { tree: surface.tree(), slot_weights, muscles, taken: slots.muscles_of(weights), surface }
    }

    /// The nearest point within `reach` whose normal has at least the cosine `like` with `normal`.
    fn nearest(&self, place: Vec3, normal: DVec3, reach: f64, like: f64) -> Option<NearestPoint> {
        let place = self.surface.unit_from_mesh(place.as_dvec3());
        let faces_alike = |triangle: u32| {
            let own = self.surface.area_vector(self.surface.triangles[triangle as usize]).normalize_or_zero();
            normal == DVec3::ZERO || own == DVec3::ZERO || own.dot(normal) >= like
        };
        self.tree.nearest(place, reach * self.surface.scale, faces_alike)
    }

    /// The weights at a point of the surface.
    fn weights_at(&self, near: &NearestPoint) -> Option<SlotWeights> {
        let parts = self.corners(near).map(|(p, fraction)| (&self.slot_weights[p][..], fraction));
        Some(mixed(parts)).filter(|slot_weights| !slot_weights.is_empty())
    }

    /// The muscle weights at a point of the surface.
    fn muscles_at(&self, near: &NearestPoint) -> SlotWeights {
        weighted_sum(self.corners(near).map(|(p, fraction)| (&self.muscles[p][..], fraction)))
    }

    /// The corners of the triangle of a point, with their barycentric coordinates.
    fn corners(&self, near: &NearestPoint) -> impl Iterator<Item = (usize, f64)> + use<> {
        let corners = self.surface.triangles[near.triangle as usize];
        corners.map(|p| p as usize).into_iter().zip(near.barycentric)
    }
}

/// The stiffness of known weights relative to edges.
const HELD: f64 = 1e6;

/// Fills in the points without weights, joint by joint, and returns how many there were.
fn fill(surface: &WeldedSurface, slot_weights: &mut [Option<SlotWeights>]) -> usize {
    let missing: Vec<usize> = (0..slot_weights.len()).filter(|&p| slot_weights[p].is_none()).collect();
    if missing.is_empty() {
        return 0;
    }
    let hold = |s: &Option<SlotWeights>| if s.is_some() { HELD } else { 1e-9 };
    let Some(factor) = Factor::of_graph(&surface.cotangent_edges(), slot_weights.iter().map(hold).collect())
    else {
        return 0;
    };
    let mut used: Vec<u16> = slot_weights.iter().flatten().flatten().map(|s| s.0).collect();
    used.sort_unstable();
    used.dedup();
    let mut found: Vec<SlotWeights> = vec![Vec::new(); missing.len()];
    for some in used.chunks(32) {
        let mut values = Mat::zeros(surface.len(), some.len());
        for (point, known) in slot_weights.iter().enumerate() {
            for &(slot, fraction) in known.iter().flatten() {
                if let Ok(column) = some.binary_search(&slot) {
                    values[(point, column)] = HELD * fraction;
                }
            }
        }
        factor.solve(&mut values);
        for (found, &point) in found.iter_mut().zip(&missing) {
            let slot_weights = some.iter().enumerate().map(|(column, &slot)| (slot, values[(point, column)]));
            found.extend(slot_weights.filter(|s| s.1.abs() > 1e-4 && s.1.is_finite()));
        }
    }
    for (found, &point) in found.into_iter().zip(&missing) {
        slot_weights[point] = Some(found).filter(|f| !f.is_empty());
    }
    missing.len()
}
