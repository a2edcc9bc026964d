//! Small files with thousands of meshes, joint slots, instances or clips: each would take minutes if work grew with the
//! product of two counts.

use super::{TestFolder, sinew, succeed, succeed_json, text};
use serde_json::{Value, json};
use std::{fs, path::PathBuf};

/// A document with a triangle, weights for it, a turn of two keys, and `joints` joints up the y axis.
fn document(joints: usize) -> Value {
    let joint = |n: usize| match n {
        0 => json!({ "name": "joint 0", "children": [1] }),
        n if n + 1 < joints => {
            json!({ "name": format!("joint {n}"), "translation": [0, 0.5, 0], "children": [n + 1] })
        }
        n => json!({ "name": format!("joint {n}"), "translation": [0, 0.5, 0] }),
    };
    let view =
        |offset: usize, length: usize| json!({ "buffer": 0, "byteOffset": offset, "byteLength": length });
    let floats = |view: usize, count: usize, kind: &str| json!({ "bufferView": view, "componentType": 5126, "count": count, "type": kind });
    json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "uri": "data.bin", "byteLength": 136 }],
        "bufferViews": [view(0, 36), view(36, 48), view(84, 12), view(96, 8), view(104, 32)],
        "accessors": [
            floats(0, 3, "VEC3"),
            floats(1, 3, "VEC4"),
            { "bufferView": 2, "componentType": 5121, "count": 3, "type": "VEC4" },
            floats(3, 2, "SCALAR"),
            floats(4, 2, "VEC4"),
        ],
        "nodes": (0..joints).map(joint).collect::<Vec<_>>(),
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "WEIGHTS_0": 1, "JOINTS_0": 2 } }] }],
    })
}

/// The content of the buffer of [`document`].
fn buffer() -> Vec<u8> {
    let positions = [[0.2_f32, 0.0, 0.0], [-0.2, 0.5, 0.0], [0.0, 1.0, 0.2]];
    let weights = [[1.0_f32, 0.0, 0.0, 0.0]; 3];
    let slots = [[0_u8; 4], [1, 0, 0, 0], [1, 0, 0, 0]];
    let turn = [[0.0_f32, 0.0, 0.0, 1.0], [0.6, 0.0, 0.0, 0.8]];
    let mut out: Vec<u8> = positions.iter().flatten().flat_map(|f| f.to_le_bytes()).collect();
    out.extend(weights.iter().flatten().flat_map(|f| f.to_le_bytes()));
    out.extend(slots.iter().flatten());
    out.extend([0.0_f32, 1.0].iter().flat_map(|f| f.to_le_bytes()));
    out.extend(turn.iter().flatten().flat_map(|f| f.to_le_bytes()));
    out
}

fn written(folder: &TestFolder, document: &Value) -> PathBuf {
    let path = folder.path("thousands.gltf");
    fs::write(&path, document.to_string()).unwrap();
    fs::write(folder.path("data.bin"), buffer()).unwrap();
    path
}

#[test]
fn meshes_share_what_belongs_to_their_skin_of_forty_thousand_slots() {
    const MESHES: usize = 300;
    let mut document = document(3);
    let mut slots = vec![0, 1, 2];
    slots.extend([1].repeat(40_000));
    document["nodes"][1]["name"] = "long name ".repeat(6000).into();
    document["skins"] = json!([{ "joints": slots }]);
    document["meshes"] = vec![document["meshes"][0].clone(); MESHES].into();
    let nodes = document["nodes"].as_array_mut().unwrap();
    nodes.extend((0..MESHES).map(|mesh| json!({ "mesh": mesh, "skin": 0 })));
    let folder = TestFolder::new();
    let path = written(&folder, &document);
    for method in ["voxel", "heat", "biharmonic"] {
        let shown = succeed(&["weights", "auto", text(&path), "--method", method, "--resolution", "20"]);
        assert!(shown.contains("joints without weight (40") && shown.len() < 2_000_000, "{}", shown.len());
    }
    let output = sinew(&["check", text(&path), "--quiet", "--max-memory", "1GiB"]);
    assert!(output.status.code().is_some_and(|code| code < 3), "{output:?}");
    let smoothed = succeed_json(&["weights", "smooth", text(&path), "--json"]);
    assert_eq!(smoothed["meshes"].as_array().unwrap().len(), MESHES);
}

#[test]
fn instances_of_a_triangle_are_drawn() {
    let mut document = document(1);
    document["nodes"] = vec![json!({ "mesh": 0 }); 60_000].into();
    let folder = TestFolder::new();
    let path = written(&folder, &document);
    let picture = folder.name("picture.png");
    succeed(&["render", text(&path), "-o", &picture, "--size", "64x64", "-q"]);
}

#[test]
fn clips_are_checked() {
    let mut document = document(3);
    document["skins"] = json!([{ "joints": [0, 1, 2] }]);
    document["nodes"].as_array_mut().unwrap().push(json!({ "mesh": 0, "skin": 0 }));
    let clip = json!({
        "samplers": [{ "input": 3, "output": 4 }],
        "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }],
    });
    document["animations"] = vec![clip; 100_000].into();
    let folder = TestFolder::new();
    let path = written(&folder, &document);
    let output = sinew(&["check", text(&path), "--quiet"]);
    assert!(output.status.code().is_some_and(|code| code < 3), "{output:?}");
}
