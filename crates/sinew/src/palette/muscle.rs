//! The motion of each joint relative to rest, in mesh space.

use crate::{
    asset::{skeleton::Skeleton, skin::Skin},
    pose::LocalPose,
    transform::inverse_affine,
};
use glam::Affine3A;

/// Each joint's own motion relative to rest, in mesh space, for muscle influences, which displace vertices before skinning.
///
/// `mesh_from_mesh = joint_from_mesh⁻¹ · rest⁻¹ · local · joint_from_mesh`: the identity while the joint is at rest relative
/// to its parent, whatever the pose of the parent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MusclePalette {
    /// The factor before the joint's local transform, or `None` if the bind or rest matrix has no inverse.
    mesh_from_parent: Vec<Option<Affine3A>>,
    mesh_from_mesh: Vec<Affine3A>,
}

impl MusclePalette {
    /// A palette for every joint of `skin`, all at rest.
    pub fn new(skin: &Skin, skeleton: &Skeleton) -> Self {
        let slots = skin.joints().iter().zip(skin.joint_from_mesh());
        let before = slots.map(|(joint, joint_from_mesh)| {
            let rest = skeleton.rest_transforms().get(joint.index())?.to_affine();
            Some(inverse_affine(joint_from_mesh)? * inverse_affine(&rest)?)
        });
        Self {
            mesh_from_parent: before.collect(),
            mesh_from_mesh: vec![Affine3A::IDENTITY; skin.joints().len()],
        }
    }

    /// A palette of given motions.
    pub fn from_matrices(mesh_from_mesh: Vec<Affine3A>) -> Self {
        Self { mesh_from_parent: vec![None; mesh_from_mesh.len()], mesh_from_mesh }
    }

    /// Updates this palette to `skin` in `pose`. Does not allocate.
    ///
    /// # Panics
    /// If `self` was made for a skin with another number of joints, or `pose` is not of the skin's skeleton.
    pub fn update(&mut self, skin: &Skin, pose: &LocalPose) {
        assert_eq!(self.mesh_from_mesh.len(), skin.joints().len(), "the muscle palette is not of this skin");
        let slots = skin.joints().iter().zip(skin.joint_from_mesh()).zip(&self.mesh_from_parent);
        for (out, ((joint, joint_from_mesh), mesh_from_parent)) in self.mesh_from_mesh.iter_mut().zip(slots) {
            let local = pose.joints[joint.index()].to_affine();
            *out = mesh_from_parent.map_or(Affine3A::IDENTITY, |before| before * local * *joint_from_mesh);
        }
    }

    /// The motions, by skin slot.
    pub fn mesh_from_mesh(&self) -> &[Affine3A] {
        &self.mesh_from_mesh
    }
}
