//! Fixes for keys of clips.

use super::{FixError, FixSession, measure::MeasuredOver};
use crate::check::{
    CheckOptions, FindingCode, FindingPlace,
    keys::{JointUnits, flip_code, flipped, fraction_between, jitter, value_at},
    pops::pops,
};
use sinew::{
    Channel, Character, Clip, Curve,
    glam::{Quat, Vec3},
};
use std::sync::Arc;

/// At most this many rounds of smoothing are applied to a run of jittering keys.
const MAX_ROUNDS: usize = 40;

pub(super) fn fix_flips(session: &mut FixSession<'_>) -> Result<(), FixError> {
    fix_signs(session, FindingCode::ClipFlip)
}

pub(super) fn fix_cubic_flips(session: &mut FixSession<'_>) -> Result<(), FixError> {
    fix_signs(session, FindingCode::ClipFlipCubic)
}

fn fix_signs(session: &mut FixSession<'_>, code: FindingCode) -> Result<(), FixError> {
    let what = "keys set to the sign of the key before";
    fix_channels(
        session,
        code,
        what,
        |_| true,
        |channel, _| match channel {
            Channel::Rotation { curve, .. } if flip_code(curve) == code => {
                let count = flipped(curve).len();
                if count > 0 {
                    *curve = unflipped(curve)?;
                }
                Ok(count)
            }
            _ => Ok(0),
        },
    )
}

/// The same rotations, each key with the sign that is closer to the key before.
pub(in crate::check) fn unflipped(curve: &Curve<Quat>) -> Result<Curve<Quat>, FixError> {
    let mut before = curve.key(0)[0];
    let mut values = Vec::with_capacity(curve.elements().len());
    let stride = curve.interpolation().elements_per_key();
    for (key, elements) in curve.elements().chunks(stride).enumerate() {
        let here = curve.key(key)[0];
        let sign = if here.dot(before) < 0.0 { -1.0 } else { 1.0 };
        values.extend(elements.iter().map(|&q| q * sign));
        before = here * sign;
    }
    Ok(Curve::with_width(curve.width(), curve.times_secs().to_vec(), values, curve.interpolation())?)
}

pub(super) fn fix_jitter(session: &mut FixSession<'_>) -> Result<(), FixError> {
    let units = JointUnits::new(&session.character);
    let options = *session.options;
    let names = |(channel, place): (&Channel, &FindingPlace)| channel.joint() == place.joint;
    fix_channels(session, FindingCode::ClipJitter, "jittering keys smoothed", names, |channel, _| {
        steady(channel, &options, &units)
    })
}

/// Sets keys that pop to where their neighbors lead.
pub(super) fn fix_pops(session: &mut FixSession<'_>) -> Result<(), FixError> {
    let units = JointUnits::new(&session.character);
    fix_channels(
        session,
        FindingCode::ClipPop,
        "keys set between their neighbors",
        |_| true,
        |channel, places| {
            let times = channel.times_secs();
            let is_named = |key: usize| {
                places.iter().filter_map(|p| p.time_secs).any(|time| (time - times[key]).abs() < 1e-4)
            };
            let odd: Vec<usize> =
                pops(channel, &units).iter().map(|p| p.key).filter(|&k| is_named(k)).collect();
            let is_in: Vec<bool> = (0..times.len()).map(|key| odd.contains(&key)).collect();
            match channel {
                _ if odd.is_empty() => {}
                Channel::Rotation { curve, .. } => {
                    *curve = smoothed(curve, &is_in, |before: Quat, here, after, fraction| {
                        let near = |q: Quat| if q.dot(here) < 0.0 { -q } else { q };
                        near(before).lerp(near(after), fraction).normalize()
                    })?;
                }
                Channel::Translation { curve, .. } => {
                    *curve = smoothed(curve, &is_in, |before: Vec3, _, after, fraction| {
                        before.lerp(after, fraction)
                    })?;
                }
                Channel::Scale { .. } | Channel::Morphs { .. } => {}
            }
            Ok(odd.len())
        },
    )
}

/// Smooths the jittering keys until none jitters, and returns how many there were.
pub(in crate::check) fn steady(
    channel: &mut Channel,
    options: &CheckOptions,
    units: &JointUnits,
) -> Result<usize, FixError> {
    let mut count = 0;
    for _ in 0..MAX_ROUNDS {
        let Some(found) = jitter(channel, options, units) else { break };
        count = count.max(found.is_in.iter().filter(|k| **k).count());
        match channel {
            Channel::Rotation { curve, .. } => {
                *curve = smoothed(curve, &found.is_in, |before: Quat, here, after, fraction| {
                    let near = |q: Quat| if q.dot(here) < 0.0 { -q } else { q };
                    near(before).lerp(near(after), fraction).lerp(here, 0.5).normalize()
                })?;
            }
            Channel::Translation { curve, .. } => {
                *curve = smoothed(curve, &found.is_in, |before: Vec3, here, after, fraction| {
                    before.lerp(after, fraction).lerp(here, 0.5)
                })?;
            }
            _ => break,
        }
    }
    Ok(count)
}

fn smoothed<T: Copy>(
    curve: &Curve<T>,
    is_in: &[bool],
    mix: impl Fn(T, T, T, f32) -> T,
) -> Result<Curve<T>, FixError> {
    let (at, last) = (value_at(curve), curve.key_count() - 1);
    let stride = curve.elements().len() / curve.key_count();
    let value = |key: usize| curve.key(key)[0];
    let mut values = curve.elements().to_vec();
    for key in (1..last).filter(|&k| is_in[k]) {
        let fraction = fraction_between(curve.times_secs(), key);
        values[key * stride + at] = mix(value(key - 1), value(key), value(key + 1), fraction);
    }
    Ok(Curve::with_width(curve.width(), curve.times_secs().to_vec(), values, curve.interpolation())?)
}

/// Changes the channels that findings of `code` name. `names` says whether a place in the clip of a channel names the channel,
/// and `change` returns the number of keys that it changed.
fn fix_channels(
    session: &mut FixSession<'_>,
    code: FindingCode,
    what: &str,
    names: impl Fn((&Channel, &FindingPlace)) -> bool,
    change: impl Fn(&mut Channel, &[&FindingPlace]) -> Result<usize, FixError>,
) -> Result<(), FixError> {
    let mut parts = session.character.parts().clone();
    let (mut keys, mut clips) = (0, 0);
    for (index, clip) in parts.clips.iter_mut().enumerate() {
        let places: Vec<&FindingPlace> = session.named(code).filter(|p| p.clip == Some(index)).collect();
        if places.is_empty() {
            continue;
        }
        let mut of = Clip::clone(clip).into_parts();
        let mut count = 0;
        for channel in &mut of.channels {
            if places.iter().any(|place| names((channel, place))) {
                count += change(channel, &places)?;
            }
        }
        if count > 0 {
            *clip = Arc::new(Clip::from_parts(of)?);
            (keys, clips) = (keys + count, clips + 1);
        }
    }
    if clips > 0 {
        // All clips at once, because each measurement covers all of them.
        let next = Character::new(parts)?;
        let of = if clips == 1 { "1 clip".to_owned() } else { format!("{clips} clips") };
        session.done(code, format!("{keys} {what}, in {of}"), next, MeasuredOver::ClipsAndRange);
    }
    Ok(())
}
