//! Clips of either kind, as a graph plays them.

use crate::{
    asset::{
        clip::{Clip, ClipEvent, ClipKind, MetaChannel},
        compact::CompactClip,
    },
    pose::LocalPose,
    sample::{ClipCursor, ClipRef, Wrap, sample_clip_from, sample_compact},
};
use std::sync::Arc;

/// A clip that a graph plays.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// With keys, as it was read.
    Raw(Arc<Clip>),
    /// Compressed for playback.
    Compact(Arc<CompactClip>),
}

impl Motion {
    /// Name of the clip.
    pub fn name(&self) -> &str {
        match self {
            Self::Raw(clip) => clip.name(),
            Self::Compact(clip) => clip.name(),
        }
    }

    /// What its values mean.
    pub fn kind(&self) -> ClipKind {
        match self {
            Self::Raw(clip) => clip.kind(),
            Self::Compact(clip) => clip.kind(),
        }
    }

    /// The time of its last key or event.
    pub fn duration_secs(&self) -> f32 {
        match self {
            Self::Raw(clip) => clip.duration_secs(),
            Self::Compact(clip) => clip.duration_secs(),
        }
    }

    /// Its events, in order of time.
    pub fn events(&self) -> &[ClipEvent] {
        match self {
            Self::Raw(clip) => clip.events(),
            Self::Compact(clip) => clip.events(),
        }
    }

    /// The meta-channels of the clip.
    pub fn metas(&self) -> &[MetaChannel] {
        match self {
            Self::Raw(clip) => clip.metas(),
            Self::Compact(clip) => clip.metas(),
        }
    }

    /// How many joints and morph slots a pose must have to take it.
    pub(super) fn pose_size(&self) -> (usize, usize) {
        match self {
            Self::Raw(clip) => (clip.joint_count(), clip.morph_slot_count()),
            Self::Compact(clip) => (clip.joint_count(), clip.morph_slot_count()),
        }
    }

    /// A cursor with all the room that it will need.
    pub fn new_cursor(&self) -> ClipCursor {
        ClipCursor::with_room(match self {
            Self::Raw(clip) => clip.channels().len(),
            Self::Compact(clip) => clip.keyed_channel_count(),
        })
    }

    /// Samples it at a time of its own over what `pose` holds.
    ///
    /// # Panics
    /// If the pose has fewer joints or morph slots than it animates.
    pub fn sample(&self, time_secs: f32, cursor: &mut ClipCursor, pose: &mut LocalPose) {
        match self {
            Self::Raw(clip) => sample_clip_from(clip, time_secs, Wrap::Clamp, cursor, pose),
            Self::Compact(clip) => sample_compact(clip, time_secs, cursor, pose),
        }
    }
}

impl<'a> From<&'a Motion> for ClipRef<'a> {
    fn from(motion: &'a Motion) -> Self {
        match motion {
            Motion::Raw(clip) => clip.into(),
            Motion::Compact(clip) => clip.into(),
        }
    }
}
