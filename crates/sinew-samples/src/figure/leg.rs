//! Two-bone IK of the legs: thigh and shin by the law of cosines, then foot and toe.

use super::pose::{FigurePose, FigureSide};
use super::skeleton::{FOOT, FigureBones, HIPS, SHIN, THIGH, TOE};
use glam::{Mat3, Quat, Vec3};

/// The IK goal of a foot.
#[derive(Clone, Copy, Debug)]
pub(super) struct FootGoal {
    /// The position of the ankle in model space, in meters.
    pub(super) ankle: Vec3,
    /// The rotation of the foot relative to rest, in model space.
    pub(super) foot: Quat,
    /// The rotation of the toe relative to rest, in model space.
    pub(super) toe: Quat,
    /// The direction in which the knee points, in model space.
    pub(super) knee_to: Vec3,
}

/// Poses one leg so that its foot reaches `goal`; hips and root must be posed already.
///
/// If the goal is out of reach, the leg is almost straight.
pub(super) fn reach(pose: &mut FigurePose, bones: &FigureBones, side: FigureSide, goal: &FootGoal) {
    let [thigh, shin, foot, toe] = [THIGH, SHIN, FOOT, TOE].map(|j| side.joint(j));
    let (pelvis_turn, _) = pose.in_model(bones, HIPS);
    let (_, hip) = pose.in_model(bones, thigh);
    let upper = bones.position(shin) - bones.position(thigh);
    let lower = bones.position(foot) - bones.position(shin);
    let (a, b) = (upper.length(), lower.length());
    let to_goal = goal.ankle - hip;
    let straight = to_goal.normalize_or(Vec3::NEG_Y);
    let distance = to_goal.length().clamp(0.2, (a + b) * 0.9995);
    let cos_hip = ((a * a + distance * distance - b * b) / (2.0 * a * distance)).clamp(-1.0, 1.0);
    let forward = (goal.knee_to - straight * straight.dot(goal.knee_to)).normalize_or(Vec3::Z);
    let knee = straight * (a * cos_hip) + forward * (a * (1.0 - cos_hip * cos_hip).sqrt());
    let ankle = straight * distance;
    let hinge = forward.cross(straight).normalize();
    let rest_hinge = (Vec3::Z - upper * (upper.z / upper.length_squared())).cross(upper).normalize();
    let thigh_turn = turn_between(upper, rest_hinge, knee, hinge);
    let shin_turn = turn_between(lower, rest_hinge, ankle - knee, hinge);
    pose.set(thigh, pelvis_turn.inverse() * thigh_turn);
    pose.set(shin, thigh_turn.inverse() * shin_turn);
    pose.set(foot, shin_turn.inverse() * goal.foot);
    pose.set(toe, goal.foot.inverse() * goal.toe);
}

/// The rotation from direction `a` with hinge axis `a_hinge` to `b` with `b_hinge`.
fn turn_between(a: Vec3, a_hinge: Vec3, b: Vec3, b_hinge: Vec3) -> Quat {
    let frame = |y: Vec3, x: Vec3| {
        let y = y.normalize();
        let x = (x - y * y.dot(x)).normalize();
        Mat3::from_cols(x, y, x.cross(y))
    };
    Quat::from_mat3(&(frame(b, b_hinge) * frame(a, a_hinge).transpose())).normalize()
}
