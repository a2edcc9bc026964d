//! Four joints at once, for any SIMD level with vectors of four.

use super::{PaddedMatrix, place_apart};
use crate::{
    asset::skeleton::{JointId, JointLink, UpdateSteps},
    transform::Transform,
};
use fearless_simd::{f32x4, prelude::*};

/// [`super::local_to_model`] for four joints at a time.
#[inline(always)]
pub(super) fn local_to_model<S: Simd>(
    simd: S,
    steps: UpdateSteps<'_>,
    local: &[Transform],
    model: &mut [PaddedMatrix],
) {
    place_apart(steps.apart, local, model);
    for group in steps.groups {
        for four in group.as_chunks().0 {
            place(simd, *four, local, model);
        }
    }
    for link in steps.tail {
        let parent = model[usize::from(link.parent)];
        let joint = &mut model[usize::from(link.joint)];
        store_product(simd, &parent, &columns(joint), joint);
    }
}

/// Transposes four vectors with the numbers of one joint each to four vectors with one number each.
#[inline(always)]
pub(crate) fn transposed<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (ac, bd) = (a.zip_low(c), b.zip_low(d));
    let (ac_high, bd_high) = (a.zip_high(c), b.zip_high(d));
    [ac.zip_low(bd), ac.zip_high(bd), ac_high.zip_low(bd_high), ac_high.zip_high(bd_high)]
}

/// The linear parts of [`super::local_matrix`] for four joints: nine entries by column, each for all four.
#[inline(always)]
fn linear_parts<S: Simd>(simd: S, [a, b, c, d]: [&Transform; 4]) -> [[f32; 4]; 9] {
    let rotation = |t: &Transform| f32x4::simd_from(simd, t.rotation.to_array());
    // Four adjacent numbers load as one vector; the first is not used.
    let scale = |t: &Transform| f32x4::simd_from(simd, [t.translation.z, t.scale.x, t.scale.y, t.scale.z]);
    let [x, y, z, w] = transposed([rotation(a), rotation(b), rotation(c), rotation(d)]);
    let [_, s_x, s_y, s_z] = transposed([scale(a), scale(b), scale(c), scale(d)]);
    let one = f32x4::splat(simd, 1.0);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [
        ((one - (yy + zz)) * s_x).into(),
        ((xy + wz) * s_x).into(),
        ((xz - wy) * s_x).into(),
        ((xy - wz) * s_y).into(),
        ((one - (xx + zz)) * s_y).into(),
        ((yz + wx) * s_y).into(),
        ((xz + wy) * s_z).into(),
        ((yz - wx) * s_z).into(),
        ((one - (xx + yy)) * s_z).into(),
    ]
}

/// Computes the model matrices of four joints.
#[inline(always)]
fn place<S: Simd>(simd: S, links: [JointLink; 4], local: &[Transform], model: &mut [PaddedMatrix]) {
    let at = |link: JointLink| &local[usize::from(link.joint)];
    let transforms = [at(links[0]), at(links[1]), at(links[2]), at(links[3])];
    let linear = linear_parts(simd, transforms);
    for (i, (link, transform)) in links.into_iter().zip(transforms).enumerate() {
        let t = transform.translation;
        let columns = [
            [linear[0][i], linear[1][i], linear[2][i]],
            [linear[3][i], linear[4][i], linear[5][i]],
            [linear[6][i], linear[7][i], linear[8][i]],
            [t.x, t.y, t.z],
        ];
        let parent = model[usize::from(link.parent)];
        store_product(simd, &parent, &columns, &mut model[usize::from(link.joint)]);
    }
}

/// [`super::products`] with vectors of four numbers.
#[inline(always)]
pub(super) fn products<S: Simd>(
    simd: S,
    a: &[PaddedMatrix],
    picks: &[JointId],
    b: &[PaddedMatrix],
    out: &mut [PaddedMatrix],
) {
    for ((pick, b), out) in picks.iter().zip(b).zip(out) {
        store_product(simd, &a[pick.index()], &columns(b), out);
    }
}

#[inline(always)]
fn columns(m: &PaddedMatrix) -> [[f32; 3]; 4] {
    [[m[0], m[1], m[2]], [m[4], m[5], m[6]], [m[8], m[9], m[10]], [m[12], m[13], m[14]]]
}

/// [`super::product`] of a matrix and four columns.
#[inline(always)]
fn store_product<S: Simd>(simd: S, a: &PaddedMatrix, columns: &[[f32; 3]; 4], out: &mut PaddedMatrix) {
    let (x, y) = (f32x4::from_slice(simd, &a[..4]), f32x4::from_slice(simd, &a[4..8]));
    let (z, origin) = (f32x4::from_slice(simd, &a[8..12]), f32x4::from_slice(simd, &a[12..]));
    let sum = |[b_x, b_y, b_z]: [f32; 3]| {
        let splat = |number: f32| f32x4::splat(simd, number);
        (x * splat(b_x) + y * splat(b_y)) + z * splat(b_z)
    };
    sum(columns[0]).store_slice(&mut out[..4]);
    sum(columns[1]).store_slice(&mut out[4..8]);
    sum(columns[2]).store_slice(&mut out[8..12]);
    (sum(columns[3]) + origin).store_slice(&mut out[12..]);
}
