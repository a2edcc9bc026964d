//! Uses a character as an application would.

use sinew::{DeformError, Frame, Method, Wrap};
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
            deform(&mut frame, method);
        }
    }
    frame.reset();
    deform(&mut frame, Method::Linear);
    let mut pose = character.rest_pose();
    for meta in meta_joints_of(character.extras(), character.skeleton()) {
        let radians = meta.angles(&pose).radians;
        meta.set_angles(&mut pose, radians);
    }
    _ = frame.bounds();
}

/// Deforms a frame of a valid character. Returns false if the pose is out of range.
pub fn deform(frame: &mut Frame, method: Method) -> bool {
    match frame.deform(method) {
        Ok(_) => true,
        Err(DeformError::PoseOutOfRange { .. }) => false,
        #[expect(clippy::panic, reason = "this is how a fuzz target reports a fault")]
        Err(error) => panic!("a frame fits its own character: {error}"),
    }
}
