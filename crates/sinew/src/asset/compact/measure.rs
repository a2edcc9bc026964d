//! Memory use and error of a compressed clip.

use super::CompactClip;
use crate::{
    asset::{
        clip::{Channel, Clip, ClipKind},
        skeleton::Skeleton,
    },
    pose::LocalPose,
    sample::{ClipCursor, Deviation, Wrap, sample_clip_from, sample_compact},
    transform::Transform,
};

/// Memory use of the keys of `channel`, in bytes.
pub(super) fn channel_bytes(channel: &Channel) -> usize {
    let elements = match channel {
        Channel::Translation { curve, .. } | Channel::Scale { curve, .. } => curve.elements().len() * 12,
        Channel::Rotation { curve, .. } => curve.elements().len() * 16,
        Channel::Morphs { curve, .. } => curve.elements().len() * 4,
    };
    elements + channel.key_count() * 4
}

/// The largest difference between two clips in meters at virtual vertices, and in morph weights, at `times`.
pub(super) fn difference(
    (clip, compact): (&Clip, &CompactClip),
    skeleton: &Skeleton,
    distance: f32,
    times: &[f32],
) -> (f32, f32) {
    let mut deviation = Deviation::new(skeleton, distance);
    let (mut raw_cursor, mut cursor) = (ClipCursor::default(), ClipCursor::default());
    let start = match clip.kind() {
        ClipKind::Absolute => skeleton.rest_transforms().to_vec(),
        ClipKind::Additive => vec![Transform::IDENTITY; skeleton.len()],
    };
    let start = LocalPose { joints: start, morphs: vec![0.0; clip.morph_slot_count()] };
    let (mut want, mut got) = (start.clone(), start.clone());
    let mut worst = (0.0_f32, 0.0_f32);
    for &time in times {
        want.copy_from(&start);
        got.copy_from(&start);
        sample_clip_from(clip, time, Wrap::Clamp, &mut raw_cursor, &mut want);
        sample_compact(compact, time, &mut cursor, &mut got);
        let morphs = want.morphs.iter().zip(&got.morphs).map(|(a, b)| (a - b).abs());
        worst.1 = morphs.fold(worst.1, f32::max);
        if clip.kind() == ClipKind::Additive {
            onto_rest(skeleton, &mut want);
            onto_rest(skeleton, &mut got);
        }
        worst.0 = worst.0.max(deviation.between(&want, &got));
    }
    worst
}

/// Adds an additive pose to the rest pose, in place.
fn onto_rest(skeleton: &Skeleton, pose: &mut LocalPose) {
    for (joint, rest) in pose.joints.iter_mut().zip(skeleton.rest_transforms()) {
        joint.translation += rest.translation;
        joint.rotation = rest.rotation * joint.rotation;
        joint.scale *= rest.scale;
    }
}
