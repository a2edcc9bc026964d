//! Keys of clips: jitter and flipped quaternion signs.

use super::{
    CheckOptions, Finding, FindingCode, FindingPlace,
    bound::{joint_name, shortened},
};
use sinew::{
    Channel, Character, Clip, Curve, Interpolation,
    glam::{Quat, Vec3},
};

/// At least this many keys in a row must alternate to count as jitter.
const SHORTEST_RUN: usize = 8;
/// Keys with larger spacing are poses, not samples.
const MAX_SPACING_SECS: f32 = 0.07;
/// The jitter limit of translations, as a fraction of the rig's height per radian of the limit of rotations.
const HEIGHT_PER_RADIAN: f32 = 0.2;

pub(super) fn findings(character: &Character, options: &CheckOptions, out: &mut Vec<Finding>) {
    let height = height(character);
    for (index, clip) in character.clips().iter().enumerate() {
        flips(character, clip, index, out);
        for channel in clip.channels() {
            let Some(joint) = channel.joint() else { continue };
            let Some(found) = jitter(channel, options, height) else { continue };
            let name = joint_name(character.skeleton(), joint);
            let property = channel.property();
            let time = channel.times_secs()[found.first];
            let (amount, unit) = match channel {
                Channel::Rotation { .. } => (found.worst.to_degrees(), "°"),
                _ => (found.worst * 1000.0, " mm"),
            };
            let message = format!(
                "the {property} of {name} jitters over {} keys, by up to {amount:.2}{unit}",
                found.keys
            );
            let place = clip_place(clip, index, Some(joint), Some(time));
            out.push(Finding::new(FindingCode::ClipJitter, place, message).with("amount", f64::from(amount)));
        }
    }
}

pub(super) fn clip_place(
    clip: &Clip,
    index: usize,
    joint: Option<sinew::JointId>,
    time_secs: Option<f32>,
) -> FindingPlace {
    let text = if clip.name().is_empty() {
        format!("clip {index}")
    } else {
        format!("clip {:?}", shortened(clip.name()))
    };
    FindingPlace { text, joint, clip: Some(index), time_secs, ..FindingPlace::default() }
}

/// The height of the highest joint above the lowest in the rest pose, in meters.
pub(super) fn height(character: &Character) -> f32 {
    let mut model = sinew::ModelPose::new(character.skeleton());
    model.update(character.skeleton(), &character.skeleton().rest_pose());
    let heights = model.joints().iter().map(|m| m.translation.y);
    let (low, high) = heights.fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), y| (l.min(y), h.max(y)));
    if high > low { high - low } else { 1.0 }
}

/// Adds one finding per clip and kind of curve, because rigs flip many joints at once.
fn flips(character: &Character, clip: &Clip, index: usize, out: &mut Vec<Finding>) {
    for code in [FindingCode::ClipFlip, FindingCode::ClipFlipCubic] {
        let curves = clip.channels().iter().filter_map(|channel| match channel {
            Channel::Rotation { joint, curve } if flip_code(curve) == code => {
                Some((*joint, curve, flipped(curve)))
            }
            _ => None,
        });
        let found: Vec<_> = curves.filter(|c| !c.2.is_empty()).collect();
        let Some((joint, curve, keys)) = found.iter().max_by_key(|c| c.2.len()) else { continue };
        let total: usize = found.iter().map(|c| c.2.len()).sum();
        let message = format!(
            "{total} rotation keys of {} joints have the opposite sign of the key before, most of them of {}",
            found.len(),
            joint_name(character.skeleton(), *joint)
        );
        let place = clip_place(clip, index, Some(*joint), Some(curve.times_secs()[keys[0]]));
        out.push(Finding::new(code, place, message).with("keys", total as f64));
    }
}

/// Linear keys of opposite signs take the short way in programs that check the sign; cubic keys take the long way in all.
pub(super) fn flip_code(curve: &Curve<Quat>) -> FindingCode {
    if curve.interpolation() == Interpolation::Cubic {
        FindingCode::ClipFlipCubic
    } else {
        FindingCode::ClipFlip
    }
}

