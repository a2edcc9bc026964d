//! Why a text is not a pose.

use super::MAX_BYTES;
use std::fmt;
use thiserror::Error;

/// A fault of a pose text, with its place.
#[derive(Clone, Debug, Error, PartialEq)]
pub struct PoseTextError {
    /// The line number, counted from 1; `None` for a text of one line.
    pub line: Option<usize>,
    /// What is wrong, with the names and values of the text.
    pub fault: PoseTextFault,
}

impl fmt::Display for PoseTextError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(out, "line {line}: {}", self.fault),
            None => self.fault.fmt(out),
        }
    }
}

/// What is wrong in a pose text.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PoseTextFault {
    /// The text is longer than any pose.
    #[error("the text must have at most {MAX_BYTES} bytes, got {bytes}")]
    TooLong {
        /// The length of the text.
        bytes: usize,
    },
    /// An entry does not have the form of one.
    #[error("{entry:?} is not JOINT:CHANNEL=VALUE, such as elbow:rz=-90")]
    BadEntry {
        /// The content of the entry.
        entry: String,
    },
    /// A line begins with an entry that names no joint.
    #[error("{entry:?} names no joint; write JOINT:{entry}")]
    NoJoint {
        /// The content of the entry.
        entry: String,
    },
    /// The character has no such joint.
    #[error("there is no joint {joint:?}; {hint}")]
    UnknownJoint {
        /// The name in the text.
        joint: String,
        /// Joints that exist, in words.
        hint: String,
    },
    /// The character has no such morph target.
    #[error("there is no morph target {target:?}; {hint}")]
    UnknownMorph {
        /// The name in the text.
        target: String,
        /// Morph targets that exist, in words.
        hint: String,
    },
    /// There is no such channel.
    #[error(
        "joint {joint:?} has no channel {channel:?}; there are rx, ry, rz, tx, ty, tz, sx, sy, sz, s, and w for morph targets"
    )]
    UnknownChannel {
        /// The name of the joint in the text.
        joint: String,
        /// The name of the channel in the text.
        channel: String,
    },
    /// A value is not a number in range.
    #[error("{joint}:{channel} must be a number from -1000000 to 1000000, got {value:?}")]
    BadValue {
        /// The name of the joint in the text.
        joint: String,
        /// The name of the channel.
        channel: String,
        /// The value in the text.
        value: String,
    },
    /// An offset, factor or weight is given twice. Rotations may be given several times.
    #[error("{joint}:{channel} is given twice")]
    Repeated {
        /// The name of the joint or morph target.
        joint: String,
        /// The name of the channel.
        channel: String,
    },
}
