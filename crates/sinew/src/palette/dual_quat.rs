//! Palettes of rotations and displacements instead of matrices.

use super::{Palette, polar::polar};
use crate::{asset::skin::Skin, transform::inverse_affine};
use glam::{Affine3A, DMat3, Mat3, Mat3A, Quat, Vec3, Vec3A};

/// A rigid motion as a unit dual quaternion: `real + ε dual`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualQuat {
    /// The rotation.
    pub real: Quat,
    /// Half the translation times the rotation, the translation as a quaternion without real part.
    pub dual: Quat,
}

impl Default for DualQuat {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl DualQuat {
    /// Leaves every point where it is.
    pub const IDENTITY: Self = Self { real: Quat::IDENTITY, dual: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0) };

    /// Rotates, then moves. The rotation must be of unit length.
    pub fn from_rotation_translation(rotation: Quat, translation: Vec3) -> Self {
        let (r, t) = (Vec3::new(rotation.x, rotation.y, rotation.z), translation * 0.5);
        let vector = t * rotation.w + t.cross(r);
        let dual = Quat::from_xyzw(vector.x, vector.y, vector.z, -t.dot(r));
        Self { real: rotation, dual }
    }

    /// Where the origin goes.
    pub fn translation(&self) -> Vec3 {
        let (r, d) = (self.real, self.dual);
        let (rv, dv) = (Vec3::new(r.x, r.y, r.z), Vec3::new(d.x, d.y, d.z));
        (dv * r.w - rv * d.w + rv.cross(dv)) * 2.0
    }

    /// Where `point` goes.
    pub fn transform_point(&self, point: Vec3) -> Vec3 {
        self.real * point + self.translation()
    }

    /// Where the direction `vector` goes.
    pub fn transform_vector(&self, vector: Vec3) -> Vec3 {
        self.real * vector
    }
}

/// Every skinning matrix of a [`Palette`] as a stretch about the joint, followed by a rigid motion.
///
/// `K = rigid · stretch` for each slot, both from mesh space at bind time. The stretch keeps the place where the joint
/// was bound; where there is no scale and no shear it is the identity, and a rig without any says so
/// ([`DualQuatPalette::has_stretch`]). A matrix that mirrors has its mirroring in the stretch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DualQuatPalette {
    rigid: Vec<DualQuat>,
    stretch: Vec<Affine3A>,
    pivots: Vec<Vec3>,
    depths: Vec<u16>,
    has_stretch: bool,
}

/// How far `LᵀL` of a rigid matrix may be from the identity in any entry: what a long chain of rotations in single
/// precision drifts by, and far below what can be seen (5e-6 of the distance from the joint).
const RIGID_TOLERANCE: f32 = 1e-5;

impl DualQuatPalette {
    /// A palette with room for every joint of `skin`, all identity.
    ///
    /// Bind positions are read here once; [`DualQuatPalette::update`] must be given the same skin.
    pub fn new(skin: &Skin) -> Self {
        let pivots = skin.joint_from_mesh().iter().map(bind_position).collect();
        Self::with_pivots(pivots, skin.joints().iter().map(|j| j.0).collect())
    }

    /// A palette of given matrices, for callers with a hierarchy of their own.
    ///
    /// `pivots` are the joints' bind positions in mesh space; slots that it does not reach have the origin. Parents
    /// must stand before their children.
    pub fn from_matrices(matrices: &[Affine3A], pivots: &[Vec3]) -> Self {
        let pivots = (0..matrices.len()).map(|slot| pivots.get(slot).copied().unwrap_or(Vec3::ZERO)).collect();
        let depths = (0..matrices.len()).map(|slot| u16::try_from(slot).unwrap_or(u16::MAX)).collect();
        let mut out = Self::with_pivots(pivots, depths);
        out.split_all(matrices);
        out
    }

    fn with_pivots(pivots: Vec<Vec3>, depths: Vec<u16>) -> Self {
        let slots = pivots.len();
        let (rigid, stretch) = (vec![DualQuat::IDENTITY; slots], vec![Affine3A::IDENTITY; slots]);
        Self { rigid, stretch, pivots, depths, has_stretch: false }
    }

    /// Makes this the dual-quaternion form of `palette`; no allocation.
    ///
    /// # Panics
    /// Where `self` or `palette` was made for a skin with another number of joints.
    pub fn update(&mut self, skin: &Skin, palette: &Palette) {
        assert_eq!(self.rigid.len(), skin.joints().len(), "the dual-quaternion palette is not of this skin");
        assert_eq!(palette.matrices().len(), skin.joints().len(), "the palette is not of this skin");
        self.split_all(palette.matrices());
    }

