//! Keys a pose in a clip.

use super::MotionError;
use sinew::{Channel, Clip, ClipKind, Curve, Interpolation, JointId, LocalPose, Skeleton, Transform};

/// `clip` with `pose` keyed at `time_secs`.
///
/// Every channel gets a key, or its key at exactly that time is replaced. Every joint gets a rotation channel; translation and
/// scale channels are added if the pose differs from rest. Morph weights are keyed if the clip has channels for them.
///
/// # Errors
/// If the clip is additive or has cubic keys, the pose does not fit the skeleton, or the time or a value is not finite.
pub fn keyed(
    clip: &Clip,
    skeleton: &Skeleton,
    pose: &LocalPose,
    time_secs: f32,
) -> Result<Clip, MotionError> {
    if clip.kind() == ClipKind::Additive {
        return Err(MotionError::WrongKind { clip: clip.name().into(), kind: clip.kind() });
    }
    if clip.channels().iter().any(|c| c.interpolation() == Interpolation::Cubic) {
        return Err(MotionError::HasTangents { clip: clip.name().into() });
    }
    let (count, wanted) = (pose.joints.len(), skeleton.len());
    if count != wanted || clip.joint_count() > wanted {
        return Err(MotionError::WrongSize { what: "the pose", count, wanted });
    }
    let mut parts = clip.clone().into_parts();
    for channel in &mut parts.channels {
        key_channel(channel, time_secs, pose)?;
    }
    for (joint, transform) in skeleton.joints().zip(&pose.joints) {
        add_channels(&mut parts.channels, joint, (&skeleton.rest(joint), transform), time_secs)?;
    }
    Ok(Clip::from_parts(parts)?)
}

fn key_channel(channel: &mut Channel, time_secs: f32, pose: &LocalPose) -> Result<(), MotionError> {
    let of = |joint: &JointId| pose.joints[joint.index()];
    match channel {
        Channel::Translation { joint, curve } => {
            *curve = curve.with_key(time_secs, &[of(joint).translation])?;
        }
        Channel::Rotation { joint, curve } => *curve = curve.with_key(time_secs, &[of(joint).rotation])?,
        Channel::Scale { joint, curve } => *curve = curve.with_key(time_secs, &[of(joint).scale])?,
        Channel::Morphs { first_slot, curve } => {
            if let Some(weights) = pose.morphs.get(*first_slot..*first_slot + curve.width()) {
                *curve = curve.with_key(time_secs, weights)?;
            }
        }
    }
    Ok(())
}

/// Adds the channels of `joint` that are needed and missing.
fn add_channels(
    channels: &mut Vec<Channel>,
    joint: JointId,
    (rest, transform): (&Transform, &Transform),
    time_secs: f32,
) -> Result<(), MotionError> {
    fn curve<T>(time_secs: f32, value: T) -> Result<Curve<T>, MotionError> {
        Ok(Curve::new(vec![time_secs], vec![value], Interpolation::Linear)?)
    }
    let [mut turns, mut moves, mut scales] = [false; 3];
    for channel in channels.iter().filter(|c| c.joint() == Some(joint)) {
        turns |= matches!(channel, Channel::Rotation { .. });
        moves |= matches!(channel, Channel::Translation { .. });
        scales |= matches!(channel, Channel::Scale { .. });
    }
    if !turns {
        channels.push(Channel::Rotation { joint, curve: curve(time_secs, transform.rotation)? });
    }
    if !moves && transform.translation != rest.translation {
        channels.push(Channel::Translation { joint, curve: curve(time_secs, transform.translation)? });
    }
    if !scales && transform.scale != rest.scale {
        channels.push(Channel::Scale { joint, curve: curve(time_secs, transform.scale)? });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{ClipParts, Wrap, glam::Vec3, sample_clip};

    #[test]
    fn a_keyed_clip_shows_the_pose_and_keeps_its_other_keys() {
        let figure = sinew_samples::figure();
        let (skeleton, walk) = (figure.skeleton(), figure.find_clip("walk").unwrap());
        let time_secs = 0.37;
        let mut pose = figure.rest_pose();
        sample_clip(figure.find_clip("wave").unwrap(), 0.8, Wrap::Clamp, &mut pose);
        pose.joints[7].scale = Vec3::splat(1.25);
        let edited = keyed(walk, skeleton, &pose, time_secs).unwrap();
        let mut got = figure.rest_pose();
        sample_clip(&edited, time_secs, Wrap::Clamp, &mut got);
        assert_eq!(got.joints, pose.joints);
        for (before, after) in walk.channels().iter().zip(edited.channels()) {
            assert_eq!(before.key_count() + 1, after.key_count());
        }
        // Keying again at the same time adds nothing.
        let again = keyed(&edited, skeleton, &pose, time_secs).unwrap();
        assert_eq!(again, edited);
        assert_eq!(again.events(), walk.events());
    }

    #[test]
    fn rejects_additive_clips_and_poses_of_another_character() {
        let figure = sinew_samples::figure();
        let (skeleton, rest) = (figure.skeleton(), figure.rest_pose());
        let additive =
            Clip::from_parts(ClipParts { kind: ClipKind::Additive, ..ClipParts::default() }).unwrap();
        assert!(matches!(keyed(&additive, skeleton, &rest, 0.0), Err(MotionError::WrongKind { .. })));
        let empty = Clip::new("c", vec![], vec![]).unwrap();
        let other = sinew_samples::arm().rest_pose();
        assert!(matches!(keyed(&empty, skeleton, &other, 0.0), Err(MotionError::WrongSize { .. })));
        assert!(matches!(keyed(&empty, skeleton, &rest, f32::NAN), Err(MotionError::Curve(_))));
        assert_eq!(keyed(&empty, skeleton, &rest, 0.5).unwrap().channels().len(), skeleton.len());
    }
}
