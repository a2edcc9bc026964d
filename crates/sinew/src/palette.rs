//! Skinning matrices and the other palettes of a skin.

mod contact;
mod dual_quat;
mod history;
mod layout;
mod muscle;
pub mod polar;

pub(crate) use contact::smoothstep;
pub use contact::{ContactBonePose, ContactEnd, ContactPalette};
pub(crate) use dual_quat::bind_position;
pub use dual_quat::{DualQuat, DualQuatPalette};
pub use history::RotationHistory;
pub use layout::{PaletteLayout, write_skinning_palette};
pub use muscle::MusclePalette;

use crate::{
    asset::skin::Skin,
    pose::{ModelPose, hierarchy::products},
    simd::{self, Level},
};
use glam::Affine3A;

/// Writes the matrices of `skin` in `pose`, `model_from_joint · joint_from_mesh`, into a part of a larger buffer.
///
/// # Panics
/// If `out` does not have one entry per joint of the skin, or `pose` is not of the skin's skeleton.
pub fn write_skinning_matrices(skin: &Skin, pose: &ModelPose, out: &mut [Affine3A]) {
    check_size(skin, out);
    write_at(simd::best(), skin, 0, pose, out);
}

#[track_caller]
fn check_size(skin: &Skin, out: &[Affine3A]) {
    let (matrices, slots) = (out.len(), skin.joints().len());
    assert!(
        matrices == slots,
        "the palette has {matrices} matrices, skin {:?} has {slots} joints",
        skin.name()
    );
}

/// Writes the matrices of the slots from `first` on, as many as `out` has.
fn write_at(level: Level, skin: &Skin, first: usize, pose: &ModelPose, out: &mut [Affine3A]) {
    let slots = first..first + out.len();
    let (has, needs) = (pose.joints().len(), skin.joint_count());
    assert!(needs <= has, "the pose has {has} joints, skin {:?} needs at least {needs}", skin.name());
    let model_from_joint = bytemuck::cast_slice(pose.joints());
    let joint_from_mesh = bytemuck::cast_slice(&skin.joint_from_mesh()[slots.clone()]);
    products(level, model_from_joint, &skin.joints()[slots], joint_from_mesh, bytemuck::cast_slice_mut(out));
}

/// Skinning matrices, model from mesh space, one per joint of a skin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Palette {
    model_from_mesh: Vec<Affine3A>,
}

impl Palette {
    /// A palette for every joint of `skin`, all identity.
    pub fn new(skin: &Skin) -> Self {
        Self { model_from_mesh: vec![Affine3A::IDENTITY; skin.joints().len()] }
    }

    /// A palette of given matrices, for callers with their own hierarchy.
    pub fn from_matrices(model_from_mesh: Vec<Affine3A>) -> Self {
        Self { model_from_mesh }
    }

    /// Updates this palette to `skin` in `pose`: `model_from_joint · joint_from_mesh`. Does not allocate.
    ///
    /// # Panics
    /// If `self` was made for a skin with another number of joints, or `pose` is not of the skin's skeleton.
    pub fn update(&mut self, skin: &Skin, pose: &ModelPose) {
        self.update_at(simd::best(), skin, pose);
    }

    /// [`Palette::update`] at a given SIMD level; all levels are bit-identical.
    ///
    /// # Panics
    /// As [`Palette::update`].
    pub fn update_at(&mut self, level: Level, skin: &Skin, pose: &ModelPose) {
        check_size(skin, &self.model_from_mesh);
        write_at(level, skin, 0, pose, &mut self.model_from_mesh);
    }

    /// The matrices, by skin slot.
    pub fn matrices(&self) -> &[Affine3A] {
        &self.model_from_mesh
    }

    /// The number of matrices that mirror: triangles that follow them turn inside out.
    pub fn mirrored_count(&self) -> usize {
        self.model_from_mesh.iter().filter(|m| m.matrix3.determinant() < 0.0).count()
    }
}
