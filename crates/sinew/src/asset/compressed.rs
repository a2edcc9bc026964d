//! Clips compressed with an error bound: small, immutable, sampled at random without a cache.
//!
//! Numbers are transformed in blocks of eight frames (orthonormal polynomials), quantized with a step for each track and
//! segment of a few blocks, and stored with the bit widths of a [profile](profile_widths). All blocks of a segment have the
//! same size, so a frame is found by arithmetic. Rotations are stored relative to the mean of their track
//! as modified Rodrigues parameters in the track's principal axes; the inverse of that map needs no trigonometry.
//!
//! `sinew-author` makes compressed clips, with a bound on the error in model space.

mod bytes;
mod check;
mod error;
mod lanes;
mod packed_quat;
mod profile;
mod profile_table;
mod with_joints;

pub use error::CompressedError;
pub use lanes::GROUP_TRACKS;
pub(crate) use lanes::{ChartLanes, FrameLanes, TrackLanes};
pub use packed_quat::{pack_rotation, unpack_rotation};
pub use profile::{
    BLOCK_FRAMES, FRAME_FROM_COEFFICIENTS, MAX_LANE_BITS, MAX_LOAD_BITS, PROFILE_COUNT, WIDEST_PROFILE,
    profile_bits, profile_widths, relative_step,
};
pub(crate) use profile::{PROFILE_BITS, PROFILE_LANES, is_wide};

use super::{
    clip::{Channel, Clip, ClipEvent, ClipKind, ClipParts, HomeSkeleton, MetaChannel},
    skeleton::{JointId, Skeleton},
};
use glam::Vec3;

/// The largest number of blocks of a segment.
pub const MAX_SEGMENT_BLOCKS: usize = 16;
/// The bytes behind the last block, so that a load of sixteen bytes never leaves the data.
pub const PADDING_BYTES: usize = 16;

/// A joint whose rotation is stored in frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RotationTrack {
    /// The joint that turns.
    pub joint: JointId,
    /// The rotation that the frames are relative to, `parent_from_mean`: a result of [`pack_rotation`].
    pub mean: u32,
    /// The principal axes of the rotations relative to the mean, `mean_from_axes`: a result of [`pack_rotation`].
    pub axes: u32,
}

/// The property of a joint that a [`VectorTrack`] animates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorProperty {
    /// The translation, in meters.
    Translation,
    /// The scale factors of the joint.
    Scale,
}

/// A joint whose translation or scale is stored in frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VectorTrack {
    /// The joint that is animated.
    pub joint: JointId,
    /// The property that is animated.
    pub property: VectorProperty,
    /// The vector that the frames are relative to.
    pub mean: Vec3,
    /// The logarithm to base 2 of the largest step between quantized numbers; step bytes make it smaller.
    pub base_exponent: i8,
}

/// A morph weight that is stored in frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MorphTrack {
    /// The morph slot of the pose.
    pub slot: usize,
    /// The weight that the frames are relative to.
    pub mean: f32,
    /// The logarithm to base 2 of the largest step between quantized numbers; step bytes make it smaller.
    pub base_exponent: i8,
}

/// Where a segment of the frames is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CompressedSegment {
    /// Where it begins in the data.
    pub(crate) start: u32,
    /// The size of each of its blocks.
    pub(crate) block_bytes: u32,
    /// True if a profile of it does not fit the lanes of the kernel.
    pub(crate) is_wide: bool,
}

/// The tracks that are stored in frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompressedFrames {
    /// Frames per second; the first frame is at time 0.
    pub rate_hz: f64,
    /// The number of frames that are stored.
    pub frame_count: usize,
    /// True if the frame after the last is the first again: the clip is a loop and has no seam.
    pub is_loop: bool,
    /// The number of blocks of every segment but the last, up to [`MAX_SEGMENT_BLOCKS`].
    pub segment_blocks: usize,
    /// Every rotation that is stored in frames.
    pub rotations: Vec<RotationTrack>,
    /// Every translation and scale that is stored in frames.
    pub vectors: Vec<VectorTrack>,
    /// Every morph weight that is stored in frames.
    pub morphs: Vec<MorphTrack>,
    /// The bytes of all segments, and [`PADDING_BYTES`].
    ///
    /// A segment begins with a header, and its blocks follow. Both go over the rotations, the vectors and the morph weights
    /// in groups of [`GROUP_TRACKS`]; the last group of each kind may be smaller. The header of a group is the step byte
    /// of each track, then the profile byte of the first number of each track, then of the second and of the third. Its
    /// part of a block is the first number of each track, then the second and the third: the coefficients of a number in
    /// two's complement, the lowest bits first.
    pub data: Vec<u8>,
}

