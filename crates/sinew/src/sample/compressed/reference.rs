//! The definition of a sample, in plain scalar code: one number after the other.

use super::{FramePair, FramePlace, MAX_PARAMETER};
use crate::{
    asset::compressed::{
        BLOCK_FRAMES, ChartLanes, CompressedClip, GROUP_TRACKS, VectorProperty, profile_bits, profile_widths,
        relative_step,
    },
    pose::LocalPose,
};
use glam::{Quat, Vec3};

/// Samples all tracks that are stored in frames.
pub(super) fn sample(clip: &CompressedClip, pair: &FramePair, pose: &mut LocalPose) {
    let (frames, lanes) = (clip.frames(), clip.lanes());
    let mut reader = PairReader::new(&frames.data, pair);
    let fraction = pair.fraction;
    for (tracks, charts) in frames.rotations.chunks(GROUP_TRACKS).zip(&lanes.charts) {
        let [from, to] = reader.group::<3>(tracks.len());
        for (lane, track) in tracks.iter().enumerate() {
            // A binding may leave tracks out, but their bits are read.
            if let Some(joint) = pose.joints.get_mut(track.joint.index()) {
                let numbers = [from, to].map(|numbers| numbers.map(|number| number[lane]));
                joint.rotation = rotation(charts, lane, numbers, fraction);
            }
        }
    }
    let between = |from: f32, to: f32| from + (to - from) * fraction;
    for (tracks, means) in frames.vectors.chunks(GROUP_TRACKS).zip(&lanes.vectors) {
        let [from, to] = reader.group::<3>(tracks.len());
        for (lane, track) in tracks.iter().enumerate() {
            let number =
                |n: usize| means.mean[n][lane] + between(from[n][lane], to[n][lane]) * means.base[lane];
            let Some(joint) = pose.joints.get_mut(track.joint.index()) else { continue };
            match track.property {
                VectorProperty::Translation => joint.translation = Vec3::from([0, 1, 2].map(number)),
                VectorProperty::Scale => joint.scale = Vec3::from([0, 1, 2].map(number)),
            }
        }
    }
    for (tracks, means) in frames.morphs.chunks(GROUP_TRACKS).zip(&lanes.morphs) {
        let [[from], [to]] = reader.group::<1>(tracks.len());
        for (lane, track) in tracks.iter().enumerate() {
            if let Some(weight) = pose.morphs.get_mut(track.slot) {
                *weight = means.mean[lane] + between(from[lane], to[lane]) * means.base[lane];
            }
        }
    }
}

/// The numbers of one group of tracks in a frame.
type GroupNumbers<const N: usize> = [[f32; GROUP_TRACKS]; N];

/// Reads the groups of two frames, from the first to the last.
struct PairReader<'a> {
    first: BlockReader<'a>,
    /// The block of the second frame, if it is another.
    second: Option<BlockReader<'a>>,
    rows: [[f32; BLOCK_FRAMES]; 2],
}

impl<'a> PairReader<'a> {
    fn new(data: &'a [u8], pair: &FramePair) -> Self {
        let [from, to] = pair.places;
        let second = (!pair.is_one_block()).then(|| BlockReader::new(data, to));
        Self { first: BlockReader::new(data, from), second, rows: [from.row, to.row] }
    }

    /// The numbers of the next group of tracks in both frames, in steps of their base.
    fn group<const N: usize>(&mut self, tracks: usize) -> [GroupNumbers<N>; 2] {
        let [from_row, to_row] = &self.rows;
        let mut out = [[[0.0; GROUP_TRACKS]; N]; 2];
        let [from, to] = &mut out;
        match &mut self.second {
            None => self.first.group(N, tracks, |n, lane, step, coefficients| {
                from[n][lane] = dot(coefficients, from_row) * step;
                to[n][lane] = dot(coefficients, to_row) * step;
            }),
            Some(second) => {
                self.first.group(N, tracks, |n, lane, step, c| from[n][lane] = dot(c, from_row) * step);
                second.group(N, tracks, |n, lane, step, c| to[n][lane] = dot(c, to_row) * step);
            }
        }
        out
    }
}

/// A number of a frame: the sum of coefficients times what they count for.
fn dot(c: &[f32; BLOCK_FRAMES], row: &[f32; BLOCK_FRAMES]) -> f32 {
    ((c[0] * row[0] + c[1] * row[1]) + (c[2] * row[2] + c[3] * row[3]))
        + ((c[4] * row[4] + c[5] * row[5]) + (c[6] * row[6] + c[7] * row[7]))
}

/// A place in the bytes of one block.
struct BlockReader<'a> {
    data: &'a [u8],
    header: usize,
    bit: usize,
}

impl<'a> BlockReader<'a> {
    fn new(data: &'a [u8], place: FramePlace) -> Self {
        Self { data, header: place.header, bit: 8 * place.block }
    }

