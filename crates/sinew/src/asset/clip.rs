//! Clips: curves for joints, morph weights and named values, and events.

mod check;
mod error;
mod home;
mod meta;

pub use error::{ClipError, MetaFault};
pub(crate) use home::HomeSkeleton;
pub use meta::{MetaChannel, MetaCurve};

use super::curve::{Curve, Interpolation};
use super::skeleton::JointId;
use check::{check_channel, check_meta};
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
}

/// An animation: channels for joints and morph slots, meta-channels and events, from time 0 to its duration.
///
/// Clips are made for editing; a [`CompactClip`](crate::CompactClip) is made for playback.
///
/// A clip of a character belongs to its skeleton: a [`Frame`](crate::Frame) of another character refuses it, since joint
/// numbers mean other joints there. Retarget it; or, if the numbers are meant, build a free clip from
/// [`Clip::into_parts`].
#[doc(alias = "animation")]
#[doc(alias = "sequence")]
#[doc(alias = "take")]
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    parts: ClipParts,
    duration_secs: f32,
    home: HomeSkeleton,
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

    /// A clip of `parts` that lasts until its last key or event. Events are sorted by time.
    ///
    /// # Errors
    /// As [`Clip::new`] and [`Clip::with_metas`].
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
        let ends = parts.channels.iter().map(Channel::times_secs);
        let ends = ends.chain(parts.metas.iter().map(|m| m.curve.times_secs())).filter_map(<[f32]>::last);
        let ends = ends.chain(parts.events.last().map(|e| &e.time_secs));
        let duration_secs = ends.fold(0.0_f32, |a, &b| a.max(b));
        Ok(Self { parts, duration_secs, home: HomeSkeleton::default() })
    }

    /// The same clip with other meta-channels. Its duration includes their last key.
    ///
    /// # Errors
    /// If a value is not finite, a rotation is not a unit quaternion, a curve is wider than one, or a name is repeated.
    pub fn with_metas(self, metas: Vec<MetaChannel>) -> Result<Self, ClipError> {
        Self::from_parts(ClipParts { metas, ..self.parts })
    }

    /// The same values with another interpretation.
    #[must_use]
    pub fn with_kind(mut self, kind: ClipKind) -> Self {
        self.parts.kind = kind;
        self
    }

    /// The skeleton that the clip's joint numbers refer to, if a character owns the clip.
    pub(crate) fn home(&self) -> HomeSkeleton {
        self.home
    }

    /// The same clip, owned by a character with `skeleton`.
    pub(crate) fn set_home(&mut self, home: HomeSkeleton) {
        self.home = home;
    }

    /// The parts of the clip, to build a changed one from.
    pub fn into_parts(self) -> ClipParts {
        self.parts
    }

    /// The parts, to inspect or clone.
    pub fn parts(&self) -> &ClipParts {
        &self.parts
    }

    /// The clip's name, possibly empty.
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// Every channel, in file order.
    pub fn channels(&self) -> &[Channel] {
        &self.parts.channels
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

    /// The time of the last key or event.
    pub fn duration_secs(&self) -> f32 {
        self.duration_secs
    }

    /// The number of joints that a pose must have for this clip.
    pub fn joint_count(&self) -> usize {
        self.parts.channels.iter().filter_map(Channel::joint).map(|j| j.index() + 1).max().unwrap_or(0)
    }

    /// The number of morph slots that a pose must have for this clip.
    pub fn morph_slot_count(&self) -> usize {
        let ends = self.parts.channels.iter().map(|c| match c {
            Channel::Morphs { first_slot, curve } => first_slot + curve.width(),
            _ => 0,
        });
        ends.max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotation(keys: Vec<Quat>) -> Channel {
        let times = (0..keys.len()).map(|k| k as f32).collect();
        Channel::Rotation {
            joint: JointId(4),
            curve: Curve::new(times, keys, Interpolation::Linear).unwrap(),
        }
    }

    #[test]
    fn lasts_until_the_last_key_or_event() {
        let channel = rotation(vec![Quat::IDENTITY; 3]);
        let event = |t| ClipEvent { time_secs: t, name: "e".into(), payload: None };
        let clip = Clip::new("c", vec![channel.clone()], vec![]).unwrap();
        assert_eq!((clip.duration_secs(), clip.joint_count()), (2.0, 5));
        let clip = Clip::new("c", vec![channel], vec![event(3.0), event(1.0)]).unwrap();
        assert_eq!(clip.duration_secs(), 3.0);
        assert_eq!(clip.events()[0].time_secs, 1.0);
    }

    #[test]
    fn rejects_morph_slots_that_cannot_be_numbered() {
        let curve = Curve::with_width(2, vec![0.0], vec![0.0; 2], Interpolation::Step).unwrap();
        let of_slot = |first_slot| vec![Channel::Morphs { first_slot, curve: curve.clone() }];
        assert!(Clip::new("c", of_slot(7), vec![]).is_ok());
        for slot in [usize::MAX, usize::MAX - 1, u32::MAX as usize] {
            let error = Clip::new("c", of_slot(slot), vec![]).unwrap_err();
            assert!(matches!(error, ClipError::SlotOutOfRange { width: 2, .. }), "{slot}");
        }
    }

    #[test]
    fn rejects_a_rotation_that_is_not_of_unit_length() {
        let channel = rotation(vec![Quat::IDENTITY, Quat::from_xyzw(0.0, 0.0, 0.0, 1.1)]);
        let error = Clip::new("c", vec![channel], vec![]).unwrap_err();
        assert!(matches!(error, ClipError::NonUnitRotation { channel: 0, key: 1, .. }));
    }

    #[test]
    fn meta_channels_are_found_by_name_and_lengthen_the_clip() {
        let curve = Curve::new(vec![0.0, 5.0], vec![0.0, 1.0], Interpolation::Linear).unwrap();
        let meta = MetaChannel { name: "glow".into(), curve: MetaCurve::Scalar(curve) };
        let clip = Clip::new("c", vec![rotation(vec![Quat::IDENTITY; 3])], vec![]).unwrap();
        let clip = clip.with_metas(vec![meta.clone()]).unwrap();
        assert_eq!(clip.duration_secs(), 5.0);
        assert_eq!(clip.find_meta("glow"), Some(&meta));
        assert_eq!(clip.find_meta("gleam"), None);
        assert_eq!(Clip::from_parts(clip.clone().into_parts()).unwrap(), clip);
    }

    #[test]
    fn rejects_meta_channels_that_share_a_name_or_hold_no_values() {
        let meta = |value: f32| MetaChannel {
            name: "m".into(),
            curve: MetaCurve::Scalar(Curve::new(vec![0.0], vec![value], Interpolation::Step).unwrap()),
        };
        let fault = |metas| match Clip::new("c", vec![], vec![]).unwrap().with_metas(metas) {
            Err(ClipError::BadMeta { fault, .. }) => Some(fault),
            _ => None,
        };
        assert_eq!(fault(vec![meta(1.0)]), None);
        assert_eq!(fault(vec![meta(1.0), meta(2.0)]), Some(MetaFault::Repeated));
        assert_eq!(fault(vec![meta(f32::NAN)]), Some(MetaFault::NotFinite { element: 0 }));
        let wide = Curve::with_width(2, vec![0.0], vec![Vec3::ONE; 2], Interpolation::Step).unwrap();
        let wide = MetaChannel { name: "m".into(), curve: MetaCurve::Vector(wide) };
        assert_eq!(fault(vec![wide]), Some(MetaFault::WrongWidth { width: 2 }));
        let long = Curve::new(vec![0.0], vec![Quat::from_xyzw(0.0, 0.0, 0.0, 2.0)], Interpolation::Step);
        let long = MetaChannel { name: "m".into(), curve: MetaCurve::Rotation(long.unwrap()) };
        assert!(matches!(fault(vec![long]), Some(MetaFault::NonUnitRotation { key: 0, .. })));
    }

    #[test]
    fn rejects_values_and_event_times_that_are_not_finite() {
        let channel = rotation(vec![Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0)]);
        assert!(matches!(Clip::new("c", vec![channel], vec![]), Err(ClipError::NotFinite { .. })));
        let event = ClipEvent { time_secs: f32::NAN, name: "e".into(), payload: None };
        assert!(matches!(Clip::new("c", vec![], vec![event]), Err(ClipError::BadEventTime { .. })));
    }
}
