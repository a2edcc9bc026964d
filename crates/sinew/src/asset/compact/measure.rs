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

/// The error of a compressed clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CompactDeviation {
    /// Largest error of a virtual vertex in model space, in meters.
    pub(super) meters: f32,
    /// Largest error of a morph weight.
    pub(super) morph_weight: f32,
}

/// The largest error of `compact` at `times`, which are in seconds.
pub(super) fn difference(
    clip: &Clip,
    compact: &CompactClip,
    skeleton: &Skeleton,
    distance: f32,
    times: &[f32],
) -> CompactDeviation {
    let mut deviation = Deviation::new(skeleton, distance);
    let (mut raw_cursor, mut cursor) = (ClipCursor::default(), ClipCursor::default());
    let start = match clip.kind() {
        ClipKind::Absolute => skeleton.rest_transforms().to_vec(),
        ClipKind::Additive => vec![Transform::IDENTITY; skeleton.len()],
    };
    let start = LocalPose { joints: start, morphs: vec![0.0; clip.morph_slot_count()] };
    let (mut want, mut got) = (start.clone(), start.clone());
    let mut worst = CompactDeviation::default();
    for &time in times {
        want.copy_from(&start);
        got.copy_from(&start);
        sample_clip_from(clip, time, Wrap::Clamp, &mut raw_cursor, &mut want);
        sample_compact(compact, time, &mut cursor, &mut got);
        let morphs = want.morphs.iter().zip(&got.morphs).map(|(a, b)| (a - b).abs());
        worst.morph_weight = morphs.fold(worst.morph_weight, f32::max);
        if clip.kind() == ClipKind::Additive {
            onto_rest(skeleton, &mut want);
            onto_rest(skeleton, &mut got);
        }
        worst.meters = worst.meters.max(deviation.between(&want, &got));
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
