//! Unchecked runs: runs whose normals need no checks.
//!
//! A normal is transformed by the cofactors of its blended matrix and then normalized. In general the matrix may mirror,
//! be singular, or be so small or large that a square under- or overflows, so every register of vertices must be checked.
//! But nearly all joints of nearly all characters are rotations with a uniform scale, `s R`. If that holds for all joints
//! of a run, and none is rotated from the first by more than about 80°, then `vᵀ R₀ᵀ (Σ w s R) v ≥ cos 80° · min s` for
//! every unit vector `v`: the blended matrix cannot mirror, and its cofactors shorten a unit normal to no less than the
//! square of that bound. Such a run is unchecked, which saves 15 % of the time on human_53. If one joint moves the whole
//! run, its normals are rotated and need neither a square root nor a division, which saves 40 % there.

use super::span::KernelInput;
use crate::deform::blocks::{Blend, Lanes};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat, f32x4};

/// The uniform scale of a joint's matrix, if the matrix is a rotation with a uniform scale.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SimilarityTransform {
    /// The square of the uniform scale, or zero if the matrix has none.
    factor_squared: f32,
    /// One divided by the scale, or zero if there is none. Computed once per pose, so that no run waits for a square root
    /// and a division.
    pub(super) inverse_factor: f32,
    /// True if the matrix without its scale preserves length to within rounding.
    is_exact: bool,
}

/// The range of squared scales for which squared lengths stay far from the limits of single precision.
const FACTORS_SQUARED: (f32, f32) = (1e-8, 1e8);
/// The tolerance of a column's squared length, and of the dot product of two columns, relative to the squared scale.
const LOOSE: f32 = 1e-3;
/// The same tolerance for normals that are not normalized afterward: their error in length is half of it.
const EXACT: f32 = 2e-6;
/// The smallest cosine of the angle between two joints of an unchecked run.
const MIN_COSINE: f32 = 0.15;

impl SimilarityTransform {
    /// The similarity transforms of four matrices side by side, given by the components x, y and z of their columns.
    ///
    /// Branch-free, because it runs for every joint of every pose.
    #[inline(always)]
    pub(super) fn of_four<S: Simd>(simd: S, [x, y, z]: [[f32x4<S>; 3]; 3]) -> [Self; 4] {
        let dot = |a: [f32x4<S>; 3], b: [f32x4<S>; 3]| a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]));
        let minor = |i: usize, j: usize| y[i].mul_sub(z[j], y[j] * z[i]);
        let factor = dot(x, x);
        let lengths = (dot(y, y) - factor).abs().max((dot(z, z) - factor).abs());
        let mixed = dot(x, y).abs().max(dot(y, z).abs()).max(dot(z, x).abs());
        let off = lengths.max(mixed);
        let determinant = dot(x, [minor(1, 2), minor(2, 0), minor(0, 1)]);
        // Written so that NaN counts as checked.
        let fits = off.simd_le(factor * LOOSE)
            & factor.simd_ge(f32x4::splat(simd, FACTORS_SQUARED.0))
            & factor.simd_le(f32x4::splat(simd, FACTORS_SQUARED.1))
            & determinant.simd_gt(f32x4::splat(simd, 0.0));
        let (zero, one) = (f32x4::splat(simd, 0.0), f32x4::splat(simd, 1.0));
        let factors = fits.select(factor, zero);
        let inverses = fits.select(one / factor.sqrt(), zero);
        let exact = (fits & off.simd_le(factor * EXACT)).select(one, zero);
        let of = |lane: usize| Self {
            factor_squared: factors[lane],
            inverse_factor: inverses[lane],
            is_exact: exact[lane] > 0.0,
        };
        [of(0), of(1), of(2), of(3)]
    }
}

/// True if no vertex of a run with this blend needs checks.
#[inline(always)]
pub(super) fn is_unchecked(input: KernelInput<'_>, blend: &Blend) -> bool {
    if input.surface.has_missing_directions {
        return false;
    }
    match blend {
        Blend::One { joint } => input.similarities[usize::from(*joint)].is_exact,
        Blend::Shared { joints, .. } => {
            let mut is_unchecked = true;
            for &pair in &input.runs.pair_of_place[joints.start + 1..joints.end] {
                is_unchecked &= input.unchecked_pairs[pair as usize];
            }
            is_unchecked
        }
        Blend::Single { .. } => false,
    }
}

/// The pairs of joints that may occur in an unchecked run. Computed once per pose, since runs share most pairs.
#[inline(always)]
pub(super) fn mark_pairs<S: Simd>(
    simd: S,
    joints: &[Lanes],
    similarities: &[SimilarityTransform],
    pairs: &[[u16; 2]],
    out: &mut [bool],
) {
    let out = &mut out[..pairs.len()];
    for nth in 0..pairs.len() {
        let [first, other] = [usize::from(pairs[nth][0]), usize::from(pairs[nth][1])];
        let product = linear_product(simd, &joints[first], &joints[other]);
        // The trace of a rotation by θ is 1 + 2 cos θ. Comparing squares avoids the square roots of the scales.
        let min_squared = (1.0 + 2.0 * MIN_COSINE) * (1.0 + 2.0 * MIN_COSINE);
        let min_squared =
            min_squared * similarities[first].factor_squared * similarities[other].factor_squared;
        // No short-circuiting: three branches that depend on the pose cost more than they save.
        out[nth] = (min_squared > 0.0) & (product > 0.0) & (product * product >= min_squared);
    }
}

/// The trace of `aᵀ b` for the linear parts of two matrices that are stored row by row.
#[inline(always)]
fn linear_product<S: Simd>(simd: S, a: &Lanes, b: &Lanes) -> f32 {
    let sum = row(simd, a, 0) * row(simd, b, 0);
    let sum = row(simd, a, 4).mul_add(row(simd, b, 4), sum);
    let sum = row(simd, a, 8).mul_add(row(simd, b, 8), sum);
    // The fourth column is the translation.
    sum[0] + sum[1] + sum[2]
}

#[inline(always)]
fn row<S: Simd>(simd: S, matrix: &Lanes, from: usize) -> f32x4<S> {
    f32x4::from_slice(simd, &matrix.0[from..from + 4])
}
