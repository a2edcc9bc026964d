//! Applying the blended map of a vertex to its streams.

use crate::deform::streams::{Surface, SurfaceMut};
use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A, Vec4};

/// Moves one vertex by `matrix`.
pub(in crate::deform) fn transform_vertex(
    vertex: usize,
    surface: &Surface<'_>,
    matrix: &Affine3A,
    out: &mut SurfaceMut<'_>,
) {
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

/// Puts one vertex at `position` and takes its directions through `stretch`, if there is one, and then `rotation`.
///
/// Normals go through the inverse transpose of the stretch; a rotation is its own.
pub(in crate::deform) fn turn_vertex(
    vertex: usize,
    surface: &Surface<'_>,
    turn: (Quat, Option<&Mat3A>),
    position: Vec3,
    out: &mut SurfaceMut<'_>,
) {
    let (rotation, stretch) = turn;
    out.positions[vertex] = position;
    if !surface.normals.is_empty() {
        let normal = surface.normals[vertex];
        let stretched = stretch.map_or(normal, |s| normal_matrix(s) * normal);
        out.normals[vertex] = unit_or_zero(rotation * unit_or_zero(stretched));
    }
    if !surface.tangents.is_empty() {
        let tangent = surface.tangents[vertex];
        let stretched = stretch.map_or(tangent.truncate(), |s| *s * tangent.truncate());
        let mirrored = stretch.is_some_and(|s| s.determinant() < 0.0);
        let direction = unit_or_zero(rotation * unit_or_zero(stretched));
        out.tangents[vertex] = direction.extend(if mirrored { -tangent.w } else { tangent.w });
    }
}

/// The inverse transpose but for a positive factor, which normalizing removes.
///
/// The cofactors are the inverse transpose times the determinant: they need no division and are there for a flattened
/// matrix too. The sign of the determinant keeps normals pointing outwards where the matrix mirrors.
pub(in crate::deform) fn normal_matrix(linear: &Mat3A) -> Mat3A {
    let (x, y, z) = (linear.x_axis, linear.y_axis, linear.z_axis);
    let cofactors = Mat3A::from_cols(y.cross(z), z.cross(x), x.cross(y));
    if x.dot(cofactors.x_axis) < 0.0 { cofactors * -1.0 } else { cofactors }
}

/// The direction of `v`, or zero where it has none; right for any finite length.
pub(in crate::deform) fn unit_or_zero(v: Vec3) -> Vec3 {
    // Scaling by the largest entry first keeps tiny and huge vectors from under- and overflowing when squared.
    let largest = v.abs().max_element();
    if largest > 0.0 && largest.is_finite() { (v / largest).normalize() } else { Vec3::ZERO }
}

/// The bitangent of a normal and a tangent with handedness in w.
pub fn bitangent(normal: Vec3, tangent: Vec4) -> Vec3 {
    Vec3A::from(normal).cross(Vec3A::from_vec4(tangent)).to_vec3() * tangent.w
}
