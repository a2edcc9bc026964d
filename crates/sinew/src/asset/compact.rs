//! Motion made for playing: small, immutable, sampled in constant time.

mod block;
mod build;
mod error;
mod measure;
mod rate;
mod tracks;

pub use build::{CompactOptions, CompactReport};
pub use error::CompactError;

pub(crate) use block::{LANES, TrackBlock};

use super::{
    clip::{Channel, Clip, ClipEvent, ClipKind, MetaChannel},
    skeleton::{JointId, Skeleton},
};
use glam::{Quat, Vec3};

/// A runtime clip: frames at a steady rate, sixteen bits a number within each track's range.
///
/// What never moves is stored once. What steady frames cannot hold within the tolerance (steps, jumps, keys between the
/// frames) stays a curve with keys. A sample reads two neighbouring frames, so it costs the same wherever it is and
/// however long the clip. Between frames rotations run along the chord; the error that this and the sixteen bits
/// make is measured, and the report states it.
///
/// Made from a [`Clip`], which is the one to edit, and played with [`sample_compact`](crate::sample_compact).
#[derive(Clone, Debug, PartialEq)]
pub struct CompactClip {
    name: String,
    kind: ClipKind,
    duration_secs: f32,
    joint_count: usize,
    morph_slot_count: usize,
    events: Vec<ClipEvent>,
    metas: Vec<MetaChannel>,
    pub(crate) constants: Constants,
    pub(crate) frames: Frames,
    pub(crate) keyed: Vec<Channel>,
}

/// What never moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Constants {
    pub(crate) translations: Vec<(JointId, Vec3)>,
    pub(crate) rotations: Vec<(JointId, Quat)>,
    pub(crate) scales: Vec<(JointId, Vec3)>,
    pub(crate) morphs: Vec<(usize, f32)>,
}

/// Everything that is stored frame by frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Frames {
    /// Frames a second.
    pub(crate) rate_hz: f64,
    /// How many there are: none, or at least two.
    pub(crate) count: usize,
    /// Numbers in a frame. In every frame the blocks follow each other in the order below.
    pub(crate) stride: usize,
    pub(crate) data: Vec<u16>,
    pub(crate) rotations: Vec<TrackBlock<4>>,
    pub(crate) translations: Vec<TrackBlock<3>>,
    pub(crate) scales: Vec<TrackBlock<3>>,
    pub(crate) morphs: Vec<TrackBlock<1>>,
}

impl CompactClip {
    /// A compact clip of `clip` for characters with `skeleton`, and what it cost.
    ///
    /// # Errors
    /// Where the clip moves joints that the skeleton has not got, or an option is no positive number.
    pub fn new(
        clip: &Clip,
        skeleton: &Skeleton,
        options: &CompactOptions,
    ) -> Result<(Self, CompactReport), CompactError> {
        build::build(clip, skeleton, options)
    }

    /// The clip's name, possibly empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the values mean.
    pub fn kind(&self) -> ClipKind {
        self.kind
    }

    /// As the raw clip's: the time of its last key or event.
    pub fn duration_secs(&self) -> f32 {
        self.duration_secs
    }

    /// Every event, in order of time.
    pub fn events(&self) -> &[ClipEvent] {
        &self.events
    }

    /// Every meta-channel; they stay key curves.
    pub fn metas(&self) -> &[MetaChannel] {
        &self.metas
    }

    /// The meta-channel called `name`.
    pub fn find_meta(&self, name: &str) -> Option<&MetaChannel> {
        self.metas.iter().find(|m| m.name == name)
    }

    /// How many joints a pose must have at least to take this clip.
    pub fn joint_count(&self) -> usize {
        self.joint_count
    }

    /// How many morph slots a pose must have at least to take this clip.
    pub fn morph_slot_count(&self) -> usize {
        self.morph_slot_count
    }

    /// How many channels stay key curves: what a [`ClipCursor`](crate::ClipCursor) needs room for.
    pub fn keyed_channel_count(&self) -> usize {
        self.keyed.len()
    }

    /// Frames a second, or 0 where nothing is stored in frames.
    pub fn rate_hz(&self) -> f32 {
        self.frames.rate_hz as f32
    }

    /// How many frames there are.
    pub fn frame_count(&self) -> usize {
        self.frames.count
    }

    /// Roughly what the motion takes in memory; events and meta-channels not counted.
    pub fn byte_count(&self) -> usize {
        let (frames, constants) = (&self.frames, &self.constants);
        frames.data.len() * 2
            + frames.rotations.len() * size_of::<TrackBlock<4>>()
            + (frames.translations.len() + frames.scales.len()) * size_of::<TrackBlock<3>>()
            + frames.morphs.len() * size_of::<TrackBlock<1>>()
            + (constants.translations.len() + constants.scales.len()) * size_of::<(JointId, Vec3)>()
            + constants.rotations.len() * size_of::<(JointId, Quat)>()
            + constants.morphs.len() * size_of::<(usize, f32)>()
            + self.keyed.iter().map(measure::channel_bytes).sum::<usize>()
    }
}
