//! Clips: curves for joints, morph weights and named values, and events.

mod check;
mod decoded;
mod error;
mod home;
mod meta;
mod with_joints;

pub use error::{ClipError, MetaFault};
pub(crate) use home::HomeSkeleton;
pub use meta::{MetaChannel, MetaCurve};

use super::curve::{Curve, Interpolation};
use super::skeleton::JointId;
use check::{check_channel, check_meta};
use decoded::CompressedKeys;
use glam::{Quat, Vec3};

/// The keys of one animated property.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Channel {
    /// The translation of `parent_from_joint`.
    Translation {
        /// The joint that is animated.
        joint: JointId,
        /// Translations in meters over seconds.
        curve: Curve<Vec3>,
    },
    /// The rotation of `parent_from_joint`.
    Rotation {
        /// The joint that is animated.
        joint: JointId,
        /// Unit quaternions over seconds.
        curve: Curve<Quat>,
    },
    /// The scale of `parent_from_joint`.
    Scale {
        /// The joint that is animated.
        joint: JointId,
        /// Scale factors over seconds.
        curve: Curve<Vec3>,
    },
    /// Morph weights of one mesh instance.
    Morphs {
        /// The first morph slot in a pose; the curve's width is the number of slots.
        first_slot: usize,
        /// Morph weights over seconds.
        curve: Curve<f32>,
    },
}

impl Channel {
    /// The joint that is animated, or `None` for morph weights.
    pub fn joint(&self) -> Option<JointId> {
        match self {
            Self::Translation { joint, .. } | Self::Rotation { joint, .. } | Self::Scale { joint, .. } => {
                Some(*joint)
            }
            Self::Morphs { .. } => None,
        }
    }

    /// Number of keys of the channel.
    pub fn key_count(&self) -> usize {
        self.times_secs().len()
    }

    /// Times of the keys, in seconds.
    pub fn times_secs(&self) -> &[f32] {
        match self {
            Self::Translation { curve, .. } | Self::Scale { curve, .. } => curve.times_secs(),
            Self::Rotation { curve, .. } => curve.times_secs(),
            Self::Morphs { curve, .. } => curve.times_secs(),
        }
    }

    /// Interpolation between the keys of the channel.
    pub fn interpolation(&self) -> Interpolation {
        match self {
            Self::Translation { curve, .. } | Self::Scale { curve, .. } => curve.interpolation(),
            Self::Rotation { curve, .. } => curve.interpolation(),
            Self::Morphs { curve, .. } => curve.interpolation(),
        }
    }

    /// `translation`, `rotation`, `scale` or `weights`.
    pub fn property(&self) -> &'static str {
        match self {
            Self::Translation { .. } => "translation",
            Self::Rotation { .. } => "rotation",
            Self::Scale { .. } => "scale",
            Self::Morphs { .. } => "weights",
        }
    }
}

/// A named moment of a clip: a footfall, the start of a sound.
#[doc(alias = "notify")]
#[doc(alias = "marker")]
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClipEvent {
    /// Time from the start of the clip.
    pub time_secs: f32,
    /// Name, for instance `footfall.left`.
    pub name: String,
    /// Data for the listener, as text.
    pub payload: Option<String>,
}

/// Whether the values of a clip are absolute or additive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ClipKind {
    /// Local transforms and morph weights.
    #[default]
    Absolute,
    /// Differences that are added to a pose: of translations (in the parent's space) and of weights; `reference⁻¹ · q`
    /// for rotations, the ratio for scales.
    Additive,
}

/// The parts of a clip. Take a clip apart with [`Clip::into_parts`], change the parts and build another.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClipParts {
    /// The clip's name, possibly empty.
    pub name: String,
    /// Every channel, in file order.
    pub channels: Vec<Channel>,
    /// Every event, in any order.
    pub events: Vec<ClipEvent>,
    /// Every meta-channel; names are unique.
    pub metas: Vec<MetaChannel>,
    /// Whether the values are absolute or additive.
    pub kind: ClipKind,
    /// How long the clip lasts in seconds; `None` lasts until the last key or event. The last key holds until then. A clip
    /// never ends before its last key or event.
    #[cfg_attr(feature = "serde", serde(default))]
    pub duration_secs: Option<f32>,
}

impl ClipParts {
    /// The time of the last key or event in seconds; 0 if there is none.
    pub fn last_key_secs(&self) -> f32 {
        let ends = self.channels.iter().map(Channel::times_secs);
        let ends = ends.chain(self.metas.iter().map(|m| m.curve.times_secs())).filter_map(<[f32]>::last);
        let ends = ends.chain(self.events.iter().map(|e| &e.time_secs));
        ends.fold(0.0_f32, |a, &b| a.max(b))
    }
}

/// An animation: channels for joints and morph slots, meta-channels and events, from time 0 to its duration.
///
/// Clips are made for editing; a [`CompactClip`](crate::CompactClip) is made for playback. A clip of a cooked file is stored in
/// compressed frames, played from them, and has keys when they are asked for: see [`Clip::of_compressed`].
///
/// A clip of a character belongs to its skeleton: a [`Frame`](crate::Frame) of another character refuses it, since joint
/// numbers mean other joints there. Retarget it; or, if the numbers are meant, build a free clip from
/// [`Clip::into_parts`].
#[doc(alias = "animation")]
#[doc(alias = "sequence")]
#[doc(alias = "take")]
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Without channels if the clip is stored in compressed frames.
    parts: ClipParts,
    duration_secs: f32,
    home: HomeSkeleton,
    compressed: Option<CompressedKeys>,
}

