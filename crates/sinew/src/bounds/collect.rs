//! The parts of a mesh that follow each joint, collected from its rest pose.

use super::{
    Aabb,
    part::{BoundsPart, BoundsParts, MeshBox, farthest},
};
use crate::{
    asset::{
        mesh::Mesh,
        precomputed::{ContactData, ContactVertex, DeltaMushData, DirectMushData},
        skin::Skin,
        weights::Weights,
    },
    deform::{CONTACT_REACH, reference::BoneSegment},
    palette::DualQuatPalette,
};
use glam::Vec3;
use std::collections::BTreeMap;

/// The parts of direct delta mush, and how far its weights are from positive weights that sum to one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DirectParts {
    pub(super) parts: Vec<BoundsPart>,
    pub(super) excess: f32,
}

/// The muscle influences of some vertices: the part that each displaces, and its largest weight.
pub(super) type MuscleSet = Vec<(BoundsPart, f32)>;

/// The box of each vertex under all morph weights in range, in mesh space.
pub(super) fn vertex_boxes(mesh: &Mesh, ranges: &[[f32; 2]]) -> Vec<Aabb> {
    let mut boxes: Vec<Aabb> = mesh.positions().iter().map(|&p| Aabb { min: p, max: p }).collect();
    for (target, [low, high]) in mesh.morphs().targets().iter().zip(ranges) {
        for (&vertex, &delta) in target.vertices.iter().zip(&target.positions) {
            let (a, b) = (delta * *low, delta * *high);
            let bounds = &mut boxes[vertex as usize];
            *bounds = Aabb { min: bounds.min + a.min(b), max: bounds.max + a.max(b) };
        }
    }
    boxes
}

pub(super) fn linear_parts(weights: &Weights, vertices: &[Aabb]) -> Vec<BoundsPart> {
    let mut parts = BoundsParts::default();
    for (vertex, &bounds) in vertices.iter().enumerate() {
        weights.of(vertex).0.iter().for_each(|&slot| parts.add(slot, bounds, 0.0));
    }
    parts.finish().collect()
}

/// The vertices that a single joint moves.
pub(super) fn solid_parts(weights: &Weights, vertices: &[Aabb]) -> Vec<BoundsPart> {
    let mut parts = BoundsParts::default();
    for (vertex, &bounds) in vertices.iter().enumerate() {
        if let [only] = weights.of(vertex).0 {
            parts.add(*only, bounds, 0.0);
        }
    }
    parts.finish().collect()
}

/// The box of the possible rotation centers of a vertex with several influences, by vertex and slots.
pub(super) trait CenterSource: Fn(usize, &[u16]) -> Aabb {}
impl<F: Fn(usize, &[u16]) -> Aabb> CenterSource for F {}

/// The maximum distance of a vertex from its center, in meters.
pub(super) fn reach_of(bounds: &Aabb, centers: &Aabb) -> f32 {
    centers.corners().iter().fold(0.0, |most, &c| most.max(farthest(bounds, c)))
}

/// The vertices with one joint, and for the others their centers and the reach around them.
pub(super) fn turning_parts(
    weights: &Weights,
    vertices: &[Aabb],
    centers: &impl CenterSource,
) -> Vec<BoundsPart> {
    let mut parts = BoundsParts::default();
    for (vertex, bounds) in vertices.iter().enumerate() {
        let slots = weights.of(vertex).0;
        if slots.len() > 1 {
            let centers = centers(vertex, slots);
            let reach = reach_of(bounds, &centers);
            slots.iter().for_each(|&slot| parts.add(slot, centers, reach));
        }
    }
    parts.finish().chain(solid_parts(weights, vertices)).collect()
}

/// Quaternion blend rotates a vertex about a mean of the lower joints of its pairs.
pub(super) fn meeting_points(skin: &Skin) -> impl CenterSource {
    let palette = DualQuatPalette::new(skin);
    move |_, slots: &[u16]| {
        let (pivots, depths) = (palette.pivots(), palette.depths());
        // If a skin has fewer joints than the weights use, no palette fits it, so the box is never requested.
        let known = || slots.iter().map(|&s| usize::from(s)).filter(|&s| s < pivots.len());
        let lower = known()
            .enumerate()
            .flat_map(|(i, a)| known().skip(i + 1).map(move |b| if depths[a] > depths[b] { a } else { b }));
        let one = |pivot: Vec3| Aabb { min: pivot, max: pivot };
        lower.fold(Aabb::EMPTY, |all, slot| all.union(one(pivots[slot])))
    }
}

