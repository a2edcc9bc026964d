//! Every repair and omission is reported with its own code.

use super::{
    document::{F32, HostileDocument, U8, U16, push},
    import,
};
use serde_json::{Value, json};
use sinew::glam::Quat;
use sinew_formats::{FindingCode, WriteOptions, read_bytes, to_glb_with};

/// A code, where it must be found, and the document that needs it.
type Need = (FindingCode, &'static str, HostileDocument);

fn changed(change: impl FnOnce(&mut Value)) -> HostileDocument {
    let mut document = HostileDocument::everything();
    change(&mut document.json);
    document
}

/// The small document with other joints or weights in the first set.
fn influences(joints: [u8; 16], weights: [f32; 16]) -> HostileDocument {
    let mut document = HostileDocument::everything();
    let attributes = json!({
        "POSITION": document.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"],
        "JOINTS_0": document.accessor("VEC4", U8, 4, &joints),
        "WEIGHTS_0": document.floats("VEC4", 4, &weights),
    });
    document.json["meshes"][0]["primitives"][0]["attributes"] = attributes;
    document
}

/// Four vertices with the same set of four numbers.
fn same<T: Copy>(set: [T; 4]) -> [T; 16] {
    [set; 4].concat().try_into().unwrap_or_else(|_| unreachable!("four times four"))
}

fn weights() -> Vec<Need> {
    let one = same([1.0, 0.0, 0.0, 0.0]);
    let set = "meshes[0].primitives[0]";
    let lonely = changed(|j| _ = primitive(j)["attributes"].as_object_mut().unwrap().remove("WEIGHTS_1"));
    vec![
        (FindingCode::WeightsRescaled, "meshes[0]", influences([0; 16], same([0.25, 0.0, 0.0, 0.0]))),
        (FindingCode::WeightsMissing, "meshes[0]", influences([0; 16], [0.0; 16])),
        (
            FindingCode::WeightsNegative,
            "meshes[0]",
            influences(same([0, 1, 2, 0]), same([1.0, -0.5, 0.0, 0.0])),
        ),
        (
            FindingCode::DuplicateJoint,
            "meshes[0]",
            influences(same([1, 1, 0, 0]), same([0.5, 0.5, 0.0, 0.0])),
        ),
        (FindingCode::JointOutOfRange, set, influences(same([0, 99, 0, 0]), one)),
        (FindingCode::InfluenceSetIncomplete, set, lonely),
        (FindingCode::SkinUnused, "nodes[4]", changed(|j| j["nodes"][4]["mesh"] = json!(0))),
        (FindingCode::SkinUnused, "nodes[4]", changed(|j| j["nodes"][4]["skin"] = json!(0))),
    ]
}

fn nodes() -> Vec<Need> {
    let mut bent = HostileDocument::everything();
    let mut matrices = super::document::IDENTITY.repeat(3);
    matrices[15] = 2.0;
    let binds = bent.floats("MAT4", 16, &matrices);
    bent.json["skins"][0]["inverseBindMatrices"] = json!(binds);
    let sheared = json!([1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    let no_binds = changed(|j| _ = j["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices"));
    let child_first = json!([{ "name": "child" }, { "children": [0] }]);
    let mut reordered = HostileDocument::empty();
    reordered.json["nodes"] = child_first;
    vec![
        (
            FindingCode::QuaternionNotUnit,
            "nodes[1].rotation",
            changed(|j| j["nodes"][1]["rotation"] = json!([0, 0, 0, 2])),
        ),
        (
            FindingCode::QuaternionNotUnit,
            "nodes[1].rotation",
            changed(|j| j["nodes"][1]["rotation"] = json!([0, 0, 0, 0])),
        ),
        (FindingCode::MatrixSheared, "nodes[2].matrix", changed(|j| j["nodes"][2]["matrix"] = sheared)),
        (FindingCode::BindNotAffine, "skins[0].inverseBindMatrices", bent),
        (FindingCode::InverseBindsMissing, "skins[0]", no_binds),
        (FindingCode::NodesReordered, "nodes", reordered),
        (
            FindingCode::SeveralScenes,
            "scenes",
            changed(|j| _ = push(&mut j["scenes"], json!({ "nodes": [0] }))),
        ),
        (FindingCode::CameraIgnored, "cameras", changed(|j| j["cameras"] = json!([{}]))),
    ]
}

fn primitive(json: &mut Value) -> &mut Value {
    &mut json["meshes"][0]["primitives"][0]
}

/// The small document whose first mesh has a second primitive, of positions alone.
fn two_primitives() -> HostileDocument {
    changed(|j| {
        let position = primitive(j)["attributes"]["POSITION"].clone();
        push(&mut j["meshes"][0]["primitives"], json!({ "attributes": { "POSITION": position } }));
    })
}

fn meshes() -> Vec<Need> {
    let mut left_over = HostileDocument::everything();
    let indices = left_over.accessor("SCALAR", U16, 4, &[0, 0, 1, 0, 2, 0, 3, 0]);
    primitive(&mut left_over.json)["indices"] = json!(indices);
    let mut extra = HostileDocument::everything();
    let custom = extra.floats("SCALAR", 1, &[0.0; 4]);
    primitive(&mut extra.json)["attributes"]["_PAINT"] = json!(custom);
    vec![
        (FindingCode::AttributeFilled, "meshes[0].primitives[1]", two_primitives()),
        (FindingCode::MorphsFilled, "meshes[0].primitives[1]", two_primitives()),
        (
            FindingCode::MorphListLength,
            "meshes[0].weights",
            changed(|j| j["meshes"][0]["weights"] = json!([1])),
        ),
        (
            FindingCode::MorphListLength,
            "nodes[3].weights",
            changed(|j| j["nodes"][3]["weights"] = json!([1, 0, 0])),
        ),
        (
            FindingCode::MorphListLength,
            "meshes[0].extras.targetNames",
            changed(|j| j["meshes"][0]["extras"]["targetNames"] = json!(["one"])),
        ),
        (FindingCode::IndicesLeftOver, "meshes[0].primitives[0]", left_over),
        (
            FindingCode::PrimitiveEmpty,
            "meshes[1].primitives[0]",
            changed(|j| j["meshes"][1]["primitives"][0]["attributes"] = json!({})),
        ),
        (FindingCode::AttributeIgnored, "meshes[0].primitives[0]", extra),
        (FindingCode::TopologyExpanded, "meshes[1].primitives[0]", HostileDocument::everything()),
    ]
}

/// The small document whose first channel plays these rotations.
fn turning(keys: &[f32]) -> HostileDocument {
    let mut document = HostileDocument::everything();
    let output = document.floats("VEC4", 4, keys);
    document.json["animations"][0]["samplers"][0]["output"] = json!(output);
    document
}

fn clips() -> Vec<Need> {
    let channel = "animations[0].channels[0]";
    let mut strided = HostileDocument::everything();
    let bytes = [0.0_f32, 7.0, 1.0, 7.0].map(f32::to_le_bytes).concat();
    let view = strided.view(&bytes);
    strided.json["bufferViews"][view]["byteStride"] = json!(8);
    let times = json!({ "bufferView": view, "componentType": F32, "count": 2, "type": "SCALAR" });
    let times = push(&mut strided.json["accessors"], times);
    strided.json["animations"][0]["samplers"][0]["input"] = json!(times);
    let target = |path: &'static str, target: Value| {
        move |j: &mut Value| j["animations"][0]["channels"][0][path] = target
    };
    let extras =
        |events: Value| changed(|j| j["animations"][0]["extras"] = json!({ "sinew": { "events": events } }));
    vec![
        (FindingCode::QuaternionNotUnit, channel, turning(&[0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0])),
        (FindingCode::StrideNotAllowed, "accessors[", strided),
        (
            FindingCode::ChannelDuplicate,
            "animations[0].channels[4]",
            changed(|j| {
                let first = j["animations"][0]["channels"][0].clone();
                push(&mut j["animations"][0]["channels"], first);
            }),
        ),
        (FindingCode::ChannelIgnored, channel, changed(target("target", json!({ "path": "rotation" })))),
        (
            FindingCode::ChannelIgnored,
            channel,
            changed(target("target", json!({ "node": 1, "path": "weights" }))),
        ),
        (
            FindingCode::ChannelIgnored,
            channel,
            changed(target("target", json!({ "node": 1, "path": "color" }))),
        ),
        (FindingCode::ClipEmpty, "animations[1]", changed(|j| _ = push(&mut j["animations"], json!({})))),
        (FindingCode::EventsIgnored, "animations[0].extras.sinew", extras(json!("none"))),
        (
            FindingCode::EventsIgnored,
            "animations[0].extras.sinew",
            extras(json!([{ "time": -1, "name": "e" }])),
        ),
    ]
}

fn surroundings() -> Vec<Need> {
    vec![
        (
            FindingCode::ExtensionIgnored,
            "extensionsUsed",
            changed(|j| j["extensionsUsed"] = json!(["ACME_teapot"])),
        ),
        (
            FindingCode::ExtensionIgnored,
            "nodes[1]",
            changed(|j| j["nodes"][1]["extensions"] = json!({ "ACME_teapot": {} })),
        ),
        (
            FindingCode::HelperIgnored,
            "nodes[1].extras.sinew.helpers",
            changed(|j| j["nodes"][1]["extras"] = json!({ "sinew": { "helpers": [{ "name": "no act" }] } })),
        ),
        (
            FindingCode::JointDataIgnored,
            "nodes[1].extras.sinew.scale",
            changed(|j| j["nodes"][1]["extras"] = json!({ "sinew": { "scale": "some" } })),
        ),
        (
            FindingCode::ConstraintIgnored,
            "extensions.VRMC_springBone.springs[0]",
            changed(|j| j["extensions"] = json!({ "VRMC_springBone": { "springs": [{ "joints": [] }] } })),
        ),
        (
            FindingCode::ConstraintIgnored,
            "nodes[1].extensions.VRMC_node_constraint",
            changed(|j| {
                j["nodes"][1]["extensions"] = json!({ "VRMC_node_constraint": { "constraint": {} } });
            }),
        ),
        (
            FindingCode::ImageMissing,
            "images[0]",
            changed(|j| j["images"][0] = json!({ "uri": "not/there.png" })),
        ),
        (FindingCode::ImageMissing, "images[0]", changed(|j| j["images"][0] = json!({}))),
        (
            FindingCode::NameShortened,
            "the document",
            changed(|j| j["nodes"][1]["name"] = json!("long".repeat(20_000))),
        ),
        (FindingCode::ImageMissing, "materials[0].normalTexture", changed(|j| j["textures"][0] = json!({}))),
    ]
}

#[test]
fn every_code_is_reported_for_its_fault() {
    let needs = [weights(), nodes(), meshes(), clips(), surroundings()].concat();
    for (code, place, document) in &needs {
        let report = import(document).report;
        let found = report.of(*code).any(|f| f.place.text.starts_with(place) && !f.message.is_empty());
        assert!(found, "no {code} at {place}: {:#?}", report.findings());
        let usual = import(&HostileDocument::everything()).report;
        let is_news = usual.of(*code).next().is_none() || *code == FindingCode::TopologyExpanded;
        assert!(is_news, "{code} is found where it is not needed");
    }
    // Those of FBX have tests of their own.
    let of_fbx = [FindingCode::CurveRefined, FindingCode::EndJumpIgnored, FindingCode::ElementIgnored];
    for code in FindingCode::of_import().filter(|code| !of_fbx.contains(code)) {
        assert!(needs.iter().any(|need| need.0 == code), "no document needs {code}");
    }
}

#[test]
fn a_file_that_is_written_with_its_repairs_needs_none_that_the_check_reports() {
    let needs = [weights(), nodes(), meshes(), clips(), surroundings()].concat();
    for (code, _, document) in &needs {
        let character = import(document).character;
        let (glb, _) = to_glb_with(&character, &WriteOptions::default().with_repairs(true)).unwrap();
        let report = read_bytes(&glb, "written").unwrap().report;
        let left = report.findings().iter().find(|finding| finding.code.check_code().is_some());
        assert!(left.is_none(), "{code}: {left:#?}");
    }
}

#[test]
fn a_zero_quaternion_becomes_the_identity() {
    let import = import(&turning(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
    let sinew::Channel::Rotation { curve, .. } = &import.character.clips()[0].channels()[0] else {
        panic!("the first channel turns")
    };
    assert_eq!(curve.key(0), [Quat::IDENTITY]);
    let finding = import.report.of(FindingCode::QuaternionNotUnit).next().unwrap();
    assert_eq!(
        (finding.place.text.as_str(), finding.message.as_str()),
        ("animations[0].channels[0]", "1 keys, the worst of length 0")
    );
}

#[test]
fn vertices_without_weight_follow_the_first_joint() {
    let import = import(&influences(same([1, 2, 1, 2]), [0.0; 16]));
    let weights = import.character.meshes()[0].weights().unwrap();
    assert_eq!(weights.of(3), (&[0][..], &[1.0][..]));
    let finding = import.report.of(FindingCode::WeightsMissing).next().unwrap();
    assert!(finding.message.starts_with("4 of 4 vertices"), "{finding}");
}

#[test]
fn morph_channels_follow_their_node_when_nodes_are_reordered() {
    // The parent of the body comes after it, and the prop, which comes first, has morph targets too.
    let document = changed(|j| {
        j["nodes"][4] = json!({ "name": "prop", "mesh": 0, "children": [0] });
        j["scenes"][0]["nodes"] = json!([4]);
    });
    let import = import(&document);
    assert_eq!(import.report.of(FindingCode::NodesReordered).count(), 1);
    let character = &import.character;
    let find = |name: &str| {
        let joint = character.skeleton().find(name);
        character.instances().iter().position(|i| Some(i.joint) == joint).unwrap()
    };
    let slots = character.morph_slots(find("body"));
    assert_ne!(slots, character.morph_slots(find("prop")));
    let first = character.clips()[0].channels().iter().find_map(|c| match c {
        sinew::Channel::Morphs { first_slot, .. } => Some(*first_slot),
        _ => None,
    });
    assert_eq!(first, Some(slots.start));
}

#[test]
fn texts_of_codes_never_change() {
    let texts = [
        "weights-rescaled",
        "weights-missing",
        "weights-negative",
        "duplicate-joint",
        "joint-out-of-range",
        "influence-set-incomplete",
        "quaternion-not-unit",
        "matrix-sheared",
        "bind-not-affine",
        "stride-not-allowed",
        "attribute-filled",
        "morphs-filled",
        "morph-list-length",
        "indices-left-over",
        "primitive-empty",
        "channel-duplicate",
        "channel-ignored",
        "clip-empty",
        "curve-refined",
        "end-jump-ignored",
        "inverse-binds-missing",
        "skin-unused",
        "attribute-ignored",
        "topology-expanded",
        "extension-ignored",
        "image-missing",
        "camera-ignored",
        "nodes-reordered",
        "several-scenes",
        "events-ignored",
        "helper-ignored",
        "joint-data-ignored",
    ];
    for text in texts {
        assert!(FindingCode::of_import().any(|c| c.as_str() == text), "{text} is gone");
    }
}
