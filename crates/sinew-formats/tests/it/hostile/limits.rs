//! Small files that declare large contents.
//!
//! Each would take minutes or hundreds of gigabytes in a reader without limits, although all of them are small.

use super::{
    assert_says,
    document::{F32, HostileDocument, U8, push},
    refusal,
};
use serde_json::{Map, Value, json};
use sinew_formats::{ReadError, ReadOptions, read_bytes, read_gltf};
use std::{cell::Cell, io};

/// A document with an accessor of `count` zeros of three floats that are not stored, and a mesh of it.
fn zeros(count: u64) -> HostileDocument {
    let mut document = HostileDocument::empty();
    push(&mut document.json["accessors"], json!({ "componentType": F32, "count": count, "type": "VEC3" }));
    document.json["meshes"] = json!([{ "primitives": [{ "attributes": { "POSITION": 0 } }] }]);
    document.json["nodes"] = json!([{ "mesh": 0 }]);
    document
}

#[test]
fn four_billion_zeros_that_are_not_stored() {
    for count in [4_000_000_000, u64::MAX, u64::MAX / 12] {
        let says = refusal(&zeros(count));
        assert_says(&says, &["accessors[0]", "bytes allowed"]);
    }
    assert!(read_bytes(&zeros(1000).glb(), "few").is_ok());
}

#[test]
fn one_accessor_named_a_million_times() {
    let mut document = zeros(100_000);
    let primitive = json!({ "attributes": { "POSITION": 0 } });
    document.json["meshes"][0]["primitives"] = vec![primitive; 10_000].into();
    assert_says(&refusal(&document), &["accessors[0]", "bytes allowed"]);
}

#[test]
fn texture_coordinates_that_all_but_one_primitive_lack() {
    let mut document = zeros(1_000_000);
    push(&mut document.json["accessors"], json!({ "componentType": F32, "count": 1, "type": "VEC2" }));
    push(&mut document.json["accessors"], json!({ "componentType": F32, "count": 1, "type": "VEC3" }));
    let mut attributes: Map<String, Value> =
        (0..10_000).map(|k| (format!("TEXCOORD_{k}"), json!(1))).collect();
    attributes.insert("POSITION".into(), json!(2));
    push(&mut document.json["meshes"][0]["primitives"], json!({ "attributes": attributes }));
    assert_says(&refusal(&document), &["meshes[0].primitives[0]", "bytes allowed"]);
}

#[test]
fn small_primitives_that_lack_ten_thousand_attributes_of_another() {
    let mut document = zeros(1);
    push(&mut document.json["accessors"], json!({ "componentType": F32, "count": 1, "type": "VEC2" }));
    let mut attributes: Map<String, Value> =
        (0..10_000).map(|k| (format!("TEXCOORD_{k}"), json!(1))).collect();
    attributes.insert("POSITION".into(), json!(0));
    let mut primitives = vec![json!({ "attributes": { "POSITION": 0 } }); 10_000];
    primitives.push(json!({ "attributes": attributes }));
    document.json["meshes"][0]["primitives"] = primitives.into();
    assert_says(&refusal(&document), &["too much work"]);
}

#[test]
fn morph_targets_that_only_one_primitive_has() {
    let mut document = zeros(1);
    let mut primitives = vec![json!({ "attributes": { "POSITION": 0 } }); 10_000];
    primitives.push(json!({ "attributes": { "POSITION": 0 }, "targets": vec![json!({}); 10_000] }));
    document.json["meshes"][0]["primitives"] = primitives.into();
    assert_says(&refusal(&document), &["targets[", "too much work"]);
}

#[test]
fn a_large_mesh_on_every_node() {
    let mut document = zeros(200_000);
    document.json["nodes"] = vec![json!({ "mesh": 0 }); 60_000].into();
    assert_says(&refusal(&document), &["nodes[", "bytes allowed"]);
}

#[test]
fn many_morph_targets_on_every_node() {
    let mut document = zeros(1);
    document.json["meshes"][0]["primitives"][0]["targets"] = vec![json!({}); 50_000].into();
    document.json["nodes"] = vec![json!({ "mesh": 0 }); 60_000].into();
    assert_says(&refusal(&document), &["nodes[", "bytes allowed"]);
}

#[test]
fn more_influence_sets_than_any_vertex_needs() {
    let mut document = zeros(1);
    push(&mut document.json["accessors"], json!({ "componentType": U8, "count": 1, "type": "VEC4" }));
    let mut attributes: Map<String, Value> = ["JOINTS", "WEIGHTS"]
        .iter()
        .flat_map(|kind| (0..5000).map(move |k| (format!("{kind}_{k}"), json!(1))))
        .collect();
    attributes.insert("POSITION".into(), json!(0));
    document.json["meshes"][0]["primitives"][0]["attributes"] = attributes.into();
    assert_says(&refusal(&document), &["meshes[0].primitives[0]", "5000"]);
}

#[test]
fn many_meshes_and_many_nodes_are_read_in_linear_time() {
    // Comparing every node with every mesh would take four billion steps.
    let mut document = HostileDocument::empty();
    document.json["nodes"] = vec![json!({}); 60_000].into();
    document.json["meshes"] = vec![json!({}); 70_000].into();
    assert!(read_bytes(&document.glb(), "wide").is_ok());
}

#[test]
fn a_document_that_names_itself_over_and_over() {
    let mut document = HostileDocument::empty();
    document.json["extras"] = json!("x".repeat(1 << 20));
    document.json["buffers"] = vec![json!({ "uri": "self.gltf", "byteLength": 4 }); 10_000].into();
    let text = document.gltf();
    let reads = Cell::new(0);
    let fetch = |_: &str| -> io::Result<Vec<u8>> {
        reads.set(reads.get() + 1);
        Ok(text.clone())
    };
    assert!(read_gltf(&text, "self", &fetch, &ReadOptions::default()).is_ok());
    assert_eq!(reads.get(), 1);
}

#[test]
fn the_caller_can_set_the_limit() {
    let bytes = zeros(1000).glb();
    let fetch = |_: &str| -> io::Result<Vec<u8>> { Err(io::ErrorKind::NotFound.into()) };
    let mut options = ReadOptions::default();
    options = options.with_max_unpacked_bytes(10_000);
    let error = read_gltf(&bytes, "small", &fetch, &options).unwrap_err();
    assert!(matches!(error, ReadError::TooLarge { limit: 10_000, .. }), "{error}");
    options = options.with_max_unpacked_bytes(1_000_000);
    assert!(read_gltf(&bytes, "small", &fetch, &options).is_ok());
}
