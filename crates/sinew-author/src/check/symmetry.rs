//! Weights that differ between the sides of a symmetric mesh.

use super::{Finding, FindingCode, bound::BoundMesh, counted::vertices_do, effect::EffectMeter};
use crate::weights::{
    Edit, MuscleSlots, VertexSelection, WeightError,
    ops::{self, MirrorAxis, MirrorOptions, MirrorOutcome, MirrorSide, VertexMirrorMap},
};
use sinew::Influence;

/// A mesh is symmetric if at most this fraction of its points has no mirrored partner.
const MAX_UNMATCHED: f64 = 0.02;
/// Partners whose weights differ by less in total count as equal.
const MIN_DIFFERENCE: f32 = 0.1;
/// If a larger fraction of the mesh differs, the asymmetry is intended.
const MAX_DIFFERENT: f64 = 0.6;

pub(super) fn findings(bound: &BoundMesh<'_>, meter: &EffectMeter<'_>, out: &mut Vec<Finding>) {
    let Some(found) = Asymmetry::of(bound) else { return };
    let Ok(mirrored) = found.mirrored(bound, found.vertices.iter().copied()) else { return };
    let effect = meter.of_weights(bound, &found.vertices, &mirrored.outcome.weights);
    let message = format!(
        "{} from their partner on the other side, by up to {:.2} in total, most in {}",
        vertices_do(found.vertices.len(), "differ"),
        found.worst,
        bound.joint_name(found.slot),
    );
    let mut place = bound.place(found.vertices);
    place.joint = Some(bound.joint(found.slot));
    out.push(
        Finding::new(FindingCode::AsymmetricWeights, place, message)
            .with("difference", f64::from(found.worst))
            .with_effect(effect),
    );
}

/// How to mirror a mesh whose sides differ, and the vertices that differ.
pub(super) struct Asymmetry {
    pub(super) options: MirrorOptions,
    pub(super) map: VertexMirrorMap,
    pub(super) vertices: Vec<u32>,
    worst: f32,
    /// The joint whose weight differs most.
    slot: u16,
}

impl Asymmetry {
    /// The weights with those of `vertices` that are on the right mirrored from the left.
    pub(super) fn mirrored(
        &self,
        bound: &BoundMesh<'_>,
        vertices: impl Iterator<Item = u32>,
    ) -> Result<MirrorOutcome, WeightError> {
        let edit = Edit::new(bound.mesh)?.select(VertexSelection::of(vertices));
        ops::mirror(&edit, &self.map, &self.options)
    }

    /// `None` if the mesh or its joints have no sides, or the sides are equal.
    pub(super) fn of(bound: &BoundMesh<'_>) -> Option<Self> {
        let tolerance = bound.diagonal() * 1e-4;
        let options =
            MirrorOptions { axis: MirrorAxis::X, middle: 0.0, from: MirrorSide::Positive, tolerance };
        let map = VertexMirrorMap::of_joints(bound.mesh, bound.pairs(), &options);
        let count = map.point_count();
        let is_symmetric = (map.unmatched() as f64) <= MAX_UNMATCHED * count as f64;
        let slots = 0..bound.skin.joints().len() as u16;
        let has_pairs = slots.clone().any(|slot| map.slot(slot) != slot);
        // A muscle may be on one side only.
        let muscles = MuscleSlots::of_character(bound.character, bound.skin_index);
        let is_lopsided = map.unpaired().iter().any(|&slot| !muscles.holds(slot));
        if count == 0 || !is_symmetric || !has_pairs || is_lopsided {
            return None;
        }
        let first = bound.mesh.points().first_vertex();
        let (mut found, mut worst, mut at) = (Vec::new(), 0.0_f32, None);
        for point in 0..count {
            let Some(partner) = map.partner(point) else { continue };
            let (here, there) = (first[point] as usize, first[partner] as usize);
            let difference = difference(bound, &map, here, there);
            if difference > MIN_DIFFERENCE {
                found.push(here as u32);
                if difference > worst {
                    (worst, at) = (difference, Some((here, there)));
                }
            }
        }
        let is_meant = found.len() as f64 > MAX_DIFFERENT * count as f64;
        let (here, there) = at.filter(|_| !is_meant)?;
        let apart = |slot: u16| {
            (bound.weights.weight_of(here, slot) - bound.weights.weight_of(there, map.slot(slot))).abs()
        };
        let slot = slots.max_by(|&a, &b| apart(a).total_cmp(&apart(b)))?;
        Some(Self { options, map, vertices: found, worst, slot })
    }
}

/// The total difference between the weights of `here` and the mirrored weights of `there`.
fn difference(bound: &BoundMesh<'_>, map: &VertexMirrorMap, here: usize, there: usize) -> f32 {
    let other = |slot: u16| {
        let same = bound.weights.influences(there).filter(|i| map.slot(i.slot) == slot);
        same.map(|i| i.weight).sum::<f32>()
    };
    let own: f32 = bound.weights.influences(here).map(|i| (i.weight - other(i.slot)).abs()).sum();
    let missing = bound.weights.influences(there);
    let missing: f32 =
        missing.filter(|i| bound.weights.weight_of(here, map.slot(i.slot)) == 0.0).map(|i| i.weight).sum();
    own + missing + muscle_difference(bound, map, here, there)
}

/// The same for muscle weights, of muscles that both sides have.
fn muscle_difference(bound: &BoundMesh<'_>, map: &VertexMirrorMap, here: usize, there: usize) -> f32 {
    let weights = bound.weights;
    let is_paired = |i: &Influence| !map.unpaired().contains(&i.slot);
    let other = |slot: u16| weights.muscle_weight_of(there, map.slot(slot));
    let own = weights.muscle_influences(here).filter(is_paired).map(|i| (i.weight - other(i.slot)).abs());
    let is_missing = |i: &Influence| weights.muscle_weight_of(here, map.slot(i.slot)) == 0.0;
    let missing =
        weights.muscle_influences(there).filter(is_paired).filter(is_missing).map(|i| i.weight.abs());
    own.chain(missing).sum()
}
