//! A borrowed clip: raw, compact or compressed.

use super::{ClipCursor, Wrap, sample_clip, sample_clip_from, sample_compact, sample_compressed};
use crate::{
    asset::{
        clip::{Clip, HomeSkeleton},
        compact::CompactClip,
        compressed::CompressedClip,
    },
    pose::LocalPose,
};
use std::sync::Arc;

/// A borrowed clip: raw, compact or compressed. The input of [`Frame::sample`](crate::Frame::sample).
#[derive(Clone, Copy, Debug)]
pub enum ClipRef<'a> {
    /// A raw clip with keyed curves.
    Raw(&'a Clip),
    /// A compact clip with quantized frames.
    Compact(&'a CompactClip),
    /// A clip compressed with an error bound.
    Compressed(&'a CompressedClip),
}

impl ClipRef<'_> {
    /// The clip's name, possibly empty.
    pub fn name(&self) -> &str {
        match self {
            Self::Raw(clip) => clip.name(),
            Self::Compact(clip) => clip.name(),
            Self::Compressed(clip) => clip.name(),
        }
    }

    /// The skeleton that the clip's joint numbers refer to.
    pub(crate) fn home(&self) -> HomeSkeleton {
        match self {
            Self::Raw(clip) => clip.home(),
            Self::Compact(clip) => clip.home(),
            Self::Compressed(clip) => clip.home(),
        }
    }

    /// The number of joints that a pose must have for this clip.
    pub fn joint_count(&self) -> usize {
        match self {
            Self::Raw(clip) => clip.joint_count(),
            Self::Compact(clip) => clip.joint_count(),
            Self::Compressed(clip) => clip.joint_count(),
        }
    }

    /// The number of morph weights that a pose must have for this clip.
    pub fn morph_slot_count(&self) -> usize {
        match self {
            Self::Raw(clip) => clip.morph_slot_count(),
            Self::Compact(clip) => clip.morph_slot_count(),
            Self::Compressed(clip) => clip.morph_slot_count(),
        }
    }

    /// Samples every animated joint and morph weight at `time_secs`, wrapped into the clip, into `pose`.
    ///
    /// # Panics
    /// If the pose has fewer joints or morph weights than the clip animates.
    pub fn sample(self, time_secs: f32, wrap: Wrap, cursor: &mut ClipCursor, pose: &mut LocalPose) {
        match self {
            // The cursor is for the clips that are made for playing.
            Self::Raw(clip) if clip.compressed().is_none() => sample_clip(clip, time_secs, wrap, pose),
            Self::Raw(clip) => sample_clip_from(clip, time_secs, wrap, cursor, pose),
            Self::Compact(clip) => {
                sample_compact(clip, wrap.apply(time_secs, clip.duration_secs()), cursor, pose);
            }
            Self::Compressed(clip) => {
                sample_compressed(clip, wrap.apply(time_secs, clip.duration_secs()), cursor, pose);
            }
        }
    }
}

impl<'a> From<&'a Clip> for ClipRef<'a> {
    fn from(clip: &'a Clip) -> Self {
        Self::Raw(clip)
    }
}

impl<'a> From<&'a Arc<Clip>> for ClipRef<'a> {
    fn from(clip: &'a Arc<Clip>) -> Self {
        Self::Raw(clip)
    }
}

impl<'a> From<&'a CompactClip> for ClipRef<'a> {
    fn from(clip: &'a CompactClip) -> Self {
        Self::Compact(clip)
    }
}

impl<'a> From<&'a Arc<CompactClip>> for ClipRef<'a> {
    fn from(clip: &'a Arc<CompactClip>) -> Self {
        Self::Compact(clip)
    }
}

impl<'a> From<&'a CompressedClip> for ClipRef<'a> {
    fn from(clip: &'a CompressedClip) -> Self {
        Self::Compressed(clip)
    }
}

impl<'a> From<&'a Arc<CompressedClip>> for ClipRef<'a> {
    fn from(clip: &'a Arc<CompressedClip>) -> Self {
        Self::Compressed(clip)
    }
}
