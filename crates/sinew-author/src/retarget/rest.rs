//! Where joints are and how they are turned, in model space.

use sinew::{JointId, LocalPose, ModelPose, Skeleton, glam::Quat};

/// Where `skeleton` rests.
pub(super) fn model_rest(skeleton: &Skeleton) -> ModelPose {
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, &skeleton.rest_pose());
    model
}

/// How every joint of `pose` is turned relative to the model, scale left out.
pub(super) fn model_turns(skeleton: &Skeleton, pose: &LocalPose, out: &mut Vec<Quat>) {
    out.clear();
    for joint in skeleton.joints() {
        let local = pose.joints[joint.index()].rotation;
        let parent = skeleton.parent(joint).map_or(Quat::IDENTITY, |p: JointId| out[p.index()]);
        out.push((parent * local).normalize());
    }
}
