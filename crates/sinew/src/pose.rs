//! Poses: the transform of every joint, relative to its parent or to the model.

pub(crate) mod hierarchy;
mod local_from_model;

pub use local_from_model::{ModelTarget, ModelTargetError, local_from_model};

use crate::{
    asset::skeleton::{JointId, ScaleInheritance, Skeleton, UpdateOrder, UpdateSteps, missing_joint},
    simd::{self, Level},
    transform::{Transform, inverse_affine},
};
use bytemuck::{Pod, Zeroable};
use glam::Affine3A;
use hierarchy::{PaddedMatrix, ScaleState, local_matrix, local_to_model};

/// The transform of every joint relative to its parent, and every morph weight.
#[doc(alias = "pose")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocalPose {
    /// `parent_from_joint`, in joint order.
    pub joints: Vec<Transform>,
    /// Morph weights; [`Character::morph_slots`](crate::Character::morph_slots) gives the range of each mesh instance.
    pub morphs: Vec<f32>,
}

impl LocalPose {
    /// Copies `other`, without allocating if the sizes are equal.
    pub fn copy_from(&mut self, other: &Self) {
        self.joints.clone_from(&other.joints);
        self.morphs.clone_from(&other.morphs);
    }
}

/// A matrix that fills a cache line. With an alignment of 16 bytes, half of the matrices could straddle two lines, which
/// makes the hierarchy update a third slower.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
struct CacheLine(PaddedMatrix);

/// The matrix of every joint relative to the model.
#[derive(Clone, Debug, Default)]
pub struct ModelPose {
    model_from_joint: Vec<CacheLine>,
    /// The joints of a partial update.
    is_below: Vec<bool>,
    /// Empty for a skeleton whose joints inherit all scale.
    scales: ScaleState,
}

impl PartialEq for ModelPose {
    fn eq(&self, other: &Self) -> bool {
        self.joints() == other.joints()
    }
}

impl ModelPose {
    /// A pose for `skeleton` with every joint at the origin of the model.
    pub fn new(skeleton: &Skeleton) -> Self {
        Self {
            model_from_joint: vec![CacheLine(bytemuck::cast(Affine3A::IDENTITY)); skeleton.len()],
            is_below: vec![false; skeleton.len()],
            scales: skeleton.scales().map_or_else(ScaleState::default, |_| ScaleState::new(skeleton.len())),
        }
    }

    /// Computes the model-space pose of `local` in one pass over the hierarchy, without allocating.
    ///
    /// # Panics
    /// If `local` or `self` has another number of joints than `skeleton`.
    pub fn update(&mut self, skeleton: &Skeleton, local: &LocalPose) {
        self.update_at(simd::best(), skeleton, local);
    }

    /// [`ModelPose::update`] on a given SIMD level; every level gives the same bits.
    ///
    /// # Panics
    /// As [`ModelPose::update`].
    pub fn update_at(&mut self, level: Level, skeleton: &Skeleton, local: &LocalPose) {
        self.check(skeleton, local);
        let model: &mut [PaddedMatrix] = bytemuck::cast_slice_mut(&mut self.model_from_joint);
        local_to_model(level, skeleton.order().steps(), &local.joints, model);
        if let Some(scales) = skeleton.scales() {
            self.scales.update(scales, &local.joints, model);
        }
    }

    /// Updates `first` and every joint after it in joint order from `local`; earlier joints do not change.
    ///
    /// The result has the same bits as [`ModelPose::update`] if no joint before `first` has changed since the last update.
    ///
    /// # Panics
    /// As [`ModelPose::update`].
    pub fn update_from(&mut self, skeleton: &Skeleton, local: &LocalPose, first: JointId) {
        self.check(skeleton, local);
        self.update_some(skeleton.order(), local, |joint, _, _| joint >= first.0);
        self.compensate_some(skeleton, local, |joint, _| joint >= first.0);
    }

    /// Updates `top` and its descendants from `local`; all other joints do not change.
    ///
    /// The result has the same bits as [`ModelPose::update`] if no other joint has changed since the last update.
    ///
    /// # Panics
    /// As [`ModelPose::update`].
    pub fn update_below(&mut self, skeleton: &Skeleton, local: &LocalPose, top: JointId) {
        self.check(skeleton, local);
        self.update_some(skeleton.order(), local, |joint, parent, is_below| {
            let hit = joint == top.0 || parent.is_some_and(|p| is_below[usize::from(p)]);
            is_below[usize::from(joint)] = hit;
            hit
        });
        self.compensate_some(skeleton, local, |joint, is_below| is_below[usize::from(joint)]);
    }

