//! Single keys off their path, and curves that jump.

use super::{
    Finding, FindingCode,
    bound::joint_name,
    effect::EffectMeter,
    keys::{JointUnits, clip_place, is_dense, key_offset},
};
use sinew::{
    Channel, Clip, Interpolation, JointId, LocalPose, Wrap,
    glam::{Quat, Vec3},
    sample_clip,
};

/// A key must be off by more to count as a pop, in radians.
const MIN_POP_RADIANS: f32 = 0.25;
/// A key must be off by more to count as a pop, as a fraction of the character's height.
const MIN_POP_RATIO: f32 = 0.04;
/// The keys around a pop are off by at most this fraction of it, and it returns to within twice that fraction.
const CALM: f32 = 0.12;
/// A step must be larger to count as a jump, in radians.
const MIN_JUMP_RADIANS: f32 = 0.7;
/// A step must be larger to count as a jump, as a fraction of the character's height.
const MIN_JUMP_RATIO: f32 = 0.08;
/// The steps before and after a jump are at most this fraction of it.
const STEADY: f32 = 0.15;

/// What is wrong with one key of a channel.
pub(super) struct OddKey {
    pub(super) key: usize,
    joint: JointId,
    time_secs: f32,
    /// How far off the key is, as a multiple of the limit.
    excess: f32,
    /// What the joint would be without the fault, at the time of the key.
    wanted: ChannelValue,
}

/// The value of a channel at a time.
#[derive(Clone, Copy)]
enum ChannelValue {
    Rotation(Quat),
    Translation(Vec3),
}

impl ChannelValue {
    fn set(self, local: &mut LocalPose, joint: JointId) {
        let joint = &mut local.joints[joint.index()];
        match self {
            Self::Rotation(rotation) => joint.rotation = rotation,
            Self::Translation(translation) => joint.translation = translation,
        }
    }
}

pub(super) fn findings(meter: &EffectMeter<'_>, out: &mut Vec<Finding>) {
    let units = JointUnits::new(meter.character());
    for (index, clip) in meter.character().clips().iter().enumerate() {
        for code in [FindingCode::ClipPop, FindingCode::ClipJump] {
            let of = if code == FindingCode::ClipPop { pops } else { jumps };
            let mut odd: Vec<OddKey> = clip.channels().iter().flat_map(|c| of(c, &units)).collect();
            odd.sort_by(|a, b| a.time_secs.total_cmp(&b.time_secs));
            let same_time = |a: &OddKey, b: &OddKey| (b.time_secs - a.time_secs).abs() < 1e-4;
            out.extend(odd.chunk_by(same_time).filter_map(|odd| finding(meter, clip, index, code, odd)));
        }
    }
}

/// One finding for all joints that are off at one time.
fn finding(
    meter: &EffectMeter<'_>,
    clip: &Clip,
    index: usize,
    code: FindingCode,
    odd: &[OddKey],
) -> Option<Finding> {
    let worst = odd.iter().max_by(|a, b| a.excess.total_cmp(&b.excess))?;
    let mut shown = meter.character().rest_pose();
    sample_clip(clip, worst.time_secs, Wrap::Clamp, &mut shown);
    let mut wanted = shown.clone();
    odd.iter().for_each(|key| key.wanted.set(&mut wanted, key.joint));
    let effect = meter.of_pose_pairs(&[[shown, wanted]]);
    let name = joint_name(meter.character().skeleton(), worst.joint);
    let others = if odd.len() > 1 { format!(" and {} more curves", odd.len() - 1) } else { String::new() };
    let what = if code == FindingCode::ClipPop { "pops for one key" } else { "jumps within one key" };
    let verb = if odd.len() > 1 { what.replacen("s ", " ", 1) } else { what.to_owned() };
    let message =
        format!("{name}{others} {verb} at {:.3} s, by up to {:.1} mm", worst.time_secs, effect.max_mm);
    let place = clip_place(clip, index, Some(worst.joint), Some(worst.time_secs));
    Some(Finding::new(code, place, message).with("curves", odd.len() as f64).with_effect(effect))
}

/// A channel as distances between its keys, in units of the smallest pop or jump.
struct KeySteps<'a> {
    channel: &'a Channel,
    times_secs: &'a [f32],
    unit: f32,
}