pub(super) fn mush_parts(mush: &DeltaMushData, weights: &Weights, vertices: &[Aabb]) -> Vec<BoundsPart> {
    let lists = mush.parts();
    let smoothed = lists.point_of_vertex.iter().map(|&point| lists.smoothed[point as usize]);
    let reach =
        vertices.iter().zip(smoothed).fold(0.0_f32, |most, (bounds, c)| most.max(farthest(bounds, c)));
    let mut parts = BoundsParts::default();
    for (&vertex, rest) in lists.vertex_of_point.iter().zip(&lists.rest) {
        let slots = weights.of(vertex as usize).0;
        slots.iter().for_each(|&slot| parts.add(slot, Aabb::of_points([rest]), reach));
    }
    parts.finish().collect()
}

pub(super) fn direct_parts(mush: &DirectMushData, vertices: &[Aabb]) -> DirectParts {
    let mut parts = BoundsParts::default();
    let mut excess = 0.0_f32;
    for (vertex, (bounds, &pivot)) in vertices.iter().zip(&mush.parts().pivots).enumerate() {
        let aside: f32 = mush.of(vertex).map(|m| m.first.length()).sum();
        let reach = farthest(bounds, pivot) + aside;
        mush.of(vertex).for_each(|m| parts.add(m.slot, Aabb::of_points([&pivot]), reach));
        let (sum, size) = mush.of(vertex).fold((0.0, 0.0), |(s, a), m| (s + m.weight, a + m.weight.abs()));
        // Weights of a mean are positive and sum to one.
        excess = excess.max((sum - 1.0_f32).abs() + (size - sum));
    }
    DirectParts { parts: parts.finish().collect(), excess }
}

/// The maximum distance that contact skinning moves a vertex, in meters before any stretch.
pub(super) fn contact_reach(data: &ContactData, vertices: &[Aabb]) -> f32 {
    let parts = data.parts();
    let reach = |(vertex, bounds): (&ContactVertex, &Aabb)| {
        let bone = parts.bones[usize::from(vertex.bone)];
        let distance =
            |corner| BoneSegment { head: bone.head, tail: bone.tail }.nearest(corner).distance(corner);
        // The distance from a segment is convex, so it is largest at a corner.
        let farthest = bounds.corners().into_iter().map(distance).fold(0.0, f32::max);
        if vertex.mask > 0 { farthest * CONTACT_REACH } else { 0.0 }
    };
    parts.vertices.iter().zip(vertices).map(reach).fold(0.0, f32::max)
}

/// The distinct sets of muscle influences.
pub(super) fn muscle_sets(weights: &Weights, vertices: &[Aabb]) -> Vec<MuscleSet> {
    let mut sets: BTreeMap<Vec<u16>, Vec<(Aabb, f32)>> = BTreeMap::new();
    for (vertex, &bounds) in vertices.iter().enumerate() {
        let (slots, shares) = weights.muscle_of(vertex);
        if slots.is_empty() {
            continue;
        }
        let mut muscles: Vec<(u16, f32)> =
            slots.iter().copied().zip(shares.iter().map(|w| w.abs())).collect();
        muscles.sort_by_key(|m| m.0);
        let set = sets.entry(muscles.iter().map(|m| m.0).collect()).or_default();
        set.resize(muscles.len(), (Aabb::EMPTY, 0.0));
        for ((all, most), (_, weight)) in set.iter_mut().zip(muscles) {
            (*all, *most) = (all.union(bounds), most.max(weight));
        }
    }
    let part = |slot, bounds: Aabb| BoundsPart { slot, carried: MeshBox::new(&bounds), reach: 0.0 };
    let finish = |(slots, boxes): (Vec<u16>, Vec<(Aabb, f32)>)| {
        slots.into_iter().zip(boxes).map(|(slot, (b, most))| (part(slot, b), most)).collect()
    };
    sets.into_iter().map(finish).collect()
}
