//! Blends of rotations and stretches.

use crate::palette::{DualQuat, DualQuatPalette};
use glam::{Affine3A, Mat3A, Quat, Vec4};

/// The normalized weighted sum of rotations in the hemisphere of the first.
///
/// `q` and `−q` are the same rotation; without a consistent sign, similar rotations would cancel. The first has the largest
/// weight, so the choice does not jump when a small weight passes through zero.
pub(in crate::deform) fn blend_rotations(parts: impl Iterator<Item = (Quat, f32)>) -> Quat {
    let mut first = None;
    let mut sum = Vec4::ZERO;
    for (rotation, weight) in parts {
        let rotation = Vec4::from(rotation);
        let pivot = *first.get_or_insert(rotation);
        sum += rotation * if rotation.dot(pivot) < 0.0 { -weight } else { weight };
    }
    Quat::from_vec4(sum.normalize_or(first.unwrap_or(Vec4::W)))
}

/// The weighted sum of dual quaternions in the hemisphere of the first, divided by the norm of the real part.
pub(in crate::deform) fn blend_dual_quats(
    slots: &[u16],
    slot_weights: &[f32],
    rigid: &[DualQuat],
) -> DualQuat {
    let pivot = rigid[usize::from(slots[0])].real;
    let (mut real, mut dual) = (Vec4::ZERO, Vec4::ZERO);
    for (&slot, &weight) in slots.iter().zip(slot_weights) {
        let part = &rigid[usize::from(slot)];
        let signed = if part.real.dot(pivot) < 0.0 { -weight } else { weight };
        real += Vec4::from(part.real) * signed;
        dual += Vec4::from(part.dual) * signed;
    }
    // Every term is in the pivot's hemisphere and the pivot's weight is not zero, so neither is the sum.
    let norm = real.length();
    DualQuat { real: Quat::from_vec4(real / norm), dual: Quat::from_vec4(dual / norm) }
}

/// `Σ w stretch`, or `None` if no joint stretches.
pub(in crate::deform) fn blend_stretches(
    slots: &[u16],
    slot_weights: &[f32],
    palette: &DualQuatPalette,
) -> Option<Affine3A> {
    palette.has_stretch().then(|| super::linear::blend(slots, slot_weights, palette.stretch()))
}

/// The linear part of [`blend_stretches`].
pub(in crate::deform) fn blend_linear_stretches(
    slots: &[u16],
    slot_weights: &[f32],
    palette: &DualQuatPalette,
) -> Option<Mat3A> {
    blend_stretches(slots, slot_weights, palette).map(|s| s.matrix3)
}
