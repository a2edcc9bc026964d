//! The weighted mean of joints.
//!
//! [`joint`] is the definition. Four joints at once give the same bits: the same products and sums in the same order,
//! without fused multiply-add.

use super::{PoseLayer, REST_THRESHOLD, gap_and_whole};
use crate::{
    asset::skeleton::JointId,
    simd::{Level, dispatch},
    transform::Transform,
};
use fearless_simd::{f32x4, prelude::*};
use glam::{Quat, Vec3};

/// A shorter sum of rotations has no direction; sign-aligned unit quaternions never give one.
pub(super) const SHORTEST: f32 = 1e-30;

/// The joints of a pose with their normalized weight, which is above 0.
pub(super) type LayerSource<'a> = (&'a [Transform], f32);

/// The mean of layers without masks.
pub(super) fn whole(level: Level, layers: &[PoseLayer<'_>], rest: &[Transform], out: &mut [Transform]) {
    if let [a, b] = layers {
        // The usual case, without the search for positive weights below.
        let (a_weight, b_weight) = (a.checked_weight(), b.checked_weight());
        let sum = a_weight + b_weight;
        if a_weight > 0.0 && b_weight > 0.0 && sum >= REST_THRESHOLD {
            let (a, b) = (&a.pose.joints[..], &b.pose.joints[..]);
            return mean_of_two(level, (a, a_weight / sum), (b, b_weight / sum), out);
        }
    }
    let (gap, whole) = gap_and_whole(layers.iter().map(PoseLayer::checked_weight).sum());
    let of_layers = layers.iter().map(|layer| (&layer.pose.joints[..], layer.checked_weight() / whole));
    let mut sources = of_layers.chain([(rest, gap / whole)]).filter(|(_, fraction)| *fraction > 0.0);
    let Some(first) = sources.next() else { return };
    let Some(second) = sources.next() else { return out.copy_from_slice(first.0) };
    let mut next = sources.next();
    if next.is_none() {
        return mean_of_two(level, first, second, out);
    }
    dispatch!(level, simd => of_two::<_, false>(simd, first, second, out));
    // One source after the other, so that the sums stay in the L1 cache.
    while let Some(source) = next {
        next = sources.next();
        if next.is_some() {
            dispatch!(level, simd => with::<_, false>(simd, source, out));
        } else {
            dispatch!(level, simd => with::<_, true>(simd, source, out));
        }
    }
}

fn mean_of_two(level: Level, a: LayerSource<'_>, b: LayerSource<'_>, out: &mut [Transform]) {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = level.as_avx2() {
        // Also for AVX-512: in the benchmark blend/two, four at a time took 207 ns, eight took 178 ns.
        return super::x86::mean_of_two(avx2, a, b, out);
    }
    dispatch!(level, simd => of_two::<_, true>(simd, a, b, out));
}

/// The mean of layers of which some have masks, joint by joint, since each has its own sum of weights: the definition of
/// [`masked::mean`](super::masked::mean).
pub(super) fn masked(layers: &[PoseLayer<'_>], rest: &[Transform], out: &mut [Transform]) {
    for (index, out) in out.iter_mut().enumerate() {
        let id = JointId(index as u16);
        let weight =
            |layer: &PoseLayer<'_>| layer.checked_weight() * layer.mask.map_or(1.0, |m| m.weight(id));
        let (gap, whole) = gap_and_whole(layers.iter().map(weight).sum());
        let of_layers = layers.iter().map(|layer| (&layer.pose.joints[index], weight(layer) / whole));
        let mut sources =
            of_layers.chain([(&rest[index], gap / whole)]).filter(|(_, fraction)| *fraction > 0.0);
        if let Some((first, fraction)) = sources.next() {
            *out = joint(first, fraction, sources);
        }
    }
}

/// Blends from `below` to `over` by `fraction`; exactly one of them at either end.
pub(super) fn pair(below: &Transform, over: &Transform, fraction: f32) -> Transform {
    if fraction <= 0.0 {
        *below
    } else if fraction >= 1.0 {
        *over
    } else {
        joint(below, 1.0 - fraction, [(over, fraction)].into_iter())
    }
}

/// The mean of one joint: the definition.
#[inline(always)]
fn joint<'a>(
    first: &'a Transform,
    fraction: f32,
    others: impl Iterator<Item = (&'a Transform, f32)>,
) -> Transform {
    let mut others = others.peekable();
    if others.peek().is_none() {
        return *first;
    }
    finished(others.fold(scaled(first, fraction), |sum, (other, fraction)| added(&sum, other, fraction)))
}

/// A transform with every number multiplied by `fraction`.
#[inline(always)]
fn scaled(it: &Transform, fraction: f32) -> Transform {
    Transform {
        translation: it.translation * fraction,
        rotation: Quat::from_array(it.rotation.to_array().map(|n| fraction * n)),
        scale: it.scale * fraction,
    }
}

/// Adds `fraction` times another transform, with its rotation in the hemisphere of the sum.
#[inline(always)]
fn added(sum: &Transform, other: &Transform, fraction: f32) -> Transform {
    let (mut rotation, q) = (sum.rotation.to_array(), other.rotation.to_array());
    let dot = (rotation[0] * q[0] + rotation[2] * q[2]) + (rotation[1] * q[1] + rotation[3] * q[3]);
    let signed = if dot < 0.0 { -fraction } else { fraction };
    rotation.iter_mut().zip(q).for_each(|(sum, n)| *sum += signed * n);
    Transform {
        translation: sum.translation + other.translation * fraction,
        rotation: Quat::from_array(rotation),
        scale: sum.scale + other.scale * fraction,
    }
}

/// A sum with its rotation normalized.
#[inline(always)]
fn finished(sum: Transform) -> Transform {
    let [x, y, z, w] = sum.rotation.to_array();
    let length = ((x * x + z * z) + (y * y + w * w)).sqrt();
    let factor = 1.0 / if length < SHORTEST { SHORTEST } else { length };
    Transform { rotation: Quat::from_array([x * factor, y * factor, z * factor, w * factor]), ..sum }
}

/// Writes the sum of two sources, normalized if there are no others.
#[inline(always)]
pub(super) fn of_two<S: Simd, const IS_ALL: bool>(
    simd: S,
    a: LayerSource<'_>,
    b: LayerSource<'_>,
    out: &mut [Transform],
) {
    let ((a, a_fraction), (b, b_fraction)) = (a, b);
    let fractions = [f32x4::splat(simd, a_fraction), f32x4::splat(simd, b_fraction)];
    let fours = a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0).zip(out.as_chunks_mut::<4>().0);
    for ((a, b), out) in fours {
        four_of_two::<S, IS_ALL>(simd, [a, b], fractions, out);
    }
    if out.len().is_multiple_of(4) {
        return;
    }
    // An incomplete last group overlaps the one before it; those joints are computed twice.
    if let (Some(a), Some(b), Some(out)) = (a.last_chunk(), b.last_chunk(), out.last_chunk_mut()) {
        return four_of_two::<S, IS_ALL>(simd, [a, b], fractions, out);
    }
    for ((a, b), out) in a.iter().zip(b).zip(out) {
        let sum = added(&scaled(a, a_fraction), b, b_fraction);
        *out = if IS_ALL { finished(sum) } else { sum };
    }
}

#[inline(always)]
fn four_of_two<S: Simd, const IS_ALL: bool>(
    simd: S,
    [a, b]: [&[Transform; 4]; 2],
    [a_fraction, b_fraction]: [f32x4<S>; 2],
    out: &mut [Transform; 4],
) {
    let sum = Four::load(simd, a).scaled(a_fraction).added(simd, &Four::load(simd, b), b_fraction);
    if IS_ALL { sum.finished(simd).store(out) } else { sum.store(out) }
}

/// Adds a source to the sums, and normalizes them if it is the last.
#[inline(always)]
fn with<S: Simd, const IS_LAST: bool>(simd: S, (source, fraction): LayerSource<'_>, out: &mut [Transform]) {
    let (source_fours, source_last) = source.as_chunks::<4>();
    let (fours, last) = out.as_chunks_mut::<4>();
    let splat = f32x4::splat(simd, fraction);
    for (source, out) in source_fours.iter().zip(fours) {
        let sum = Four::load(simd, out).added(simd, &Four::load(simd, source), splat);
        if IS_LAST { sum.finished(simd).store(out) } else { sum.store(out) }
    }
    for (source, out) in source_last.iter().zip(last) {
        let sum = added(out, source, fraction);
        *out = if IS_LAST { finished(sum) } else { sum };
    }
}

/// Four joints: rotations, and translations and scales in overlapping vectors, since they are adjacent in memory.
pub(super) struct Four<S: Simd> {
    pub(super) rotations: [f32x4<S>; 4],
    pub(super) low: [f32x4<S>; 4],
    pub(super) high: [f32x4<S>; 4],
}

impl<S: Simd> Four<S> {
    #[inline(always)]
    pub(super) fn load(simd: S, four: &[Transform; 4]) -> Self {
        let rotation = |t: &Transform| f32x4::simd_from(simd, t.rotation.to_array());
        let low = |t: &Transform| {
            f32x4::simd_from(simd, [t.translation.x, t.translation.y, t.translation.z, t.scale.x])
        };
        let high = |t: &Transform| f32x4::simd_from(simd, [t.translation.z, t.scale.x, t.scale.y, t.scale.z]);
        let [a, b, c, d] = four;
        Self {
            rotations: [rotation(a), rotation(b), rotation(c), rotation(d)],
            low: [low(a), low(b), low(c), low(d)],
            high: [high(a), high(b), high(c), high(d)],
        }
    }

    #[inline(always)]
    fn scaled(mut self, fraction: f32x4<S>) -> Self {
        for k in 0..4 {
            self.rotations[k] = fraction * self.rotations[k];
            self.low[k] *= fraction;
            self.high[k] *= fraction;
        }
        self
    }

    #[inline(always)]
    fn added(mut self, simd: S, other: &Self, fraction: f32x4<S>) -> Self {
        let dots = sums(products(&self.rotations, &other.rotations));
        let zero = f32x4::splat(simd, 0.0);
        let signed = spread(simd, dots.simd_lt(zero).select(zero - fraction, fraction));
        for (k, signed) in signed.iter().enumerate() {
            self.rotations[k] += *signed * other.rotations[k];
            self.low[k] += other.low[k] * fraction;
            self.high[k] += other.high[k] * fraction;
        }
        self
    }

    #[inline(always)]
    fn finished(mut self, simd: S) -> Self {
        let lengths = sums(products(&self.rotations, &self.rotations)).sqrt();
        let shortest = f32x4::splat(simd, SHORTEST);
        let factors = f32x4::splat(simd, 1.0) / lengths.simd_lt(shortest).select(shortest, lengths);
        let factors = spread(simd, factors);
        for (rotation, factor) in self.rotations.iter_mut().zip(&factors) {
            *rotation *= *factor;
        }
        self
    }

    #[inline(always)]
    pub(super) fn store(self, out: &mut [Transform; 4]) {
        for (k, out) in out.iter_mut().enumerate() {
            let (low, high): ([f32; 4], [f32; 4]) = (self.low[k].into(), self.high[k].into());
            *out = Transform {
                translation: Vec3::new(low[0], low[1], low[2]),
                rotation: Quat::from_array(self.rotations[k].into()),
                scale: Vec3::new(low[3], high[2], high[3]),
            };
        }
    }
}

// Written out, since the `map` of arrays is not inlined into a kernel.
#[inline(always)]
pub(super) fn products<S: Simd>(a: &[f32x4<S>; 4], b: &[f32x4<S>; 4]) -> [f32x4<S>; 4] {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]]
}

/// The sum of the numbers of each vector: first and third plus second and fourth.
#[inline(always)]
pub(super) fn sums<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> f32x4<S> {
    let ac = a.zip_low(c) + a.zip_high(c);
    let bd = b.zip_low(d) + b.zip_high(d);
    ac.zip_low(bd) + ac.zip_high(bd)
}

/// Broadcasts each number of a vector to a vector of its own.
#[inline(always)]
pub(super) fn spread<S: Simd>(simd: S, it: f32x4<S>) -> [f32x4<S>; 4] {
    let [a, b, c, d]: [f32; 4] = it.into();
    [f32x4::splat(simd, a), f32x4::splat(simd, b), f32x4::splat(simd, c), f32x4::splat(simd, d)]
}
