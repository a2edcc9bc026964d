//! What Sinew does not interpret survives every edit.

use super::{
    document::{Document, changed_paths},
    edits::{self, EDITS},
    read_again,
};
use serde_json::{Value, json};
use sinew::{Character, ExtrasOwner};
use sinew_formats::{
    Compression, Outcome, ReadError, WriteOptions, embedded, read_bytes, to_glb_with, to_gltf,
};

/// A document full of data that Sinew has no place for, made from a built-in character.
fn foreign() -> Value {
    let files = to_gltf(&sinew_samples::arm(), "arm.bin").unwrap();
    let text = embedded(&files.json, |_| Some(files.buffer.clone())).unwrap();
    let mut root: Value = serde_json::from_slice(&text).unwrap();
    let last = |root: &Value, list: &str| root[list].as_array().unwrap().len();
    root["asset"]["extras"] = json!({ "author": "someone", "license": "CC-BY-4.0" });
    root["asset"]["generator"] = json!("another program 3.1");
    root["extensionsUsed"] = json!([
        "KHR_lights_punctual",
        "KHR_texture_transform",
        "KHR_materials_clearcoat",
        "KHR_materials_variants",
        "EXT_mesh_gpu_instancing",
        "MSFT_lod",
        "KHR_animation_pointer",
        "KHR_xmp_json_ld",
        "VRMC_springBone",
        "EXT_texture_webp"
    ]);
    root["extensions"] = json!({
        "KHR_lights_punctual": { "lights": [{ "type": "point", "color": [1.0, 0.5, 0.25] }] },
        "KHR_materials_variants": { "variants": [{ "name": "day" }, { "name": "night" }] },
        "KHR_xmp_json_ld": { "packets": [{ "dc:title": "arm" }] },
        "VRMC_springBone": { "specVersion": "1.0", "springs": [{ "joints": [{ "node": 1, "stiffness": 0.50 }] }] }
    });
    root["cameras"] = json!([{ "type": "perspective", "perspective": { "yfov": 0.8, "znear": 0.1 } }]);
    root["nodes"][0]["camera"] = json!(0);
    root["nodes"][0]["extensions"] = json!({
        "KHR_lights_punctual": { "light": 0 }, "MSFT_lod": { "ids": [1] },
        "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 0 } }
    });
    root["images"] =
        json!([{ "uri": "data:image/webp;base64,UklGRg==", "mimeType": "image/webp", "name": "skin" }]);
    root["samplers"] = json!([{ "name": "smooth", "magFilter": 9729, "extras": { "a": 1 } }]);
    root["textures"] =
        json!([{ "name": "skin", "sampler": 0, "extensions": { "EXT_texture_webp": { "source": 0 } } }]);
    root["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] =
        json!({ "index": 0, "extensions": { "KHR_texture_transform": { "scale": [2, 2] } } });
    root["materials"][0]["extensions"] = json!({ "KHR_materials_clearcoat": { "clearcoatFactor": 0.70 } });
    let primitive = &mut root["meshes"][0]["primitives"][0];
    let positions = primitive["attributes"]["POSITION"].clone();
    primitive["attributes"]["_CUSTOM"] = positions;
    primitive["extensions"] =
        json!({ "KHR_materials_variants": { "mappings": [{ "material": 0, "variants": [1] }] } });
    root["accessors"][0]["extras"] = json!({ "unit": "m" });
    root["buffers"][0]["extras"] = json!({ "packed": true });
    root["scenes"].as_array_mut().unwrap().push(json!({ "name": "empty", "extras": { "note": 2 } }));
    let channels = root["animations"][0]["channels"].as_array_mut().unwrap();
    channels.push(json!({
        "sampler": 0,
        "target": { "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": "/materials/0/emissiveFactor" } } }
    }));
    let scenes = last(&root, "scenes");
    assert_eq!(scenes, 2);
    root
}

fn read(root: &Value) -> Character {
    let bytes = serde_json::to_vec(root).unwrap();
    read_bytes(&bytes, "arm").unwrap_or_else(|e| panic!("{e}")).character
}

