//! Writes a pose as text.

use super::morph_names;
use sinew::naming::{Labels, quoted};
use sinew::{
    Character, LocalPose, Transform,
    glam::{DQuat, EulerRot, Quat},
};
use std::fmt::Write as _;

/// `pose` of `character` as offsets from the rest pose: one joint per line, without the joints that are at rest.
///
/// Angles are rounded to 1e-5 degrees, offsets to 1e-7 m, factors and weights to 1e-7. A joint whose rest scale is 0 along
/// an axis keeps it.
#[must_use]
pub fn to_text(pose: &LocalPose, character: &Character) -> String {
    let (skeleton, rest) = (character.skeleton(), character.rest_pose());
    let joints = Labels::new(skeleton.joints().map(|joint| skeleton.name(joint)));
    let morphs = Labels::new(morph_names(character));
    let mut out = String::new();
    // Writing to a string cannot fail.
    for (index, (now, rest)) in pose.joints.iter().zip(&rest.joints).enumerate() {
        let channels = channels(now, rest);
        if !channels.is_empty() {
            let _ = writeln!(out, "{}:{}", plain_or_quoted(joints.label(index)), channels.join(","));
        }
    }
    for (slot, (now, rest)) in pose.morphs.iter().zip(&rest.morphs).enumerate() {
        if now != rest {
            let weight = rounded(f64::from(*now), 1e7);
            let _ = writeln!(out, "{}:w={weight}", plain_or_quoted(morphs.label(slot)));
        }
    }
    out
}

/// The channels of a joint that differ from `rest`.
fn channels(now: &Transform, rest: &Transform) -> Vec<String> {
    let mut out = Vec::new();
    let mut add = |name: &str, axis: usize, value: f64| {
        out.push(format!("{name}{}={value}", ["x", "y", "z"][axis]));
    };
    if now.rotation != rest.rotation {
        let exact = |q: Quat| q.as_dquat().normalize();
        let turn: DQuat = exact(rest.rotation).conjugate() * exact(now.rotation);
        let (x, y, z) = turn.to_euler(EulerRot::XYZ);
        for (axis, radians) in [x, y, z].into_iter().enumerate() {
            let degrees = rounded(radians.to_degrees(), 1e5);
            if degrees != 0.0 {
                add("r", axis, degrees);
            }
        }
    }
    for axis in 0..3 {
        let (now, rest) = (f64::from(now.translation[axis]), f64::from(rest.translation[axis]));
        let offset = rounded(now - rest, 1e7);
        if offset != 0.0 {
            add("t", axis, offset);
        }
    }
    for axis in 0..3 {
        let (now, rest) = (f64::from(now.scale[axis]), f64::from(rest.scale[axis]));
        let factor = rounded(now / rest, 1e7);
        if factor.is_finite() && factor != 1.0 {
            add("s", axis, factor);
        }
    }
    out
}

/// `value` to a fraction of 1 / `per_unit`, without a negative zero.
fn rounded(value: f64, per_unit: f64) -> f64 {
    (value * per_unit).round() / per_unit + 0.0
}

fn plain_or_quoted(label: &str) -> String {
    let is_special = |c: char| matches!(c, '#' | '"' | ',' | '=') || c.is_control();
    let is_plain = !label.is_empty() && label.trim() == label && !label.contains(is_special);
    if is_plain { label.to_owned() } else { quoted(label) }
}
