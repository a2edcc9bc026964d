//! Compressed clips for playback: small, immutable, sampled in constant time.

mod block;
mod build;
mod error;
mod measure;
mod rate;
mod tracks;
mod with_joints;

pub use build::{CompactOptions, CompactReport};
pub use error::CompactError;
pub use rate::rates as frame_rates;

pub(crate) use block::{LANES, TrackBlock};

use super::{
    clip::{Channel, Clip, ClipEvent, ClipKind, HomeSkeleton, MetaChannel},
    skeleton::{JointId, Skeleton},
};
use glam::{Quat, Vec3};

/// A compressed clip: frames at a constant rate, quantized to 16 bits within the range of each track.
///
/// Constant tracks are stored once. Tracks that frames cannot represent within the tolerance (steps, jumps, keys between
/// frames) remain keyed curves. A sample reads two neighboring frames, so its cost does not depend on the time or on the
/// duration. Rotations are interpolated along the chord; the error of that and of the quantization is measured and
/// returned in the report.
///
/// It is built from a [`Clip`] and played with [`sample_compact`](crate::sample_compact).
#[doc(alias = "compressed animation")]
#[derive(Clone, Debug, PartialEq)]
pub struct CompactClip {
    name: String,
    kind: ClipKind,
    duration_secs: f32,
    joint_count: usize,
    morph_slot_count: usize,
    home: HomeSkeleton,
    events: Vec<ClipEvent>,
    metas: Vec<MetaChannel>,
    pub(crate) constants: Constants,
    pub(crate) frames: Frames,
    pub(crate) keyed: Vec<Channel>,
}

/// Tracks with one value for the whole clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Constants {
    pub(crate) translations: Vec<(JointId, Vec3)>,
    pub(crate) rotations: Vec<(JointId, Quat)>,
    pub(crate) scales: Vec<(JointId, Vec3)>,
    pub(crate) morphs: Vec<(usize, f32)>,
}

/// The tracks that are stored frame by frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Frames {
    /// Frame rate in frames per second.
    pub(crate) rate_hz: f64,
    /// Number of frames: none, or at least two.
    pub(crate) count: usize,
    /// Numbers per frame. Each frame holds the blocks in the order below.
    pub(crate) stride: usize,
    pub(crate) data: Vec<u16>,
    pub(crate) rotations: Vec<TrackBlock<4>>,
    pub(crate) translations: Vec<TrackBlock<3>>,
    pub(crate) scales: Vec<TrackBlock<3>>,
    pub(crate) morphs: Vec<TrackBlock<1>>,
}

impl CompactClip {
    /// Compresses `clip` for characters with `skeleton`, and reports size and error.
    ///
    /// # Errors
    /// If the clip animates joints that the skeleton does not have, or an option is not positive.
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

    /// Whether the values are absolute or additive.
    pub fn kind(&self) -> ClipKind {
        self.kind
    }

    /// Duration of the source clip: the time of its last key or event.
    pub fn duration_secs(&self) -> f32 {
        self.duration_secs
    }

    /// Every event, in order of time.
    pub fn events(&self) -> &[ClipEvent] {
        &self.events
    }

    /// Every meta-channel; they remain keyed curves.
    pub fn metas(&self) -> &[MetaChannel] {
        &self.metas
    }

    /// The meta-channel called `name`.
    pub fn find_meta(&self, name: &str) -> Option<&MetaChannel> {
        self.metas.iter().find(|m| m.name == name)
    }

    /// The number of joints that a pose must have for this clip.
    pub fn joint_count(&self) -> usize {
        self.joint_count
    }

    /// The number of morph slots that a pose must have for this clip.
    pub fn morph_slot_count(&self) -> usize {
        self.morph_slot_count
    }

    /// The skeleton that the clip's joint numbers refer to.
    pub(crate) fn home(&self) -> HomeSkeleton {
        self.home
    }

    /// Number of channels that remain keyed curves: the room that a [`ClipCursor`](crate::ClipCursor) needs.
    pub fn keyed_channel_count(&self) -> usize {
        self.keyed.len()
    }

    /// Frames per second, or 0 if nothing is stored in frames.
    pub fn rate_hz(&self) -> f32 {
        self.frames.rate_hz as f32
    }

    /// Number of frames, or 0 if nothing is stored in frames.
    pub fn frame_count(&self) -> usize {
        self.frames.count
    }

    /// Approximate memory use in bytes, without events and meta-channels.
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
