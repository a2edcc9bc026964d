//! Rotations between directions, and points transformed between joint spaces.

use crate::transform::{Transform, inverse_affine};
use glam::{Affine3A, Mat3A, Quat, Vec3, Vec3A};

/// The shortest rotation that takes one unit vector to another.
///
/// Exact to rounding for any pair, whereas `Quat::from_rotation_arc` ignores angles below 7e-4 rad. Between opposite
/// vectors it is a half turn about some perpendicular axis.
#[inline(always)]
pub(super) fn arc(from: Vec3, to: Vec3) -> Quat {
    // Twice the cosine of half the angle.
    let length = (from + to).length();
    if length > 0.3 {
        return Quat::from_xyzw_of(from.cross(to) * length.recip(), 0.5 * length);
    }
    far_arc(from, to)
}

/// [`arc`] between almost opposite vectors.
#[cold]
fn far_arc(from: Vec3, to: Vec3) -> Quat {
    // Half a turn first, then the rest, since the sum of almost opposite vectors cancels. The axis must be perpendicular
    // to full precision, which the cross product of such vectors is not.
    let normal = from.cross(to);
    let axis = if normal.length() > 1e-2 {
        perpendicular_to(from, normal.normalize())
    } else {
        from.any_orthonormal_vector()
    };
    arc(-from, to) * Quat::from_xyzw_of(axis, 0.0)
}

/// The rotation about the unit vector `axis` that takes one unit vector perpendicular to it to another.
pub(super) fn turn_about(axis: Vec3, from: Vec3, to: Vec3) -> Quat {
    let (cos, sin) = (from.dot(to), from.cross(to).dot(axis));
    let quarter = Vec3::new(sin, 1.0 + cos, 0.0);
    if quarter.length_squared() < 1e-8 {
        return Quat::from_xyzw_of(axis, 0.0);
    }
    let half = quarter.normalize();
    Quat::from_xyzw_of(axis * half.x, half.y)
}

/// Quaternions from a vector part and w.
trait FromParts {
    fn from_xyzw_of(xyz: Vec3, w: f32) -> Self;
}

impl FromParts for Quat {
    #[inline(always)]
    fn from_xyzw_of(xyz: Vec3, w: f32) -> Self {
        Self::from_xyzw(xyz.x, xyz.y, xyz.z, w)
    }
}

/// `mirror⁻¹ · turn · mirror` for a scale whose factors are all ± one number: again a rotation.
#[inline(always)]
pub(super) fn mirrored(turn: Quat, scale: Vec3) -> Quat {
    Quat::from_xyzw_of(mirrored_axis(turn.xyz(), scale), turn.w)
}

/// The image of a rotation axis when space is mirrored by the signs of `scale`.
#[inline(always)]
pub(super) fn mirrored_axis(axis: Vec3, scale: Vec3) -> Vec3 {
    // The usual case; the signs cost a dozen instructions.
    if scale.min_element() > 0.0 {
        return axis;
    }
    let signs = scale.signum();
    axis * signs * (signs.x * signs.y * signs.z)
}

/// Transforms a point from parent space to joint space. Along an axis with zero scale the result is zero.
pub(super) fn into_joint(parent_from_joint: &Transform, point: Vec3) -> Vec3 {
    let turned = parent_from_joint.rotation.conjugate() * (point - parent_from_joint.translation);
    let part = |value: f32, scale: f32| if scale == 0.0 { 0.0 } else { value / scale };
    let scale = parent_from_joint.scale;
    Vec3::new(part(turned.x, scale.x), part(turned.y, scale.y), part(turned.z, scale.z))
}

/// `unit` projected perpendicular to the unit vector `axis` and normalized; any perpendicular vector if they are parallel.
#[inline(always)]
pub(super) fn perpendicular_to(axis: Vec3, unit: Vec3) -> Vec3 {
    let flat = unit - axis * axis.dot(unit);
    if flat.length_squared() > 1e-8 { flat.normalize() } else { axis.any_orthonormal_vector() }
}

/// The transform from model space to the parent space of a chain.
pub(super) struct ParentFromModel {
    inverse: Mat3A,
    origin: Vec3A,
}

impl ParentFromModel {
    /// Transforms a point from model space.
    #[inline(always)]
    pub(super) fn point(&self, point: Vec3) -> Vec3 {
        // Subtract first: far from the origin of the model the product would lose precision.
        (self.inverse * (Vec3A::from(point) - self.origin)).into()
    }

    /// Transforms a direction from model space.
    pub(super) fn vector(&self, vector: Vec3) -> Vec3 {
        (self.inverse * Vec3A::from(vector)).into()
    }
}

/// The inverse of `model_from_parent`, or `None` if it is singular.
#[inline(always)]
pub(super) fn parent_from_model(model_from_parent: &Affine3A) -> Option<ParentFromModel> {
    let linear = model_from_parent.matrix3;
    let (x, y, z) = (linear.x_axis, linear.y_axis, linear.z_axis);
    let yz = y.cross(z);
    let determinant = x.dot(yz);
    // Single precision can represent the reciprocal of such numbers; others need double precision.
    let is_plain = (1e-20..1e20).contains(&determinant.abs());
    let inverse = if is_plain {
        Mat3A::from_cols(yz, z.cross(x), x.cross(y)).transpose() * determinant.recip()
    } else {
        inverse_affine(model_from_parent)?.matrix3
    };
    Some(ParentFromModel { inverse, origin: model_from_parent.translation })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::PI;

    #[test]
    fn arcs_are_exact_for_tiny_turns_and_almost_opposite_vectors() {
        let from = Vec3::new(0.36, 0.48, 0.8);
        let side = from.any_orthonormal_vector();
        for angle in [0.0, 1e-5, 4e-4, 0.5, 3.0, PI - 0.03, PI - 2e-3, PI - 1e-4, PI - 1e-6, PI] {
            let to = (from * angle.cos() + side * angle.sin()).normalize();
            let turn = arc(from, to);
            assert!((turn * from).distance(to) < 1e-6, "{angle}: {}", (turn * from).distance(to));
            assert!(turn.is_normalized());
        }
        assert!((arc(from, -from) * from + from).length() < 1e-6);
    }

    #[test]
    fn a_turn_about_an_axis_goes_all_the_way_round() {
        let (axis, from) = (Vec3::Z, Vec3::X);
        for angle in [0.0, 1e-4, 1.0, -2.0, PI - 1e-4, 1e-4 - PI, PI] {
            let to = Vec3::new(angle.cos(), angle.sin(), 0.0);
            assert!((turn_about(axis, from, to) * from).distance(to) < 2e-4, "{angle}");
        }
    }

    #[test]
    fn a_mirrored_turn_is_the_turn_seen_in_the_mirror() {
        let turn = Quat::from_euler(glam::EulerRot::XYZ, 0.4, -1.1, 2.0);
        for scale in [Vec3::new(-2.0, 2.0, 2.0), Vec3::new(3.0, -3.0, -3.0), Vec3::splat(-1.0)] {
            let v = Vec3::new(0.2, -0.7, 1.3);
            let want = (turn * (v * scale)) / scale;
            assert!((mirrored(turn, scale) * v).distance(want) < 1e-6);
        }
    }
}
