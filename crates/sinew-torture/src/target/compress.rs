//! Compressing what was read.

use super::{gltf::changed_document, reread};
use crate::subject::Verdict;
use sinew::Character;
use sinew_formats::{Compression, Outcome, WriteError, WriteOptions, read_bytes, to_glb, to_glb_with};

/// A valid document with changes, compressed in one of the two ways and within one of three bounds. The first byte decides
/// how, the others are decisions about the changes.
pub fn compress(bytes: &[u8]) -> Verdict {
    let (how, decisions) = bytes.split_first().unwrap_or((&0, &[]));
    let Ok(import) = read_bytes(&changed_document(decisions), "fuzz") else { return Verdict::Refused };
    let bound = [None, Some(0.0), Some(1.0)][usize::from(how / 2) % 3];
    compress_and_read_back(&import.character, Compression::ALL[usize::from(how % 2)], bound)
}

/// What was read can be compressed, unless an extension may name data. The result reads as a character of the same parts
/// (readers ignore clips without channels), keeps its bytes when it is written again, and moves no vertex by more than the
/// bound.
pub(crate) fn compress_and_read_back(
    character: &Character,
    compression: Compression,
    max_mm: Option<f64>,
) -> Verdict {
    let options =
        WriteOptions::default().with_compression(Some(compression)).with_max_compression_error_mm(max_mm);
    let (glb, report) = match to_glb_with(character, &options) {
        Ok(written) => written,
        Err(WriteError::Unrepresentable { what, .. }) => {
            assert!(!what.contains("cannot be read back"), "{what}");
            return Verdict::Refused;
        }
        #[expect(clippy::panic, reason = "this is how a fuzz target reports a fault")]
        Err(error) => panic!("what was read cannot be compressed: {error}"),
    };
    let error = report.of(Outcome::Encoded).find_map(|entry| entry.max_error_mm);
    let error = error.expect("the report has the error");
    assert!(max_mm.is_none_or(|max_mm| error <= max_mm), "{error} mm of {max_mm:?}");
    let back = reread(read_bytes(&glb, "fuzz")).character;
    let counts = |it: &Character| {
        let parts = it.parts();
        let moving_clips = parts.clips.iter().filter(|clip| !clip.channels().is_empty());
        (parts.meshes.len(), parts.skins.len(), parts.instances.len(), moving_clips.count())
    };
    assert_eq!(counts(&back), counts(character));
    assert_no_joint_was_lost(character, &back);
    for (before, after) in character.meshes().iter().zip(back.meshes()) {
        assert_eq!(before.positions().len(), after.positions().len());
        assert_eq!(before.indices().len(), after.indices().len());
    }
    assert!(reread(to_glb(&back)) == glb, "an unedited file changed");
    Verdict::Accepted
}

/// The writer adds at most a common root of the skins, and a joint for each further instance of a joint.
fn assert_no_joint_was_lost(before: &Character, after: &Character) {
    let (joints, after) = (before.skeleton().len(), after.skeleton().len());
    let allowed = joints..=joints + 1 + before.parts().instances.len();
    assert!(allowed.contains(&after), "{joints} joints became {after}");
}
