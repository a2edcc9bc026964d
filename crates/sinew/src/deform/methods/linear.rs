//! Linear blend skinning: one blended matrix per vertex.
//!
//! N. Magnenat-Thalmann, R. Laperrière, D. Thalmann 1988, "Joint-dependent local deformations for hand animation and
//! object grasping"; J. P. Lewis, M. Cordner, N. Fong 2000, "Pose space deformation", which names its artifacts.

use super::{MethodDefinition, vertex::transform_vertex};
use crate::{
    asset::weights::Weights,
    bounds::BoundsRule,
    deform::kernel::SkinningPalette,
    deform::streams::{DeformError, Surface, SurfaceMut, check_binding, check_lengths},
    palette::Palette,
};
use glam::{Affine3A, Vec3};

pub(in crate::deform) const DEFINITION: MethodDefinition = MethodDefinition {
    name: "linear",
    aliases: &[],
    title: "Linear blend skinning",
    cost: "one blended matrix per vertex",
    needs_dual_quats: false,
    precomputed: None,
    reference: |surface, binding, _, out| linear(surface, binding.weights, binding.palette, out),
    kernel: Some(|pose| Ok(SkinningPalette::Linear(pose.matrices))),
    bounds: BoundsRule::Linear,
};

/// Linear blend skinning: `v' = (Σ w K) v` over any number of influences.
///
/// # Errors
/// If stream lengths differ or the palette is too small.
pub fn linear(
    surface: Surface<'_>,
    weights: &Weights,
    palette: &Palette,
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&surface, &out)?;
    check_binding(&surface, weights, palette)?;
    for vertex in 0..surface.positions.len() {
        let (slots, slot_weights) = weights.of(vertex);
        let blended = blend(slots, slot_weights, palette.matrices());
        transform_vertex(vertex, &surface, &blended, &mut out);
    }
    Ok(())
}

/// The weighted sum `Σ w K` of the skinning matrices of `slots`.
pub(in crate::deform) fn blend(slots: &[u16], slot_weights: &[f32], matrices: &[Affine3A]) -> Affine3A {
    let mut sum = Affine3A::ZERO;
    for (&slot, &weight) in slots.iter().zip(slot_weights) {
        let matrix = &matrices[usize::from(slot)];
        sum.matrix3 += matrix.matrix3 * weight;
        sum.translation += matrix.translation * weight;
    }
    sum
}

/// `(Σ w K) point`.
pub(in crate::deform) fn blend_point(
    slots: &[u16],
    slot_weights: &[f32],
    matrices: &[Affine3A],
    point: Vec3,
) -> Vec3 {
    blend(slots, slot_weights, matrices).transform_point3(point)
}
