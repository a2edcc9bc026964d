//! Additive transforms added to joints or subtracted from them.
//!
//! [`added`] and [`subtracted`] are the definitions. Four joints at once give the same bits: the same products and sums in
//! the same order, without fused multiply-add.

use crate::{
    asset::skeleton::JointId,
    blend::{Mask, layer::four_weights},
    pose::hierarchy::transposed,
    simd::{Level, dispatch},
    transform::Transform,
};
use fearless_simd::{f32x4, mask32x4, prelude::*};
use glam::{Quat, Vec3};

/// Adds `deltas` to `joints`, or subtracts them if `IS_SUBTRACTED`, each by `weight` times its weight in `mask`.
pub(super) fn apply<const IS_SUBTRACTED: bool>(
    level: Level,
    joints: &mut [Transform],
    deltas: &[Transform],
    weight: f32,
    mask: Option<&Mask>,
) {
    let (fours, last) = joints.as_chunks_mut::<4>();
    let (delta_fours, delta_last) = deltas.as_chunks::<4>();
    let done = fours.len() * 4;
    if level.is_fallback() {
        for (nth, (four, delta)) in fours.iter_mut().zip(delta_fours).enumerate() {
            one_by_one::<IS_SUBTRACTED>(four, delta, weight, mask, nth * 4);
        }
    } else {
        dispatch!(level, simd => by_fours::<_, IS_SUBTRACTED>(simd, fours, delta_fours, weight, mask));
    }
    one_by_one::<IS_SUBTRACTED>(last, delta_last, weight, mask, done);
}

fn one_by_one<const IS_SUBTRACTED: bool>(
    joints: &mut [Transform],
    deltas: &[Transform],
    weight: f32,
    mask: Option<&Mask>,
    from: usize,
) {
    for (nth, (joint, delta)) in joints.iter_mut().zip(deltas).enumerate() {
        let fraction = weight * mask.map_or(1.0, |mask| mask.weight(JointId((from + nth) as u16)));
        if fraction != 0.0 {
            let part = part(delta, fraction);
            *joint = if IS_SUBTRACTED { subtracted(joint, &part) } else { added(joint, &part) };
        }
    }
}

fn added(joint: &Transform, part: &Transform) -> Transform {
    Transform {
        translation: joint.translation + part.translation,
        rotation: normalized(product(joint.rotation.to_array(), part.rotation.to_array())),
        scale: joint.scale * part.scale,
    }
}

fn subtracted(joint: &Transform, part: &Transform) -> Transform {
    let [x, y, z, w] = part.rotation.to_array();
    Transform {
        translation: joint.translation - part.translation,
        rotation: normalized(product(joint.rotation.to_array(), [-x, -y, -z, w])),
        scale: joint.scale * super::ratio(Vec3::ONE, part.scale),
    }
}

/// A fraction of an additive transform.
fn part(delta: &Transform, fraction: f32) -> Transform {
    Transform {
        translation: delta.translation * fraction,
        rotation: part_of_turn(delta.rotation, fraction),
        scale: Vec3::ONE + (delta.scale - Vec3::ONE) * fraction,
    }
}

/// Interpolates from the identity along the chord, which is cheap and exact at both ends.
fn part_of_turn(turn: Quat, fraction: f32) -> Quat {
    let to = if turn.w < 0.0 { -turn } else { turn };
    let [x, y, z, w] = to.to_array();
    normalized([x * fraction, y * fraction, z * fraction, 1.0 + (w - 1.0) * fraction])
}

/// The rotation `b`, then `a`.
fn product([a_x, a_y, a_z, a_w]: [f32; 4], [b_x, b_y, b_z, b_w]: [f32; 4]) -> [f32; 4] {
    [
        (a_w * b_x + a_x * b_w) + (a_y * b_z - a_z * b_y),
        (a_w * b_y + a_y * b_w) + (a_z * b_x - a_x * b_z),
        (a_w * b_z + a_z * b_w) + (a_x * b_y - a_y * b_x),
        (a_w * b_w - a_x * b_x) - (a_y * b_y + a_z * b_z),
    ]
}

fn normalized([x, y, z, w]: [f32; 4]) -> Quat {
    let factor = 1.0 / ((x * x + z * z) + (y * y + w * w)).sqrt();
    Quat::from_array([x * factor, y * factor, z * factor, w * factor])
}

/// One number of each of four joints, for each number of a quaternion.
type FourTurns<S> = [f32x4<S>; 4];

#[inline(always)]
fn by_fours<S: Simd, const IS_SUBTRACTED: bool>(
    simd: S,
    fours: &mut [[Transform; 4]],
    deltas: &[[Transform; 4]],
    weight: f32,
    mask: Option<&Mask>,
) {
    let zero = f32x4::splat(simd, 0.0);
    for (nth, (four, delta)) in fours.iter_mut().zip(deltas).enumerate() {
        let fraction = four_weights(simd, weight, mask, nth * 4);
        let takes = fraction.simd_ne(zero);
        if takes.any_true() {
            let rotations = turned::<S, IS_SUBTRACTED>(simd, four, delta, fraction, takes);
            move_four::<S, IS_SUBTRACTED>(simd, four, delta, fraction);
            for (joint, rotation) in four.iter_mut().zip(&rotations) {
                joint.rotation = Quat::from_array((*rotation).into());
            }
        }
    }
}

