//! Sampling of compressed clips into local poses.
//!
//! Four tracks at a time: their bits are unpacked one number after the other, then four lanes turn the numbers into
//! rotations. Every SIMD level gives the same bits: integers are exact, and the order of products and sums is fixed.

use super::{ClipCursor, check_pose, sample_channel};
use crate::{
    asset::compressed::{
        BLOCK_FRAMES, CompressedClip, FRAME_FROM_COEFFICIENTS, MorphTrack, PROFILES, Profile, RotationTrack,
        VectorProperty, VectorTrack, WIDEST_PROFILE, base_step, relative_step,
    },
    pose::LocalPose,
    simd::{self, Level, dispatch},
};
use fearless_simd::{f32x4, prelude::*};
use glam::{Quat, Vec3};

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
        dispatch!(level, simd => sample_frames(simd, clip, time_secs, pose));
    }
    let keyed = clip.keyed_channels();
    for (channel, hint) in keyed.iter().zip(cursor.hints(keyed.len())) {
        sample_channel(channel, time_secs, hint, pose);
    }
}

/// A place in the bits of one block, with what its coefficients count for in one frame.
struct BlockReader<'a> {
    data: &'a [u8],
    /// The step and profile bytes that were not read yet.
    header: &'a [u8],
    bit: usize,
    row: [f32; BLOCK_FRAMES],
}

impl<'a> BlockReader<'a> {
    #[inline(always)]
    fn new(clip: &'a CompressedClip, frame: usize) -> Self {
        let frames = clip.frames();
        let segment = &clip.segments()[frame / frames.segment_frames()];
        let (start, header_bytes) = (segment.start as usize, frames.header_bytes());
        let block = frame / BLOCK_FRAMES % frames.segment_blocks;
        Self {
            data: &frames.data,
            header: &frames.data[start..start + header_bytes],
            bit: 8 * (start + header_bytes + block * segment.block_bytes as usize),
            row: FRAME_FROM_COEFFICIENTS[frame % BLOCK_FRAMES],
        }
    }

    /// The next bytes of the header.
    #[inline(always)]
    fn header<const N: usize>(&mut self) -> [u8; N] {
        let (first, rest) = self.header.split_first_chunk().unwrap_or((&[0; N], &[]));
        self.header = rest;
        *first
    }

    /// Eight bytes from bit `bit` on, of which the first 57 bits are valid.
    #[inline(always)]
    fn word(&self, bit: usize) -> u64 {
        let bytes = self.data.get(bit / 8..).and_then(|rest| rest.first_chunk());
        u64::from_le_bytes(*bytes.unwrap_or(&[0; 8])) >> (bit % 8)
    }

    /// The coefficients of the next number.
    #[inline(always)]
    fn coefficients(&mut self, profile: u8) -> [f32; BLOCK_FRAMES] {
        let Profile { shifts, masks, bias, bits } = &PROFILES[usize::from(profile)];
        let word = self.word(self.bit);
        let mut out = [0.0; BLOCK_FRAMES];
        for k in 0..BLOCK_FRAMES {
            out[k] = ((word >> shifts[k]) & masks[k]) as i32 as f32 - bias[k];
        }
        if profile == WIDEST_PROFILE {
            let rest = self.word(self.bit + 48);
            out[2] = (rest & masks[2]) as i32 as f32 - bias[2];
            out[3] = ((rest >> 24) & masks[3]) as i32 as f32 - bias[3];
        }
        self.bit += *bits as usize;
        out
    }
}

/// The value of coefficients in a frame.
#[inline(always)]
fn dot(a: [f32; BLOCK_FRAMES], row: [f32; BLOCK_FRAMES]) -> f32 {
    (a[0] * row[0] + a[1] * row[1]) + (a[2] * row[2] + a[3] * row[3])
}

/// The blocks of two neighboring frames.
enum FramePair<'a> {
    /// Both are in one block; the row is that of the second frame.
    OneBlock(BlockReader<'a>, [f32; BLOCK_FRAMES]),
    /// Each is in a block of its own.
    TwoBlocks(BlockReader<'a>, BlockReader<'a>),
}

