//! Accessors, views, buffers, meshes and skins.

use super::{OddCase, OddDocument};
use crate::hostile::document::{F32, IDENTITY, U8, U16, push};
use serde_json::json;

pub(super) const CASES: &[OddCase] = &[
    ("interleaved attributes", interleaved),
    ("padded attributes", padded),
    ("one view for all", one_view),
    ("overlapping views", overlapping),
    ("an accessor with two uses", two_uses),
    ("primitives with common attributes", common_attributes),
    ("meshes with common attributes", common_meshes),
    ("sparse positions", sparse_positions),
    ("sparse zeros", sparse_zeros),
    ("an accessor without data", |it| {
        let zeros = push(
            &mut it.json["accessors"],
            json!({ "componentType": F32, "count": 4, "type": "VEC2", "name": "zeros" }),
        );
        it.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_1"] = zeros.into();
    }),
    ("unused accessors, views and bytes", unused),
    ("several buffers", several_buffers),
    ("a second buffer without users", |it| {
        it.own_buffer();
        push(
            &mut it.json["buffers"],
            json!({ "byteLength": 4, "uri": "data:;base64,AAECAw", "name": "spare" }),
        );
    }),
    ("integers for everything", integers),
    ("narrow and wide indices", indices),
    ("every topology", topologies),
    ("morph targets of colors and coordinates", morph_attributes),
    ("morph targets of one primitive of two", |it| {
        let mut second = it.json["meshes"][0]["primitives"][0].clone();
        second.as_object_mut().unwrap().remove("targets");
        push(&mut it.json["meshes"][0]["primitives"], second);
    }),
    ("attributes of another program", custom_attributes),
    ("a primitive without positions", |it| {
        let primitive = json!({ "attributes": { "_ID": 1 }, "extras": 1 });
        it.json["meshes"][0]["primitives"].as_array_mut().unwrap().insert(0, primitive);
    }),
    ("a mesh with two skins", two_skins),
    ("a mesh with and without a skin", |it| {
        push(&mut it.json["nodes"], json!({ "mesh": 0, "translation": [2, 0, 0], "weights": [0.25, 0.75] }));
        it.json["nodes"][0]["children"] = json!([1, 3, 5]);
    }),
    ("a skeleton beside its joints", |it| it.json["skins"][0]["skeleton"] = 4.into()),
    ("no skeleton", |it| it.remove("/skins/0/skeleton")),
    ("skins with common joints and matrices", common_skins),
    ("no matrices", |it| it.remove("/skins/0/inverseBindMatrices")),
    ("more matrices than joints", |it| {
        let binds = it.floats("MAT4", 16, &IDENTITY.repeat(5));
        it.json["skins"][0]["inverseBindMatrices"] = binds.into();
    }),
    ("joints in another order", |it| it.json["skins"][0]["joints"] = json!([2, 0, 1])),
    ("a skin without users", |it| {
        push(&mut it.json["skins"], json!({ "joints": [1], "name": "spare" }));
    }),
    ("weights without a skin", |it| it.remove("/nodes/3/skin")),
    ("a skin for a mesh without weights", |it| it.json["nodes"][4]["skin"] = 0.into()),
    ("a skinned mesh below a joint", |it| {
        it.json["nodes"][0]["children"] = json!([1]);
        it.json["nodes"][2]["children"] = json!([3]);
    }),
    ("a mesh on many nodes", |it| {
        it.json["nodes"][0]["mesh"] = 1.into();
        it.json["nodes"][1]["mesh"] = 1.into();
    }),
    ("instances", instances),
    ("a mesh without users", |it| {
        push(
            &mut it.json["meshes"],
            json!({ "name": "spare", "primitives": [{ "attributes": { "POSITION": 0 } }] }),
        );
    }),
];

const QUAD: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];

