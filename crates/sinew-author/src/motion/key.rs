//! Keys a pose in a clip.

use super::{CurveValue, MotionError, error::not_negative, is_cubic, trim::key_at};
use sinew::{
    Channel, Character, Clip, ClipKind, Curve, CurveError, Interpolation, JointId, LocalPose, Skeleton,
    Transform, sample::Interpolate,
};

/// A property of a pose that is keyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyedProperty {
    /// The translation of a joint.
    Translation(JointId),
    /// The rotation of a joint.
    Rotation(JointId),
    /// The scale of a joint.
    Scale(JointId),
    /// The morph weights of one mesh instance.
    Morphs {
        /// The first morph slot in a pose.
        first_slot: usize,
        /// The number of morph targets of the mesh.
        count: usize,
    },
}

/// `clip` with `pose` keyed at `time_secs`.
///
/// Every channel gets a key, or its key at exactly that time is replaced. Every joint gets a rotation channel; translation and
/// scale channels are added if the pose differs from rest. Morph weights are keyed if the clip has channels for them;
/// [`keyed_character`] adds those channels as well. A key
/// beyond the end makes the clip longer. A new key of a cubic curve has the slope that the curve had there; a replaced one
/// keeps its tangents.
///
/// # Errors
/// If the clip is additive, the pose does not fit the skeleton, the time is negative, or the time or a value is not finite.
pub fn keyed(
    clip: &Clip,
    skeleton: &Skeleton,
    pose: &LocalPose,
    time_secs: f32,
) -> Result<Clip, MotionError> {
    check(clip, skeleton, pose, time_secs)?;
    let mut parts = clip.clone().into_parts();
    for channel in &mut parts.channels {
        key_channel(channel, time_secs, pose)?;
    }
    for (joint, transform) in skeleton.joints().zip(&pose.joints) {
        add_channels(&mut parts.channels, joint, &skeleton.rest(joint), transform, time_secs)?;
    }
    Ok(Clip::from_parts(parts)?)
}

/// `clip` with a pose of `character` keyed at `time_secs`: as [`keyed`], and morph weights without a channel get one if those
/// of their mesh instance differ from rest.
///
/// # Errors
/// As [`keyed`], and if the pose has another number of morph weights than the character.
pub fn keyed_character(
    clip: &Clip,
    character: &Character,
    pose: &LocalPose,
    time_secs: f32,
) -> Result<Clip, MotionError> {
    let (rest, skeleton) = (character.rest_pose(), character.skeleton());
    let (count, wanted) = (pose.morphs.len(), rest.morphs.len());
    if count != wanted {
        return Err(MotionError::WrongSize { what: "the pose's list of morph weights", count, wanted });
    }
    let slots = (0..character.instances().len()).map(|instance| character.morph_slots(instance));
    let changed = slots.filter(|slots| pose.morphs[slots.clone()] != rest.morphs[slots.clone()]);
    let changed = changed.map(|slots| KeyedProperty::Morphs { first_slot: slots.start, count: slots.len() });
    let clip = keyed(clip, skeleton, pose, time_secs)?;
    keyed_properties(&clip, skeleton, pose, &changed.collect::<Vec<_>>(), time_secs)
}

/// `clip` with some properties of `pose` keyed at `time_secs`; all other channels stay as they are.
///
/// A property without a channel gets one, which holds its only key throughout the clip. Otherwise as [`keyed`].
///
/// # Errors
/// As [`keyed`], and if a joint or morph slot does not exist.
pub fn keyed_properties(
    clip: &Clip,
    skeleton: &Skeleton,
    pose: &LocalPose,
    properties: &[KeyedProperty],
    time_secs: f32,
) -> Result<Clip, MotionError> {
    check(clip, skeleton, pose, time_secs)?;
    let mut parts = clip.clone().into_parts();
    for property in properties {
        check_property(*property, pose)?;
        // Of several channels for one property the last one counts.
        match parts.channels.iter_mut().rfind(|channel| property.is_of(channel)) {
            Some(channel) => key_channel(channel, time_secs, pose)?,
            None => parts.channels.push(property.channel(pose, time_secs)?),
        }
    }
    Ok(Clip::from_parts(parts)?)
}

impl KeyedProperty {
    fn is_of(&self, channel: &Channel) -> bool {
        match (*self, channel) {
            (Self::Translation(of), Channel::Translation { joint, .. })
            | (Self::Rotation(of), Channel::Rotation { joint, .. })
            | (Self::Scale(of), Channel::Scale { joint, .. }) => of == *joint,
            (Self::Morphs { first_slot: of, .. }, Channel::Morphs { first_slot, .. }) => of == *first_slot,
            (Self::Translation(_) | Self::Rotation(_) | Self::Scale(_) | Self::Morphs { .. }, _) => false,
        }
    }

