//! The twin of the [reference](super::reference) for every SIMD level: eight tracks in the lanes of a vector.
//!
//! The coefficients of a number are unpacked at once: sixteen bytes are loaded, a table says which four bytes hold each
//! coefficient, and a product shifts it to the top of its lane.
//!
//! Loops instead of `map` and `from_fn`: a closure that is not inlined into the function of a SIMD level would call every
//! instruction as a function.

use super::{FramePair, FramePlace, MAX_PARAMETER};
use crate::{
    asset::compressed::{
        BLOCK_FRAMES, ChartLanes, CompressedClip, CompressedFrames, FrameLanes, GROUP_TRACKS, PROFILE_BITS,
        PROFILE_LANES, RotationTrack, TrackLanes, VectorProperty,
    },
    pose::LocalPose,
    transform::Transform,
};
use fearless_simd::{f32x4, f32x8, i32x8, prelude::*, u8x16, u8x32, u32x8};
use glam::{Quat, Vec3};

/// Samples all tracks that are stored in frames, none of whose profiles is wide.
#[inline(always)]
pub(super) fn sample<S: Simd>(simd: S, clip: &CompressedClip, pair: &FramePair, pose: &mut LocalPose) {
    let (frames, lanes) = (clip.frames(), clip.lanes());
    let [from, to] = pair.places;
    let block = BlockBits::new(&frames.data, from);
    let rows = [row(simd, &from.row), row(simd, &to.row)];
    let fraction = f32x8::splat(simd, pair.fraction);
    if pair.is_one_block() {
        tracks(simd, OneBlock { block, rows }, frames, lanes, fraction, pose);
    } else {
        let blocks = [block, BlockBits::new(&frames.data, to)];
        tracks(simd, TwoBlocks { blocks, rows }, frames, lanes, fraction, pose);
    }
}

#[inline(always)]
fn row<S: Simd>(simd: S, weights: &[f32; BLOCK_FRAMES]) -> [f32x8<S>; BLOCK_FRAMES] {
    let mut out = [f32x8::splat(simd, 0.0); BLOCK_FRAMES];
    for (out, weight) in out.iter_mut().zip(weights) {
        *out = f32x8::splat(simd, *weight);
    }
    out
}

/// The numbers of groups of tracks in two frames, from the first group to the last.
trait FrameNumbers<S: Simd> {
    /// Begins the next group: the steps of its tracks in both frames.
    fn steps(&mut self, simd: S, tracks: usize) -> [f32x8<S>; 2];
    /// The next number of each track, in steps.
    fn number(&mut self, simd: S, tracks: usize) -> [f32x8<S>; 2];
}

/// Both frames are in one block.
struct OneBlock<'a, S: Simd> {
    block: BlockBits<'a>,
    rows: [[f32x8<S>; BLOCK_FRAMES]; 2],
}

impl<S: Simd> FrameNumbers<S> for OneBlock<'_, S> {
    #[inline(always)]
    fn steps(&mut self, simd: S, tracks: usize) -> [f32x8<S>; 2] {
        [self.block.steps(simd, tracks); 2]
    }

    #[inline(always)]
    fn number(&mut self, simd: S, tracks: usize) -> [f32x8<S>; 2] {
        let coefficients = self.block.coefficients(simd, tracks);
        [dot(&coefficients, &self.rows[0]), dot(&coefficients, &self.rows[1])]
    }
}

/// Each frame is in a block of its own.
struct TwoBlocks<'a, S: Simd> {
    blocks: [BlockBits<'a>; 2],
    rows: [[f32x8<S>; BLOCK_FRAMES]; 2],
}

impl<S: Simd> FrameNumbers<S> for TwoBlocks<'_, S> {
    #[inline(always)]
    fn steps(&mut self, simd: S, tracks: usize) -> [f32x8<S>; 2] {
        let [from, to] = &mut self.blocks;
        [from.steps(simd, tracks), to.steps(simd, tracks)]
    }

    #[inline(always)]
    fn number(&mut self, simd: S, tracks: usize) -> [f32x8<S>; 2] {
        let [from, to] = &mut self.blocks;
        [
            dot(&from.coefficients(simd, tracks), &self.rows[0]),
            dot(&to.coefficients(simd, tracks), &self.rows[1]),
        ]
    }
}

