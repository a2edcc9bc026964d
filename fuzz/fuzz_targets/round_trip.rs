//! What reads can be written, and reads as the same character again.
//!
//! The input is as for `gltf_structured`.
#![no_main]

use sinew_formats::{WriteError, read_bytes, to_glb};
use sinew_fuzz::changed_document;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(first) = read_bytes(&changed_document(bytes), "fuzz") else { return };
    let glb = match to_glb(&first.character) {
        Ok(glb) => glb,
        // glTF has no keys before time zero, for instance; the writer says so.
        Err(WriteError::Unrepresentable { .. }) => return,
        Err(error) => panic!("{error}"),
    };
    let second =
        read_bytes(&glb, "fuzz").unwrap_or_else(|error| panic!("what was written does not read: {error}"));
    assert_eq!(first.character, second.character);
    assert_eq!(second.report.repair_count(), 0, "{:?}", second.report);
});
