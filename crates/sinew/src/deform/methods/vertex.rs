//! Applies the blended transform of a vertex to its position, normal and tangent.

use crate::deform::streams::{Surface, SurfaceMut};
use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A, Vec4};

/// Transforms the position, normal and tangent of one vertex by `matrix`.
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

/// The rotation of one vertex, with an optional stretch that is applied before it.
#[derive(Clone, Copy)]
pub(in crate::deform) struct VertexRotation<'a> {
    pub(in crate::deform) rotation: Quat,
    /// `None` if every joint of the vertex is rigid.
    pub(in crate::deform) stretch: Option<&'a Mat3A>,
}

impl VertexRotation<'_> {
    /// Stretches `offset`, then rotates it.
    pub(in crate::deform) fn apply(self, offset: Vec3) -> Vec3 {
        self.rotation * self.stretch.map_or(offset, |s| *s * offset)
    }
}

/// Writes `position` as the position of one vertex and transforms its normal and tangent by `turn`.
///
/// Normals are transformed by the inverse transpose of the stretch; a rotation is its own inverse transpose.
pub(in crate::deform) fn turn_vertex(
    vertex: usize,
    surface: &Surface<'_>,
    turn: VertexRotation<'_>,
    position: Vec3,
    out: &mut SurfaceMut<'_>,
) {
    let VertexRotation { rotation, stretch } = turn;
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

/// A deformed vertex: its position in meters, and its normal and tangent if the mesh has them.
#[derive(Clone, Copy)]
pub(in crate::deform) struct DeformedVertex {
    position: Vec3,
    normal: Option<Vec3>,
    tangent: Option<Vec4>,
}

impl DeformedVertex {
    /// The vertex at index `vertex` of a surface.
    pub(in crate::deform) fn of(surface: &Surface<'_>, vertex: usize) -> Self {
        Self {
            position: surface.positions[vertex],
            normal: surface.normals.get(vertex).copied(),
            tangent: surface.tangents.get(vertex).copied(),
        }
    }

    /// The blend of two results for one vertex: this one where `weight` is 0, `other` where it is 1. Directions are
    /// normalized; handedness is that of the larger weight.
    pub(in crate::deform) fn blended(self, other: Self, weight: f32) -> Self {
        let direction = |a: Vec3, b: Vec3| unit_or_zero(a.lerp(b, weight));
        let tangent = |(a, b): (Vec4, Vec4)| {
            direction(a.truncate(), b.truncate()).extend(if weight < 0.5 { a.w } else { b.w })
        };
        Self {
            position: self.position.lerp(other.position, weight),
            normal: self.normal.zip(other.normal).map(|(a, b)| direction(a, b)),
            tangent: self.tangent.zip(other.tangent).map(tangent),
        }
    }

    /// Writes the vertex at index `vertex` of a surface.
    pub(in crate::deform) fn write(self, vertex: usize, out: &mut SurfaceMut<'_>) {
        out.positions[vertex] = self.position;
        if let Some(normal) = self.normal {
            out.normals[vertex] = normal;
        }
        if let Some(tangent) = self.tangent {
            out.tangents[vertex] = tangent;
        }
    }
}

/// The inverse transpose up to a positive factor, which normalization removes.
///
/// The cofactor matrix is the inverse transpose times the determinant. It needs no division and exists for a singular
/// matrix too. The sign of the determinant keeps normals pointing outward if the matrix mirrors.
pub(in crate::deform) fn normal_matrix(linear: &Mat3A) -> Mat3A {
    let (x, y, z) = (linear.x_axis, linear.y_axis, linear.z_axis);
    let cofactors = Mat3A::from_cols(y.cross(z), z.cross(x), x.cross(y));
    if x.dot(cofactors.x_axis) < 0.0 { cofactors * -1.0 } else { cofactors }
}

/// `v` normalized, or zero if it is zero or not finite. Accurate for any finite length.
pub(in crate::deform) fn unit_or_zero(v: Vec3) -> Vec3 {
    // Dividing by the largest component first keeps the squares of tiny and huge vectors from under- or overflowing.
    let largest = v.abs().max_element();
    if largest > 0.0 && largest.is_finite() { (v / largest).normalize() } else { Vec3::ZERO }
}

/// The bitangent of a normal and a tangent with handedness in w.
pub fn bitangent(normal: Vec3, tangent: Vec4) -> Vec3 {
    Vec3A::from(normal).cross(Vec3A::from_vec4(tangent)).to_vec3() * tangent.w
}