    fn split_all(&mut self, matrices: &[Affine3A]) {
        self.has_stretch = false;
        let out = self.rigid.iter_mut().zip(&mut self.stretch).zip(&self.pivots);
        for (((rigid, stretch), &pivot), matrix) in out.zip(matrices) {
            let split = split(matrix, pivot);
            *rigid = split.0;
            *stretch = split.1.unwrap_or(Affine3A::IDENTITY);
            self.has_stretch |= split.1.is_some();
        }
    }

    /// The rigid motions, by skin slot.
    pub fn rigid(&self) -> &[DualQuat] {
        &self.rigid
    }

    /// The stretches that come before the rigid motions, by skin slot.
    pub fn stretch(&self) -> &[Affine3A] {
        &self.stretch
    }

    /// False where every stretch is the identity.
    pub fn has_stretch(&self) -> bool {
        self.has_stretch
    }

    /// Where each slot's joint was bound, in mesh space.
    pub fn pivots(&self) -> &[Vec3] {
        &self.pivots
    }

    /// A number for each slot that is smaller for a joint than for any joint below it.
    pub fn depths(&self) -> &[u16] {
        &self.depths
    }
}

/// The place that a joint's inverse bind takes to the joint's origin; the mesh's origin where there is none.
pub(crate) fn bind_position(joint_from_mesh: &Affine3A) -> Vec3 {
    inverse_affine(joint_from_mesh).map_or(Vec3::ZERO, |mesh_from_joint| mesh_from_joint.translation.into())
}

/// The rigid motion and the stretch about `pivot` that make up `matrix`; no stretch where it is rigid.
fn split(matrix: &Affine3A, pivot: Vec3) -> (DualQuat, Option<Affine3A>) {
    if is_rigid(&matrix.matrix3) {
        let rotation = Quat::from_mat3a(&matrix.matrix3).normalize();
        return (DualQuat::from_rotation_translation(rotation, matrix.translation.into()), None);
    }
    let linear: DMat3 = Mat3::from(matrix.matrix3).as_dmat3();
    let (rotation, stretch) = polar(linear);
    let pivot64 = pivot.as_dvec3();
    // The pivot stays under the stretch, so the rigid motion alone must take it where the matrix does.
    let moved = linear * pivot64 + Vec3::from(matrix.translation).as_dvec3();
    let translation = moved - rotation * pivot64;
    let rigid = DualQuat::from_rotation_translation(rotation.as_quat().normalize(), translation.as_vec3());
    let kept = pivot64 - stretch * pivot64;
    let about_pivot = Affine3A { matrix3: stretch.as_mat3().into(), translation: kept.as_vec3().into() };
    (rigid, Some(about_pivot))
}

/// True for a rotation, up to what rounding leaves of one.
fn is_rigid(linear: &Mat3A) -> bool {
    let (x, y, z) = (linear.x_axis, linear.y_axis, linear.z_axis);
    let lengths = Vec3A::new(x.dot(x), y.dot(y), z.dot(z)) - Vec3A::ONE;
    let angles = Vec3A::new(x.dot(y), y.dot(z), z.dot(x));
    let off = lengths.abs().max(angles.abs()).max_element();
    off < RIGID_TOLERANCE && x.dot(y.cross(z)) > 0.0
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
        for scale in [Vec3::ONE, Vec3::new(0.5, 2.0, 1.1), Vec3::new(-1.0, 1.0, 1.0), Vec3::new(1.0, 0.0, 2.0)] {
            let matrix = Transform { translation: Vec3::new(1.0, 2.0, 3.0), rotation: turn(), scale }.to_affine();
            let palette = DualQuatPalette::from_matrices(&[matrix], &[pivot]);
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
    fn a_long_chain_of_rotations_is_still_seen_as_rigid() {
        let mut matrix = Affine3A::IDENTITY;
        for step in 0..200_u8 {
            let turn = Quat::from_rotation_y(0.37 + f32::from(step)) * Quat::from_rotation_z(1.3);
            matrix *= Affine3A::from_rotation_translation(turn, Vec3::new(0.1, 0.0, 0.02));
        }
        assert!(!DualQuatPalette::from_matrices(&[matrix], &[]).has_stretch());
    }
}
