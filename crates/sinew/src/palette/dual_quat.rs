//! Palettes of unit dual quaternions instead of matrices.

use super::{Palette, polar::polar};
use crate::{asset::skin::Skin, transform::inverse_affine};
use glam::{Affine3A, DMat3, Mat3, Mat3A, Quat, Vec3, Vec3A};

/// A rigid motion as a unit dual quaternion: `real + ε dual`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualQuat {
    /// The rotation, of unit length.
    pub real: Quat,
    /// Half the product of the translation, as a quaternion without real part, and the rotation.
    pub dual: Quat,
}

impl Default for DualQuat {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl DualQuat {
    /// The identity: no rotation and no translation.
    pub const IDENTITY: Self = Self { real: Quat::IDENTITY, dual: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0) };

    /// The motion that rotates, then translates. The rotation must be of unit length; the translation is in meters.
    pub fn from_rotation_translation(rotation: Quat, translation: Vec3) -> Self {
        let (r, t) = (Vec3::new(rotation.x, rotation.y, rotation.z), translation * 0.5);
        let vector = t * rotation.w + t.cross(r);
        let dual = Quat::from_xyzw(vector.x, vector.y, vector.z, -t.dot(r));
        Self { real: rotation, dual }
    }

    /// The translation: the image of the origin.
    pub fn translation(&self) -> Vec3 {
        let (r, d) = (self.real, self.dual);
        let (rv, dv) = (Vec3::new(r.x, r.y, r.z), Vec3::new(d.x, d.y, d.z));
        (dv * r.w - rv * d.w + rv.cross(dv)) * 2.0
    }

    /// Rotates and translates a point, in meters.
    pub fn transform_point(&self, point: Vec3) -> Vec3 {
        self.real * point + self.translation()
    }

    /// Rotates a direction, keeping its length.
    pub fn transform_vector(&self, vector: Vec3) -> Vec3 {
        self.real * vector
    }
}

/// Every skinning matrix of a [`Palette`] as a stretch about the joint, followed by a rigid motion.
///
/// `K = rigid · stretch` for each slot. The stretch is the scale common to all joints, about the mesh's origin, followed by
/// the joint's remaining scale and shear, about its bind position. Scaling the root of a character, or storing its vertices
/// in other units, therefore scales the result and changes nothing else. Without scale and shear the stretch is the
/// identity; [`DualQuatPalette::has_stretch`] tells whether any joint stretches. The mirroring of a matrix is part of the
/// stretch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DualQuatPalette {
    rigid: Vec<DualQuat>,
    stretch: Vec<Affine3A>,
    pivots: Vec<Vec3>,
    depths: Vec<u16>,
    /// Scratch memory for the median scale.
    scales: Vec<f32>,
    has_stretch: bool,
}

/// The tolerance of each element of `LᵀL` of a rigid matrix: the drift of a long chain of rotations in single precision, and
/// far below what is visible (5e-6 of the distance from the joint).
const RIGID_TOLERANCE: f32 = 1e-5;

impl DualQuatPalette {
    /// A palette for every joint of `skin`, all identity.
    ///
    /// Bind positions are read here once; [`DualQuatPalette::update`] must be given the same skin.
    pub fn new(skin: &Skin) -> Self {
        let pivots = skin.joint_from_mesh().iter().map(bind_position).collect();
        Self::with_pivots(pivots, skin.joints().iter().map(|j| j.0).collect())
    }

    /// A palette of given matrices, for callers with their own hierarchy.
    ///
    /// `pivots` are the joints' bind positions in mesh space; missing ones are the origin. Parents must
    /// come before their children.
    pub fn from_matrices(matrices: &[Affine3A], pivots: &[Vec3]) -> Self {
        let pivots =
            (0..matrices.len()).map(|slot| pivots.get(slot).copied().unwrap_or(Vec3::ZERO)).collect();
        let depths = (0..matrices.len()).map(|slot| u16::try_from(slot).unwrap_or(u16::MAX)).collect();
        let mut out = Self::with_pivots(pivots, depths);
        out.split_all(matrices);
        out
    }

    fn with_pivots(pivots: Vec<Vec3>, depths: Vec<u16>) -> Self {
        let slots = pivots.len();
        let (rigid, stretch) = (vec![DualQuat::IDENTITY; slots], vec![Affine3A::IDENTITY; slots]);
        Self { rigid, stretch, pivots, depths, scales: Vec::with_capacity(slots), has_stretch: false }
    }

