//! Odd but valid documents, made by code: saving them without an edit changes no byte, and an edit changes what it names.

mod data;
mod kept;
mod looks;
mod motion;
mod structure;

use super::{
    assert_edit,
    document::{Document, changed_paths},
    edits::{self, EDITS},
    read_again,
};
use crate::hostile::document::{HostileDocument as OddDocument, glb, push};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use sinew::Character;
use sinew_formats::{
    Compression, Outcome, WriteOptions, read_bytes, read_file, to_glb, to_glb_with, write_file,
};
use std::{collections::BTreeMap, fs, path::Path};

/// A document by its name, as a change of the one with everything in it.
type OddCase = (&'static str, fn(&mut OddDocument));

/// Every odd document with its name.
fn documents() -> impl Iterator<Item = (&'static str, OddDocument)> {
    let lists = [structure::CASES, data::CASES, motion::CASES, looks::CASES];
    lists.into_iter().flatten().map(|(name, change)| {
        let mut document = OddDocument::everything();
        change(&mut document);
        document.close();
        (*name, document)
    })
}

pub(super) fn data_uri(bytes: &[u8]) -> String {
    format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(bytes))
}

impl OddDocument {
    /// Removes what is at a JSON pointer.
    fn remove(&mut self, pointer: &str) {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let parent = self.json.pointer_mut(parent).and_then(Value::as_object_mut).unwrap();
        assert!(parent.remove(key).is_some(), "{pointer}");
    }

    fn each_node(&mut self, change: impl FnMut(&mut Value)) {
        self.json["nodes"].as_array_mut().unwrap().iter_mut().for_each(change);
    }

    /// Lists extensions as used.
    fn declare(&mut self, extensions: &[&str]) {
        for name in extensions {
            push(&mut self.json["extensionsUsed"], json!(name));
        }
    }

    /// Lists the buffer, so that it can be changed.
    fn own_buffer(&mut self) {
        self.json["buffers"] = json!([{}]);
    }

    /// Gives the buffer its length, and a document without views no buffer.
    fn close(&mut self) {
        if self.json.get("bufferViews").is_none() {
            self.bin.clear();
            return;
        }
        if self.json.get("buffers").is_none() {
            self.own_buffer();
        }
        self.json["buffers"][0]["byteLength"] = self.bin.len().into();
    }

    /// The document as a binary file.
    fn binary(&self) -> Vec<u8> {
        glb(self.json.to_string().as_bytes(), &self.bin)
    }

    /// The document with the buffer at a URI.
    fn with_uri(&self, uri: &str) -> Value {
        let mut json = self.json.clone();
        if !self.bin.is_empty() {
            json["buffers"][0]["uri"] = uri.into();
        }
        json
    }

    /// The document with its files beside it, whose names have spaces, letters beyond ASCII, and a folder.
    fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        let mut json = self.with_uri("the%20data/b%C3%BCffer%20%25.bin");
        let image = b"\x89PNG\r\n\x1a\nbeside".to_vec();
        if json["images"][0].get("bufferView").is_some() {
            json["images"][0] = json!({ "uri": "./skin 1+2.png", "name": "beside" });
        }
        let text = json.to_string().into_bytes();
        vec![("odd.gltf", text), ("the data/büffer %.bin", self.bin.clone()), ("skin 1+2.png", image)]
    }

    /// Every form of the document: files by their names, the document first.
    fn forms(&self) -> [Vec<(&'static str, Vec<u8>)>; 4] {
        let embedded = self.with_uri(&data_uri(&self.bin));
        [
            vec![("odd.glb", self.binary())],
            vec![("odd.gltf", embedded.to_string().into_bytes())],
            vec![("odd.gltf", odd_text(&embedded))],
            self.files(),
        ]
    }
}

/// A text with spaces, escapes and numbers as no program writes them.
fn odd_text(json: &Value) -> Vec<u8> {
    let text = serde_json::to_string_pretty(json).unwrap();
    let text = text.replace("  ", "\t ").replace("0.5", "0.500E+0").replace('/', "\\/").replace('\n', "\r\n");
    format!("\u{feff} {text}\n\n").into_bytes()
}

