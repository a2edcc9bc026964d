//! Malformed files, by accident or on purpose, give an error or a valid character, never a panic, a hang or excessive
//! memory use.

mod cases;
mod files;
mod limits;
mod mutations;
pub(crate) mod random;
mod repairs;
mod truncations;

#[expect(unreachable_pub, reason = "the fuzz targets include this file")]
pub(crate) mod document;
#[expect(unreachable_pub, reason = "the fuzz targets include this file")]
mod edit;
#[expect(unreachable_pub, reason = "the fuzz targets include this file")]
pub(crate) mod exercise;

use document::HostileDocument;
use sinew_formats::{Import, read_bytes};

/// The import of a document that can be read.
fn import(document: &HostileDocument) -> Import {
    read_bytes(&document.glb(), "test").unwrap_or_else(|e| panic!("{e}"))
}

/// The error of a document that cannot be read.
fn refusal(document: &HostileDocument) -> String {
    match read_bytes(&document.glb(), "test") {
        Ok(_) => panic!("this was read: {}", document.json),
        Err(error) => error.to_string(),
    }
}

/// Checks that a text contains all of `parts`.
#[track_caller]
fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{text:?} does not say {part:?}");
    }
}

#[test]
fn the_unmodified_document_is_read_without_findings() {
    let import = import(&HostileDocument::everything());
    assert_eq!(import.report.repair_count(), 0, "{:#?}", import.report);
    let character = &import.character;
    assert_eq!((character.meshes().len(), character.skins().len(), character.clips().len()), (2, 1, 1));
    assert_eq!(character.clips()[0].channels().len(), 4);
    assert_eq!(character.meshes()[0].morphs().len(), 2);
    exercise::exercise(&import);
    let same = read_bytes(&HostileDocument::everything().gltf(), "test").unwrap();
    assert_eq!(import, same);
}
