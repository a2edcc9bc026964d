//! Eight joints at once, for CPUs with AVX2.
//!
//! The local matrices of eight joints are computed in parallel, entry by entry. Each is then multiplied by its parent, two
//! columns per register: a column of the parent is in both halves, and an entry of each local column is broadcast over its
//! half. The shuffles are written by hand, since the portable ones cross the halves, which takes several instructions and
//! twice the time.

use super::{PaddedMatrix, place_apart};
use crate::{
    asset::skeleton::{JointGroup, JointId, JointLink, UpdateSteps},
    transform::Transform,
};
use fearless_simd::{f32x4, f32x8, kernel, prelude::*, x86::Avx2};
use std::arch::x86_64::{
    __m256, _mm256_blend_ps, _mm256_castpd_ps, _mm256_castps_pd, _mm256_permute_ps, _mm256_permute2f128_ps,
    _mm256_unpackhi_pd, _mm256_unpackhi_ps, _mm256_unpacklo_pd, _mm256_unpacklo_ps,
};

/// One number of each of eight joints, 0 to 3 in the lower half and 4 to 7 in the upper half; or two columns.
type Eight = f32x8<Avx2>;

macro_rules! shuffles {
    ($($(#[$doc:meta])* $name:ident($($arg:ident),+) = $body:expr;)*) => { $(
        kernel!(
            $(#[$doc])*
            #[inline(always)]
            fn $name(simd: Avx2, $($arg: Eight),+) -> Eight {
                $(let $arg: __m256 = $arg.into();)+
                $body.simd_into(simd)
            }
        );
    )* };
}

shuffles! {
    /// Within each half: a0 b0 a1 b1.
    low_ones(a, b) = _mm256_unpacklo_ps(a, b);
    /// Within each half: a2 b2 a3 b3.
    high_ones(a, b) = _mm256_unpackhi_ps(a, b);
    /// Within each half: a0 a1 b0 b1.
    low_pairs(a, b) = _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
    /// Within each half: a2 a3 b2 b3.
    high_pairs(a, b) = _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
    /// The lower halves of both registers.
    lower(a, b) = _mm256_permute2f128_ps::<0x20>(a, b);
    /// The upper halves of both registers.
    upper(a, b) = _mm256_permute2f128_ps::<0x31>(a, b);
    /// The lower half of one and the upper half of the other.
    halves(a, b) = _mm256_blend_ps::<0xf0>(a, b);
    spread_0(a) = _mm256_permute_ps::<0x00>(a);
    spread_1(a) = _mm256_permute_ps::<0x55>(a);
    spread_2(a) = _mm256_permute_ps::<0xaa>(a);
    spread_3(a) = _mm256_permute_ps::<0xff>(a);
}

/// Broadcasts number `I` of each half over that half.
#[inline(always)]
fn spread<const I: usize>(simd: Avx2, a: Eight) -> Eight {
    match I {
        0 => spread_0(simd, a),
        1 => spread_1(simd, a),
        2 => spread_2(simd, a),
        _ => spread_3(simd, a),
    }
}

/// Transposes four numbers of each of eight joints to four vectors with one number each.
#[inline(always)]
fn transposed(simd: Avx2, [a, b, c, d]: [Eight; 4]) -> [Eight; 4] {
    let (ab, cd) = (low_ones(simd, a, b), low_ones(simd, c, d));
    let (ab_high, cd_high) = (high_ones(simd, a, b), high_ones(simd, c, d));
    [
        low_pairs(simd, ab, cd),
        high_pairs(simd, ab, cd),
        low_pairs(simd, ab_high, cd_high),
        high_pairs(simd, ab_high, cd_high),
    ]
}

/// The numbers that `four` selects of joints 0 and 4, 1 and 5, 2 and 6, 3 and 7.
#[inline(always)]
fn picked(simd: Avx2, joints: [&Transform; 8], four: impl Fn(&Transform) -> [f32; 4]) -> [Eight; 4] {
    let [a, b, c, d, e, f, g, h] = joints;
    let vector = |t: &Transform| f32x4::simd_from(simd, four(t));
    let pair = |low: &Transform, high: &Transform| vector(low).combine(vector(high));
    [pair(a, e), pair(b, f), pair(c, g), pair(d, h)]
}

/// [`super::local_matrix`] for eight joints, by row and column.
#[inline(always)]
fn local_matrices(simd: Avx2, joints: [&Transform; 8]) -> [[Eight; 4]; 3] {
    let [x, y, z, w] = transposed(simd, picked(simd, joints, |t| t.rotation.to_array()));
    // Translation and scale are adjacent in memory and load as one and a half vectors.
    let first = |t: &Transform| [t.translation.x, t.translation.y, t.translation.z, t.scale.x];
    let [t_x, t_y, t_z, s_x] = transposed(simd, picked(simd, joints, first));
    let [a, b, c, d] = picked(simd, joints, |t| [t.scale.y, t.scale.z, 0.0, 0.0]);
    let (ab, cd) = (low_ones(simd, a, b), low_ones(simd, c, d));
    let (s_y, s_z) = (low_pairs(simd, ab, cd), high_pairs(simd, ab, cd));
    let one = f32x8::splat(simd, 1.0);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [
        [(one - (yy + zz)) * s_x, (xy - wz) * s_y, (xz + wy) * s_z, t_x],
        [(xy + wz) * s_x, (one - (xx + zz)) * s_y, (yz - wx) * s_z, t_y],
        [(xz - wy) * s_x, (yz + wx) * s_y, (one - (xx + yy)) * s_z, t_z],
    ]
}

/// A parent's matrix, ready to be multiplied by two columns at a time.
struct Parent {
    axes: [Eight; 3],
    /// The origin in the upper half, for the last column; -0 in the lower half, which changes no number in a sum.
    origin: Eight,
}

impl Parent {
    #[inline(always)]
    fn load(simd: Avx2, matrix: &PaddedMatrix) -> Self {
        let (x, y) = (f32x4::from_slice(simd, &matrix[..4]), f32x4::from_slice(simd, &matrix[4..8]));
        let z = f32x4::from_slice(simd, &matrix[8..12]);
        let axes = [Eight::block_splat(x), Eight::block_splat(y), Eight::block_splat(z)];
        Self { axes, origin: halves(simd, f32x8::splat(simd, -0.0), f32x8::from_slice(simd, &matrix[8..])) }
    }

    /// The product with two columns, given by row.
    #[inline(always)]
    fn times(&self, [x, y, z]: [Eight; 3]) -> Eight {
        (self.axes[0] * x + self.axes[1] * y) + self.axes[2] * z
    }

    #[inline(always)]
    fn store_product(&self, first: [Eight; 3], last: [Eight; 3], out: &mut PaddedMatrix) {
        self.times(first).store_slice(&mut out[..8]);
        (self.times(last) + self.origin).store_slice(&mut out[8..]);
    }
}

/// Columns 0 and 1, and 2 and 3, of four joints: by pair and row, with the joints adjacent in each half.
type Columns = [[Eight; 3]; 2];

/// Computes joint `I` of `columns`.
#[inline(always)]
fn place<const I: usize>(simd: Avx2, link: JointLink, columns: &Columns, model: &mut [PaddedMatrix]) {
    let parent = Parent::load(simd, &model[usize::from(link.parent)]);
    let spread_all =
        |[x, y, z]: [Eight; 3]| [spread::<I>(simd, x), spread::<I>(simd, y), spread::<I>(simd, z)];
    let [first, last] = *columns;
    parent.store_product(spread_all(first), spread_all(last), &mut model[usize::from(link.joint)]);
}

#[inline(always)]
fn place_group(simd: Avx2, group: &JointGroup, local: &[Transform], model: &mut [PaddedMatrix]) {
    let [a, b, c, d, e, f, g, h] = *group;
    let at = |link: JointLink| &local[usize::from(link.joint)];
    let [x, y, z] = local_matrices(simd, [at(a), at(b), at(c), at(d), at(e), at(f), at(g), at(h)]);
    // Written out by row: the `map` of arrays is not inlined here and takes six times as long as everything else.
    let below =
        |k: usize| [lower(simd, x[k], x[k + 1]), lower(simd, y[k], y[k + 1]), lower(simd, z[k], z[k + 1])];
    let columns = [below(0), below(2)];
    place::<0>(simd, a, &columns, model);
    place::<1>(simd, b, &columns, model);
    place::<2>(simd, c, &columns, model);
    place::<3>(simd, d, &columns, model);
    let above =
        |k: usize| [upper(simd, x[k], x[k + 1]), upper(simd, y[k], y[k + 1]), upper(simd, z[k], z[k + 1])];
    let columns = [above(0), above(2)];
    place::<0>(simd, e, &columns, model);
    place::<1>(simd, f, &columns, model);
    place::<2>(simd, g, &columns, model);
    place::<3>(simd, h, &columns, model);
}

/// The product of `a` with `b`, two columns at a time.
#[inline(always)]
fn store_product(simd: Avx2, a: &PaddedMatrix, b: &PaddedMatrix, out: &mut PaddedMatrix) {
    let (first, last) = (f32x8::from_slice(simd, &b[..8]), f32x8::from_slice(simd, &b[8..]));
    let rows = |two: Eight| [spread::<0>(simd, two), spread::<1>(simd, two), spread::<2>(simd, two)];
    Parent::load(simd, a).store_product(rows(first), rows(last), out);
}

kernel!(
    /// [`super::local_to_model`] for eight joints at a time.
    pub(super) fn local_to_model(
        simd: Avx2,
        steps: UpdateSteps<'_>,
        local: &[Transform],
        model: &mut [PaddedMatrix],
    ) {
        // One length for both slices, so that each joint index is checked once.
        let joints = local.len().min(model.len());
        let (local, model) = (&local[..joints], &mut model[..joints]);
        place_apart(steps.apart, local, model);
        for group in steps.groups {
            place_group(simd, group, local, model);
        }
        for link in steps.tail {
            let (parent, joint) = (model[usize::from(link.parent)], model[usize::from(link.joint)]);
            store_product(simd, &parent, &joint, &mut model[usize::from(link.joint)]);
        }
    }
);

kernel!(
    /// [`super::products`] with vectors of eight numbers.
    pub(super) fn products(
        simd: Avx2,
        a: &[PaddedMatrix],
        picks: &[JointId],
        b: &[PaddedMatrix],
        out: &mut [PaddedMatrix],
    ) {
        for ((&pick, b), out) in picks.iter().zip(b).zip(out) {
            store_product(simd, &a[pick.index()], b, out);
        }
    }
);
