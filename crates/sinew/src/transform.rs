//! Translation, rotation and scale between two spaces.

use glam::{Affine3A, DMat3, DVec3, Mat3, Mat3A, Mat4, Quat, Vec3};
use std::ops::Mul;

/// Translation, rotation and scale, applied to a point in the order scale, rotate, translate.
///
/// A transform that takes points of space `b` to space `a` is named `a_from_b` throughout Sinew. Transforms compose with
/// `*`: `a_from_b * b_from_c` is `a_from_c`.
#[doc(alias = "TRS")]
#[doc(alias = "SRT")]
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transform {
    /// Position of the inner origin in the outer space, in meters.
    pub translation: Vec3,
    /// A unit quaternion, xyzw.
    pub rotation: Quat,
    /// Scale factors along the inner axes, applied before the rotation; may be negative or zero.
    pub scale: Vec3,
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// The transform that moves no point.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// A translation in meters, without rotation or scale.
    pub const fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// A rotation about the origin.
    pub const fn from_rotation(rotation: Quat) -> Self {
        Self { rotation, ..Self::IDENTITY }
    }

    /// A rotation about the origin, followed by a translation.
    pub const fn from_rotation_translation(rotation: Quat, translation: Vec3) -> Self {
        Self { translation, rotation, scale: Vec3::ONE }
    }

    /// The transform as a 3×4 matrix.
    #[must_use]
    pub fn to_affine(&self) -> Affine3A {
        let rotation = Mat3A::from_quat(self.rotation);
        Affine3A {
            matrix3: Mat3A::from_cols(
                rotation.x_axis * self.scale.x,
                rotation.y_axis * self.scale.y,
                rotation.z_axis * self.scale.z,
            ),
            translation: self.translation.into(),
        }
    }

    /// The transform nearest to `affine`, and the error of its linear part.
    ///
    /// The error is the largest difference of an entry, relative to the largest entry: about 1e-7 for a product of
    /// translation, rotation and scale, and larger for a matrix with shear, which a `Transform` cannot represent. A
    /// mirrored matrix gets a negative x scale.
    #[must_use]
    pub fn from_affine(affine: &Affine3A) -> (Self, f32) {
        let linear = Mat3::from(affine.matrix3).as_dmat3();
        let (rotation, scale) = rotation_and_scale(linear);
        let transform = Self { translation: affine.translation.into(), rotation, scale: scale.as_vec3() };
        let again = Mat3::from(transform.to_affine().matrix3).as_dmat3();
        let largest = linear.to_cols_array().iter().fold(0.0_f64, |m, e| m.max(e.abs()));
        let off = (again - linear).to_cols_array().iter().fold(0.0_f64, |m, e| m.max(e.abs()));
        (transform, if largest > 0.0 { (off / largest) as f32 } else { 0.0 })
    }

    /// `b_from_a` for `self` as `a_from_b`.
    ///
    /// The result is exact. `None` if a scale factor is zero or not finite, or if the factors differ in size and the
    /// transform rotates: the inverse of a rotated non-uniform scale has shear, which a `Transform` cannot represent.
    /// [`inverse_affine`] inverts the matrix of any transform with non-zero scale.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        let (scale, signs) = (self.scale.recip(), self.scale.signum());
        let size = self.scale.abs();
        let is_uniform = size.max_element() - size.min_element() <= 1e-6 * size.max_element();
        let is_unrotated = self.rotation.xyz() == Vec3::ZERO;
        if !(scale.is_finite() && self.is_finite() && (is_uniform || is_unrotated)) {
            return None;
        }
        // Mirroring conjugates the rotation: D R⁻¹ D is a rotation again if D is a diagonal of ±1.
        let mirror = signs * signs.element_product();
        let xyz = -self.rotation.xyz() * mirror;
        let rotation = Quat::from_xyzw(xyz.x, xyz.y, xyz.z, self.rotation.w);
        Some(Self { translation: -(rotation * (scale * self.translation)), rotation, scale })
    }

    /// Takes a point of the inner space to the outer space.
    #[must_use]
    pub fn transform_point(&self, point: Vec3) -> Vec3 {
        self.rotation * (self.scale * point) + self.translation
    }

    /// True if every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }
}

/// `a_from_c` from `a_from_b` and `b_from_c`.
///
/// Exact if the left side has uniform scale; otherwise the shear of the product is dropped, as in every hierarchy of
/// translations, rotations and scales. Multiply the matrices of [`Transform::to_affine`] to keep it.
impl Mul for Transform {
    type Output = Self;