    /// Removes the scale that is not inherited from the joints for which `wanted` returns true.
    fn compensate_some(
        &mut self,
        skeleton: &Skeleton,
        local: &LocalPose,
        wanted: impl Fn(u16, &[bool]) -> bool,
    ) {
        let Self { model_from_joint, is_below, scales } = self;
        if let Some(order) = skeleton.scales() {
            let model: &mut [PaddedMatrix] = bytemuck::cast_slice_mut(model_from_joint);
            scales.update_some(order, &local.joints, model, |joint| wanted(joint, is_below));
        }
    }

    /// Updates the joints for which `wanted` returns true. It is called from the top down with a joint, its parent and
    /// one flag per joint, which it may read and set.
    fn update_some(
        &mut self,
        order: &UpdateOrder,
        local: &LocalPose,
        mut wanted: impl FnMut(u16, Option<u16>, &mut [bool]) -> bool,
    ) {
        let Self { model_from_joint, is_below, .. } = self;
        let model: &mut [PaddedMatrix] = bytemuck::cast_slice_mut(model_from_joint);
        for &root in order.roots() {
            if wanted(root, None, is_below) {
                model[usize::from(root)] = local_matrix(&local.joints[usize::from(root)]);
            }
        }
        let level = simd::best();
        let mut links = order.links().filter(|link| wanted(link.joint, Some(link.parent), is_below));
        while let Some(first) = links.next() {
            let mut some = [first; 8];
            // An incomplete group repeats its last joint.
            for at in 1..some.len() {
                some[at] = links.next().unwrap_or(some[at - 1]);
            }
            let steps = UpdateSteps { groups: &[some], ..UpdateSteps::default() };
            local_to_model(level, steps, &local.joints, model);
        }
    }

    fn check(&self, skeleton: &Skeleton, local: &LocalPose) {
        let (joints, local, model) = (skeleton.len(), local.joints.len(), self.model_from_joint.len());
        assert!(local == joints, "the local pose has {local} joints, the skeleton has {joints}");
        assert!(model == joints, "the model pose has {model} joints, the skeleton has {joints}");
    }

    /// `model_from_joint` of every joint, in joint order.
    pub fn joints(&self) -> &[Affine3A] {
        bytemuck::cast_slice(&self.model_from_joint)
    }

    /// `model_from_joint` of one joint.
    ///
    /// # Panics
    /// If the pose has no such joint.
    #[track_caller]
    pub fn joint(&self, joint: JointId) -> Affine3A {
        match self.model_from_joint.get(joint.index()) {
            Some(matrix) => bytemuck::cast(*matrix),
            None => missing_joint(joint, self.model_from_joint.len()),
        }
    }

    fn set_joint(&mut self, joint: JointId, model_from_joint: Affine3A) {
        self.model_from_joint[joint.index()] = CacheLine(bytemuck::cast(model_from_joint));
    }

    /// The space that rotation and scale of `joint` are relative to: `model_from_joint` of its parent, without the parent's
    /// own scale if the joint is [compensated](ScaleInheritance::Compensated); the identity for a root.
    ///
    /// `model_from_joint` is this frame's linear part times the joint's rotation and scale. Its translation is always
    /// relative to the parent with its scale.
    ///
    /// # Panics
    /// If the pose or the skeleton has no such joint.
    #[track_caller]
    pub fn turn_frame(&self, skeleton: &Skeleton, joint: JointId) -> Affine3A {
        let Some(parent) = skeleton.parent(joint) else { return Affine3A::IDENTITY };
        match skeleton.scale_inheritance(joint) {
            ScaleInheritance::Full => self.joint(parent),
            ScaleInheritance::Compensated => self.unscaled(parent),
        }
    }

    /// `model_from_joint` of the parent of a compensated joint, without its own scale.
    pub(crate) fn unscaled(&self, parent: JointId) -> Affine3A {
        self.scales.unscaled(parent).map_or_else(|| self.joint(parent), |matrix| bytemuck::cast(*matrix))
    }

    /// The transform from the space of joint `from` to the space of joint `to`; `None` if the matrix of `to` is singular.
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

    #[test]
    #[should_panic(expected = "joint 9999 does not exist: there are 3 joints")]
    fn a_joint_of_another_skeleton_panics_with_both_numbers() {
        let _ = ModelPose::new(&arm()).joint(JointId(9999));
    }

    #[test]
    #[should_panic(expected = "the pose has 0 joints, skin \"s\" needs at least 3")]
    fn a_palette_refuses_the_pose_of_another_skeleton() {
        let skin = crate::Skin::bound_at_rest("s", &arm(), vec![JointId(2)]).unwrap();
        crate::Palette::new(&skin).update(&skin, &ModelPose::default());
    }
}
