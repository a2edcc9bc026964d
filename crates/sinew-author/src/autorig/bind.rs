//! Meshes in model space, and their binding to a new skeleton.

use super::{AutorigError, template::TemplateJoint};
use crate::{
    Progress,
    weights::{
        BoneSet,
        auto::{AutoOptions, auto_weights_together},
    },
};
use sinew::{
    Character, CharacterParts, Frame, Humanoid, Joint, JointId, Mesh, MeshInstance, MeshParts, Method,
    MorphTargets, Precomputed, Skeleton, Skin, Transform,
    glam::{DVec3, Vec3},
};
use std::sync::Arc;

/// The visible meshes of a character as they are at rest, without skin.
pub(super) struct PlacedMeshes {
    pub(super) meshes: Vec<Mesh>,
}

impl PlacedMeshes {
    pub(super) fn of(character: &Character) -> Result<Self, AutorigError> {
        let mut frame = Frame::new(character);
        frame.deform(Method::Linear)?;
        let mut meshes = Vec::new();
        for instance in character.visible_instances() {
            let placed = &frame.deformed()[instance];
            let mesh = character.mesh_of(&character.instances()[instance]);
            meshes.push(Mesh::new(MeshParts {
                positions: placed.positions.clone(),
                normals: placed.normals.clone(),
                tangents: placed.tangents.clone(),
                morphs: MorphTargets::default(),
                weights: None,
                precomputed: Precomputed::default(),
                ..mesh.parts().clone()
            })?);
        }
        Ok(Self { meshes })
    }

    /// The character with these meshes bound to `joints`.
    pub(super) fn bound(
        self,
        character: &Character,
        joints: &[TemplateJoint],
        options: &AutoOptions,
        progress: Progress<'_>,
    ) -> Result<Character, AutorigError> {
        let skeleton = Arc::new(Skeleton::new(joints.iter().map(|joint| as_joint(joint, joints)))?);
        let skin = Skin::bound_at_rest("humanoid", &skeleton, skeleton.joints().collect())?;
        let bones = BoneSet::of_skin(&skeleton, &skin);
        let meshes: Vec<&Mesh> = self.meshes.iter().collect();
        let made = auto_weights_together(&meshes, &bones, options, progress)?;
        let mut parts = CharacterParts {
            skins: vec![Arc::new(skin)],
            materials: character.materials().to_vec(),
            images: character.images().to_vec(),
            humanoid: Some(humanoid(&skeleton, joints)?),
            ..CharacterParts::new(character.parts().name.clone(), Arc::clone(&skeleton))
        };
        for (mesh, made) in self.meshes.iter().zip(made) {
            let bound = MeshParts { weights: Some(Arc::new(made.weights)), ..mesh.parts().clone() };
            let mesh = parts.meshes.len();
            parts.meshes.push(Arc::new(Mesh::new(bound)?));
            parts.instances.push(MeshInstance {
                joint: JointId(0),
                mesh,
                skin: Some(0),
                morph_weights: Vec::new(),
            });
        }
        Ok(Character::new(parts)?)
    }
}

/// The joint with a translation from the joint above it; all axes are those of the model.
fn as_joint(joint: &TemplateJoint, joints: &[TemplateJoint]) -> Joint {
    let above = joint.parent.map_or(DVec3::ZERO, |parent| joints[parent].place);
    let offset: Vec3 = (joint.place - above).as_vec3();
    Joint {
        name: joint.name.clone(),
        parent: joint.parent.map(|parent| JointId(parent as u16)),
        rest: Transform::from_translation(offset),
    }
}

fn humanoid(skeleton: &Skeleton, joints: &[TemplateJoint]) -> Result<Humanoid, AutorigError> {
    let numbered = joints.iter().zip(0_u16..);
    let bones = numbered.filter_map(|(joint, n)| Some((joint.bone?, JointId(n))));
    Ok(Humanoid::new(skeleton, bones)?)
}
