//! Vector arithmetic on one register of vertices.

use crate::deform::blocks::{Lanes, WIDTH};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdMask};

/// A register of `f32` at level `S`.
pub(super) type F<S> = <S as Simd>::f32s;

/// One 3D vector per lane.
pub(super) type V3<S> = [F<S>; 3];

/// The number of registers per block.
#[inline(always)]
pub(super) const fn parts<S: Simd>() -> usize {
    WIDTH / F::<S>::LEN
}

/// Register `part` of `lanes`.
#[inline(always)]
pub(super) fn load<S: Simd>(simd: S, lanes: &Lanes, part: usize) -> F<S> {
    let width = F::<S>::LEN;
    F::<S>::from_slice(simd, &lanes.0[part * width..part * width + width])
}

/// Register `part` of each of three streams.
#[inline(always)]
pub(super) fn load3<S: Simd>(simd: S, lanes: &[Lanes; 3], part: usize) -> V3<S> {
    [load(simd, &lanes[0], part), load(simd, &lanes[1], part), load(simd, &lanes[2], part)]
}

#[inline(always)]
pub(super) fn splat<S: Simd>(simd: S, value: f32) -> F<S> {
    F::<S>::splat(simd, value)
}

#[inline(always)]
pub(super) fn dot<S: Simd>(a: V3<S>, b: V3<S>) -> F<S> {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

#[inline(always)]
pub(super) fn cross<S: Simd>(a: V3<S>, b: V3<S>) -> V3<S> {
    [a[1].mul_sub(b[2], a[2] * b[1]), a[2].mul_sub(b[0], a[0] * b[2]), a[0].mul_sub(b[1], a[1] * b[0])]
}

/// `a · factor + b`.
#[inline(always)]
pub(super) fn scale_add<S: Simd>(a: V3<S>, factor: F<S>, b: V3<S>) -> V3<S> {
    [a[0].mul_add(factor, b[0]), a[1].mul_add(factor, b[1]), a[2].mul_add(factor, b[2])]
}

#[inline(always)]
pub(super) fn scale<S: Simd>(a: V3<S>, factor: F<S>) -> V3<S> {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// `−1` where `determinant` is negative, `1` elsewhere.
#[inline(always)]
pub(super) fn side<S: Simd>(simd: S, determinant: F<S>) -> F<S> {
    let zero = splat(simd, 0.0);
    determinant.simd_lt(zero).select(splat(simd, -1.0), splat(simd, 1.0))
}

/// The range of squared lengths far enough from under- and overflow for an accurate square root and division.
const SAFE_SQUARES: (f32, f32) = (1e-30, 1e30);

/// `v` normalized and multiplied by `sign`, or zero if `v` has no direction. Accurate for any finite length.
#[inline(always)]
pub(super) fn unit<S: Simd>(simd: S, v: V3<S>, sign: F<S>) -> V3<S> {
    let squared = dot::<S>(v, v);
    let safe = squared.simd_gt(splat(simd, SAFE_SQUARES.0)) & squared.simd_lt(splat(simd, SAFE_SQUARES.1));
    if safe.all_true() { scale::<S>(v, sign / squared.sqrt()) } else { rescued_unit(simd, v, sign) }
}

/// `v` normalized, for vectors that are known to be neither tiny nor huge.
#[inline(always)]
pub(super) fn unit_unchecked<S: Simd>(simd: S, v: V3<S>) -> V3<S> {
    scale::<S>(v, splat::<S>(simd, 1.0) / dot::<S>(v, v).sqrt())
}

/// [`unit`] without its fast path, for vectors that are tiny, huge or zero.
#[inline(always)]
fn rescued_unit<S: Simd>(simd: S, v: V3<S>, sign: F<S>) -> V3<S> {
    let width = F::<S>::LEN;
    let mut lanes = [[0.0; WIDTH]; 4];
    v[0].store_slice(&mut lanes[0][..width]);
    v[1].store_slice(&mut lanes[1][..width]);
    v[2].store_slice(&mut lanes[2][..width]);
    sign.store_slice(&mut lanes[3][..width]);
    rescue(&mut lanes);
    [
        F::<S>::from_slice(simd, &lanes[0][..width]),
        F::<S>::from_slice(simd, &lanes[1][..width]),
        F::<S>::from_slice(simd, &lanes[2][..width]),
    ]
}

#[cold]
#[inline(never)]
fn rescue(lanes: &mut [[f32; WIDTH]; 4]) {
    let [x, y, z, sign] = lanes;
    for lane in 0..WIDTH {
        let v = glam::Vec3::new(x[lane], y[lane], z[lane]);
        let largest = v.abs().max_element();
        let has_direction = largest > 0.0 && largest.is_finite();
        let unit = if has_direction { (v / largest).normalize() * sign[lane] } else { glam::Vec3::ZERO };
        [x[lane], y[lane], z[lane]] = unit.to_array();
    }
}
