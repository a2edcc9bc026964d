//! The Khronos validator finds no error in written files.
//!
//! It is a Node package and not part of the project: `SINEW_VALIDATOR` names a folder whose `node_modules` holds
//! `gltf-validator`, by default `target/validator`. Without it the test says so and passes, except where `CI` or
//! `SINEW_REQUIRE_VALIDATOR` is set.

use crate::{patch::edits::EDITS, samples};
use serde_json::Value;
use sinew::{Character, Frame, Method, Wrap};
use sinew_formats::{
    Compression, PreparedFile, WriteOptions, bake::static_character, prepare_file, read_file, write_file,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Accepted warnings: the original files have them, and writing does not change them.
///
/// The first four are about nodes with a skinned mesh that are not roots, have a transform, are animated, or have no
/// skin; the last is about a normal map on a mesh without tangents.
const KNOWN_WARNINGS: [&str; 5] = [
    "NODE_SKINNED_MESH_NON_ROOT",
    "NODE_SKINNED_MESH_LOCAL_TRANSFORMS",
    "ANIMATION_CHANNEL_TARGET_NODE_SKIN",
    "NODE_SKINNED_MESH_WITHOUT_SKIN",
    "MESH_PRIMITIVE_GENERATED_TANGENT_SPACE",
];

/// The folder of the validator, or `None` after printing a line.
fn validator() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/validator");
    let folder = env::var_os("SINEW_VALIDATOR").map_or(target, PathBuf::from);
    let has_node = Command::new("node").arg("--version").output().is_ok_and(|o| o.status.success());
    let has_package = folder.join("node_modules/gltf-validator").is_dir();
    if has_node && has_package {
        return Some(folder);
    }
    let missing = if has_node { "the gltf-validator package" } else { "node" };
    let required = env::var_os("CI").is_some() || env::var_os("SINEW_REQUIRE_VALIDATOR").is_some();
    assert!(!required, "{missing} is missing (looked for the package in {})", folder.display());
    println!("skipped: {missing} is missing (looked for the package in {})", folder.display());
    None
}

/// Runs the validator and returns its findings, one entry per file.
fn validate(validator: &Path, files: &[PathBuf]) -> Vec<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validator/validate.mjs");
    let output = Command::new("node").arg(script).arg(validator).args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let findings: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(findings.len(), files.len());
    findings
}

/// Panics with every error and every warning that is not accepted.
fn assert_clean(findings: &[Value]) {
    let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for finding in findings {
        for message in finding["messages"].as_array().unwrap() {
            let code = message["code"].as_str().unwrap();
            if message["error"] == false && KNOWN_WARNINGS.contains(&code) {
                continue;
            }
            let file = Path::new(finding["file"].as_str().unwrap()).file_name().unwrap().to_string_lossy();
            let first = format!("{} {}", message["pointer"], message["message"]);
            counts.entry(format!("{file}: {code}")).or_insert((0, first)).0 += 1;
        }
    }
    let lines: Vec<String> =
        counts.iter().map(|(what, (count, first))| format!("{what} ×{count}, first {first}")).collect();
    assert!(lines.is_empty(), "the validator complains:\n{}", lines.join("\n"));
}

/// A character in the middle of its first clip as a static mesh.
fn still(character: &Character) -> Character {
    let mut frame = Frame::new(character);
    if let Some(clip) = character.clips().first() {
        frame.sample(clip, clip.duration_secs() * 0.5, Wrap::Clamp);
        frame.update();
    }
    frame.deform(Method::Linear).unwrap();
    static_character(character, &frame).unwrap()
}

#[test]
fn the_validator_finds_no_error_in_written_files() {
    let Some(validator) = validator() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    let mut write = |name: &str, extension: &str, character: &Character| {
        let path = folder.path().join(format!("{name}.{extension}"));
        write_file(&path, character).unwrap_or_else(|e| panic!("{e}"));
        files.push(path);
    };
    let read = samples::corpus_files();
    let read = read.iter().map(|path| read_file(path).unwrap_or_else(|e| panic!("{e}")).character);
    let read = read.map(Character::without_source);
    for character in read.chain(samples::built_ins()).chain([samples::odd()]) {
        write(character.name(), "glb", &character);
        write(&format!("{} as a pair", character.name()), "gltf", &character);
        write(&format!("{} as a still", character.name()), "glb", &still(&character));
    }
    assert_clean(&validate(&validator, &files));
}

/// The errors of a file, by code.
fn errors(finding: &Value) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for message in finding["messages"].as_array().unwrap().iter().filter(|m| m["error"] == true) {
        *counts.entry(message["code"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn editing_a_file_adds_no_error_to_those_it_had() {
    let Some(validator) = validator() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (mut originals, mut edited) = (Vec::new(), Vec::new());
    for (number, path) in samples::all_corpus_files().into_iter().enumerate() {
        let character = read_file(&path).unwrap_or_else(|e| panic!("{e}")).character;
        let all =
            EDITS.iter().fold(character, |character, edit| (edit.apply)(&character).unwrap_or(character));
        let copy = folder.path().join(format!("{number} {}.glb", all.name()));
        write_file(&copy, &all).unwrap_or_else(|e| panic!("{e}"));
        originals.push(path);
        edited.push(copy);
    }
    if originals.is_empty() {
        return;
    }
    let (before, after) = (validate(&validator, &originals), validate(&validator, &edited));
    for ((before, after), path) in before.iter().zip(&after).zip(&originals) {
        let had = errors(before);
        let new: Vec<_> = errors(after).into_iter().filter(|(code, _)| !had.contains_key(code)).collect();
        assert!(new.is_empty(), "{}: {new:?}", path.display());
    }
}

#[test]
fn the_validator_finds_an_error_in_an_invalid_file() {
    let Some(validator) = validator() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.gltf");
    fs::write(&path, r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":3}]}"#).unwrap();
    let findings = validate(&validator, &[path]);
    assert_eq!(findings[0]["errors"], 1);
    assert!(std::panic::catch_unwind(|| assert_clean(&findings)).is_err());
}

#[test]
fn compressing_a_file_adds_no_error_and_no_warning() {
    let Some(validator) = validator() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (mut originals, mut compressed) = (Vec::new(), Vec::new());
    for (number, path) in samples::all_corpus_files().into_iter().enumerate() {
        let character = read_file(&path).unwrap_or_else(|e| panic!("{e}")).character;
        for compression in Compression::ALL {
            let copy = folder.path().join(format!("{number} {}.glb", compression.name()));
            let options = WriteOptions::default().with_compression(Some(compression));
            prepare_file(&copy, &character, &options)
                .and_then(PreparedFile::commit)
                .unwrap_or_else(|e| panic!("{e}"));
            originals.push(path.clone());
            compressed.push(copy);
        }
    }
    if originals.is_empty() {
        return;
    }
    let (before, after) = (validate(&validator, &originals), validate(&validator, &compressed));
    let codes = |finding: &Value| -> BTreeSet<String> {
        let messages = finding["messages"].as_array().unwrap().iter();
        messages.map(|message| message["code"].as_str().unwrap().to_owned()).collect()
    };
    for ((before, after), path) in before.iter().zip(&after).zip(&compressed) {
        let had = codes(before);
        let new: Vec<_> = codes(after).into_iter().filter(|code| !had.contains(code)).collect();
        assert!(new.is_empty(), "{}: {new:?}", path.display());
    }
}
