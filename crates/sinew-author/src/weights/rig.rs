//! Operations on a whole character that change joints or shapes together with weights.

use super::{BoneSet, Edit, WeightError, ops};
use sinew::{
    Character, CharacterError, ClipError, DeformError, JointId, LocalPose, Mesh, MeshError, Precomputed,
    glam::Vec3,
};
use std::sync::Arc;
use thiserror::Error;

/// Why a change of the rig failed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum RigError {
    /// The character has no such skin.
    #[error("skin {skin} does not exist")]
    NoSkin {
        /// The index that was given.
        skin: usize,
    },
    /// The joint is not in the skin.
    #[error("joint {joint} is not in skin {skin}")]
    NotInSkin {
        /// The index of the joint.
        joint: usize,
        /// The index of the skin.
        skin: usize,
    },
    /// A mesh is deformed by two skins and would have to change for both.
    #[error("mesh {mesh:?} is deformed by another skin as well")]
    SharedMesh {
        /// The name of the mesh.
        mesh: String,
    },
    /// An operation on weights failed.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// The result is not a valid mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The character could not be deformed in its rest pose.
    #[error(transparent)]
    Deform(#[from] DeformError),
    /// A clip has no channels left.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The parts of the result do not fit together.
    #[error(transparent)]
    Character(#[from] CharacterError),
}

/// Inserts a twist joint called `name` at the middle of the bone of `joint`. It takes over the weights from there on, increasing
/// towards the end of the bone. No vertex moves until the joint is rotated. It is the last joint of the skeleton.
///
/// # Errors
/// If there is no such skin, the joint is not in it, or skeleton or skin are full.
pub fn split_joint(
    character: &Character,
    skin: usize,
    joint: JointId,
    name: &str,
) -> Result<Character, RigError> {
    let of = character.skins().get(skin).ok_or(RigError::NoSkin { skin })?;
    let slot = of.slot_of(joint).ok_or(RigError::NotInSkin { joint: joint.index(), skin })?;
    let meshes = meshes_of(character, skin)?;
    let (head, tail) = bone(character, skin, slot);
    let added = ops::add_joint(character.skeleton(), of, slot, name, head.midpoint(tail))?;
    let mut parts = character.parts().clone();
    for mesh in meshes {
        let old = &character.meshes()[mesh];
        let edit = Edit::new(old)?.in_skin_of(added.skin.joints().len());
        let along = ops::SplitAlong { start: head, end: tail };
        let split = ops::split_joint(&edit, slot, added.slot, along)?;
        let made =
            Precomputed { centers: None, direct_mush: None, contact: None, ..old.precomputed().clone() };
        parts.meshes[mesh] = Arc::new(Mesh::clone(old).with_weights(Arc::new(split.weights), made)?);
    }
    parts.skeleton = Arc::new(added.skeleton);
    parts.skins[skin] = Arc::new(added.skin);
    Ok(Character::new(parts)?)
}

/// Makes `pose`, with helper joints applied, the bind pose of the skin and of every mesh that it deforms.
///
/// # Errors
/// If there is no such skin, the pose belongs to another skeleton, or a mesh is deformed by another skin as well.
pub fn bake_bind(character: &Character, skin: usize, pose: &LocalPose) -> Result<Character, RigError> {
    let of = character.skins().get(skin).ok_or(RigError::NoSkin { skin })?;
    let mut parts = character.parts().clone();
    let mut pose = pose.clone();
    if pose.joints.len() == character.skeleton().len() {
        character.apply_helpers(&mut pose);
    }
    for mesh in meshes_of(character, skin)? {
        let baked = ops::bake_bind(&character.meshes()[mesh], character.skeleton(), of, &pose)?;
        parts.meshes[mesh] = Arc::new(baked.mesh);
        parts.skins[skin] = Arc::new(baked.skin);
    }
    Ok(Character::new(parts)?)
}

/// The indices of the meshes that the skin deforms, each once.
pub(crate) fn meshes_of(character: &Character, skin: usize) -> Result<Vec<usize>, RigError> {
    let skinned = || character.instances().iter().filter(|i| character.skin_of(i).is_some());
    let mut meshes: Vec<usize> = skinned().filter(|i| i.skin == Some(skin)).map(|i| i.mesh).collect();
    meshes.sort_unstable();
    meshes.dedup();
    match skinned().find(|i| i.skin != Some(skin) && meshes.contains(&i.mesh)) {
        Some(shared) => Err(RigError::SharedMesh { mesh: character.mesh_of(shared).name().into() }),
        None => Ok(meshes),
    }
}

/// The ends of the longest bone of the joint at `slot`, in mesh space.
fn bone(character: &Character, skin: usize, slot: u16) -> (Vec3, Vec3) {
    let of = &character.skins()[skin];
    let bones = BoneSet::of_character(character, skin);
    let own = bones.bones().iter().filter(|b| b.slot == slot);
    let longest =
        own.max_by(|a, b| a.head.distance_squared(a.tail).total_cmp(&b.head.distance_squared(b.tail)));
    let at_joint = || {
        let head = of.joint_from_mesh()[usize::from(slot)].inverse().translation.into();
        (head, head)
    };
    longest.map_or_else(at_joint, |bone| (bone.head, bone.tail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check::effect_of_change, weights::PoseOptions};
    use sinew::glam::Quat;

    #[test]
    fn a_split_joint_moves_nothing_in_any_clip() {
        let figure = sinew_samples::figure();
        let joint = figure.skins()[0].joints()[3];
        let split = split_joint(&figure, 0, joint, "twist").unwrap();
        assert_eq!(split.skeleton().len(), figure.skeleton().len() + 1);
        assert_eq!(split.skeleton().find("twist").unwrap().index(), figure.skeleton().len());
        assert_ne!(split.meshes()[0].weights(), figure.meshes()[0].weights(), "the new joint has weights");
        let effect = effect_of_change(&figure, &split, &PoseOptions::default());
        assert!(effect.clips.max_mm < 1e-2, "{effect:?}");
    }

    #[test]
    fn a_baked_pose_is_the_shape_and_its_own_bind() {
        let arm = sinew_samples::arm();
        let mut pose = arm.rest_pose();
        pose.joints[1].rotation = Quat::from_rotation_z(0.7);
        let baked = bake_bind(&arm, 0, &pose).unwrap();
        assert_ne!(baked.meshes()[0].positions(), arm.meshes()[0].positions());
        let mut frame = sinew::Frame::new(&baked);
        frame.local_mut().copy_from(&pose);
        frame.deform(sinew::Method::Linear).unwrap();
        let moved = frame.deformed()[0].positions.iter().zip(baked.meshes()[0].positions());
        let max = moved.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(max < 1e-5, "in the pose the mesh is undeformed: {max}");
    }

    #[test]
    fn rejects_unknown_skins_and_joints() {
        let arm = sinew_samples::arm();
        assert_eq!(bake_bind(&arm, 9, &arm.rest_pose()), Err(RigError::NoSkin { skin: 9 }));
        let nobody = JointId(999);
        assert_eq!(split_joint(&arm, 0, nobody, "x"), Err(RigError::NotInSkin { joint: 999, skin: 0 }));
        assert!(bake_bind(&arm, 0, &LocalPose::default()).is_err());
    }
}
