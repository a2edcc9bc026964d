//! Errors of extracting root motion and differences.

use crate::asset::{
    clip::{ClipError, ClipKind},
    curve::CurveError,
};
use thiserror::Error;

/// Why nothing could be extracted from a clip.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ExtractError {
    /// The extraction does not support clips of this kind.
    #[error("clip {clip:?} is {kind:?}, which this edit does not support")]
    WrongKind {
        /// The name of the clip.
        clip: String,
        /// The kind of the clip.
        kind: ClipKind,
    },
    /// The clip or a pose does not fit the skeleton.
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
