//! Attachments: a sword in a hand, a camera on a head.
//!
//! Where any joint is comes from [`ModelPose::joint`], one joint seen from another from
//! [`ModelPose::joint_from_joint`].

use super::ik::{IkError, known};
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
    /// A place on `joint`, given in the joint's space.
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

    /// A place given in model space, on a joint of `model`: the attachment keeps where it is in this pose.
    ///
    /// # Errors
    /// As [`Attachment::new`], and where the joint is flattened to a plane.
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

    /// The joint it hangs on.
    pub fn joint(&self) -> JointId {
        self.joint
    }

    /// Where it is in `model`.
    ///
    /// # Panics
    /// If the pose has fewer joints than the skeleton.
    pub fn model_from_attachment(&self, model: &ModelPose) -> Affine3A {
        model.joint(self.joint) * self.joint_from_attachment
    }

    /// `other` seen from here; `None` if this one is flattened to a plane.
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