#[inline(always)]
fn tracks<S: Simd>(
    simd: S,
    mut numbers: impl FrameNumbers<S>,
    frames: &CompressedFrames,
    lanes: &FrameLanes,
    fraction: f32x8<S>,
    pose: &mut LocalPose,
) {
    for (tracks, charts) in frames.rotations.chunks(GROUP_TRACKS).zip(&lanes.charts) {
        let steps = numbers.steps(simd, tracks.len());
        let x = numbers.number(simd, tracks.len());
        let y = numbers.number(simd, tracks.len());
        let z = numbers.number(simd, tracks.len());
        let parameters = [
            [x[0] * steps[0], y[0] * steps[0], z[0] * steps[0]],
            [x[1] * steps[1], y[1] * steps[1], z[1] * steps[1]],
        ];
        let quats = rotations(simd, charts, parameters, fraction);
        write_rotations(quats, tracks, &mut pose.joints);
    }
    for (tracks, means) in frames.vectors.chunks(GROUP_TRACKS).zip(&lanes.vectors) {
        let steps = numbers.steps(simd, tracks.len());
        let base = load(simd, &means.base);
        let mut values: [TrackLanes; 3] = [[0.0; GROUP_TRACKS]; 3];
        for (value, mean) in values.iter_mut().zip(&means.mean) {
            let [from, to] = numbers.number(simd, tracks.len());
            let (from, to) = (from * steps[0], to * steps[1]);
            *value = (load(simd, mean) + (from + (to - from) * fraction) * base).into();
        }
        for (lane, track) in tracks.iter().enumerate() {
            let Some(joint) = pose.joints.get_mut(track.joint.index()) else { continue };
            let value = Vec3::new(values[0][lane], values[1][lane], values[2][lane]);
            match track.property {
                VectorProperty::Translation => joint.translation = value,
                VectorProperty::Scale => joint.scale = value,
            }
        }
    }
    for (tracks, means) in frames.morphs.chunks(GROUP_TRACKS).zip(&lanes.morphs) {
        let steps = numbers.steps(simd, tracks.len());
        let [from, to] = numbers.number(simd, tracks.len());
        let (from, to) = (from * steps[0], to * steps[1]);
        let value = (from + (to - from) * fraction) * load(simd, &means.base);
        let weights: TrackLanes = (load(simd, &means.mean) + value).into();
        for (track, weight) in tracks.iter().zip(weights) {
            // A binding may leave tracks out, but their bits are read.
            if let Some(out) = pose.morphs.get_mut(track.slot) {
                *out = weight;
            }
        }
    }
}

#[inline(always)]
fn load<S: Simd>(simd: S, lanes: &TrackLanes) -> f32x8<S> {
    f32x8::from_slice(simd, lanes)
}

/// A place in the bytes of one block.
struct BlockBits<'a> {
    data: &'a [u8],
    header: usize,
    bit: usize,
}

impl<'a> BlockBits<'a> {
    #[inline(always)]
    fn new(data: &'a [u8], place: FramePlace) -> Self {
        Self { data, header: place.header, bit: 8 * place.block }
    }

    /// The next `count` bytes of the header, at most eight, and zeros.
    #[inline(always)]
    fn header(&mut self, count: usize) -> u64 {
        let bytes = self.data.get(self.header..).and_then(|rest| rest.first_chunk());
        self.header += count;
        u64::from_le_bytes(*bytes.unwrap_or(&[0; 8])) & (u64::MAX >> (64 - 8 * count))
    }

