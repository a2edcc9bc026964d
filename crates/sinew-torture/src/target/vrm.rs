//! Avatars and their animations.

use super::{HUMANOID, reread, used};
use crate::subject::Verdict;
use sinew::{Character, Frame, Method, Wrap};
use sinew_author::retarget::{JointMap, MapConfidence};
use sinew_formats::{
    export::{ExportFormat, ExportSource, export},
    read_bytes,
};

/// Any bytes as a VRM file or a VRM animation. Its humanoid is mapped to another, its springs swing, and both survive being
/// written.
pub fn vrm(bytes: &[u8]) -> Verdict {
    let import = read_bytes(bytes, "fuzz");
    if let Ok(import) = &import {
        let character = &import.character;
        let map = JointMap::guess(character, &HUMANOID);
        _ = MapConfidence::of(&map, character, &HUMANOID).verdict();
        swing(character);
        let source = ExportSource::new(character, Method::Linear);
        if let Ok(files) = export(ExportFormat::Vrm, &source, &mut |_| {}) {
            let again = reread(read_bytes(&files[0].bytes, "fuzz"));
            assert_eq!(again.character.humanoid().is_some(), character.humanoid().is_some());
            assert_eq!(again.character.springs().len(), character.springs().len());
        }
    }
    used(&import)
}

/// Plays the first clip with springs. Rotations stay rotations.
fn swing(character: &Character) {
    let (mut frame, mut state) = (Frame::new(character), character.springs().new_state());
    for step in 0..4_u8 {
        if let Some(clip) = character.clips().first() {
            frame.sample(clip, f32::from(step) * 0.1, Wrap::Loop);
        }
        frame.step_springs(&mut state, 0.05);
    }
    assert!(state.shown().iter().all(|rotation| rotation.is_finite()));
}
