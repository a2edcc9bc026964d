//! Errors of clip editing.

use sinew::{ClipError, ClipKind, CurveError};
use thiserror::Error;

/// Why a clip could not be edited.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MotionError {
    /// The edit does not support clips of this kind.
    #[error("clip {clip:?} is {kind:?}, which this edit does not support")]
    WrongKind {
        /// The name of the clip.
        clip: String,
        /// The kind of the clip.
        kind: ClipKind,
    },
    /// The clip has cubic keys, whose tangents a pose does not define.
    #[error("clip {clip:?} has cubic keys, whose tangents a pose does not define")]
    HasTangents {
        /// The name of the clip.
        clip: String,
    },
    /// The clip, a pose or a map does not fit the skeleton.
    #[error("{what} must have {wanted} joints or slots, got {count}")]
    WrongSize {
        /// The input that does not fit.
        what: &'static str,
        /// The number that it has.
        count: usize,
        /// The number that is needed.
        wanted: usize,
    },
    /// A reference scale is 0, so there is no ratio to it.
    #[error("the scale of joint {joint} in the reference pose must not be 0")]
    FlatReference {
        /// The index of the joint.
        joint: usize,
    },
    /// The parents of a joint and of its mirror image are not mirror images.
    #[error("joint {joint:?} mirrors {twin:?}, but their parents do not mirror each other")]
    UnmatchedParents {
        /// The name of the joint.
        joint: String,
        /// The name of its mirror image.
        twin: String,
    },
    /// A joint map or slot map is not symmetric.
    #[error("{what} {index} mirrors {twin}, which does not mirror it")]
    NotPaired {
        /// `joint` or `morph slot`.
        what: &'static str,
        /// The index of one of them.
        index: usize,
        /// The index of the other one.
        twin: usize,
    },
    /// Two morph slots that mirror each other are in different channels.
    #[error("morph slots {slot} and {twin} mirror each other but belong to different meshes")]
    SlotsApart {
        /// The index of one of them.
        slot: usize,
        /// The index of the other one.
        twin: usize,
    },
    /// An option is out of range.
    #[error("{option} must be {wanted}, got {value}")]
    BadOption {
        /// The name of the option.
        option: &'static str,
        /// The value that was given.
        value: f64,
        /// The values that are allowed, in words.
        wanted: &'static str,
    },
    /// The clip has no root motion.
    #[error("clip {clip:?} has no root motion")]
    NoRootMotion {
        /// The name of the clip.
        clip: String,
    },
    /// An ancestor of the joint that carries the root motion has a scale of 0.
    #[error("joint {joint} cannot carry root motion: an ancestor has a scale of 0")]
    FlatParent {
        /// The index of the joint.
        joint: usize,
    },
    /// The new keys are not a valid curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// The new parts are not a valid clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
}

/// Returns `value` if it is positive and finite.
pub(super) fn positive(option: &'static str, value: f32) -> Result<f32, MotionError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(MotionError::BadOption { option, value: value.into(), wanted: "positive" })
    }
}
