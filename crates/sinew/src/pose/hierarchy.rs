//! The hierarchy update: from local transforms to model-space matrices.
//!
//! [`scalar`] is the definition. Every SIMD level gives the same bits: the same products in the same order, without fused
//! multiply-add, which not every CPU has.

mod four;
mod scale;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(crate) use four::transposed;
pub(super) use scale::ScaleState;

use crate::{
    asset::skeleton::{JointId, UpdateSteps},
    simd::{Level, dispatch},
    transform::Transform,
};

/// A 3×4 matrix in the memory layout of [`glam::Affine3A`]: four columns of three numbers and one of padding.
pub(crate) type PaddedMatrix = [f32; 16];

/// Runs `steps` on `level`.
///
/// A parent must come before its children, or its matrix must already be in `model`.
pub(super) fn local_to_model(
    level: Level,
    steps: UpdateSteps<'_>,
    local: &[Transform],
    model: &mut [PaddedMatrix],
) {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = level.as_avx2() {
        // Also for AVX-512: a whole product in one register is a fifth slower, and so is this code with twice the
        // registers, for which the compiler selects other shuffles.
        return x86::local_to_model(avx2, steps, local, model);
    }
    if level.is_fallback() {
        return scalar(steps, local, model);
    }
    dispatch!(level, simd => four::local_to_model(simd, steps, local, model));
}

/// The definition of [`local_to_model`].
pub(super) fn scalar(steps: UpdateSteps<'_>, local: &[Transform], model: &mut [PaddedMatrix]) {
    place_apart(steps.apart, local, model);
    for link in steps.groups.iter().flatten().chain(steps.tail) {
        let parent = model[usize::from(link.parent)];
        model[usize::from(link.joint)] = product(&parent, &local_matrix(&local[usize::from(link.joint)]));
    }
}

/// The first step, one joint at a time, since they are few.
#[inline(always)]
fn place_apart(joints: &[u16], local: &[Transform], model: &mut [PaddedMatrix]) {
    for &joint in joints {
        model[usize::from(joint)] = local_matrix(&local[usize::from(joint)]);
    }
}

/// The matrix of `transform`. It takes joint space to parent space.
pub(super) fn local_matrix(transform: &Transform) -> PaddedMatrix {
    let [x, y, z, w] = transform.rotation.to_array();
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let (s, t) = (transform.scale, transform.translation);
    // Written out, since a matrix built column by column would be stored in parts and loaded again as a whole.
    #[rustfmt::skip]
    let matrix = [
        (1.0 - (yy + zz)) * s.x, (xy + wz) * s.x, (xz - wy) * s.x, 0.0,
        (xy - wz) * s.y, (1.0 - (xx + zz)) * s.y, (yz + wx) * s.y, 0.0,
        (xz + wy) * s.z, (yz - wx) * s.z, (1.0 - (xx + yy)) * s.z, 0.0,
        t.x, t.y, t.z, 0.0,
    ];
    matrix
}

/// The products `a[picks[i]] * b[i]`, on `level`.
pub(crate) fn products(
    level: Level,
    a: &[PaddedMatrix],
    picks: &[JointId],
    b: &[PaddedMatrix],
    out: &mut [PaddedMatrix],
) {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = level.as_avx2() {
        return x86::products(avx2, a, picks, b, out);
    }
    if level.is_fallback() {
        for ((pick, b), out) in picks.iter().zip(b).zip(out) {
            *out = product(&a[pick.index()], b);
        }
        return;
    }
    dispatch!(level, simd => four::products(simd, a, picks, b, out));
}

/// `a_from_c` from `a_from_b` and `b_from_c`.
fn product(a: &PaddedMatrix, b: &PaddedMatrix) -> PaddedMatrix {
    let mut out = [0.0; 16];
    for column in [0, 4, 8, 12] {
        for row in 0..3 {
            let sum = (a[row] * b[column] + a[4 + row] * b[column + 1]) + a[8 + row] * b[column + 2];
            out[column + row] = if column == 12 { sum + a[12 + row] } else { sum };
        }
    }
    out
}
