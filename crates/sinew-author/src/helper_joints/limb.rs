//! The bone from a joint to one of its descendants, in the joint's space in the rest pose.

use super::HelperJointError;
use sinew::{
    JointId, ModelPose, Skeleton,
    glam::{Affine3A, Quat, Vec3},
};

/// A bone of nonzero length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HelperLimb {
    pub(super) joint: JointId,
    /// The unit direction of the bone, in the joint's space.
    pub(super) along: Vec3,
    /// The length of the bone, in meters.
    pub(super) length: f32,
}

impl HelperLimb {
    /// The bone from `joint` to `end`, which must be its descendant.
    pub(super) fn between(
        skeleton: &Skeleton,
        joint: JointId,
        end: JointId,
    ) -> Result<Self, HelperJointError> {
        for asked in [joint, end] {
            check_joint(skeleton, asked)?;
        }
        let below = joint_from(skeleton, joint, end);
        let place = below.ok_or_else(|| HelperJointError::NotBelow {
            start: skeleton.name(joint).into(),
            end: skeleton.name(end).into(),
        })?;
        Self::to_place(skeleton, joint, place.translation.into())
    }

    /// The longest bone of `joint`: the one to its farthest child.
    pub(super) fn longest(skeleton: &Skeleton, joint: JointId) -> Result<Self, HelperJointError> {
        check_joint(skeleton, joint)?;
        let places = skeleton.children(joint).map(|child| skeleton.rest(child).translation);
        let farthest = places.max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
        Self::to_place(skeleton, joint, farthest.unwrap_or(Vec3::ZERO))
    }

    fn to_place(skeleton: &Skeleton, joint: JointId, place: Vec3) -> Result<Self, HelperJointError> {
        let length = place.length();
        let no_bone = || HelperJointError::NoBone { joint: skeleton.name(joint).into() };
        let along = place.try_normalize().filter(|_| length.is_finite() && length > 1e-6);
        Ok(Self { joint, along: along.ok_or_else(no_bone)?, length })
    }

    /// The direction across the bone from which angles are counted: the model's front, or up for a bone that points to the front.
    pub(super) fn front(&self, skeleton: &Skeleton) -> Vec3 {
        let joint_from_model = model_rotation(skeleton, self.joint).conjugate();
        let across = |direction: Vec3| (joint_from_model * direction).reject_from_normalized(self.along);
        let (ahead, up) = (across(Vec3::Z), across(Vec3::Y));
        // The front is used if it is at least 30 degrees off the bone.
        let clear = if ahead.length_squared() > 0.25 { ahead } else { up };
        clear.try_normalize().unwrap_or_else(|| self.along.any_orthonormal_vector())
    }

    /// The direction across the bone at an angle from the front, in radians.
    pub(super) fn side(&self, skeleton: &Skeleton, around_radians: f32) -> Vec3 {
        Quat::from_axis_angle(self.along, around_radians) * self.front(skeleton)
    }
}

pub(super) fn check_joint(skeleton: &Skeleton, joint: JointId) -> Result<(), HelperJointError> {
    let joints = skeleton.len();
    let is_there = joint.index() < joints;
    if is_there { Ok(()) } else { Err(HelperJointError::NoSuchJoint { joint: joint.index(), joints }) }
}

/// From the space of `below` to that of `joint` in the rest pose; `None` if `below` is not a descendant.
pub(super) fn joint_from(skeleton: &Skeleton, joint: JointId, below: JointId) -> Option<Affine3A> {
    let is_above = |j: &JointId| *j != joint;
    if skeleton.compensated().next().is_some() {
        let mut rest = ModelPose::new(skeleton);
        rest.update(skeleton, &skeleton.rest_pose());
        return rest.joint_from_joint(joint, below).filter(|_| skeleton.is_within(below, joint));
    }
    skeleton.is_within(below, joint).then(|| {
        let up = skeleton.ancestors(below).take_while(is_above).map(|j| skeleton.rest(j).to_affine());
        up.fold(Affine3A::IDENTITY, |from, parent| parent * from)
    })
}

/// The rotation from joint space to model space in the rest pose, without scale.
pub(super) fn model_rotation(skeleton: &Skeleton, joint: JointId) -> Quat {
    let up = skeleton.ancestors(joint).map(|j| skeleton.rest(j).rotation);
    up.fold(Quat::IDENTITY, |below, rotation| rotation * below).normalize()
}