impl<'a> FramePair<'a> {
    #[inline(always)]
    fn new(clip: &'a CompressedClip, first: usize, second: usize) -> Self {
        let reader = BlockReader::new(clip, first);
        if first / BLOCK_FRAMES == second / BLOCK_FRAMES {
            Self::OneBlock(reader, FRAME_FROM_COEFFICIENTS[second % BLOCK_FRAMES])
        } else {
            Self::TwoBlocks(reader, BlockReader::new(clip, second))
        }
    }

    /// The next three numbers of a track in both frames, in steps of its own times `base`.
    #[inline(always)]
    fn three(&mut self, base: f32) -> [[f32; 3]; 2] {
        match self {
            Self::OneBlock(reader, second_row) => {
                let [step, profiles @ ..]: [u8; 4] = reader.header();
                let step = relative_step(step) * base;
                let mut out = [[0.0; 3]; 2];
                for (n, profile) in profiles.into_iter().enumerate() {
                    let coefficients = reader.coefficients(profile);
                    out[0][n] = dot(coefficients, reader.row) * step;
                    out[1][n] = dot(coefficients, *second_row) * step;
                }
                out
            }
            Self::TwoBlocks(first, second) => [first, second].map(|reader| {
                let [step, profiles @ ..]: [u8; 4] = reader.header();
                let step = relative_step(step) * base;
                profiles.map(|profile| dot(reader.coefficients(profile), reader.row) * step)
            }),
        }
    }

    /// The next number of a track in both frames.
    #[inline(always)]
    fn one(&mut self, base: f32) -> [f32; 2] {
        match self {
            Self::OneBlock(reader, second_row) => {
                let [step, profile]: [u8; 2] = reader.header();
                let step = relative_step(step) * base;
                let coefficients = reader.coefficients(profile);
                [dot(coefficients, reader.row) * step, dot(coefficients, *second_row) * step]
            }
            Self::TwoBlocks(first, second) => [first, second].map(|reader| {
                let [step, profile]: [u8; 2] = reader.header();
                dot(reader.coefficients(profile), reader.row) * (relative_step(step) * base)
            }),
        }
    }
}

#[inline(always)]
fn sample_frames<S: Simd>(simd: S, clip: &CompressedClip, time_secs: f32, pose: &mut LocalPose) {
    let frames = clip.frames();
    let at = f64::from(time_secs) * frames.rate_hz;
    let last = frames.played_count() - 1;
    let first = (at as usize).min(last.saturating_sub(1));
    // If events extend the clip beyond the last frame, that frame is held.
    let fraction = ((at - first as f64) as f32).clamp(0.0, 1.0);
    // The frame after the last of a loop is the first.
    let second = if first + 1 < frames.frame_count {
        first + 1
    } else if frames.is_loop {
        0
    } else {
        first
    };
    let mut pair = FramePair::new(clip, first, second);
    for (tracks, charts) in frames.rotations.chunks(4).zip(clip.charts().chunks(4)) {
        rotations(simd, tracks, charts, &mut pair, fraction, pose);
    }
    for track in &frames.vectors {
        vector(track, &mut pair, fraction, pose);
    }
    for MorphTrack { slot, mean, base_exponent } in &frames.morphs {
        let [from, to] = pair.one(base_step(*base_exponent));
        // A binding may leave tracks out, but their bits are read.
        if let Some(weight) = pose.morphs.get_mut(*slot) {
            *weight = mean + (from + (to - from) * fraction);
        }
    }
}

#[inline(always)]
fn vector(track: &VectorTrack, pair: &mut FramePair<'_>, fraction: f32, pose: &mut LocalPose) {
    let [from, to] = pair.three(base_step(track.base_exponent)).map(Vec3::from);
    let value = track.mean + (from + (to - from) * fraction);
    let Some(joint) = pose.joints.get_mut(track.joint.index()) else { return };
    match track.property {
        VectorProperty::Translation => joint.translation = value,
        VectorProperty::Scale => joint.scale = value,
    }
}

