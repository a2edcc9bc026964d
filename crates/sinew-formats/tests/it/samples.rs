//! Characters to write: the corpus, if it exists, and the built-in ones.

mod odd;

pub(crate) use odd::odd;

use crate::corpus_folder::corpus;
use sinew::Character;
use std::{fs, path::PathBuf};

/// Every .glb and .gltf of the corpus, sorted; empty without a corpus.
pub(crate) fn corpus_files() -> Vec<PathBuf> {
    let Some(corpus) = corpus() else { return Vec::new() };
    let mut files = Vec::new();
    for folder in [corpus.join("asset-generator"), corpus] {
        let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        files.extend(entries.filter(|path| path.extension().is_some_and(|e| e == "glb" || e == "gltf")));
    }
    assert!(!files.is_empty(), "the corpus holds no characters");
    files.sort();
    files
}

/// Every glTF file of the corpus with those of its folder of characters.
pub(crate) fn all_corpus_files() -> Vec<PathBuf> {
    let mut files = corpus_files();
    if let Some(corpus) = corpus() {
        let entries = fs::read_dir(corpus.join("characters")).unwrap().map(|entry| entry.unwrap().path());
        files.extend(entries.filter(|path| path.extension().is_some_and(|e| e == "glb")));
    }
    files
}

/// Every built-in character of `sinew-samples`.
pub(crate) fn built_ins() -> impl Iterator<Item = Character> {
    sinew_samples::NAMES
        .into_iter()
        .map(|name| sinew_samples::find(name).expect("every listed name is there"))
}
