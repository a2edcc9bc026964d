//! A mesh without a skin, transformed by one joint.

use crate::deform::{
    methods::vertex::transform_vertex,
    streams::{DeformError, Surface, SurfaceMut, check_lengths},
};
use glam::Affine3A;

/// Transforms the whole surface by one matrix, as for a mesh that is parented to a joint.
///
/// # Errors
/// If stream lengths differ.
pub fn transform_surface(
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
