//! Collapsed vertices that go around a bone.

use crate::check::bound::{BoundMesh, PointRegion, VertexGraph};
use sinew::glam::Vec3;
use std::collections::BTreeMap;

/// A ring has at least this many points.
const MIN_POINTS: usize = 4;
/// The largest gap between neighboring points of a ring, seen along the bone.
const MAX_GAP_RADIANS: f32 = 2.3;

/// Finds the collapsed regions of one mesh that go around a bone: a candy-wrapper collapses the skin on all sides, however small
/// a part of the character that is.
pub(super) struct CollapsedRings {
    /// `None` for a mesh without usable triangles.
    graph: Option<(VertexGraph, PointRegion)>,
}

impl CollapsedRings {
    pub(super) fn new(bound: &BoundMesh<'_>) -> Self {
        let points = bound.mesh.points().len();
        Self { graph: bound.graph().map(|graph| (graph, PointRegion::new(points))) }
    }

    /// Those of `vertices` that are in connected regions around a bone.
    pub(super) fn around_bones(&mut self, bound: &BoundMesh<'_>, vertices: &[u32]) -> Vec<u32> {
        let Some((graph, region)) = &mut self.graph else { return Vec::new() };
        let of_vertex = bound.mesh.points().of_vertex();
        let mut points: Vec<u32> = vertices.iter().map(|&v| of_vertex[v as usize]).collect();
        points.sort_unstable();
        points.dedup();
        let parts = region.parts(graph, &points);
        let mut kept: Vec<u32> = parts.into_iter().filter(|part| is_ring(bound, part)).flatten().collect();
        kept.sort_unstable();
        let is_kept = |v: &&u32| kept.binary_search(&of_vertex[**v as usize]).is_ok();
        vertices.iter().filter(is_kept).copied().collect()
    }
}

/// True if the points go around the bone that is nearest to them.
fn is_ring(bound: &BoundMesh<'_>, part: &[u32]) -> bool {
    if part.len() < MIN_POINTS {
        return false;
    }
    let first = bound.mesh.points().first_vertex();
    let place = |p: &u32| bound.mesh.positions()[first[*p as usize] as usize];
    let Some([head, tail]) = main_bone(bound, part) else { return false };
    let Some(axis) = (tail - head).try_normalize() else { return false };
    let (right, up) = axis.any_orthonormal_pair();
    let angle = |place: Vec3| (place - head).dot(up).atan2((place - head).dot(right));
    let mut angles: Vec<f32> = part.iter().map(|p| angle(place(p))).collect();
    angles.sort_by(f32::total_cmp);
    let turn = std::f32::consts::TAU;
    let wrapped = angles[0] + turn - angles[angles.len() - 1];
    angles.windows(2).map(|pair| pair[1] - pair[0]).fold(wrapped, f32::max) <= MAX_GAP_RADIANS
}

/// The bone of the joint that the points follow most, the longest if it has several.
fn main_bone(bound: &BoundMesh<'_>, part: &[u32]) -> Option<[Vec3; 2]> {
    let first = bound.mesh.points().first_vertex();
    let mut weights: BTreeMap<u16, f32> = BTreeMap::new();
    for influence in part.iter().flat_map(|&p| bound.weights.influences(first[p as usize] as usize)) {
        *weights.entry(influence.slot).or_default() += influence.weight;
    }
    let slot = *weights.iter().max_by(|a, b| a.1.total_cmp(b.1))?.0;
    let length = |ends: &&[Vec3; 2]| ends[0].distance(ends[1]);
    bound.bones()[usize::from(slot)].iter().max_by(|a, b| length(a).total_cmp(&length(b))).copied()
}
