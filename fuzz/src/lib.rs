//! Documents around the fuzzer's bytes, and the use of characters that they read as.
#![forbid(unsafe_code)]

#[path = "../../crates/sinew-formats/tests/it/hostile/document.rs"]
pub mod document;
#[path = "../../crates/sinew-formats/tests/it/hostile/edit.rs"]
pub mod edit;
#[path = "../../crates/sinew-formats/tests/it/hostile/exercise.rs"]
pub mod exercise;
#[path = "../../crates/sinew-formats/tests/it/fbx/document.rs"]
pub mod fbx_document;

pub use document::HostileDocument;

/// The compression modes of meshopt.
pub const MODES: [&str; 3] = ["ATTRIBUTES", "TRIANGLES", "INDICES"];
/// The filters of meshopt.
pub const FILTERS: [&str; 5] = ["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"];

/// Reads `bytes`, and uses the character if there is one.
pub fn read(bytes: &[u8]) {
    if let Ok(import) = sinew_formats::read_bytes(bytes, "fuzz") {
        exercise::exercise(&import);
    }
}

/// A valid GLB with changes that `bytes` decide, read as numbers of two bytes.
pub fn changed_document(bytes: &[u8]) -> Vec<u8> {
    let mut numbers = bytes.as_chunks::<2>().0.iter().map(|&b| u64::from(u16::from_le_bytes(b)));
    let mut next = || numbers.next().unwrap_or(0);
    let mut document = HostileDocument::everything();
    for _ in 0..next() % 9 {
        edit::edit(&mut document.json, &mut next);
    }
    for _ in 0..next() % 9 {
        let at = next() as usize % document.bin.len();
        document.bin[at] = next() as u8;
    }
    document.glb()
}
