//! The pose of an instance in model and world space.

use super::{Archetype, Instance, InstanceScratch};
use crate::{
    asset::skeleton::JointId,
    constrain::Attachment,
    palette::{PaletteLayout, write_skinning_matrices, write_skinning_palette},
    pose::{LocalPose, ModelPose},
    transform::Transform,
};
use glam::Affine3A;

/// The shown pose of an instance after the hierarchy update, helper joints included, from which joints, sockets and palettes
/// are read.
#[derive(Clone, Copy, Debug)]
pub struct PosedInstance<'a> {
    archetype: &'a Archetype,
    pose: &'a LocalPose,
    model: &'a ModelPose,
    world_from_model: Transform,
}

impl<'a> PosedInstance<'a> {
    /// The local pose, helper joints included.
    pub fn pose(&self) -> &'a LocalPose {
        self.pose
    }

    /// All joints in model space.
    pub fn model(&self) -> &'a ModelPose {
        self.model
    }

    /// The placement of the instance in the world.
    pub fn world_from_model(&self) -> Transform {
        self.world_from_model
    }

    /// The frame of a joint in model space.
    ///
    /// # Panics
    /// If the skeleton has no such joint.
    #[track_caller]
    pub fn model_from_joint(&self, joint: JointId) -> Affine3A {
        self.model.joint(joint)
    }

    /// The frame of a joint in the world.
    ///
    /// # Panics
    /// If the skeleton has no such joint.
    #[track_caller]
    pub fn world_from_joint(&self, joint: JointId) -> Affine3A {
        self.world_from_model.to_affine() * self.model.joint(joint)
    }

    /// The frame of a socket in model space.
    ///
    /// # Panics
    /// If the attachment is of a skeleton with more joints.
    #[track_caller]
    pub fn model_from_attachment(&self, attachment: &Attachment) -> Affine3A {
        attachment.model_from_attachment(self.model)
    }

    /// The frame of a socket in the world.
    ///
    /// # Panics
    /// If the attachment is of a skeleton with more joints.
    #[track_caller]
    pub fn world_from_attachment(&self, attachment: &Attachment) -> Affine3A {
        self.world_from_model.to_affine() * self.model_from_attachment(attachment)
    }

    /// Writes the skinning matrices of the skin at index `skin` of the character.
    ///
    /// # Panics
    /// If the character has no such skin, or `out` does not have one matrix for each joint of the skin.
    #[track_caller]
    pub fn write_palette(&self, skin: usize, out: &mut [Affine3A]) {
        write_skinning_matrices(self.archetype.skin(skin), self.model, out);
    }

    /// Writes the skinning matrices of the skin at index `skin` in the layout of a GPU buffer or texture.
    ///
    /// # Panics
    /// If the character has no such skin, or `out` does not have [`PaletteLayout::floats_per_joint`] numbers for each joint
    /// of the skin.
    #[track_caller]
    pub fn write_palette_as(&self, skin: usize, layout: PaletteLayout, out: &mut [f32]) {
        write_skinning_palette(layout, self.archetype.skin(skin), self.model, out);
    }
}

impl Instance {
    /// The shown pose in model and world space. One hierarchy update serves any number of joints, sockets and skins.
    ///
    /// # Panics
    /// If the instance was made by another archetype.
    #[track_caller]
    pub fn posed<'a>(
        &'a self,
        archetype: &'a Archetype,
        scratch: &'a mut InstanceScratch,
    ) -> PosedInstance<'a> {
        self.check(archetype);
        scratch.fit(archetype);
        let character = archetype.character();
        let InstanceScratch { shown, model, .. } = scratch;
        let is_whole = character.is_without_helpers() && !self.is_interpolated();
        let pose = if is_whole {
            self.pose()
        } else {
            self.write_pose(archetype, shown);
            character.apply_helpers(shown);
            &*shown
        };
        model.update(character.skeleton(), pose);
        PosedInstance { archetype, pose, model, world_from_model: self.world_from_model() }
    }

    /// Writes the skinning matrices of the skin at index `skin` of the character in the shown pose, helper joints included.
    ///
    /// # Panics
    /// If the instance was made by another archetype, the character has no such skin, or `out` does not have one matrix
    /// for each joint of the skin.
    #[track_caller]
    pub fn write_palette(
        &self,
        archetype: &Archetype,
        skin: usize,
        scratch: &mut InstanceScratch,
        out: &mut [Affine3A],
    ) {
        if let Some(shared) = self.shared_pose() {
            self.check(archetype);
            let matrices = shared.palette(skin);
            let (wanted, got) = (matrices.len(), out.len());
            assert!(wanted == got, "the skin has {wanted} joints, the palette has {got} matrices");
            out.copy_from_slice(matrices);
            return;
        }
        self.posed(archetype, scratch).write_palette(skin, out);
    }
}