    /// A channel with one key, the value in `pose`.
    fn channel(self, pose: &LocalPose, time_secs: f32) -> Result<Channel, CurveError> {
        let of = |joint: JointId| pose.joints[joint.index()];
        Ok(match self {
            Self::Translation(joint) => {
                Channel::Translation { joint, curve: one_key(time_secs, &[of(joint).translation])? }
            }
            Self::Rotation(joint) => {
                Channel::Rotation { joint, curve: one_key(time_secs, &[of(joint).rotation])? }
            }
            Self::Scale(joint) => Channel::Scale { joint, curve: one_key(time_secs, &[of(joint).scale])? },
            Self::Morphs { first_slot, count } => {
                let weights = &pose.morphs[first_slot..first_slot + count];
                Channel::Morphs { first_slot, curve: one_key(time_secs, weights)? }
            }
        })
    }
}

fn check(clip: &Clip, skeleton: &Skeleton, pose: &LocalPose, time_secs: f32) -> Result<(), MotionError> {
    if clip.kind() == ClipKind::Additive {
        return Err(MotionError::WrongKind { clip: clip.name().into(), kind: clip.kind() });
    }
    let (count, wanted) = (pose.joints.len(), skeleton.len());
    if count != wanted || clip.joint_count() > wanted {
        return Err(MotionError::WrongSize { what: "the pose", count, wanted });
    }
    not_negative("time_secs", time_secs).map(|_| ())
}

fn check_property(property: KeyedProperty, pose: &LocalPose) -> Result<(), MotionError> {
    let (count, wanted) = match property {
        KeyedProperty::Translation(joint) | KeyedProperty::Rotation(joint) | KeyedProperty::Scale(joint) => {
            (pose.joints.len(), joint.index() + 1)
        }
        KeyedProperty::Morphs { first_slot, count } => {
            (pose.morphs.len(), first_slot.saturating_add(count.max(1)))
        }
    };
    if wanted > count {
        return Err(MotionError::WrongSize { what: "the pose", count, wanted });
    }
    Ok(())
}

fn key_channel(channel: &mut Channel, time_secs: f32, pose: &LocalPose) -> Result<(), MotionError> {
    let of = |joint: &JointId| pose.joints[joint.index()];
    match channel {
        Channel::Translation { joint, curve } => {
            *curve = with_value(curve, time_secs, &[of(joint).translation])?;
        }
        Channel::Rotation { joint, curve } => {
            *curve = with_value(curve, time_secs, &[of(joint).rotation])?;
        }
        Channel::Scale { joint, curve } => *curve = with_value(curve, time_secs, &[of(joint).scale])?,
        Channel::Morphs { first_slot, curve } => {
            if let Some(weights) = pose.morphs.get(*first_slot..*first_slot + curve.width()) {
                *curve = with_value(curve, time_secs, weights)?;
            }
        }
    }
    Ok(())
}

/// `curve` with a key of these values.
fn with_value<T: Interpolate + CurveValue>(
    curve: &Curve<T>,
    time_secs: f32,
    values: &[T],
) -> Result<Curve<T>, CurveError> {
    if !is_cubic(curve) {
        return curve.with_key(time_secs, values);
    }
    let mut key = key_at(curve, time_secs);
    let width = curve.width();
    for (place, value) in key[width..2 * width].iter_mut().zip(values) {
        *place = value.near(*place);
    }
    curve.with_key(time_secs, &key)
}

fn one_key<T: Copy>(time_secs: f32, values: &[T]) -> Result<Curve<T>, CurveError> {
    Curve::with_width(values.len(), vec![time_secs], values.to_vec(), Interpolation::Linear)
}

/// Adds the channels of `joint` that are needed and missing.
fn add_channels(
    channels: &mut Vec<Channel>,
    joint: JointId,
    rest: &Transform,
    transform: &Transform,
    time_secs: f32,
) -> Result<(), MotionError> {
    let [mut turns, mut moves, mut scales] = [false; 3];
    for channel in channels.iter().filter(|c| c.joint() == Some(joint)) {
        turns |= matches!(channel, Channel::Rotation { .. });
        moves |= matches!(channel, Channel::Translation { .. });
        scales |= matches!(channel, Channel::Scale { .. });
    }
    if !turns {
        channels.push(Channel::Rotation { joint, curve: one_key(time_secs, &[transform.rotation])? });
    }
    if !moves && transform.translation != rest.translation {
        channels.push(Channel::Translation { joint, curve: one_key(time_secs, &[transform.translation])? });
    }
    if !scales && transform.scale != rest.scale {
        channels.push(Channel::Scale { joint, curve: one_key(time_secs, &[transform.scale])? });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
