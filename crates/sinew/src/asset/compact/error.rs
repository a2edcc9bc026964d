//! Why a clip cannot be made compact.

use thiserror::Error;

/// Why a clip cannot be made compact.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CompactError {
    /// The clip moves joints that the skeleton has not got.
    #[error("clip {clip:?} moves {joints} joints, the skeleton has {skeleton}")]
    TooFewJoints {
        /// The clip's name.
        clip: String,
        /// How many joints the clip needs.
        joints: usize,
        /// How many there are.
        skeleton: usize,
    },
    /// An option is not a positive number.
    #[error("{option} is {value}, which is no positive number")]
    BadOption {
        /// The option.
        option: &'static str,
        /// What was given.
        value: f32,
    },
}
