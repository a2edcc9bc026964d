//! Any text as clips: it is refused with a reason, or writes and reads back equal.
#![no_main]

use sinew::Character;
use sinew_formats::clip_text::{ClipTextOptions, parse, to_text};
use std::sync::OnceLock;

static FIGURE: OnceLock<Character> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|text: &str| {
    let figure = FIGURE.get_or_init(sinew_samples::figure);
    let clips = match parse(text, figure) {
        Ok(clips) => clips,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let written = to_text(&clips, figure, &ClipTextOptions::default());
    let again = parse(&written, figure);
    assert_eq!(
        again.unwrap_or_else(|error| panic!("what was written does not read: {error}\n{written}")),
        clips
    );
    _ = parse(&to_text(&clips, figure, &ClipTextOptions::default().with_degrees(true)), figure);
});
