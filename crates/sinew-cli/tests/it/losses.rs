//! Each kind of loss: it is in the report, it is printed with -q, and --strict writes nothing.

use super::{TestFolder, sinew, succeed, text};
use serde_json::{Value, json};
use sinew_formats::FindingCode;
use std::{collections::BTreeSet, fs};

/// A kind of loss: its code, the ending of the file that lacks it, and how a document comes to have it.
type LossCase = (&'static str, &'static str, fn(&mut Value));

/// What reading leaves out. A cooked file is a new file, which has all of a character but nothing else.
const OMISSIONS: [LossCase; 13] = [
    ("primitive-empty", "sinew", |it| {
        push(&mut it["meshes"][0]["primitives"], json!({ "attributes": { "_ID": 0 } }));
    }),
    ("channel-duplicate", "sinew", |it| {
        let channel = it["animations"][0]["channels"][0].clone();
        push(&mut it["animations"][0]["channels"], channel);
    }),
    ("image-missing", "sinew", |it| it["images"] = json!([{ "uri": "gone.png" }])),
    ("events-ignored", "sinew", |it| {
        it["animations"][0]["extras"]["sinew"]["events"] = json!([{ "time": "soon" }]);
    }),
    ("helper-ignored", "sinew", |it| it["nodes"][0]["extras"]["sinew"]["helpers"] = json!([{ "name": 1 }])),
    ("joint-data-ignored", "sinew", |it| it["nodes"][0]["extras"]["sinew"]["scale"] = "sideways".into()),
    ("constraint-ignored", "sinew", |it| {
        let constraint = json!({ "specVersion": "1.0", "constraint": { "rotation": { "source": 99 } } });
        it["nodes"][0]["extensions"]["VRMC_node_constraint"] = constraint;
        it["extensionsUsed"] = json!(["VRMC_node_constraint"]);
    }),
    ("channel-ignored", "sinew", |it| {
        push(
            &mut it["animations"][0]["channels"],
            json!({ "sampler": 0, "target": { "node": 0, "path": "fog" } }),
        );
    }),
    ("clip-empty", "sinew", |it| push(&mut it["animations"], json!({ "channels": [], "samplers": [] }))),
    ("attribute-ignored", "sinew", |it| {
        let position = it["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
        it["meshes"][0]["primitives"][0]["attributes"]["_CUSTOM"] = position;
    }),
    ("attribute-ignored", "sinew", |it| {
        let position = it["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
        it["meshes"][0]["primitives"][0]["targets"] = json!([{ "COLOR_0": position }]);
    }),
    ("extension-ignored", "sinew", |it| it["extensionsUsed"] = json!(["ACME_stars"])),
    ("camera-ignored", "sinew", |it| it["cameras"] = json!([{ "type": "perspective" }])),
];

/// Codes that only FBX files have; the tests of `sinew-formats` write such files.
const OF_FBX: [FindingCode; 2] = [FindingCode::ElementIgnored, FindingCode::EndJumpIgnored];

/// What the formats of the files that are written have no place for.
const LACKS: [LossCase; 17] = [
    ("member", "sinew", |it| it["samplers"] = json!([{ "name": "smooth" }])),
    ("member", "bvh", |it| it["asset"]["extras"] = json!({ "author": "somebody" })),
    ("extension-ignored", "bvh", |it| it["extensionsUsed"] = json!(["ACME_stars"])),
    ("mesh", "bvh", |_| {}),
    ("skin", "bvh", |_| {}),
    ("material", "bvh", |it| it["materials"] = json!([{}])),
    ("image", "bvh", |it| it["images"] = json!([{ "uri": "gone.png" }])),
    ("morph-channel", "bvh", |it| {
        let position = it["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
        it["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": position }]);
        let node = it["nodes"].as_array().unwrap().iter().position(|node| node.get("mesh").is_some());
        let times = it["animations"][0]["samplers"][0]["input"].clone();
        push(&mut it["animations"][0]["samplers"], json!({ "input": times, "output": times }));
        let sampler = it["animations"][0]["samplers"].as_array().unwrap().len() - 1;
        let target = json!({ "node": node.unwrap(), "path": "weights" });
        push(&mut it["animations"][0]["channels"], json!({ "sampler": sampler, "target": target }));
    }),
    ("scale-channel", "bvh", |it| {
        let times = it["animations"][0]["samplers"][0]["input"].as_u64().unwrap() as usize;
        let (count, scales) =
            (it["accessors"][times]["count"].clone(), it["accessors"].as_array().unwrap().len());
        push(&mut it["accessors"], json!({ "componentType": 5126, "count": count, "type": "VEC3" }));
        push(&mut it["animations"][0]["samplers"], json!({ "input": times, "output": scales }));
        let sampler = it["animations"][0]["samplers"].as_array().unwrap().len() - 1;
        let target = json!({ "node": 0, "path": "scale" });
        push(&mut it["animations"][0]["channels"], json!({ "sampler": sampler, "target": target }));
    }),
    ("event", "bvh", |it| {
        it["animations"][0]["extras"]["sinew"]["events"] = json!([{ "time": 0.5, "name": "step" }]);
    }),
    ("node-constraint", "bvh", |it| {
        let constraint = json!({ "specVersion": "1.0", "constraint": { "rotation": { "source": 0 } } });
        it["nodes"][1]["extensions"]["VRMC_node_constraint"] = constraint;
        it["extensionsUsed"] = json!(["VRMC_node_constraint"]);
    }),
    ("spring", "bvh", |it| {
        let springs = json!([{ "joints": [{ "node": 0 }, { "node": 1 }] }]);
        it["extensions"]["VRMC_springBone"] = json!({ "specVersion": "1.0", "springs": springs });
        it["extensionsUsed"] = json!(["VRMC_springBone"]);
    }),
    ("humanoid", "bvh", |it| it["extras"]["sinew"]["humanoid"] = json!({ "hips": 0 })),
    ("method", "bvh", |it| it["extras"]["sinew"]["method"] = "dual-quat".into()),
    ("copyright", "bvh", |it| it["asset"]["copyright"] = "somebody".into()),
    ("extras", "bvh", |it| it["extras"]["note"] = 1.into()),
    ("camera-ignored", "bvh", |it| it["cameras"] = json!([{ "type": "perspective" }])),
];

fn push(list: &mut Value, item: Value) {
    if list.is_null() {
        *list = json!([]);
    }
    list.as_array_mut().unwrap().push(item);
}

/// Writes the document of a case in a format, and checks that its loss is reported, printed and forbidden by --strict.
fn assert_lost((code, ending, change): &LossCase) {
    let folder = TestFolder::new();
    let (input, output, report) =
        (folder.path("in.gltf"), folder.path(&format!("out.{ending}")), folder.path("r.json"));
    succeed(&["-q", "convert", "builtin:arm", text(&input)]);
    let mut document: Value = serde_json::from_slice(&fs::read(&input).unwrap()).unwrap();
    change(&mut document);
    fs::write(&input, document.to_string()).unwrap();
    let convert = ["-q", "convert", text(&input), text(&output), "--clip", "0", "--report", text(&report)];
    let strict = sinew(&[&convert[..], &["--strict"]].concat());
    let said = String::from_utf8(strict.stderr).unwrap();
    assert_eq!(strict.status.code(), Some(1), "{code}: {said}");
    assert!(said.contains("--strict forbids"), "{code}: {said}");
    assert!(!output.exists(), "{code}: it was written");
    let lenient = sinew(&convert);
    let said = String::from_utf8(lenient.stderr).unwrap();
    assert!(lenient.status.success(), "{code}: {said}");
    assert!(said.contains(&format!("dropped: {code} at ")), "{code}: {said}");
    let report: Value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
    let entries = report["write"].as_array().unwrap();
    let entry = entries.iter().find(|entry| entry["outcome"] == "dropped" && entry["code"] == *code);
    let entry = entry.unwrap_or_else(|| panic!("{code}: {report}"));
    assert!(entry["place"].as_str().is_some_and(|place| !place.is_empty()), "{entry}");
    assert!(entry["count"].as_u64().is_some_and(|count| count > 0), "{entry}");
}

#[test]
fn what_reading_left_out_is_reported_by_other_files_and_forbidden_by_strict() {
    OMISSIONS.iter().for_each(assert_lost);
    let tried: BTreeSet<&str> = OMISSIONS.iter().map(|case| case.0).collect();
    let omissions = FindingCode::ALL.iter().filter(|code| code.is_omission() && !OF_FBX.contains(code));
    assert_eq!(tried, omissions.map(|code| code.as_str()).collect(), "every omission has a case");
}

#[test]
fn what_a_format_has_no_place_for_is_reported_and_forbidden_by_strict() {
    LACKS.iter().for_each(assert_lost);
}

#[test]
fn a_file_that_keeps_everything_is_written_with_strict() {
    let folder = TestFolder::new();
    let (input, output) = (folder.path("in.gltf"), folder.path("out.glb"));
    succeed(&["-q", "convert", "builtin:arm", text(&input)]);
    for (code, _, change) in OMISSIONS.iter().chain(&LACKS) {
        let mut document: Value = serde_json::from_slice(&fs::read(&input).unwrap()).unwrap();
        change(&mut document);
        let changed = folder.path("changed.gltf");
        fs::write(&changed, document.to_string()).unwrap();
        let done = sinew(&["-q", "convert", text(&changed), text(&output), "--strict", "--force"]);
        assert!(done.status.success(), "{code}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

#[test]
fn chunks_and_graphs_are_reported_by_files_without_them() {
    let folder = TestFolder::new();
    let (glb, cooked) = (folder.path("arm.glb"), folder.path("arm.sinew"));
    succeed(&["-q", "convert", "builtin:arm", text(&glb)]);
    let mut bytes = fs::read(&glb).unwrap();
    bytes.extend(*b"\x04\0\0\0ACMEdata");
    let length = (bytes.len() as u32).to_le_bytes();
    bytes[8..12].copy_from_slice(&length);
    fs::write(&glb, bytes).unwrap();
    let error = super::fail(&["-q", "convert", text(&glb), text(&cooked), "--strict"], 1);
    assert!(error.contains("dropped: chunk at the file"), "{error}");
    let graph = folder.path("move.ron");
    let clip = super::succeed_json(&["clips", "list", text(&glb), "--json"])["clips"][0]["name"].clone();
    fs::write(&graph, format!("(nodes: {{\"move\": Clip(clip: {clip})}}, output: \"move\")")).unwrap();
    succeed(&["-q", "cook", text(&glb), "-o", text(&cooked), "--graph", text(&graph)]);
    let plain = folder.path("plain.glb");
    let error = super::fail(&["-q", "convert", text(&cooked), text(&plain), "--strict"], 1);
    assert!(error.contains("dropped: graph at graphs"), "{error}");
    assert!(!plain.exists());
}
