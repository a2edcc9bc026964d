//! Avatars and their animations.

use super::{HUMANOID, reread, used};
use crate::subject::Verdict;
use sinew::Method;
use sinew_author::retarget::{JointMap, MapConfidence};
use sinew_formats::{
    export::{ExportFormat, ExportSource, export},
    read_bytes,
};

/// Any bytes as a VRM file or a VRM animation. Its humanoid is mapped to another, and survives being written.
pub fn vrm(bytes: &[u8]) -> Verdict {
    let import = read_bytes(bytes, "fuzz");
    if let Ok(import) = &import {
        let character = &import.character;
        let map = JointMap::guess(character, &HUMANOID);
        _ = MapConfidence::of(&map, character, &HUMANOID).verdict();
        let source = ExportSource::new(character, Method::Linear);
        if let Ok(files) = export(ExportFormat::Vrm, &source, &mut |_| {}) {
            let again = reread(read_bytes(&files[0].bytes, "fuzz"));
            assert_eq!(again.character.humanoid().is_some(), character.humanoid().is_some());
        }
    }
    used(&import)
}
