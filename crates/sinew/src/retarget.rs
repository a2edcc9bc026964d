//! Motion of one human body on another at run time, bone by bone.
//!
//! A [`HumanoidRetarget`] is made once for two skeletons and their [`Humanoid`] maps. It converts poses, frame by frame and
//! without allocation, or whole clips when they are loaded. Every bone rotates in model space as its source rotates from its
//! rest pose, after the rest poses are aligned: arms, legs and feet point the same way. The hips follow those of the source,
//! scaled by the ratio of leg lengths. Lengths of bones stay.
//!
//! `sinew-author` retargets any two skeletons, pins feet to the ground and reports what does not fit; its results are clips.
//!
//! ```
//! use sinew::{Wrap, retarget::{HumanoidRetarget, RetargetScratch}, sample_clip};
//!
//! // Two characters; a VRM file brings its map with it.
//! let (walker, character) = (sinew_samples::figure(), sinew_samples::figure());
//! let (from, to) = (sinew_samples::figure_humanoid(), sinew_samples::figure_humanoid());
//! let retarget = HumanoidRetarget::new(walker.skeleton(), &from, character.skeleton(), &to)?;
//!
//! // Each frame: sample the clip on its own skeleton, then convert the pose.
//! let mut scratch = RetargetScratch::new(&retarget);
//! let (mut source, mut pose) = (walker.rest_pose(), character.rest_pose());
//! sample_clip(walker.find_clip("walk").unwrap(), 0.3, Wrap::Loop, &mut source);
//! retarget.apply(&source, &mut scratch, &mut pose);
//! # Ok::<(), sinew::retarget::HumanoidRetargetError>(())
//! ```

mod body;
mod clip;

pub use clip::RetargetClipError;

use crate::{
    asset::{
        humanoid::{HumanBone, Humanoid, HumanoidError},
        skeleton::{JointId, Skeleton},
    },
    pose::{LocalPose, ModelPose},
    transform::inverse_affine,
};
use body::{HumanBody, alignment, middle, model_rotations};
use glam::{Affine3A, Quat, Vec3};
use thiserror::Error;

/// The bones without which a body has no hips to move and no legs to measure.
const NEEDED: [HumanBone; 7] = [
    HumanBone::Hips,
    HumanBone::LeftUpperLeg,
    HumanBone::RightUpperLeg,
    HumanBone::LeftLowerLeg,
    HumanBone::RightLowerLeg,
    HumanBone::LeftFoot,
    HumanBone::RightFoot,
];

/// How the bones of one human body follow those of another. Immutable: any number of instances and threads share it.
#[derive(Clone, Debug)]
pub struct HumanoidRetarget {
    source: Skeleton,
    target: Skeleton,
    /// The source of each joint of the target that is a bone of both bodies.
    links: Vec<Option<BoneLink>>,
    /// The joints whose middle the body follows, left and right thigh.
    source_thighs: [JointId; 2],
    target_thighs: [JointId; 2],
    hips: JointId,
    /// Rotates the axes of the source to those of the target.
    target_from_source: Quat,
    scale: f32,
    offset: Vec3,
}

/// How one joint of the target follows a joint of the source.
#[derive(Clone, Copy, Debug)]
struct BoneLink {
    source: JointId,
    /// The offset between the rotations of both at rest, with their rest poses aligned.
    source_from_target: Quat,
}

/// Buffers in which poses are converted. Each thread has its own.
#[derive(Clone, Debug)]
pub struct RetargetScratch {
    source: ModelPose,
    target: ModelPose,
    source_turns: Vec<Quat>,
    target_turns: Vec<Quat>,
}

impl RetargetScratch {
    /// Buffers with room for the poses of `retarget`.
    pub fn new(retarget: &HumanoidRetarget) -> Self {
        Self {
            source: ModelPose::new(&retarget.source),
            target: ModelPose::new(&retarget.target),
            source_turns: Vec::with_capacity(retarget.source.len()),
            target_turns: Vec::with_capacity(retarget.target.len()),
        }
    }
}

/// Why motion cannot be retargeted between two bodies.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum HumanoidRetargetError {
    /// A map does not fit its skeleton.
    #[error("the map of the {body} does not fit its skeleton: {error}")]
    Map {
        /// Which body it is: `source` or `target`.
        body: &'static str,
        /// What does not fit.
        error: HumanoidError,
    },
    /// A bone of the hips or the legs has no joint.
    #[error("the {body} has no {}, which retargeting needs", bone.name())]
    MissingBone {
        /// Which body it is: `source` or `target`.
        body: &'static str,
        /// The bone without a joint.
        bone: HumanBone,
    },
    /// The legs have no length, or the body has no left and right side.
    #[error("the {body} has no legs of any length at rest")]
    NoLegs {
        /// Which body it is: `source` or `target`.
        body: &'static str,
    },
}

