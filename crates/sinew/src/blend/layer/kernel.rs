//! The weighted mean of joints.
//!
//! [`joint`] is the definition; four joints at once give the same bits: the same products and sums in the same order, none of
//! them fused.

use super::{Layer, gap_and_whole};
use crate::{
    asset::skeleton::JointId,
    simd::{Level, dispatch},
    transform::Transform,
};
use fearless_simd::{f32x4, prelude::*};
use glam::{Quat, Vec3};

/// Shorter sums of rotations have no direction; unit quaternions cannot add up to one.
const SHORTEST: f32 = 1e-30;

/// Joints of a pose, and the part of the whole that they make up: more than 0.
type Source<'a> = (&'a [Transform], f32);

/// The mean of layers without masks.
pub(super) fn whole(level: Level, layers: &[Layer<'_>], rest: &[Transform], out: &mut [Transform]) {
    let (gap, whole) = gap_and_whole(layers.iter().map(Layer::checked_weight).sum());
    let of_layers = layers.iter().map(|layer| (&layer.pose.joints[..], layer.checked_weight() / whole));
    let mut sources = of_layers.chain([(rest, gap / whole)]).filter(|(_, share)| *share > 0.0);
    let (Some(first), second, third) = (sources.next(), sources.next(), sources.next()) else { return };
    match (second, third) {
        (None, _) => out.copy_from_slice(first.0),
        (Some(second), None) => {
            dispatch!(level, simd => mean(simd, first, [second].into_iter(), out));
        }
        (Some(second), Some(third)) => {
            let rest = [second, third].into_iter().chain(sources);
            dispatch!(level, simd => mean(simd, first, rest, out));
        }
    }
}

/// The mean of layers of which some have masks: joint by joint, since each has a sum of its own.
pub(super) fn masked(layers: &[Layer<'_>], rest: &[Transform], out: &mut [Transform]) {
    for (index, out) in out.iter_mut().enumerate() {
        let id = JointId(index as u16);
        let weight = |layer: &Layer<'_>| layer.checked_weight() * layer.mask.map_or(1.0, |m| m.share(id));
        let (gap, whole) = gap_and_whole(layers.iter().map(weight).sum());
        let of_layers = layers.iter().map(|layer| (&layer.pose.joints[index], weight(layer) / whole));
        let mut sources =
            of_layers.chain([(&rest[index], gap / whole)]).filter(|(_, share)| *share > 0.0);
        if let Some(first) = sources.next() {
            *out = joint(first, sources);
        }
    }
}

/// The mean of one joint: the definition.
#[inline(always)]
fn joint<'a>(
    (first, share): (&'a Transform, f32),
    others: impl Iterator<Item = (&'a Transform, f32)>,
) -> Transform {
    let mut others = others.peekable();
    if others.peek().is_none() {
        return *first;
    }
    let mut rotation = first.rotation.to_array().map(|n| share * n);
    let (mut translation, mut scale) = (first.translation * share, first.scale * share);
    for (other, share) in others {
        let q = other.rotation.to_array();
        let dot = (rotation[0] * q[0] + rotation[1] * q[1]) + (rotation[2] * q[2] + rotation[3] * q[3]);
        let signed = if dot < 0.0 { -share } else { share };
        rotation.iter_mut().zip(q).for_each(|(sum, n)| *sum += signed * n);
        translation += other.translation * share;
        scale += other.scale * share;
    }
    let [x, y, z, w] = rotation;
    let length = ((x * x + y * y) + (z * z + w * w)).sqrt();
    let factor = 1.0 / if length < SHORTEST { SHORTEST } else { length };
    let rotation = Quat::from_array(rotation.map(|n| n * factor));
    Transform { translation, rotation, scale }
}

/// The mean of all joints of two sources or more.
#[inline(always)]
fn mean<'a, S: Simd>(
    simd: S,
    first: Source<'a>,
    others: impl Iterator<Item = Source<'a>> + Clone,
    out: &mut [Transform],
) {
    let (fours, last) = out.as_chunks_mut::<4>();
    let done = fours.len() * 4;
    for (group, out) in fours.iter_mut().enumerate() {
        let at = |(joints, share): Source<'a>| (&joints[group * 4..][..4], share);
        four(simd, at(first), others.clone().map(at), out);
    }
    for (index, out) in last.iter_mut().enumerate() {
        let at = |(joints, share): Source<'a>| (&joints[done + index], share);
        *out = joint(at(first), others.clone().map(at));
    }
}

/// Four vectors of one joint's numbers each, turned into four of one number each; and back.
#[inline(always)]
fn transposed<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (ac, bd) = (a.zip_low(c), b.zip_low(d));
    let (ac_high, bd_high) = (a.zip_high(c), b.zip_high(d));
    [ac.zip_low(bd), ac.zip_high(bd), ac_high.zip_low(bd_high), ac_high.zip_high(bd_high)]
}

/// Translation and scale of one joint, in vectors that overlap: they lie side by side in memory.
#[inline(always)]
fn linear<S: Simd>(simd: S, t: &Transform) -> [f32x4<S>; 2] {
    let (a, b) = (t.translation, t.scale);
    [f32x4::simd_from(simd, [a.x, a.y, a.z, b.x]), f32x4::simd_from(simd, [a.z, b.x, b.y, b.z])]
}

/// The rotations of four joints, number by number.
#[inline(always)]
fn rotations<S: Simd>(simd: S, four: &[Transform]) -> [f32x4<S>; 4] {
    let at = |index: usize| f32x4::simd_from(simd, four[index].rotation.to_array());
    transposed([at(0), at(1), at(2), at(3)])
}

#[inline(always)]
fn dot<S: Simd>(a: [f32x4<S>; 4], b: [f32x4<S>; 4]) -> f32x4<S> {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])
}

/// [`joint`] of four.
#[inline(always)]
fn four<'a, S: Simd>(
    simd: S,
    first: Source<'a>,
    others: impl Iterator<Item = Source<'a>> + Clone,
    out: &mut [Transform; 4],
) {
    let splat = |number: f32| f32x4::splat(simd, number);
    let share = splat(first.1);
    let mut sum = rotations(simd, first.0);
    for numbers in &mut sum {
        *numbers = share * *numbers;
    }
    for (joints, share) in others.clone() {
        let q = rotations(simd, joints);
        let signed = dot(sum, q).simd_lt(splat(0.0)).select(splat(-share), splat(share));
        for (sum, q) in sum.iter_mut().zip(q) {
            *sum = *sum + signed * q;
        }
    }
    let length = dot(sum, sum).sqrt();
    let factor = splat(1.0) / length.simd_lt(splat(SHORTEST)).select(splat(SHORTEST), length);
    let [x, y, z, w] = sum;
    let quats = transposed([x * factor, y * factor, z * factor, w * factor]);
    for index in 0..4 {
        let [mut low, mut high] = linear(simd, &first.0[index]);
        (low, high) = (low * share, high * share);
        for (joints, share) in others.clone() {
            let [a, b] = linear(simd, &joints[index]);
            (low, high) = (low + a * splat(share), high + b * splat(share));
        }
        let (low, high): ([f32; 4], [f32; 4]) = (low.into(), high.into());
        out[index] = Transform {
            translation: Vec3::new(low[0], low[1], low[2]),
            rotation: Quat::from_array(quats[index].into()),
            scale: Vec3::new(low[3], high[2], high[3]),
        };
    }
}
