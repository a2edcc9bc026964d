//! The mean of layers of which some have masks, and a layer over a pose, four joints at once.
//!
//! The definitions are [`kernel::masked`] and [`kernel::pair`], joint by joint. Here every joint takes the same steps: a sum
//! that starts at -0 becomes its first term to the bit, and a joint with one layer is multiplied by one.

use super::{
    PoseLayer, REST_THRESHOLD,
    kernel::{self, Four, SHORTEST, products, spread, sums},
};
use crate::{
    asset::skeleton::JointId,
    blend::Mask,
    simd::{Level, dispatch},
    transform::Transform,
};
use fearless_simd::{f32x4, prelude::*};

/// The mean of layers of which some have masks. Each joint has its own sum of weights.
pub(super) fn mean(level: Level, layers: &[PoseLayer<'_>], rest: &[Transform], out: &mut [Transform]) {
    let total: f32 = layers.iter().map(PoseLayer::checked_weight).sum();
    // Relative to an infinite sum, every weight is zero.
    if level.is_fallback() || out.len() < 4 || !total.is_finite() {
        return kernel::masked(layers, rest, out);
    }
    dispatch!(level, simd => mean_by_fours(simd, layers, rest, out));
}

/// Blends `joints` towards `over`, each by `weight` times its weight in `mask`.
pub(super) fn over(
    level: Level,
    joints: &mut [Transform],
    over: &[Transform],
    weight: f32,
    mask: Option<&Mask>,
) {
    let (fours, last) = joints.as_chunks_mut::<4>();
    let (over_fours, over_last) = over.as_chunks::<4>();
    let done = fours.len() * 4;
    if level.is_fallback() {
        for (nth, (four, over)) in fours.iter_mut().zip(over_fours).enumerate() {
            over_one_by_one(four, over, weight, mask, nth * 4);
        }
    } else {
        dispatch!(level, simd => over_by_fours(simd, fours, over_fours, weight, mask));
    }
    over_one_by_one(last, over_last, weight, mask, done);
}

fn over_one_by_one(
    joints: &mut [Transform],
    over: &[Transform],
    weight: f32,
    mask: Option<&Mask>,
    from: usize,
) {
    for (nth, (joint, over)) in joints.iter_mut().zip(over).enumerate() {
        let fraction = weight * mask.map_or(1.0, |mask| mask.weight(JointId((from + nth) as u16)));
        *joint = kernel::pair(joint, over, fraction);
    }
}

/// `weight` times the weights in `mask` of the four joints from `from` on.
#[inline(always)]
pub(in crate::blend) fn four_weights<S: Simd>(
    simd: S,
    weight: f32,
    mask: Option<&Mask>,
    from: usize,
) -> f32x4<S> {
    let weights = mask.map_or([1.0; 4], |mask| {
        let weights = mask.weights();
        // Joints beyond the mask have weight 0.
        let at = |index: usize| weights.get(index).copied().unwrap_or(0.0);
        match weights.get(from..).and_then(<[f32]>::first_chunk) {
            Some(four) => *four,
            None => [at(from), at(from + 1), at(from + 2), at(from + 3)],
        }
    });
    f32x4::splat(simd, weight) * f32x4::simd_from(simd, weights)
}

#[inline(always)]
fn mean_by_fours<S: Simd>(simd: S, layers: &[PoseLayer<'_>], rest: &[Transform], out: &mut [Transform]) {
    let mut at = 0;
    while at < out.len() {
        // An incomplete last group overlaps the one before it; those joints are computed twice.
        let from = at.min(out.len() - 4);
        if let (Some(rest), Some(out)) = (rest[from..].first_chunk(), out[from..].first_chunk_mut()) {
            mean_of_four(simd, layers, from, rest, out);
        }
        at += 4;
    }
}

#[inline(always)]
fn mean_of_four<S: Simd>(
    simd: S,
    layers: &[PoseLayer<'_>],
    from: usize,
    rest: &[Transform; 4],
    out: &mut [Transform; 4],
) {
    let (zero, threshold) = (f32x4::splat(simd, 0.0), f32x4::splat(simd, REST_THRESHOLD));
    let mut sum = zero;
    for layer in layers {
        sum += four_weights(simd, layer.checked_weight(), layer.mask, from);
    }
    let gap = (threshold - sum).max(zero);
    let whole = sum + gap;
    let mut mean = Mean::nothing(simd);
    for layer in layers {
        let fraction = four_weights(simd, layer.checked_weight(), layer.mask, from) / whole;
        if let (true, Some(four)) =
            (fraction.simd_gt(zero).any_true(), layer.pose.joints[from..].first_chunk())
        {
            mean.add(simd, four, fraction);
        }
    }
    if gap.simd_gt(zero).any_true() {
        mean.add(simd, rest, gap / whole);
    }
    mean.store(simd, out);
}

/// The sum of weighted sources of four joints.
struct Mean<S: Simd> {
    sum: Four<S>,
    /// The number of sources of each joint.
    sources: f32x4<S>,
}

impl<S: Simd> Mean<S> {
    #[inline(always)]
    fn nothing(simd: S) -> Self {
        // -0 plus any number is that number, including the sign of a zero.
        let none = [f32x4::splat(simd, -0.0); 4];
        Self { sum: Four { rotations: none, low: none, high: none }, sources: f32x4::splat(simd, 0.0) }
    }

    /// Adds a source to the joints whose fraction is above zero, with rotations in the hemisphere of their sums.
    #[inline(always)]
    fn add(&mut self, simd: S, source: &[Transform; 4], fraction: f32x4<S>) {
        let (zero, one) = (f32x4::splat(simd, 0.0), f32x4::splat(simd, 1.0));
        let other = Four::load(simd, source);
        let sum = &mut self.sum;
        let dots = sums(products(&sum.rotations, &other.rotations));
        let signed = spread(simd, dots.simd_lt(zero).select(zero - fraction, fraction));
        let takes = fraction.simd_gt(zero);
        let fractions = spread(simd, fraction);
        if takes.all_true() {
            for k in 0..4 {
                sum.rotations[k] += signed[k] * other.rotations[k];
                sum.low[k] += other.low[k] * fractions[k];
                sum.high[k] += other.high[k] * fractions[k];
            }
        } else {
            for k in 0..4 {
                // A joint without this source keeps its sum, even the sign of a zero.
                let takes = fractions[k].simd_gt(zero);
                let rotation = sum.rotations[k] + signed[k] * other.rotations[k];
                sum.rotations[k] = takes.select(rotation, sum.rotations[k]);
                sum.low[k] = takes.select(sum.low[k] + other.low[k] * fractions[k], sum.low[k]);
                sum.high[k] = takes.select(sum.high[k] + other.high[k] * fractions[k], sum.high[k]);
            }
        }
        self.sources += takes.select(one, zero);
    }

    /// Writes the joints, with normalized rotations where there are several sources.
    #[inline(always)]
    fn store(mut self, simd: S, out: &mut [Transform; 4]) {
        let one = f32x4::splat(simd, 1.0);
        let is_mixed = self.sources.simd_gt(one);
        if is_mixed.any_true() {
            let factors = spread(simd, is_mixed.select(inverse_lengths(simd, &self.sum), one));
            for (rotation, factor) in self.sum.rotations.iter_mut().zip(factors) {
                *rotation *= factor;
            }
        }
        self.sum.store(out);
    }
}

/// One divided by the length of each rotation.
#[inline(always)]
fn inverse_lengths<S: Simd>(simd: S, four: &Four<S>) -> f32x4<S> {
    let lengths = sums(products(&four.rotations, &four.rotations)).sqrt();
    let shortest = f32x4::splat(simd, SHORTEST);
    f32x4::splat(simd, 1.0) / lengths.simd_lt(shortest).select(shortest, lengths)
}

#[inline(always)]
fn over_by_fours<S: Simd>(
    simd: S,
    fours: &mut [[Transform; 4]],
    over: &[[Transform; 4]],
    weight: f32,
    mask: Option<&Mask>,
) {
    let (zero, one) = (f32x4::splat(simd, 0.0), f32x4::splat(simd, 1.0));
    for (nth, (four, over)) in fours.iter_mut().zip(over).enumerate() {
        let fraction = four_weights(simd, weight, mask, nth * 4);
        if fraction.simd_ge(one).all_true() {
            *four = *over;
        } else if fraction.simd_gt(zero).any_true() {
            four_over(simd, four, over, fraction);
        }
    }
}

/// [`kernel::pair`] for four joints.
#[inline(always)]
fn four_over<S: Simd>(simd: S, four: &mut [Transform; 4], over: &[Transform; 4], fraction: f32x4<S>) {
    let (zero, one) = (f32x4::splat(simd, 0.0), f32x4::splat(simd, 1.0));
    let (below, over) = (Four::load(simd, four), Four::load(simd, over));
    let (rest, fractions) = (spread(simd, one - fraction), spread(simd, fraction));
    let mut sum = Four { rotations: below.rotations, low: below.low, high: below.high };
    for (rotation, rest) in sum.rotations.iter_mut().zip(rest) {
        *rotation = rest * *rotation;
    }
    let dots = sums(products(&sum.rotations, &over.rotations));
    let signed = spread(simd, dots.simd_lt(zero).select(zero - fraction, fraction));
    for k in 0..4 {
        sum.rotations[k] += signed[k] * over.rotations[k];
        sum.low[k] = below.low[k] * rest[k] + over.low[k] * fractions[k];
        sum.high[k] = below.high[k] * rest[k] + over.high[k] * fractions[k];
    }
    let factors = spread(simd, inverse_lengths(simd, &sum));
    for k in 0..4 {
        // Both ends are exactly one of the two.
        let (is_above, is_below) = (fractions[k].simd_ge(one), fractions[k].simd_le(zero));
        let pick = |mean: f32x4<S>, below: f32x4<S>, over: f32x4<S>| {
            is_above.select(over, is_below.select(below, mean))
        };
        sum.rotations[k] = pick(sum.rotations[k] * factors[k], below.rotations[k], over.rotations[k]);
        sum.low[k] = pick(sum.low[k], below.low[k], over.low[k]);
        sum.high[k] = pick(sum.high[k], below.high[k], over.high[k]);
    }
    sum.store(four);
}
