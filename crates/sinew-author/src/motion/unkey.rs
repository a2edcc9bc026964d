//! Removes keys of a clip.

use super::{MotionError, error::not_negative, key_parts};
use sinew::{Channel, Clip, Curve, CurveError, JointId};

/// How far a key may be from the given time.
const TOLERANCE_SECS: f32 = 1e-4;

/// `clip` without the keys at `time_secs` (within 0.1 ms): those of `joints`, or of every channel if it is `None`.
///
/// A channel without keys is removed, and the joint is at rest then. The clip keeps its duration. Meta-channels and events
/// are unchanged.
///
/// # Errors
/// If no key is at that time, or the time is negative or not finite.
pub fn unkeyed(clip: &Clip, joints: Option<&[JointId]>, time_secs: f32) -> Result<Clip, MotionError> {
    not_negative("time_secs", time_secs)?;
    let is_chosen = |channel: &Channel| match joints {
        None => true,
        Some(joints) => channel.joint().is_some_and(|joint| joints.contains(&joint)),
    };
    let mut parts = clip.clone().into_parts();
    let (before, mut removed) = (std::mem::take(&mut parts.channels), 0);
    let mut nearest_secs: Option<f32> = None;
    for channel in before {
        if !is_chosen(&channel) {
            parts.channels.push(channel);
            continue;
        }
        let distance = |secs: f32| (secs - time_secs).abs();
        for &secs in channel.times_secs() {
            removed += usize::from(distance(secs) <= TOLERANCE_SECS);
            nearest_secs = nearest_secs.filter(|&near| distance(near) <= distance(secs)).or(Some(secs));
        }
        parts.channels.extend(without_key(channel, time_secs)?);
    }
    if removed == 0 {
        return Err(MotionError::NoKey { clip: clip.name().into(), time_secs, nearest_secs });
    }
    super::hold_until(&mut parts, clip.duration_secs());
    Ok(Clip::from_parts(parts)?)
}

/// `channel` without its keys at a time; `None` if it has no other.
fn without_key(channel: Channel, time_secs: f32) -> Result<Option<Channel>, CurveError> {
    Ok(match channel {
        Channel::Translation { joint, curve } => {
            remaining(&curve, time_secs)?.map(|curve| Channel::Translation { joint, curve })
        }
        Channel::Rotation { joint, curve } => {
            remaining(&curve, time_secs)?.map(|curve| Channel::Rotation { joint, curve })
        }
        Channel::Scale { joint, curve } => {
            remaining(&curve, time_secs)?.map(|curve| Channel::Scale { joint, curve })
        }
        Channel::Morphs { first_slot, curve } => {
            remaining(&curve, time_secs)?.map(|curve| Channel::Morphs { first_slot, curve })
        }
    })
}

fn remaining<T: Copy>(curve: &Curve<T>, time_secs: f32) -> Result<Option<Curve<T>>, CurveError> {
    let (mut times, mut elements) = (Vec::new(), Vec::new());
    for (key, &secs) in curve.times_secs().iter().enumerate() {
        if (secs - time_secs).abs() > TOLERANCE_SECS {
            times.push(secs);
            elements.extend_from_slice(key_parts(curve, key));
        }
    }
    if times.is_empty() {
        return Ok(None);
    }
    Curve::with_width(curve.width(), times, elements, curve.interpolation()).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::keyed;

    #[test]
    fn removing_a_key_undoes_keying_and_keeps_the_duration() {
        let arm = sinew_samples::arm();
        let (skeleton, rest) = (arm.skeleton(), arm.rest_pose());
        let empty = Clip::empty("c", 2.0).unwrap();
        let one = keyed(&empty, skeleton, &rest, 0.5).unwrap();
        let two = keyed(&one, skeleton, &rest, 1.5).unwrap();
        assert_eq!(unkeyed(&two, None, 1.5).unwrap(), one);
        assert_eq!(unkeyed(&one, None, 0.5).unwrap(), empty);
        let error = unkeyed(&two, None, 1.0).unwrap_err();
        assert_eq!(error.to_string(), "clip \"c\" has no key at 1 s; the nearest is at 0.5 s");
        let joint = skeleton.find("lower").unwrap();
        let fewer = unkeyed(&two, Some(&[joint]), 1.5).unwrap();
        let keys = |clip: &Clip, joint: JointId| {
            clip.channels().iter().filter(|c| c.joint() == Some(joint)).map(Channel::key_count).sum::<usize>()
        };
        assert_eq!((keys(&fewer, joint), keys(&fewer, JointId(0))), (1, 2));
        let walk = keyed(&Clip::new("c", vec![], vec![]).unwrap(), skeleton, &rest, 3.0).unwrap();
        assert_eq!(unkeyed(&walk, None, 3.0).unwrap().duration_secs(), 3.0);
    }
}
