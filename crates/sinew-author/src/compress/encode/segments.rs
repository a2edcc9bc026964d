//! The bytes of encoded tracks.

use super::EncodedTrack;
use crate::compress::{
    blocks::{BitWriter, TrackSegment, profile_for, widths_needed},
    source::SourceFrames,
};
use sinew::asset::compressed::{
    BLOCK_FRAMES, CompressedFrames, MorphTrack, PADDING_BYTES, RotationTrack, VectorTrack,
};

/// Joins the tracks into the bytes of segments.
pub(super) fn packed(
    source: &SourceFrames,
    segment_blocks: usize,
    rotations: Vec<EncodedTrack<RotationTrack>>,
    vectors: Vec<EncodedTrack<VectorTrack>>,
    morphs: Vec<EncodedTrack<MorphTrack>>,
) -> CompressedFrames {
    let mut frames = CompressedFrames {
        rate_hz: source.rate_hz,
        frame_count: source.frame_count(),
        is_loop: source.is_loop,
        segment_blocks,
        ..CompressedFrames::default()
    };
    let mut segments: Vec<Vec<TrackSegment>> = Vec::new();
    for track in rotations {
        frames.rotations.push(track.track);
        segments.push(track.segments);
    }
    for track in vectors {
        frames.vectors.push(track.track);
        segments.push(track.segments);
    }
    for track in morphs {
        frames.morphs.push(track.track);
        segments.push(track.segments);
    }
    for (index, first) in (0..frames.frame_count).step_by(frames.segment_frames()).enumerate() {
        let stored = (frames.frame_count - first).min(frames.segment_frames());
        let tracks: Vec<&TrackSegment> = segments.iter().map(|track| &track[index]).collect();
        let bytes = segment_bytes(&frames, &tracks, stored.div_ceil(BLOCK_FRAMES));
        frames.data.extend(bytes);
    }
    frames.data.extend([0; PADDING_BYTES]);
    frames
}

/// The header and the blocks of a segment.
fn segment_bytes(frames: &CompressedFrames, tracks: &[&TrackSegment], blocks: usize) -> Vec<u8> {
    let (mut bytes, mut first, mut numbers) = (Vec::new(), 0, Vec::new());
    for (count, size) in frames.groups() {
        let group = &tracks[first..first + size];
        first += size;
        bytes.extend(group.iter().map(|track| track.step));
        for n in 0..count {
            for track in group {
                let profile = profile_for(widths_needed(&track.numbers[n])).0;
                bytes.push(profile);
                numbers.push((&track.numbers[n], profile));
            }
        }
    }
    for block in 0..blocks {
        let mut bits = BitWriter::default();
        numbers.iter().for_each(|(of_blocks, profile)| bits.put_block(of_blocks[block], *profile));
        bytes.extend(bits.into_bytes());
    }
    bytes
}