impl CompressedFrames {
    /// The size of the step and profile bytes of a segment.
    #[must_use]
    pub fn header_bytes(&self) -> usize {
        4 * (self.rotations.len() + self.vectors.len()) + 2 * self.morphs.len()
    }

    /// The number of frames of every segment but the last.
    #[must_use]
    pub fn segment_frames(&self) -> usize {
        self.segment_blocks * BLOCK_FRAMES
    }

    /// The number of frames that are played: one more than are stored for a loop.
    #[must_use]
    pub fn played_count(&self) -> usize {
        self.frame_count + usize::from(self.is_loop)
    }

    /// The groups in order: the numbers of each track, and how many tracks there are.
    pub fn groups(&self) -> impl Iterator<Item = (usize, usize)> + Clone + use<> {
        let kinds = [(3, self.rotations.len()), (3, self.vectors.len()), (1, self.morphs.len())];
        kinds.into_iter().flat_map(|(numbers, tracks)| {
            (0..tracks).step_by(GROUP_TRACKS).map(move |first| (numbers, (tracks - first).min(GROUP_TRACKS)))
        })
    }

    fn track_count(&self) -> usize {
        self.rotations.len() + self.vectors.len() + self.morphs.len()
    }
}

/// The parts of a [`CompressedClip`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompressedParts {
    /// Everything that frames do not hold: constants as curves of one key, steps and jumps, events, meta-channels.
    pub keyed: ClipParts,
    /// What is stored in frames.
    pub frames: CompressedFrames,
    /// How long the clip lasts, in seconds.
    pub duration_secs: f32,
}

/// A clip compressed with an error bound, played with [`sample_compressed`](crate::sample_compressed).
///
/// Constant tracks are stored once; curves with steps or jumps keep their keys, so they are exact. A sample reads one or two
/// blocks of every track, so its cost does not depend on the time or on the duration.
#[doc(alias = "compressed animation")]
#[derive(Clone, Debug, PartialEq)]
pub struct CompressedClip {
    parts: CompressedParts,
    segments: Vec<CompressedSegment>,
    lanes: FrameLanes,
    joint_count: usize,
    morph_slot_count: usize,
    home: HomeSkeleton,
}

impl CompressedClip {
    /// A clip of `parts`.
    ///
    /// # Errors
    /// If a number is out of range, or the segments do not fit the frames, the tracks and the data. Every clip that exists
    /// can be sampled.
    pub fn new(parts: CompressedParts) -> Result<Self, CompressedError> {
        check::check(parts)
    }

    /// The same clip for the joints of `skeleton`, which a frame of another character then refuses.
    #[must_use]
    pub fn of_skeleton(mut self, skeleton: &Skeleton) -> Self {
        if self.joint_count <= skeleton.len() {
            self.home = HomeSkeleton::of(skeleton, self.joint_count);
        }
        self
    }

    /// The parts of the clip.
    pub fn parts(&self) -> &CompressedParts {
        &self.parts
    }

    /// The clip's name, possibly empty.
    pub fn name(&self) -> &str {
        &self.parts.keyed.name
    }

    /// Whether the values are absolute or additive.
    pub fn kind(&self) -> ClipKind {
        self.parts.keyed.kind
    }

    /// How long the clip lasts, in seconds.
    pub fn duration_secs(&self) -> f32 {
        self.parts.duration_secs
    }

    /// Every event, in order of time.
    pub fn events(&self) -> &[ClipEvent] {
        &self.parts.keyed.events
    }

    /// Every meta-channel; they keep their keys.
    pub fn metas(&self) -> &[MetaChannel] {
        &self.parts.keyed.metas
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

    /// The channels that keep their keys: the room that a [`ClipCursor`](crate::ClipCursor) needs.
    pub fn keyed_channels(&self) -> &[Channel] {
        &self.parts.keyed.channels
    }

    /// The size of the clip in a file: of [`CompressedClip::to_bytes`].
    pub fn stored_bytes(&self) -> usize {
        self.to_bytes().len()
    }

    pub(crate) fn frames(&self) -> &CompressedFrames {
        &self.parts.frames
    }

    pub(crate) fn segments(&self) -> &[CompressedSegment] {
        &self.segments
    }

    pub(crate) fn lanes(&self) -> &FrameLanes {
        &self.lanes
    }
}

/// Two to the power of `exponent`, at least the smallest normal number.
pub(crate) fn base_step(exponent: i8) -> f32 {
    f32::from_bits(((i32::from(exponent) + 127).max(1) as u32) << 23)
}
