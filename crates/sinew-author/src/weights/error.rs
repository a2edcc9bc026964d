//! Errors of operations on weights.

use sinew::{MeshError, MorphError, SkeletonError, SkinError, WeightsError};
use thiserror::Error;

/// Why an operation on weights failed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum WeightError {
    /// The mesh is not skinned.
    #[error("mesh {mesh:?} has no weights")]
    NoWeights {
        /// The name of the mesh.
        mesh: String,
    },
    /// Two inputs that belong together have different sizes.
    #[error("{what}: must be {wanted}, got {count}")]
    WrongCount {
        /// What is counted, in words.
        what: &'static str,
        /// The number that was given.
        count: usize,
        /// The number that is needed.
        wanted: usize,
    },
    /// An option is outside its range.
    #[error("{option} must be {wanted}, got {value}")]
    BadOption {
        /// The name of the option.
        option: &'static str,
        /// The value that was given.
        value: f64,
        /// The values that are allowed, in words.
        wanted: &'static str,
    },
    /// A joint slot is not in the skin.
    #[error("joint slot {slot} is not in the skin, which has {slot_count} joints")]
    NoSuchSlot {
        /// The slot that was given.
        slot: u16,
        /// The number of joints in the skin.
        slot_count: usize,
    },
    /// A mesh lacks data that the operation needs.
    #[error("mesh {mesh:?} has no {what}")]
    Missing {
        /// The name of the mesh.
        mesh: String,
        /// The data that is missing.
        what: &'static str,
    },
    /// Joints have weight on the side that is copied, and no partner on the other side that could take it.
    #[error("{} on the copied side without a partner: {}; pair them in a joint map", if joints.len() == 1 { "a joint" } else { "joints" }, joints.join(", "))]
    NoMirrorPartner {
        /// The names of the joints.
        joints: Vec<String>,
    },
    /// The result is not a valid set of weights.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The result is not a valid skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// The result is not a valid skin.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// The result is not a valid mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The resulting morph targets are not valid.
    #[error(transparent)]
    Morph(#[from] MorphError),
}

/// Returns an error if an option is out of range.
pub(super) fn check_option(
    option: &'static str,
    value: f64,
    is_right: bool,
    wanted: &'static str,
) -> Result<(), WeightError> {
    if is_right { Ok(()) } else { Err(WeightError::BadOption { option, value, wanted }) }
}

/// Returns an error if two counts differ.
pub(super) fn check_count(what: &'static str, count: usize, wanted: usize) -> Result<(), WeightError> {
    if count == wanted { Ok(()) } else { Err(WeightError::WrongCount { what, count, wanted }) }
}
