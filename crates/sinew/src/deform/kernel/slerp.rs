//! Quaternion blend: linear blend skinning moves the point where the joints meet, and the vertex rotates around it.
//!
//! The rotations of two joints are interpolated along the arc without a sine. With the angle θ between their quaternions p
//! and o and weights u ≥ v, the arc passes through `u g(2u) p + v g(2v) o`, where `g(t) = sin(t θ/2) / (t sin θ/2)`, up to
//! the length, which a rotation does not need. As a power series in `y = 1 − cos θ/2`, which is at most 0.3,
//! `g(t) = 1 + (1 − t²)/3 y (1 + (4 − t²)/10 y (1 + (9 − t²)/21 y (…)))`.
//!
//! Loops go over indices; [`stage`](super::stage) gives the reason.
#![allow(clippy::needless_range_loop, reason = "see above")]

use super::{
    about::TurnAbout,
    dual_quat::Rotation,
    linear::{MATRIX, transform},
    meeting::MEETING,
    sink::Sink,
    span::{Kernel, OutputStreams, RestSurface},
    vector::{F, V3, splat},
};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdMask};
use std::ops::Range;

/// The floats of a joint that does not stretch: the matrix, then the rotation xyzw.
const RIGID: usize = MATRIX + 4;
/// The number of floats per joint.
pub(super) const SLERP: usize = RIGID + MEETING;
/// [`SLERP`] plus the linear part of the stretch, row by row, after the rotation.
pub(super) const SLERP_STRETCH: usize = RIGID + 9 + MEETING;

/// The kernel for poses in which every joint is rigid.
pub(super) struct SlerpKernel;
/// The kernel for poses in which joints stretch.
pub(super) struct StretchedSlerp;

impl Kernel<SLERP> for SlerpKernel {
    const BLENDED: usize = SLERP - MEETING;
    const MEETS: bool = true;
    const TURNED: Range<usize> = MATRIX..RIGID;
    const UNCHECKED: Option<bool> = None;

    // A single joint transforms a vertex by its matrix, whatever the meeting point.
    fn matrix(numbers: &[f32; SLERP]) -> [f32; MATRIX] {
        std::array::from_fn(|n| numbers[n])
    }

    #[inline(always)]
    fn move_blended<S: Simd, O: Sink>(
        blended: &[F<S>; SLERP],
        rest: RestSurface<'_, S>,
        wanted: OutputStreams,
        out: &mut O,
    ) {
        let [rigid @ .., x, y, z, p_x, p_y, p_z, p_w, weight] = *blended;
        let about = turn_about_meeting_point(&rigid, [x, y, z], [p_x, p_y, p_z, p_w], weight, rest);
        about.put(rest, wanted, out);
    }
}

impl Kernel<SLERP_STRETCH> for StretchedSlerp {
    const BLENDED: usize = SLERP_STRETCH - MEETING;
    const MEETS: bool = true;
    const TURNED: Range<usize> = MATRIX..RIGID;
    const UNCHECKED: Option<bool> = None;

    fn matrix(numbers: &[f32; SLERP_STRETCH]) -> [f32; MATRIX] {
        std::array::from_fn(|n| numbers[n])
    }

    #[inline(always)]
    fn move_blended<S: Simd, O: Sink>(
        blended: &[F<S>; SLERP_STRETCH],
        rest: RestSurface<'_, S>,
        wanted: OutputStreams,
        out: &mut O,
    ) {
        let [rigid @ .., a, b, c, d, e, f, g, h, i, x, y, z, p_x, p_y, p_z, p_w, weight] = *blended;
        let about = turn_about_meeting_point(&rigid, [x, y, z], [p_x, p_y, p_z, p_w], weight, rest);
        about.put_stretched([a, b, c, d, e, f, g, h, i], rest, wanted, out);
    }
}

/// The rotation about the point `center` where joints meet, from the blended matrix and rotation and from the rotation and
/// weight of the strongest joint.
#[inline(always)]
fn turn_about_meeting_point<S: Simd>(
    blended: &[F<S>; RIGID],
    center: V3<S>,
    strongest: [F<S>; 4],
    weight: F<S>,
    rest: RestSurface<'_, S>,
) -> TurnAbout<S, Rotation<S>> {
    let (matrix, sum) = split(blended);
    let rotation = Rotation::of(rest.simd, on_arc(rest.simd, sum, strongest, weight));
    TurnAbout { rotation, center, moved: transform::<S>(&matrix, center) }
}

/// The coefficients of the series: `i² / (i (2i + 1))` and `1 / (i (2i + 1))`, from the last term to the first.
///
/// After seven terms the rotation is off by less than 3e-8 radians.
const TERMS: [(f32, f32); 7] = {
    let mut terms = [(0.0, 0.0); 7];
    let mut at = 0;
    while at < 7 {
        let i = (7 - at) as f32;
        terms[at] = (i / (2.0 * i + 1.0), 1.0 / (i * (2.0 * i + 1.0)));
        at += 1;
    }
    terms
};

/// The rotation of a vertex, from the weighted sum of its joints' rotations: `sum` itself, unless the vertex has two
/// joints. Then it is on the arc between them, by the weight and rotation of the stronger one.
#[inline(always)]
fn on_arc<S: Simd>(simd: S, sum: [F<S>; 4], strongest: [F<S>; 4], weight: F<S>) -> [F<S>; 4] {
    let (zero, one, half) = (splat::<S>(simd, 0.0), splat::<S>(simd, 1.0), splat::<S>(simd, 0.5));
    let has_two = weight.simd_gt(zero);
    if !has_two.any_true() {
        return sum;
    }
    let [a, b, c, d] = strongest;
    let product = a.mul_add(sum[0], b.mul_add(sum[1], c.mul_add(sum[2], d * sum[3])));
    // The sum may be in the other hemisphere. It is `u p + v o`, so its product with p is `u + v cos θ`.
    let sign = product.simd_lt(zero).select(-one, one);
    let other = has_two.select(one - weight, half);
    let cosine = ((product * sign - weight) / other).max(zero).min(one);
    let rest = one - ((one + cosine) * half).sqrt();
    let (twice, twice_other) = (weight + weight, other + other);
    let own_factor = series(simd, twice * twice, rest);
    let other_factor = series(simd, twice_other * twice_other, rest);
    // `u g(2u) p + v g(2v) o` with `v o = sum − u p`: no division, however small v is.
    let of_sum = has_two.select(other_factor, one);
    let of_own = has_two.select(weight * (own_factor - other_factor) * sign, zero);
    [
        sum[0].mul_add(of_sum, a * of_own),
        sum[1].mul_add(of_sum, b * of_own),
        sum[2].mul_add(of_sum, c * of_own),
        sum[3].mul_add(of_sum, d * of_own),
    ]
}

/// `g(t)` by its series, from `t²` and `y`.
#[inline(always)]
fn series<S: Simd>(simd: S, t_squared: F<S>, y: F<S>) -> F<S> {
    let one = splat::<S>(simd, 1.0);
    let mut sum = one;
    for nth in 0..TERMS.len() {
        let (constant, slope) = TERMS[nth];
        let factor = splat::<S>(simd, constant) - t_squared * splat::<S>(simd, slope);
        sum = (factor * y).mul_add(sum, one);
    }
    sum
}

#[inline(always)]
fn split<F: Copy>(blended: &[F; RIGID]) -> ([F; MATRIX], [F; 4]) {
    let [matrix @ .., x, y, z, w] = *blended;
    (matrix, [x, y, z, w])
}
