//! Poses that become keys.

use super::CommandError;
use crate::document::{Document, Piece};
use sinew::{Channel, Clip, ClipKind, ClipParts, Curve, Interpolation, JointId, LocalPose, Transform};
use std::sync::Arc;

/// What a new clip is called.
const NEW_CLIP: &str = "keyed";

/// Keys every joint's rotation, and translations, scales and shapes where the clip moves them or the pose leaves rest.
pub(super) fn key_pose(document: &mut Document) -> Result<Vec<Piece>, CommandError> {
    let playhead = Piece::Playhead(*document.playhead());
    let mut clips = document.character().clips().to_vec();
    let (place, parts) = match (document.playhead().clip, document.clip()) {
        (Some(place), Some(clip)) => (place, Clip::clone(clip).into_parts()),
        _ => (clips.len(), ClipParts { name: NEW_CLIP.into(), ..ClipParts::default() }),
    };
    let edited = Arc::new(Clip::from_parts(keyed(document, parts)?)?);
    match clips.get_mut(place) {
        Some(clip) => *clip = edited,
        None => clips.push(edited),
    }
    let before = document.swap_clips(clips)?;
    document.playhead_mut().clip = Some(place);
    Ok(vec![playhead, Piece::Clips(before)])
}

fn keyed(document: &Document, mut parts: ClipParts) -> Result<ClipParts, CommandError> {
    let cannot = |what| CommandError::CannotKey { clip: parts.name.clone(), what };
    if parts.kind == ClipKind::Additive {
        return Err(cannot("additive"));
    }
    if parts.channels.iter().any(|c| c.interpolation() == Interpolation::Cubic) {
        return Err(cannot("cubic"));
    }
    let (time_secs, pose) = (document.playhead().time_secs, document.pose());
    for channel in &mut parts.channels {
        key_channel(channel, time_secs, pose)?;
    }
    let has = |joint: JointId, property: &str| {
        parts.channels.iter().any(|c| c.joint() == Some(joint) && c.property() == property)
    };
    let skeleton = document.character().skeleton();
    let mut added = Vec::new();
    for (joint, transform) in skeleton.joints().zip(&pose.joints) {
        let rest = skeleton.rest(joint);
        if !has(joint, "rotation") {
            added.push(Channel::Rotation { joint, curve: new_curve(time_secs, transform.rotation)? });
        }
        if !has(joint, "translation") && transform.translation != rest.translation {
            added.push(Channel::Translation { joint, curve: new_curve(time_secs, transform.translation)? });
        }
        if !has(joint, "scale") && transform.scale != rest.scale {
            added.push(Channel::Scale { joint, curve: new_curve(time_secs, transform.scale)? });
        }
    }
    parts.channels.extend(added);
    Ok(parts)
}

fn key_channel(channel: &mut Channel, time_secs: f32, pose: &LocalPose) -> Result<(), CommandError> {
    let of = |joint: &JointId| pose.joints.get(joint.index()).copied().unwrap_or(Transform::IDENTITY);
    match channel {
        Channel::Translation { joint, curve } => {
            *curve = with_key(curve, time_secs, &[of(joint).translation])?;
        }
        Channel::Rotation { joint, curve } => *curve = with_key(curve, time_secs, &[of(joint).rotation])?,
        Channel::Scale { joint, curve } => *curve = with_key(curve, time_secs, &[of(joint).scale])?,
        Channel::Morphs { first_slot, curve } => {
            if let Some(weights) = pose.morphs.get(*first_slot..*first_slot + curve.width()) {
                *curve = with_key(curve, time_secs, weights)?;
            }
        }
    }
    Ok(())
}

/// The curve with `key` at `time_secs`, in place of a key that is there already.
fn with_key<T: Copy>(curve: &Curve<T>, time_secs: f32, key: &[T]) -> Result<Curve<T>, CommandError> {
    let (mut times, mut values) = (curve.times_secs().to_vec(), curve.elements().to_vec());
    let width = curve.width();
    let place = times.partition_point(|t| *t < time_secs);
    let replaced = if times.get(place) == Some(&time_secs) { width } else { 0 };
    if replaced == 0 {
        times.insert(place, time_secs);
    }
    values.splice(place * width..place * width + replaced, key.iter().copied());
    Ok(Curve::with_width(width, times, values, curve.interpolation())?)
}

fn new_curve<T>(time_secs: f32, value: T) -> Result<Curve<T>, CommandError> {
    Ok(Curve::new(vec![time_secs], vec![value], Interpolation::Linear)?)
}
