//! Weights of distant limbs.

use super::{
    Finding, FindingCode,
    bound::{BonesOfSlots, BoundMesh, PointRegion, VertexGraph},
    counted::vertices_do,
    effect::EffectMeter,
};
use crate::weights::TriangleTree;
use sinew::{Influence, WeldedPoints, glam::Vec3};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A smaller weight is not worth a finding.
const MIN_WEIGHT: f32 = 0.004;
/// How much further away than the nearest bone a wrong one is, as a fraction of the mesh's diagonal.
pub(super) const FAR: f32 = 0.12;
/// A stray region holds at most this fraction of all weight of its joint.
const MAX_STRAY_FRACTION: f64 = 0.2;

/// Adds a finding for each joint with stray weights. `in_islands` are vertices that are reported otherwise.
pub(super) fn findings(
    bound: &BoundMesh<'_>,
    in_islands: &HashSet<u32>,
    meter: &EffectMeter<'_>,
    out: &mut Vec<Finding>,
) {
    let Some(graph) = bound.graph() else { return };
    let reach = JointReach::new(bound);
    // In the order in which the joints are found.
    let mut of_slots: Vec<(u16, Vec<u32>, f32)> = Vec::new();
    let mut index_of: HashMap<u16, usize> = HashMap::new();
    for stray in strays(bound, &graph, &reach) {
        if in_islands.contains(&stray.vertex) {
            continue;
        }
        let index = *index_of.entry(stray.slot).or_insert(of_slots.len());
        if index == of_slots.len() {
            of_slots.push((stray.slot, Vec::new(), 0.0));
        }
        of_slots[index].1.push(stray.vertex);
        of_slots[index].2 = of_slots[index].2.max(stray.distance);
    }
    for (slot, far, distance) in of_slots {
        let distance_mm = f64::from(distance * bound.model_scale(slot)) * 1000.0;
        let message = format!(
            "{} {}, although its bone is up to {distance_mm:.0} mm away and others are near",
            vertices_do(far.len(), "follow"),
            bound.joint_name(slot),
        );
        let count = far.len();
        let named: HashSet<u32> = far.iter().copied().collect();
        let effect = meter.of_spikes(bound, &graph, &far, |vertex| {
            without(bound, &graph, vertex, |v, s| s == slot && named.contains(&v))
        });
        let mut place = bound.place(far);
        place.joint = Some(bound.joint(slot));
        out.push(
            Finding::new(FindingCode::StrayWeights, place, message)
                .with("vertices", count as f64)
                .with("distance_mm", distance_mm)
                .with_effect(effect),
        );
    }
}

/// The influences of `vertex` without those that are stray; if none is left, those of its neighbors.
pub(super) fn without(
    bound: &BoundMesh<'_>,
    graph: &VertexGraph,
    vertex: usize,
    is_stray: impl Fn(u32, u16) -> bool,
) -> Vec<Influence> {
    let own = |vertex: usize| -> Vec<Influence> {
        bound.weights.influences(vertex).filter(|i| !is_stray(vertex as u32, i.slot)).collect()
    };
    let left = own(vertex);
    if !left.is_empty() {
        return left;
    }
    let points = bound.mesh.points();
    let ring = graph.ring(points.of_vertex()[vertex] as usize);
    let around: Vec<Influence> =
        ring.iter().flat_map(|&p| own(points.first_vertex()[p as usize] as usize)).collect();
    if around.is_empty() { bound.weights.influences(vertex).collect() } else { around }
}

/// Distances of positions on the mesh from the bones of a skin, in mesh space.
pub(super) struct JointReach<'a> {
    of_slot: &'a BonesOfSlots,
    /// The bones of slots that move a vertex, as triangles without area, and their slots.
    used: TriangleTree,
    slots: Vec<u16>,
    far: f32,
}

impl<'a> JointReach<'a> {
    pub(super) fn new(bound: &'a BoundMesh<'_>) -> Self {
        let of_slot = bound.bones();
        let followed = |vertex: usize| bound.weights.of(vertex).0.iter().copied();
        let used: BTreeSet<u16> = (0..bound.weights.vertex_count()).flat_map(followed).collect();
        let (mut slots, mut segments) = (Vec::new(), Vec::new());
        for slot in used {
            for ends in &of_slot[usize::from(slot)] {
                slots.push(slot);
                segments.push(ends.map(Vec3::as_dvec3));
            }
        }
        Self { of_slot, used: TriangleTree::of_segments(&segments), slots, far: FAR * bound.diagonal() }
    }

