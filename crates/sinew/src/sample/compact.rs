//! Sampling of compact clips into local poses.
//!
//! One kernel serves every SIMD level and gives the same bits on each: the order of products and sums is fixed, none are
//! fused, and all operations round to nearest.

use super::{ClipCursor, check_pose, sample_channel};
use crate::{
    asset::compact::{CompactClip, Constants, Frames, LANES, TrackBlock},
    pose::LocalPose,
    simd::{self, Level, dispatch},
    transform::Transform,
};
use fearless_simd::{f32x4, i32x4, prelude::*, u16x8};
use glam::{Quat, Vec3};

/// Samples every track of `clip` at `time_secs`, clamped to its duration, into `pose`.
///
/// Joints and morph slots that the clip does not animate do not change. NaN is time 0.
/// Allocates nothing once the cursor has room ([`ClipCursor::with_room`]).
///
/// # Panics
/// If the pose has fewer joints or morph slots than the clip animates.
pub fn sample_compact(clip: &CompactClip, time_secs: f32, cursor: &mut ClipCursor, pose: &mut LocalPose) {
    sample_compact_at(simd::best(), clip, time_secs, cursor, pose);
}

/// [`sample_compact`] on a given SIMD level; every level gives the same bits.
///
/// # Panics
/// As [`sample_compact`].
pub fn sample_compact_at(
    level: Level,
    clip: &CompactClip,
    time_secs: f32,
    cursor: &mut ClipCursor,
    pose: &mut LocalPose,
) {
    check_pose(clip.joint_count(), clip.morph_slot_count(), pose);
    let time_secs = if time_secs.is_nan() { 0.0 } else { time_secs.clamp(0.0, clip.duration_secs()) };
    write_constants(&clip.constants, pose);
    if clip.frames.count > 1 {
        dispatch!(level, simd => sample_frames(simd, &clip.frames, time_secs, pose));
    }
    for (channel, hint) in clip.keyed.iter().zip(cursor.hints(clip.keyed.len())) {
        sample_channel(channel, time_secs, hint, pose);
    }
}

fn write_constants(constants: &Constants, pose: &mut LocalPose) {
    for (joint, translation) in &constants.translations {
        pose.joints[joint.index()].translation = *translation;
    }
    for (joint, rotation) in &constants.rotations {
        pose.joints[joint.index()].rotation = *rotation;
    }
    for (joint, scale) in &constants.scales {
        pose.joints[joint.index()].scale = *scale;
    }
    for (slot, weight) in &constants.morphs {
        pose.morphs[*slot] = *weight;
    }
}

/// Two neighboring frames, read from front to back, and the fraction between them.
struct FramePair<'a, S: Simd> {
    simd: S,
    from: &'a [u16],
    to: &'a [u16],
    fraction: f32x4<S>,
}

#[inline(always)]
fn sample_frames<S: Simd>(simd: S, frames: &Frames, time_secs: f32, pose: &mut LocalPose) {
    let at = f64::from(time_secs) * frames.rate_hz;
    let first = (at as usize).min(frames.count - 2);
    // If events extend the clip beyond the last frame, that frame is held.
    let fraction = ((at - first as f64) as f32).min(1.0);
    let both = &frames.data[first * frames.stride..][..2 * frames.stride];
    let (from, to) = both.split_at(frames.stride);
    let mut pair = FramePair { simd, from, to, fraction: f32x4::splat(simd, fraction) };
    let joints = &mut pose.joints[..];
    for block in &frames.rotations {
        pair.rotations(block, joints);
    }
    for block in &frames.translations {
        pair.vectors(block, |target, value| joints[target as usize].translation = value);
    }
    for block in &frames.scales {
        pair.vectors(block, |target, value| joints[target as usize].scale = value);
    }
    for block in &frames.morphs {
        pair.scalars(block, &mut pose.morphs);
    }
}

