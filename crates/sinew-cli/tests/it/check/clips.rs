//! Faults of clips: jitter, flipped quaternions, collapse, foot sliding.

use super::{Bad, tube, weights::reweighted};
use sinew::{
    Channel, Character, Clip, ClipParts, Curve, Influence, Interpolation, JointId,
    glam::{Quat, Vec3},
};
use sinew_author::{check::FindingCode, motion::resampled};
use std::sync::Arc;

/// `character` with one clip, changed.
fn reclipped(character: &Character, name: &str, of: impl Fn(ClipParts) -> ClipParts) -> Character {
    let mut parts = character.parts().clone();
    let clip = resampled(character.find_clip(name).unwrap(), 30.0).unwrap();
    parts.clips = vec![Arc::new(Clip::from_parts(of(clip.into_parts())).unwrap())];
    Character::new(parts).unwrap()
}

fn find(character: &Character, name: &str) -> JointId {
    character.skeleton().find(name).unwrap()
}

/// The rotation of `joint` with each key changed, by its number.
fn turned(parts: ClipParts, joint: JointId, of: impl Fn(usize, Quat) -> Quat) -> ClipParts {
    let change = |channel| match channel {
        Channel::Rotation { joint: j, curve } if j == joint => {
            let values = curve.elements().iter().enumerate().map(|(k, &q)| of(k, q)).collect();
            let curve = Curve::new(curve.times_secs().to_vec(), values, curve.interpolation()).unwrap();
            Channel::Rotation { joint, curve }
        }
        other => other,
    };
    assert!(parts.channels.iter().any(|c| matches!(c, Channel::Rotation { joint: j, .. } if *j == joint)));
    ClipParts { channels: parts.channels.into_iter().map(change).collect(), ..parts }
}

/// `parts` with a translation of `joint` that is `of` seconds.
fn moved(parts: ClipParts, joint: JointId, of: impl Fn(f32) -> Vec3) -> ClipParts {
    let last = parts.channels.iter().filter_map(|c| c.times_secs().last()).fold(0.0_f32, |a, &b| a.max(b));
    let times: Vec<f32> = (0..=(last * 30.0) as usize).map(|k| k as f32 / 30.0).collect();
    let values = times.iter().map(|&t| of(t)).collect();
    let curve = Curve::new(times, values, Interpolation::Linear).unwrap();
    let mut channels = parts.channels.clone();
    channels.retain(|c| !matches!(c, Channel::Translation { joint: j, .. } if *j == joint));
    channels.push(Channel::Translation { joint, curve });
    ClipParts { channels, ..parts }
}

fn sign(key: usize) -> f32 {
    if key.is_multiple_of(2) { 1.0 } else { -1.0 }
}

/// A smooth rotation whose second key has the other sign.
fn spinning() -> Character {
    let tube = tube();
    let mut parts = tube.parts().clone();
    let keys = [0.0_f32, 0.4, 0.8].map(Quat::from_rotation_z);
    let still = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let values = keys.iter().enumerate().flat_map(|(k, &q)| [still, q * sign(k), still]).collect();
    let curve = Curve::new(vec![0.0, 1.0, 2.0], values, Interpolation::Cubic).unwrap();
    let channel = Channel::Rotation { joint: find(&tube, "middle"), curve };
    parts.clips = vec![Arc::new(Clip::new("spin", vec![channel], vec![]).unwrap())];
    Character::new(parts).unwrap()
}

/// The tube with one of its clips that twist it.
fn twisting(name: &str) -> Character {
    let mut parts = sinew_samples::tube().into_parts();
    parts.clips.retain(|clip| clip.name() == name);
    Character::new(parts).unwrap()
}

/// The tube with its weights spread over all of its length.
fn soft(clip: &str) -> Character {
    reweighted(&twisting(clip), |_, place, _| {
        let weight = (place.y / sinew_samples::TUBE_LENGTH).clamp(0.0, 1.0);
        vec![Influence { slot: 0, weight: 1.0 - weight }, Influence { slot: 1, weight }]
    })
}

pub(super) fn bad() -> Vec<Bad> {
    let figure = sinew_samples::figure();
    let head = find(&figure, "head");
    let root = find(&figure, "root");
    let rest = figure.skeleton().rest(root).translation;
    let idle = |of: &dyn Fn(ClipParts) -> ClipParts| reclipped(&figure, "idle", of);
    let tremble = |amount: f32| move |k: usize, q: Quat| q * Quat::from_rotation_x(amount * sign(k));
    let shaken = idle(&|p| moved(p, root, |t| rest + Vec3::Y * 0.01 * sign((t * 30.0 + 0.5) as usize)));
    let slide = |way: Vec3| idle(&|p| moved(p, root, |t| rest + way * t));
    vec![
        Bad::new("a trembling head", FindingCode::ClipJitter, &idle(&|p| turned(p, head, tremble(0.03)))),
        Bad::new("a nervous head", FindingCode::ClipJitter, &idle(&|p| turned(p, head, tremble(0.3)))),
        Bad::new("a shaken root", FindingCode::ClipJitter, &shaken),
        Bad::new("every second key", FindingCode::ClipFlip, &idle(&|p| turned(p, head, |k, q| q * sign(k)))),
        Bad::new(
            "one key",
            FindingCode::ClipFlip,
            &idle(&|p| turned(p, head, |k, q| if k == 5 { -q } else { q })),
        ),
        Bad::new("one key", FindingCode::ClipFlipCubic, &spinning()),
        Bad::new("half a turn", FindingCode::CandyWrap, &twisting("twist_180")).unfixable(),
        Bad::new("there and back", FindingCode::CandyWrap, &twisting("twist")).unfixable(),
        Bad::new("a wrung cloth", FindingCode::VolumeLoss, &soft("twist_180")).unfixable(),
        Bad::new("sideways", FindingCode::FootSlide, &slide(Vec3::X * 0.15)).unfixable(),
        Bad::new("backwards", FindingCode::FootSlide, &slide(Vec3::Z * -0.1)).unfixable(),
    ]
}