    /// The distance of `place` from the nearest bone of `slot`.
    pub(super) fn distance(&self, slot: u16, place: Vec3) -> f32 {
        let bones = &self.of_slot[usize::from(slot)];
        bones.iter().map(|[head, tail]| segment_distance(place, *head, *tail)).fold(f32::INFINITY, f32::min)
    }

    /// True if `slot` is much further from `place` than the nearest bone that moves any vertex.
    fn is_far(&self, slot: u16, place: Vec3) -> bool {
        let limit = self.distance(slot, place) - self.far;
        let is_other = |bone: u32| self.slots[bone as usize] != slot;
        let near = self.used.nearest(place.as_dvec3(), f64::from(limit), is_other);
        limit.is_finite() && near.is_some_and(|near| near.distance < f64::from(limit))
    }
}

pub(super) fn segment_distance(place: Vec3, head: Vec3, tail: Vec3) -> f32 {
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
pub(super) fn strays(
    bound: &BoundMesh<'_>,
    graph: &VertexGraph,
    reach: &JointReach<'_>,
) -> Vec<StrayInfluence> {
    let points = bound.mesh.points();
    let first = points.first_vertex();
    let mut region = PointRegion::new(first.len());
    let mut out = Vec::new();
    for of_slot in points_by_slot(bound).chunk_by(|a, b| a.slot == b.slot) {
        let slot = of_slot[0].slot;
        let weights: HashMap<u32, f64> = of_slot.iter().map(|p| (p.point, p.weight)).collect();
        let members: Vec<u32> = of_slot.iter().map(|p| p.point).collect();
        let parts = region.parts(graph, &members);
        let masses: Vec<f64> = parts.iter().map(|part| part.iter().map(|p| weights[p]).sum()).collect();
        let total: f64 = masses.iter().sum();
        let heaviest = masses.iter().copied().fold(0.0, f64::max);
        for (part, &mass) in parts.iter().zip(&masses) {
            if mass >= heaviest || mass > MAX_STRAY_FRACTION * total {
                continue;
            }
            for &point in part {
                let place = bound.mesh.positions()[first[point as usize] as usize];
                if reach.is_far(slot, place) {
                    out.push((point, slot, reach.distance(slot, place)));
                }
            }
        }
    }
    let copies = VertexCopies::of(points);
    let follows = |v: u32, slot: u16| bound.weights.weight_of(v as usize, slot) >= MIN_WEIGHT;
    let of = |&(point, slot, distance): &(u32, u16, f32)| {
        let copies = copies.at(point).iter().filter(move |&&v| follows(v, slot));
        copies.map(move |&vertex| StrayInfluence { vertex, slot, distance })
    };
    out.iter().flat_map(of).collect()
}

/// The weight of a joint at a point, summed over the copies of the point.
struct PointWeight {
    slot: u16,
    point: u32,
    weight: f64,
}

/// Every influence that is worth a finding, by slot and then by point.
fn points_by_slot(bound: &BoundMesh<'_>) -> Vec<PointWeight> {
    let of_vertex = bound.mesh.points().of_vertex().iter().enumerate();
    let of = |(vertex, &point): (usize, &u32)| {
        let influences = bound.weights.influences(vertex).filter(|i| i.weight >= MIN_WEIGHT);
        influences.map(move |i| PointWeight { slot: i.slot, point, weight: f64::from(i.weight) })
    };
    let mut all: Vec<PointWeight> = of_vertex.flat_map(of).collect();
    all.sort_by_key(|p| (p.slot, p.point));
    all.dedup_by(|next, kept| {
        let same = (next.slot, next.point) == (kept.slot, kept.point);
        kept.weight += if same { next.weight } else { 0.0 };
        same
    });
    all
}

/// The vertices of each point.
pub(super) struct VertexCopies {
    first: Vec<u32>,
    vertices: Vec<u32>,
}

impl VertexCopies {
    pub(super) fn of(points: &WeldedPoints) -> Self {
        let mut vertices: Vec<u32> = (0..points.of_vertex().len() as u32).collect();
        vertices.sort_by_key(|&v| points.of_vertex()[v as usize]);
        let mut first = vec![0; points.len() + 1];
        points.of_vertex().iter().for_each(|&p| first[p as usize + 1] += 1);
        (0..points.len()).for_each(|p| first[p + 1] += first[p]);
        Self { first, vertices }
    }

    pub(super) fn at(&self, point: u32) -> &[u32] {
        &self.vertices[self.first[point as usize] as usize..self.first[point as usize + 1] as usize]
    }
}
