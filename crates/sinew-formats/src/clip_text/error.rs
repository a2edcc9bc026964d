//! Why a text is not a list of clips.

use super::{HEADER, MAX_BYTES};
use sinew::{ClipError, CurveError};
use thiserror::Error;

/// A fault of a text with clips, with its place.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("line {line}: {fault}")]
pub struct ClipTextError {
    /// The line number, counted from 1.
    pub line: usize,
    /// What is wrong, with the names and values of the text.
    pub fault: ClipTextFault,
}

/// What is wrong in a text with clips.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ClipTextFault {
    /// The text is too long.
    #[error("the text must have at most {MAX_BYTES} bytes, got {bytes}")]
    TooLong {
        /// The length of the text.
        bytes: usize,
    },
    /// The first line is another one.
    #[error("the first line must be {HEADER:?}, got {text:?}")]
    BadHeader {
        /// The content of the line.
        text: String,
    },
    /// A line has no known form.
    #[error("{text:?} is neither clip, duration, additive, joint, slots, meta, event nor a key")]
    UnknownLine {
        /// The content of the line.
        text: String,
    },
    /// A known line lacks a part or has one too many.
    #[error("the line must be {form}")]
    BadForm {
        /// The form of the line.
        form: &'static str,
    },
    /// A line comes before the clip that it belongs to.
    #[error("a line \"clip NAME\" must come first")]
    NoClip,
    /// A key comes before the channel that it belongs to.
    #[error("a key must follow a line that starts a channel")]
    NoChannel,
    /// A line starts a channel but no key follows.
    #[error("the channel has no key")]
    NoKeys,
    /// The character has no such joint.
    #[error("there is no joint {joint:?}; {hint}")]
    UnknownJoint {
        /// The name in the text.
        joint: String,
        /// Joints that exist, in words.
        hint: String,
    },
    /// There is no such property, kind or interpolation.
    #[error("{what} must be {wanted}, got {value:?}")]
    UnknownWord {
        /// The meaning of the word.
        what: &'static str,
        /// The word in the text.
        value: String,
        /// The words that are allowed.
        wanted: &'static str,
    },
    /// A word is not a finite number.
    #[error("{value:?} is not a number")]
    BadNumber {
        /// The word in the text.
        value: String,
    },
    /// A key has another number of values than its channel.
    #[error("a key of this channel must have a time and {wanted} numbers, got {count}")]
    WrongCount {
        /// The number of values of the key.
        count: usize,
        /// The number of values that it must have.
        wanted: usize,
    },
    /// The keys are not a valid curve.
    #[error(transparent)]
    Curve(#[from] CurveError),
    /// The channels are not a valid clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
}
