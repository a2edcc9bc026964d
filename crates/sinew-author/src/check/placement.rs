//! Weights of the wrong joint: distant limbs, and loose parts that do not follow their surroundings.

use super::{
    Finding, FindingCode,
    bound::{BoundMesh, VertexGraph},
    counted::{vertices, vertices_do},
};
use crate::weights::BoneSet;
use sinew::glam::Vec3;

/// A smaller weight is not worth a finding.
const MIN_WEIGHT: f32 = 0.004;
/// How much further away than the nearest bone a wrong one is, as a fraction of the mesh's diagonal.
const FAR: f32 = 0.12;
/// A stray region holds at most this fraction of all weight of its joint.
const MAX_STRAY_FRACTION: f64 = 0.2;

pub(super) fn findings(bound: &BoundMesh<'_>, out: &mut Vec<Finding>) {
    let Some(graph) = bound.graph() else { return };
    let reach = JointReach::new(bound);
    let islands = islands(bound, &graph, &reach);
    for island in &islands {
        let count = island.vertices.len();
        let message = format!(
            "a part of {} follows only {}, which is {:.0} mm away; its surroundings follow {}",
            vertices(count),
            bound.joint_name(island.slot),
            island.distance * 1000.0,
            bound.joint_name(island.around),
        );
        let mut place = bound.place(island.vertices.clone());
        place.joint = Some(bound.joint(island.slot));
        out.push(
            Finding::new(FindingCode::LooseIsland, place, message)
                .with("vertices", count as f64)
                .with("distance_mm", f64::from(island.distance) * 1000.0),
        );
    }
    let mut of_slots: Vec<(u16, Vec<u32>, f32)> = Vec::new();
    for stray in strays(bound, &graph, &reach) {
        if islands.iter().any(|i| i.vertices.contains(&stray.vertex)) {
            continue;
        }
        match of_slots.iter_mut().find(|s| s.0 == stray.slot) {
            Some(same) => {
                same.1.push(stray.vertex);
                same.2 = same.2.max(stray.distance);
            }
            None => of_slots.push((stray.slot, vec![stray.vertex], stray.distance)),
        }
    }
    for (slot, far, distance) in of_slots {
        let message = format!(
            "{} {}, although its bone is up to {:.0} mm away and others are near",
            vertices_do(far.len(), "follow"),
            bound.joint_name(slot),
            distance * 1000.0
        );
        let count = far.len();
        let mut place = bound.place(far);
        place.joint = Some(bound.joint(slot));
        out.push(
            Finding::new(FindingCode::StrayWeights, place, message)
                .with("vertices", count as f64)
                .with("distance_mm", f64::from(distance) * 1000.0),
        );
    }
}

/// Distances of positions on the mesh from the bones of a skin, in mesh space.
pub(super) struct JointReach {
    /// The bones of each slot, by their ends.
    of_slot: Vec<Vec<[Vec3; 2]>>,
    is_used: Vec<bool>,
    far: f32,
}

impl JointReach {
    pub(super) fn new(bound: &BoundMesh<'_>) -> Self {
        let bones = BoneSet::of_character(bound.character, bound.skin_index);
        let mut of_slot = vec![Vec::new(); bones.slot_count()];
        bones.bones().iter().for_each(|b| of_slot[usize::from(b.slot)].push([b.head, b.tail]));
        let mut is_used = vec![false; bones.slot_count()];
        for vertex in 0..bound.weights.vertex_count() {
            bound.weights.of(vertex).0.iter().for_each(|&slot| is_used[usize::from(slot)] = true);
        }
        Self { of_slot, is_used, far: FAR * bound.diagonal() }
    }

    /// The distance of `place` from the nearest bone of `slot`.
    fn distance(&self, slot: u16, place: Vec3) -> f32 {
        let bones = &self.of_slot[usize::from(slot)];
        bones.iter().map(|[head, tail]| segment_distance(place, *head, *tail)).fold(f32::INFINITY, f32::min)
    }

    /// True if `slot` is much further from `place` than the nearest bone that moves any vertex.
    fn is_far(&self, slot: u16, place: Vec3) -> bool {
        let own = self.distance(slot, place);
        let slots = (0..self.of_slot.len()).filter(|&s| self.is_used[s] && s != usize::from(slot));
        let nearest = slots.map(|s| self.distance(s as u16, place)).fold(f32::INFINITY, f32::min);
        own.is_finite() && own > nearest + self.far
    }
}

fn segment_distance(place: Vec3, head: Vec3, tail: Vec3) -> f32 {
    let way = tail - head;
    let length = way.length_squared();
    let fraction = if length > 0.0 { ((place - head).dot(way) / length).clamp(0.0, 1.0) } else { 0.0 };
    place.distance(head + way * fraction)
}

