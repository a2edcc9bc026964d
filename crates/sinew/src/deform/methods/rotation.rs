//! Blends of rotations and stretches.

use crate::palette::{DualQuat, DualQuatPalette};
use glam::{Affine3A, Mat3A, Quat, Vec4};

/// The sum of followed rotations gets a part of the strongest one where its squared length is smaller, and the factor of that
/// part.
///
/// Rotations that are followed in time may be opposite quaternions after a full turn, and their sum then vanishes. With this
/// part the direction of the sum stays continuous in time: a vertex halfway along a twist swings back over some 90 degrees
/// of it instead of jumping at 360.
pub(in crate::deform) const FOLLOWED_PART: [f32; 2] = [0.04, 5.0];

/// How rotations are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::deform) enum SumOfSigns {
    /// Every rotation in the hemisphere of the strongest.
    Nearest,
    /// Every rotation with the sign that it has: the signs are [followed in time](crate::RotationHistory).
    Followed,
}

impl SumOfSigns {
    pub(in crate::deform) fn of(palette: &DualQuatPalette) -> Self {
        if palette.is_followed() { Self::Followed } else { Self::Nearest }
    }

    fn signed(self, rotation: Vec4, pivot: Vec4, weight: f32) -> f32 {
        if self == Self::Nearest && rotation.dot(pivot) < 0.0 { -weight } else { weight }
    }

    /// The part of the strongest rotation that a sum of this squared length gets.
    fn own_part(self, squared: f32) -> f32 {
        match self {
            Self::Nearest => 0.0,
            Self::Followed => (FOLLOWED_PART[0] - squared).max(0.0) * FOLLOWED_PART[1],
        }
    }
}

/// The normalized weighted sum of rotations, by default in the hemisphere of the first.
///
/// `q` and `−q` are the same rotation; without a consistent sign, similar rotations would cancel. The first has the largest
/// weight, so the choice does not jump when a small weight passes through zero.
pub(in crate::deform) fn blend_rotations(
    parts: impl Iterator<Item = (Quat, f32)>,
    signs: SumOfSigns,
) -> Quat {
    let mut first = None;
    let mut sum = Vec4::ZERO;
    for (rotation, weight) in parts {
        let rotation = Vec4::from(rotation);
        let pivot = *first.get_or_insert(rotation);
        sum += rotation * signs.signed(rotation, pivot, weight);
    }
    let first = first.unwrap_or(Vec4::W);
    sum += first * signs.own_part(sum.length_squared());
    Quat::from_vec4(sum.normalize_or(first))
}

/// The weighted sum of dual quaternions, by default in the hemisphere of the first, divided by the norm of the real part.
pub(in crate::deform) fn blend_dual_quats(
    slots: &[u16],
    slot_weights: &[f32],
    palette: &DualQuatPalette,
) -> DualQuat {
    let (rigid, signs) = (palette.rigid(), SumOfSigns::of(palette));
    let first = &rigid[usize::from(slots[0])];
    let pivot = Vec4::from(first.real);
    let (mut real, mut dual) = (Vec4::ZERO, Vec4::ZERO);
    for (&slot, &weight) in slots.iter().zip(slot_weights) {
        let part = &rigid[usize::from(slot)];
        let signed = signs.signed(part.real.into(), pivot, weight);
        real += Vec4::from(part.real) * signed;
        dual += Vec4::from(part.dual) * signed;
    }
    let own_part = signs.own_part(real.length_squared());
    (real, dual) = (real + pivot * own_part, dual + Vec4::from(first.dual) * own_part);
    // Every term is in the pivot's hemisphere and the pivot's weight is not zero, so neither is the sum. Followed rotations
    // of three joints and more may cancel all the same.
    let norm = real.length();
    if norm < SMALLEST_NORM {
        return *first;
    }
    DualQuat { real: Quat::from_vec4(real / norm), dual: Quat::from_vec4(dual / norm) }
}

/// A shorter sum of rotations has no direction.
const SMALLEST_NORM: f32 = 1e-10;

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
