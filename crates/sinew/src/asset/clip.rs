//! Motion: curves for joints and morph weights, and events.

use super::curve::{Curve, Interpolation};
use super::skeleton::JointId;
use glam::{Quat, Vec3};
use thiserror::Error;

/// One animated property.
#[derive(Clone, Debug, PartialEq)]
pub enum Channel {
    /// The translation of `parent_from_joint`.
    Translation {
        /// Whose.
        joint: JointId,
        /// Metres over seconds.
        curve: Curve<Vec3>,
    },
    /// The rotation of `parent_from_joint`.
    Rotation {
        /// Whose.
        joint: JointId,
        /// Unit quaternions over seconds.
        curve: Curve<Quat>,
    },
    /// The scale of `parent_from_joint`.
    Scale {
        /// Whose.
        joint: JointId,
        /// Factors over seconds.
        curve: Curve<Vec3>,
    },
    /// Morph weights of one mesh instance.
    Morphs {
        /// The first of the pose's morph slots; the curve's width says how many follow.
        first_slot: usize,
        /// Weights over seconds.
        curve: Curve<f32>,
    },
}

impl Channel {
    /// The joint that moves, or `None` for morph weights.
    pub fn joint(&self) -> Option<JointId> {
        match self {
            Self::Translation { joint, .. } | Self::Rotation { joint, .. } | Self::Scale { joint, .. } => {
                Some(*joint)
            }
            Self::Morphs { .. } => None,
        }
    }

    /// How many keys it has.
    pub fn key_count(&self) -> usize {
        self.times_secs().len()
    }

    /// When its keys are.
    pub fn times_secs(&self) -> &[f32] {
        match self {
            Self::Translation { curve, .. } | Self::Scale { curve, .. } => curve.times_secs(),
            Self::Rotation { curve, .. } => curve.times_secs(),
            Self::Morphs { curve, .. } => curve.times_secs(),
        }
    }

    /// How it runs between keys.
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

/// Something that happens at a moment of a clip: a foot lands, a sound starts.
#[derive(Clone, Debug, PartialEq)]
pub struct ClipEvent {
    /// When, from the clip's start.
    pub time_secs: f32,
    /// What, for instance `footfall.left`.
    pub name: String,
    /// Anything the listener needs to know.
    pub payload: Option<String>,
}

/// A piece of motion: channels over joints and morph slots, and events, from time 0 to its duration.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    name: String,
    channels: Vec<Channel>,
    events: Vec<ClipEvent>,
    duration_secs: f32,
}

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
}

impl Clip {
    /// A clip that lasts until its last key or event. Events are put in order of time.
    ///
    /// # Errors
    /// Where a value is not finite, a rotation is not of unit length (beyond 1e-3), a joint's curve is wider than one,
    /// or an event's time is not a time.
    pub fn new(
        name: impl Into<String>,
        channels: Vec<Channel>,
        mut events: Vec<ClipEvent>,
    ) -> Result<Self, ClipError> {
        let name = name.into();
        for (index, channel) in channels.iter().enumerate() {
            check_channel(&name, index, channel)?;
        }
        if let Some(bad) = events.iter().find(|e| !e.time_secs.is_finite() || e.time_secs < 0.0) {
            let (event, time) = (bad.name.clone(), bad.time_secs);
            return Err(ClipError::BadEventTime { clip: name, event, time });
        }
        events.sort_by(|a, b| a.time_secs.total_cmp(&b.time_secs));
        let ends = channels.iter().filter_map(|c| c.times_secs().last());
        let duration_secs = ends.chain(events.last().map(|e| &e.time_secs)).fold(0.0_f32, |a, &b| a.max(b));
        Ok(Self { name, channels, events, duration_secs })
    }

    /// The clip's name, possibly empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Every channel.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// Every event, in order of time.
    pub fn events(&self) -> &[ClipEvent] {
        &self.events
    }

    /// The time of the last key or event.
    pub fn duration_secs(&self) -> f32 {
        self.duration_secs
    }

    /// How many joints a pose must have at least to take this clip.
    pub fn joint_count(&self) -> usize {
        self.channels.iter().filter_map(Channel::joint).map(|j| j.index() + 1).max().unwrap_or(0)
    }

    /// How many morph slots a pose must have at least to take this clip.
    pub fn morph_slot_count(&self) -> usize {
        let ends = self.channels.iter().map(|c| match c {
            Channel::Morphs { first_slot, curve } => first_slot + curve.width(),
            _ => 0,
        });
        ends.max().unwrap_or(0)
    }
}

fn check_channel(clip: &str, channel: usize, it: &Channel) -> Result<(), ClipError> {
    let (width, bad_element) = match it {
        Channel::Translation { curve, .. } | Channel::Scale { curve, .. } => {
            (curve.width(), curve.elements().iter().position(|v| !v.is_finite()))
        }
        Channel::Rotation { curve, .. } => {
            (curve.width(), curve.elements().iter().position(|v| !v.is_finite()))
        }
        Channel::Morphs { curve, .. } => (1, curve.elements().iter().position(|v| !v.is_finite())),
    };
    if width != 1 {
        return Err(ClipError::WrongWidth { clip: clip.into(), channel, width });
    }
    if let Some(element) = bad_element {
        return Err(ClipError::NotFinite { clip: clip.into(), channel, element });
    }
    if let Channel::Rotation { curve, .. } = it {
        let length = |key: &usize| curve.key(*key)[0].length();
        if let Some(key) = (0..curve.key_count()).find(|k| (length(k) - 1.0).abs() > 1e-3) {
            return Err(ClipError::NonUnitRotation { clip: clip.into(), channel, key, length: length(&key) });
        }
    }
    Ok(())
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
    fn rejects_a_rotation_that_is_not_of_unit_length() {
        let channel = rotation(vec![Quat::IDENTITY, Quat::from_xyzw(0.0, 0.0, 0.0, 1.1)]);
        let error = Clip::new("c", vec![channel], vec![]).unwrap_err();
        assert!(matches!(error, ClipError::NonUnitRotation { channel: 0, key: 1, .. }));
    }

    #[test]
    fn rejects_values_and_event_times_that_are_not_finite() {
        let channel = rotation(vec![Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0)]);
        assert!(matches!(Clip::new("c", vec![channel], vec![]), Err(ClipError::NotFinite { .. })));
        let event = ClipEvent { time_secs: f32::NAN, name: "e".into(), payload: None };
        assert!(matches!(Clip::new("c", vec![], vec![event]), Err(ClipError::BadEventTime { .. })));
    }
}
