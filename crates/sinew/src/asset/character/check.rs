//! The references between the parts of a character, and what is wrong with them.

use super::CharacterParts;
use crate::{
    asset::humanoid::HumanoidError,
    constrain::{HelperError, NodeConstraintError, SpringError},
    range::InRange as _,
};
use thiserror::Error;

/// Why parts do not form a character.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CharacterError {
    /// A part refers to another that does not exist.
    #[error("{from} refers to {kind} {index}, but there are {count}")]
    Missing {
        /// The part that refers to it.
        from: String,
        /// The kind of part that it refers to.
        kind: &'static str,
        /// The index that it refers to.
        index: usize,
        /// How many parts of that kind exist.
        count: usize,
    },
    /// A mesh's weights use more joints than the skin has.
    #[error("instance {instance}: mesh {mesh:?} uses {needed} joint slots, skin {skin:?} has {joints}")]
    SkinTooSmall {
        /// Index of the mesh instance.
        instance: usize,
        /// Name of the mesh.
        mesh: String,
        /// Name of the skin.
        skin: String,
        /// How many joint slots the weights use.
        needed: usize,
        /// How many joints the skin has.
        joints: usize,
    },
    /// Rest weights must be finite, one for each morph target.
    #[error("instance {instance}: {count} morph weights for {targets} targets, or one is not finite")]
    BadMorphWeights {
        /// Index of the mesh instance.
        instance: usize,
        /// How many were given.
        count: usize,
        /// How many targets the mesh has.
        targets: usize,
    },
    /// A helper joint does not fit the skeleton.
    #[error(transparent)]
    Helper(#[from] HelperError),
    /// A node constraint does not fit the skeleton.
    #[error(transparent)]
    NodeConstraint(#[from] NodeConstraintError),
    /// The spring bones do not fit the skeleton.
    #[error(transparent)]
    Spring(#[from] SpringError),
    /// A bone of the humanoid does not fit the skeleton.
    #[error(transparent)]
    Humanoid(#[from] HumanoidError),
}

/// Checks every reference from one part to another, and returns the rest morph weights of all mesh instances.
pub(super) fn check(parts: &CharacterParts) -> Result<Vec<f32>, CharacterError> {
    let mut rest_morphs = Vec::new();
    for index in 0..parts.instances.len() {
        rest_morphs.extend_from_slice(check_instance(parts, index)?);
    }
    check_materials(parts)?;
    check_clips(parts, rest_morphs.len())?;
    check_scenes(parts)?;
    check_skins(parts)?;
    parts.humanoid.iter().try_for_each(|humanoid| humanoid.check(&parts.skeleton))?;
    Ok(rest_morphs)
}

fn within(
    from: impl Fn() -> String,
    kind: &'static str,
    index: usize,
    count: usize,
) -> Result<(), CharacterError> {
    if index < count { Ok(()) } else { Err(CharacterError::Missing { from: from(), kind, index, count }) }
}

/// Checks what a mesh instance refers to, and returns its rest morph weights.
fn check_instance(parts: &CharacterParts, index: usize) -> Result<&[f32], CharacterError> {
    let instance = &parts.instances[index];
    let from = || format!("instance {index}");
    within(from, "joint", instance.joint.index(), parts.skeleton.len())?;
    within(from, "mesh", instance.mesh, parts.meshes.len())?;
    let mesh = &parts.meshes[instance.mesh];
    if let Some(skin) = instance.skin {
        within(from, "skin", skin, parts.skins.len())?;
        let skin = &parts.skins[skin];
        let needed = mesh.weights().map_or(0, |w| w.slot_count());
        if needed > skin.joints().len() {
            return Err(CharacterError::SkinTooSmall {
                instance: index,
                mesh: mesh.name().into(),
                skin: skin.name().into(),
                needed,
                joints: skin.joints().len(),
            });
        }
    }
    let (weights, targets) = (&instance.morph_weights, mesh.morphs().len());
    if weights.is_empty() {
        return Ok(mesh.morphs().rest_weights());
    }
    if weights.len() != targets || weights.iter().any(|w| !w.is_in_range()) {
        return Err(CharacterError::BadMorphWeights { instance: index, count: weights.len(), targets });
    }
    Ok(weights)
}

fn check_skins(parts: &CharacterParts) -> Result<(), CharacterError> {
    for skin in &parts.skins {
        let from = || format!("skin {:?}", skin.name());
        for joint in skin.joints().iter().chain(&skin.root()) {
            within(from, "joint", joint.index(), parts.skeleton.len())?;
        }
    }
    Ok(())
}

fn check_materials(parts: &CharacterParts) -> Result<(), CharacterError> {
    for mesh in &parts.meshes {
        for material in mesh.primitives().iter().filter_map(|p| p.material) {
            let from = || format!("mesh {:?}", mesh.name());
            within(from, "material", usize::from(material), parts.materials.len())?;
        }
    }
    for material in &parts.materials {
        for texture in material.textures() {
            let from = || format!("material {:?}", material.name);
            within(from, "image", usize::from(texture.image), parts.images.len())?;
        }
    }
    Ok(())
}

fn check_clips(parts: &CharacterParts, morph_slots: usize) -> Result<(), CharacterError> {
    for clip in &parts.clips {
        let from = || format!("clip {:?}", clip.name());
        if let Some(last) = clip.joint_count().checked_sub(1) {
            within(from, "joint", last, parts.skeleton.len())?;
        }
        if let Some(last) = clip.morph_slot_count().checked_sub(1) {
            within(from, "morph slot", last, morph_slots)?;
        }
    }
    Ok(())
}

fn check_scenes(parts: &CharacterParts) -> Result<(), CharacterError> {
    for (index, scene) in parts.scenes.iter().enumerate() {
        for root in &scene.roots {
            within(|| format!("scene {index}"), "joint", root.index(), parts.skeleton.len())?;
        }
    }
    if parts.scenes.is_empty() {
        return Ok(());
    }
    within(|| "the character".into(), "scene", parts.default_scene, parts.scenes.len())
}

/// For each joint, whether the default scene shows what is attached to it.
pub(super) fn visible_joints(parts: &CharacterParts) -> Vec<bool> {
    let Some(scene) = parts.scenes.get(parts.default_scene) else {
        return vec![true; parts.skeleton.len()];
    };
    let mut visible = vec![false; parts.skeleton.len()];
    for root in &scene.roots {
        visible[root.index()] = true;
    }
    for joint in parts.skeleton.joints() {
        if parts.skeleton.parent(joint).is_some_and(|p| visible[p.index()]) {
            visible[joint.index()] = true;
        }
    }
    visible
}
