//! Texts, and what they change.

use super::motion;
use crate::{
    random::Random,
    subject::Verdict,
    target::{self, FIGURE, HUMANOID},
};
use sinew::{Character, Frame, Method, Wrap};
use sinew_author::{
    retarget::{JointMap, RetargetOptions, retarget},
    weights::{Edit, EffectPoses, PoseOptions, ops, text},
};
use sinew_formats::{clip_text as clips, pose_text::PoseOffsets};
use std::sync::Arc;

/// Reads clips, and plays and edits them.
pub fn clip_text(bytes: &[u8], random: &mut Random) -> Verdict {
    let verdict = target::clip_text(bytes);
    let Some(clips) = str::from_utf8(bytes).ok().and_then(|text| clips::parse(text, &HUMANOID).ok()) else {
        return verdict;
    };
    let mut parts = HUMANOID.parts().clone();
    parts.clips = clips.into_iter().map(Arc::new).collect();
    let Ok(character) = Character::new(parts) else { return verdict };
    let mut frame = Frame::new(&character);
    for clip in character.clips().iter().take(3) {
        frame.sample(clip, 0.3, Wrap::Loop);
        _ = frame.deform(Method::DualQuat);
    }
    if random.one_in(4) {
        motion::edit(&character);
    }
    verdict
}

/// Reads a pose, and deforms by it.
pub fn pose_text(bytes: &[u8], _: &mut Random) -> Verdict {
    let verdict = target::pose_text(bytes);
    let offsets = str::from_utf8(bytes).ok().and_then(|text| PoseOffsets::parse(text, &HUMANOID).ok());
    if let Some(offsets) = offsets {
        let mut frame = Frame::new(&*HUMANOID);
        offsets.apply(frame.local_mut());
        _ = frame.deform(Method::Linear);
        _ = frame.deform(Method::DualQuat);
    }
    verdict
}

/// Reads weights, and edits them.
pub fn weights_text(bytes: &[u8], _: &mut Random) -> Verdict {
    let verdict = target::weights_text(bytes);
    let (mesh, skin) = (&HUMANOID.meshes()[0], &HUMANOID.skins()[0]);
    let read = |text| text::from_text(text, HUMANOID.skeleton(), skin, None).ok();
    let Some(weights) = str::from_utf8(bytes).ok().and_then(read) else { return verdict };
    let poses = EffectPoses::of_character(&HUMANOID, 0, &PoseOptions::default());
    if let Ok(edit) = Edit::with_weights(mesh, &weights) {
        _ = ops::normalize(&edit.over(&poses));
    }
    verdict
}

/// Reads a joint map, and retargets by it.
pub fn joint_map(bytes: &[u8], random: &mut Random) -> Verdict {
    let verdict = target::joint_map(bytes);
    let read = |text| JointMap::parse(text, HUMANOID.skeleton(), FIGURE.skeleton()).ok();
    let map = str::from_utf8(bytes).ok().and_then(read).filter(|_| random.one_in(8));
    if let Some(map) = map {
        _ = retarget(&HUMANOID, &HUMANOID.clips()[0], &FIGURE, &map, &RetargetOptions::default());
    }
    verdict
}
