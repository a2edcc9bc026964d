//! Direct delta mush: a vertex moves with its pivot and rotates as its smoothed neighborhood does.
//!
//! Loops go over indices; [`stage`](super::stage) gives the reason.
#![allow(clippy::needless_range_loop, reason = "see above")]

use super::{
    about::TurnAbout,
    dual_quat::Rotation,
    moments::{JointRows, MomentKernel, blended_stretch},
    nearest_rotation::nearest_rotation,
    sink::Sink,
    span::{OutputStreams, RestSurface},
    vector::{F, V3, dot, load, load3, splat},
};
use crate::{
    asset::precomputed::MushDetail,
    deform::blocks::{MomentRows, PackedDirectMush},
};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat};

/// The numbers of an influence: weight, first moments, second moments xx, yy, zz, xy, yz, zx.
const FULL: usize = MushDetail::Full.numbers();
const FIRST: usize = MushDetail::First.numbers();
const PIVOT: usize = MushDetail::Pivot.numbers();

impl MomentKernel for PackedDirectMush {
    fn rows(&self) -> &MomentRows {
        &self.rows
    }

    #[inline(always)]
    fn move_vertices<S: Simd, O: Sink, const GATHERED: bool, const STRETCHED: bool>(
        &self,
        joints: JointRows<'_, GATHERED>,
        block: usize,
        rest: RestSurface<'_, S>,
        wanted: OutputStreams,
        out: &mut O,
    ) {
        let (simd, part) = (rest.simd, rest.place.part);
        let center = load3(simd, &self.pivots[block], part);
        let blended = blended_rotation(simd, joints, part);
        let (moved, fit) = match joints.stride {
            FULL => sums::<S, GATHERED, FULL>(simd, joints, center, part),
            FIRST => sums::<S, GATHERED, FIRST>(simd, joints, center, part),
            _ => sums::<S, GATHERED, PIVOT>(simd, joints, center, part),
        };
        let stretch = if STRETCHED { blended_stretch(simd, joints, 0, part) } else { [splat(simd, 0.0); 9] };
        let mut rotation = blended;
        if joints.stride == FULL {
            let mut fit = about_moved::<S>(fit, moved, load3(simd, &self.first_sums[block], part));
            if STRETCHED {
                for r in 0..3 {
                    fit[r] = times_transposed::<S>(fit[r], &stretch);
                }
            }
            rotation = nearest_rotation(simd, fit, blended);
        }
        let about = TurnAbout { rotation: Rotation::of(simd, rotation), center, moved };
        if STRETCHED {
            about.put_stretched(stretch, rest, wanted, out);
        } else {
            about.put(rest, wanted, out);
        }
    }
}

/// The moved pivot `Σ (s K p + L d)`, and `Σ (L C + (K p) dᵀ)` row by row if there are second moments.
///
/// One row of the matrices at a time, so that the sums stay in registers on AVX2 too.
#[inline(always)]
fn sums<S: Simd, const GATHERED: bool, const NUMBERS: usize>(
    simd: S,
    joints: JointRows<'_, GATHERED>,
    pivot: V3<S>,
    part: usize,
) -> (V3<S>, [V3<S>; 3]) {
    let zero = splat::<S>(simd, 0.0);
    let (mut moved, mut fit) = ([zero; 3], [[zero; 3]; 3]);
    for r in 0..3 {
        let (mut sum, mut products) = (zero, [zero; 3]);
        for nth in 0..joints.count() {
            let row = joints.row(nth);
            let (linear, at) = row.matrix_row(simd, r, pivot, part);
            sum = row.number(simd, 0, part).mul_add(at, sum);
            if NUMBERS == PIVOT {
                continue;
            }
            let first = row.vector(simd, 1, part);
            for n in 0..3 {
                sum = linear[n].mul_add(first[n], sum);
            }
            if NUMBERS == FIRST {
                continue;
            }
            let ([xx, yy, zz], [xy, yz, zx]) = (row.vector(simd, 4, part), row.vector(simd, 7, part));
            let second = [[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]];
            for n in 0..3 {
                products[n] = at.mul_add(first[n], products[n]);
                for k in 0..3 {
                    products[n] = linear[k].mul_add(second[k][n], products[n]);
                }
            }
        }
        moved[r] = sum;
        fit[r] = products;
    }
    (moved, fit)
}

/// `fit` relative to the moved pivot. The first moments of a vertex sum to zero, so this takes away rounding.
#[inline(always)]
fn about_moved<S: Simd>(fit: [V3<S>; 3], moved: V3<S>, first_sum: V3<S>) -> [V3<S>; 3] {
    let mut out = fit;
    for r in 0..3 {
        for n in 0..3 {
            out[r][n] = fit[r][n] - moved[r] * first_sum[n];
        }
    }
    out
}

/// One row of a matrix times the transpose of `stretch`.
#[inline(always)]
fn times_transposed<S: Simd>(row: V3<S>, stretch: &[F<S>; 9]) -> V3<S> {
    let [a, b, c, d, e, f, g, h, i] = *stretch;
    [dot::<S>(row, [a, b, c]), dot::<S>(row, [d, e, f]), dot::<S>(row, [g, h, i])]
}

/// The sum of the joints' rotations in the hemisphere of the strongest, as a quaternion xyzw of any length.
#[inline(always)]
fn blended_rotation<S: Simd, const GATHERED: bool>(
    simd: S,
    joints: JointRows<'_, GATHERED>,
    part: usize,
) -> [F<S>; 4] {
    let mut pivot = joints.row(0).rotation(simd, part);
    if joints.count() == 1 {
        return pivot;
    }
    let strongest = load(simd, joints.rows.strongest, part);
    for nth in 1..joints.count() {
        let is_this = strongest.simd_eq(splat::<S>(simd, nth as f32));
        let rotation = joints.row(nth).rotation(simd, part);
        for n in 0..4 {
            pivot[n] = is_this.select(rotation[n], pivot[n]);
        }
    }
    let zero = splat::<S>(simd, 0.0);
    let mut sum = [zero; 4];
    for nth in 0..joints.count() {
        let row = joints.row(nth);
        let (rotation, weight) = (row.rotation(simd, part), row.number(simd, 0, part));
        let product = dot4::<S>(rotation, pivot);
        let weight = product.simd_lt(zero).select(-weight, weight);
        for n in 0..4 {
            sum[n] = weight.mul_add(rotation[n], sum[n]);
        }
    }
    // Rotations that cancel leave that of the strongest joint.
    let is_left = dot4::<S>(sum, sum).simd_gt(splat(simd, 1e-30));
    [
        is_left.select(sum[0], pivot[0]),
        is_left.select(sum[1], pivot[1]),
        is_left.select(sum[2], pivot[2]),
        is_left.select(sum[3], pivot[3]),
    ]
}

#[inline(always)]
fn dot4<S: Simd>(a: [F<S>; 4], b: [F<S>; 4]) -> F<S> {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2].mul_add(b[2], a[3] * b[3])))
}
