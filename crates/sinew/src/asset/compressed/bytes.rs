//! Compressed clips as bytes: what a file holds of them.
//!
//! All numbers are little-endian; counts and indices are variable-length integers of seven bits a byte. Where segments
//! begin follows from their profiles, so it is not stored.

mod keyed;
mod reader;
mod writer;

use super::{
    ClipKind, CompressedClip, CompressedError, CompressedFrames, CompressedParts, JointId, MorphTrack,
    PADDING_BYTES, RotationTrack, VectorProperty, VectorTrack,
};
use glam::Vec3;
use reader::VarintReader;
use writer::VarintWriter;

/// The version of the bytes, their first byte.
const VERSION: u8 = 1;
const ADDITIVE: u8 = 1;
const LOOP: u8 = 2;
const HAS_FRAMES: u8 = 4;

impl CompressedClip {
    /// The clip as bytes, for [`CompressedClip::from_bytes`]. The skeleton that it belongs to is not part of them.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let CompressedParts { keyed, frames, duration_secs } = &self.parts;
        let mut out = VarintWriter::default();
        let is_additive = keyed.kind == ClipKind::Additive;
        let has_frames = frames.track_count() > 0;
        let flags = [(is_additive, ADDITIVE), (frames.is_loop, LOOP), (has_frames, HAS_FRAMES)];
        out.byte(VERSION);
        out.byte(flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum());
        out.text(&keyed.name);
        out.float(*duration_secs);
        if has_frames {
            write_frames(frames, &mut out);
        }
        keyed::write(keyed, &mut out);
        out.into_bytes()
    }

    /// The clip of [`CompressedClip::to_bytes`], checked in linear time.
    ///
    /// # Errors
    /// If the bytes end early, go on behind the clip or have another version, and as [`CompressedClip::new`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CompressedError> {
        let mut input = VarintReader::new(bytes);
        let version = input.byte("the version")?;
        if version != VERSION {
            return Err(CompressedError::UnsupportedVersion { version, supported: VERSION });
        }
        let flags = input.byte("the flags")?;
        if flags & !(ADDITIVE | LOOP | HAS_FRAMES) != 0 {
            return Err(input.bad("the flags"));
        }
        let name = input.text("the name")?;
        let duration_secs = input.float("the duration")?;
        let frames = if flags & HAS_FRAMES == 0 {
            CompressedFrames::default()
        } else {
            read_frames(flags & LOOP != 0, &mut input)?
        };
        let kind = if flags & ADDITIVE == 0 { ClipKind::Absolute } else { ClipKind::Additive };
        let keyed = keyed::read(name, kind, &mut input)?;
        input.end()?;
        Self::new(CompressedParts { keyed, frames, duration_secs })
    }
}

fn write_frames(frames: &CompressedFrames, out: &mut VarintWriter) {
    out.double(frames.rate_hz);
    out.count(frames.frame_count);
    out.count(frames.segment_blocks);
    for count in [frames.rotations.len(), frames.vectors.len(), frames.morphs.len()] {
        out.count(count);
    }
    let mut before = 0;
    for track in &frames.rotations {
        // Joints are usually in order, so that a difference needs one byte.
        out.difference(i64::from(track.joint.0) - before);
        before = i64::from(track.joint.0);
        out.word(track.mean);
        out.word(track.axes);
    }
    for track in &frames.vectors {
        let is_scale = track.property == VectorProperty::Scale;
        out.count(2 * track.joint.index() + usize::from(is_scale));
        track.mean.to_array().into_iter().for_each(|number| out.float(number));
        out.byte(track.base_exponent.cast_unsigned());
    }
    let mut before = 0;
    for track in &frames.morphs {
        let slot = track.slot.cast_signed() as i64;
        out.difference(slot - before);
        before = slot;
        out.float(track.mean);
        out.byte(track.base_exponent.cast_unsigned());
    }
    let data = &frames.data[..frames.data.len().saturating_sub(PADDING_BYTES)];
    out.count(data.len());
    out.bytes(data);
}

fn read_frames(is_loop: bool, input: &mut VarintReader<'_>) -> Result<CompressedFrames, CompressedError> {
    let rate_hz = input.double("the rate")?;
    let frame_count = input.count("the number of frames")?;
    let segment_blocks = input.count("the blocks of a segment")?;
    // The size of the smallest track bounds how many there can be.
    let rotations = input.count_of(9, "the number of rotations")?;
    let vectors = input.count_of(14, "the number of vectors")?;
    let morphs = input.count_of(6, "the number of morph weights")?;
    let mut before = 0;
    let rotations = (0..rotations).map(|_| {
        before = input.difference(before, "the joint of a rotation")?;
        let joint = joint(before, input)?;
        Ok(RotationTrack { joint, mean: input.word("a mean")?, axes: input.word("axes")? })
    });
    let rotations = rotations.collect::<Result<_, CompressedError>>()?;
    let vectors = (0..vectors).map(|_| read_vector(input)).collect::<Result<_, _>>()?;
    let mut before = 0;
    let morphs = (0..morphs).map(|_| {
        before = input.difference(before, "a morph slot")?;
        let slot = usize::try_from(before).map_err(|_| input.bad("a morph slot"))?;
        let mean = input.float("a mean")?;
        Ok(MorphTrack { slot, mean, base_exponent: input.byte("a step")?.cast_signed() })
    });
    let morphs = morphs.collect::<Result<_, CompressedError>>()?;
    let size = input.count_of(1, "the size of the data")?;
    let mut data = Vec::with_capacity(size + PADDING_BYTES);
    data.extend_from_slice(input.bytes(size, "the data")?);
    data.extend([0; PADDING_BYTES]);
    Ok(CompressedFrames { rate_hz, frame_count, is_loop, segment_blocks, rotations, vectors, morphs, data })
}

fn read_vector(input: &mut VarintReader<'_>) -> Result<VectorTrack, CompressedError> {
    let target = input.count("the joint of a vector")?;
    let joint = joint((target / 2).cast_signed() as i64, input)?;
    let property = if target % 2 == 0 { VectorProperty::Translation } else { VectorProperty::Scale };
    let mut number = || input.float("a mean");
    let mean = Vec3::new(number()?, number()?, number()?);
    Ok(VectorTrack { joint, property, mean, base_exponent: input.byte("a step")?.cast_signed() })
}

fn joint(index: i64, input: &VarintReader<'_>) -> Result<JointId, CompressedError> {
    u16::try_from(index).map(JointId).map_err(|_| input.bad("a joint"))
}

#[cfg(test)]
mod tests;
