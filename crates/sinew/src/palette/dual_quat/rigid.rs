//! Rotations and translations as dual quaternions, four joints at once.
//!
//! [`motion`] is the definition. Four joints at once give the same bits: the same products and sums in the same order,
//! without fused multiply-add, and a select for every branch.

use super::DualQuat;
use crate::{
    pose::hierarchy::{PaddedMatrix, transposed},
    simd::{Level, dispatch},
};
use fearless_simd::{f32x4, prelude::*};
use glam::{Quat, Vec3};

/// The tolerance of each element of `LᵀL` of a rigid matrix: the drift of a long chain of rotations in single precision, and
/// far below what is visible (5e-6 of the distance from the joint).
pub(super) const RIGID_TOLERANCE: f32 = 1e-5;

/// Writes the rigid motion of each matrix whose linear part is a rotation times a uniform scale, and whether it is that,
/// within rounding. `inverse_scale` is one divided by the scale; a negative one mirrors.
///
/// Returns true if all are.
pub(super) fn motions(
    level: Level,
    matrices: &[PaddedMatrix],
    inverse_scale: f32,
    out: &mut [DualQuat],
    is_rigid: &mut [bool],
) -> bool {
    if level.is_fallback() {
        let mut are_all = true;
        for ((matrix, out), is_rigid) in matrices.iter().zip(out).zip(is_rigid) {
            (*out, *is_rigid) = motion(matrix, inverse_scale);
            are_all &= *is_rigid;
        }
        return are_all;
    }
    dispatch!(level, simd => by_fours(simd, matrices, inverse_scale, out, is_rigid))
}

/// The rigid motion of one matrix, and whether the matrix is rigid but for its scale; if not, the motion has no meaning.
pub(super) fn motion(m: &PaddedMatrix, inverse_scale: f32) -> (DualQuat, bool) {
    let column = |at: usize| [m[at] * inverse_scale, m[at + 1] * inverse_scale, m[at + 2] * inverse_scale];
    let [x, y, z] = [column(0), column(4), column(8)];
    let [a, b, c, d] = direction(x, y, z);
    let factor = 1.0 / ((a * a + b * b) + (c * c + d * d)).sqrt();
    let rotation = Quat::from_xyzw(a * factor, b * factor, c * factor, d * factor);
    let translation = Vec3::new(m[12], m[13], m[14]);
    (DualQuat::from_rotation_translation(rotation, translation), is_rotation(x, y, z))
}

