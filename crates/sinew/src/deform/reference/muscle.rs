//! Muscle joints: influences that displace the surface before skinning.

use crate::{
    asset::weights::Weights,
    deform::{
        methods::{linear::blend, vertex::transform_vertex},
        streams::{DeformError, Surface, SurfaceMut, check_lengths, check_palette},
    },
    palette::MusclePalette,
};
use glam::Affine3A;

/// Displaces the surface by its muscle influences, in mesh space, before any method deforms it.
///
/// `v' = v + Σ w (E v − v)`, with `E` the muscle's own motion relative to rest, from [`MusclePalette`]. The weights `w` are
/// separate from the skin weights, which sum to one: a muscle at rest moves nothing, whatever its weight.
///
/// # Errors
/// If stream lengths differ or the palette is too small.
pub fn displace(
    surface: Surface<'_>,
    weights: &Weights,
    muscles: &MusclePalette,
    mut out: SurfaceMut<'_>,
) -> Result<(), DeformError> {
    check_lengths(&surface, &out)?;
    check_palette(&surface, weights, muscles.mesh_from_mesh().len())?;
    for vertex in 0..surface.positions.len() {
        let (slots, slot_weights) = weights.muscle_of(vertex);
        let mut map = blend(slots, slot_weights, muscles.mesh_from_mesh());
        // The motion of the muscles relative to rest is added to the vertex.
        let rest = 1.0 - slot_weights.iter().sum::<f32>();
        map.matrix3 += Affine3A::IDENTITY.matrix3 * rest;
        transform_vertex(vertex, &surface, &map, &mut out);
    }
    Ok(())
}
