//! The frames of a compressed clip as bytes.

use super::{
    CompressedFrames, CompressedSegment, JointId, MorphTrack, RotationTrack, VectorProperty, VectorTrack,
};
use crate::bytes::{ByteReader, ByteWriter, BytesError};
use glam::{Quat, Vec3};

/// The layout of the bits of segments. Bytes of another layout are refused.
const BIT_LAYOUT: u32 = 1;
const PROPERTIES: [VectorProperty; 2] = [VectorProperty::Translation, VectorProperty::Scale];

impl CompressedFrames {
    /// Appends the frames to `out`.
    pub fn write(&self, out: &mut ByteWriter) {
        out.u32(BIT_LAYOUT);
        out.f64(self.rate_hz);
        out.count(self.frame_count);
        out.u8(self.is_loop.into());
        out.count(self.segment_blocks);
        out.count(self.rotations.len());
        for track in &self.rotations {
            out.u16(track.joint.0);
            track.mean.to_array().into_iter().chain(track.axes.to_array()).for_each(|n| out.f32(n));
        }
        out.count(self.vectors.len());
        for track in &self.vectors {
            out.u16(track.joint.0);
            out.u8((track.property == VectorProperty::Scale).into());
            track.mean.to_array().into_iter().chain([track.base_step]).for_each(|n| out.f32(n));
        }
        out.count(self.morphs.len());
        for track in &self.morphs {
            out.count(track.slot);
            [track.mean, track.base_step].into_iter().for_each(|n| out.f32(n));
        }
        out.count(self.segments.len());
        self.segments.iter().for_each(|segment| {
            out.u32(segment.start);
            out.u32(segment.block_bytes);
        });
        out.list(&self.data);
    }

    /// Frames from bytes. [`CompressedClip::new`](super::CompressedClip::new) checks whether they can be sampled.
    ///
    /// # Errors
    /// If the bytes end too early, or are of another layout.
    pub fn read(from: &mut ByteReader<'_>) -> Result<Self, BytesError> {
        let (at, layout) = (from.at(), from.u32()?);
        if layout != BIT_LAYOUT {
            return Err(BytesError::BadValue { at, what: "layout of frames", value: layout.into() });
        }
        Ok(Self {
            rate_hz: from.f64()?,
            frame_count: from.count()?,
            is_loop: from.flag("loop")?,
            segment_blocks: from.count()?,
            rotations: some(from, 34, rotation)?,
            vectors: some(from, 19, vector)?,
            morphs: some(from, 16, morph)?,
            segments: some(from, 8, |from| {
                Ok(CompressedSegment { start: from.u32()?, block_bytes: from.u32()? })
            })?,
            data: from.byte_list()?.to_vec(),
        })
    }
}

/// A counted list of things of `bytes` bytes each.
fn some<'a, T>(
    from: &mut ByteReader<'a>,
    bytes: usize,
    one: impl Fn(&mut ByteReader<'a>) -> Result<T, BytesError>,
) -> Result<Vec<T>, BytesError> {
    let count = from.count_of(bytes)?;
    (0..count).map(|_| one(from)).collect()
}

fn rotation(from: &mut ByteReader<'_>) -> Result<RotationTrack, BytesError> {
    Ok(RotationTrack { joint: JointId(from.u16()?), mean: quat(from)?, axes: quat(from)? })
}

fn vector(from: &mut ByteReader<'_>) -> Result<VectorTrack, BytesError> {
    let (joint, property) = (JointId(from.u16()?), PROPERTIES[from.choice("property", PROPERTIES.len())?]);
    let mean = Vec3::new(from.f32()?, from.f32()?, from.f32()?);
    Ok(VectorTrack { joint, property, mean, base_step: from.f32()? })
}

fn morph(from: &mut ByteReader<'_>) -> Result<MorphTrack, BytesError> {
    Ok(MorphTrack { slot: from.count()?, mean: from.f32()?, base_step: from.f32()? })
}

fn quat(from: &mut ByteReader<'_>) -> Result<Quat, BytesError> {
    Ok(Quat::from_xyzw(from.f32()?, from.f32()?, from.f32()?, from.f32()?))
}