/// True for the columns of a rotation, within rounding. False for NaN.
fn is_rotation(x: [f32; 3], y: [f32; 3], z: [f32; 3]) -> bool {
    let dot = |a: [f32; 3], b: [f32; 3]| (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
    let is_small = |off: f32| off.abs() < RIGID_TOLERANCE;
    let yz = [y[1] * z[2] - y[2] * z[1], y[2] * z[0] - y[0] * z[2], y[0] * z[1] - y[1] * z[0]];
    is_small(dot(x, x) - 1.0)
        && is_small(dot(y, y) - 1.0)
        && is_small(dot(z, z) - 1.0)
        && is_small(dot(x, y))
        && is_small(dot(y, z))
        && is_small(dot(z, x))
        && dot(x, yz) > 0.0
}

/// A multiple of the quaternion of the rotation with these columns: twice to four times as long.
///
/// The largest of its four numbers is computed from the diagonal, the others from the rest, so that none is divided by
/// something small.
fn direction(x: [f32; 3], y: [f32; 3], z: [f32; 3]) -> [f32; 4] {
    let [xy, zx, yz] = [x[1] + y[0], x[2] + z[0], y[2] + z[1]];
    let [of_x, of_y, of_z] = [y[2] - z[1], z[0] - x[2], x[1] - y[0]];
    let (difference, sum) = (y[1] - x[0], y[1] + x[0]);
    if z[2] <= 0.0 {
        let rest = 1.0 - z[2];
        if difference <= 0.0 { [rest - difference, xy, zx, of_x] } else { [xy, rest + difference, yz, of_y] }
    } else {
        let rest = 1.0 + z[2];
        if sum <= 0.0 { [zx, yz, rest - sum, of_z] } else { [of_x, of_y, of_z, rest + sum] }
    }
}

/// Three or four numbers of each of four joints.
type Vectors<S, const N: usize> = [f32x4<S>; N];

#[inline(always)]
fn by_fours<S: Simd>(
    simd: S,
    matrices: &[PaddedMatrix],
    inverse_scale: f32,
    out: &mut [DualQuat],
    is_rigid: &mut [bool],
) -> bool {
    let mut are_all = true;
    let (fours, last) = matrices.as_chunks::<4>();
    let outs = out.as_chunks_mut::<4>().0.iter_mut().zip(is_rigid.as_chunks_mut::<4>().0);
    for (four, (out, is_rigid)) in fours.iter().zip(outs) {
        are_all &= four_motions(simd, four, inverse_scale, out, is_rigid);
    }
    let done = matrices.len() - last.len();
    for ((matrix, out), is_rigid) in last.iter().zip(&mut out[done..]).zip(&mut is_rigid[done..]) {
        (*out, *is_rigid) = motion(matrix, inverse_scale);
        are_all &= *is_rigid;
    }
    are_all
}

#[inline(always)]
fn four_motions<S: Simd>(
    simd: S,
    four: &[PaddedMatrix; 4],
    inverse_scale: f32,
    out: &mut [DualQuat; 4],
    is_rigid: &mut [bool; 4],
) -> bool {
    let [a, b, c, d] = four;
    let column = |at: usize| {
        let of = |m: &PaddedMatrix| f32x4::from_slice(simd, &m[at..at + 4]);
        transposed([of(a), of(b), of(c), of(d)])
    };
    let inverse = f32x4::splat(simd, inverse_scale);
    let scaled = |[x, y, z, _]: Vectors<S, 4>| [x * inverse, y * inverse, z * inverse];
    let (x, y, z) = (scaled(column(0)), scaled(column(4)), scaled(column(8)));
    let [a, b, c, d] = four_directions(simd, x, y, z);
    let factor = f32x4::splat(simd, 1.0) / ((a * a + b * b) + (c * c + d * d)).sqrt();
    let real = [a * factor, b * factor, c * factor, d * factor];
    store(real, four_duals(simd, real, column(12)), out);
    let are_rotations = four_are_rotations(simd, x, y, z);
    for (lane, is_rigid) in is_rigid.iter_mut().enumerate() {
        *is_rigid = are_rotations.test(lane);
    }
    are_rotations.all_true()
}

/// [`direction`] for four joints.
#[inline(always)]
fn four_directions<S: Simd>(simd: S, x: Vectors<S, 3>, y: Vectors<S, 3>, z: Vectors<S, 3>) -> Vectors<S, 4> {
    let (zero, one) = (f32x4::splat(simd, 0.0), f32x4::splat(simd, 1.0));
    let (xy, zx, yz) = (x[1] + y[0], x[2] + z[0], y[2] + z[1]);
    let (of_x, of_y, of_z) = (y[2] - z[1], z[0] - x[2], x[1] - y[0]);
    let (difference, sum) = (y[1] - x[0], y[1] + x[0]);
    let (below, above) = (one - z[2], one + z[2]);
    let is_below = z[2].simd_le(zero);
    let (is_x, is_z) = (difference.simd_le(zero), sum.simd_le(zero));
    let pick = |first: f32x4<S>, second: f32x4<S>, third: f32x4<S>, fourth: f32x4<S>| {
        is_below.select(is_x.select(first, second), is_z.select(third, fourth))
    };
    [
        pick(below - difference, xy, zx, of_x),
        pick(xy, below + difference, yz, of_y),
        pick(zx, yz, above - sum, of_z),
        pick(of_x, of_y, of_z, above + sum),
    ]
}

/// [`is_rotation`] for four joints.
#[inline(always)]
fn four_are_rotations<S: Simd>(
    simd: S,
    x: Vectors<S, 3>,
    y: Vectors<S, 3>,
    z: Vectors<S, 3>,
) -> fearless_simd::mask32x4<S> {
    let dot = |a: Vectors<S, 3>, b: Vectors<S, 3>| (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
    let (one, tolerance) = (f32x4::splat(simd, 1.0), f32x4::splat(simd, RIGID_TOLERANCE));
    let is_small = |off: f32x4<S>| off.abs().simd_lt(tolerance);
    let yz = [y[1] * z[2] - y[2] * z[1], y[2] * z[0] - y[0] * z[2], y[0] * z[1] - y[1] * z[0]];
    is_small(dot(x, x) - one)
        & is_small(dot(y, y) - one)
        & is_small(dot(z, z) - one)
        & is_small(dot(x, y))
        & is_small(dot(y, z))
        & is_small(dot(z, x))
        & dot(x, yz).simd_gt(f32x4::splat(simd, 0.0))
}

/// The dual parts of [`DualQuat::from_rotation_translation`] for four joints.
#[inline(always)]
fn four_duals<S: Simd>(simd: S, [x, y, z, w]: Vectors<S, 4>, translation: Vectors<S, 4>) -> Vectors<S, 4> {
    let half = f32x4::splat(simd, 0.5);
    let [t_x, t_y, t_z, _] = translation;
    let (t_x, t_y, t_z) = (t_x * half, t_y * half, t_z * half);
    [
        t_x * w + (t_y * z - y * t_z),
        t_y * w + (t_z * x - z * t_x),
        t_z * w + (t_x * y - x * t_y),
        -((t_x * x + t_y * y) + t_z * z),
    ]
}

#[inline(always)]
fn store<S: Simd>(real: Vectors<S, 4>, dual: Vectors<S, 4>, out: &mut [DualQuat; 4]) {
    let (real, dual) = (transposed(real), transposed(dual));
    for (nth, out) in out.iter_mut().enumerate() {
        out.real = Quat::from_array(real[nth].into());
        out.dual = Quat::from_array(dual[nth].into());
    }
}
