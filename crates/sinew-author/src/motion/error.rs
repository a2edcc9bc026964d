//! Errors of clip editing.

use sinew::{CharacterError, ClipError, ClipKind, CurveError, extract::ExtractError};
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
    /// There is no key at a time.
    #[error("clip {clip:?} has no key at {time_secs} s{}", nearest(*nearest_secs))]
    NoKey {
        /// The name of the clip.
        clip: String,
        /// The time without a key.
        time_secs: f32,
        /// The time of the nearest key, if there is any.
        nearest_secs: Option<f32>,
    },
    /// Keys or events lie beyond the wanted end of the clip.
    #[error(
        "clip {clip:?} has a key or an event at {last_key_secs} s and cannot end at {duration_secs} s; trim or retime it"
    )]
    KeysBeyond {
        /// The name of the clip.
        clip: String,
        /// The time of its last key or event.
        last_key_secs: f32,
        /// The wanted duration, in seconds.
        duration_secs: f32,
    },
    /// A shift would move a key or an event before the start of the clip.
    #[error(
        "clip {clip:?} has a key or an event at {first_key_secs} s and cannot move by {by_secs} s; trim it"
    )]
    KeysBefore {
        /// The name of the clip.
        clip: String,
        /// The time of its first key or event.
        first_key_secs: f32,
        /// The wanted shift, in seconds.
        by_secs: f32,
    },
    /// A clip without a duration cannot be stretched.
    #[error("clip {clip:?} has a duration of 0 s, which cannot be stretched")]
    NoDuration {
        /// The name of the clip.
        clip: String,
    },
    /// Another clip of the character has the name.
    #[error("there is already a clip {name:?}")]
    NameTaken {
        /// The name of both clips.
        name: String,
    },
    /// The character has no such clip.
    #[error("there is no clip {index}, there are {count}")]
    NoClip {
        /// The index of the clip.
        index: usize,
        /// The number of clips.
        count: usize,
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
    /// The clip does not fit the character.
    #[error(transparent)]
    Character(#[from] CharacterError),
}

impl From<ExtractError> for MotionError {
    fn from(error: ExtractError) -> Self {
        match error {
            ExtractError::WrongKind { clip, kind } => Self::WrongKind { clip, kind },
            ExtractError::WrongSize { what, count, wanted } => Self::WrongSize { what, count, wanted },
            ExtractError::FlatReference { joint } => Self::FlatReference { joint },
            ExtractError::NoRootMotion { clip } => Self::NoRootMotion { clip },
            ExtractError::FlatParent { joint } => Self::FlatParent { joint },
            ExtractError::Curve(error) => Self::Curve(error),
            ExtractError::Clip(error) => Self::Clip(error),
        }
    }
}

fn nearest(time_secs: Option<f32>) -> String {
    time_secs.map_or_else(String::new, |time| format!("; the nearest is at {time} s"))
}

/// Returns `value` if it is finite and not negative.
pub(super) fn not_negative(option: &'static str, value: f32) -> Result<f32, MotionError> {
    if value >= 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(MotionError::BadOption { option, value: value.into(), wanted: "finite and not negative" })
    }
}

/// Returns `value` if it is positive and finite.
pub(super) fn positive(option: &'static str, value: f32) -> Result<f32, MotionError> {
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(MotionError::BadOption { option, value: value.into(), wanted: "positive" })
    }
}
