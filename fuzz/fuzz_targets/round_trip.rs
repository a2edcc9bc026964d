//! A character that reads can be written, and the written file is stable: it reads without repairs, and as the same
//! character however often it is written again.
//!
//! The first write may change a character where glTF is narrower; the documentation of the writer lists these changes.
#![no_main]

use sinew_formats::{Import, WriteError, read_bytes, to_glb};
use sinew_fuzz::changed_document;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(first) = read_bytes(&changed_document(bytes), "fuzz") else { return };
    let glb = match to_glb(&first.character) {
        Ok(glb) => glb,
        // glTF has no keys before time zero, for instance.
        Err(WriteError::Unrepresentable { .. }) => return,
        Err(error) => panic!("{error}"),
    };
    let second = reread(&glb);
    assert_eq!(second.report.repair_count(), 0, "{:?}", second.report);
    let again =
        to_glb(&second.character).unwrap_or_else(|error| panic!("what was written cannot be: {error}"));
    assert_eq!(second.character, reread(&again).character);
});

fn reread(glb: &[u8]) -> Import {
    read_bytes(glb, "fuzz").unwrap_or_else(|error| panic!("what was written does not read: {error}"))
}
