//! Why an instance or an archetype refuses a call.

use crate::transform::Transform;
use thiserror::Error;

/// Why an instance refuses a call.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum InstanceError {
    /// An additive clip is a difference between poses and has no pose of its own.
    #[error("clip {clip:?} is additive and cannot be played alone")]
    AdditiveAlone {
        /// Name of the clip.
        clip: String,
    },
    /// The clip belongs to another archetype.
    #[error("the clip is not one of the {clips} clips of archetype {archetype:?}")]
    ForeignMotion {
        /// The name of the archetype's character.
        archetype: String,
        /// How many clips the archetype has.
        clips: usize,
    },
    /// The instance was made by another archetype.
    #[error(
        "the instance was made for {instance_joints} joints by another archetype than {archetype:?}, \
         which has {joints} joints"
    )]
    ForeignArchetype {
        /// The name of the character whose archetype was given.
        archetype: String,
        /// How many joints that archetype has.
        joints: usize,
        /// How many joints the instance has.
        instance_joints: usize,
    },
    /// An instance continues only with archetypes of its skeleton.
    #[error(
        "the instance has {instance_joints} joints of another skeleton than archetype {archetype:?}, which has {joints}"
    )]
    OtherSkeleton {
        /// The name of the character of the new archetype.
        archetype: String,
        /// How many joints that archetype has.
        joints: usize,
        /// How many joints the instance has.
        instance_joints: usize,
    },
    /// A placement is not finite, or its rotation is not a unit quaternion.
    #[error("a placement must be finite with a unit rotation, got {world_from_model:?}")]
    BadPlacement {
        /// The value that was given.
        world_from_model: Transform,
    },
    /// A duration, weight or speed is out of range.
    #[error("{what} must be finite and not negative, got {value}")]
    BadNumber {
        /// Which number it is.
        what: &'static str,
        /// The value that was given.
        value: f32,
    },
    /// Shared poses have no rate.
    #[error("the rate of shared poses must be positive and finite, got {rate_hz}")]
    NoRate {
        /// The value that was given.
        rate_hz: f32,
    },
    /// So many poses would be shared that the rate must be a mistake.
    #[error("{poses} shared poses would be needed, at most {most} are allowed")]
    TooManyPoses {
        /// How many poses the clip has at the rate.
        poses: f64,
        /// How many are allowed.
        most: usize,
    },
    /// The mask of a montage was made for another skeleton.
    #[error("the mask has {mask} joints, archetype {archetype:?} has {joints}")]
    WrongMask {
        /// How many joints the mask has.
        mask: usize,
        /// The name of the archetype's character.
        archetype: String,
        /// How many joints the archetype has.
        joints: usize,
    },
    /// There is no montage slot with this number.
    #[error("slot {slot} does not exist: an instance has {slots} slots")]
    NoSuchSlot {
        /// The slot that was given.
        slot: usize,
        /// How many slots an instance has.
        slots: usize,
    },
    /// A pose has another size than those of the instance.
    #[error(
        "the pose has {joints} joints and {morphs} morph weights, the instance {instance_joints} and \
         {instance_morphs}"
    )]
    WrongPose {
        /// How many joints the pose has.
        joints: usize,
        /// How many morph weights the pose has.
        morphs: usize,
        /// How many joints the instance has.
        instance_joints: usize,
        /// How many morph weights the instance has.
        instance_morphs: usize,
    },
}

impl InstanceError {
    /// `value` if it is finite and not negative.
    pub(super) fn check_number(what: &'static str, value: f32) -> Result<f32, Self> {
        if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(Self::BadNumber { what, value }) }
    }
}
