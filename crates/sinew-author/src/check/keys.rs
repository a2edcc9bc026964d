//! Keys of clips: jitter and flipped quaternion signs.

use super::{
    CheckOptions, Finding, FindingCode, FindingPlace,
    bound::{joint_name, shortened},
    effect::EffectMeter,
};
use sinew::{
    Channel, Character, Clip, Curve, Interpolation, JointId, LocalPose, Wrap,
    finding::FindingEffect,
    glam::{Quat, Vec3},
    sample_clip,
};

/// At least this many keys in a row must alternate to count as jitter.
const SHORTEST_RUN: usize = 8;
/// Keys with larger spacing are poses, not samples.
pub(super) const MAX_SPACING_SECS: f32 = 0.07;
/// The jitter limit of translations, as a fraction of the rig's height per radian of the limit of rotations.
const HEIGHT_PER_RADIAN: f32 = 0.2;

/// The number of moments of a channel at which a change of its keys is measured.
const MOMENTS: usize = 24;

pub(super) fn findings(meter: &EffectMeter<'_>, options: &CheckOptions, out: &mut Vec<Finding>) {
    let character = meter.character();
    let units = JointUnits::new(character);
    for (index, clip) in character.clips().iter().enumerate() {
        flips(meter, clip, index, out);
        for channel in clip.channels() {
            let Some(joint) = channel.joint() else { continue };
            let Some(found) = jitter(channel, options, &units) else { continue };
            let name = joint_name(character.skeleton(), joint);
            let property = channel.property();
            let time = channel.times_secs()[found.first];
            let (amount, unit) = match channel {
                Channel::Rotation { .. } => (found.worst.to_degrees(), "°"),
                _ => (found.worst * units.model_scale(joint) * 1000.0, " mm"),
            };
            let message = format!(
                "the {property} of {name} jitters over {} keys, by up to {amount:.2}{unit}",
                found.keys
            );
            let place = clip_place(clip, index, Some(joint), Some(time));
            let mut smooth = channel.clone();
            let is_smoothed = super::fix::steady(&mut smooth, options, &units).is_ok();
            let keys = (0..found.is_in.len()).filter(|&k| found.is_in[k]);
            let times: Vec<f32> = keys.map(|k| channel.times_secs()[k]).collect();
            let changed = [(channel, &smooth)];
            let effect = channel_effect(meter, clip, if is_smoothed { &changed } else { &[] }, &times);
            out.push(
                Finding::new(FindingCode::ClipJitter, place, message)
                    .with("amount", f64::from(amount))
                    .with_effect(effect),
            );
        }
    }
}

/// How far the skin moves at `times_secs` if channels of `clip` are replaced, each pair the old one and the new one.
pub(super) fn channel_effect(
    meter: &EffectMeter<'_>,
    clip: &Clip,
    changed: &[(&Channel, &Channel)],
    times_secs: &[f32],
) -> FindingEffect {
    let rest = meter.character().rest_pose();
    let Ok(before) = Clip::new("", clip.channels().to_vec(), Vec::new()) else { return meter.of_meters(0.0) };
    let replaced = |old: &Channel| {
        let new = changed.iter().find(|(of, _)| std::ptr::eq(*of, old) || *of == old);
        new.map_or_else(|| old.clone(), |(_, new)| (*new).clone())
    };
    let Ok(after) = Clip::new("", clip.channels().iter().map(replaced).collect(), Vec::new()) else {
        return meter.of_meters(0.0);
    };
    let every = times_secs.len().div_ceil(MOMENTS).max(1);
    let pose = |clip: &Clip, time: f32| -> LocalPose {
        let mut local = rest.clone();
        sample_clip(clip, time, Wrap::Clamp, &mut local);
        local
    };
    let pairs = times_secs.iter().step_by(every).map(|&time| [pose(&before, time), pose(&after, time)]);
    meter.of_pose_pairs(&pairs.collect::<Vec<_>>())
}

pub(super) fn clip_place(
    clip: &Clip,
    index: usize,
    joint: Option<JointId>,
    time_secs: Option<f32>,
) -> FindingPlace {
    let text = if clip.name().is_empty() {
        format!("clip {index}")
    } else {
        format!("clip {:?}", shortened(clip.name()))
    };
    FindingPlace { text, joint, clip: Some(index), time_secs, ..FindingPlace::default() }
}

