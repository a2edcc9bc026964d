//! A surface that no method of a frame made, as something that can be filmed.

use crate::failure::Failure;
use sinew::{
    Character, CharacterParts, Joint, JointId, Mesh, MeshInstance, MeshParts, MorphTargets, Precomputed,
    Skeleton, Streams, Transform,
};
use std::{fmt::Display, sync::Arc};

/// What cannot be drawn, in words.
pub(super) fn undrawable(error: impl Display) -> Failure {
    Failure::Draw(error.to_string())
}

/// The first mesh of `character` as it stands in `streams`: nothing moves it any more.
pub(super) fn still(character: &Character, streams: Streams) -> Result<Character, Failure> {
    let joint = Joint { name: "still".into(), parent: None, rest: Transform::IDENTITY };
    let skeleton = Arc::new(Skeleton::new([joint]).map_err(undrawable)?);
    let mesh = Mesh::new(MeshParts {
        positions: streams.positions,
        normals: streams.normals,
        tangents: streams.tangents,
        morphs: MorphTargets::default(),
        weights: None,
        precomputed: Precomputed::NONE,
        ..character.meshes()[0].parts().clone()
    })
    .map_err(undrawable)?;
    Character::new(CharacterParts {
        meshes: vec![Arc::new(mesh)],
        instances: vec![MeshInstance { joint: JointId(0), mesh: 0, skin: None, morph_weights: vec![] }],
        materials: character.materials().to_vec(),
        ..CharacterParts::new(character.name(), skeleton)
    })
    .map_err(undrawable)
}
