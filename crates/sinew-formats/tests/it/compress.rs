//! Compressed files read back as what was quantized, within the bound that was asked for.

use crate::samples;
use serde_json::{Value, json};
use sinew::{Character, Frame, Method, Wrap};
use sinew_formats::{
    Compression, Outcome, WriteOptions, WriteReport, prepare_file, read_bytes, read_file, to_glb, to_glb_with,
};

fn compressed(
    character: &Character,
    compression: Compression,
    max_mm: Option<f64>,
) -> (Vec<u8>, WriteReport) {
    let options =
        WriteOptions::default().with_compression(Some(compression)).with_max_compression_error_mm(max_mm);
    to_glb_with(character, &options).unwrap_or_else(|error| panic!("{}: {error}", character.name()))
}

/// The document of a GLB.
fn document(glb: &[u8]) -> Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

/// The largest distance of vertices at rest and within the clips, in millimeters.
fn distance_mm(before: &Character, after: &Character) -> f64 {
    let points = |character: &Character, step: u8| {
        let mut frame = Frame::new(character);
        let mut all = Vec::new();
        for clip in character.clips() {
            frame.sample(clip, clip.duration_secs() * f32::from(step) / 5.0, Wrap::Clamp);
            frame.update();
            frame.deform(Method::Linear).unwrap();
            all.extend(frame.deformed().iter().flat_map(|streams| streams.positions.clone()));
        }
        frame.reset();
        frame.update();
        frame.deform(Method::Linear).unwrap();
        all.extend(frame.deformed().iter().flat_map(|streams| streams.positions.clone()));
        all
    };
    (0..=5)
        .flat_map(|step| {
            let (before, after) = (points(before, step), points(after, step));
            assert_eq!(before.len(), after.len());
            before.into_iter().zip(after).map(|(a, b)| f64::from(a.distance(b)) * 1000.0).collect::<Vec<_>>()
        })
        .fold(0.0, f64::max)
}

fn error_of(report: &WriteReport) -> f64 {
    report.of(Outcome::Encoded).find_map(|entry| entry.max_error_mm).expect("the report has the error")
}

#[test]
fn vertices_stay_within_the_error_that_the_report_names() {
    let read = samples::corpus_files();
    let read = read.iter().map(|path| read_file(path).unwrap().character);
    for character in samples::built_ins().chain([samples::odd()]).chain(read) {
        for compression in Compression::ALL {
            let plain = read_bytes(&to_glb(&character).unwrap(), "plain").unwrap().character;
            let (glb, report) = compressed(&character, compression, None);
            let back = read_bytes(&glb, "packed").unwrap().character;
            let (found, named) = (distance_mm(&plain, &back), error_of(&report));
            // Poses between those that were measured, and rounding in the order of sums.
            assert!(found <= named * 2.0 + 1e-3, "{} {compression:?}: {found} of {named}", character.name());
            assert!(!report.has_losses(), "{}: {report:?}", character.name());
        }
    }
}

#[test]
fn without_error_no_vertex_and_no_key_moves() {
    for character in samples::built_ins() {
        let plain = read_bytes(&to_glb(&character).unwrap(), "it").unwrap().character.without_source();
        let (glb, report) = compressed(&character, Compression::Meshopt, Some(0.0));
        let back = read_bytes(&glb, "it").unwrap().character.without_source();
        assert_eq!(error_of(&report).to_bits(), 0.0_f64.to_bits());
        assert_eq!(plain.clips(), back.clips(), "{}", character.name());
        for (plain, back) in plain.meshes().iter().zip(back.meshes()) {
            assert_eq!(plain.positions(), back.positions());
            assert_eq!(plain.weights(), back.weights());
            assert_eq!(plain.normals(), back.normals());
        }
        assert!(glb.len() < to_glb(&character).unwrap().len(), "{}", character.name());
    }
}

