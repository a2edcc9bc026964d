//! Attachments: a sword in a hand, a camera on a head.
//!
//! [`ModelPose::joint`] gives the frame of a joint in model space, [`ModelPose::joint_from_joint`] the transform between
//! two joints.

use super::ik_report::{IkError, known};
use crate::{
    asset::skeleton::{JointId, Skeleton},
    pose::ModelPose,
    transform::inverse_affine,
};
use glam::Affine3A;

/// A coordinate frame that moves with a joint.
#[doc(alias = "socket")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    joint: JointId,
    joint_from_attachment: Affine3A,
}

impl Attachment {
    /// An attachment to `joint` with a frame in joint space.
    ///
    /// # Errors
    /// If the joint is missing or the matrix is not finite.
    pub fn new(
        skeleton: &Skeleton,
        joint: JointId,
        joint_from_attachment: Affine3A,
    ) -> Result<Self, IkError> {
        let joint = known(skeleton, joint)?;
        let numbers = joint_from_attachment.to_cols_array();
        if let Some(&value) = numbers.iter().find(|n| !n.is_finite()) {
            return Err(IkError::BadNumber { what: "an attachment's place", value });
        }
        Ok(Self { joint, joint_from_attachment })
    }

    /// An attachment to a joint of `model` with a frame in model space, which it has in this pose.
    ///
    /// # Errors
    /// As [`Attachment::new`], and if the model matrix of the joint is singular.
    pub fn at(
        skeleton: &Skeleton,
        joint: JointId,
        model: &ModelPose,
        model_from_attachment: Affine3A,
    ) -> Result<Self, IkError> {
        let joint_from_model = inverse_affine(&model.joint(known(skeleton, joint)?));
        let flat = IkError::BadNumber { what: "the scale of an attachment's joint", value: 0.0 };
        Self::new(skeleton, joint, joint_from_model.ok_or(flat)? * model_from_attachment)
    }

    /// The joint that carries it.
    pub fn joint(&self) -> JointId {
        self.joint
    }

    /// The frame in model space, in the pose `model`.
    ///
    /// # Panics
    /// If the pose has fewer joints than the skeleton.
    pub fn model_from_attachment(&self, model: &ModelPose) -> Affine3A {
        model.joint(self.joint) * self.joint_from_attachment
    }

    /// The frame of `other` relative to this one; `None` if this one is singular.
    ///
    /// # Panics
    /// If the pose has fewer joints than the skeleton.
    pub fn attachment_from_attachment(&self, model: &ModelPose, other: &Self) -> Option<Affine3A> {
        Some(inverse_affine(&self.model_from_attachment(model))? * other.model_from_attachment(model))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinew_samples;
    use glam::{Quat, Vec3};

    #[test]
    fn a_sword_follows_the_hand_and_is_seen_from_the_other_one() {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let [left, right] = ["hand.L", "hand.R"].map(|name| skeleton.find(name).unwrap());
        let mut pose = figure.rest_pose();
        let mut model = ModelPose::new(skeleton);
        model.update(skeleton, &pose);
        let grip = Affine3A::from_rotation_translation(Quat::from_rotation_x(0.4), Vec3::Y * 0.1);
        let sword = Attachment::new(skeleton, right, grip).unwrap();
        let ring = Attachment::at(skeleton, left, &model, Affine3A::from_translation(Vec3::ONE)).unwrap();
        let before = ring.model_from_attachment(&model);
        assert!(before.abs_diff_eq(Affine3A::from_translation(Vec3::ONE), 1e-5), "it stays where it was put");
        pose.joints[right.index()].rotation = Quat::from_rotation_z(1.0);
        model.update(skeleton, &pose);
        let want = model.joint(right) * grip;
        assert!(sword.model_from_attachment(&model).abs_diff_eq(want, 1e-6));
        let sword_from_ring = sword.attachment_from_attachment(&model, &ring).unwrap();
        assert!((want * sword_from_ring).abs_diff_eq(before, 1e-5));
    }

    #[test]
    fn refuses_a_missing_joint_and_a_place_that_is_none() {
        let tube = sinew_samples::tube();
        let new = |joint, place| Attachment::new(tube.skeleton(), joint, place);
        assert!(matches!(new(JointId(99), Affine3A::IDENTITY), Err(IkError::NoSuchJoint { .. })));
        let nowhere = Affine3A::from_translation(Vec3::NAN);
        assert!(matches!(new(JointId(0), nowhere), Err(IkError::BadNumber { .. })));
    }
}
