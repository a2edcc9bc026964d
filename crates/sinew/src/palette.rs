//! The matrices that move a skin's vertices.

use crate::{asset::skin::Skin, pose::ModelPose};
use glam::Affine3A;

/// One skinning matrix a skin joint: where a vertex that follows that joint alone goes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Palette {
    model_from_mesh: Vec<Affine3A>,
}

impl Palette {
    /// A palette with room for every joint of `skin`, all identity.
    pub fn new(skin: &Skin) -> Self {
        Self { model_from_mesh: vec![Affine3A::IDENTITY; skin.joints().len()] }
    }

    /// A palette of given matrices, for callers with a hierarchy of their own.
    pub fn from_matrices(model_from_mesh: Vec<Affine3A>) -> Self {
        Self { model_from_mesh }
    }

    /// Makes this the palette of `skin` in `pose`: `model_from_joint · joint_from_mesh`; no allocation.
    ///
    /// # Panics
    /// Where `self` was made for a skin with another number of joints, or `pose` is not of the skin's skeleton.
    pub fn update(&mut self, skin: &Skin, pose: &ModelPose) {
        assert_eq!(self.model_from_mesh.len(), skin.joints().len(), "the palette is not of this skin");
        let slots = skin.joints().iter().zip(skin.joint_from_mesh());
        for (out, (&joint, joint_from_mesh)) in self.model_from_mesh.iter_mut().zip(slots) {
            *out = pose.joint(joint) * *joint_from_mesh;
        }
    }

    /// The matrices, by skin slot.
    pub fn matrices(&self) -> &[Affine3A] {
        &self.model_from_mesh
    }

    /// How many of the matrices mirror: triangles that follow them turn inside out.
    pub fn mirrored_count(&self) -> usize {
        self.model_from_mesh.iter().filter(|m| m.matrix3.determinant() < 0.0).count()
    }
}
