//! Cooked files with any content behind right checksums.

use super::{reread, used};
use crate::subject::Verdict;
use sinew_formats::{
    cooked::{CookedOptions, read_cooked, to_cooked, update_checksums},
    read_bytes,
};

/// Any bytes as a cooked file, with checksums that are right: what they guard against is tried without them. A character
/// that reads is written and read back equal.
pub fn cooked(bytes: &[u8]) -> Verdict {
    let mut file = bytes.to_vec();
    update_checksums(&mut file);
    // The glTF reader would report bytes of no known format.
    if read_cooked(&file).is_err() {
        return Verdict::Refused;
    }
    let import = read_bytes(&file, "fuzz");
    let verdict = used(&import);
    if let Ok(import) = import {
        // Rigs may have numbers that JSON cannot hold.
        if let Ok(written) = to_cooked(&import.character, &CookedOptions::default()) {
            assert!(reread(read_cooked(&written)) == import.character, "a round trip changed the character");
        }
        // Keys are decoded from compressed frames.
        assert!(import.character.clips().iter().all(|clip| clip.last_key_secs() <= clip.duration_secs()));
    }
    verdict
}
