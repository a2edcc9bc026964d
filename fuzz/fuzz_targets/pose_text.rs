//! Any text as a pose: it is refused with a reason, or gives a finite pose that writes and reads back.
#![no_main]

use sinew::Character;
use sinew_formats::pose_text::{PoseOffsets, to_text};
use std::sync::OnceLock;

static FIGURE: OnceLock<Character> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|text: &str| {
    let figure = FIGURE.get_or_init(sinew_samples::figure);
    let offsets = match PoseOffsets::parse(text, figure) {
        Ok(offsets) => offsets,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let mut pose = figure.rest_pose();
    offsets.apply(&mut pose);
    assert!(
        pose.joints
            .iter()
            .all(|t| t.rotation.is_finite() && t.translation.is_finite() && t.scale.is_finite())
    );
    // An offset can be larger than what may be written in a text.
    _ = PoseOffsets::parse(&to_text(&pose, figure), figure);
});
