//! Skinning with optimized centers of rotation.
//!
//! B. H. Le, J. K. Hodgins 2016, "Real-time skeletal skinning with optimized centers of rotation".

use super::{
    MethodDefinition, PrecomputedNeed,
    linear::blend_point,
    rotation::{SumOfSigns, blend_linear_stretches, blend_rotations},
    vertex::{VertexRotation, turn_vertex},
};
use crate::{
    asset::{precomputed::CentersOfRotation, weights::Weights},
    bounds::BoundsRule,
    deform::streams::{
        DeformError, Surface, SurfaceMut, check_binding, check_count, check_lengths, check_palette,
    },
    deform::{Method, kernel::SkinningPalette},
    palette::{DualQuatPalette, Palette},
};

const WHAT: &str = "centers of rotation";
const MISSING: DeformError = DeformError::MissingPrecomputed { method: Method::Cor, what: WHAT };

pub(in crate::deform) const DEFINITION: MethodDefinition = MethodDefinition {
    name: "cor",
    aliases: &[],
    title: "Optimized centers of rotation",
    cost: "one blended quaternion and one blended matrix per vertex",
    needs_dual_quats: true,
    precomputed: Some(PrecomputedNeed { what: WHAT, is_present: |data| data.centers.is_some() }),
    reference: |surface, binding, _, out| {
        let centers = binding.precomputed.centers.as_ref().ok_or(MISSING)?;
        let dual_quats = binding.dual_quats_for(Method::Cor)?;
        cor(surface, binding.weights, binding.palette, dual_quats, centers, out)
    },
    kernel: Some(|pose| Ok(SkinningPalette::Cor(pose.matrices, pose.dual_quats_for(Method::Cor)?))),
    bounds: BoundsRule::TurnAboutCenters,
};

/// Skinning with optimized centers of rotation: `v' = q (Σ w S)(v − p) q⁻¹ + (Σ w K) p` about each vertex's center `p`.
///
/// `q` is the normalized sum of the joints' rotations in the hemisphere of the strongest. Linear blend skinning moves the
/// center, and the vertex rotates around it: as little bulge as linear blend skinning, and as little collapse as dual
/// quaternion skinning.
///
/// # Errors
/// If stream lengths differ, a palette is too small, or `centers` is of another mesh.
pub fn cor(
    surface: Surface<'_>,
    weights: &Weights,
    palette: &Palette,
    dual_quats: &DualQuatPalette,
    centers: &CentersOfRotation,
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&surface, &out)?;
    check_binding(&surface, weights, palette)?;
    check_palette(&surface, weights, dual_quats.rigid().len())?;
    check_count("centers of rotation", centers.positions().len(), surface.positions.len())?;
    for vertex in 0..surface.positions.len() {
        let (slots, slot_weights) = weights.of(vertex);
        let rotations = slots.iter().map(|&slot| dual_quats.rigid()[usize::from(slot)].real);
        let rotation =
            blend_rotations(rotations.zip(slot_weights.iter().copied()), SumOfSigns::of(dual_quats));
        let stretch = blend_linear_stretches(slots, slot_weights, dual_quats);
        let center = centers.positions()[vertex];
        let moved = blend_point(slots, slot_weights, palette.matrices(), center);
        let turn = VertexRotation { rotation, stretch: stretch.as_ref() };
        let position = turn.apply(surface.positions[vertex] - center) + moved;
        turn_vertex(vertex, &surface, turn, position, &mut out);
    }
    Ok(())
}