impl Clip {
    /// A clip of local transforms that lasts until its last key or event. Events are sorted by time.
    ///
    /// # Errors
    /// If a value is not finite, a rotation is not a unit quaternion (within 1e-3), a joint curve is wider than one,
    /// or an event time is negative or not finite.
    pub fn new(
        name: impl Into<String>,
        channels: Vec<Channel>,
        events: Vec<ClipEvent>,
    ) -> Result<Self, ClipError> {
        Self::from_parts(ClipParts { name: name.into(), channels, events, ..ClipParts::default() })
    }

    /// A clip without keys that lasts `duration_secs`, to be filled with keys.
    ///
    /// # Errors
    /// If the duration is negative or not finite.
    pub fn empty(name: impl Into<String>, duration_secs: f32) -> Result<Self, ClipError> {
        let (name, duration_secs) = (name.into(), Some(duration_secs));
        Self::from_parts(ClipParts { name, duration_secs, ..ClipParts::default() })
    }

    /// A clip of `parts` that lasts as long as they say, and at least until its last key or event. Events are sorted by
    /// time.
    ///
    /// # Errors
    /// As [`Clip::new`] and [`Clip::with_metas`], and if the duration is negative or not finite.
    pub fn from_parts(mut parts: ClipParts) -> Result<Self, ClipError> {
        for (index, channel) in parts.channels.iter().enumerate() {
            check_channel(&parts.name, index, channel)?;
        }
        for index in 0..parts.metas.len() {
            check_meta(&parts.name, &parts.metas, index)?;
        }
        if let Some(bad) = parts.events.iter().find(|e| !e.time_secs.is_finite() || e.time_secs < 0.0) {
            let (event, time) = (bad.name.clone(), bad.time_secs);
            return Err(ClipError::BadEventTime { clip: parts.name, event, time });
        }
        parts.events.sort_by(|a, b| a.time_secs.total_cmp(&b.time_secs));
        let end_secs = parts.last_key_secs();
        if let Some(duration) = &mut parts.duration_secs {
            if !duration.is_finite() || *duration < 0.0 {
                return Err(ClipError::BadDuration { clip: parts.name, duration: *duration });
            }
            *duration = duration.max(end_secs);
        }
        let duration_secs = parts.duration_secs.unwrap_or(end_secs);
        Ok(Self { parts, duration_secs, home: HomeSkeleton::default(), compressed: None })
    }

    /// The same clip with other meta-channels. Its duration includes their last key.
    ///
    /// # Errors
    /// If a value is not finite, a rotation is not a unit quaternion, a curve is wider than one, or a name is repeated.
    pub fn with_metas(self, metas: Vec<MetaChannel>) -> Result<Self, ClipError> {
        Self::from_parts(ClipParts { metas, ..self.into_parts() })
    }

    /// The same clip with another duration; `None` lasts until the last key or event, and no clip ends earlier.
    ///
    /// # Errors
    /// If the duration is negative or not finite.
    pub fn with_duration(self, duration_secs: Option<f32>) -> Result<Self, ClipError> {
        Self::from_parts(ClipParts { duration_secs, ..self.into_parts() })
    }

    /// The same clip under another name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        let mut changed = self.with_keys();
        changed.parts.name = name.into();
        changed
    }

    /// The same values with another interpretation.
    #[must_use]
    pub fn with_kind(self, kind: ClipKind) -> Self {
        let mut changed = self.with_keys();
        changed.parts.kind = kind;
        changed
    }

    /// The same clip without compressed frames: its keys are decoded.
    #[must_use]
    pub fn with_keys(mut self) -> Self {
        if let Some(compressed) = self.compressed.take() {
            self.parts = compressed.into_keys();
        }
        self
    }

    /// The skeleton that the clip's joint numbers refer to, if a character owns the clip.
    pub(crate) fn home(&self) -> HomeSkeleton {
        self.home
    }

    /// The parts of the clip, to build a changed one from.
    pub fn into_parts(self) -> ClipParts {
        self.with_keys().parts
    }

    /// The parts, to inspect or clone.
    pub fn parts(&self) -> &ClipParts {
        self.compressed.as_ref().map_or(&self.parts, CompressedKeys::keys)
    }

    /// The clip's name, possibly empty.
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// Every channel, in file order.
    pub fn channels(&self) -> &[Channel] {
        &self.parts().channels
    }

    /// Every event, in order of time.
    pub fn events(&self) -> &[ClipEvent] {
        &self.parts.events
    }

    /// Every meta-channel, in file order.
    pub fn metas(&self) -> &[MetaChannel] {
        &self.parts.metas
    }

    /// The meta-channel called `name`.
    pub fn find_meta(&self, name: &str) -> Option<&MetaChannel> {
        self.parts.metas.iter().find(|m| m.name == name)
    }

    /// Whether the values are absolute or additive.
    pub fn kind(&self) -> ClipKind {
        self.parts.kind
    }

    /// How long the clip lasts, in seconds: as long as its parts say, or until the last key or event.
    pub fn duration_secs(&self) -> f32 {
        self.duration_secs
    }

    /// The time of the last key or event in seconds, at most the duration; 0 if there is none.
    pub fn last_key_secs(&self) -> f32 {
        self.parts().last_key_secs()
    }

    /// The number of joints that a pose must have for this clip.
    pub fn joint_count(&self) -> usize {
        if let Some(compressed) = self.compressed() {
            return compressed.joint_count();
        }
        self.parts.channels.iter().filter_map(Channel::joint).map(|j| j.index() + 1).max().unwrap_or(0)
    }

    /// The number of morph slots that a pose must have for this clip.
    pub fn morph_slot_count(&self) -> usize {
        if let Some(compressed) = self.compressed() {
            return compressed.morph_slot_count();
        }
        let ends = self.parts.channels.iter().map(|c| match c {
            Channel::Morphs { first_slot, curve } => first_slot + curve.width(),
            _ => 0,
        });
        ends.max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
