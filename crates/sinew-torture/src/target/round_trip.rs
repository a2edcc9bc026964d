//! Writing what was read.

use super::{gltf::changed_document, reread};
use crate::subject::Verdict;
use sinew::finding::Finding;
use sinew_formats::{WriteError, WriteOptions, read_bytes, to_glb, to_glb_with};

/// A character that reads can be written. Written with its repairs, it reads without those that the check reports, and as
/// the same character however often it is written again.
///
/// The first write may change a character where glTF is narrower; the documentation of the writer lists these changes.
pub fn round_trip(bytes: &[u8]) -> Verdict {
    let Ok(first) = read_bytes(&changed_document(bytes), "fuzz") else { return Verdict::Refused };
    let repairs = WriteOptions::default().with_repairs(true);
    let glb = match to_glb_with(&first.character, &repairs) {
        Ok((glb, _)) => glb,
        // glTF has no keys before time zero, for instance.
        Err(WriteError::Unrepresentable { .. }) => return Verdict::Refused,
        #[expect(clippy::panic, reason = "this is how a fuzz target reports a fault")]
        Err(error) => panic!("what was read cannot be written: {error}"),
    };
    reread(read_bytes(&reread(to_glb(&first.character)), "fuzz"));
    let second = reread(read_bytes(&glb, "fuzz"));
    let is_left = |finding: &&Finding| finding.code.check_code().is_some();
    let left = second.report.findings().iter().find(is_left);
    assert!(left.is_none(), "a repair is not written: {left:?}");
    let again = reread(to_glb(&second.character));
    assert_eq!(second.character, reread(read_bytes(&again, "fuzz")).character);
    Verdict::Accepted
}
