//! Real glTF files, converted and checked: what was not edited is as it was.

use super::{TestFolder, corpus, sinew, text};
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Every glTF file of the corpus, but for the creatures, of which there are many, and those that take long to check.
fn files(corpus: &Path, max_bytes: u64) -> Vec<PathBuf> {
    let folders = [corpus.to_owned(), corpus.join("asset-generator")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(Result::unwrap);
    let is_ours = |path: &PathBuf| path.extension().is_some_and(|e| e == "glb" || e == "gltf");
    let small =
        entries.filter(|entry| entry.metadata().unwrap().len() <= max_bytes).map(|entry| entry.path());
    let mut files: Vec<PathBuf> = small.filter(is_ours).collect();
    files.sort();
    files
}

/// The document in a file.
fn document(path: &Path) -> Value {
    let bytes = fs::read(path).unwrap();
    if !bytes.starts_with(b"glTF") {
        return serde_json::from_slice(&bytes).unwrap();
    }
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

#[test]
fn converting_a_real_file_changes_no_byte() {
    let Some(corpus) = corpus() else { return };
    let (folder, files) = (TestFolder::new(), files(&corpus, u64::MAX));
    assert!(files.len() > 50, "{} files", files.len());
    for ending in ["glb", "gltf"] {
        let of_kind: Vec<&PathBuf> =
            files.iter().filter(|path| path.extension().unwrap() == ending).collect();
        let out = folder.path(ending);
        let mut arguments = vec!["-q", "convert", "--strict", "--to", ending, "--out-dir", text(&out)];
        arguments.extend(of_kind.iter().map(|path| text(path)));
        let done = sinew(&arguments);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        for path in of_kind {
            let written = fs::read(out.join(path.file_name().unwrap())).unwrap();
            assert!(written == fs::read(path).unwrap(), "{} changed", path.display());
        }
    }
}

#[test]
fn fixing_a_real_file_changes_what_the_fixes_name_and_nothing_without_a_fix() {
    /// No fix is about these.
    const FOREIGN: [&str; 8] =
        ["asset", "cameras", "materials", "textures", "samplers", "extensions", "extensionsUsed", "scene"];
    let Some(corpus) = corpus() else { return };
    let (folder, files) = (TestFolder::new(), files(&corpus, 500_000));
    let (out, report) = (folder.path("out"), folder.path("report.json"));
    let mut arguments = vec!["check", "--fix", "--json", "--out-dir", text(&out), "--report", text(&report)];
    arguments.extend(files.iter().map(|path| text(path)));
    let checked: Value = serde_json::from_slice(&sinew(&arguments).stdout).unwrap();
    let reports: Vec<Value> = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
    let (mut same, mut fixed) = (0, 0);
    for ((path, checked), report) in files.iter().zip(checked["files"].as_array().unwrap()).zip(&reports) {
        let written = out.join(path.file_name().unwrap());
        assert_eq!(report["output"], text(&written));
        let outcomes =
            report["write"].as_array().unwrap().iter().map(|entry| entry["outcome"].as_str().unwrap());
        let is_edited = outcomes.clone().any(|outcome| outcome != "carried");
        assert!(!outcomes.clone().any(|outcome| outcome == "dropped"), "{report}");
        let has_fixes = !checked["fixes"].as_array().unwrap().is_empty();
        assert!(is_edited || !has_fixes, "{}: fixes that change nothing: {checked}", path.display());
        if is_edited {
            let (before, after) = (document(path), document(&written));
            FOREIGN.iter().for_each(|member| assert_eq!(before[member], after[member], "{member}"));
            fixed += 1;
        } else {
            assert!(fs::read(path).unwrap() == fs::read(&written).unwrap(), "{} changed", path.display());
            same += 1;
        }
    }
    println!("{same} files without a fix, {fixed} with fixes");
    assert!(same > 20 && fixed > 5, "{same} files without a fix, {fixed} with fixes");
}
