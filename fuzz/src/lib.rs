//! What the fuzz targets share: documents around the fuzzer's bytes, and what is done with what they read as.
#![forbid(unsafe_code)]

#[path = "../../crates/sinew-formats/tests/hostile/document.rs"]
pub mod document;
#[path = "../../crates/sinew-formats/tests/hostile/edit.rs"]
pub mod edit;
#[path = "../../crates/sinew-formats/tests/hostile/exercise.rs"]
pub mod exercise;

pub use document::Document;

/// Reads `bytes`, and uses the character if there is one.
pub fn read(bytes: &[u8]) {
    if let Ok(import) = sinew_formats::read_bytes(bytes, "fuzz") {
        exercise::exercise(&import);
    }
}
