//! Checks the parts of a compressed clip, once and in linear time.

use super::{
    Clip, CompressedClip, CompressedError, CompressedFrames, CompressedParts, MAX_SEGMENT_BLOCKS,
    PADDING_BYTES, PROFILES,
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
    if has_frames {
        check_segments(&name, &frames)?;
    }
    let joints = frames.rotations.iter().map(|t| t.joint).chain(frames.vectors.iter().map(|t| t.joint));
    let joint_count = joints.map(|joint| joint.index() + 1).max().unwrap_or(0).max(keyed.joint_count());
    let slots = frames.morphs.iter().map(|track| track.slot.saturating_add(1));
    let morph_slot_count = slots.max().unwrap_or(0).max(keyed.morph_slot_count());
    if u32::try_from(morph_slot_count).is_err() {
        return Err(CompressedError::TargetOutOfRange { clip: name, index: morph_slot_count });
    }
    let home = keyed.home();
    let parts = CompressedParts { keyed: keyed.into_parts(), frames, duration_secs };
    Ok(CompressedClip { parts, joint_count, morph_slot_count, home })
}

fn check_tracks(clip: &str, frames: &CompressedFrames) -> Result<(), CompressedError> {
    let is_unit = |q: glam::Quat| (q.length_squared() - 1.0).abs() < 1e-3;
    let rotation = frames.rotations.iter().position(|t| !(is_unit(t.mean) && is_unit(t.axes)));
    let vector = frames.vectors.iter().position(|t| !(t.mean.is_in_range() && t.base_step.is_in_range()));
    let morph = frames.morphs.iter().position(|t| !(t.mean.is_in_range() && t.base_step.is_in_range()));
    let bad = [("rotation", rotation), ("vector", vector), ("morph", morph)];
    match bad.into_iter().find_map(|(kind, track)| Some((kind, track?))) {
        Some((kind, track)) => Err(CompressedError::BadTrack { clip: clip.into(), kind, track }),
        None => Ok(()),
    }
}

fn check_segments(clip: &str, frames: &CompressedFrames) -> Result<(), CompressedError> {
    let needed = frames.frame_count.div_ceil(frames.segment_frames().max(1));
    if frames.frame_count == 0
        || !(1..=MAX_SEGMENT_BLOCKS).contains(&frames.segment_blocks)
        || frames.segments.len() != needed
    {
        let (frames, segments) = (frames.frame_count, frames.segments.len());
        return Err(CompressedError::WrongSegments { clip: clip.into(), frames, needed, segments });
    }
    let mut start = 0;
    for (index, segment) in frames.segments.iter().enumerate() {
        let bad =
            || CompressedError::BadSegment { clip: clip.into(), segment: index, bytes: frames.data.len() };
        if segment.start as usize != start {
            return Err(bad());
        }
        let header = frames.data.get(start..start + frames.header_bytes()).ok_or_else(bad)?;
        let (vectors, morphs) = header.split_at(4 * (frames.rotations.len() + frames.vectors.len()));
        let of_four = vectors.chunks_exact(4).flat_map(|bytes| &bytes[1..]);
        let of_two = morphs.chunks_exact(2).flat_map(|bytes| &bytes[1..]);
        let bits: u64 = of_four.chain(of_two).map(|&p| u64::from(PROFILES[usize::from(p)].bits)).sum();
        if bits.div_ceil(8) != u64::from(segment.block_bytes) {
            return Err(bad());
        }
        let stored = (frames.frame_count - index * frames.segment_frames()).min(frames.segment_frames());
        let blocks = stored.div_ceil(super::BLOCK_FRAMES);
        start += frames.header_bytes() + blocks * segment.block_bytes as usize;
        if start + PADDING_BYTES > frames.data.len() {
            return Err(bad());
        }
    }
    Ok(())
}
