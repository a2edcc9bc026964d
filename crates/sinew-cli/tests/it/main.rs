//! The binary, run as a person or a script runs it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected fails")]

mod batch;
mod check;
mod clips;
mod convert;
mod cook;
mod corpus_files;
mod corpus_weights;
mod failures;
#[cfg(unix)]
mod full_disk;
mod gpu;
mod json;
mod layers;
mod limits;
mod losses;
mod meta_joints;
mod motion;
mod pose;
mod rig;
mod saving;
mod simd;
mod solve;
mod solve_mesh;
mod thousands;
mod vat;
mod verbs;
mod weights;
mod write_report;

use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use tempfile::TempDir;

fn sinew(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sinew")).args(arguments).output().unwrap()
}

/// Runs a command that must succeed, and returns what it printed.
fn succeed(arguments: &[&str]) -> String {
    let output = sinew(arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?} failed: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must succeed, and parses the JSON that it printed.
fn succeed_json(arguments: &[&str]) -> Value {
    serde_json::from_str(&succeed(arguments)).unwrap()
}

/// Runs a command that must fail with `code`, and returns its error text.
fn fail(arguments: &[&str], code: i32) -> String {
    let output = sinew(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed to standard output");
    String::from_utf8(output.stderr).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The shared corpus of files, or `None` outside CI if it is missing.
fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "the corpus is missing at {}", path.display());
    println!("skipped: there is no corpus at {}", path.display());
    None
}

fn floats(path: &Path) -> Vec<f32> {
    fs::read(path).unwrap().as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

/// A folder that is deleted after the test.
struct TestFolder(TempDir);

impl TestFolder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        text(&self.path(name)).to_owned()
    }
}

/// The names and bytes of every file below a folder.
fn files_below(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut out = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            out.extend(files_below(&path));
        } else {
            out.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    out
}
