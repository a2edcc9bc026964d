//! Why motion could not be edited.

use sinew::{ClipError, ClipKind, CurveError};
use thiserror::Error;

/// Why motion could not be edited.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MotionError {
    /// The clip is of a kind that the edit does not take.
    #[error("clip {clip:?} is {kind:?}")]
    WrongKind {
        /// The clip's name.
        clip: String,
        /// What it is.
        kind: ClipKind,
    },
    /// The clip has curves with tangents, which a pose alone does not give.
    #[error("clip {clip:?} has cubic keys, which have tangents that a pose does not give")]
    HasTangents {
        /// The clip's name.
        clip: String,
    },
    /// The clip, a pose or a map is not of the skeleton.
    #[error("{what} has {count} joints or slots, where {wanted} are needed")]
    WrongSize {
        /// Which of the inputs.
        what: &'static str,
        /// How many it has.
        count: usize,
        /// How many there should be.
        wanted: usize,
    },
    /// A reference scale of 0 has no ratio to anything.
    #[error("joint {joint} is flattened in the reference pose: no scale is a multiple of 0")]
    FlatReference {
        /// The joint's place.
        joint: usize,
    },
    /// A joint and its mirror image do not hang on mirror images.
    #[error("joint {joint:?} mirrors {twin:?}, but their parents do not mirror each other")]
    UnmatchedParents {
        /// The joint's name.
        joint: String,
        /// Its mirror image's name.
        twin: String,
    },
    /// A joint map or slot map is no pairing: what mirrors something must be mirrored by it.
    #[error("{what} {index} mirrors {twin}, which does not mirror it")]
    NotPaired {
        /// `joint` or `morph slot`.
        what: &'static str,
        /// The one.
        index: usize,
        /// The other.
        twin: usize,
    },
    /// Two morph slots that mirror each other are in different channels.
    #[error("morph slots {slot} and {twin} mirror each other but are not of one mesh")]
    SlotsApart {
        /// The one.
        slot: usize,
        /// The other.
        twin: usize,
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
    /// The clip carries no root motion.
    #[error("clip {clip:?} carries no root motion")]
    NoRootMotion {
        /// The clip's name.
        clip: String,
    },
    /// The joint that carries the root motion is flattened by the joints above it.
    #[error("joint {joint} cannot carry root motion: its parent is flattened")]
    FlatParent {
        /// The joint's place.
        joint: usize,
    },
    /// The new keys make no curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// The new parts make no clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// `value` if it is a positive number.
pub(super) fn positive(option: &'static str, value: f32) -> Result<f32, MotionError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(MotionError::BadOption { option, value: value.into(), wanted: "a positive number" })
    }
}
