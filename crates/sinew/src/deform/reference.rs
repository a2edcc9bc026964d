//! The definition of every method, in plain scalar code.

use super::streams::{DeformError, Surface, SurfaceMut, check_binding, check_lengths};
use crate::{asset::weights::Weights, palette::Palette};
use glam::{Affine3A, Mat3A, Vec3, Vec3A, Vec4};

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
fn blend(slots: &[u16], shares: &[f32], matrices: &[Affine3A]) -> Affine3A {
    let mut sum = Affine3A::ZERO;
    for (&slot, &share) in slots.iter().zip(shares) {
        let matrix = &matrices[usize::from(slot)];
        sum.matrix3 += matrix.matrix3 * share;
        sum.translation += matrix.translation * share;
    }
    sum
}

fn transform_vertex(vertex: usize, surface: &Surface<'_>, matrix: &Affine3A, out: &mut SurfaceMut<'_>) {
    out.positions[vertex] = matrix.transform_point3(surface.positions[vertex]);
    if !surface.normals.is_empty() {
        let normal = normal_matrix(&matrix.matrix3) * surface.normals[vertex];
        out.normals[vertex] = unit_or_zero(normal);
    }
    if !surface.tangents.is_empty() {
        let tangent = surface.tangents[vertex];
        let direction = unit_or_zero(matrix.matrix3 * tangent.truncate());
        let mirrored = matrix.matrix3.determinant() < 0.0;
        out.tangents[vertex] = direction.extend(if mirrored { -tangent.w } else { tangent.w });
    }
}

/// The inverse transpose but for a positive factor, which normalising removes.
///
/// The cofactors are the inverse transpose times the determinant: they need no division and are there for a flattened
/// matrix too. The sign of the determinant keeps normals pointing outwards where the matrix mirrors.
fn normal_matrix(linear: &Mat3A) -> Mat3A {
    let (x, y, z) = (linear.x_axis, linear.y_axis, linear.z_axis);
    let cofactors = Mat3A::from_cols(y.cross(z), z.cross(x), x.cross(y));
    if x.dot(cofactors.x_axis) < 0.0 { cofactors * -1.0 } else { cofactors }
}

/// The direction of `v`, or zero where it has none; right for any finite length.
fn unit_or_zero(v: Vec3) -> Vec3 {
    // Scaling by the largest entry first keeps tiny and huge vectors from under- and overflowing when squared.
    let largest = v.abs().max_element();
    if largest > 0.0 && largest.is_finite() { (v / largest).normalize() } else { Vec3::ZERO }
}

/// A tangent's direction and handedness apart, for readers of streams.
pub fn bitangent(normal: Vec3, tangent: Vec4) -> Vec3 {
    Vec3A::from(normal).cross(Vec3A::from_vec4(tangent)).to_vec3() * tangent.w
}
