//! Model-space transforms of joints at rest.

use sinew::{JointId, LocalPose, ModelPose, Skeleton, glam::Quat};

/// The rest pose of `skeleton` in model space.
pub(super) fn model_rest(skeleton: &Skeleton) -> ModelPose {
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, &skeleton.rest_pose());
    model
}

/// The model-space rotation of each joint of `pose`, without scale.
pub(super) fn model_turns(skeleton: &Skeleton, pose: &LocalPose, out: &mut Vec<Quat>) {
    out.clear();
    for joint in skeleton.joints() {
        let local = pose.joints[joint.index()].rotation;
        let parent = skeleton.parent(joint).map_or(Quat::IDENTITY, |p: JointId| out[p.index()]);
        out.push((parent * local).normalize());
    }
}