impl<S: Simd> FramePair<'_, S> {
    /// The values of the next block: for each of the `N` numbers, the lower and the upper four tracks.
    #[inline(always)]
    fn numbers<const N: usize>(&mut self, block: &TrackBlock<N>) -> [[f32x4<S>; 2]; N] {
        let (from, from_rest) = self.from.split_at(TrackBlock::<N>::STRIDE);
        let (to, to_rest) = self.to.split_at(TrackBlock::<N>::STRIDE);
        (self.from, self.to) = (from_rest, to_rest);
        let (simd, fraction) = (self.simd, self.fraction);
        let mut out = [[f32x4::splat(simd, 0.0); 2]; N];
        for (n, out) in out.iter_mut().enumerate() {
            let lanes = n * LANES..(n + 1) * LANES;
            let [a_low, a_high] = widened(simd, &from[lanes.clone()]);
            let [b_low, b_high] = widened(simd, &to[lanes]);
            let (step, min) = (&block.step[n], &block.min[n]);
            let number = |a: i32x4<S>, b: i32x4<S>, half: usize| {
                let a_float = simd.cvt_f32_i32x4(a);
                let way = simd.cvt_f32_i32x4(b - a);
                let step = f32x4::from_slice(simd, &step[half..half + 4]);
                let min = f32x4::from_slice(simd, &min[half..half + 4]);
                (a_float + way * fraction) * step + min
            };
            *out = [number(a_low, b_low, 0), number(a_high, b_high, 4)];
        }
        out
    }

    #[inline(always)]
    fn rotations(&mut self, block: &TrackBlock<4>, joints: &mut [Transform]) {
        let [xs, ys, zs, ws] = self.numbers(block);
        let one = f32x4::splat(self.simd, 1.0);
        for half in 0..2 {
            let [x, y, z, w] = [xs[half], ys[half], zs[half], ws[half]];
            // Neighboring frames lie in one hemisphere, so the chord stays away from the origin.
            let length = ((x * x + y * y) + (z * z + w * w)).sqrt();
            let scale = one / length;
            let quats = transposed([x * scale, y * scale, z * scale, w * scale]);
            for (lane, quat) in quats.into_iter().enumerate() {
                let target = block.targets[half * 4 + lane] as usize;
                joints[target].rotation = Quat::from_array(quat.into());
            }
        }
    }

    #[inline(always)]
    fn vectors(&mut self, block: &TrackBlock<3>, mut write: impl FnMut(u32, Vec3)) {
        let [xs, ys, zs] = self.numbers(block);
        let zero = f32x4::splat(self.simd, 0.0);
        for half in 0..2 {
            for (lane, vector) in transposed([xs[half], ys[half], zs[half], zero]).into_iter().enumerate() {
                let [x, y, z, _]: [f32; 4] = vector.into();
                write(block.targets[half * 4 + lane], Vec3::new(x, y, z));
            }
        }
    }

    #[inline(always)]
    fn scalars(&mut self, block: &TrackBlock<1>, morphs: &mut [f32]) {
        let [halves] = self.numbers(block);
        for (half, four) in halves.into_iter().enumerate() {
            let four: [f32; 4] = four.into();
            for (lane, weight) in four.into_iter().enumerate() {
                morphs[block.targets[half * 4 + lane] as usize] = weight;
            }
        }
    }
}

/// Widens eight 16-bit numbers to two vectors of integers.
#[inline(always)]
fn widened<S: Simd>(simd: S, bits: &[u16]) -> [i32x4<S>; 2] {
    let (low, high) = simd.widen_u16x8(u16x8::from_slice(simd, bits));
    // They fit into signed integers, which convert to floats in one instruction.
    [low.bitcast(), high.bitcast()]
}

/// Transposes four vectors with one number of four tracks each to four vectors with one track each.
#[inline(always)]
fn transposed<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (ac, bd) = (a.zip_low(c), b.zip_low(d));
    let (ac_high, bd_high) = (a.zip_high(c), b.zip_high(d));
    [ac.zip_low(bd), ac.zip_high(bd), ac_high.zip_low(bd_high), ac_high.zip_high(bd_high)]
}

#[cfg(test)]
mod tests;