    fn mul(self, b_from_c: Self) -> Self {
        Self {
            translation: self.transform_point(b_from_c.translation),
            rotation: self.rotation * b_from_c.rotation,
            scale: self.scale * b_from_c.scale,
        }
    }
}

impl From<Transform> for Affine3A {
    fn from(transform: Transform) -> Self {
        transform.to_affine()
    }
}

impl From<Transform> for Mat4 {
    fn from(transform: Transform) -> Self {
        transform.to_affine().into()
    }
}

/// The nearest transform; shear is dropped. [`Transform::from_affine`] also measures the error.
impl From<Affine3A> for Transform {
    fn from(affine: Affine3A) -> Self {
        Self::from_affine(&affine).0
    }
}

/// The nearest transform; shear is dropped, and the last row is taken to be 0, 0, 0, 1.
impl From<Mat4> for Transform {
    fn from(matrix: Mat4) -> Self {
        Affine3A::from_mat4(matrix).into()
    }
}

/// Splits a linear map into a rotation and column scales. Columns of length zero get any perpendicular axis.
fn rotation_and_scale(linear: DMat3) -> (Quat, DVec3) {
    let mut scale = DVec3::new(linear.x_axis.length(), linear.y_axis.length(), linear.z_axis.length());
    if linear.determinant() < 0.0 {
        scale.x = -scale.x;
    }
    let axis = |column: DVec3, length: f64| {
        let unit = column / length;
        (unit.is_finite() && unit.length_squared() > 0.25).then_some(unit)
    };
    let axes = [axis(linear.x_axis, scale.x), axis(linear.y_axis, scale.y), axis(linear.z_axis, scale.z)];
    (rotation_from_axes(axes), scale)
}

/// The rotation whose columns are nearest to `axes`, completing the ones that are missing.
fn rotation_from_axes(axes: [Option<DVec3>; 3]) -> Quat {
    let (x, y, z) = match axes {
        [Some(x), Some(y), z] => (x, y, z.unwrap_or_else(|| x.cross(y))),
        [Some(x), None, Some(z)] => (x, z.cross(x), z),
        [None, Some(y), Some(z)] => (y.cross(z), y, z),
        [Some(x), None, None] => (x, x.any_orthonormal_vector(), x.cross(x.any_orthonormal_vector())),
        [None, Some(y), None] => (y.any_orthonormal_vector(), y, y.any_orthonormal_vector().cross(y)),
        [None, None, Some(z)] => (z.any_orthonormal_vector(), z.cross(z.any_orthonormal_vector()), z),
        [None, None, None] => (DVec3::X, DVec3::Y, DVec3::Z),
    };
    // Gram-Schmidt, so that a sheared matrix still gives a rotation.
    let x = x.normalize_or(DVec3::X);
    let y = (y - x * x.dot(y)).normalize_or(x.any_orthonormal_vector());
    let z = if x.cross(y).dot(z) < 0.0 { -x.cross(y) } else { x.cross(y) };
    let z = if DMat3::from_cols(x, y, z).determinant() < 0.0 { -z } else { z };
    let rotation = glam::DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize().as_quat();
    if rotation.is_finite() { rotation } else { Quat::IDENTITY }
}