#[test]
fn an_edited_document_is_carried_but_for_its_data() {
    let figure = sinew_samples::figure();
    let mut whole = document(&to_glb(&figure).unwrap());
    let name = whole["nodes"][0]["name"].clone();
    whole["asset"]["extras"] = json!({ "author": "somebody" });
    whole["materials"][0]["extensions"] = json!({ "KHR_materials_clearcoat": { "clearcoatFactor": 0.5 } });
    whole["extensionsUsed"] = json!(["KHR_materials_clearcoat"]);
    let glb = with_document(&to_glb(&figure).unwrap(), &whole);
    let character = read_bytes(&glb, "figure").unwrap().character;
    let (packed, report) = compressed(&character, Compression::Meshopt, None);
    let after = document(&packed);
    assert_eq!(after["asset"]["extras"]["author"], "somebody");
    assert_eq!(after["materials"], whole["materials"]);
    assert_eq!(after["nodes"][0]["name"], name);
    assert_eq!(after["nodes"].as_array().unwrap().len(), whole["nodes"].as_array().unwrap().len());
    assert_eq!(after["animations"], whole["animations"], "accessors keep their indices");
    for name in ["KHR_materials_clearcoat", "KHR_mesh_quantization", "EXT_meshopt_compression"] {
        assert!(after["extensionsUsed"].as_array().unwrap().contains(&json!(name)), "{name}");
    }
    assert!(packed.len() * 2 < glb.len(), "{} of {}", packed.len(), glb.len());
    assert!(report.of(Outcome::Encoded).any(|entry| entry.code == "positions"));
    // What is compressed stays so, and can be edited and saved again.
    let again = read_bytes(&packed, "figure").unwrap().character;
    assert_eq!(to_glb(&again).unwrap(), packed);
    let (twice, _) = compressed(&again, Compression::Meshopt, None);
    let error = distance_mm(&again, &read_bytes(&twice, "figure").unwrap().character);
    assert!(error < 1e-6, "compressed data is left alone: {error} mm");
}

/// A GLB with another document.
fn with_document(glb: &[u8], document: &Value) -> Vec<u8> {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let rest = &glb[20 + length..];
    let mut json = serde_json::to_vec(document).unwrap();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut out = glb[..8].to_vec();
    out.extend(((20 + json.len() + rest.len()) as u32).to_le_bytes());
    out.extend((json.len() as u32).to_le_bytes());
    out.extend(b"JSON");
    [out, json, rest.to_vec()].concat()
}

#[test]
fn documents_with_data_that_is_not_known_are_not_compressed() {
    let plain = to_glb(&sinew_samples::arm()).unwrap();
    let mut whole = document(&plain);
    whole["extensionsUsed"] = json!(["ACME_voxels"]);
    let character = read_bytes(&with_document(&plain, &whole), "arm").unwrap().character;
    let options = WriteOptions::default().with_compression(Some(Compression::Quantize));
    let error = to_glb_with(&character, &options).unwrap_err().to_string();
    assert!(error.contains("ACME_voxels"), "{error}");
}

#[test]
fn precomputed_data_keeps_the_positions_as_they_are() {
    let tube = read_bytes(&to_glb(&sinew_samples::tube()).unwrap(), "tube").unwrap().character;
    let mut parts = tube.into_parts();
    let mesh = (*parts.meshes[0]).clone();
    let centers = mesh.positions().to_vec();
    let centers = std::sync::Arc::new(sinew::CentersOfRotation::new(centers).unwrap());
    let data = sinew::Precomputed { centers: Some(centers), ..sinew::Precomputed::default() };
    parts.meshes[0] = mesh.with_precomputed(data).unwrap().into();
    let (glb, report) = compressed(&Character::new(parts).unwrap(), Compression::Quantize, None);
    let kept = report.of(Outcome::Carried).find(|entry| entry.code == "positions").unwrap();
    assert!(kept.detail.contains("precomputed"), "{}", kept.detail);
    let document = document(&glb);
    let position =
        document["meshes"][0]["primitives"][0]["attributes"]["POSITION"].as_u64().unwrap() as usize;
    assert_eq!(document["accessors"][position]["componentType"], 5126);
}

#[test]
fn a_text_with_its_buffer_is_compressed_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("figure.gltf");
    let options = WriteOptions::default().with_compression(Some(Compression::Meshopt));
    let figure = sinew_samples::figure();
    prepare_file(&path, &figure, &options).unwrap().commit().unwrap();
    let back = read_file(&path).unwrap().character;
    assert!(distance_mm(&figure, &back) < 0.5);
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    // Read from its file and written again.
    prepare_file(folder.path().join("again.glb"), &back, &WriteOptions::default()).unwrap().commit().unwrap();
    let again = read_file(folder.path().join("again.glb")).unwrap().character;
    assert_eq!(again.meshes()[0].positions(), back.meshes()[0].positions());
}
