//! Stitching: one joint a vertex.

use super::vertex::transform_vertex;
use crate::{
    asset::weights::Weights,
    deform::streams::{DeformError, Surface, SurfaceMut, check_binding, check_lengths},
    palette::Palette,
};

/// Stitching: every vertex follows its strongest joint.
///
/// # Errors
/// Where stream lengths differ or the palette is too small.
pub fn stitch(
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
