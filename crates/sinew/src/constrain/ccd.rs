//! CCD: cyclic coordinate descent (Wang and Chen 1991, "A Combined Optimization Method for Solving the Inverse
//! Kinematics Problem of Mechanical Manipulators").

use super::{
    chain::{Chain, ChainGoal, ChainScratch},
    ik_report::IkReport,
    rotation::into_joint,
};
use crate::{
    pose::{LocalPose, ModelPose},
    transform::Transform,
};
use glam::Vec3;

/// Solves `chain` by cyclic coordinate descent: each joint, from the effector up, points the effector at the target. Joints
/// near the effector bend most.
#[doc(alias = "inverse kinematics")]
///
/// Rotations are computed in the parent space of each joint, so any scale in the chain is handled. For a target out of reach the
/// chain is stretched towards it. Of `model` only the parent of the chain is read.
///
/// # Panics
/// If the poses have fewer joints than the skeleton.
pub fn ccd(
    chain: &Chain,
    goal: &ChainGoal,
    model: &ModelPose,
    scratch: &mut ChainScratch,
    pose: &mut LocalPose,
) -> IkReport {
    chain.solve(goal, model, scratch, pose, pass)
}

fn pass(chain: &Chain, target: Vec3, scratch: &mut ChainScratch, joints: &mut [Transform]) {
    // The target in the parent space of each joint. Joints rotate from the effector up, so those above do not move.
    let mut seen = target;
    for (point, j) in scratch.points.iter_mut().zip(chain.turning()) {
        *point = seen;
        seen = into_joint(&joints[j.index()], seen);
    }
    let effector = chain.joints()[chain.turning().len()];
    let mut tip = joints[effector.index()].translation;
    for at in (0..chain.turning().len()).rev() {
        let here = chain.joints()[at].index();
        chain.turn(at, joints[here].transform_point(tip), scratch.points[at], joints);
        tip = joints[here].transform_point(tip);
    }
}