fn save(folder: &Path, files: &[(&'static str, Vec<u8>)]) {
    for (name, bytes) in files {
        fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
        fs::write(folder.join(name), bytes).unwrap();
    }
}

/// The names and bytes of all files in a folder.
fn saved(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut out = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            out.extend(saved(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            out.insert(name, fs::read(&path).unwrap());
        }
    }
    out
}

fn read(name: &str, document: &OddDocument) -> Character {
    read_bytes(&document.binary(), "odd").unwrap_or_else(|e| panic!("{name}: {e}")).character
}

#[test]
fn there_are_eighty_odd_documents_with_names_of_their_own() {
    let names: Vec<&str> = documents().map(|(name, _)| name).collect();
    assert!(names.len() >= 80, "{}", names.len());
    assert_eq!(names.iter().collect::<std::collections::BTreeSet<_>>().len(), names.len());
}

#[test]
fn a_file_that_was_not_edited_is_the_same_to_the_byte_in_every_folder() {
    for (name, document) in documents() {
        for (number, files) in document.forms().iter().enumerate() {
            let what = format!("{name}, form {number}");
            let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            save(folder.path(), files);
            let before = saved(folder.path());
            let main = folder.path().join(files[0].0);
            let character = read_file(&main).unwrap_or_else(|e| panic!("{what}: {e}")).character;
            let report = write_file(&main, &character).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert!(saved(folder.path()) == before, "{what}: written in place");
            let is_told = [Outcome::Changed, Outcome::Dropped, Outcome::Decoded, Outcome::Repaired];
            let told: Vec<_> = report.entries().iter().filter(|e| is_told.contains(&e.outcome)).collect();
            assert!(told.is_empty(), "{what}: {told:?}");
            let copy = other.path().join(files[0].0);
            write_file(&copy, &character).unwrap_or_else(|e| panic!("{what}: {e}"));
            for (file, bytes) in saved(other.path()) {
                assert!(before.get(&file) == Some(&bytes), "{what}: {file} differs in another folder");
            }
            assert_eq!(read_file(&copy).unwrap().character, character, "{what}");
        }
    }
}

#[test]
fn an_edit_of_an_odd_document_changes_what_it_names_and_nothing_else() {
    for (name, document) in documents() {
        let (bytes, character) = (document.binary(), read(name, &document));
        for edit in EDITS {
            assert_edit(name, &bytes, &character, edit);
        }
    }
}

#[test]
fn all_edits_of_an_odd_document_together_are_read_back_from_every_form() {
    for (name, document) in documents() {
        for (number, files) in document.forms().iter().enumerate() {
            let what = format!("{name}, form {number}");
            let folder = tempfile::tempdir().unwrap();
            save(folder.path(), files);
            let main = folder.path().join(files[0].0);
            let character = read_file(&main).unwrap_or_else(|e| panic!("{what}: {e}")).character;
            let all = EDITS.iter().fold(character, |all, edit| (edit.apply)(&all).unwrap_or(all));
            write_file(&main, &all).unwrap_or_else(|e| panic!("{what}: {e}"));
            let back = read_file(&main).unwrap_or_else(|e| panic!("{what}: {e}")).character;
            edits::assert_same(&what, &back, &all);
        }
    }
}

#[test]
fn an_edit_of_an_odd_document_that_is_undone_leaves_it_as_it_was() {
    for (name, document) in documents() {
        let (bytes, character) = (document.binary(), read(name, &document));
        for edit in EDITS {
            let Some(edited) = (edit.apply)(&character) else { continue };
            let mut parts = character.parts().clone();
            parts.source = edited.into_parts().source;
            assert!(to_glb(&Character::new(parts).unwrap()).unwrap() == bytes, "{name}, {}", edit.name);
        }
    }
}

#[test]
fn an_odd_document_is_compressed_and_carried_or_refused_by_the_name_of_its_extension() {
    let (mut written, mut refused) = (0, 0);
    for (name, document) in documents() {
        let character = read(name, &document);
        for compression in Compression::ALL {
            let what = format!("{name}, {compression:?}");
            let options = WriteOptions::default().with_compression(Some(compression));
            let (bytes, report) = match to_glb_with(&character, &options) {
                Ok(written) => written,
                Err(error) => {
                    assert!(error.to_string().contains("may name data"), "{what}: {error}");
                    refused += 1;
                    continue;
                }
            };
            written += 1;
            assert!(!report.has_losses(), "{what}: {report:?}");
            assert_carried(&what, &document, &bytes);
            let back = read_again(&bytes, &character);
            assert_eq!(back.clips().len(), character.clips().len(), "{what}");
            assert_eq!(back.skeleton().len(), character.skeleton().len(), "{what}");
        }
    }
    assert!(written > 140 && refused > 0, "{written} written, {refused} refused");
}

/// Checks that compression changed nothing but where and how data is stored.
fn assert_carried(what: &str, before: &OddDocument, after: &[u8]) {
    let after = Document::parse(after).json;
    let stored = ["accessors", "bufferViews", "buffers", "extensionsUsed", "extensionsRequired"];
    let is_view = |path: &str| path.starts_with("images") && path.ends_with("bufferView");
    // The scale of quantized positions moves into the nodes of meshes without a skin.
    let is_scale = |path: &str| {
        let property = ["matrix", "translation", "rotation", "scale"].iter().any(|p| path.contains(p));
        path.starts_with("nodes") && property
    };
    for path in changed_paths(&before.json, &after) {
        let is_stored = stored.iter().any(|list| path.starts_with(list));
        assert!(is_stored || is_view(&path) || is_scale(&path), "{what}: {path} changed");
    }
}
