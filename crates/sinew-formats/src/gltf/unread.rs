//! What the reader passes by without a finding: members of a document that the character has no place for. Saving into the
//! document carries them; other files lack them.

use super::source::{GltfSource, SourceContainer};
use crate::write_report::{Outcome, WriteReport};
use serde_json::Value;
use sinew::Character;
use std::collections::BTreeMap;

/// Adds what a file that is not the document of the character lacks of it.
pub(crate) fn drop_source(character: &Character, report: &mut WriteReport) {
    let Some(source) = character.source().downcast::<GltfSource>() else { return };
    report.drop_omissions(&source.report);
    for (place, count) in unread_members(&source.json) {
        report.add(Outcome::Dropped, "member", place, count, "a new file has no place for it");
    }
    if let SourceContainer::Glb { others, .. } = &source.container {
        let detail = "chunks that are neither JSON nor the buffer";
        report.add(Outcome::Dropped, "chunk", "the file", others.len(), detail);
    }
}

/// The members that no part of a character stands for, by their path without indices, with how often they occur.
/// Extensions and cameras are left out: they have findings of their own.
fn unread_members(json: &str) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    if let Ok(document) = serde_json::from_str(json) {
        visit("", &document, &mut out);
    }
    out
}

fn visit(path: &str, value: &Value, out: &mut BTreeMap<String, usize>) {
    match value {
        Value::Object(object) => {
            let Some(read) = members_read(path) else { return };
            for (key, value) in object.iter().filter(|(key, _)| !is_found_elsewhere(path, key)) {
                let place = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                match read.contains(&key.as_str()) {
                    true => visit(&place, value, out),
                    false => *out.entry(place).or_default() += 1,
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|value| visit(&format!("{path}[]"), value, out)),
        _ => {}
    }
}

/// True for members that other entries of reports are about.
fn is_found_elsewhere(path: &str, key: &str) -> bool {
    key == "extensions" || (path.is_empty() && key == "cameras") || (path == "nodes[]" && key == "camera")
}

/// The members of an element that the reader uses, and those that only say how a file is stored; `None` for values that
/// are read as a whole.
fn members_read(path: &str) -> Option<&'static [&'static str]> {
    Some(match path {
        "" => &[
            "asset",
            "extensionsUsed",
            "extensionsRequired",
            "scene",
            "scenes",
            "nodes",
            "meshes",
            "skins",
            "animations",
            "materials",
            "textures",
            "samplers",
            "images",
            "accessors",
            "bufferViews",
            "buffers",
            "extras",
        ],
        "asset" => &["version", "minVersion", "generator", "copyright"],
        "scenes[]" => &["name", "nodes", "extras"],
        "nodes[]" => &[
            "name",
            "children",
            "matrix",
            "translation",
            "rotation",
            "scale",
            "mesh",
            "skin",
            "weights",
            "extras",
        ],
        "meshes[]" => &["name", "primitives", "weights", "extras"],
        "meshes[].primitives[]" => &["attributes", "indices", "material", "mode", "targets", "extras"],
        "skins[]" => &["name", "joints", "inverseBindMatrices", "skeleton", "extras"],
        "animations[]" => &["name", "channels", "samplers", "extras"],
        "animations[].channels[]" => &["sampler", "target"],
        "animations[].channels[].target" => &["node", "path"],
        "animations[].samplers[]" => &["input", "output", "interpolation"],
        "materials[]" => &[
            "name",
            "pbrMetallicRoughness",
            "normalTexture",
            "occlusionTexture",
            "emissiveTexture",
            "emissiveFactor",
            "alphaMode",
            "alphaCutoff",
            "doubleSided",
            "extras",
        ],
        "materials[].pbrMetallicRoughness" => &[
            "baseColorFactor",
            "baseColorTexture",
            "metallicFactor",
            "roughnessFactor",
            "metallicRoughnessTexture",
        ],
        "materials[].pbrMetallicRoughness.baseColorTexture"
        | "materials[].pbrMetallicRoughness.metallicRoughnessTexture"
        | "materials[].emissiveTexture" => &["index", "texCoord"],
        "materials[].normalTexture" => &["index", "texCoord", "scale"],
        "materials[].occlusionTexture" => &["index", "texCoord", "strength"],
        "textures[]" => &["source", "sampler"],
        "samplers[]" => &["magFilter", "wrapS", "wrapT"],
        "images[]" => &["name", "uri", "mimeType", "bufferView", "extras"],
        "accessors[]" => &[
            "bufferView",
            "byteOffset",
            "componentType",
            "normalized",
            "count",
            "type",
            "min",
            "max",
            "sparse",
        ],
        "accessors[].sparse" => &["count", "indices", "values"],
        "accessors[].sparse.indices" => &["bufferView", "byteOffset", "componentType"],
        "accessors[].sparse.values" => &["bufferView", "byteOffset"],
        "bufferViews[]" => &["buffer", "byteOffset", "byteLength", "byteStride", "target"],
        "buffers[]" => &["byteLength", "uri"],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_without_a_place_in_a_character_are_counted_by_their_path() {
        let text = r#"{
            "asset": { "version": "2.0", "generator": "x", "extras": { "author": "y" } },
            "cameras": [{ "type": "perspective", "name": "eye" }],
            "nodes": [{ "camera": 0, "extensions": { "A": { "b": 1 } }, "extras": { "any": { "thing": 1 } } }, { "future": 1 }],
            "samplers": [{ "name": "smooth", "minFilter": 9987 }, { "name": "sharp" }],
            "materials": [{ "normalTexture": { "index": 0, "scale": 2, "blur": 1 } }],
            "accessors": [{ "count": 1, "name": "keys", "sparse": { "indices": { "extras": 1 } } }]
        }"#;
        let found: Vec<(String, usize)> = unread_members(text).into_iter().collect();
        let expected = [
            ("accessors[].name", 1),
            ("accessors[].sparse.indices.extras", 1),
            ("asset.extras", 1),
            ("materials[].normalTexture.blur", 1),
            ("nodes[].future", 1),
            ("samplers[].minFilter", 1),
            ("samplers[].name", 2),
        ];
        assert_eq!(found, expected.map(|(place, count)| (place.to_owned(), count)));
    }
}