    #[inline(always)]
    fn steps<S: Simd>(&mut self, simd: S, tracks: usize) -> f32x8<S> {
        let mut lanes = [0; GROUP_TRACKS];
        for (lane, step) in lanes.iter_mut().zip(self.header(tracks).to_le_bytes()) {
            *lane = 1.0_f32.to_bits() - (u32::from(step) << 20);
        }
        u32x8::from_slice(simd, &lanes).bitcast()
    }

    /// The coefficients of the next number of each track; the lanes are tracks.
    #[inline(always)]
    fn coefficients<S: Simd>(&mut self, simd: S, tracks: usize) -> [f32x8<S>; BLOCK_FRAMES] {
        let profiles = self.header(tracks).to_le_bytes();
        let mut rows = [f32x8::splat(simd, 0.0); GROUP_TRACKS];
        // Two loops, so that the one for whole groups is unrolled.
        if tracks == GROUP_TRACKS {
            for (row, profile) in rows.iter_mut().zip(profiles) {
                *row = self.number(simd, profile);
            }
        } else {
            for (row, profile) in rows.iter_mut().zip(profiles).take(tracks) {
                *row = self.number(simd, profile);
            }
        }
        transposed(simd, rows)
    }

    /// The coefficients of one number.
    #[inline(always)]
    fn number<S: Simd>(&mut self, simd: S, profile: u8) -> f32x8<S> {
        let lanes = &PROFILE_LANES[usize::from(profile)];
        let bytes: Option<&[u8; 16]> = self.data.get(self.bit / 8..).and_then(|rest| rest.first_chunk());
        let bytes = u8x16::from_slice(simd, bytes.unwrap_or(&[0; 16]));
        let chosen = bytes.combine(bytes).swizzle_dyn_within_blocks(u8x32::from_slice(simd, &lanes.bytes));
        let words: u32x8<S> = chosen.bitcast::<u32x8<S>>() >> (self.bit % 8) as u32;
        self.bit += usize::from(PROFILE_BITS[usize::from(profile)]);
        let tops = (words * u32x8::from_slice(simd, &lanes.factors)) & u32x8::from_slice(simd, &lanes.masks);
        let signed: i32x8<S> = tops.bitcast();
        simd.cvt_f32_i32x8(signed) * f32x8::from_slice(simd, &lanes.units)
    }
}

#[inline(always)]
fn dot<S: Simd>(c: &[f32x8<S>; BLOCK_FRAMES], row: &[f32x8<S>; BLOCK_FRAMES]) -> f32x8<S> {
    ((c[0] * row[0] + c[1] * row[1]) + (c[2] * row[2] + c[3] * row[3]))
        + ((c[4] * row[4] + c[5] * row[5]) + (c[6] * row[6] + c[7] * row[7]))
}

/// Transposes eight vectors of eight lanes.
#[inline(always)]
fn transposed<S: Simd>(simd: S, rows: [f32x8<S>; 8]) -> [f32x8<S>; 8] {
    let zero = f32x4::splat(simd, 0.0);
    let (mut low, mut high) = ([zero; 8], [zero; 8]);
    for n in 0..8 {
        (low[n], high[n]) = rows[n].split();
    }
    let first =
        [transposed4([low[0], low[1], low[2], low[3]]), transposed4([high[0], high[1], high[2], high[3]])];
    let last =
        [transposed4([low[4], low[5], low[6], low[7]]), transposed4([high[4], high[5], high[6], high[7]])];
    let mut out = [f32x8::splat(simd, 0.0); 8];
    for k in 0..4 {
        out[k] = first[0][k].combine(last[0][k]);
        out[k + 4] = first[1][k].combine(last[1][k]);
    }
    out
}

/// Transposes four vectors of four lanes.
#[inline(always)]
fn transposed4<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (ac, bd) = (a.zip_low(c), b.zip_low(d));
    let (ac_high, bd_high) = (a.zip_high(c), b.zip_high(d));
    [ac.zip_low(bd), ac.zip_high(bd), ac_high.zip_low(bd_high), ac_high.zip_high(bd_high)]
}

