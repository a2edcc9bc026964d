//! Gates that are fitted to what they do: every joint is bent in all directions by both methods, and its gate opens where contact
//! skinning has fewer self-intersections.

use super::{bones::LimbBones, points::LimbPoint, trial::PatchTrial};
use crate::{AuthorError, self_intersection::crossing_edges, topology::WeldedTopology};
use rayon::prelude::*;
use sinew::{ContactParts, ContactVertex, glam::DVec3};
use std::{cmp::Ordering, f64::consts::TAU};

/// A bend of the joint at the head of a bone.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrialBend {
    /// The slot of the joint.
    pub(super) slot: usize,
    /// The unit axis through the joint, in mesh space.
    pub(super) axis: DVec3,
    pub(super) radians: f64,
}

/// The part of a mesh around a joint.
pub(super) struct LimbPatch {
    /// The points, as indices of the whole mesh.
    pub(super) points: Vec<usize>,
    /// Edges that contact skinning may move, against all triangles; and the other edges, against triangles that it may move.
    /// Whatever else passes through itself does so by both methods.
    meetings: [Meeting; 2],
}

/// Edges and the triangles that they may pass through.
struct Meeting {
    triangles: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    /// Which edges pass through the triangles at rest.
    at_rest: Vec<bool>,
}

/// The weight of edges by which a bend is worse than without the correction.
const WORSE: usize = 4;
/// The directions in which a joint is bent.
const DIRECTIONS: u8 = 8;
/// The angles between two bones to which a joint is bent, in degrees.
const BENDS_DEGREES: [f64; 3] = [75.0, 105.0, 135.0];

/// For the joint at the head of each bone, 1 if contact skinning makes fewer new self-intersections than dual quaternion
/// skinning over all bends, 0 if it makes more, and `guess` where it makes no difference. `trial` has every gate open.
///
/// # Errors
/// If the weights of a part of the mesh cannot be copied, which would be a bug.
pub(super) fn fitted_gates(
    topology: &WeldedTopology<'_>,
    bones: &LimbBones,
    points: &[LimbPoint],
    guess: &[f64],
    trial: &ContactParts,
) -> Result<Vec<f64>, AuthorError> {
    let fitted = |slot: usize| {
        let Some(before) = bones.list[slot].before else { return Ok(0.0) };
        let patch = LimbPatch::new(topology, bones, points, &trial.vertices, [usize::from(before), slot]);
        if patch.meetings[0].edges.is_empty() {
            return Ok(guess[slot]);
        }
        let trial = PatchTrial::new(topology, bones, &patch.points, trial)?;
        let (mut cost, mut cost_without) = (0, 0);
        for bend in bends(bones, slot, before) {
            let with = patch.new_edges(&trial.contact(bend)?);
            let without = patch.new_edges(&trial.dual_quat(bend)?);
            // A bend that gets worse counts more than one that gets better.
            cost += with + WORSE * with.saturating_sub(without);
            cost_without += without;
        }
        Ok(match cost.cmp(&cost_without) {
            Ordering::Less => 1.0,
            Ordering::Equal => guess[slot],
            Ordering::Greater => 0.0,
        })
    };
    (0..bones.list.len()).into_par_iter().map(fitted).collect()
}

fn bends(bones: &LimbBones, slot: usize, before: u16) -> Vec<TrialBend> {
    let (own, next) = (bones.list[usize::from(before)].axis(), bones.list[slot].axis());
    let Some(middle) = (own + next).try_normalize() else { return Vec::new() };
    let (x, y) = middle.any_orthonormal_pair();
    let rest = own.cross(next);
    let mut out = Vec::new();
    for direction in 0..DIRECTIONS {
        let (sine, cosine) = (TAU * f64::from(direction) / f64::from(DIRECTIONS)).sin_cos();
        let axis = x * cosine + y * sine;
        // How far the joint is bent about this axis at rest.
        let bent = rest.dot(axis).clamp(-1.0, 1.0).asin();
        let angles = BENDS_DEGREES.map(|degrees| degrees.to_radians() - bent);
        out.extend(angles.map(|radians| TrialBend { slot, axis, radians }));
    }
    out
}

impl LimbPatch {
    /// The points on the two bones of `pair`, which meet in a joint, and all that are as near to the joint as these bones
    /// and their skin reach: a limb may be bent into its neighbors.
    fn new(
        topology: &WeldedTopology<'_>,
        bones: &LimbBones,
        points: &[LimbPoint],
        trial: &[ContactVertex],
        pair: [usize; 2],
    ) -> Self {
        let joint = bones.list[pair[1]].head;
        let is_on = |p: usize| pair.contains(&usize::from(points[p].bone));
        let on_bones = points.iter().filter(|p| pair.contains(&usize::from(p.bone)));
        let thickness = on_bones.map(|p| p.distance).fold(0.0, f64::max);
        let reach = bones.list[pair[0]].length() + bones.list[pair[1]].length() + thickness;
        let is_near = |p: &usize| is_on(*p) || points[*p].position.distance(joint) < reach;
        let kept: Vec<usize> = (0..topology.len()).filter(is_near).collect();
        let mut local = vec![u32::MAX; topology.len()];
        for (nth, &point) in kept.iter().enumerate() {
            local[point] = nth as u32;
        }
        let corners = topology.triangles.iter().map(|t| t.map(|p| local[p as usize]));
        let triangles: Vec<[u32; 3]> = corners.filter(|t| t.iter().all(|p| *p != u32::MAX)).collect();
        let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        let can_move = |p: &u32| {
            let point = kept[*p as usize];
            is_on(point) && trial[point].mask > 0
        };
        let (moving, others) = edges.into_iter().partition(|edge: &[u32; 2]| edge.iter().any(can_move));
        let can_change = |t: &&[u32; 3]| t.iter().any(can_move);
        let changing = triangles.iter().filter(can_change).copied().collect();
        let places: Vec<DVec3> = kept.iter().map(|&p| topology.positions[p]).collect();
        let meetings = [(triangles, moving), (changing, others)]
            .map(|(triangles, edges)| Meeting::at_rest(triangles, edges, &places));
        Self { points: kept, meetings }
    }

    /// The number of edges that pass through the patch at `places` but not at rest.
    fn new_edges(&self, places: &[DVec3]) -> usize {
        self.meetings.iter().map(|meeting| meeting.new_edges(places)).sum()
    }
}

impl Meeting {
    fn at_rest(triangles: Vec<[u32; 3]>, edges: Vec<[u32; 2]>, places: &[DVec3]) -> Self {
        let at_rest = crossing_edges(places, &triangles, &edges);
        Self { triangles, edges, at_rest }
    }

    fn new_edges(&self, places: &[DVec3]) -> usize {
        let now = crossing_edges(places, &self.triangles, &self.edges);
        now.iter().zip(&self.at_rest).filter(|(now, before)| **now && !**before).count()
    }
}
