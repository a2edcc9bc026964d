//! Rigid skinning: one joint per vertex.
//!
//! Also known as stitching: triangles that span two joints stretch between them like stitches.

use super::{MethodDefinition, vertex::transform_vertex};
use crate::{
    asset::weights::Weights,
    bounds::BoundsRule,
    deform::kernel::SkinningPalette,
    deform::streams::{DeformError, Surface, SurfaceMut, check_binding, check_lengths},
    palette::Palette,
};

pub(in crate::deform) const DEFINITION: MethodDefinition = MethodDefinition {
    name: "rigid",
    aliases: &["stitch"],
    title: "Rigid skinning",
    cost: "one matrix per vertex, nothing blended",
    needs_dual_quats: false,
    precomputed: None,
    reference: |surface, binding, _, out| rigid(surface, binding.weights, binding.palette, out),
    kernel: Some(|pose| Ok(SkinningPalette::Rigid(pose.matrices))),
    bounds: BoundsRule::Linear,
};

/// Rigid skinning: every vertex follows its strongest joint.
///
/// # Errors
/// If stream lengths differ or the palette is too small.
pub fn rigid(
    surface: Surface<'_>,
    weights: &Weights,
    palette: &Palette,
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&surface, &out)?;
    check_binding(&surface, weights, palette)?;
    for vertex in 0..surface.positions.len() {
        let (slots, _) = weights.of(vertex);
        let strongest = &palette.matrices()[usize::from(slots[0])];
        transform_vertex(vertex, &surface, strongest, &mut out);
    }
    Ok(())
}