/// Positions, normals and coordinates vertex by vertex.
fn interleaved(it: &mut OddDocument) {
    let vertex = |p: &[f32; 3]| [p[0], p[1], p[2], 0.0, 0.0, 1.0, p[0], p[1]];
    let bytes: Vec<u8> = QUAD.iter().flat_map(vertex).flat_map(f32::to_le_bytes).collect();
    let view = it.view(&bytes);
    it.json["bufferViews"][view]["byteStride"] = 32.into();
    it.json["bufferViews"][view]["target"] = 34962.into();
    for (name, kind, offset) in [("POSITION", "VEC3", 0), ("NORMAL", "VEC3", 12), ("TEXCOORD_0", "VEC2", 24)]
    {
        let accessor = json!({
            "bufferView": view, "byteOffset": offset, "componentType": F32, "count": 4, "type": kind,
            "min": [0, 0, 0], "max": [1, 1, 0]
        });
        let accessor = push(&mut it.json["accessors"], accessor);
        it.json["meshes"][0]["primitives"][0]["attributes"][name] = accessor.into();
    }
}

/// A stride with bytes that belong to nobody.
fn padded(it: &mut OddDocument) {
    let vertex = |p: &[f32; 3]| [p[0], p[1], p[2], f32::NAN];
    let bytes: Vec<u8> = QUAD.iter().flat_map(vertex).flat_map(f32::to_le_bytes).collect();
    let positions = it.accessor("VEC3", F32, 4, &bytes);
    let view = it.json["accessors"][positions]["bufferView"].as_u64().unwrap() as usize;
    it.json["bufferViews"][view]["byteStride"] = 16.into();
    it.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = positions.into();
    let joints = it.accessor("VEC4", U8, 4, &[[0, 1, 0, 0, 99, 99, 99, 99]; 4].concat());
    let view = it.json["accessors"][joints]["bufferView"].as_u64().unwrap() as usize;
    it.json["bufferViews"][view]["byteStride"] = 8.into();
    it.json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"] = joints.into();
}

/// Every accessor with an offset into one view.
fn one_view(it: &mut OddDocument) {
    let views = it.json["bufferViews"].as_array().unwrap().clone();
    let start = |view: &serde_json::Value| views[view.as_u64().unwrap() as usize]["byteOffset"].clone();
    for accessor in it.json["accessors"].as_array_mut().unwrap() {
        if let Some(view) = accessor.get("bufferView") {
            accessor["byteOffset"] = start(view);
            accessor["bufferView"] = 0.into();
        }
        if let Some(sparse) = accessor.get_mut("sparse") {
            for part in ["indices", "values"] {
                sparse[part]["byteOffset"] = start(&sparse[part]["bufferView"]);
                sparse[part]["bufferView"] = 0.into();
            }
        }
    }
    let image = it.json["images"][0]["bufferView"].as_u64().unwrap() as usize;
    it.json["images"][0]["bufferView"] = 1.into();
    it.json["bufferViews"] = json!([{ "buffer": 0, "byteLength": it.bin.len() }, views[image]]);
}

/// Two accessors over the same bytes.
fn overlapping(it: &mut OddDocument) {
    let attributes = it.json["meshes"][0]["primitives"][0]["attributes"].clone();
    for name in ["POSITION", "WEIGHTS_0"] {
        let accessor = attributes[name].as_u64().unwrap() as usize;
        let copy = it.json["accessors"][accessor].clone();
        let view = it.json["bufferViews"][copy["bufferView"].as_u64().unwrap() as usize].clone();
        let view = push(&mut it.json["bufferViews"], view);
        let copy = push(&mut it.json["accessors"], copy);
        it.json["accessors"][copy]["bufferView"] = view.into();
        it.json["meshes"][0]["primitives"][0]["attributes"][format!("_COPY_OF_{name}")] = copy.into();
    }
}

fn two_uses(it: &mut OddDocument) {
    let attributes = &mut it.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["_REST"] = attributes["POSITION"].clone();
    attributes["_NORMAL"] = attributes["NORMAL"].clone();
    attributes["TEXCOORD_1"] = attributes["TEXCOORD_0"].clone();
}

/// Primitives that differ in their faces alone, as many exporters write them.
fn common_attributes(it: &mut OddDocument) {
    let mut second = it.json["meshes"][0]["primitives"][0].clone();
    second["indices"] = it.accessor("SCALAR", U16, 3, &[0, 0, 2, 0, 3, 0]).into();
    second.as_object_mut().unwrap().remove("material");
    push(&mut it.json["meshes"][0]["primitives"], second);
}