impl<'a> KeySteps<'a> {
    /// `None` for a channel that may jump, or has too few keys.
    fn new(channel: &'a Channel, units: &JointUnits, radians: f32, ratio: f32) -> Option<Self> {
        let (interpolation, unit) = match channel {
            Channel::Rotation { curve, .. } => (curve.interpolation(), radians),
            Channel::Translation { joint, curve } => (curve.interpolation(), ratio * units.height(*joint)),
            _ => return None,
        };
        let times_secs = channel.times_secs();
        let usable = interpolation != Interpolation::Step && times_secs.len() >= 4 && unit > 0.0;
        usable.then_some(Self { channel, times_secs, unit })
    }

    /// The distance between two keys.
    fn apart(&self, one: usize, other: usize) -> f32 {
        let apart = match self.channel {
            Channel::Rotation { curve, .. } => {
                let between = curve.key(one)[0].conjugate() * curve.key(other)[0];
                2.0 * between.xyz().length().atan2(between.w.abs())
            }
            Channel::Translation { curve, .. } => curve.key(one)[0].distance(curve.key(other)[0]),
            _ => 0.0,
        };
        apart / self.unit
    }

    /// How far a key is off the straight line between its neighbors; 0 at the ends.
    fn off(&self, key: usize) -> f32 {
        if key == 0 || key + 1 >= self.times_secs.len() {
            return 0.0;
        }
        key_offset(self.channel, key).length() / self.unit
    }

    fn value(&self, key: usize, next: usize, fraction: f32) -> Option<ChannelValue> {
        match self.channel {
            Channel::Rotation { curve, .. } => {
                let (from, to) = (curve.key(key)[0], curve.key(next)[0]);
                let to = if from.dot(to) < 0.0 { -to } else { to };
                Some(ChannelValue::Rotation(from.lerp(to, fraction).normalize()))
            }
            Channel::Translation { curve, .. } => {
                Some(ChannelValue::Translation(curve.key(key)[0].lerp(curve.key(next)[0], fraction)))
            }
            _ => None,
        }
    }
}

/// The keys of `channel` that are far off, between keys that are not.
pub(super) fn pops(channel: &Channel, units: &JointUnits) -> Vec<OddKey> {
    let Some(steps) = KeySteps::new(channel, units, MIN_POP_RADIANS, MIN_POP_RATIO) else {
        return Vec::new();
    };
    let last = steps.times_secs.len() - 1;
    let pop = |key: usize| -> Option<OddKey> {
        let off = steps.off(key);
        let is_calm = |near: usize| steps.off(near) <= CALM * off;
        let returns = steps.apart(key - 1, key + 1) <= 2.0 * CALM * off;
        let near = [key.saturating_sub(2), (key + 2).min(last)];
        let is_pop = off > 1.0 && is_dense(steps.times_secs, key) && returns && near.into_iter().all(is_calm);
        let fraction = super::keys::fraction_between(steps.times_secs, key);
        is_pop.then_some(())?;
        let wanted = steps.value(key - 1, key + 1, fraction)?;
        let joint = channel.joint()?;
        Some(OddKey { key, joint, time_secs: steps.times_secs[key], excess: off, wanted })
    };
    (1..last).filter_map(pop).collect()
}

/// The keys of `channel` to which it jumps.
fn jumps(channel: &Channel, units: &JointUnits) -> Vec<OddKey> {
    let Some(steps) = KeySteps::new(channel, units, MIN_JUMP_RADIANS, MIN_JUMP_RATIO) else {
        return Vec::new();
    };
    let last = steps.times_secs.len() - 1;
    let jump = |key: usize| -> Option<OddKey> {
        let step = steps.apart(key - 1, key);
        if step <= 1.0 || steps.times_secs[key] - steps.times_secs[key - 1] > super::keys::MAX_SPACING_SECS {
            return None;
        }
        // A motion that begins or ends there, or is fast around it, is a motion.
        let around = (key.saturating_sub(3)..=(key + 2).min(last)).collect::<Vec<_>>();
        let is_steady = |pair: &[usize]| pair[1] == key || steps.apart(pair[0], pair[1]) <= STEADY * step;
        let enough = key >= 2 && key < last;
        (enough && around.windows(2).all(is_steady)).then_some(())?;
        let wanted = steps.value(key - 1, key, 0.0)?;
        Some(OddKey { key, joint: channel.joint()?, time_secs: steps.times_secs[key], excess: step, wanted })
    };
    (1..=last).filter_map(jump).collect()
}
