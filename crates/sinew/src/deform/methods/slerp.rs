//! Quaternion blend: rotations are interpolated about the joint where the influences of a vertex meet.
//!
//! The interpolation is K. Shoemake 1985, "Animating rotation with quaternion curves".

use super::{
    MethodDefinition,
    linear::blend_point,
    rotation::{SumOfSigns, blend_linear_stretches, blend_rotations},
    vertex::{VertexRotation, turn_vertex},
};
use crate::{
    asset::weights::Weights,
    bounds::BoundsRule,
    deform::streams::{DeformError, Surface, SurfaceMut, check_binding, check_lengths, check_palette},
    deform::{Method, kernel::SkinningPalette},
    palette::{DualQuatPalette, Palette},
    sample::slerp as slerp_rotations,
};
use glam::{Quat, Vec3};

pub(in crate::deform) const DEFINITION: MethodDefinition = MethodDefinition {
    name: "slerp",
    aliases: &[],
    title: "Quaternion blend",
    cost: "one blended quaternion, one blended matrix and a pivot per vertex",
    needs_dual_quats: true,
    precomputed: None,
    reference: |surface, binding, _, out| {
        slerp(surface, binding.weights, binding.palette, binding.dual_quats_for(Method::Slerp)?, out)
    },
    kernel: Some(|pose| Ok(SkinningPalette::Slerp(pose.matrices, pose.dual_quats_for(Method::Slerp)?))),
    bounds: BoundsRule::TurnAboutJoints,
};

/// Quaternion blend: rotations are interpolated by weight, pivots linearly.
///
/// `v' = q (Σ w S)(v − c) q⁻¹ + (Σ w K) c`. With two influences `q` is the slerp of their rotations; with more, the
/// normalized sum in the hemisphere of the strongest. Rotations that are [followed in time](crate::RotationHistory) are
/// summed for two influences too, because the arc between opposite quaternions has no direction. The pivot `c` is the bind position of the lower of the two
/// joints, where parent and child agree; with more influences, the mean over all pairs, weighted by the product
/// of their weights. If the joints of a vertex do not meet in that point, `c` is blended linearly and collapses as
/// in linear blend skinning.
///
/// # Errors
/// If stream lengths differ or a palette is too small.
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
        let (slots, slot_weights) = weights.of(vertex);
        let rotation = blended_rotation(slots, slot_weights, dual_quats);
        let stretch = blend_linear_stretches(slots, slot_weights, dual_quats);
        let pivot = meeting_point(slots, slot_weights, dual_quats);
        let moved = blend_point(slots, slot_weights, palette.matrices(), pivot);
        let turn = VertexRotation { rotation, stretch: stretch.as_ref() };
        let position = turn.apply(surface.positions[vertex] - pivot) + moved;
        turn_vertex(vertex, &surface, turn, position, &mut out);
    }
    Ok(())
}

fn blended_rotation(slots: &[u16], slot_weights: &[f32], dual_quats: &DualQuatPalette) -> Quat {
    let rotation = |slot: u16| dual_quats.rigid()[usize::from(slot)].real;
    let signs = SumOfSigns::of(dual_quats);
    match (slots, signs) {
        ([only], _) => rotation(*only),
        ([first, second], SumOfSigns::Nearest) => {
            slerp_rotations(rotation(*first), rotation(*second), slot_weights[1])
        }
        _ => blend_rotations(slots.iter().map(|&s| rotation(s)).zip(slot_weights.iter().copied()), signs),
    }
}

/// The point where the joints of a vertex meet, in mesh space at bind time.
fn meeting_point(slots: &[u16], slot_weights: &[f32], dual_quats: &DualQuatPalette) -> Vec3 {
    let (pivots, depths) = (dual_quats.pivots(), dual_quats.depths());
    let (mut sum, mut total) = (Vec3::ZERO, 0.0);
    for (i, (&a, &weight_a)) in slots.iter().zip(slot_weights).enumerate() {
        for (&b, &weight_b) in slots.iter().zip(slot_weights).skip(i + 1) {
            let lower = if depths[usize::from(a)] > depths[usize::from(b)] { a } else { b };
            sum += pivots[usize::from(lower)] * (weight_a * weight_b);
            total += weight_a * weight_b;
        }
    }
    // A single joint transforms the vertex by its matrix, whatever the pivot.
    if total > 0.0 { sum / total } else { pivots[usize::from(slots[0])] }
}
