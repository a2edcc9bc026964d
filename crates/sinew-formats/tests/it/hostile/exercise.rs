//! Uses a character as an application would.

use sinew::{Frame, Method, Wrap};
use sinew_formats::{Import, meta_joints::meta_joints_of};

/// Samples, poses and deforms. For a valid character nothing of this panics.
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
    let mut pose = character.rest_pose();
    for meta in meta_joints_of(character.extras(), character.skeleton()) {
        let radians = meta.angles(&pose).radians;
        meta.set_angles(&mut pose, radians);
    }
    // Numbers near the largest float may overflow; the bounding box must still be computed.
    _ = frame.bounds();
}