/// The index of a key's value among its stored elements, after the in-tangents.
pub(super) fn value_at<T>(curve: &Curve<T>) -> usize {
    usize::from(curve.interpolation() == Interpolation::Cubic) * curve.width()
}

/// The keys that have the opposite sign of the key before.
pub(super) fn flipped(curve: &Curve<Quat>) -> Vec<usize> {
    if curve.interpolation() == Interpolation::Step {
        return Vec::new();
    }
    let value = |key: usize| curve.key(key)[0];
    // Half a turn is equally far both ways, so rounding decides the sign.
    (1..curve.key_count()).filter(|&key| value(key).dot(value(key - 1)) < -1e-3).collect()
}

/// The jittering keys of a channel.
pub(super) struct Jitter {
    /// The first key of the worst run.
    first: usize,
    /// The number of jittering keys.
    keys: usize,
    /// The largest distance of a key from the mean of its neighbors, in radians or meters.
    worst: f32,
    /// For each key, whether it jitters.
    pub(super) is_in: Vec<bool>,
}

/// The jittering keys of `channel`, if any.
pub(super) fn jitter(channel: &Channel, options: &CheckOptions, height: f32) -> Option<Jitter> {
    let limit = options.max_jitter_radians;
    match channel {
        Channel::Rotation { curve, .. } => {
            let value = |key: usize| curve.key(key)[0];
            let off = |key: usize| {
                let near = |q: Quat, to: Quat| if q.dot(to) < 0.0 { -q } else { q };
                let (before, here, after) = (value(key - 1), value(key), value(key + 1));
                let (before, after) = (near(before, here), near(after, here));
                let fraction = fraction_between(curve.times_secs(), key);
                let middle = before.lerp(after, fraction).normalize();
                near(middle.conjugate() * here, Quat::IDENTITY).to_scaled_axis()
            };
            runs(curve.times_secs(), limit, off)
        }
        Channel::Translation { curve, .. } => {
            let value = |key: usize| curve.key(key)[0];
            let off = |key: usize| {
                value(key) - value(key - 1).lerp(value(key + 1), fraction_between(curve.times_secs(), key))
            };
            runs(curve.times_secs(), limit * HEIGHT_PER_RADIAN * height, off)
        }
        _ => None,
    }
}

/// The position of a key's time between its neighbors' times, from 0 to 1.
pub(super) fn fraction_between(times: &[f32], key: usize) -> f32 {
    let span = times[key + 1] - times[key - 1];
    if span > 0.0 { (times[key] - times[key - 1]) / span } else { 0.5 }
}

/// Runs of keys that alternate from side to side, each off by more than `limit`.
fn runs(times: &[f32], limit: f32, off: impl Fn(usize) -> Vec3) -> Option<Jitter> {
    let last = times.len().checked_sub(1)?;
    let mut out = Jitter { first: 0, keys: 0, worst: 0.0, is_in: vec![false; times.len()] };
    let offs: Vec<Vec3> =
        (0..times.len()).map(|k| if k == 0 || k == last { Vec3::ZERO } else { off(k) }).collect();
    let is_close = |key: usize| times[key] - times[key - 1] <= MAX_SPACING_SECS;
    let alternates = |key: usize| {
        is_close(key)
            && offs[key].length() > limit
            && offs[key - 1].length() > limit
            && offs[key].dot(offs[key - 1]) < 0.0
    };
    let mut start = 1;
    for key in 2..=last {
        if key < last && alternates(key) {
            continue;
        }
        if key - start >= SHORTEST_RUN {
            (start..key).for_each(|k| out.is_in[k] = true);
            let worst = (start..key).map(|k| offs[k].length()).fold(0.0, f32::max);
            out.keys += key - start;
            if worst > out.worst {
                (out.worst, out.first) = (worst, start);
            }
        }
        start = key;
    }
    (out.keys > 0).then_some(out)
}
