//! The static mesh whose vertices know their texels.

use super::{TextureBakeError, TextureLayout};
use crate::{WriteError, bake::static_character};
use sinew::{Character, CharacterParts, Frame, Mesh, MeshParts, glam::Vec2};
use std::sync::Arc;

/// A mesh at rest, and where its vertices look up the texture.
pub(super) struct TexelMesh {
    pub(super) character: Character,
    /// The index of the texture coordinate set with the places of texels.
    pub(super) uv_set: usize,
}

/// `frame`, deformed at rest, as static meshes. All have the places of their texels in the same texture coordinate set, the
/// first that none of them uses; 0 is left to the surface even if no mesh has it.
pub(super) fn texel_mesh(
    character: &Character,
    frame: &Frame,
    layout: TextureLayout,
) -> Result<TexelMesh, TextureBakeError> {
    let mut parts = static_character(character, frame)?.into_parts();
    let uv_set = parts.meshes.iter().map(|mesh| mesh.uv_sets().len()).max().unwrap_or(0).max(1);
    let mut first = 0;
    for mesh in &mut parts.meshes {
        let count = mesh.vertex_count();
        let mut texture = mesh.parts().clone();
        texture.uv_sets.resize(uv_set, vec![Vec2::ZERO; count]);
        texture.uv_sets.iter_mut().for_each(|set| set.resize(count, Vec2::ZERO));
        texture.uv_sets.push((first..first + count).map(|vertex| layout.uv(vertex)).collect());
        first += count;
        *mesh = Arc::new(checked(texture)?);
    }
    Ok(TexelMesh { character: character_of(parts)?, uv_set })
}

/// `character` without its clips.
pub(super) fn without_clips(character: &Character) -> Result<Character, TextureBakeError> {
    character_of(CharacterParts { clips: Vec::new(), ..character.parts().clone() })
}

fn checked(parts: MeshParts) -> Result<Mesh, WriteError> {
    Mesh::new(parts).map_err(|e| unrepresentable(e.to_string()))
}

fn character_of(parts: CharacterParts) -> Result<Character, TextureBakeError> {
    Character::new(parts).map_err(|e| unrepresentable(e.to_string()).into())
}

fn unrepresentable(what: String) -> WriteError {
    WriteError::Unrepresentable { place: "the mesh of an animation texture".into(), what }
}