    /// Calls `put` with number, track, step and coefficients of all numbers of the next group.
    fn group(
        &mut self,
        numbers: usize,
        tracks: usize,
        mut put: impl FnMut(usize, usize, f32, &[f32; BLOCK_FRAMES]),
    ) {
        let header = &self.data[self.header..self.header + (1 + numbers) * tracks];
        self.header += header.len();
        let (steps, profiles) = header.split_at(tracks);
        for (n, profiles) in profiles.chunks_exact(tracks.max(1)).enumerate() {
            for (lane, (profile, step)) in profiles.iter().zip(steps).enumerate() {
                put(n, lane, relative_step(*step), &self.coefficients(*profile));
            }
        }
    }

    /// The coefficients of the next number, in steps of its segment.
    fn coefficients(&mut self, profile: u8) -> [f32; BLOCK_FRAMES] {
        let (mut bit, bits) = (self.bit, profile_bits(profile));
        self.bit += bits as usize;
        let mut out = [0.0; BLOCK_FRAMES];
        // Most blocks are in one word: 64 bits hold 57, whatever bit they begin at.
        let bytes = self.data.get(bit / 8..).and_then(|rest| rest.first_chunk());
        if let Some(bytes) = bytes.filter(|_| bits <= 57) {
            let mut word = u64::from_le_bytes(*bytes) >> (bit % 8);
            for (coefficient, width) in out.iter_mut().zip(profile_widths(profile)) {
                // Shifted in two parts, since a shift by all 64 bits, of no coefficient, is not one.
                let above = 63 - u32::from(width);
                *coefficient = (((word << 1) << above).cast_signed() >> 1 >> above) as i32 as f32;
                word >>= width;
            }
            return out;
        }
        for (coefficient, width) in out.iter_mut().zip(profile_widths(profile)) {
            *coefficient = self.integer(bit, u32::from(width)) as f32;
            bit += usize::from(width);
        }
        out
    }

    /// A whole number of at most 24 bits in two's complement.
    fn integer(&self, bit: usize, width: u32) -> i32 {
        if width == 0 {
            return 0;
        }
        let bytes = self.data.get(bit / 8..).and_then(|rest| rest.first_chunk());
        let word = u32::from_le_bytes(*bytes.unwrap_or(&[0; 4])) >> (bit % 8);
        (word << (32 - width)).cast_signed() >> (32 - width)
    }
}

/// The rotation between those of two frames, from modified Rodrigues parameters m about the mean of the track.
///
/// A rotation is (2m, 1 − |m|²) / (1 + |m|²). Both are multiplied by the divisors of both, which the normalization at the
/// end removes.
fn rotation(charts: &ChartLanes, lane: usize, numbers: [[f32; 3]; 2], fraction: f32) -> Quat {
    let [a, b] = numbers.map(|m| m.map(|number| number.clamp(-MAX_PARAMETER, MAX_PARAMETER)));
    let square = |m: [f32; 3]| (m[0] * m[0] + m[1] * m[1]) + m[2] * m[2];
    let (a_square, b_square) = (square(a), square(b));
    let (a, b) = (a.map(|n| n + n), b.map(|n| n + n));
    let (a_w, b_w) = (1.0 - a_square, 1.0 - b_square);
    // A block has the sign that suits its frames, so that of the next may be the other.
    let cosine = (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a_w * b_w);
    let a_weight = (1.0 + b_square) * (1.0 - fraction);
    let b_weight = ((1.0 + a_square) * fraction).copysign(cosine);
    let [x, y, z] = [0, 1, 2].map(|n| a[n] * a_weight + b[n] * b_weight);
    let w = a_w * a_weight + b_w * b_weight;
    let (axes, mean) = (charts.axes.map(|n| n[lane]), charts.mean.map(|n| n[lane]));
    // The vector turns from the principal axes to the mean's; the angle stays.
    let [x, y, z] = rotated(axes, [x, y, z]);
    let out = product(mean, [x, y, z, w]);
    let length = ((out[0] * out[0] + out[1] * out[1]) + (out[2] * out[2] + out[3] * out[3])).sqrt();
    let scale = 1.0 / length;
    Quat::from_array(out.map(|n| n * scale))
}

/// `v` rotated by a unit quaternion: v + 2 q × (q × v + w v).
fn rotated([qx, qy, qz, qw]: [f32; 4], [x, y, z]: [f32; 3]) -> [f32; 3] {
    let tx = (qy * z - qz * y) + qw * x;
    let ty = (qz * x - qx * z) + qw * y;
    let tz = (qx * y - qy * x) + qw * z;
    let double = |v: f32| v + v;
    [x + double(qy * tz - qz * ty), y + double(qz * tx - qx * tz), z + double(qx * ty - qy * tx)]
}

/// The product of quaternions.
fn product([ax, ay, az, aw]: [f32; 4], [bx, by, bz, bw]: [f32; 4]) -> [f32; 4] {
    [
        (aw * bx + ax * bw) + (ay * bz - az * by),
        (aw * by + ay * bw) + (az * bx - ax * bz),
        (aw * bz + az * bw) + (ax * by - ay * bx),
        (aw * bw - ax * bx) - (ay * by + az * bz),
    ]
}