impl HumanoidRetarget {
    /// Prepares retargeting from the rest pose of `source` to that of `target`.
    ///
    /// Bones that only one of the bodies has are left out: a rotation of the source's upper chest reaches the neck and the arms
    /// of a target without an upper chest.
    ///
    /// # Errors
    /// If a map does not fit its skeleton, or a body lacks hips or legs.
    pub fn new(
        source: &Skeleton,
        source_map: &Humanoid,
        target: &Skeleton,
        target_map: &Humanoid,
    ) -> Result<Self, HumanoidRetargetError> {
        let (from, to) =
            (HumanBody::new("source", source, source_map)?, HumanBody::new("target", target, target_map)?);
        let target_from_source = to.model_from_body * from.model_from_body.conjugate();
        let aligned = alignment(&from, &to);
        let link = |joint: JointId| {
            let bone_source = source_map.joint(target_map.bone(joint)?)?;
            let rest = aligned[joint.index()] * to.rotations[joint.index()];
            let turn =
                from.rotations[bone_source.index()].conjugate() * target_from_source.conjugate() * rest;
            Some(BoneLink { source: bone_source, source_from_target: turn.normalize() })
        };
        let mut out = Self {
            source: source.clone(),
            target: target.clone(),
            links: target.joints().map(link).collect(),
            source_thighs: from.thighs,
            target_thighs: to.thighs,
            hips: to.hips,
            target_from_source,
            scale: to.leg_length / from.leg_length,
            offset: Vec3::ZERO,
        };
        // The ankles at rest correspond: soles keep the height that they have below them.
        let middle = middle(&to.rest, &to.thighs) - out.placed(middle(&from.rest, &from.thighs));
        let ankles = to.ankle_height() - out.placed(from.up() * from.ankle_height()).dot(to.up());
        out.offset = middle + to.up() * (ankles - middle.dot(to.up()));
        Ok(out)
    }

    /// The factor for the translation of the hips: the ratio of leg lengths.
    pub fn scale(&self) -> f32 {
        self.scale
    }

    /// The joint of the source that a joint of the target follows; `None` if it is not a bone of both bodies.
    pub fn source_of(&self, joint: JointId) -> Option<JointId> {
        self.links.get(joint.index())?.map(|link| link.source)
    }

    /// Rotates every bone of `pose` like its source and moves the hips. Other joints, scales and morph weights of `pose` stay
    /// as they are: begin with the rest pose. Nothing is allocated.
    ///
    /// # Panics
    /// If a pose does not have the joints of its skeleton.
    #[track_caller]
    pub fn apply(&self, source: &LocalPose, scratch: &mut RetargetScratch, pose: &mut LocalPose) {
        scratch.source.update(&self.source, source);
        model_rotations(&self.source, source, &mut scratch.source_turns);
        self.rotate(pose, &scratch.source_turns, &mut scratch.target_turns);
        scratch.target.update(&self.target, pose);
        let wanted = self.placed(middle(&scratch.source, &self.source_thighs));
        let by = wanted - middle(&scratch.target, &self.target_thighs);
        let above = self.target.parent(self.hips).map_or(Affine3A::IDENTITY, |p| scratch.target.joint(p));
        // Below a flat ancestor nothing can move.
        if let Some(parent_from_model) = inverse_affine(&above) {
            pose.joints[self.hips.index()].translation += parent_from_model.transform_vector3(by);
        }
    }

    fn rotate(&self, pose: &mut LocalPose, source_turns: &[Quat], turns: &mut Vec<Quat>) {
        turns.clear();
        for joint in self.target.joints() {
            let parent = self.target.parent(joint).map_or(Quat::IDENTITY, |p| turns[p.index()]);
            let local = &mut pose.joints[joint.index()].rotation;
            if let Some(link) = &self.links[joint.index()] {
                let turn =
                    self.target_from_source * source_turns[link.source.index()] * link.source_from_target;
                *local = (parent.conjugate() * turn).normalize();
            }
            turns.push((parent * *local).normalize());
        }
    }

    /// A point of the source's model space in that of the target.
    fn placed(&self, source: Vec3) -> Vec3 {
        self.target_from_source * source * self.scale + self.offset
    }
}

#[cfg(test)]
mod tests;
