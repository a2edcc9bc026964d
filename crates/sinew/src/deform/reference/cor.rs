//! Optimised centres of rotation.

use super::{
    linear::blend_point,
    rotation::{blend_linear_stretches, blend_rotations},
    vertex::turn_vertex,
};
use crate::{
    asset::{precomputed::CentersOfRotation, weights::Weights},
    deform::streams::{
        DeformError, Surface, SurfaceMut, check_binding, check_count, check_lengths, check_palette,
    },
    palette::{DualQuatPalette, Palette},
};
use glam::{Mat3A, Quat, Vec3};

/// Optimised centres of rotation: `v' = q (Σ w S)(v − p) q⁻¹ + (Σ w K) p` about each vertex's centre `p`.
///
/// `q` is the normalised sum of the joints' rotations on the hemisphere of the strongest. The centre goes where linear
/// blend takes it, and the rest of the body turns around it: as little bulge as linear blend, as little collapse as
/// dual quaternions.
///
/// # Errors
/// Where stream lengths differ, a palette is too small, or `centers` is of another mesh.
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
        let (slots, shares) = weights.of(vertex);
        let rotations = slots.iter().map(|&slot| dual_quats.rigid()[usize::from(slot)].real);
        let rotation = blend_rotations(rotations.zip(shares.iter().copied()));
        let stretch = blend_linear_stretches(slots, shares, dual_quats);
        let center = centers.positions()[vertex];
        let moved = blend_point(slots, shares, palette.matrices(), center);
        let turn = (rotation, stretch.as_ref());
        let position = turn_about(surface.positions[vertex] - center, turn) + moved;
        turn_vertex(vertex, &surface, turn, position, &mut out);
    }
    Ok(())
}

/// An offset from a centre, stretched and turned.
pub(super) fn turn_about(offset: Vec3, (rotation, stretch): (Quat, Option<&Mat3A>)) -> Vec3 {
    rotation * stretch.map_or(offset, |s| *s * offset)
}
