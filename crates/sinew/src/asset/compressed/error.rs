//! Why bytes are not a compressed clip.

use thiserror::Error;

/// Why parts do not form a compressed clip.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CompressedError {
    /// The rate is not positive or there are too many frames.
    #[error("compressed clip {clip:?}: the rate must be positive and finite, got {rate_hz} Hz")]
    BadRate {
        /// The name of the clip.
        clip: String,
        /// The rate that was given.
        rate_hz: f64,
    },
    /// A track has a number that is not finite, or a mean rotation that is not a unit quaternion.
    #[error("compressed clip {clip:?}: {kind} track {track} has numbers out of range")]
    BadTrack {
        /// The name of the clip.
        clip: String,
        /// What the track animates.
        kind: &'static str,
        /// The index of the track.
        track: usize,
    },
    /// The number of segments does not fit the number of frames.
    #[error("compressed clip {clip:?}: {frames} frames need {needed} segments, got {segments}")]
    WrongSegments {
        /// The name of the clip.
        clip: String,
        /// The number of frames that are stored.
        frames: usize,
        /// The number of segments that they need.
        needed: usize,
        /// The number of segments that were given.
        segments: usize,
    },
    /// A segment is not where the one before it ends, or the data ends before it does.
    #[error("compressed clip {clip:?}: segment {segment} does not fit the {bytes} bytes of data")]
    BadSegment {
        /// The name of the clip.
        clip: String,
        /// The index of the segment.
        segment: usize,
        /// The size of the data.
        bytes: usize,
    },
    /// The constants, curves, events or meta-channels are not those of a clip.
    #[error(transparent)]
    Clip(#[from] crate::asset::clip::ClipError),
    /// A joint or morph slot is beyond those of any pose.
    #[error("compressed clip {clip:?}: it animates joint or morph slot {index}, more than a pose can have")]
    TargetOutOfRange {
        /// The name of the clip.
        clip: String,
        /// The joint or slot.
        index: usize,
    },
}
