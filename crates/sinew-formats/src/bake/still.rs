//! One pose as a character without a skeleton.

use super::winding::Winding;
use crate::WriteError;
use sinew::{
    Character, CharacterParts, ExtrasOwner, Frame, Joint, JointId, Mesh, MeshInstance, MeshParts,
    MorphTargets, Skeleton, Topology, Transform,
};
use std::sync::Arc;

/// The visible surface of `frame` as static meshes: no skins, morph targets or clips. Materials, texture coordinates and
/// colors stay.
///
/// Each visible instance becomes a mesh in model space on its own root joint, which keeps the name of the old joint. A
/// joint with a negative scale mirrors triangles, which renderers compensate for by the node's matrix. The new nodes have
/// no matrix, so the triangles that follow such joints are rewound.
///
/// # Errors
/// When a deformed vertex is not finite, or there are more visible instances than a skeleton has joints.
///
/// # Panics
/// When `frame` was not made for `character`.
pub fn static_character(character: &Character, frame: &Frame) -> Result<Character, WriteError> {
    let fail = |what: String| WriteError::Unrepresentable { place: "the static pose".into(), what };
    let visible: Vec<&MeshInstance> =
        character.visible_instances().map(|i| &character.instances()[i]).collect();
    let joint = |instance: &&MeshInstance| Joint {
        name: character.skeleton().name(instance.joint).into(),
        parent: None,
        rest: Transform::IDENTITY,
    };
    let skeleton = Skeleton::new(visible.iter().map(joint)).map_err(|e| fail(e.to_string()))?;
    let mut parts = CharacterParts::new(character.name(), Arc::new(skeleton));
    for (place, index) in character.visible_instances().enumerate() {
        let mesh = still_mesh(character, frame, index).map_err(|e| fail(e.to_string()))?;
        parts.meshes.push(Arc::new(mesh));
        parts.instances.push(MeshInstance {
            joint: JointId(place as u16),
            mesh: place,
            skin: None,
            morph_weights: Vec::new(),
        });
    }
    parts.materials = character.materials().to_vec();
    parts.images = character.images().to_vec();
    let is_appearance = |owner: &ExtrasOwner| {
        matches!(owner, ExtrasOwner::Asset | ExtrasOwner::Material(_) | ExtrasOwner::Image(_))
    };
    let kept = character.extras().iter().filter(|(owner, _)| is_appearance(owner));
    parts.extras = kept.map(|(owner, text)| (*owner, text.clone())).collect();
    Character::new(parts).map_err(|e| fail(e.to_string()))
}

fn still_mesh(character: &Character, frame: &Frame, index: usize) -> Result<Mesh, sinew::MeshError> {
    let instance = &character.instances()[index];
    let streams = frame.deformed()[index].clone();
    let winding = Winding::of(character, frame, instance);
    let parts = character.mesh_of(instance).parts();
    let mut indices = parts.indices.clone();
    for primitive in parts.primitives.iter().filter(|p| p.topology == Topology::Triangles) {
        let range = primitive.indices.start as usize..primitive.indices.end as usize;
        for triangle in indices[range].as_chunks_mut::<3>().0 {
            *triangle = winding.apply(*triangle);
        }
    }
    Mesh::new(MeshParts {
        positions: streams.positions,
        normals: streams.normals,
        tangents: streams.tangents,
        indices,
        morphs: MorphTargets::default(),
        weights: None,
        ..parts.clone()
    })
}