#[test]
fn foreign_data_survives_every_edit() {
    let root = foreign();
    let character = read(&root);
    let mut tried = 0;
    for edit in EDITS {
        let Some(edited) = (edit.apply)(&character) else { continue };
        tried += 1;
        let (written, report) = to_glb_with(&edited, &Default::default()).unwrap();
        assert!(!report.has_losses(), "{}: {report:?}", edit.name);
        edits::assert_same(edit.name, &read_again(&written, &edited), &edited);
        let after = Document::parse(&written).json;
        // The buffer and the image of a text are moved into the binary file.
        let packed = ["accessors", "bufferViews", "buffers", "images[0].uri", "images[0].bufferView"];
        for path in changed_paths(&root, &after) {
            let is_expected = packed.iter().chain(edit.touches).any(|prefix| path.starts_with(prefix));
            assert!(is_expected, "{}: {path} changed", edit.name);
        }
        for path in
            ["/cameras", "/samplers", "/textures", "/asset/extras", "/asset/generator", "/extensionsUsed"]
        {
            assert_eq!(after.pointer(path), root.pointer(path), "{}: {path}", edit.name);
        }
        assert_eq!(after["accessors"][0]["extras"], json!({ "unit": "m" }), "{}", edit.name);
        assert_eq!(after["buffers"][0]["extras"], json!({ "packed": true }), "{}", edit.name);
        let attributes = &after["meshes"][0]["primitives"][0]["attributes"];
        assert_eq!(attributes["_CUSTOM"], root["meshes"][0]["primitives"][0]["attributes"]["_CUSTOM"]);
    }
    assert!(tried > 10);
}

#[test]
fn foreign_data_survives_compression() {
    let root = foreign();
    let character = read(&root);
    for compression in Compression::ALL {
        let options = WriteOptions::default().with_compression(Some(compression));
        let (written, report) = to_glb_with(&character, &options).unwrap();
        assert!(!report.has_losses(), "{report:?}");
        let after = Document::parse(&written).json;
        let stored =
            ["accessors", "bufferViews", "buffers", "extensionsUsed", "extensionsRequired", "images[0]"];
        for path in changed_paths(&root, &after) {
            assert!(stored.iter().any(|prefix| path.starts_with(prefix)), "{compression:?}: {path} changed");
        }
        // Instances are where they were: their accessor is the one of the positions.
        assert_eq!(after["accessors"][0]["componentType"], 5126, "{compression:?}");
        assert_eq!(after["accessors"][0]["extras"], json!({ "unit": "m" }), "{compression:?}");
        let again = read_bytes(&written, "arm").unwrap().character;
        assert_eq!(again.meshes()[0].positions(), character.meshes()[0].positions());
        assert_eq!(again.clips().len(), character.clips().len());
    }
}

