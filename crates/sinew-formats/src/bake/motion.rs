//! The poses that a bake goes through.

use crate::pose_text::PoseOffsets;
use sinew::{Character, Clip, LocalPose, Wrap, sample_clip};
use thiserror::Error;

/// Where the pose of each time comes from.
#[derive(Clone, Copy, Debug)]
pub enum BakeMotion<'a> {
    /// The rest pose, at every time.
    Rest,
    /// A clip, sampled at each time. Before its start and after its end the nearest key holds.
    Clip(&'a Clip),
    /// One pose for each time.
    Poses(&'a [LocalPose]),
    /// A clip, or the rest pose, with changes on top of it.
    Posed {
        /// The clip, sampled at each time; `None` for the rest pose.
        clip: Option<&'a Clip>,
        /// The changes, applied at each time.
        offsets: &'a PoseOffsets,
    },
}

/// Why a motion does not fit a character or its times.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum MotionFitError {
    /// There is not one pose for each time.
    #[error("{poses} poses are given for {times} times")]
    PoseCount {
        /// The number of poses.
        poses: usize,
        /// The number of times.
        times: usize,
    },
    /// A pose has other joints or morph weights than the character.
    #[error(
        "pose {pose} has {joints} joints and {morphs} morph weights, the character has {wanted_joints} and {wanted_morphs}"
    )]
    PoseShape {
        /// The index of the pose.
        pose: usize,
        /// The number of its joints.
        joints: usize,
        /// The number of its morph weights.
        morphs: usize,
        /// The number of the character's joints.
        wanted_joints: usize,
        /// The number of the character's morph weights.
        wanted_morphs: usize,
    },
    /// The clip moves joints or morph weights that the character lacks.
    #[error(
        "clip {name:?} moves {joints} joints and {morphs} morph weights, the character has {wanted_joints} and {wanted_morphs}"
    )]
    ClipShape {
        /// The name of the clip.
        name: String,
        /// The number of joints that the clip needs.
        joints: usize,
        /// The number of morph weights that the clip needs.
        morphs: usize,
        /// The number of the character's joints.
        wanted_joints: usize,
        /// The number of the character's morph weights.
        wanted_morphs: usize,
    },
}

impl<'a> BakeMotion<'a> {
    /// `clip`, or the rest pose when there is none.
    #[must_use]
    pub fn from_clip(clip: Option<&'a Clip>) -> Self {
        clip.map_or(Self::Rest, Self::Clip)
    }

    /// Checks that the motion fits `character` and the number of times.
    pub(crate) fn check(&self, character: &Character, times: usize) -> Result<(), MotionFitError> {
        let rest = character.rest_pose();
        let (wanted_joints, wanted_morphs) = (rest.joints.len(), rest.morphs.len());
        match *self {
            Self::Rest | Self::Posed { clip: None, .. } => Ok(()),
            Self::Clip(clip) | Self::Posed { clip: Some(clip), .. } => {
                let (joints, morphs) = (clip.joint_count(), clip.morph_slot_count());
                if joints <= wanted_joints && morphs <= wanted_morphs {
                    return Ok(());
                }
                let name = clip.name().into();
                Err(MotionFitError::ClipShape { name, joints, morphs, wanted_joints, wanted_morphs })
            }
            Self::Poses(poses) if poses.len() != times => {
                Err(MotionFitError::PoseCount { poses: poses.len(), times })
            }
            Self::Poses(poses) => {
                let shape = |pose: &LocalPose| (pose.joints.len(), pose.morphs.len());
                let Some(pose) = poses.iter().position(|p| shape(p) != (wanted_joints, wanted_morphs)) else {
                    return Ok(());
                };
                let (joints, morphs) = shape(&poses[pose]);
                Err(MotionFitError::PoseShape { pose, joints, morphs, wanted_joints, wanted_morphs })
            }
        }
    }

    /// Writes the pose of one time to `pose`, which is at rest. The motion fits, see [`BakeMotion::check`].
    pub(crate) fn sample(&self, index: usize, time_secs: f32, pose: &mut LocalPose) {
        match *self {
            Self::Rest => {}
            Self::Clip(clip) => sample_clip(clip, time_secs, Wrap::Clamp, pose),
            Self::Poses(poses) => pose.copy_from(&poses[index]),
            Self::Posed { clip, offsets } => {
                if let Some(clip) = clip {
                    sample_clip(clip, time_secs, Wrap::Clamp, pose);
                }
                offsets.apply(pose);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poses_and_clips_of_another_character_are_refused_with_both_sizes() {
        let (arm, figure) = (sinew_samples::arm(), sinew_samples::figure());
        let foreign = figure.rest_pose();
        let poses = BakeMotion::Poses(std::slice::from_ref(&foreign));
        let error = poses.check(&arm, 1).unwrap_err().to_string();
        let wanted = arm.skeleton().len();
        assert!(error.contains(&format!("{} joints", figure.skeleton().len())), "{error}");
        assert!(error.contains(&format!("the character has {wanted}")), "{error}");
        assert_eq!(poses.check(&figure, 2), Err(MotionFitError::PoseCount { poses: 1, times: 2 }));
        let walk = figure.find_clip("walk").unwrap();
        assert!(matches!(BakeMotion::Clip(walk).check(&arm, 1), Err(MotionFitError::ClipShape { .. })));
        assert_eq!(BakeMotion::Clip(walk).check(&figure, 7), Ok(()));
    }
}
