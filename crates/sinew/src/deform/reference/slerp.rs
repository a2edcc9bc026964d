//! Quaternion blend.

use super::{
    cor::turn_about,
    linear::blend_point,
    rotation::{blend_linear_stretches, blend_rotations},
    vertex::turn_vertex,
};
use crate::{
    asset::weights::Weights,
    deform::streams::{DeformError, Surface, SurfaceMut, check_binding, check_lengths, check_palette},
    palette::{DualQuatPalette, Palette},
    sample::slerp as slerp_rotations,
};
use glam::{Quat, Vec3};

/// Quaternion blend: rotations are interpolated by weight, places linearly.
///
/// `v' = q (Σ w S)(v − c) q⁻¹ + (Σ w K) c`. With two influences `q` is the slerp of their rotations; with more, the
/// normalised sum on the hemisphere of the strongest. The pivot `c` is the bind position of the lower of the two
/// joints, where parent and child agree; with more influences, the mean of those of every pair, each by the product
/// of its weights. Where the joints of a vertex do not meet in that point, `c` is blended linearly and collapses as
/// everything does under linear blend.
///
/// # Errors
/// Where stream lengths differ or a palette is too small.
pub fn slerp(
    surface: Surface<'_>,
    weights: &Weights,
    palette: &Palette,
    dual_quats: &DualQuatPalette,
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&surface, &out)?;
    check_binding(&surface, weights, palette)?;
    check_palette(&surface, weights, dual_quats.rigid().len())?;
    for vertex in 0..surface.positions.len() {
        let (slots, shares) = weights.of(vertex);
        let rotation = blended_rotation(slots, shares, dual_quats);
        let stretch = blend_linear_stretches(slots, shares, dual_quats);
        let pivot = meeting_point(slots, shares, dual_quats);
        let moved = blend_point(slots, shares, palette.matrices(), pivot);
        let turn = (rotation, stretch.as_ref());
        let position = turn_about(surface.positions[vertex] - pivot, turn) + moved;
        turn_vertex(vertex, &surface, turn, position, &mut out);
    }
    Ok(())
}

fn blended_rotation(slots: &[u16], shares: &[f32], dual_quats: &DualQuatPalette) -> Quat {
    let rotation = |slot: u16| dual_quats.rigid()[usize::from(slot)].real;
    match slots {
        [only] => rotation(*only),
        [first, second] => slerp_rotations(rotation(*first), rotation(*second), shares[1]),
        _ => blend_rotations(slots.iter().map(|&s| rotation(s)).zip(shares.iter().copied())),
    }
}

/// Where the joints of a vertex meet, at bind time.
fn meeting_point(slots: &[u16], shares: &[f32], dual_quats: &DualQuatPalette) -> Vec3 {
    let (pivots, depths) = (dual_quats.pivots(), dual_quats.depths());
    let (mut sum, mut total) = (Vec3::ZERO, 0.0);
    for (i, (&a, &share_a)) in slots.iter().zip(shares).enumerate() {
        for (&b, &share_b) in slots.iter().zip(shares).skip(i + 1) {
            let lower = if depths[usize::from(a)] > depths[usize::from(b)] { a } else { b };
            sum += pivots[usize::from(lower)] * (share_a * share_b);
            total += share_a * share_b;
        }
    }
    // One joint moves the vertex by its own matrix whatever the pivot is.
    if total > 0.0 { sum / total } else { pivots[usize::from(slots[0])] }
}
