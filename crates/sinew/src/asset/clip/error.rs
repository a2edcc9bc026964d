//! Errors of clips and their meta-channels.

use thiserror::Error;

/// Why channels and events do not form a clip.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ClipError {
    /// A rotation key is not a unit quaternion.
    #[error("clip {clip:?}, channel {channel}: rotation key {key} must have length 1, got {length}")]
    NonUnitRotation {
        /// Name of the clip.
        clip: String,
        /// Index of the channel in the clip.
        channel: usize,
        /// Index of the key in the curve.
        key: usize,
        /// Length of the quaternion, which must be 1.
        length: f32,
    },
    /// A value or tangent is not finite or exceeds [`MAX_VALUE`](crate::MAX_VALUE).
    #[error("clip {clip:?}, channel {channel}: element {element} is not finite or exceeds 1e12")]
    OutOfRange {
        /// Name of the clip.
        clip: String,
        /// Index of the channel in the clip.
        channel: usize,
        /// Index of the element among values and tangents.
        element: usize,
    },
    /// A joint channel must have one value per key.
    #[error("clip {clip:?}, channel {channel}: a joint curve must have one value per key, got {width}")]
    WrongWidth {
        /// Name of the clip.
        clip: String,
        /// Index of the channel in the clip.
        channel: usize,
        /// How many values each key has.
        width: usize,
    },
    /// The morph slots of a channel lie beyond what can be numbered.
    #[error(
        "clip {clip:?}, channel {channel}: {width} morph slots from {first_slot} on are beyond {}",
        u32::MAX
    )]
    SlotOutOfRange {
        /// Name of the clip.
        clip: String,
        /// Index of the channel in the clip.
        channel: usize,
        /// The first morph slot of the channel.
        first_slot: usize,
        /// How many morph slots the channel animates.
        width: usize,
    },
    /// An event's time is negative or not finite.
    #[error("clip {clip:?}: the time of event {event:?} must be finite and not negative, got {time} s")]
    BadEventTime {
        /// Name of the clip.
        clip: String,
        /// Name of the event.
        event: String,
        /// Its time in seconds.
        time: f32,
    },
    /// The duration is negative or not finite.
    #[error("clip {clip:?}: the duration must be finite and not negative, got {duration} s")]
    BadDuration {
        /// Name of the clip.
        clip: String,
        /// The duration in seconds.
        duration: f32,
    },
    /// A meta-channel is invalid.
    #[error("clip {clip:?}, meta-channel {meta:?}: {fault}")]
    BadMeta {
        /// Name of the clip.
        clip: String,
        /// Name of the meta-channel.
        meta: String,
        /// What is wrong with it.
        fault: MetaFault,
    },
}

/// Why a meta-channel is invalid.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MetaFault {
    /// A value or tangent is NaN or infinite.
    #[error("element {element} is not finite")]
    NotFinite {
        /// Index of the element among values and tangents.
        element: usize,
    },
    /// A rotation key is not a unit quaternion.
    #[error("rotation key {key} must have length 1, got {length}")]
    NonUnitRotation {
        /// Index of the key in the curve.
        key: usize,
        /// Length of the quaternion, which must be 1.
        length: f32,
    },
    /// A meta-channel must have one value per key.
    #[error("must have one value per key, got {width}")]
    WrongWidth {
        /// How many values each key has.
        width: usize,
    },
    /// Another meta-channel of the clip has the same name.
    #[error("the name is used by another meta-channel")]
    Repeated,
}
