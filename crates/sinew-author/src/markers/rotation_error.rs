//! How far solved rotations are from known ones.

use super::MarkerAttachments;
use sinew::{JointId, LocalPose, Skeleton, glam::Quat};

/// Errors of rotations, in degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RotationError {
    /// The root of the mean square angle about one axis, over all three axes.
    pub axis_rms_degrees: f32,
    /// The root of the mean square of the whole angle, about any axis: larger by √3.
    pub rms_degrees: f32,
    /// The largest whole angle.
    pub max_degrees: f32,
    /// The number of joints that were compared.
    pub joints: usize,
}

/// The errors of one joint, frame by frame.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRotationError {
    /// The joint with markers that was compared.
    pub joint: JointId,
    /// The whole angle between both rotations in each frame, in degrees.
    pub degrees: Vec<f32>,
    /// The whole angle by which the known rotation turns until each frame, in degrees; 0 in the first one.
    pub step_degrees: Vec<f32>,
}

/// The angles between `truth` and `solved`, pose by pose, of every joint with markers relative to the nearest joint above it
/// with markers; of the topmost ones, in model space.
///
/// Between two parts with markers may be joints without; markers tell the rotation from part to part, not how those joints
/// divide it.
#[must_use]
pub fn rotation_error(
    skeleton: &Skeleton,
    attachments: &MarkerAttachments,
    truth: &[LocalPose],
    solved: &[LocalPose],
) -> RotationError {
    let joints = joint_rotation_errors(skeleton, attachments, truth, solved);
    let (mut squares, mut max, mut count) = (0.0_f64, 0.0_f32, 0_u32);
    for angle in joints.iter().flat_map(|joint| &joint.degrees) {
        squares += f64::from(*angle) * f64::from(*angle);
        max = max.max(*angle);
        count += 1;
    }
    let mean_square = squares / f64::from(count.max(1));
    RotationError {
        axis_rms_degrees: (mean_square / 3.0).sqrt() as f32,
        rms_degrees: mean_square.sqrt() as f32,
        max_degrees: max,
        joints: joints.len(),
    }
}

/// The angles of [`rotation_error`], joint by joint.
#[must_use]
pub fn joint_rotation_errors(
    skeleton: &Skeleton,
    attachments: &MarkerAttachments,
    truth: &[LocalPose],
    solved: &[LocalPose],
) -> Vec<JointRotationError> {
    let mut joints: Vec<JointId> = attachments.list().iter().map(|one| one.joint).collect();
    joints.sort_unstable();
    joints.dedup();
    joints.retain(|joint| joint.index() < skeleton.len());
    let errors = |&joint: &JointId| {
        let turn = |pose: &LocalPose| since_marked(skeleton, &joints, pose, joint);
        let known: Vec<Quat> = truth.iter().map(turn).collect();
        let angle = |(known, pose): (&Quat, &LocalPose)| known.angle_between(turn(pose)).to_degrees();
        let step = |pair: &[Quat]| pair[0].angle_between(pair[1]).to_degrees();
        let mut step_degrees: Vec<f32> = known.first().map(|_| 0.0).into_iter().collect();
        step_degrees.extend(known.windows(2).map(step));
        JointRotationError { joint, degrees: known.iter().zip(solved).map(angle).collect(), step_degrees }
    };
    joints.iter().map(errors).collect()
}

/// The rotation of a joint relative to the nearest one above it that is in `marked`.
fn since_marked(skeleton: &Skeleton, marked: &[JointId], pose: &LocalPose, joint: JointId) -> Quat {
    let rotation = |j: JointId| pose.joints[j.index()].rotation;
    let above = skeleton.ancestors(joint).skip(1).take_while(|j| !marked.contains(j));
    above.fold(rotation(joint), |turn, j| rotation(j) * turn).normalize()
}