/// An influence of a joint that is too far away.
pub(super) struct StrayInfluence {
    pub(super) vertex: u32,
    pub(super) slot: u16,
    distance: f32,
}

/// Influences of distant joints, disconnected from the main region that the joint moves.
pub(super) fn strays(bound: &BoundMesh<'_>, graph: &VertexGraph, reach: &JointReach) -> Vec<StrayInfluence> {
    let points = bound.mesh.points();
    let mut of_point: Vec<Vec<(u16, f32)>> = vec![Vec::new(); points.len()];
    for (vertex, &point) in points.of_vertex().iter().enumerate() {
        for i in bound.weights.influences(vertex).filter(|i| i.weight >= MIN_WEIGHT) {
            of_point[point as usize].push((i.slot, i.weight));
        }
    }
    let fraction = |point: usize, slot: u16| -> f64 {
        of_point[point].iter().filter(|i| i.0 == slot).map(|i| f64::from(i.1)).sum()
    };
    let mut out = Vec::new();
    for slot in (0..reach.of_slot.len()).filter(|&s| reach.is_used[s]).map(|s| s as u16) {
        let parts = graph.parts(|point| of_point[point].iter().any(|i| i.0 == slot));
        let masses: Vec<f64> =
            parts.iter().map(|part| part.iter().map(|&p| fraction(p as usize, slot)).sum()).collect();
        let total: f64 = masses.iter().sum();
        let heaviest = masses.iter().copied().fold(0.0, f64::max);
        for (part, &mass) in parts.iter().zip(&masses) {
            if mass >= heaviest || mass > MAX_STRAY_FRACTION * total {
                continue;
            }
            for &point in part {
                let place = bound.mesh.positions()[points.first_vertex()[point as usize] as usize];
                if reach.is_far(slot, place) {
                    out.push((point, slot, reach.distance(slot, place)));
                }
            }
        }
    }
    let copies = |&(point, slot, distance): &(u32, u16, f32)| {
        let of = points.of_vertex().iter().enumerate().filter(move |(_, p)| **p == point);
        let follows = move |v: usize| bound.weights.weight_of(v, slot) >= MIN_WEIGHT;
        of.map(|(v, _)| v)
            .filter(move |&v| follows(v))
            .map(move |v| StrayInfluence { vertex: v as u32, slot, distance })
            .collect::<Vec<_>>()
    };
    out.iter().flat_map(copies).collect()
}

/// A disconnected part that follows one joint, which its surroundings do not follow.
pub(super) struct Island {
    pub(super) vertices: Vec<u32>,
    slot: u16,
    /// The vertex of the rest of the mesh that is nearest to the center of the part.
    pub(super) neighbor: u32,
    around: u16,
    distance: f32,
}

/// The disconnected parts that follow a distant joint, which their surroundings do not follow.
pub(super) fn islands(bound: &BoundMesh<'_>, graph: &VertexGraph, reach: &JointReach) -> Vec<Island> {
    let points = bound.mesh.points();
    let place = |point: u32| bound.mesh.positions()[points.first_vertex()[point as usize] as usize];
    let parts = graph.parts(|_| true);
    if parts.len() < 2 {
        return Vec::new();
    }
    let mut part_of = vec![0_usize; points.len()];
    for (index, part) in parts.iter().enumerate() {
        part.iter().for_each(|&p| part_of[p as usize] = index);
    }
    let mut out = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        // The body itself is not an island.
        if part.len() * 4 > points.len() {
            continue;
        }
        let first = bound.weights.of(points.first_vertex()[part[0] as usize] as usize).0[0];
        let follows_alone = |&&p: &&u32| {
            let vertex = points.first_vertex()[p as usize] as usize;
            bound.weights.of(vertex).0 == [first]
        };
        if part.iter().filter(follows_alone).count() < part.len() {
            continue;
        }
        let middle = part.iter().map(|&p| place(p)).sum::<Vec3>() / part.len() as f32;
        if !reach.is_far(first, middle) {
            continue;
        }
        let others = (0..points.len() as u32).filter(|&p| part_of[p as usize] != index);
        let near = |&a: &u32, &b: &u32| {
            place(a).distance_squared(middle).total_cmp(&place(b).distance_squared(middle))
        };
        let Some(neighbor) = others.min_by(near).map(|p| points.first_vertex()[p as usize]) else { continue };
        let around = bound.weights.of(neighbor as usize).0;
        if around.contains(&first) {
            continue;
        }
        let is_of_part = |v: &usize| part_of[points.of_vertex()[*v] as usize] == index;
        let vertices = (0..points.of_vertex().len()).filter(is_of_part).map(|v| v as u32).collect();
        let distance = reach.distance(first, middle);
        out.push(Island { vertices, slot: first, neighbor, around: around[0], distance });
    }
    out
}
