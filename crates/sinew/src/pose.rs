//! Where every joint is, relative to its parent and to the model.

use crate::{
    asset::skeleton::{JointId, Skeleton},
    transform::{Transform, inverse_affine},
};
use glam::Affine3A;

/// Every joint relative to its parent, and every morph weight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalPose {
    /// `parent_from_joint`, in joint order.
    pub joints: Vec<Transform>,
    /// Morph weights; [`Character::morph_slots`](crate::Character::morph_slots) says whose.
    pub morphs: Vec<f32>,
}

impl LocalPose {
    /// Takes over `other` without allocating where the sizes are equal.
    pub fn copy_from(&mut self, other: &Self) {
        self.joints.clone_from(&other.joints);
        self.morphs.clone_from(&other.morphs);
    }
}

/// Every joint relative to the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelPose {
    model_from_joint: Vec<Affine3A>,
}

impl ModelPose {
    /// A pose with room for every joint of `skeleton`, all at the model's origin.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self { model_from_joint: vec![Affine3A::IDENTITY; skeleton.len()] }
    }

    /// Makes this the model-space pose of `local`: one pass down the hierarchy, no allocation.
    ///
    /// # Panics
    /// Where `local` or `self` was made for a skeleton with another number of joints.
    pub fn update(&mut self, skeleton: &Skeleton, local: &LocalPose) {
        let joints = skeleton.len();
        assert_eq!(local.joints.len(), joints, "the local pose is not of this skeleton");
        assert_eq!(self.model_from_joint.len(), joints, "the model pose is not of this skeleton");
        for (joint, (parent, transform)) in skeleton.parents().iter().zip(&local.joints).enumerate() {
            let parent_from_joint = transform.to_affine();
            self.model_from_joint[joint] = match parent {
                Some(parent) => self.model_from_joint[parent.index()] * parent_from_joint,
                None => parent_from_joint,
            };
        }
    }

    /// `model_from_joint` of every joint, in joint order.
    pub fn joints(&self) -> &[Affine3A] {
        &self.model_from_joint
    }

    /// `model_from_joint`.
    pub fn joint(&self, joint: JointId) -> Affine3A {
        self.model_from_joint[joint.index()]
    }

    /// `to_from_from`: takes points from one joint's space to another's. `None` where `to` is flattened to a plane.
    pub fn joint_from_joint(&self, to: JointId, from: JointId) -> Option<Affine3A> {
        Some(inverse_affine(&self.joint(to))? * self.joint(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Joint;
    use glam::{Quat, Vec3};
    use std::f32::consts::FRAC_PI_2;

    fn arm() -> Skeleton {
        let joint = |name: &str, parent: Option<u16>, rest| Joint {
            name: name.into(),
            parent: parent.map(JointId),
            rest,
        };
        let turn = Quat::from_rotation_z(FRAC_PI_2);
        Skeleton::new([
            joint("shoulder", None, Transform::from_rotation_translation(turn, Vec3::Y)),
            joint("elbow", Some(0), Transform::from_translation(Vec3::X)),
            joint("other", None, Transform::from_translation(Vec3::Z)),
        ])
        .unwrap()
    }

    #[test]
    fn children_follow_their_parents() {
        let skeleton = arm();
        let mut model = ModelPose::new(&skeleton);
        model.update(&skeleton, &skeleton.rest_pose());
        let elbow = model.joint(JointId(1)).transform_point3(Vec3::ZERO);
        assert!((elbow - Vec3::new(0.0, 2.0, 0.0)).length() < 1e-6);
    }

    #[test]
    fn any_joint_is_seen_from_any_other() {
        let skeleton = arm();
        let mut model = ModelPose::new(&skeleton);
        model.update(&skeleton, &skeleton.rest_pose());
        let other_from_elbow = model.joint_from_joint(JointId(2), JointId(1)).unwrap();
        let seen = other_from_elbow.transform_point3(Vec3::ZERO);
        assert!((seen - Vec3::new(0.0, 2.0, -1.0)).length() < 1e-6);
        let back = model.joint_from_joint(JointId(1), JointId(2)).unwrap();
        assert!((back * other_from_elbow).abs_diff_eq(Affine3A::IDENTITY, 1e-6));
    }

    #[test]
    fn a_flattened_joint_cannot_be_looked_from() {
        let skeleton = arm();
        let mut pose = skeleton.rest_pose();
        pose.joints[2].scale = Vec3::ZERO;
        let mut model = ModelPose::new(&skeleton);
        model.update(&skeleton, &pose);
        assert_eq!(model.joint_from_joint(JointId(2), JointId(0)), None);
        assert!(model.joint_from_joint(JointId(0), JointId(2)).is_some());
    }
}