/// The inverse of a 3×4 matrix, computed in double precision, or `None` for a singular matrix.
///
/// Bind matrices are inverted once and used in every frame, and files scale them by 0.01 to 100: single precision
/// would lose digits that no later step can recover.
#[must_use]
pub fn inverse_affine(affine: &Affine3A) -> Option<Affine3A> {
    let linear = Mat3::from(affine.matrix3).as_dmat3();
    let inverse = linear.inverse();
    if !inverse.is_finite() || linear.determinant() == 0.0 {
        return None;
    }
    let translation = -(inverse * Vec3::from(affine.translation).as_dvec3());
    let out = Affine3A { matrix3: inverse.as_mat3().into(), translation: translation.as_vec3().into() };
    out.is_finite().then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_PI_2;

    #[test]
    fn scale_comes_before_rotation_and_translation_last() {
        let t = Transform {
            translation: Vec3::new(10.0, 0.0, 0.0),
            rotation: Quat::from_rotation_z(FRAC_PI_2),
            scale: Vec3::new(2.0, 1.0, 1.0),
        };
        assert!((t.transform_point(Vec3::X) - Vec3::new(10.0, 2.0, 0.0)).length() < 1e-6);
        assert!((t.to_affine().transform_point3(Vec3::X) - t.transform_point(Vec3::X)).length() < 1e-6);
    }

    #[test]
    fn decomposition_returns_what_was_composed() {
        let t = Transform {
            translation: Vec3::new(1.0, -2.0, 3.0),
            rotation: Quat::from_euler(glam::EulerRot::XYZ, 0.3, 1.2, -2.1),
            scale: Vec3::new(-0.01, 2.0, 77.0),
        };
        let (back, residual) = Transform::from_affine(&t.to_affine());
        assert!(residual < 1e-6, "residual {residual}");
        assert!((back.scale - t.scale).abs().max_element() < 1e-4);
        assert!(back.rotation.dot(t.rotation).abs() > 1.0 - 1e-6);
    }

    #[test]
    fn a_flattened_matrix_decomposes_to_a_unit_rotation_and_a_zero_scale() {
        for axes in 0..8 {
            let keep = |bit: u32| if axes & (1 << bit) == 0 { 0.0 } else { 2.0 };
            let t = Transform {
                scale: Vec3::new(keep(0), keep(1), keep(2)),
                rotation: Quat::from_rotation_y(0.7),
                ..Transform::IDENTITY
            };
            let (back, residual) = Transform::from_affine(&t.to_affine());
            assert!((back.rotation.length() - 1.0).abs() < 1e-6, "{back:?}");
            assert!(residual < 1e-6, "axes {axes}: residual {residual}");
        }
    }

    #[test]
    fn transforms_compose_and_convert_like_their_matrices() {
        let a = Transform {
            translation: Vec3::new(1.0, 2.0, 3.0),
            rotation: Quat::from_rotation_y(0.4),
            scale: Vec3::splat(2.0),
        };
        let b = Transform {
            scale: Vec3::new(1.0, -2.0, 3.0),
            ..Transform::from_rotation(Quat::from_rotation_x(1.0))
        };
        assert!(Affine3A::from(a * b).abs_diff_eq(a.to_affine() * b.to_affine(), 1e-5));
        assert!(Mat4::from(b).abs_diff_eq(b.to_affine().into(), 0.0));
        assert!(Transform::from(Mat4::from(a)).to_affine().abs_diff_eq(a.to_affine(), 1e-5));
    }

    #[test]
    fn an_inverse_is_exact_or_refused() {
        let uniform = Transform {
            translation: Vec3::new(1.0, -2.0, 3.0),
            rotation: Quat::from_euler(glam::EulerRot::XYZ, 0.3, 1.2, -2.1),
            scale: Vec3::new(2.0, -2.0, 2.0),
        };
        let stretched =
            Transform { scale: Vec3::new(0.5, 3.0, -1.0), ..Transform::from_translation(Vec3::X) };
        for transform in [uniform, stretched, Transform::IDENTITY] {
            let inverse = transform.inverse().unwrap();
            let product = inverse.to_affine() * transform.to_affine();
            assert!(product.abs_diff_eq(Affine3A::IDENTITY, 1e-5), "{transform:?}: {product:?}");
        }
        let sheared = Transform { rotation: Quat::from_rotation_z(0.5), ..stretched };
        let flat = Transform { scale: Vec3::new(1.0, 0.0, 1.0), ..Transform::IDENTITY };
        assert_eq!((sheared.inverse(), flat.inverse()), (None, None));
    }

    #[test]
    fn shear_is_reported_as_a_residual() {
        let sheared = Affine3A::from_mat3(Mat3::from_cols(Vec3::X, Vec3::new(0.5, 1.0, 0.0), Vec3::Z));
        assert!(Transform::from_affine(&sheared).1 > 0.1);
    }

    #[test]
    fn a_singular_matrix_has_no_inverse() {
        assert_eq!(inverse_affine(&Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0))), None);
        let m = Affine3A::from_scale_rotation_translation(
            Vec3::splat(0.01),
            Quat::from_rotation_x(1.0),
            Vec3::ONE,
        );
        let id = inverse_affine(&m).unwrap() * m;
        // The inverse moves by 100 m, so single precision keeps 1e-5 of a meter.
        assert!(id.abs_diff_eq(Affine3A::IDENTITY, 3e-5), "{id:?}");
    }
}