/// Up to four rotations, one in each lane.
#[inline(always)]
fn rotations<S: Simd>(
    simd: S,
    tracks: &[RotationTrack],
    charts: &[[Quat; 2]],
    pair: &mut FramePair<'_>,
    fraction: f32,
    pose: &mut LocalPose,
) {
    // The numbers of the first and the second frame: x, y and z of four tracks each.
    let mut numbers = [[[0.0_f32; 4]; 3]; 2];
    let mut means = [[0.0_f32; 4]; 4];
    let mut axes = [[0.0_f32; 4]; 4];
    for (lane, [mean, axis]) in charts.iter().enumerate() {
        let [from, to] = pair.three(1.0);
        for n in 0..3 {
            numbers[0][n][lane] = from[n];
            numbers[1][n][lane] = to[n];
        }
        for n in 0..4 {
            means[n][lane] = mean.to_array()[n];
            axes[n][lane] = axis.to_array()[n];
        }
    }
    let lanes = |values: [f32; 4]| f32x4::from_slice(simd, &values);
    let one = f32x4::splat(simd, 1.0);
    // (2 m, 1 − |m|²) / (1 + |m|²)
    let unit = |m: [[f32; 4]; 3]| {
        let [x, y, z] = m.map(lanes);
        let square = (x * x + y * y) + z * z;
        let scale = one / (one + square);
        let double = scale + scale;
        [x * double, y * double, z * double, (one - square) * scale]
    };
    let (from, to) = (unit(numbers[0]), unit(numbers[1]));
    // A block has the sign that suits its frames, so that of the next may be the other.
    let cosine = (from[0] * to[0] + from[1] * to[1]) + (from[2] * to[2] + from[3] * to[3]);
    let fraction = f32x4::splat(simd, fraction);
    let weight = one - fraction;
    let cosines: [f32; 4] = cosine.into();
    let signs = lanes(cosines.map(|c| if c < 0.0 { -1.0 } else { 1.0 })) * fraction;
    let [x, y, z, w]: [f32x4<S>; 4] = std::array::from_fn(|n| from[n] * weight + to[n] * signs);
    let (mean, axes) = (means.map(lanes), axes.map(lanes));
    // The vector turns from the principal axes to the mean's; the angle stays.
    let [x, y, z] = rotated(axes, [x, y, z]);
    let out = product(mean, [x, y, z, w]);
    let length = ((out[0] * out[0] + out[1] * out[1]) + (out[2] * out[2] + out[3] * out[3])).sqrt();
    let scale = one / length;
    let out: [[f32; 4]; 4] = out.map(|n| (n * scale).into());
    for (lane, track) in tracks.iter().enumerate() {
        if let Some(joint) = pose.joints.get_mut(track.joint.index()) {
            joint.rotation = Quat::from_xyzw(out[0][lane], out[1][lane], out[2][lane], out[3][lane]);
        }
    }
}

/// `v` rotated by unit quaternions: v + 2 q × (q × v + w v).
#[inline(always)]
fn rotated<S: Simd>([qx, qy, qz, qw]: [f32x4<S>; 4], [x, y, z]: [f32x4<S>; 3]) -> [f32x4<S>; 3] {
    let tx = (qy * z - qz * y) + qw * x;
    let ty = (qz * x - qx * z) + qw * y;
    let tz = (qx * y - qy * x) + qw * z;
    let double = |v: f32x4<S>| v + v;
    [x + double(qy * tz - qz * ty), y + double(qz * tx - qx * tz), z + double(qx * ty - qy * tx)]
}

/// The product of quaternions.
#[inline(always)]
fn product<S: Simd>(a: [f32x4<S>; 4], b: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        (aw * bx + ax * bw) + (ay * bz - az * by),
        (aw * by + ay * bw) + (az * bx - ax * bz),
        (aw * bz + az * bw) + (ax * by - ay * bx),
        (aw * bw - ax * bx) - (ay * by + az * bz),
    ]
}
