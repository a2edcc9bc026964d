//! Why parts make no clip.

use thiserror::Error;

/// Why channels and events make no clip.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ClipError {
    /// A rotation key is not a unit quaternion.
    #[error("clip {clip:?}, channel {channel}: rotation key {key} has length {length}")]
    NonUnitRotation {
        /// The clip's name.
        clip: String,
        /// The channel's place.
        channel: usize,
        /// The key's place.
        key: usize,
        /// The quaternion's length.
        length: f32,
    },
    /// A value or tangent is NaN or infinite.
    #[error("clip {clip:?}, channel {channel}: element {element} is not finite")]
    NotFinite {
        /// The clip's name.
        clip: String,
        /// The channel's place.
        channel: usize,
        /// The element's place among values and tangents.
        element: usize,
    },
    /// A joint channel must have one value a key.
    #[error("clip {clip:?}, channel {channel}: a joint has one value a key, not {width}")]
    WrongWidth {
        /// The clip's name.
        clip: String,
        /// The channel's place.
        channel: usize,
        /// How many values a key has.
        width: usize,
    },
    /// An event's time is negative or not finite.
    #[error("clip {clip:?}: event {event:?} is at {time} s")]
    BadEventTime {
        /// The clip's name.
        clip: String,
        /// The event's name.
        event: String,
        /// Its time.
        time: f32,
    },
    /// A meta-channel cannot be used.
    #[error("clip {clip:?}, meta-channel {meta:?}: {fault}")]
    BadMeta {
        /// The clip's name.
        clip: String,
        /// The meta-channel's name.
        meta: String,
        /// What is wrong with it.
        fault: MetaFault,
    },
}

/// What can be wrong with a meta-channel.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum MetaFault {
    /// A value or tangent is NaN or infinite.
    #[error("element {element} is not finite")]
    NotFinite {
        /// The element's place among values and tangents.
        element: usize,
    },
    /// A rotation key is not a unit quaternion.
    #[error("rotation key {key} has length {length}")]
    NonUnitRotation {
        /// The key's place.
        key: usize,
        /// The quaternion's length.
        length: f32,
    },
    /// A meta-channel has one value a key.
    #[error("there is one value a key, not {width}")]
    WrongWidth {
        /// How many values a key has.
        width: usize,
    },
    /// Another meta-channel of the clip has the same name.
    #[error("the name is taken by another")]
    Repeated,
}