/// The rotations of a group, as the reference computes them one after the other.
#[inline(always)]
fn rotations<S: Simd>(
    simd: S,
    charts: &ChartLanes,
    parameters: [[f32x8<S>; 3]; 2],
    fraction: f32x8<S>,
) -> [f32x8<S>; 4] {
    let one = f32x8::splat(simd, 1.0);
    let (low, high) = (f32x8::splat(simd, -MAX_PARAMETER), f32x8::splat(simd, MAX_PARAMETER));
    let [mut a, mut b] = parameters;
    for n in 0..3 {
        a[n] = a[n].max(low).min(high);
        b[n] = b[n].max(low).min(high);
    }
    let a_square = (a[0] * a[0] + a[1] * a[1]) + a[2] * a[2];
    let b_square = (b[0] * b[0] + b[1] * b[1]) + b[2] * b[2];
    for n in 0..3 {
        a[n] = a[n] + a[n];
        b[n] = b[n] + b[n];
    }
    let (a_w, b_w) = (one - a_square, one - b_square);
    let cosine = (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a_w * b_w);
    let a_weight = (one + b_square) * (one - fraction);
    let b_weight = ((one + a_square) * fraction).copysign(cosine);
    for n in 0..3 {
        a[n] = a[n] * a_weight + b[n] * b_weight;
    }
    let w = a_w * a_weight + b_w * b_weight;
    let [x, y, z] = rotated(loaded(simd, &charts.axes), a);
    let mut out = product(loaded(simd, &charts.mean), [x, y, z, w]);
    let length = ((out[0] * out[0] + out[1] * out[1]) + (out[2] * out[2] + out[3] * out[3])).sqrt();
    let scale = one / length;
    for number in &mut out {
        *number *= scale;
    }
    out
}

#[inline(always)]
fn loaded<S: Simd>(simd: S, lanes: &[TrackLanes; 4]) -> [f32x8<S>; 4] {
    [load(simd, &lanes[0]), load(simd, &lanes[1]), load(simd, &lanes[2]), load(simd, &lanes[3])]
}

#[inline(always)]
fn write_rotations<S: Simd>(quats: [f32x8<S>; 4], tracks: &[RotationTrack], joints: &mut [Transform]) {
    let ((x, x_high), (y, y_high)) = (quats[0].split(), quats[1].split());
    let ((z, z_high), (w, w_high)) = (quats[2].split(), quats[3].split());
    let (low, high) = (transposed4([x, y, z, w]), transposed4([x_high, y_high, z_high, w_high]));
    let mut numbers = [[0.0; 4]; GROUP_TRACKS];
    for n in 0..4 {
        numbers[n] = low[n].into();
        numbers[n + 4] = high[n].into();
    }
    for (track, quat) in tracks.iter().zip(numbers) {
        // A binding may leave tracks out, but their bits are read.
        if let Some(joint) = joints.get_mut(track.joint.index()) {
            joint.rotation = Quat::from_array(quat);
        }
    }
}

/// `v` rotated by unit quaternions: v + 2 q × (q × v + w v).
#[inline(always)]
fn rotated<S: Simd>([qx, qy, qz, qw]: [f32x8<S>; 4], [x, y, z]: [f32x8<S>; 3]) -> [f32x8<S>; 3] {
    let tx = (qy * z - qz * y) + qw * x;
    let ty = (qz * x - qx * z) + qw * y;
    let tz = (qx * y - qy * x) + qw * z;
    let (dx, dy, dz) = (qy * tz - qz * ty, qz * tx - qx * tz, qx * ty - qy * tx);
    [x + (dx + dx), y + (dy + dy), z + (dz + dz)]
}

/// The product of quaternions.
#[inline(always)]
fn product<S: Simd>(a: [f32x8<S>; 4], b: [f32x8<S>; 4]) -> [f32x8<S>; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        (aw * bx + ax * bw) + (ay * bz - az * by),
        (aw * by + ay * bw) + (az * bx - ax * bz),
        (aw * bz + az * bw) + (ax * by - ay * bx),
        (aw * bw - ax * bx) - (ay * by + az * bz),
    ]
}
