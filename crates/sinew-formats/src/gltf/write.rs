//! Writes a character as a document and its buffer.
//!
//! Everything that is read is written back: nodes in joint order, scenes, skins, meshes, morph targets, animations with
//! their events, materials, images and application data. Where glTF is narrower than a [`Character`]:
//!
//! - A node has one mesh, so further instances on a joint get their own child nodes.
//! - A skin's joints need a common root: if they have none, a node `skin root` is inserted above them.
//! - A character without scenes gets one that shows every root.
//! - SamplerKeys at equal times are moved apart by the smallest step; of two channels for one property the later one is
//!   written, as it takes precedence in sampling.
//! - Zero normals and tangents get a direction; colors and factors are clamped to 0 to 1.
//! - Precomputed data of a mesh is omitted if a part of the mesh is.
//! - Primitives without indices and images without bytes are omitted.

mod animation;
mod clip_extras;
mod data;
mod extras;
mod helper_joints;
mod joint_data;
mod layout;
mod material;
mod mesh;
mod morph;
mod nodes;
mod precomputed;

use super::{
    container,
    json::{Asset, Root},
};
use crate::WriteError;
use data::Data;
use extras::ExtrasValues;
use layout::NodeLayout;
use sinew::{Character, ExtrasOwner};

/// The files of a .gltf export.
#[derive(Clone, Debug, PartialEq)]
pub struct GltfFiles {
    /// The content of the .gltf document.
    pub json: Vec<u8>,
    /// The content of the buffer that it names; empty if the character has no data, and then not named.
    pub buffer: Vec<u8>,
}

/// The character as one GLB file.
///
/// # Errors
/// When glTF cannot represent something: application data that is not JSON, keys before time zero, a scene that starts
/// below a root, material factors that are not finite, or more than four gigabytes.
pub fn to_glb(character: &Character) -> Result<Vec<u8>, WriteError> {
    let (root, buffer) = document(character, None)?;
    let json = serde_json::to_vec(&root).map_err(|e| unrepresentable("the document", e.to_string()))?;
    container::join(&json, &buffer)
        .ok_or_else(|| unrepresentable("the file", "must be at most four gigabytes"))
}

/// The character as a .gltf document and the buffer it names.
///
/// `buffer_uri` is the URI of the buffer relative to the document, with `%20` for a space.
///
/// # Errors
/// As [`to_glb`].
pub fn to_gltf(character: &Character, buffer_uri: &str) -> Result<GltfFiles, WriteError> {
    let (root, buffer) = document(character, Some(buffer_uri))?;
    let json =
        serde_json::to_vec_pretty(&root).map_err(|e| unrepresentable("the document", e.to_string()))?;
    Ok(GltfFiles { json, buffer })
}

fn document(character: &Character, buffer_uri: Option<&str>) -> Result<(Root, Vec<u8>), WriteError> {
    let layout = NodeLayout::new(character);
    let extras = helper_joints::extras_with_helpers(character, &layout)?;
    let extras = joint_data::with_joint_data(character, extras)?;
    let extras = ExtrasValues::parse(&extras)?;
    let mut writer = Writer { character, layout, data: Data::default(), extras };
    let meshes = writer.meshes()?;
    let skins = writer.skins();
    let animations = writer.animations()?;
    let appearance = writer.appearance()?;
    let mut root = Root {
        asset: Asset {
            version: "2.0".into(),
            generator: Some(concat!("sinew ", env!("CARGO_PKG_VERSION")).into()),
            copyright: Some(character.copyright().to_owned()).filter(|c| !c.is_empty()),
            ..Asset::default()
        },
        scenes: writer.scenes()?,
        nodes: writer.nodes(),
        meshes,
        skins,
        animations,
        materials: appearance.materials,
        textures: appearance.textures,
        samplers: appearance.samplers,
        images: appearance.images,
        extras: writer.extras.take(ExtrasOwner::Asset),
        ..Root::default()
    };
    root.scene = (!root.scenes.is_empty()).then(|| character.default_scene().min(root.scenes.len() - 1));
    let buffer = writer.data.finish(&mut root, buffer_uri);
    Ok((root, buffer))
}

/// The state that all steps of writing share.
struct Writer<'a> {
    character: &'a Character,
    layout: NodeLayout,
    data: Data,
    extras: ExtrasValues,
}

fn unrepresentable(place: impl Into<String>, what: impl Into<String>) -> WriteError {
    WriteError::Unrepresentable { place: place.into(), what: what.into() }
}

/// The name; `None` if it is empty.
fn named(name: &str) -> Option<String> {
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests;
