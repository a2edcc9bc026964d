//! Why an operation on weights could not be done.

use sinew::{MeshError, MorphError, SkeletonError, SkinError, WeightsError};
use thiserror::Error;

/// Why weights could not be changed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum WeightError {
    /// Only a skinned mesh has weights to change.
    #[error("mesh {mesh:?} has no weights")]
    NoWeights {
        /// The mesh's name.
        mesh: String,
    },
    /// Two things that belong together are of different sizes.
    #[error("{what}: {count} where {wanted} are needed")]
    WrongCount {
        /// What was counted.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many are needed.
        wanted: usize,
    },
    /// An option is outside its range.
    #[error("{option} is {value}, which is not {wanted}")]
    BadOption {
        /// The option.
        option: &'static str,
        /// What was given.
        value: f64,
        /// What it must be.
        wanted: &'static str,
    },
    /// A joint is not in the skin.
    #[error("joint slot {slot} is not in the skin, which has {slot_count} joints")]
    NoSuchSlot {
        /// The place that the skin does not have.
        slot: u16,
        /// How many joints the skin has.
        slot_count: usize,
    },
    /// A mesh lacks what the operation goes by.
    #[error("mesh {mesh:?} has no {what}")]
    Missing {
        /// The mesh's name.
        mesh: String,
        /// What it lacks.
        what: &'static str,
    },
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
    /// The result's shapes are not valid.
    #[error(transparent)]
    Morph(#[from] MorphError),
}

/// Refuses a number outside its range.
pub(super) fn check_option(
    option: &'static str,
    value: f64,
    is_right: bool,
    wanted: &'static str,
) -> Result<(), WeightError> {
    if is_right { Ok(()) } else { Err(WeightError::BadOption { option, value, wanted }) }
}

/// Refuses counts that differ.
pub(super) fn check_count(what: &'static str, count: usize, wanted: usize) -> Result<(), WeightError> {
    if count == wanted { Ok(()) } else { Err(WeightError::WrongCount { what, count, wanted }) }
}
