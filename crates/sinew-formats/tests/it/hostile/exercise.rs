//! What a user does with a character that was read.

use sinew::{Frame, Method, Wrap};
use sinew_formats::Import;

/// Samples, poses and deforms; a valid character lets nothing of this panic.
pub fn exercise(import: &Import) {
    let character = &import.character;
    assert_eq!(import.node_of_joint.len(), character.skeleton().len());
    let mut frame = Frame::new(character);
    let method = Method::ALL.into_iter().filter(|m| m.needs_precomputed().is_none()).cycle();
    for (clip, method) in character.clips().iter().take(4).zip(method) {
        for (time, wrap) in [(0.37, Wrap::Loop), (-1.0, Wrap::Clamp), (f32::MAX, Wrap::Loop)] {
            frame.sample(clip, time, wrap);
            frame.deform(method).expect("a frame fits its own character");
        }
    }
    frame.reset();
    frame.deform(Method::Linear).expect("a frame fits its own character");
    // Numbers near the largest float may overflow on the way; a box must come out all the same.
    _ = frame.bounds();
}
