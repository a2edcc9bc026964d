//! Checks the parts of a compressed clip, once and in linear time.

use super::{
    BLOCK_FRAMES, Clip, CompressedClip, CompressedError, CompressedFrames, CompressedParts,
    CompressedSegment, FrameLanes, MAX_SEGMENT_BLOCKS, PADDING_BYTES, is_wide, profile_bits,
};
use crate::range::InRange;

/// Builds the clip that [`CompressedClip::new`] documents.
pub(super) fn check(parts: CompressedParts) -> Result<CompressedClip, CompressedError> {
    let CompressedParts { keyed, frames, duration_secs } = parts;
    let name = keyed.name.clone();
    // A clip checks its curves, sorts its events, and counts its joints and slots.
    let keyed = Clip::from_parts(keyed)?;
    let is_duration = duration_secs >= keyed.duration_secs() && duration_secs.is_finite();
    let has_frames = frames.track_count() > 0;
    if !is_duration || (has_frames && !(frames.rate_hz > 0.0 && frames.rate_hz.is_finite())) {
        return Err(CompressedError::BadRate { clip: name, rate_hz: frames.rate_hz });
    }
    check_tracks(&name, &frames)?;
    let segments = if has_frames { segments(&name, &frames)? } else { Vec::new() };
    let joints = frames.rotations.iter().map(|t| t.joint).chain(frames.vectors.iter().map(|t| t.joint));
    let joint_count = joints.map(|joint| joint.index() + 1).max().unwrap_or(0).max(keyed.joint_count());
    let slots = frames.morphs.iter().map(|track| track.slot.saturating_add(1));
    let morph_slot_count = slots.max().unwrap_or(0).max(keyed.morph_slot_count());
    if u32::try_from(morph_slot_count).is_err() {
        return Err(CompressedError::TargetOutOfRange { clip: name, index: morph_slot_count });
    }
    let home = keyed.home();
    let parts = CompressedParts { keyed: keyed.into_parts(), frames, duration_secs };
    let lanes = FrameLanes::of(&parts.frames);
    Ok(CompressedClip { parts, segments, lanes, joint_count, morph_slot_count, home })
}

fn check_tracks(clip: &str, frames: &CompressedFrames) -> Result<(), CompressedError> {
    // The widest coefficients times the base step stay in range.
    let is_step = |exponent: i8| exponent <= 40;
    let vector = frames.vectors.iter().position(|t| !(t.mean.is_in_range() && is_step(t.base_exponent)));
    let morph = frames.morphs.iter().position(|t| !(t.mean.is_in_range() && is_step(t.base_exponent)));
    let bad = [("vector", vector), ("morph", morph)];
    match bad.into_iter().find_map(|(kind, track)| Some((kind, track?))) {
        Some((kind, track)) => Err(CompressedError::BadTrack { clip: clip.into(), kind, track }),
        None => Ok(()),
    }
}

/// Where the segments are: each begins where the one before it ends.
fn segments(clip: &str, frames: &CompressedFrames) -> Result<Vec<CompressedSegment>, CompressedError> {
    let bytes = frames.data.len();
    let blocks = frames.segment_blocks;
    if frames.frame_count == 0 || !(1..=MAX_SEGMENT_BLOCKS).contains(&blocks) || u32::try_from(bytes).is_err()
    {
        let frames = frames.frame_count;
        return Err(CompressedError::WrongSegments { clip: clip.into(), frames, blocks, bytes });
    }
    let (mut start, mut segments) = (0, Vec::new());
    for first in (0..frames.frame_count).step_by(frames.segment_frames()) {
        let bad = || CompressedError::BadSegment {
            clip: clip.into(),
            segment: first / frames.segment_frames(),
            bytes,
        };
        let header = frames.data.get(start..start + frames.header_bytes()).ok_or_else(bad)?;
        let profiles = profiles(frames, header);
        let bits: usize = profiles.clone().map(|profile| profile_bits(profile) as usize).sum();
        let block_bytes = bits.div_ceil(8);
        let stored = (frames.frame_count - first).min(frames.segment_frames());
        let end = start + frames.header_bytes() + stored.div_ceil(BLOCK_FRAMES) * block_bytes;
        if end + PADDING_BYTES > bytes {
            return Err(bad());
        }
        let is_wide = profiles.clone().any(is_wide);
        segments.push(CompressedSegment { start: start as u32, block_bytes: block_bytes as u32, is_wide });
        start = end;
    }
    Ok(segments)
}

/// The profiles of a segment.
fn profiles<'a>(
    frames: &'a CompressedFrames,
    header: &'a [u8],
) -> impl Iterator<Item = u8> + Clone + use<'a> {
    let mut start = 0;
    frames.groups().flat_map(move |(numbers, tracks)| {
        let first = start + tracks;
        start = first + numbers * tracks;
        header[first..start].iter().copied()
    })
}
