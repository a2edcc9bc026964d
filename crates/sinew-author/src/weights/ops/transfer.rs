//! Transfers weights from one surface to another, for instance from a body to clothes.
//!
//! Confident matches give their weights, and the rest is inpainted from those: Rinat Abdrashitov, Kim Raichstat, Jared Monsen and
//! David Hill, 2023, "Robust Skin Weights Transfer via Weight Inpainting".

mod confidence;
mod inpaint;

use super::{
    SlotMap,
    smooth::{keep_largest, mixed, weighted_sum},
};
use crate::weights::{
    Edit, EditOutcome, MuscleSlots, WeightError, WeightTable,
    error::{check_count, check_option},
    muscle_slots::muscle_weights,
    surface::WeldedSurface,
    table::SlotWeights,
    tree::{NearestPoint, TriangleTree},
};
use sinew::{
    Mesh, Weights,
    glam::{DVec3, Vec3, Vec3A},
};

/// Which points of two surfaces correspond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransferOptions {
    /// The maximum distance of the nearest point of a confident match, in units of the target's mesh space; `None` for 5 % of
    /// the diagonal of the target.
    pub distance: Option<f32>,
    /// The maximum angle between the two normals of a confident match, in radians.
    pub angle_radians: f32,
    /// The maximum number of influences per vertex, at least 1.
    pub max_influences: usize,
}

impl Default for TransferOptions {
    fn default() -> Self {
        Self { distance: None, angle_radians: std::f32::consts::FRAC_PI_6, max_influences: 8 }
    }
}

/// Transferred weights, and how they were found.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferOutcome {
    /// The new weights with their effect.
    pub outcome: EditOutcome,
    /// The number of points with a confident match on the source: near, and facing the same way.
    pub matched: usize,
    /// The number of points that were inpainted from those.
    pub filled: usize,
    /// The number of points in parts without any match. They take the nearest point, whatever its normal.
    pub by_nearest: usize,
    /// How far the weights of each vertex can be trusted: from 1, on the source, to 0.5 for the farthest match; below 0.5, and
    /// less with the distance from a match, where they were inpainted; 0 in parts without any match.
    pub confidence: Vec<f32>,
}

/// What counts as a confident match, in the units of the source's box.
#[derive(Clone, Copy)]
struct MatchLimits {
    distance: f64,
    cosine: f64,
}

/// The part of the target's diagonal within which a match is confident.
const REACH: f32 = 0.05;

/// Transfers weights from the surface of `source` to every selected point of the edited mesh.
///
/// The source is posed in the [bind pose of the target's skin](SlotMap::bind_motions), so that neither the spaces of the meshes
/// nor the rest poses of their characters need to agree. A point takes the weights of the nearest point of the source if that
/// is near and faces the same way. The others are inpainted from those, as smoothly as their mesh allows. Muscle weights are
/// transferred for muscles that both skins have; the target's other muscles keep theirs.
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
    let posed = posed(source, source_weights, slots);
    transfer_from(edit, source, &posed, source_weights, slots, options)
}

/// The positions of `source` in the bind pose of the other skin.
fn posed(source: &Mesh, weights: &Weights, slots: &SlotMap) -> Vec<Vec3> {
    let motions = slots.bind_motions();
    let still = sinew::glam::Affine3A::IDENTITY;
    if motions.iter().all(|motion| *motion == still) {
        return source.positions().to_vec();
    }
    let of = |(vertex, &place): (usize, &Vec3)| {
        let moved = |i: sinew::Influence| {
            let motion = motions.get(usize::from(i.slot)).unwrap_or(&still);
            motion.transform_point3a(place.into()) * i.weight
        };
        Vec3::from(weights.influences(vertex).map(moved).fold(Vec3A::ZERO, |sum, one| sum + one))
    };
    source.positions().iter().enumerate().map(of).collect()
}

