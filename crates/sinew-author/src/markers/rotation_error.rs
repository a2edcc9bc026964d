//! How far solved rotations are from known ones.

use super::MarkerAttachments;
use sinew::{JointId, LocalPose, Skeleton, glam::Quat};

/// Errors of rotations, in degrees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RotationError {
    /// The root of the mean square angle about one axis, over all three axes: the error of a joint angle.
    pub axis_rms_degrees: f32,
    /// The root of the mean square of the whole angle, about any axis: larger by √3.
    pub rms_degrees: f32,
    /// The largest whole angle.
    pub max_degrees: f32,
    /// The number of joints that were compared.
    pub joints: usize,
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
    let mut joints: Vec<JointId> = attachments.list().iter().map(|one| one.joint).collect();
    joints.sort_unstable();
    joints.dedup();
    joints.retain(|joint| joint.index() < skeleton.len());
    let (mut squares, mut max, mut count) = (0.0_f64, 0.0_f32, 0_u32);
    for (truth, solved) in truth.iter().zip(solved) {
        for &joint in &joints {
            let turn = |pose| since_marked(skeleton, &joints, pose, joint);
            let angle = turn(truth).angle_between(turn(solved)).to_degrees();
            squares += f64::from(angle) * f64::from(angle);
            max = max.max(angle);
            count += 1;
        }
    }
    let mean_square = squares / f64::from(count.max(1));
    RotationError {
        axis_rms_degrees: (mean_square / 3.0).sqrt() as f32,
        rms_degrees: mean_square.sqrt() as f32,
        max_degrees: max,
        joints: joints.len(),
    }
}

/// The rotation of a joint relative to the nearest one above it that is in `marked`.
fn since_marked(skeleton: &Skeleton, marked: &[JointId], pose: &LocalPose, joint: JointId) -> Quat {
    let rotation = |j: JointId| pose.joints[j.index()].rotation;
    let above = skeleton.ancestors(joint).skip(1).take_while(|j| !marked.contains(j));
    above.fold(rotation(joint), |turn, j| rotation(j) * turn).normalize()
}
