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
    /// A track has a number that is out of range.
    #[error("compressed clip {clip:?}: {kind} track {track} has numbers out of range")]
    BadTrack {
        /// The name of the clip.
        clip: String,
        /// What the track animates.
        kind: &'static str,
        /// The index of the track.
        track: usize,
    },
    /// There are no frames, or the segments are too long, or there is too much data.
    #[error(
        "compressed clip {clip:?}: {frames} frames in segments of {blocks} blocks in {bytes} bytes of data"
    )]
    WrongSegments {
        /// The name of the clip.
        clip: String,
        /// The number of frames that are stored.
        frames: usize,
        /// The number of blocks of a segment.
        blocks: usize,
        /// The size of the data.
        bytes: usize,
    },
    /// The data ends before a segment does.
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
    /// The bytes are of another version.
    #[error("compressed clip: version {version} is unsupported, the supported one is {supported}")]
    UnsupportedVersion {
        /// The version of the bytes.
        version: u8,
        /// The version that can be read.
        supported: u8,
    },
    /// The bytes end before the clip does.
    #[error("compressed clip: {what} at byte {at} needs {needed} bytes, {left} are left")]
    TooFewBytes {
        /// What the bytes end in.
        what: &'static str,
        /// The place of its first byte.
        at: usize,
        /// The bytes that it needs.
        needed: usize,
        /// The bytes that are left.
        left: usize,
    },
    /// The bytes go on behind the clip.
    #[error("compressed clip: {extra} bytes follow its end at byte {end}")]
    ExtraBytes {
        /// Where the clip ends.
        end: usize,
        /// The bytes behind it.
        extra: usize,
    },
    /// A value is out of range or not valid UTF-8.
    #[error("compressed clip: {what} before byte {end} is malformed")]
    BadBytes {
        /// The value that is malformed.
        what: &'static str,
        /// The place behind its last byte.
        end: usize,
    },
    /// Keys do not form a curve.
    #[error("compressed clip: the curve before byte {end}: {source}")]
    BadCurve {
        /// Where the curve ends.
        end: usize,
        /// What is wrong with it.
        source: crate::asset::curve::CurveError,
    },
}
