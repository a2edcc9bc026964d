//! Texts that people edit: clips, poses, weights and joint maps.

use super::{FIGURE, HUMANOID, reread, with_text};
use crate::subject::Verdict;
use sinew_author::{
    retarget::{JointMap, MapConfidence},
    weights::text::{from_text, to_text as weights_to_text},
};
use sinew_formats::{
    clip_text::{self, ClipTextOptions},
    pose_text::{self, PoseOffsets},
};

/// Any text as clips: it is refused with a reason, or writes and reads back equal.
pub fn clip_text(bytes: &[u8]) -> Verdict {
    with_text(bytes, |text| {
        let clips = clip_text::parse(text, &HUMANOID);
        match &clips {
            Ok(clips) => {
                let written = clip_text::to_text(clips, &HUMANOID, &ClipTextOptions::default());
                assert_eq!(&reread(clip_text::parse(&written, &HUMANOID)), clips);
                let degrees = ClipTextOptions::default().with_degrees(true);
                _ = clip_text::parse(&clip_text::to_text(clips, &HUMANOID, &degrees), &HUMANOID);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        Verdict::of(&clips)
    })
}

/// Any text as a pose: it is refused with a reason, or gives a finite pose that writes and reads back.
pub fn pose_text(bytes: &[u8]) -> Verdict {
    with_text(bytes, |text| {
        let offsets = PoseOffsets::parse(text, &HUMANOID);
        match &offsets {
            Ok(offsets) => {
                let mut pose = HUMANOID.rest_pose();
                offsets.apply(&mut pose);
                let is_finite = |t: &sinew::Transform| {
                    t.rotation.is_finite() && t.translation.is_finite() && t.scale.is_finite()
                };
                assert!(pose.joints.iter().all(is_finite));
                // An offset can be larger than what may be written in a text.
                _ = PoseOffsets::parse(&pose_text::to_text(&pose, &HUMANOID), &HUMANOID);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        Verdict::of(&offsets)
    })
}

/// Any text as weights: it is refused with a reason, or writes and reads back as weights of the same vertices.
pub fn weights_text(bytes: &[u8]) -> Verdict {
    with_text(bytes, |text| {
        let (skeleton, skin) = (HUMANOID.skeleton(), &HUMANOID.skins()[0]);
        let existing = HUMANOID.meshes()[0].weights().map(|weights| &**weights);
        _ = from_text(text, skeleton, skin, existing);
        let weights = from_text(text, skeleton, skin, None);
        match &weights {
            Ok(weights) => {
                let written = weights_to_text("fuzz", weights, skeleton, skin);
                let again = reread(from_text(&written, skeleton, skin, None));
                assert_eq!(again.vertex_count(), weights.vertex_count());
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        Verdict::of(&weights)
    })
}

/// Any text as a joint map: it is refused with a reason, or writes and reads back equal.
pub fn joint_map(bytes: &[u8]) -> Verdict {
    with_text(bytes, |text| {
        let (source, target) = (HUMANOID.skeleton(), FIGURE.skeleton());
        let map = JointMap::parse(text, source, target);
        match &map {
            Ok(map) => {
                let again = reread(JointMap::parse(&map.to_text(source, target), source, target));
                assert_eq!(again.pairs(), map.pairs());
                _ = MapConfidence::of(map, &HUMANOID, &FIGURE).verdict();
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        Verdict::of(&map)
    })
}
