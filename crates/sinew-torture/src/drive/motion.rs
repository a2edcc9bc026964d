//! Motion of a character, and from and to another.

use crate::target::HUMANOID;
use sinew::{Character, TimeRange};
use sinew_author::{
    motion::{
        JointMirrorMap, ReduceOptions, RootMotionOptions, extract_root_motion, mirrored, reduced, resampled,
        retimed, trimmed,
    },
    retarget::{JointMap, MapConfidence, RetargetOptions, retarget},
};

/// The first clip to the humanoid, and the humanoid's to this character.
pub(super) fn retarget_both_ways(character: &Character) {
    for (source, target) in [(character, &*HUMANOID), (&*HUMANOID, character)] {
        let map = JointMap::guess(source, target);
        _ = MapConfidence::of(&map, source, target).verdict();
        for clip in source.clips().iter().take(1) {
            _ = retarget(source, clip, target, &map, &RetargetOptions::default());
        }
    }
}

/// Every edit of a clip that the command line has.
pub(super) fn edit(character: &Character) {
    let skeleton = character.skeleton();
    let mirror = JointMirrorMap::by_name(skeleton);
    for clip in character.clips().iter().take(3) {
        _ = reduced(clip, skeleton, &ReduceOptions::default());
        _ = resampled(clip, 12.0);
        _ = mirrored(clip, skeleton, &mirror);
        _ = retimed(clip, 2.0);
        if let Ok(range) = TimeRange::new(0.1, 0.3) {
            _ = trimmed(clip, range);
        }
        if let Some(root) = skeleton.joints().next() {
            _ = extract_root_motion(clip, skeleton, &RootMotionOptions::of(root));
        }
    }
}