/// The rotations of four joints with their part of the deltas, one vector per joint.
#[inline(always)]
fn turned<S: Simd, const IS_SUBTRACTED: bool>(
    simd: S,
    four: &[Transform; 4],
    delta: &[Transform; 4],
    fraction: f32x4<S>,
    takes: mask32x4<S>,
) -> FourTurns<S> {
    let (own, turn) = (rotations(simd, four), rotations(simd, delta));
    let (zero, one) = (f32x4::splat(simd, 0.0), f32x4::splat(simd, 1.0));
    let is_away = turn[3].simd_lt(zero);
    let near = |n: f32x4<S>| is_away.select(-n, n);
    let part = four_normalized(
        simd,
        [
            near(turn[0]) * fraction,
            near(turn[1]) * fraction,
            near(turn[2]) * fraction,
            one + (near(turn[3]) - one) * fraction,
        ],
    );
    let [x, y, z, w] = part;
    let part = if IS_SUBTRACTED { [-x, -y, -z, w] } else { part };
    let [x, y, z, w] = four_normalized(simd, four_products(own, part));
    transposed([
        takes.select(x, own[0]),
        takes.select(y, own[1]),
        takes.select(z, own[2]),
        takes.select(w, own[3]),
    ])
}

#[inline(always)]
fn rotations<S: Simd>(simd: S, four: &[Transform; 4]) -> FourTurns<S> {
    let [a, b, c, d] = four;
    let rotation = |t: &Transform| f32x4::simd_from(simd, t.rotation.to_array());
    transposed([rotation(a), rotation(b), rotation(c), rotation(d)])
}

/// [`product`] for four joints.
#[inline(always)]
fn four_products<S: Simd>(
    [a_x, a_y, a_z, a_w]: FourTurns<S>,
    [b_x, b_y, b_z, b_w]: FourTurns<S>,
) -> FourTurns<S> {
    [
        (a_w * b_x + a_x * b_w) + (a_y * b_z - a_z * b_y),
        (a_w * b_y + a_y * b_w) + (a_z * b_x - a_x * b_z),
        (a_w * b_z + a_z * b_w) + (a_x * b_y - a_y * b_x),
        (a_w * b_w - a_x * b_x) - (a_y * b_y + a_z * b_z),
    ]
}

/// [`normalized`] for four joints.
#[inline(always)]
fn four_normalized<S: Simd>(simd: S, [x, y, z, w]: FourTurns<S>) -> FourTurns<S> {
    let factor = f32x4::splat(simd, 1.0) / ((x * x + z * z) + (y * y + w * w)).sqrt();
    [x * factor, y * factor, z * factor, w * factor]
}

/// Moves and scales four joints, those with a fraction of zero not at all.
#[inline(always)]
fn move_four<S: Simd, const IS_SUBTRACTED: bool>(
    simd: S,
    four: &mut [Transform; 4],
    delta: &[Transform; 4],
    fraction: f32x4<S>,
) {
    let fractions: [f32; 4] = fraction.into();
    for ((joint, delta), fraction) in four.iter_mut().zip(delta).zip(fractions) {
        if fraction != 0.0 {
            let (low, high) = moved::<S, IS_SUBTRACTED>(simd, joint, delta, fraction);
            joint.translation = Vec3::new(low[0], low[1], low[2]);
            joint.scale = Vec3::new(low[3], high[2], high[3]);
        }
    }
}

/// The translation and the first number of the scale of one joint; and, from the third on, the others of the scale.
#[inline(always)]
fn moved<S: Simd, const IS_SUBTRACTED: bool>(
    simd: S,
    joint: &Transform,
    delta: &Transform,
    fraction: f32,
) -> ([f32; 4], [f32; 4]) {
    // Translation and scale are adjacent in memory and load as overlapping vectors.
    let low = |t: &Transform| {
        f32x4::simd_from(simd, [t.translation.x, t.translation.y, t.translation.z, t.scale.x])
    };
    let high = |t: &Transform| f32x4::simd_from(simd, [t.translation.z, t.scale.x, t.scale.y, t.scale.z]);
    let (one, fraction) = (f32x4::splat(simd, 1.0), f32x4::splat(simd, fraction));
    let scaled = |own: f32x4<S>, delta: f32x4<S>| {
        let part = one + (delta - one) * fraction;
        if !IS_SUBTRACTED {
            return own * part;
        }
        let is_clear = part.abs().simd_gt(f32x4::splat(simd, f32::MIN_POSITIVE));
        own * is_clear.select(one / part, one)
    };
    let shift = low(delta) * fraction;
    let place = if IS_SUBTRACTED { low(joint) - shift } else { low(joint) + shift };
    let is_place = mask32x4::from_bitmask(simd, 0b0111);
    let low = is_place.select(place, scaled(low(joint), low(delta)));
    (low.into(), scaled(high(joint), high(delta)).into())
}