/// The height of a character in the units of each joint's translation: joints may be scaled.
pub(super) struct JointUnits {
    height: f32,
    /// The length in model space of what is 1 long in the space of each joint's parent, at rest.
    model_scales: Vec<f32>,
}

impl JointUnits {
    pub(super) fn new(character: &Character) -> Self {
        let skeleton = character.skeleton();
        let mut model = sinew::ModelPose::new(skeleton);
        model.update(skeleton, &skeleton.rest_pose());
        let scale = |joint: JointId| {
            let parent = skeleton.parent(joint)?;
            let scale = model.joint(parent).matrix3.determinant().abs().cbrt();
            (scale > 0.0 && scale.is_finite()).then_some(scale)
        };
        let model_scales = skeleton.joints().map(|joint| scale(joint).unwrap_or(1.0)).collect();
        Self { height: height(character), model_scales }
    }

    pub(super) fn model_scale(&self, joint: JointId) -> f32 {
        self.model_scales.get(joint.index()).copied().unwrap_or(1.0)
    }

    /// The height of the character, in the units of the translation of `joint`.
    pub(super) fn height(&self, joint: JointId) -> f32 {
        self.height / self.model_scale(joint)
    }
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
fn flips(meter: &EffectMeter<'_>, clip: &Clip, index: usize, out: &mut Vec<Finding>) {
    let character = meter.character();
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
        out.push(
            Finding::new(code, place, message)
                .with("keys", total as f64)
                .with_effect(flip_effect(meter, clip, code)),
        );
    }
}

/// How far the skin is off halfway between flipped keys, in programs that interpolate them as they are.
fn flip_effect(meter: &EffectMeter<'_>, clip: &Clip, code: FindingCode) -> FindingEffect {
    if code == FindingCode::ClipFlip {
        // Programs that look at signs, as Sinew does, show no difference.
        return meter.of_meters(0.0);
    }
    let mut changed: Vec<(&Channel, Channel)> = Vec::new();
    let mut times: Vec<f32> = Vec::new();
    for channel in clip.channels() {
        let Channel::Rotation { joint, curve } = channel else { continue };
        let keys = if flip_code(curve) == code { flipped(curve) } else { Vec::new() };
        let Some(unflipped) = super::fix::unflipped(curve).ok().filter(|_| !keys.is_empty()) else {
            continue;
        };
        times.extend(keys.iter().map(|&k| 0.5 * (curve.times_secs()[k - 1] + curve.times_secs()[k])));
        changed.push((channel, Channel::Rotation { joint: *joint, curve: unflipped }));
    }
    let changed: Vec<(&Channel, &Channel)> = changed.iter().map(|(old, new)| (*old, new)).collect();
    channel_effect(meter, clip, &changed, &times)
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
pub(super) fn jitter(channel: &Channel, options: &CheckOptions, units: &JointUnits) -> Option<Jitter> {
    let radians = options.max_jitter_radians;
    let limit = match channel {
        Channel::Rotation { .. } => radians,
        Channel::Translation { joint, .. } => radians * HEIGHT_PER_RADIAN * units.height(*joint),
        _ => return None,
    };
    runs(channel.times_secs(), limit, |key| key_offset(channel, key))
}

/// How far an inner key is off the straight line between its neighbors: a rotation vector, or a translation in the units of
/// the curve.
pub(super) fn key_offset(channel: &Channel, key: usize) -> Vec3 {
    let fraction = fraction_between(channel.times_secs(), key);
    match channel {
        Channel::Rotation { curve, .. } => {
            let value = |key: usize| curve.key(key)[0];
            let near = |q: Quat, to: Quat| if q.dot(to) < 0.0 { -q } else { q };
            let (before, here, after) = (value(key - 1), value(key), value(key + 1));
            let (before, after) = (near(before, here), near(after, here));
            let middle = before.lerp(after, fraction).normalize();
            near(middle.conjugate() * here, Quat::IDENTITY).to_scaled_axis()
        }
        Channel::Translation { curve, .. } => {
            let value = |key: usize| curve.key(key)[0];
            value(key) - value(key - 1).lerp(value(key + 1), fraction)
        }
        _ => Vec3::ZERO,
    }
}

/// True if the keys on both sides of `key` are frames of a dense clip.
pub(super) fn is_dense(times_secs: &[f32], key: usize) -> bool {
    times_secs[key + 1] - times_secs[key] <= MAX_SPACING_SECS
        && times_secs[key] - times_secs[key - 1] <= MAX_SPACING_SECS
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
