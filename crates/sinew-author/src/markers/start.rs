//! A first pose for a frame, from the root down, that needs no pose before it.

use super::{body::MarkerBody, frame_solver::FrameSolver};
use crate::eigen::RotationFit;
use sinew::{
    LocalPose, Transform,
    glam::{DQuat, DVec3, Vec3},
};

/// How much markers further down count for a joint that has markers of its own.
const BELOW_WEIGHT: f64 = 0.02;
/// Keeps a joint without markers at rest, in square meters.
const STAY: f64 = 1e-5;

/// The rest pose, moved and turned joint by joint towards the markers.
pub(super) fn start_pose(
    body: &MarkerBody<'_>,
    solver: &mut FrameSolver<'_>,
    positions: &[Option<Vec3>],
) -> LocalPose {
    let mut pose = rest_at(body, solver, positions);
    place_root(body, solver, positions, &mut pose, BELOW_WEIGHT);
    for index in 1..body.joints.len() {
        if body.joints[index].is_driven {
            continue;
        }
        solver.look_at(&pose);
        let origin = Vec3::from(solver.model().joint(body.joints[index].joint).translation).as_dvec3();
        let mut fit = RotationFit::near_identity(STAY);
        for pair in pairs(body, solver, positions, index, BELOW_WEIGHT) {
            fit.add(pair.from - origin, pair.to - origin, pair.weight);
        }
        turn(body, solver, &mut pose, index, fit.rotation());
    }
    pose
}

/// The rest pose, moved and turned as a whole towards the markers.
pub(super) fn rest_at(
    body: &MarkerBody<'_>,
    solver: &mut FrameSolver<'_>,
    positions: &[Option<Vec3>],
) -> LocalPose {
    let mut pose = body.character.rest_pose();
    place_root(body, solver, positions, &mut pose, 1.0);
    pose
}

/// Where a marker is and where it should be, in model space.
struct MarkerPair {
    from: DVec3,
    to: DVec3,
    weight: f64,
}

/// The markers on a joint and below it that are seen; those below count less if the joint has some of its own.
fn pairs<'p>(
    body: &'p MarkerBody<'_>,
    solver: &'p FrameSolver<'_>,
    positions: &'p [Option<Vec3>],
    index: usize,
    below_weight: f64,
) -> impl Iterator<Item = MarkerPair> + Clone + 'p {
    let is_own = move |k: usize| body.markers[k].joint == index;
    let seen = move |k: usize| positions[body.markers[k].column];
    let has_own = (0..body.markers.len()).any(|k| is_own(k) && seen(k).is_some());
    let below = if has_own { below_weight } else { 1.0 };
    (0..body.markers.len()).filter(move |&k| body.is_within(body.markers[k].joint, index)).filter_map(
        move |k| {
            let weight = if is_own(k) { 1.0 } else { below };
            Some(MarkerPair { from: solver.marker_position(k).as_dvec3(), to: seen(k)?.as_dvec3(), weight })
        },
    )
}

/// Moves and turns the root so that its markers are nearest to where they should be.
fn place_root(
    body: &MarkerBody<'_>,
    solver: &mut FrameSolver<'_>,
    positions: &[Option<Vec3>],
    pose: &mut LocalPose,
    below_weight: f64,
) {
    solver.look_at(pose);
    let pairs = pairs(body, solver, positions, 0, below_weight);
    let total: f64 = pairs.clone().map(|p| p.weight).sum();
    if total <= 0.0 {
        return;
    }
    let from = pairs.clone().map(|p| p.from * p.weight).sum::<DVec3>() / total;
    let to = pairs.clone().map(|p| p.to * p.weight).sum::<DVec3>() / total;
    let mut fit = RotationFit::near_identity(STAY);
    pairs.for_each(|p| fit.add(p.from - from, p.to - to, p.weight));
    let rotation = fit.rotation();
    let root = body.root();
    let origin = Vec3::from(solver.model().joint(root).translation).as_dvec3();
    let place = to + rotation * (origin - from);
    let above = body.skeleton().parent(root).map(|parent| solver.model().joint(parent));
    let inverse = above.and_then(|above| sinew::transform::inverse_affine(&above)).unwrap_or_default();
    turn(body, solver, pose, 0, rotation);
    pose.joints[root.index()].translation = inverse.transform_point3(place.as_vec3());
}

/// Turns a joint by a rotation in model space.
fn turn(
    body: &MarkerBody<'_>,
    solver: &FrameSolver<'_>,
    pose: &mut LocalPose,
    index: usize,
    rotation: DQuat,
) {
    let joint = body.joints[index].joint;
    let above = body.skeleton().parent(joint).map(|parent| solver.model().joint(parent));
    let parent = above.map_or(DQuat::IDENTITY, |above| Transform::from(above).rotation.as_dquat());
    let local = &mut pose.joints[joint.index()];
    let turned = parent.conjugate() * rotation * parent * local.rotation.as_dquat();
    local.rotation = turned.normalize().as_quat();
}