fn common_meshes(it: &mut OddDocument) {
    let mut copy = it.json["meshes"][0].clone();
    copy["name"] = "copy".into();
    let mesh = push(&mut it.json["meshes"], copy);
    push(&mut it.json["nodes"], json!({ "name": "copy", "mesh": mesh, "skin": 0 }));
}

fn sparse_positions(it: &mut OddDocument) {
    let position = it.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap() as usize;
    let (indices, values) =
        (it.view(&[1, 0, 3, 0]), it.view(&[2.0_f32, 0.0, 0.0, 0.0, 2.0, 0.0].map(f32::to_le_bytes).concat()));
    it.json["accessors"][position]["sparse"] = json!({
        "count": 2, "indices": { "bufferView": indices, "componentType": U16 }, "values": { "bufferView": values }
    });
    it.json["accessors"][position]["min"] = json!([0, 0, 0]);
    it.json["accessors"][position]["max"] = json!([2, 2, 0]);
}

/// Weights of which only some are stored.
fn sparse_zeros(it: &mut OddDocument) {
    let indices = it.view(&[0, 1, 2, 3]);
    let values = it.view(&[1.0_f32, 0.0, 0.0, 0.0].map(f32::to_le_bytes).concat().repeat(4));
    let accessor = json!({
        "componentType": F32, "count": 4, "type": "VEC4", "sparse": {
            "count": 4, "indices": { "bufferView": indices, "componentType": U8 }, "values": { "bufferView": values }
        }
    });
    let accessor = push(&mut it.json["accessors"], accessor);
    let attributes = &mut it.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["WEIGHTS_0"] = accessor.into();
    attributes.as_object_mut().unwrap().remove("JOINTS_1");
    attributes.as_object_mut().unwrap().remove("WEIGHTS_1");
}

fn unused(it: &mut OddDocument) {
    it.floats("VEC3", 3, &[9.0; 9]);
    it.view(b"bytes of nobody");
    it.bin.extend(b"after the last view");
    let indices = it.accessor("SCALAR", U16, 6, &[0, 0, 1, 0, 2, 0, 0, 0, 2, 0, 3, 0]);
    it.json["meshes"][0]["primitives"][0]["indices"] = indices.into();
}

/// Positions in a buffer of their own, in the text.
fn several_buffers(it: &mut OddDocument) {
    it.own_buffer();
    let data: Vec<u8> = QUAD.iter().flatten().flat_map(|f| f.to_le_bytes()).collect();
    let buffer = push(
        &mut it.json["buffers"],
        json!({ "byteLength": data.len(), "uri": super::data_uri(&data), "extras": { "second": true } }),
    );
    let view = push(
        &mut it.json["bufferViews"],
        json!({ "buffer": buffer, "byteLength": data.len(), "byteStride": 12 }),
    );
    let accessor = json!({ "bufferView": view, "componentType": F32, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] });
    let accessor = push(&mut it.json["accessors"], accessor);
    it.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = accessor.into();
}

