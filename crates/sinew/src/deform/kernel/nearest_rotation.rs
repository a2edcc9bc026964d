//! The rotation nearest to a matrix, for one register of vertices.
//!
//! `tr(Rᵀ M)` is largest for that rotation, and it is a quadratic form of the quaternion, so Newton's method converges
//! cubically (A. Edelman, T. A. Arias, S. T. Smith 1998, "The geometry of algorithms with orthogonality constraints"), and a
//! point where it curves down in all directions is the global maximum. With `A = Rᵀ M`, the step is `H⁻¹ g`, where
//! `H = tr A − (A + Aᵀ)/2` and `g` is the axis of `A − Aᵀ`. One or two steps are enough from the blended rotation of a
//! vertex's joints. Lanes that do not converge, because another rotation is nearly as near, are solved one by one.

#![allow(
    clippy::needless_range_loop,
    reason = "an iterator that is not inlined is compiled without the level"
)]

use super::vector::{F, V3, dot, scale, splat};
use crate::deform::{
    blocks::WIDTH,
    methods::ddm::{DOUBT, fitted_rotation},
};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdMask};
use glam::{Mat3, Quat, Vec3};

/// The maximum number of steps.
const STEPS: usize = 6;
/// The squared step in radians after which the next would be below the rounding error.
const CONVERGED: f32 = 4e-6;
/// The smallest determinant of `H`, relative to the size of the matrix, for which single precision is enough.
const DEFINITE: f32 = 1e-5;
/// The range of squared sizes far enough from under- and overflow.
const SAFE_SQUARES: (f32, f32) = (1e-30, 1e30);

/// The rotation nearest to the matrix with rows `fit`, as a quaternion xyzw of any length; `start` decides where `fit` is
/// ambiguous. The vector twin of [`fitted_rotation`].
#[inline(always)]
pub(super) fn nearest_rotation<S: Simd>(simd: S, fit: [V3<S>; 3], start: [F<S>; 4]) -> [F<S>; 4] {
    let zero = splat::<S>(simd, 0.0);
    let squared = dot::<S>(fit[0], fit[0]) + dot::<S>(fit[1], fit[1]) + dot::<S>(fit[2], fit[2]);
    let is_safe = squared.simd_gt(splat(simd, SAFE_SQUARES.0)) & squared.simd_lt(splat(simd, SAFE_SQUARES.1));
    let inverse = is_safe.select(splat::<S>(simd, 1.0) / squared.sqrt(), zero);
    let mut rotation = matrix_of(simd, start);
    let doubt = splat::<S>(simd, DOUBT as f32);
    let mut wanted = rotation;
    for row in 0..3 {
        for column in 0..3 {
            // A lane whose size is not safe has the rotation it starts with.
            let here = is_safe.select(fit[row][column] * inverse, zero);
            wanted[row][column] = rotation[row][column].mul_add(doubt, here);
        }
    }
    let mut found = start;
    // A lane stops when it has converged, so that its bits do not depend on its neighbors.
    let mut is_open = zero.simd_eq(zero);
    for step in 0..STEPS {
        let (turn, is_definite) = newton_step(simd, &rotation, &wanted);
        let moves = is_open & is_definite;
        let kept = [moves.select(turn[0], zero), moves.select(turn[1], zero), moves.select(turn[2], zero)];
        found = turned(simd, found, kept);
        let is_done = is_definite & dot::<S>(turn, turn).simd_lt(splat(simd, CONVERGED));
        is_open &= !is_done;
        if step + 1 == STEPS || !is_open.any_true() {
            break;
        }
        rotation = matrix_of(simd, found);
    }
    let is_lost = is_open | (squared.simd_eq(zero) ^ !is_safe);
    if is_lost.any_true() { rescued(simd, fit, start, found, is_lost.to_bitmask()) } else { found }
}

