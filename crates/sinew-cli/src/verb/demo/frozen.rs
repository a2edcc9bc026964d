//! A deformed surface as a character of its own, so that it can be filmed.

use super::compose_demo;
use crate::failure::{Attempt, Failure};
use sinew::{
    Character, CharacterParts, Joint, JointId, Mesh, MeshInstance, MeshParts, MorphTargets, Precomputed,
    Skeleton, Streams, Transform,
};
use std::sync::Arc;

/// The first mesh of `character` with the surface of `streams`, without a skin.
pub(super) fn frozen(character: &Character, streams: Streams) -> Result<Character, Failure> {
    let joint = Joint { name: "frozen".into(), parent: None, rest: Transform::IDENTITY };
    let skeleton = Arc::new(Skeleton::new([joint]).attempt(compose_demo)?);
    let mesh = Mesh::new(MeshParts {
        positions: streams.positions,
        normals: streams.normals,
        tangents: streams.tangents,
        morphs: MorphTargets::default(),
        weights: None,
        precomputed: Precomputed::NONE,
        ..character.meshes()[0].parts().clone()
    })
    .attempt(compose_demo)?;
    Character::new(CharacterParts {
        meshes: vec![Arc::new(mesh)],
        instances: vec![MeshInstance { joint: JointId(0), mesh: 0, skin: None, morph_weights: vec![] }],
        materials: character.materials().to_vec(),
        ..CharacterParts::new(character.name(), skeleton)
    })
    .attempt(compose_demo)
}
