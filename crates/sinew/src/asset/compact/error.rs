//! Errors of the compression.

use thiserror::Error;

/// Why a clip cannot be compressed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CompactError {
    /// The clip animates joints that the skeleton does not have.
    #[error("clip {clip:?} animates {joints} joints, the skeleton has {skeleton}")]
    TooFewJoints {
        /// Name of the clip.
        clip: String,
        /// How many joints the clip needs.
        joints: usize,
        /// How many joints the skeleton has.
        skeleton: usize,
    },
    /// An option is not positive and finite.
    #[error("{option} must be positive, got {value}")]
    BadOption {
        /// Name of the option.
        option: &'static str,
        /// The value that was given.
        value: f32,
    },
}
