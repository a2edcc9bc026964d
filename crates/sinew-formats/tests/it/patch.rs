//! Saving a character that was read from glTF edits its document in place.

mod document;
pub(crate) mod edits;
mod foreign;
mod odd;

use crate::samples;
use document::{Document, changed_paths};
use edits::{EDITS, Edit};
use sinew::Character;
use sinew_formats::{Outcome, read_bytes, read_file, to_glb, to_glb_with, write_file};
use std::{fs, path::Path};

/// Reads a written file under the name of the character, which is not in it.
fn read_again(bytes: &[u8], character: &Character) -> Character {
    read_bytes(bytes, character.name()).unwrap_or_else(|e| panic!("{}: {e}", character.name())).character
}

#[test]
fn a_file_that_was_not_edited_keeps_its_text_and_its_bytes() {
    for path in samples::all_corpus_files() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let original = fs::read(&path).unwrap();
        let character = read_file(&path).unwrap_or_else(|e| panic!("{e}")).character;
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join(&name);
        let report = write_file(&copy, &character).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(report.of(Outcome::Dropped).next().is_none(), "{name}: {report:?}");
        assert!(report.of(Outcome::Changed).next().is_none(), "{name}: {report:?}");
        let (before, after) = (Document::parse(&original), Document::parse(&fs::read(&copy).unwrap()));
        assert_eq!(before.text, after.text, "{name}");
        assert!(before.bin == after.bin, "{name}: its binary data changed");
        for (own, bytes) in files_of(&before, path.parent().unwrap()) {
            assert!(fs::read(folder.path().join(&own)).unwrap() == bytes, "{name}: {own} changed");
        }
    }
}

/// The files that a document names, with their content.
fn files_of(document: &Document, folder: &Path) -> Vec<(String, Vec<u8>)> {
    let lists = ["buffers", "images"].into_iter().flat_map(|list| document.json[list].as_array().cloned());
    let uris = lists.flatten().filter_map(|item| item["uri"].as_str().map(str::to_owned));
    let named = uris.filter(|uri| !uri.starts_with("data:"));
    named.filter_map(|uri| Some((uri.clone(), fs::read(folder.join(&uri)).ok()?))).collect()
}

#[test]
fn a_file_in_the_other_form_is_the_same_character() {
    for path in samples::corpus_files() {
        let character = read_file(&path).unwrap_or_else(|e| panic!("{e}")).character;
        let folder = tempfile::tempdir().unwrap();
        let extension = if path.extension().is_some_and(|e| e == "glb") { "gltf" } else { "glb" };
        let copy = folder.path().join(format!("{}.{extension}", character.name()));
        write_file(&copy, &character).unwrap_or_else(|e| panic!("{e}"));
        let back = read_file(&copy).unwrap_or_else(|e| panic!("{e}")).character;
        assert!(back == character, "{}", copy.display());
        let third = folder.path().join("third.glb");
        write_file(&third, &back).unwrap();
        let mut parts = read_file(&third).unwrap().character.into_parts();
        parts.name = character.name().into();
        assert!(parts == *character.parts(), "{}", copy.display());
    }
}

#[test]
fn an_edit_changes_what_it_names_and_nothing_else() {
    let characters =
        samples::corpus_files().into_iter().map(|path| fs::read(&path).map(|bytes| (path, bytes)));
    for (path, bytes) in characters.map(Result::unwrap) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let character = read_file(&path).unwrap_or_else(|e| panic!("{e}")).character;
        EDITS.iter().for_each(|edit| assert_edit(&name, &bytes, &character, edit));
    }
}

/// Applies an edit to a character that was read from `bytes`, and checks that the written file differs in what it names
/// and reads back equal.
fn assert_edit(name: &str, bytes: &[u8], character: &Character, edit: &Edit) {
    let Some(edited) = (edit.apply)(character) else { return };
    let what = format!("{name}, {}", edit.name);
    let (written, report) =
        to_glb_with(&edited, &Default::default()).unwrap_or_else(|e| panic!("{what}: {e}"));
    edits::assert_same(&what, &read_again(&written, &edited), &edited);
    assert!(!report.has_losses(), "{what}: {report:?}");
    if !bytes.starts_with(b"glTF") {
        return;
    }
    let (before, after) = (Document::parse(bytes), Document::parse(&written));
    let data = ["accessors", "bufferViews", "buffers"];
    for path in changed_paths(&before.json, &after.json) {
        // A file that is decoded no longer requires the decoder.
        let is_draco = name.contains("draco") && path.starts_with("extensions");
        let is_expected = is_draco
            || data.iter().any(|list| path.starts_with(list))
            || edit.touches.iter().any(|prefix| path.starts_with(prefix));
        assert!(is_expected, "{what}: {path} changed");
    }
    document::assert_same_data(&what, &before, &after, edit.touches);
}

#[test]
fn an_edit_that_is_undone_leaves_the_file_as_it_was() {
    for character in samples::built_ins() {
        let bytes = to_glb(&character).unwrap();
        let first = read_again(&bytes, &character);
        for edit in EDITS {
            let Some(edited) = (edit.apply)(&first) else { continue };
            let undone = edited.into_parts();
            let mut parts = first.parts().clone();
            parts.source = undone.source;
            assert!(to_glb(&Character::new(parts).unwrap()).unwrap() == bytes, "{}", edit.name);
        }
    }
}

#[test]
fn saving_again_and_again_does_not_make_a_file_grow() {
    for character in samples::built_ins() {
        for edit in EDITS.iter().filter(|edit| edit.is_repeatable) {
            let mut current = read_again(&to_glb(&character).unwrap(), &character);
            let mut sizes = Vec::new();
            for _ in 0..4 {
                let Some(edited) = (edit.apply)(&current) else { break };
                let written = to_glb(&edited).unwrap();
                sizes.push(written.len());
                current = read_again(&written, &edited);
            }
            if let [_, second, .., last] = sizes[..] {
                assert!(last <= second + 64, "{}, {}: {sizes:?}", character.name(), edit.name);
            }
        }
    }
}
