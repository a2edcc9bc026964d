//! Loose parts that do not follow their surroundings, within a mesh or as a mesh of their own.

use super::{
    Finding, FindingCode,
    bound::{BoundMesh, joint_name},
    counted::vertices,
    effect::EffectMeter,
    influences::used_slots_of_skins,
    placement::{FAR, VertexCopies, segment_distance},
};
use crate::weights::TriangleTree;
use sinew::{
    Character, Frame, Influence, JointId, Method,
    glam::{DVec3, Vec3},
};
use std::collections::{BTreeMap, HashSet};

/// A part lies on what is at most this far away, as a fraction of the diagonal of all meshes. Others hover.
const NEAR: f32 = 0.06;

/// Adds a finding for each loose part, and returns its vertices for each of `bounds`.
pub(super) fn findings(
    character: &Character,
    bounds: &[BoundMesh<'_>],
    meter: &EffectMeter<'_>,
    out: &mut Vec<Finding>,
) -> Vec<HashSet<u32>> {
    let mut found = vec![HashSet::new(); bounds.len()];
    for island in islands(character, bounds) {
        let bound = &bounds[island.bound];
        found[island.bound].extend(island.vertices.iter().copied());
        let count = island.vertices.len();
        let distance_mm = f64::from(island.distance) * 1000.0;
        let message = format!(
            "a part of {} follows only {}, which is {distance_mm:.0} mm away; its surroundings follow {}",
            vertices(count),
            joint_name(character.skeleton(), island.joint),
            joint_name(character.skeleton(), island.around[0].0),
        );
        let around = island.influences(bound);
        let effect = meter.of_influences(bound, &island.vertices, |_| around.clone());
        let mut place = bound.place(island.vertices);
        place.joint = Some(island.joint);
        out.push(
            Finding::new(FindingCode::LooseIsland, place, message)
                .with("vertices", count as f64)
                .with("distance_mm", distance_mm)
                .with_effect(effect),
        );
    }
    found
}

/// A disconnected part that follows one joint, which its surroundings do not follow.
pub(super) struct Island {
    /// The index of the mesh and skin among those that were examined.
    pub(super) bound: usize,
    pub(super) vertices: Vec<u32>,
    joint: JointId,
    /// The joints and weights of the nearest vertex of the rest of the body.
    around: Vec<(JointId, f32)>,
    distance: f32,
}

impl Island {
    /// The weights of the surroundings, as far as the skin of the part has their joints.
    pub(super) fn influences(&self, bound: &BoundMesh<'_>) -> Vec<Influence> {
        let of =
            |&(joint, weight): &(JointId, f32)| Some(Influence { slot: bound.skin.slot_of(joint)?, weight });
        self.around.iter().filter_map(of).collect()
    }
}

/// All meshes at rest, in model space.
struct Surroundings<'a> {
    bounds: &'a [BoundMesh<'a>],
    /// Where the points of each of `bounds` are.
    places: Vec<Vec<Vec3>>,
    /// The point of each mesh at each entry of the tree.
    owners: Vec<(u32, u32)>,
    points: TriangleTree,
    /// The bones of joints that move a vertex.
    segments: BTreeMap<JointId, Vec<[Vec3; 2]>>,
    bones: TriangleTree,
    bone_joints: Vec<JointId>,
    diagonal: f32,
}

