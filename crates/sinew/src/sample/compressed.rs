//! Sampling of compressed clips into local poses.
//!
//! [`reference`] is the definition in plain scalar code; [`kernel`] reads eight tracks at once. Every SIMD level gives the
//! same bits: integers are exact, the order of products and sums is fixed, and none are fused.

mod kernel;
mod reference;

use super::{ClipCursor, check_pose, sample_channel};
use crate::{
    asset::compressed::{BLOCK_FRAMES, CompressedClip, FRAME_FROM_COEFFICIENTS},
    pose::LocalPose,
    simd::{self, Level, dispatch},
};

/// Samples every track of `clip` at `time_secs`, clamped to its duration, into `pose`.
///
/// Joints and morph slots that the clip does not animate do not change. NaN is time 0. Between frames, translations, scales
/// and morph weights are interpolated linearly, rotations along the chord. Allocates nothing once the cursor has room
/// ([`ClipCursor::with_room`]).
///
/// # Panics
/// If the pose has fewer joints or morph slots than the clip animates.
pub fn sample_compressed(
    clip: &CompressedClip,
    time_secs: f32,
    cursor: &mut ClipCursor,
    pose: &mut LocalPose,
) {
    sample_compressed_at(simd::best(), clip, time_secs, cursor, pose);
}

/// [`sample_compressed`] on a given SIMD level; every level gives the same bits.
///
/// # Panics
/// As [`sample_compressed`].
pub fn sample_compressed_at(
    level: Level,
    clip: &CompressedClip,
    time_secs: f32,
    cursor: &mut ClipCursor,
    pose: &mut LocalPose,
) {
    check_pose(clip.joint_count(), clip.morph_slot_count(), pose);
    let time_secs = if time_secs.is_nan() { 0.0 } else { time_secs.clamp(0.0, clip.duration_secs()) };
    if !clip.segments().is_empty() {
        let pair = FramePair::at(clip, time_secs);
        if level.is_fallback() || pair.is_wide {
            reference::sample(clip, &pair, pose);
        } else {
            dispatch!(level, simd => kernel::sample(simd, clip, &pair, pose));
        }
    }
    let keyed = clip.keyed_channels();
    for (channel, hint) in keyed.iter().zip(cursor.hints(keyed.len())) {
        sample_channel(channel, time_secs, hint, pose);
    }
}

/// A frame: the block that it is in, and what the coefficients of the block count for in it.
#[derive(Clone, Copy, Debug)]
struct FramePlace {
    /// Where the step and profile bytes of its segment begin.
    header: usize,
    /// Where its block begins.
    block: usize,
    row: [f32; BLOCK_FRAMES],
}

/// Two neighboring frames and the place between them.
#[derive(Clone, Copy, Debug)]
struct FramePair {
    places: [FramePlace; 2],
    /// How far the time is from the first to the second frame, 0 to 1.
    fraction: f32,
    /// True if a profile of their segments does not fit the lanes of the kernel.
    is_wide: bool,
}

impl FramePair {
    #[inline]
    fn at(clip: &CompressedClip, time_secs: f32) -> Self {
        let frames = clip.frames();
        let at = f64::from(time_secs) * frames.rate_hz;
        let last = frames.played_count() - 1;
        let first = (at as usize).min(last.saturating_sub(1));
        // If events extend the clip beyond the last frame, that frame is held.
        let fraction = ((at - first as f64) as f32).clamp(0.0, 1.0);
        // The frame after the last of a loop is the first.
        let second = match first + 1 {
            next if next < frames.frame_count => next,
            _ if frames.is_loop => 0,
            _ => first,
        };
        // At a frame its neighbor has no part, not even in how its numbers are rounded: so a loop ends where it begins.
        let (first, second, fraction) = match fraction {
            0.0 => (first, first, 0.0),
            1.0 => (second, second, 0.0),
            _ => (first, second, fraction),
        };
        let header_bytes = frames.header_bytes();
        let place = |frame: usize| {
            let block = frame / BLOCK_FRAMES;
            let segment = &clip.segments()[block / frames.segment_blocks];
            let header = segment.start as usize;
            let block = header + header_bytes + block % frames.segment_blocks * segment.block_bytes as usize;
            let row = FRAME_FROM_COEFFICIENTS[frame % BLOCK_FRAMES];
            (FramePlace { header, block, row }, segment.is_wide)
        };
        let ((from, is_from_wide), (to, is_to_wide)) = (place(first), place(second));
        Self { places: [from, to], fraction, is_wide: is_from_wide || is_to_wide }
    }

    /// True if both frames are in one block.
    fn is_one_block(&self) -> bool {
        self.places[0].block == self.places[1].block && self.places[0].header == self.places[1].header
    }
}

/// The largest size of a number of a rotation: valid clips stay far below, and nothing overflows on the way to a quaternion.
const MAX_PARAMETER: f32 = 8192.0;

#[cfg(test)]
mod tests;
