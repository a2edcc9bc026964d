//! FABRIK: forward and backward reaching inverse kinematics (Aristidou and Lasenby 2011, "FABRIK: A Fast, Iterative
//! Solver for the Inverse Kinematics Problem").

use super::{
    chain::{Chain, ChainGoal, ChainScratch},
    ik_report::IkReport,
    rotation::into_joint,
    unit,
};
use crate::{
    pose::{LocalPose, ModelPose},
    transform::Transform,
};
use glam::Vec3;

/// Solves `chain` by FABRIK: bones are placed backwards from the target, then forwards from the root. Bends spread evenly,
/// and few passes are needed.
#[doc(alias = "inverse kinematics")]
///
/// For a target out of reach the chain is stretched towards it. The forward half of each pass rotates the joints themselves, so
/// limits hold in every pass. Of `model` only the parent of the chain is read.
///
/// # Panics
/// If the poses have fewer joints than the skeleton.
pub fn fabrik(
    chain: &Chain,
    goal: &ChainGoal,
    model: &ModelPose,
    scratch: &mut ChainScratch,
    pose: &mut LocalPose,
) -> IkReport {
    chain.solve(goal, model, scratch, pose, pass)
}

fn pass(chain: &Chain, target: Vec3, scratch: &mut ChainScratch, joints: &mut [Transform]) {
    let length = chain.measure(joints, scratch);
    let ChainScratch { points, lengths, .. } = scratch;
    let last = points.len() - 1;
    let way = target - points[0];
    if way.length() >= length {
        // Out of reach: every bone points at the target.
        let along = unit(way).unwrap_or(Vec3::Y);
        for at in 1..points.len() {
            points[at] = points[at - 1] + along * lengths[at - 1];
        }
    } else {
        points[last] = target;
        for at in (1..last).rev() {
            let back = unit(points[at] - points[at + 1]).unwrap_or(Vec3::Y);
            points[at] = points[at + 1] + back * lengths[at];
        }
    }
    forward(chain, points, joints);
}

/// Rotates one joint after the other towards its next point, and transforms the points into the space of each joint.
fn forward(chain: &Chain, points: &mut [Vec3], joints: &mut [Transform]) {
    for at in 0..chain.turning().len() {
        let below = joints[chain.joints()[at + 1].index()].translation;
        let here = chain.joints()[at].index();
        chain.turn(at, joints[here].transform_point(below), points[at + 1], joints);
        for point in &mut points[at + 1..] {
            *point = into_joint(&joints[here], *point);
        }
    }
}
