//! Palettes of unit dual quaternions instead of matrices.

mod rigid;

use super::{Palette, polar::polar};
use crate::{
    asset::skin::Skin,
    pose::hierarchy::PaddedMatrix,
    simd::{self, Level},
    transform::inverse_affine,
};
use glam::{Affine3A, DMat3, Mat3, Mat3A, Quat, Vec3};
use rigid::RIGID_TOLERANCE;

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

    /// The same motion with the other sign.
    fn negate(&mut self) {
        (self.real, self.dual) = (-self.real, -self.dual);
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
    /// True for each joint that does not stretch beyond the common scale.
    is_rigid: Vec<bool>,
    has_stretch: bool,
    is_followed: bool,
}

/// The scale of a skeleton that nothing scales.
const UNSCALED: f32 = 1.0;

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
        out.split_all(simd::best(), matrices);
        out
    }

    fn with_pivots(pivots: Vec<Vec3>, depths: Vec<u16>) -> Self {
        let slots = pivots.len();
        let (rigid, stretch) = (vec![DualQuat::IDENTITY; slots], vec![Affine3A::IDENTITY; slots]);
        let (scales, is_rigid) = (Vec::with_capacity(slots), vec![true; slots]);
        Self { rigid, stretch, pivots, depths, scales, is_rigid, has_stretch: false, is_followed: false }
    }

    /// Updates this palette to the dual-quaternion form of `palette`. Does not allocate.
    ///
    /// # Panics
    /// If `self` or `palette` was made for a skin with another number of joints.
    pub fn update(&mut self, skin: &Skin, palette: &Palette) {
        self.update_at(simd::best(), skin, palette);
    }

    /// [`DualQuatPalette::update`] at a given SIMD level; all levels are bit-identical.
    ///
    /// # Panics
    /// As [`DualQuatPalette::update`].
    pub fn update_at(&mut self, level: Level, skin: &Skin, palette: &Palette) {
        assert_eq!(self.rigid.len(), skin.joints().len(), "the dual-quaternion palette is not of this skin");
        assert_eq!(palette.matrices().len(), skin.joints().len(), "the palette is not of this skin");
        self.split_all(level, palette.matrices());
    }

    fn split_all(&mut self, level: Level, matrices: &[Affine3A]) {
        let padded: &[PaddedMatrix] = bytemuck::cast_slice(matrices);
        let had_stretch = self.has_stretch;
        self.is_followed = false;
        self.has_stretch = !rigid::motions(level, padded, UNSCALED, &mut self.rigid, &mut self.is_rigid);
        if self.has_stretch {
            self.split_stretched(level, matrices);
        } else if had_stretch {
            self.stretch.fill(Affine3A::IDENTITY);
        }
    }

    /// The general case: the scale common to all joints first, then what each joint stretches beyond it.
    fn split_stretched(&mut self, level: Level, matrices: &[Affine3A]) {
        let common = common_scale(matrices, &mut self.scales);
        // At a common scale of one, the motions are already there.
        if common.to_bits() != UNSCALED.to_bits() {
            let padded = bytemuck::cast_slice(matrices);
            rigid::motions(level, padded, common.recip(), &mut self.rigid, &mut self.is_rigid);
        }
        let out = self.rigid.iter_mut().zip(&mut self.stretch).zip(&self.is_rigid).zip(&self.pivots);
        for ((((rigid, stretch), &is_rigid), &pivot), matrix) in out.zip(matrices) {
            if is_rigid {
                *stretch = Affine3A::from_scale(Vec3::splat(common));
            } else {
                (*rigid, *stretch) = split(matrix, pivot, common);
            }
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

    /// True if methods must blend the rotations with the signs that they have, because a
    /// [`RotationHistory`](crate::RotationHistory) has followed them in time.
    pub fn is_followed(&self) -> bool {
        self.is_followed
    }

    /// Gives every rotation the sign with which it is nearer to that of `before`, which has one for each slot.
    pub(super) fn follow(&mut self, before: &[Quat]) {
        for (rigid, before) in self.rigid.iter_mut().zip(before) {
            if rigid.real.dot(*before) < 0.0 {
                rigid.negate();
            }
        }
        self.is_followed = true;
    }

    /// Gives every rotation the sign with which it is nearer to that of the slot above it.
    pub(super) fn follow_parents(&mut self, parents: &[Option<u16>]) {
        // A parent may come after its child in a skin, so the chain is walked from the top.
        let mut is_done = vec![false; self.rigid.len()];
        let mut chain = Vec::new();
        for slot in 0..self.rigid.len() {
            let mut at = Some(slot);
            while let Some(slot) = at.filter(|slot| !is_done[*slot]) {
                chain.push(slot);
                is_done[slot] = true;
                at = parents[slot].map(usize::from);
            }
            while let Some(slot) = chain.pop() {
                let above = parents[slot].map(|parent| self.rigid[usize::from(parent)].real);
                if above.is_some_and(|above| above.dot(self.rigid[slot].real) < 0.0) {
                    self.rigid[slot].negate();
                }
            }
        }
        self.is_followed = true;
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
    scales.extend(matrices.iter().map(|m| m.matrix3.determinant()));
    let middle = scales.len() / 2;
    if middle >= scales.len() {
        return 1.0;
    }
    let (_, &mut median, _) = scales.select_nth_unstable_by(middle, f32::total_cmp);
    // The cube root keeps the order, so that of the median is the median of the cube roots.
    let median = median.cbrt();
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
    split_scaled(matrix, pivot, common).unwrap_or_else(|| split_any(matrix, pivot, common))
}

/// [`split`] for a rotation times a scale of the joint's own, which needs no polar decomposition; `None` for other matrices.
fn split_scaled(matrix: &Affine3A, pivot: Vec3, common: f32) -> Option<(DualQuat, Affine3A)> {
    let length = matrix.matrix3.x_axis.length();
    let scale = if matrix.matrix3.determinant() < 0.0 { -length } else { length };
    let (rigid, is_rigid) = rigid::motion(bytemuck::cast_ref(matrix), scale.recip());
    // What the joint scales about its pivot, the rigid motion would have scaled about the origin.
    let moved = matrix.matrix3 * (pivot * (1.0 - common / scale));
    let translation = Vec3::from(matrix.translation) + moved;
    is_rigid.then(|| {
        let kept = pivot * (common - scale);
        let stretch =
            Affine3A { matrix3: Mat3A::from_diagonal(Vec3::splat(scale)), translation: kept.into() };
        (DualQuat::from_rotation_translation(rigid.real, translation), stretch)
    })
}

/// [`split`] for any matrix, by its polar decomposition in double precision.
fn split_any(matrix: &Affine3A, pivot: Vec3, common: f32) -> (DualQuat, Affine3A) {
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

    /// Joints in all ways that a palette tells apart: rigid, scaled alike or on their own, stretched, mirrored, flat.
    fn matrices(kind: usize, joints: usize, seed: f32) -> Vec<Affine3A> {
        let wild = |k: usize, n: f32| (seed * 12.9 + k as f32 * 7.3 + n * 3.1).sin();
        let scale = |k: usize| match (kind, k % 5) {
            (0, _) => Vec3::ONE,
            (1, _) => Vec3::splat(-2.5),
            (2, 1) => Vec3::splat(1.0 + 0.4 * wild(k, 6.0)),
            (2, 2) => Vec3::new(1.0, 1.0 + 0.4 * wild(k, 7.0), 0.7),
            (2, 3) => Vec3::new(-1.0, 1.0, 1.0),
            (3, 4) => Vec3::new(f32::NAN, 1.0, 1.0),
            (3, 3) => Vec3::new(0.0, 1.0, 1.0),
            (3, 2) => Vec3::splat(1e-20),
            _ => Vec3::splat(77.4),
        };
        let joint = |k: usize| Transform {
            translation: Vec3::new(wild(k, 0.0), wild(k, 1.0), wild(k, 2.0)),
            rotation: Quat::from_euler(
                glam::EulerRot::XYZ,
                3.0 * wild(k, 3.0),
                3.0 * wild(k, 4.0),
                wild(k, 5.0),
            ),
            scale: scale(k),
        };
        (0..joints).map(|k| joint(k).to_affine()).collect()
    }

    fn bits(palette: &DualQuatPalette) -> Vec<u32> {
        let rigid = palette.rigid().iter().flat_map(|q| [q.real.to_array(), q.dual.to_array()].concat());
        let stretch = palette.stretch().iter().flat_map(Affine3A::to_cols_array);
        rigid.chain(stretch).map(f32::to_bits).collect()
    }

    #[test]
    fn every_level_gives_the_same_bits_also_when_the_palette_is_used_again() {
        let pivots: Vec<Vec3> = (0..21).map(|k| Vec3::new(0.1, 0.2, 0.3) * k as f32).collect();
        for joints in [0, 1, 3, 4, 7, 21] {
            let new = || DualQuatPalette::with_pivots(pivots[..joints].to_vec(), vec![0; joints]);
            for level in simd::available() {
                let mut again = new();
                for step in 0..40_u8 {
                    let matrices = matrices(usize::from(step) % 5, joints, f32::from(step));
                    let (mut once, mut want) = (new(), new());
                    want.split_all(Level::scalar(), &matrices);
                    once.split_all(level, &matrices);
                    again.split_all(level, &matrices);
                    assert_eq!(bits(&once), bits(&want), "{} at step {step}", level.name());
                    assert_eq!(bits(&again), bits(&want), "{} at step {step}, used again", level.name());
                    assert_eq!(once.has_stretch(), want.has_stretch());
                }
            }
        }
    }

    #[test]
    fn a_scale_of_the_joints_own_is_split_as_the_polar_decomposition_splits_it() {
        let pivot = Vec3::new(0.2, 1.4, -0.3);
        for (step, common) in (0..60_u8).zip([1.0, 2.5, 77.4].into_iter().cycle()) {
            for scale in [0.4, 1.3, -1.2] {
                let rotation = Quat::from_axis_angle(Vec3::new(2.0, -1.0, 2.0) / 3.0, 0.11 * f32::from(step));
                let (scale, translation) = (Vec3::splat(scale * common), Vec3::new(1.0, 2.0, 3.0));
                let matrix = Transform { translation, rotation, scale }.to_affine();
                let (rigid, stretch) = split_scaled(&matrix, pivot, common).unwrap();
                let (want_rigid, want_stretch) = split_any(&matrix, pivot, common);
                let size = common * 1.5;
                assert!(stretch.abs_diff_eq(want_stretch, 1e-6 * size), "{stretch:?} {want_stretch:?}");
                assert!(rigid.translation().distance(want_rigid.translation()) < 2e-6 * size.max(3.0));
                assert!(rigid.real.dot(want_rigid.real).abs() > 1.0 - 1e-6);
            }
        }
    }
}