    /// Updates this palette to the dual-quaternion form of `palette`. Does not allocate.
    ///
    /// # Panics
    /// If `self` or `palette` was made for a skin with another number of joints.
    pub fn update(&mut self, skin: &Skin, palette: &Palette) {
        assert_eq!(self.rigid.len(), skin.joints().len(), "the dual-quaternion palette is not of this skin");
        assert_eq!(palette.matrices().len(), skin.joints().len(), "the palette is not of this skin");
        self.split_all(palette.matrices());
    }

    fn split_all(&mut self, matrices: &[Affine3A]) {
        self.has_stretch = matrices.iter().any(|m| !is_rigid(&m.matrix3, 1.0));
        let common = if self.has_stretch { common_scale(matrices, &mut self.scales) } else { 1.0 };
        let out = self.rigid.iter_mut().zip(&mut self.stretch).zip(&self.pivots);
        for (((rigid, stretch), &pivot), matrix) in out.zip(matrices) {
            (*rigid, *stretch) = split(matrix, pivot, common);
        }
    }

    /// The rigid motions, by skin slot.
    pub fn rigid(&self) -> &[DualQuat] {
        &self.rigid
    }

    /// The stretches that are applied before the rigid motions, by skin slot.
    pub fn stretch(&self) -> &[Affine3A] {
        &self.stretch
    }

    /// False where every stretch is the identity.
    pub fn has_stretch(&self) -> bool {
        self.has_stretch
    }

    /// The bind position of each slot's joint, in mesh space.
    pub fn pivots(&self) -> &[Vec3] {
        &self.pivots
    }

    /// A number for each slot that is smaller for a joint than for any joint below it.
    pub fn depths(&self) -> &[u16] {
        &self.depths
    }
}

/// The point in mesh space that the inverse bind matrix maps to the joint's origin; the mesh's origin if there is none.
pub(crate) fn bind_position(joint_from_mesh: &Affine3A) -> Vec3 {
    inverse_affine(joint_from_mesh).map_or(Vec3::ZERO, |mesh_from_joint| mesh_from_joint.translation.into())
}

/// The scale common to all joints: the median of the cube roots of their determinants, negative if they mirror.
///
/// Up to half of the joints may be scaled individually without changing it, and it changes continuously. Because of the
/// sign, a character that is mirrored as a whole has rigid motions only, and is the mirror image of the unmirrored one.
fn common_scale(matrices: &[Affine3A], scales: &mut Vec<f32>) -> f32 {
    scales.clear();
    scales.extend(matrices.iter().map(|m| m.matrix3.determinant().cbrt()));
    let middle = scales.len() / 2;
    if middle >= scales.len() {
        return 1.0;
    }
    let (_, &mut median, _) = scales.select_nth_unstable_by(middle, f32::total_cmp);
    // A value this close to one is rounding, and one keeps rigid joints exactly rigid.
    let is_one = (median * median - 1.0).abs() < RIGID_TOLERANCE;
    match median.is_normal() {
        true if is_one => median.signum(),
        true => median,
        false => 1.0,
    }
}

/// The rigid motion and the stretch that make up `matrix`: `common` about the origin, the rest about `pivot`.
fn split(matrix: &Affine3A, pivot: Vec3, common: f32) -> (DualQuat, Affine3A) {
    if is_rigid(&matrix.matrix3, common) {
        let rotation = Quat::from_mat3a(&(matrix.matrix3 * common.recip())).normalize();
        let rigid = DualQuat::from_rotation_translation(rotation, matrix.translation.into());
        return (rigid, Affine3A::from_scale(Vec3::splat(common)));
    }
    let linear: DMat3 = Mat3::from(matrix.matrix3).as_dmat3();
    let (rotation, stretch) = polar(linear);
    let (from, to) = (pivot.as_dvec3(), pivot.as_dvec3() * f64::from(common));
    // The stretch moves the pivot as the common scale does; the rigid motion is applied after it.
    let moved = linear * from + Vec3::from(matrix.translation).as_dvec3();
    let translation = (moved - rotation * to).as_vec3();
    let rigid = DualQuat::from_rotation_translation(rotation.as_quat().normalize(), translation);
    let kept = (to - stretch * from).as_vec3();
    (rigid, Affine3A { matrix3: stretch.as_mat3().into(), translation: kept.into() })
}

