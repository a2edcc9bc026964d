//! A real file: the fox as gltf-transform compressed it.

use crate::meshopt::{Filter, MeshoptMode, decode};
use serde_json::Value;
use std::path::Path;

/// The JSON and the binary chunk of a GLB of the corpus.
fn read_glb(name: &str) -> Option<(Value, Vec<u8>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(name);
    let Ok(glb) = std::fs::read(&path) else {
        println!("skipped: {} is missing", path.display());
        return None;
    };
    let json_len = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let (json, binary) = glb[20..].split_at(json_len);
    Some((serde_json::from_slice(json).unwrap(), binary[8..].to_vec()))
}

fn number(object: &Value, key: &str) -> usize {
    object[key].as_u64().unwrap_or(0) as usize
}

/// The buffer view's bytes, unpacked when it is compressed.
fn view_bytes(json: &Value, binary: &[u8], view: usize) -> Vec<u8> {
    let view = &json["bufferViews"][view];
    let packed = &view["extensions"]["EXT_meshopt_compression"];
    if packed.is_null() {
        return binary[number(view, "byteOffset")..][..number(view, "byteLength")].to_vec();
    }
    let mode = match packed["mode"].as_str().unwrap() {
        "ATTRIBUTES" => MeshoptMode::Attributes,
        "TRIANGLES" => MeshoptMode::Triangles,
        _ => MeshoptMode::Indices,
    };
    assert!(packed["filter"].is_null(), "the fox has no filters");
    let stream = &binary[number(packed, "byteOffset")..][..number(packed, "byteLength")];
    decode(stream, mode, Filter::None, number(packed, "count"), number(packed, "byteStride")).unwrap()
}

#[test]
fn every_view_of_the_fox_unpacks_to_its_length() {
    let Some((json, binary)) = read_glb("fox_meshopt.glb") else { return };
    let views = json["bufferViews"].as_array().unwrap();
    assert_eq!(views.len(), 9);
    for (number_of, view) in views.iter().enumerate() {
        let bytes = view_bytes(&json, &binary, number_of);
        assert_eq!(bytes.len(), number(view, "byteLength"), "view {number_of}");
    }
}

/// The bytes behind an accessor, tightly packed or interleaved.
fn elements(document: &(Value, Vec<u8>), accessor: &Value) -> Vec<u8> {
    let (json, binary) = document;
    let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
    let component_len = match number(accessor, "componentType") {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        _ => 4,
    };
    let components = ["", "SCALAR", "VEC2", "VEC3", "VEC4"].iter().position(|name| accessor["type"] == *name);
    let len = component_len * components.unwrap();
    let view = number(accessor, "bufferView");
    let stride = number(&json["bufferViews"][view], "byteStride").max(len);
    let bytes = view_bytes(json, binary, view);
    let elements = bytes[number(accessor, "byteOffset")..].chunks(stride);
    elements.take(number(accessor, "count")).flat_map(|element| &element[..len]).copied().collect()
}

#[test]
fn the_compressed_fox_has_the_values_of_the_uncompressed_one() {
    let (Some(packed), Some(plain)) = (read_glb("fox_meshopt.glb"), read_glb("fox_quantized.glb")) else {
        return;
    };
    let attribute = |fox: &(Value, Vec<u8>), name: &str| {
        elements(fox, &fox.0["meshes"][0]["primitives"][0]["attributes"][name])
    };
    for (name, len) in [("JOINTS_0", 4), ("WEIGHTS_0", 4), ("POSITION", 6), ("TEXCOORD_0", 4)] {
        let got = attribute(&packed, name);
        assert_eq!(got.len(), 1728 * len, "{name}");
        assert!(got == attribute(&plain, name), "{name} differs");
    }
    for (number_of, sampler) in packed.0["animations"][0]["samplers"].as_array().unwrap().iter().enumerate() {
        let plain_sampler = &plain.0["animations"][0]["samplers"][number_of];
        for key in ["input", "output"] {
            let same = elements(&packed, &sampler[key]) == elements(&plain, &plain_sampler[key]);
            assert!(same, "the {key} of sampler {number_of} differs");
        }
    }
}
