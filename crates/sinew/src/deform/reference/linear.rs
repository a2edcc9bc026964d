//! Linear blend skinning, and the plain matrix it falls back to.

use super::vertex::transform_vertex;
use crate::{
    asset::weights::Weights,
    deform::streams::{DeformError, Surface, SurfaceMut, check_binding, check_lengths},
    palette::Palette,
};
use glam::{Affine3A, Vec3};

/// Moves the whole surface by one matrix, as a mesh that hangs on a joint.
///
/// # Errors
/// Where stream lengths differ.
pub fn rigid(
    surface: Surface<'_>,
    model_from_mesh: &Affine3A,
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&surface, &out)?;
    for vertex in 0..surface.positions.len() {
        transform_vertex(vertex, &surface, model_from_mesh, &mut out);
    }
    Ok(())
}

/// Linear blend skinning: `v' = (Σ w K) v` over any number of influences.
///
/// # Errors
/// Where stream lengths differ or the palette is too small.
pub fn linear(
    surface: Surface<'_>,
    weights: &Weights,
    palette: &Palette,
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&surface, &out)?;
    check_binding(&surface, weights, palette)?;
    for vertex in 0..surface.positions.len() {
        let (slots, shares) = weights.of(vertex);
        let blended = blend(slots, shares, palette.matrices());
        transform_vertex(vertex, &surface, &blended, &mut out);
    }
    Ok(())
}

/// `Σ w K`.
pub(super) fn blend(slots: &[u16], shares: &[f32], matrices: &[Affine3A]) -> Affine3A {
    let mut sum = Affine3A::ZERO;
    for (&slot, &share) in slots.iter().zip(shares) {
        let matrix = &matrices[usize::from(slot)];
        sum.matrix3 += matrix.matrix3 * share;
        sum.translation += matrix.translation * share;
    }
    sum
}

/// `(Σ w K) point`.
pub(super) fn blend_point(slots: &[u16], shares: &[f32], matrices: &[Affine3A], point: Vec3) -> Vec3 {
    blend(slots, shares, matrices).transform_point3(point)
}