fn integers(it: &mut OddDocument) {
    let uvs: Vec<u8> =
        [0_u16, 0, 65535, 0, 65535, 65535, 0, 65535].iter().flat_map(|v| v.to_le_bytes()).collect();
    let uvs = it.accessor("VEC2", U16, 4, &uvs);
    let weights = it.accessor("VEC4", U8, 4, &[127, 128, 0, 0].repeat(4));
    let colors = it.accessor("VEC4", U8, 4, &[255, 128, 0, 255].repeat(4));
    for (name, accessor) in [("TEXCOORD_0", uvs), ("WEIGHTS_0", weights), ("COLOR_0", colors)] {
        it.json["accessors"][accessor]["normalized"] = true.into();
        it.json["meshes"][0]["primitives"][0]["attributes"][name] = accessor.into();
    }
    for name in ["JOINTS_1", "WEIGHTS_1"] {
        it.remove(&format!("/meshes/0/primitives/0/attributes/{name}"));
    }
    let positions: Vec<u8> =
        [0_i16, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let positions = it.accessor("VEC3", 5122, 4, &positions);
    let view = it.json["accessors"][positions]["bufferView"].as_u64().unwrap() as usize;
    it.json["bufferViews"][view]["byteStride"] = 8.into();
    it.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = positions.into();
    it.declare(&["KHR_mesh_quantization"]);
    it.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
}

fn indices(it: &mut OddDocument) {
    let narrow = it.accessor("SCALAR", U8, 6, &[0, 1, 2, 0, 2, 3]);
    let wide: Vec<u8> = [3_u32, 2, 1, 3, 1, 0].iter().flat_map(|i| i.to_le_bytes()).collect();
    let wide = it.accessor("SCALAR", 5125, 6, &wide);
    let mut second = it.json["meshes"][0]["primitives"][0].clone();
    it.json["meshes"][0]["primitives"][0]["indices"] = narrow.into();
    second["indices"] = wide.into();
    push(&mut it.json["meshes"][0]["primitives"], second);
}

/// Points, lines, loops, strips and fans over the same vertices, with and without indices.
fn topologies(it: &mut OddDocument) {
    let position = it.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
    let list = it.accessor("SCALAR", U8, 4, &[3, 1, 2, 0]);
    let primitives = (0..=6).flat_map(|mode| {
        let plain =
            json!({ "attributes": { "POSITION": position }, "mode": mode, "extras": { "mode": mode } });
        let mut listed = plain.clone();
        listed["indices"] = list.into();
        [plain, listed]
    });
    it.json["meshes"][1]["primitives"] = primitives.collect();
}

fn morph_attributes(it: &mut OddDocument) {
    let (uvs, colors) = (it.floats("VEC2", 2, &[0.25; 8]), it.floats("VEC4", 4, &[0.125; 16]));
    let targets = &mut it.json["meshes"][0]["primitives"][0]["targets"];
    targets[0]["TEXCOORD_0"] = uvs.into();
    targets[0]["COLOR_0"] = colors.into();
    targets[1]["TEXCOORD_0"] = uvs.into();
    targets[1]["_WIND"] = uvs.into();
}

fn custom_attributes(it: &mut OddDocument) {
    let ids = it.floats("SCALAR", 1, &[0.0, 1.0, 2.0, 3.0]);
    let frames = it.floats("MAT3", 9, &[1.0; 36]);
    let bytes = it.accessor("VEC4", U8, 4, &[1; 16]);
    let attributes = &mut it.json["meshes"][0]["primitives"][0]["attributes"];
    for (name, accessor) in [("_ID", ids), ("_FRAME", frames), ("COLOR_1", bytes), ("_FEATURE_ID_0", ids)] {
        attributes[name] = accessor.into();
    }
    let uvs = attributes["TEXCOORD_0"].clone();
    attributes["TEXCOORD_1"] = uvs.clone();
    attributes["TEXCOORD_2"] = uvs;
}

fn two_skins(it: &mut OddDocument) {
    let mut second = it.json["skins"][0].clone();
    second["joints"] = json!([2, 1, 0]);
    second["name"] = "turned".into();
    let skin = push(&mut it.json["skins"], second);
    push(&mut it.json["nodes"], json!({ "name": "second", "mesh": 0, "skin": skin }));
}

fn common_skins(it: &mut OddDocument) {
    let mut second = it.json["skins"][0].clone();
    second["extras"] = json!({ "which": 2 });
    push(&mut it.json["skins"], second);
    let binds = it.json["skins"][0]["inverseBindMatrices"].clone();
    push(&mut it.json["skins"], json!({ "joints": [0, 1], "inverseBindMatrices": binds }));
    it.json["nodes"][4]["skin"] = 1.into();
}

fn instances(it: &mut OddDocument) {
    let places = it.floats("VEC3", 3, &[0.0, 0.0, 0.0, 5.0, 0.0, 0.0]);
    let shared = it.json["meshes"][1]["primitives"][0]["attributes"]["POSITION"].clone();
    it.json["nodes"][4]["extensions"]["EXT_mesh_gpu_instancing"] =
        json!({ "attributes": { "TRANSLATION": places, "_COLOR": shared } });
    it.declare(&["EXT_mesh_gpu_instancing"]);
}