impl<'a> Surroundings<'a> {
    fn new(character: &Character, bounds: &'a [BoundMesh<'a>]) -> Option<Self> {
        let mut frame = Frame::new(character);
        frame.deform(Method::Linear).ok()?;
        let place = |bound: &BoundMesh<'_>| -> Vec<Vec3> {
            let positions = &frame.deformed()[bound.instance].positions;
            bound.mesh.points().first_vertex().iter().map(|&v| positions[v as usize]).collect()
        };
        let places: Vec<Vec<Vec3>> = bounds.iter().map(place).collect();
        let owners = places
            .iter()
            .enumerate()
            .flat_map(|(bound, places)| (0..places.len() as u32).map(move |point| (bound as u32, point)));
        let all: Vec<DVec3> = places.iter().flatten().map(|p| p.as_dvec3()).collect();
        let segments = segments(character, bounds);
        let of_joint = |(&joint, of): (&JointId, &Vec<[Vec3; 2]>)| vec![joint; of.len()];
        let ends: Vec<[DVec3; 2]> =
            segments.values().flatten().map(|ends| ends.map(Vec3::as_dvec3)).collect();
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = all.iter().fold(start, |(l, h), p| (l.min(*p), h.max(*p)));
        Some(Self {
            bounds,
            owners: owners.collect(),
            points: TriangleTree::of_points(&all),
            bones: TriangleTree::of_segments(&ends),
            bone_joints: segments.iter().flat_map(of_joint).collect(),
            segments,
            diagonal: (high - low).length() as f32,
            places,
        })
    }

    /// The distance of `place` from the bones of `joint`.
    fn distance(&self, joint: JointId, place: Vec3) -> f32 {
        let of = self.segments.get(&joint).into_iter().flatten();
        of.map(|[head, tail]| segment_distance(place, *head, *tail)).fold(f32::INFINITY, f32::min)
    }

    /// True if `joint` is much further from `place` than the nearest bone of another joint.
    fn is_far(&self, joint: JointId, place: Vec3) -> bool {
        let limit = f64::from(self.distance(joint, place) - FAR * self.diagonal);
        let is_other = |bone: u32| self.bone_joints[bone as usize] != joint;
        let near = self.bones.nearest(place.as_dvec3(), limit, is_other);
        limit.is_finite() && near.is_some_and(|near| near.distance < limit)
    }

    /// The joints and weights of a point.
    fn weights(&self, bound: usize, point: u32) -> Vec<(JointId, f32)> {
        let bound = &self.bounds[bound];
        let vertex = bound.mesh.points().first_vertex()[point as usize] as usize;
        bound.weights.influences(vertex).map(|i| (bound.joint(i.slot), i.weight)).collect()
    }

    /// The part as an island, if it is one. `part_of` is the part of each point of its mesh.
    fn island(&self, bound: usize, part: &[u32], part_of: &[u32]) -> Option<Island> {
        let own = part_of[part[0] as usize];
        let &[(joint, _)] = &self.weights(bound, part[0])[..] else { return None };
        let follows_alone = |&p: &u32| matches!(&self.weights(bound, p)[..], [(only, _)] if *only == joint);
        if !part.iter().all(follows_alone) {
            return None;
        }
        let places = &self.places[bound];
        let middle = part.iter().map(|&p| places[p as usize]).sum::<Vec3>() / part.len() as f32;
        if !self.is_far(joint, middle) {
            return None;
        }
        let is_other = |at: u32| {
            let (of, point) = self.owners[at as usize];
            of as usize != bound || part_of[point as usize] != own
        };
        let near = self.points.nearest(middle.as_dvec3(), f64::INFINITY, is_other)?;
        let (other, point) = self.owners[near.triangle as usize];
        // The gap, not the distance of the middle: a part may be large.
        let there = self.places[other as usize][point as usize];
        let gap = part.iter().map(|&p| places[p as usize].distance(there)).fold(f32::INFINITY, f32::min);
        let around = self.weights(other as usize, point);
        if gap > NEAR * self.diagonal || around.iter().any(|(near, _)| *near == joint) {
            return None;
        }
        let copies = VertexCopies::of(self.bounds[bound].mesh.points());
        let mut vertices: Vec<u32> = part.iter().flat_map(|&p| copies.at(p)).copied().collect();
        vertices.sort_unstable();
        Some(Island { bound, vertices, joint, around, distance: self.distance(joint, middle) })
    }
}

/// The bones of joints that move a vertex, at rest, in model space.
fn segments(character: &Character, bounds: &[BoundMesh<'_>]) -> BTreeMap<JointId, Vec<[Vec3; 2]>> {
    let used = used_slots_of_skins(character);
    let mut out: BTreeMap<JointId, Vec<[Vec3; 2]>> = BTreeMap::new();
    let mut is_known = vec![false; used.len()];
    for bound in bounds {
        if std::mem::replace(&mut is_known[bound.skin_index], true) {
            continue;
        }
        for (slot, bones) in
            bound.bones().iter().enumerate().filter(|(slot, _)| used[bound.skin_index][*slot])
        {
            let matrix = bound.model_from_mesh(slot as u16);
            let bones = bones.iter().map(|ends| ends.map(|end| matrix.transform_point3(end)));
            out.entry(bound.joint(slot as u16)).or_insert_with(|| bones.collect());
        }
    }
    out
}

/// The disconnected parts that follow a distant joint, which their surroundings do not follow.
pub(super) fn islands(character: &Character, bounds: &[BoundMesh<'_>]) -> Vec<Island> {
    let parts: Vec<Vec<Vec<u32>>> =
        bounds.iter().map(|b| b.graph().map_or_else(Vec::new, |graph| graph.parts())).collect();
    if parts.iter().map(Vec::len).sum::<usize>() < 2 {
        return Vec::new();
    }
    let total: usize = parts.iter().flatten().map(Vec::len).sum();
    let Some(around) = Surroundings::new(character, bounds) else { return Vec::new() };
    let mut out = Vec::new();
    for (bound, parts) in parts.iter().enumerate() {
        let mut part_of = vec![u32::MAX; bounds[bound].mesh.points().len()];
        for (index, part) in parts.iter().enumerate() {
            part.iter().for_each(|&p| part_of[p as usize] = index as u32);
        }
        // The body itself is not an island.
        let small = parts.iter().filter(|part| part.len() * 4 <= total && !part.is_empty());
        out.extend(small.filter_map(|part| around.island(bound, part, &part_of)));
    }
    out
}
