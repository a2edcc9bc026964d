//! Raw, compact and compressed clips, as a graph plays them.

use crate::{
    asset::{
        clip::{Clip, ClipEvent, ClipKind, HomeSkeleton, MetaChannel},
        compact::CompactClip,
        compressed::CompressedClip,
        skeleton::JointId,
    },
    pose::LocalPose,
    sample::{ClipCursor, ClipRef, Wrap, sample_clip_from, sample_compact, sample_compressed},
};
use std::sync::Arc;

/// A clip that a graph plays.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// A clip with its original keys.
    Raw(Arc<Clip>),
    /// A clip in even frames of 16-bit numbers: the fastest to play.
    Compact(Arc<CompactClip>),
    /// A clip compressed with an error bound: the smallest.
    Compressed(Arc<CompressedClip>),
}

impl Motion {
    /// The fastest form that `clip` has without work: its compressed frames, or its keys.
    #[must_use]
    pub fn of_clip(clip: &Arc<Clip>) -> Self {
        clip.compressed().map_or_else(|| Self::Raw(clip.clone()), |frames| Self::Compressed(frames.clone()))
    }

    /// Name of the clip.
    pub fn name(&self) -> &str {
        match self {
            Self::Raw(clip) => clip.name(),
            Self::Compact(clip) => clip.name(),
            Self::Compressed(clip) => clip.name(),
        }
    }

    /// Whether the values are absolute or additive.
    pub fn kind(&self) -> ClipKind {
        match self {
            Self::Raw(clip) => clip.kind(),
            Self::Compact(clip) => clip.kind(),
            Self::Compressed(clip) => clip.kind(),
        }
    }

    /// The time of the last key or event, in seconds.
    pub fn duration_secs(&self) -> f32 {
        match self {
            Self::Raw(clip) => clip.duration_secs(),
            Self::Compact(clip) => clip.duration_secs(),
            Self::Compressed(clip) => clip.duration_secs(),
        }
    }

    /// The events, in order of time.
    pub fn events(&self) -> &[ClipEvent] {
        match self {
            Self::Raw(clip) => clip.events(),
            Self::Compact(clip) => clip.events(),
            Self::Compressed(clip) => clip.events(),
        }
    }

    /// The meta-channels of the clip.
    pub fn metas(&self) -> &[MetaChannel] {
        match self {
            Self::Raw(clip) => clip.metas(),
            Self::Compact(clip) => clip.metas(),
            Self::Compressed(clip) => clip.metas(),
        }
    }

    /// The number of joints and morph slots that a pose must have for this clip.
    pub(crate) fn pose_size(&self) -> (usize, usize) {
        match self {
            Self::Raw(clip) => (clip.joint_count(), clip.morph_slot_count()),
            Self::Compact(clip) => (clip.joint_count(), clip.morph_slot_count()),
            Self::Compressed(clip) => (clip.joint_count(), clip.morph_slot_count()),
        }
    }

    /// The clip with other joint numbers; channels of joints without one are left out, and morph weights if not wanted.
    pub(crate) fn with_joints(
        &self,
        joint_of: impl Fn(JointId) -> Option<JointId>,
        with_morphs: bool,
        home: HomeSkeleton,
    ) -> Self {
        match self {
            Self::Raw(clip) => Self::Raw(Arc::new(clip.with_joints(joint_of, with_morphs, home))),
            Self::Compact(clip) => Self::Compact(Arc::new(clip.with_joints(joint_of, with_morphs, home))),
            Self::Compressed(clip) => {
                Self::Compressed(Arc::new(clip.with_joints(joint_of, with_morphs, home)))
            }
        }
    }

    /// The skeleton that the clip's joint numbers refer to.
    pub(crate) fn home(&self) -> HomeSkeleton {
        ClipRef::from(self).home()
    }

    /// A cursor with room for all channels, so that sampling does not allocate.
    pub fn new_cursor(&self) -> ClipCursor {
        ClipCursor::with_room(match self {
            Self::Raw(clip) => clip
                .compressed()
                .map_or_else(|| clip.channels().len(), |frames| frames.keyed_channels().len()),
            Self::Compact(clip) => clip.keyed_channel_count(),
            Self::Compressed(clip) => clip.keyed_channels().len(),
        })
    }

    /// Samples the clip at `time_secs` into `pose`. Joints and morph slots without a channel do not change.
    ///
    /// # Panics
    /// If the pose has fewer joints or morph slots than the clip animates.
    pub fn sample(&self, time_secs: f32, cursor: &mut ClipCursor, pose: &mut LocalPose) {
        match self {
            Self::Raw(clip) => sample_clip_from(clip, time_secs, Wrap::Clamp, cursor, pose),
            Self::Compact(clip) => sample_compact(clip, time_secs, cursor, pose),
            Self::Compressed(clip) => sample_compressed(clip, time_secs, cursor, pose),
        }
    }
}

impl<'a> From<&'a Motion> for ClipRef<'a> {
    fn from(motion: &'a Motion) -> Self {
        match motion {
            Motion::Raw(clip) => clip.into(),
            Motion::Compact(clip) => clip.into(),
            Motion::Compressed(clip) => clip.into(),
        }
    }
}
