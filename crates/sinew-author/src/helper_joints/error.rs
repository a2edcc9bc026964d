//! Errors of adding and removing helper joints.

use crate::weights::{WeightError, rig::RigError};
use sinew::{
    CharacterError, ClipError, MeshError, SkeletonError, SkinError, WeightsError, constrain::DriverError,
};
use thiserror::Error;

/// Why a helper could not be added or removed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum HelperJointError {
    /// The skeleton has no such joint.
    #[error("joint {joint} does not exist: the skeleton has {joints} joints")]
    NoSuchJoint {
        /// The index of the joint.
        joint: usize,
        /// The number that exists.
        joints: usize,
    },
    /// The joint at the end of a bone must be a descendant of the joint at its start.
    #[error("{end:?} is not a descendant of {start:?}, so there is no bone between them")]
    NotBelow {
        /// The name of the joint at the start.
        start: String,
        /// The name of the joint at the end.
        end: String,
    },
    /// The joint has no bone of nonzero length.
    #[error("{joint:?} has no bone: it has no child at a distance")]
    NoBone {
        /// The name of the joint.
        joint: String,
    },
    /// No vertex is bound to the joint.
    #[error("no skin has weights for {joint:?}")]
    NoWeights {
        /// The name of the joint.
        joint: String,
    },
    /// An option is out of range.
    #[error("{option} must be {wanted}, got {value}")]
    BadOption {
        /// The name of the option.
        option: &'static str,
        /// The value that was given.
        value: f32,
        /// The values that are allowed, in words.
        wanted: &'static str,
    },
    /// The character has no such helper.
    #[error("helper {helper} does not exist: the character has {count}")]
    NoSuchHelper {
        /// The index that was given.
        helper: usize,
        /// The number that exists.
        count: usize,
    },
    /// An operation on weights, or its result, is not valid.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// A mesh is deformed by several skins.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// A clip has no channels left.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The curve of a driver is not valid.
    #[error(transparent)]
    Drive(#[from] DriverError),
    /// The parts of the result do not fit together.
    #[error(transparent)]
    Character(#[from] CharacterError),
}

/// Parts of the result that are not valid are errors of the operation on weights that made them.
macro_rules! from_parts {
    ($($error:ty),*) => {$(
        impl From<$error> for HelperJointError {
            fn from(error: $error) -> Self {
                Self::Weight(error.into())
            }
        }
    )*};
}

from_parts!(WeightsError, SkeletonError, SkinError, MeshError);

/// Returns an error if a value is out of range; NaN is out of every range.
pub(super) fn check(
    option: &'static str,
    value: f32,
    range: std::ops::RangeInclusive<f32>,
    wanted: &'static str,
) -> Result<(), HelperJointError> {
    if range.contains(&value) { Ok(()) } else { Err(HelperJointError::BadOption { option, value, wanted }) }
}