/// The step towards the maximum as an angle about each axis, and whether the form curves down in all directions.
#[inline(always)]
fn newton_step<S: Simd>(
    simd: S,
    rotation: &[V3<S>; 3],
    wanted: &[V3<S>; 3],
) -> (V3<S>, <F<S> as SimdBase<S>>::Mask) {
    let zero = splat::<S>(simd, 0.0);
    let mut a = [[zero; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            a[i][j] = rotation[0][i]
                .mul_add(wanted[0][j], rotation[1][i].mul_add(wanted[1][j], rotation[2][i] * wanted[2][j]));
        }
    }
    let slope = [a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]];
    let half = splat::<S>(simd, -0.5);
    let (xx, yy, zz) = (a[1][1] + a[2][2], a[0][0] + a[2][2], a[0][0] + a[1][1]);
    let (xy, yz, zx) = ((a[0][1] + a[1][0]) * half, (a[1][2] + a[2][1]) * half, (a[2][0] + a[0][2]) * half);
    let first = [yy.mul_sub(zz, yz * yz), zx.mul_sub(yz, xy * zz), xy.mul_sub(yz, zx * yy)];
    let second = [first[1], xx.mul_sub(zz, zx * zx), xy.mul_sub(zx, xx * yz)];
    let third = [first[2], second[2], xx.mul_sub(yy, xy * xy)];
    let determinant = xx.mul_add(first[0], xy.mul_add(first[1], zx * first[2]));
    let is_definite = determinant.simd_gt(splat(simd, DEFINITE)) & first[0].simd_gt(zero) & zz.simd_gt(zero);
    let inverse = splat::<S>(simd, 1.0) / is_definite.select(determinant, splat(simd, 1.0));
    let step = [dot::<S>(first, slope), dot::<S>(second, slope), dot::<S>(third, slope)];
    (scale::<S>(step, inverse), is_definite)
}

/// `q` times a rotation by `angles`, up to a factor: `q (1, angles / 2)`.
#[inline(always)]
fn turned<S: Simd>(simd: S, [x, y, z, w]: [F<S>; 4], angles: V3<S>) -> [F<S>; 4] {
    let half = splat::<S>(simd, 0.5);
    let [a, b, c] = scale::<S>(angles, half);
    [
        w.mul_add(a, y.mul_add(c, x) - z * b),
        w.mul_add(b, z.mul_add(a, y) - x * c),
        w.mul_add(c, x.mul_add(b, z) - y * a),
        w - x.mul_add(a, y.mul_add(b, z * c)),
    ]
}

/// The rows of the rotation by a quaternion of any length.
#[inline(always)]
fn matrix_of<S: Simd>(simd: S, [x, y, z, w]: [F<S>; 4]) -> [V3<S>; 3] {
    let one = splat::<S>(simd, 1.0);
    let squared = x.mul_add(x, y.mul_add(y, z.mul_add(z, w * w)));
    let twice = splat::<S>(simd, 2.0) / squared;
    let [x2, y2, z2] = [x * twice, y * twice, z * twice];
    let (xx, yy, zz) = (x * x2, y * y2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [
        [one - (yy + zz), x.mul_sub(y2, wz), x.mul_add(z2, wy)],
        [x.mul_add(y2, wz), one - (xx + zz), y.mul_sub(z2, wx)],
        [x.mul_sub(z2, wy), y.mul_add(z2, wx), one - (xx + yy)],
    ]
}

/// The quaternions of the lanes in `lost`, in double precision, and `found` elsewhere.
#[inline(always)]
fn rescued<S: Simd>(simd: S, fit: [V3<S>; 3], start: [F<S>; 4], found: [F<S>; 4], lost: u64) -> [F<S>; 4] {
    let width = F::<S>::LEN;
    let (mut of_fit, mut of_start, mut of_found) = ([[0.0; WIDTH]; 9], [[0.0; WIDTH]; 4], [[0.0; WIDTH]; 4]);
    for row in 0..3 {
        for column in 0..3 {
            fit[row][column].store_slice(&mut of_fit[row * 3 + column][..width]);
        }
    }
    for n in 0..4 {
        start[n].store_slice(&mut of_start[n][..width]);
        found[n].store_slice(&mut of_found[n][..width]);
    }
    rescue(&of_fit, &of_start, &mut of_found, lost);
    let mut out = found;
    for n in 0..4 {
        out[n] = F::<S>::from_slice(simd, &of_found[n][..width]);
    }
    out
}

#[cold]
#[inline(never)]
fn rescue(fit: &[[f32; WIDTH]; 9], start: &[[f32; WIDTH]; 4], found: &mut [[f32; WIDTH]; 4], lost: u64) {
    for lane in (0..WIDTH).filter(|lane| lost >> lane & 1 == 1) {
        let row = |n: usize| Vec3::new(fit[3 * n][lane], fit[3 * n + 1][lane], fit[3 * n + 2][lane]);
        let fit = Mat3::from_cols(row(0), row(1), row(2)).transpose();
        let start = Quat::from_array(start.map(|lanes| lanes[lane])).normalize();
        let solved = fitted_rotation(fit, start).to_array();
        found.iter_mut().zip(solved).for_each(|(lanes, number)| lanes[lane] = number);
    }
}
