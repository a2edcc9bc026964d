//! Why a helper could not be made or taken away.

use crate::weights::{WeightError, rig::RigError};
use sinew::{
    CharacterError, ClipError, MeshError, SkeletonError, SkinError, WeightsError, constrain::DriverError,
};
use thiserror::Error;

/// Why a character got no helper, or keeps it.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum HelperJointError {
    /// The skeleton has no such joint.
    #[error("joint {joint} is not one of the skeleton's {joints}")]
    NoSuchJoint {
        /// The joint.
        joint: usize,
        /// How many there are.
        joints: usize,
    },
    /// The joint at a bone's end must hang on the joint at its start.
    #[error("{end:?} does not hang below {start:?}, so there is no bone between them")]
    NotBelow {
        /// The name of the joint at the start.
        start: String,
        /// The name of the joint at the end.
        end: String,
    },
    /// A bone of no length has no direction.
    #[error("{joint:?} has no bone: nothing hangs below it at a distance")]
    NoBone {
        /// The joint's name.
        joint: String,
    },
    /// Nothing is bound to the joint.
    #[error("no skin has weights of {joint:?}")]
    NoWeights {
        /// The joint's name.
        joint: String,
    },
    /// An option is outside its range.
    #[error("{option} is {value}, which is not {wanted}")]
    BadOption {
        /// The option.
        option: &'static str,
        /// What was given.
        value: f32,
        /// What it must be.
        wanted: &'static str,
    },
    /// There is no such helper.
    #[error("there is no helper {helper}; there are {count}")]
    NoSuchHelper {
        /// The place that was asked for.
        helper: usize,
        /// How many there are.
        count: usize,
    },
    /// Weights could not be changed.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// A mesh belongs to several skins.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// The result is no valid set of weights.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The result is no valid skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The result is no valid skin.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// The result is no valid mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A clip lost all that it had.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The curve of a driver makes no function.
    #[error(transparent)]
    Drive(#[from] DriverError),
    /// The result's parts do not fit.
    #[error(transparent)]
    Character(#[from] CharacterError),
}

/// Refuses a number outside its range; what is not a number is outside every range.
pub(super) fn check(
    option: &'static str,
    value: f32,
    range: std::ops::RangeInclusive<f32>,
    wanted: &'static str,
) -> Result<(), HelperJointError> {
    if range.contains(&value) { Ok(()) } else { Err(HelperJointError::BadOption { option, value, wanted }) }
}