/// As [`transfer`], with the vertices of `source` at `positions`, in the mesh space of the target.
pub(in crate::weights) fn transfer_from(
    edit: &Edit<'_>,
    source: &Mesh,
    positions: &[Vec3],
    source_weights: &Weights,
    slots: &SlotMap,
    options: &TransferOptions,
) -> Result<TransferOutcome, WeightError> {
    let distance = options.distance.unwrap_or(0.0);
    check_option("distance", distance.into(), distance >= 0.0, "at least 0")?;
    check_option("max_influences", options.max_influences as f64, options.max_influences > 0, "at least 1")?;
    let edit = edit.clone().in_skin_of(slots.slot_count());
    let source_mesh = TransferSourceMesh::new(source, positions, source_weights, slots);
    let target = WeldedSurface::new(edit.mesh());
    let place = |point: usize| edit.mesh().positions()[edit.vertex(point)];
    let reach = options.distance.map_or(f64::from(REACH) / target.scale, f64::from);
    let limits = MatchLimits { distance: reach, cosine: f64::from(options.angle_radians.cos()) };
    let give = |point| source_mesh.confident(place(point), target.normals[point], limits);
    let mut found: Vec<Option<NearestPoint>> = (0..target.len()).map(give).collect();
    let weights_at = |found: &Option<NearestPoint>| source_mesh.weights_at(found.as_ref()?);
    let mut slot_weights: Vec<Option<SlotWeights>> = found.iter().map(weights_at).collect();
    let matched = slot_weights.iter().filter(|s| s.is_some()).count();
    let lone = points_without_match(&target, &slot_weights);
    let confidence = confidence::of_points(&target, &source_mesh, &found, limits);
    for &point in &lone {
        found[point] = source_mesh.nearest(place(point));
        slot_weights[point] = weights_at(&found[point]);
    }
    let filled = inpaint::fill(&target, &mut slot_weights);
    let outcome = edit.for_each_point(|point, _| {
        let mut wanted = slot_weights[point].take()?;
        keep_largest(&mut wanted, options.max_influences);
        Some(wanted)
    })?;
    let weights = with_muscles(&edit, outcome.weights, &target, &source_mesh, &found)?;
    let of_vertex = target.of_vertex.iter().map(|&point| confidence[point as usize]);
    let confidence = of_vertex.collect();
    let outcome = edit.outcome_of(weights);
    Ok(TransferOutcome { outcome, matched, filled, by_nearest: lone.len(), confidence })
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
    inpaint::fill(target, &mut muscles);
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
    fn new(mesh: &Mesh, positions: &[Vec3], weights: &Weights, slots: &SlotMap) -> Self {
        let surface = WeldedSurface::posed(mesh, positions);
        let table = WeightTable::new(weights, weights.slot_count());
        let of_point = |&vertex: &u32| slots.apply(table.slot_weights(vertex as usize));
        let slot_weights = surface.first_vertex.iter().map(of_point).collect();
        let of_point = |&vertex: &u32| slots.apply_to_muscles(&muscle_weights(weights, vertex as usize));
        let muscles = surface.first_vertex.iter().map(of_point).collect();
        Self { tree: surface.tree(), slot_weights, muscles, taken: slots.muscles_of(weights), surface }
    }

    /// The nearest point, however far away.
    fn nearest(&self, place: Vec3) -> Option<NearestPoint> {
        self.tree.nearest(self.surface.unit_from_mesh(place.as_dvec3()), f64::INFINITY, |_| true)
    }

    /// The nearest point, if it is within the limits. A point that is farther away and faces the same way is no match: it is on
    /// another limb.
    fn confident(&self, place: Vec3, normal: DVec3, limits: MatchLimits) -> Option<NearestPoint> {
        let place = self.surface.unit_from_mesh(place.as_dvec3());
        let near = self.tree.nearest(place, limits.distance * self.surface.scale, |_| true)?;
        let own = self.normal(&near);
        (normal == DVec3::ZERO || own == DVec3::ZERO || own.dot(normal) >= limits.cosine).then_some(near)
    }

    /// The normal at a point of the surface, smooth across its triangle.
    fn normal(&self, near: &NearestPoint) -> DVec3 {
        self.corners(near)
            .map(|(p, fraction)| self.surface.normals[p] * fraction)
            .sum::<DVec3>()
            .normalize_or_zero()
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
