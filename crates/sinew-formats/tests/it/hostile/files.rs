//! Documents that name files which they should not get, or get too often.

use super::document::HostileDocument;
use serde_json::json;
use sinew_formats::{
    FindingCode, Limits, ReadError, ReadFileError, ReadOptions, read_file, read_file_with, write_file,
};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

const SECRET: &str = "root:x:0:0:a secret of the system";

/// A folder `model` with a document in it, next to a secret.
fn beside_a_secret(document: &HostileDocument) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("model")).unwrap();
    fs::write(folder.path().join("secret"), SECRET).unwrap();
    let path = folder.path().join("model/a.gltf");
    fs::write(&path, document.gltf()).unwrap();
    (folder, path)
}

/// The bytes of the document at `path` after reading and writing it as GLB.
fn written(path: &Path, options: &ReadOptions) -> (Vec<u8>, Vec<String>) {
    let import = read_file_with(path, options).unwrap();
    let found = import.report.of(FindingCode::ImageMissing).map(|f| f.message.clone()).collect();
    let copy = path.with_file_name("copy.glb");
    write_file(&copy, &import.character).unwrap();
    (fs::read(copy).unwrap(), found)
}

fn has_secret(bytes: &[u8]) -> bool {
    bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes())
}

#[test]
fn an_image_outside_the_folder_is_not_carried_into_the_written_file() {
    let mut document = HostileDocument::everything();
    document.json["images"][0] = json!({ "uri": "../secret" });
    let (_folder, path) = beside_a_secret(&document);
    let (glb, found) = written(&path, &ReadOptions::default());
    assert!(!has_secret(&glb));
    assert!(found.len() == 1 && found[0].contains("--allow-outside"), "{found:?}");
    // Even where it may be read, it is not an image.
    let (glb, found) = written(&path, &ReadOptions::default().with_allow_outside(true));
    assert!(!has_secret(&glb));
    assert!(found.len() == 1 && found[0].contains("not a PNG"), "{found:?}");
}

#[cfg(unix)]
#[test]
fn a_link_in_the_folder_does_not_lead_out_of_it() {
    let mut document = HostileDocument::everything();
    document.json["buffers"] = json!([{ "byteLength": 4, "uri": "a.bin" }]);
    let (_folder, path) = beside_a_secret(&document);
    std::os::unix::fs::symlink("../secret", path.with_file_name("a.bin")).unwrap();
    let error = read_file(&path).unwrap_err().to_string();
    assert!(error.contains("buffers[0]") && error.contains("--allow-outside"), "{error}");
}

#[test]
fn a_file_that_is_named_seventy_times_is_in_memory_and_in_the_written_file_once() {
    const SIZE: usize = 1 << 20;
    let mut document = HostileDocument::empty();
    document.json["buffers"] =
        (0..70).map(|k| json!({ "byteLength": SIZE - k, "uri": "a.bin" })).collect::<Vec<_>>().into();
    let (_folder, path) = beside_a_secret(&document);
    fs::write(path.with_file_name("a.bin"), vec![7; SIZE]).unwrap();
    // Seventy copies would exceed the limit.
    let document_bytes = fs::metadata(&path).unwrap().len() as usize;
    let limits = Limits::default().with_max_read_bytes(SIZE + document_bytes);
    let import = read_file_with(&path, &ReadOptions::default().with_limits(limits)).unwrap();
    let copy = path.with_file_name("copy.glb");
    write_file(&copy, &import.character).unwrap();
    assert!(fs::metadata(&copy).unwrap().len() < 2 * SIZE as u64);
    let elsewhere = path.with_file_name("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    write_file(elsewhere.join("a.gltf"), &import.character).unwrap();
    assert_eq!(fs::metadata(elsewhere.join("a.bin")).unwrap().len(), SIZE as u64);
}

#[test]
fn the_document_and_its_files_are_bounded_together() {
    let mut document = HostileDocument::empty();
    document.json["buffers"] = json!([{ "byteLength": 4, "uri": "a.bin" }]);
    let (_folder, path) = beside_a_secret(&document);
    fs::write(path.with_file_name("a.bin"), vec![7; 1000]).unwrap();
    let limited = |bytes| {
        let options = ReadOptions::default().with_limits(Limits::default().with_max_read_bytes(bytes));
        read_file_with(&path, &options)
    };
    assert!(limited(2000).is_ok());
    assert!(matches!(
        limited(1000),
        Err(ReadFileError::Content { source: ReadError::TooMuchToRead { limit: 1000, .. }, .. })
    ));
    let error = limited(10).unwrap_err().to_string();
    assert!(error.contains("--max-memory"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_the_document_is_refused_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("a.glb");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let error = read_file(&pipe).unwrap_err().to_string();
    assert!(error.contains("not a regular file"), "{error}");
}

#[test]
fn reading_stops_at_the_deadline() {
    let (_folder, path) = beside_a_secret(&HostileDocument::everything());
    let options = ReadOptions::default().with_limits(Limits::default().with_deadline(Instant::now()));
    let error = read_file_with(&path, &options).unwrap_err();
    assert!(matches!(error, ReadFileError::Content { source: ReadError::TimedOut { .. }, .. }), "{error}");
}
