//! Eight joints of two poses at once, for CPUs with AVX2.
//!
//! Each register holds the rotations of two joints. That leaves fewer instructions between the square roots and divisions,
//! which have the longest latency and can then overlap.

use super::kernel::{LayerSource, SHORTEST, of_two};
use crate::transform::Transform;
use fearless_simd::{f32x4, f32x8, kernel, prelude::*, x86::Avx2};
use glam::{Quat, Vec3};
use std::arch::x86_64::{__m256, _mm256_permute_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps};

/// Four numbers of one joint in the lower half, four of another in the upper half.
type Two = f32x8<Avx2>;

macro_rules! within_halves {
    ($($name:ident($($arg:ident),+) = $body:expr;)*) => { $(
        kernel!(
            #[inline(always)]
            fn $name(simd: Avx2, $($arg: Two),+) -> Two {
                $(let $arg: __m256 = $arg.into();)+
                $body.simd_into(simd)
            }
        );
    )* };
}

within_halves! {
    zip_first(a, b) = _mm256_unpacklo_ps(a, b);
    zip_last(a, b) = _mm256_unpackhi_ps(a, b);
    spread_0(a) = _mm256_permute_ps::<0x00>(a);
    spread_1(a) = _mm256_permute_ps::<0x55>(a);
    spread_2(a) = _mm256_permute_ps::<0xaa>(a);
    spread_3(a) = _mm256_permute_ps::<0xff>(a);
}

/// The rotations of joints 0 and 4, 1 and 5, 2 and 6, 3 and 7.
#[inline(always)]
fn rotations(simd: Avx2, [a, b, c, d, e, f, g, h]: &[Transform; 8]) -> [Two; 4] {
    let one = |t: &Transform| f32x4::simd_from(simd, t.rotation.to_array());
    [one(a).combine(one(e)), one(b).combine(one(f)), one(c).combine(one(g)), one(d).combine(one(h))]
}

#[inline(always)]
fn products(a: &[Two; 4], b: &[Two; 4]) -> [Two; 4] {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]]
}

/// The sum of each joint's four numbers, in the order of the definition.
#[inline(always)]
fn sums(simd: Avx2, [a, b, c, d]: [Two; 4]) -> Two {
    let ac = zip_first(simd, a, c) + zip_last(simd, a, c);
    let bd = zip_first(simd, b, d) + zip_last(simd, b, d);
    zip_first(simd, ac, bd) + zip_last(simd, ac, bd)
}

/// Broadcasts the number of each joint over its four lanes.
#[inline(always)]
fn spread(simd: Avx2, a: Two) -> [Two; 4] {
    [spread_0(simd, a), spread_1(simd, a), spread_2(simd, a), spread_3(simd, a)]
}

/// The weighted means of eight pairs of rotations.
#[inline(always)]
fn mean_rotations(simd: Avx2, a: &[Transform; 8], b: &[Transform; 8], fractions: [f32; 2]) -> [Two; 4] {
    let splat = |number: f32| f32x8::splat(simd, number);
    let (mut sum, q) = (rotations(simd, a), rotations(simd, b));
    for one in &mut sum {
        *one = splat(fractions[0]) * *one;
    }
    let dots = sums(simd, products(&sum, &q));
    let signed = spread(simd, dots.simd_lt(splat(0.0)).select(splat(-fractions[1]), splat(fractions[1])));
    for k in 0..4 {
        sum[k] += signed[k] * q[k];
    }
    let lengths = sums(simd, products(&sum, &sum)).sqrt();
    let lengths = lengths.simd_lt(splat(SHORTEST)).select(splat(SHORTEST), lengths);
    let factors = spread(simd, splat(1.0) / lengths);
    products(&sum, &factors)
}

#[inline(always)]
fn mean_of_eight(simd: Avx2, [a, b]: [&[Transform; 8]; 2], fractions: [f32; 2], out: &mut [Transform; 8]) {
    let rotations = mean_rotations(simd, a, b, fractions);
    let [a_fraction, b_fraction] = [f32x4::splat(simd, fractions[0]), f32x4::splat(simd, fractions[1])];
    let mix = |a: [f32; 4], b: [f32; 4]| -> [f32; 4] {
        (f32x4::simd_from(simd, a) * a_fraction + f32x4::simd_from(simd, b) * b_fraction).into()
    };
    // The translation and the first number of the scale are adjacent, and so are its other two numbers.
    let low = |t: &Transform| [t.translation.x, t.translation.y, t.translation.z, t.scale.x];
    let high = |s: &Transform, t: &Transform| [s.scale.y, s.scale.z, t.scale.y, t.scale.z];
    for k in [0, 2, 4, 6] {
        let [first, second] = [mix(low(&a[k]), low(&b[k])), mix(low(&a[k + 1]), low(&b[k + 1]))];
        let [y, z, next_y, next_z] = mix(high(&a[k], &a[k + 1]), high(&b[k], &b[k + 1]));
        for (at, low, y, z) in [(k, first, y, z), (k + 1, second, next_y, next_z)] {
            out[at].translation = Vec3::new(low[0], low[1], low[2]);
            out[at].scale = Vec3::new(low[3], y, z);
        }
    }
    for k in 0..4 {
        let [x, y, z, w, next @ ..]: [f32; 8] = rotations[k].into();
        out[k].rotation = Quat::from_array([x, y, z, w]);
        out[k + 4].rotation = Quat::from_array(next);
    }
}

kernel!(
    /// The weighted mean of two sources.
    pub(super) fn mean_of_two(simd: Avx2, a: LayerSource<'_>, b: LayerSource<'_>, out: &mut [Transform]) {
        let fractions = [a.1, b.1];
        let ((a_eights, a_last), (b_eights, b_last)) = (a.0.as_chunks::<8>(), b.0.as_chunks::<8>());
        let eights = a_eights.iter().zip(b_eights).zip(out.as_chunks_mut::<8>().0);
        for ((a, b), out) in eights {
            mean_of_eight(simd, [a, b], fractions, out);
        }
        if a_last.len() > 4 || a_eights.is_empty() {
            return of_two::<_, true>(simd, (a_last, a.1), (b_last, b.1), &mut out[a_eights.len() * 8..]);
        }
        // Up to four remaining joints are computed together with earlier joints, which are computed twice.
        let last = a.0.len() - 4..;
        if !a_last.is_empty() {
            of_two::<_, true>(simd, (&a.0[last.clone()], a.1), (&b.0[last.clone()], b.1), &mut out[last]);
        }
    }
);
