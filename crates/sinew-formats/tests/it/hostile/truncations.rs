//! Files that are truncated at any byte.

use super::{document::HostileDocument, exercise::exercise};
use crate::corpus_folder::corpus;
use sinew_formats::read_bytes;
use std::{fs, path::Path};

/// Reads truncations of `whole` at every `step` bytes.
fn try_every_length(whole: &[u8], step: usize) -> usize {
    let mut read = 0;
    for length in (0..whole.len()).step_by(step) {
        if let Ok(import) = read_bytes(&whole[..length], "truncated") {
            exercise(&import);
            read += 1;
        }
    }
    read
}

#[test]
fn every_truncation_of_a_glb_is_refused() {
    assert_eq!(try_every_length(&HostileDocument::everything().glb(), 1), 0);
}

#[test]
fn every_truncation_of_a_gltf_is_refused() {
    assert_eq!(try_every_length(&HostileDocument::everything().gltf(), 1), 0);
}

#[test]
fn every_truncation_of_real_files_is_refused() {
    let Some(corpus) = corpus() else { return };
    let glb = fs::read(corpus.join("RiggedSimple.glb")).unwrap();
    assert_eq!(try_every_length(&glb, 1), 0);
    let gltf = inlined(&corpus.join("asset-generator/Animation_Skin_01.gltf"));
    // Whitespace after the last brace may be cut.
    let text_end = gltf.trim_ascii_end().len();
    assert_eq!(try_every_length(&gltf[..text_end], 1), 0);
}

#[test]
fn truncated_compressed_streams_do_not_panic() {
    let Some(corpus) = corpus() else { return };
    for name in ["fox_meshopt.glb", "fox_draco.glb"] {
        let glb = fs::read(corpus.join(name)).unwrap();
        assert_eq!(try_every_length(&glb, 997), 0, "{name}");
    }
}

/// A .gltf with its buffers embedded.
pub(crate) fn inlined(path: &Path) -> Vec<u8> {
    use base64::Engine as _;
    let mut json: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    for buffer in json["buffers"].as_array_mut().unwrap() {
        let uri = buffer["uri"].as_str().unwrap().to_owned();
        if !uri.starts_with("data:") {
            let bytes = fs::read(path.parent().unwrap().join(uri)).unwrap();
            let data = base64::engine::general_purpose::STANDARD.encode(bytes);
            buffer["uri"] = format!("data:;base64,{data}").into();
        }
    }
    json.to_string().into_bytes()
}