#[test]
fn the_report_lists_what_was_carried_and_what_was_changed() {
    let mut parts = read(&foreign()).into_parts();
    parts.extras.insert(ExtrasOwner::Joint(0), r#"{"tag":1}"#.into());
    let (_, report) = to_glb_with(&Character::new(parts).unwrap(), &Default::default()).unwrap();
    let carried: Vec<&str> = report.of(Outcome::Carried).map(|entry| entry.detail.as_str()).collect();
    for name in ["KHR_lights_punctual", "KHR_materials_clearcoat", "spring chain 0", "cameras", "_CUSTOM"] {
        assert!(carried.iter().any(|detail| detail.contains(name)), "{name} is not in {carried:?}");
    }
    let changed: Vec<&str> = report.of(Outcome::Changed).map(|entry| entry.code.as_str()).collect();
    assert_eq!(changed, ["node"]);
}

#[test]
fn a_new_document_reports_what_it_drops() {
    let character = read(&foreign());
    let mut parts = character.into_parts();
    // Fewer meshes: the indices of the document cannot stay.
    parts.meshes.clear();
    parts.instances.clear();
    parts.clips.clear();
    let (_, report) = to_glb_with(&Character::new(parts).unwrap(), &Default::default()).unwrap();
    assert!(report.has_losses());
    let dropped: Vec<String> = report.of(Outcome::Dropped).map(ToString::to_string).collect();
    assert!(dropped.iter().any(|line| line.contains("KHR_lights_punctual")), "{dropped:?}");
    assert!(
        report.of(Outcome::Changed).any(|entry| entry.detail.contains("meshes were removed")),
        "{report:?}"
    );
}

#[test]
fn required_extensions_of_looks_are_read_and_those_of_geometry_are_refused_by_name() {
    let mut root = foreign();
    for looks in
        ["KHR_node_visibility", "EXT_texture_avif", "KHR_materials_unlit", "KHR_texture_basisu", "VRMC_vrm"]
    {
        root["extensionsRequired"] = json!([looks]);
        read(&root);
    }
    for geometry in ["EXT_mesh_gpu_instancing", "KHR_animation_pointer", "ACME_subdivision"] {
        root["extensionsRequired"] = json!([geometry]);
        let error = read_bytes(&serde_json::to_vec(&root).unwrap(), "arm").unwrap_err();
        assert!(
            matches!(&error, ReadError::UnsupportedExtension { extension } if extension == geometry),
            "{error}"
        );
    }
}

#[test]
fn gltf_1_is_refused_by_its_version() {
    let text = br#"{"asset":{"version":"1.0"},"nodes":{"a":{}},"meshes":{}}"#;
    let error = read_bytes(text, "old").unwrap_err().to_string();
    assert!(error.contains("glTF 1.0 is not supported"), "{error}");
}

#[test]
fn a_decoded_file_no_longer_requires_the_decoder() {
    let Some(corpus) = crate::corpus_folder::corpus() else { return };
    let fox = sinew_formats::read_file(corpus.join("fox_draco.glb")).unwrap().character;
    let before = Document::parse(&std::fs::read(corpus.join("fox_draco.glb")).unwrap()).json;
    assert!(before["extensionsRequired"].to_string().contains("KHR_draco_mesh_compression"));
    let edit = EDITS.iter().find(|edit| edit.name == "rotated weights").unwrap();
    let (written, report) = to_glb_with(&(edit.apply)(&fox).unwrap(), &Default::default()).unwrap();
    let decoded: Vec<&str> = report.of(Outcome::Decoded).map(|entry| entry.code.as_str()).collect();
    assert_eq!(decoded, ["primitive"]);
    assert!(!Document::parse(&written).text.contains("KHR_draco_mesh_compression"));
}

#[test]
fn files_next_to_a_binary_file_stay_there_if_it_does() {
    let folder = tempfile::tempdir().unwrap();
    let mut root = foreign();
    root["images"] = json!([{ "uri": "skin.png" }]);
    root["textures"] = json!([{ "source": 0 }]);
    std::fs::write(folder.path().join("skin.png"), b"\x89PNG\r\n\x1A\n").unwrap();
    std::fs::write(folder.path().join("arm.gltf"), serde_json::to_vec(&root).unwrap()).unwrap();
    let text = sinew_formats::read_file(folder.path().join("arm.gltf")).unwrap().character;
    let glb = folder.path().join("arm.glb");
    sinew_formats::write_file(&glb, &text).unwrap();
    let image =
        |path: &std::path::Path| Document::parse(&std::fs::read(path).unwrap()).json["images"][0].clone();
    assert!(image(&glb)["uri"].is_null(), "a text becomes one file");
    let mut named: Value = Document::parse(&std::fs::read(&glb).unwrap()).json;
    named["images"] = json!([{ "uri": "skin.png" }]);
    let bytes = super::document::with_json(&std::fs::read(&glb).unwrap(), &named);
    std::fs::write(&glb, bytes).unwrap();
    let binary = sinew_formats::read_file(&glb).unwrap().character;
    let (beside, elsewhere) = (folder.path().join("copy.glb"), folder.path().join("below/copy.glb"));
    sinew_formats::write_file(&beside, &binary).unwrap();
    assert_eq!(image(&beside)["uri"], "skin.png");
    std::fs::create_dir(folder.path().join("below")).unwrap();
    sinew_formats::write_file(&elsewhere, &binary).unwrap();
    assert!(image(&elsewhere)["uri"].is_null(), "another folder has no such file");
}

#[test]
fn odd_application_data_and_odd_bones_are_edited_without_a_panic() {
    let mut root = foreign();
    root["extras"] = json!({ "sinew": { "method": "linear", "humanoid": { "hips": 0 } }, "a": 1 });
    let mut parts = read(&root).into_parts();
    parts.extras.insert(ExtrasOwner::Asset, "[1]".into());
    to_glb_with(&Character::new(parts).unwrap(), &Default::default()).unwrap();
    root["extensions"]["VRMC_vrm"] = json!({ "humanoid": { "humanBones": { "hips": 0 } } });
    let mut parts = read(&root).into_parts();
    let bones = [(sinew::HumanBone::Hips, sinew::JointId(1))];
    parts.humanoid = Some(sinew::Humanoid::new(&parts.skeleton, bones).unwrap());
    let (written, _) = to_glb_with(&Character::new(parts.clone()).unwrap(), &Default::default()).unwrap();
    assert_eq!(
        read_again(&written, &Character::new(parts.clone()).unwrap()).humanoid(),
        parts.humanoid.as_ref()
    );
}