/// True for a rotation times `scale`, within rounding; a negative scale mirrors.
fn is_rigid(linear: &Mat3A, scale: f32) -> bool {
    let (x, y, z) = (linear.x_axis, linear.y_axis, linear.z_axis);
    let square = scale * scale;
    let lengths = Vec3A::new(x.dot(x), y.dot(y), z.dot(z)) - Vec3A::splat(square);
    let angles = Vec3A::new(x.dot(y), y.dot(z), z.dot(x));
    let off = lengths.abs().max(angles.abs()).max_element();
    off < RIGID_TOLERANCE * square && x.dot(y.cross(z)) * scale > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transform;

    fn turn() -> Quat {
        Quat::from_axis_angle(Vec3::new(2.0, -1.0, 2.0) / 3.0, 2.6)
    }

    #[test]
    fn a_dual_quaternion_moves_points_as_its_rotation_and_translation() {
        let (rotation, translation) = (turn(), Vec3::new(3.0, -2.0, 0.5));
        let dq = DualQuat::from_rotation_translation(rotation, translation);
        assert!(dq.translation().distance(translation) < 1e-6);
        let point = Vec3::new(0.3, 0.7, -1.2);
        assert!(dq.transform_point(point).distance(rotation * point + translation) < 2e-6);
        assert_eq!(DualQuat::IDENTITY.transform_point(point), point);
    }

    #[test]
    fn rigid_and_stretch_make_the_matrix_again_and_the_pivot_stays() {
        let pivot = Vec3::new(0.2, 1.4, -0.3);
        for scale in
            [Vec3::ONE, Vec3::new(0.5, 2.0, 1.1), Vec3::new(-1.0, 1.0, 1.0), Vec3::new(1.0, 0.0, 2.0)]
        {
            let matrix =
                Transform { translation: Vec3::new(1.0, 2.0, 3.0), rotation: turn(), scale }.to_affine();
            let palette =
                DualQuatPalette::from_matrices(&[matrix, Affine3A::IDENTITY, Affine3A::IDENTITY], &[pivot]);
            let (rigid, stretch) = (palette.rigid()[0], palette.stretch()[0]);
            assert!(stretch.transform_point3(pivot).distance(pivot) < 1e-6, "{scale}");
            for point in [Vec3::ZERO, pivot, Vec3::new(-1.0, 0.5, 2.0)] {
                let got = rigid.transform_point(stretch.transform_point3(point));
                let want = matrix.transform_point3(point);
                assert!(got.distance(want) < 3e-6, "{scale}: {got} instead of {want}");
            }
            assert_eq!(palette.has_stretch(), scale != Vec3::ONE);
        }
    }

    #[test]
    fn a_scale_that_all_joints_have_is_about_the_origin_and_leaves_rigid_motions() {
        let place = |angle: f32| Affine3A::from_rotation_translation(Quat::from_rotation_x(angle), Vec3::Y);
        let scaled = [0.3, 1.4, -2.0].map(|angle| place(angle) * Affine3A::from_scale(Vec3::splat(77.4)));
        let palette = DualQuatPalette::from_matrices(&scaled, &[Vec3::ONE, Vec3::X, Vec3::Z]);
        for (stretch, rigid) in palette.stretch().iter().zip(palette.rigid()) {
            assert!(stretch.abs_diff_eq(Affine3A::from_scale(Vec3::splat(77.4)), 1e-4), "{stretch:?}");
            assert!(rigid.translation().distance(Vec3::Y) < 1e-6);
        }
        // One joint more that stretches on its own does so about its bind position.
        let wide = place(0.9) * Affine3A::from_scale(Vec3::new(2.0 * 77.4, 77.4, 77.4));
        let all = [scaled[0], scaled[1], wide];
        let palette = DualQuatPalette::from_matrices(&all, &[Vec3::ONE, Vec3::X, Vec3::Z]);
        let kept = palette.stretch()[2].transform_point3(Vec3::Z);
        assert!(kept.distance(Vec3::Z * 77.4) < 1e-4, "{kept}");
    }

    #[test]
    fn a_long_chain_of_rotations_is_still_seen_as_rigid() {
        let mut matrix = Affine3A::IDENTITY;
        for step in 0..200_u8 {
            let turn = Quat::from_rotation_y(0.37 + f32::from(step)) * Quat::from_rotation_z(1.3);
            matrix *= Affine3A::from_rotation_translation(turn, Vec3::new(0.1, 0.0, 0.02));
        }
        assert!(!DualQuatPalette::from_matrices(&[matrix], &[]).has_stretch());
    }
}
