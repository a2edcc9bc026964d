//! Adds joints to every skin that has their parent.

use super::HelperJointError;
use crate::weights::rig::meshes_of;
use sinew::{
    Character, CharacterParts, Joint, JointId, Mesh, Precomputed, Skeleton, Skin, Transform, Weights,
};
use std::sync::Arc;

/// Joints to be added as children of one joint.
pub(super) struct NewJoints {
    pub(super) under: JointId,
    /// The name and the local rest transform of each joint.
    pub(super) joints: Vec<(String, Transform)>,
}

/// A skin with the new joints.
pub(super) struct NewSlots {
    /// The indices of the meshes that it deforms.
    pub(super) meshes: Vec<usize>,
    /// The skin without the new joints.
    pub(super) skin: Arc<Skin>,
    /// The slot of their parent.
    pub(super) under: u16,
    /// The slots of the new joints.
    pub(super) slots: Vec<u16>,
}

/// The parts of `character` with joints appended to its skeleton and to every skin that has their parent.
pub(super) fn with_joints(
    character: &Character,
    hung: &NewJoints,
) -> Result<(CharacterParts, Vec<JointId>, Vec<NewSlots>), HelperJointError> {
    let skeleton = character.skeleton();
    let old = skeleton.joints().map(|j| Joint {
        name: skeleton.name(j).to_owned(),
        parent: skeleton.parent(j),
        rest: skeleton.rest(j),
    });
    let added = hung.joints.iter().map(|(name, rest)| Joint {
        name: name.clone(),
        parent: Some(hung.under),
        rest: *rest,
    });
    let new = Arc::new(Skeleton::new(old.chain(added))?.with_scale_inheritance_of(skeleton, Some));
    let ids: Vec<JointId> = new.joints().skip(skeleton.len()).collect();
    let mut parts = character.parts().clone();
    let mut slots = Vec::new();
    for (index, skin) in character.skins().iter().enumerate() {
        let Some(under) = skin.slot_of(hung.under) else { continue };
        let first = skin.joints().len();
        let joint_from_mesh = skin.joint_from_mesh()[usize::from(under)];
        let binds = hung.joints.iter().map(|(_, rest)| rest.to_affine().inverse() * joint_from_mesh);
        let grown = Skin::new(
            skin.name(),
            &new,
            skin.joints().iter().chain(&ids).copied().collect(),
            skin.joint_from_mesh().iter().copied().chain(binds).collect(),
        )?;
        parts.skins[index] = Arc::new(grown.with_root(&new, skin.root())?);
        slots.push(NewSlots {
            meshes: meshes_of(character, index)?,
            skin: Arc::clone(skin),
            under,
            slots: (first..first + ids.len()).map(|slot| slot as u16).collect(),
        });
    }
    if slots.iter().all(|one| one.meshes.is_empty()) {
        return Err(HelperJointError::NoWeights { joint: skeleton.name(hung.under).into() });
    }
    parts.skeleton = new;
    Ok((parts, ids, slots))
}

/// The mesh with new weights. Data precomputed for the old ones is dropped.
pub(super) fn reweighted(mesh: &Mesh, weights: Weights) -> Result<Arc<Mesh>, HelperJointError> {
    let made = Precomputed { centers: None, direct_mush: None, contact: None, ..mesh.precomputed().clone() };
    Ok(Arc::new(mesh.clone().with_weights(Arc::new(weights), made)?))
}

/// `stem.1`, `stem.2` and so on, without names that are already taken.
pub(super) fn free_names(skeleton: &Skeleton, stem: &str, count: usize) -> Vec<String> {
    let numbered = (1..).map(|number: u32| format!("{stem}.{number}"));
    numbered.filter(|name| skeleton.find(name).is_none()).take(count).collect()
}
