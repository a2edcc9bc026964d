//! Key reduction within a measured error bound in model space.

use super::{MotionError, error::positive, simplify::simplified};
use sinew::{
    Channel, Clip, ClipCursor, ClipKind, LocalPose, Skeleton, Transform, Wrap,
    extract::key_times,
    glam::{Quat, Vec3, Vec4},
    sample::{Deviation, SkinReach},
    sample_clip_from,
};

/// The error bounds of key reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReduceOptions {
    /// The maximum error of a virtual vertex, in meters; `None` is 1/1000 of the skeleton's size (1.7 mm for a person).
    pub tolerance_meters: Option<f32>,
    /// The distance of virtual vertices from their joints, in meters; `None` is 3 % of the skeleton's size (5 cm for a person).
    pub vertex_distance_meters: Option<f32>,
    /// The maximum error of a morph weight.
    pub morph_tolerance: f32,
}

impl Default for ReduceOptions {
    fn default() -> Self {
        Self { tolerance_meters: None, vertex_distance_meters: None, morph_tolerance: 1e-3 }
    }
}

/// The result of key reduction in figures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReduceReport {
    /// The number of keys of all channels before.
    pub keys_before: usize,
    /// The number of keys of all channels after.
    pub keys_after: usize,
    /// The largest error of a virtual vertex, in meters: measured through the hierarchy at every key and at four times between
    /// adjacent keys, plus 2 % for the times in between.
    pub error_meters: f32,
    /// The error bound that was used, in meters.
    pub tolerance_meters: f32,
    /// The largest error of a morph weight.
    pub morph_error: f32,
}

/// A margin above the largest excess of the error that was seen between measured times.
const MARGIN: f32 = 1.02;
/// The number of bisection rounds for the per-channel tolerance.
const ROUNDS: usize = 7;

/// Removes keys of `clip` within an error bound on virtual vertices, some centimeters away from the joints, in model space.
///
/// Keys are removed from linear and step curves; cubic curves and meta-channels are unchanged. The duration stays the same.
///
/// # Errors
/// If the clip does not fit the skeleton or an option is not positive.
pub fn reduced(
    clip: &Clip,
    skeleton: &Skeleton,
    options: &ReduceOptions,
) -> Result<(Clip, ReduceReport), MotionError> {
    let size = SkinReach::extent_meters(skeleton);
    let tolerance = positive("tolerance_meters", options.tolerance_meters.unwrap_or(size * 1e-3))?;
    let distance = positive("vertex_distance_meters", options.vertex_distance_meters.unwrap_or(size * 0.03))?;
    let weight = positive("morph_tolerance", options.morph_tolerance)?;
    if clip.joint_count() > skeleton.len() {
        let (count, wanted) = (clip.joint_count(), skeleton.len());
        return Err(MotionError::WrongSize { what: "the clip", count, wanted });
    }
    let reaches = SkinReach::of_joints(skeleton, distance);
    let judge = ErrorMeter { clip, skeleton, distance, moments: moments(clip) };
    // Errors add up down a chain, or cancel. Only measuring tells, so the best tolerance is found by bisection.
    let mut best = (clip.clone(), (0.0, 0.0));
    let (mut low, mut high) = (-6.0_f32, 2.0_f32);
    for _ in 0..ROUNDS {
        let middle = (low + high) * 0.5;
        let candidate_tolerance = Tolerance { meters: tolerance * middle.exp2(), morph_weight: weight };
        let candidate = simplified_clip(clip, skeleton, &reaches, candidate_tolerance)?;
        let error = judge.error(&candidate);
        if error.0 <= tolerance && error.1 <= weight {
            low = middle;
            if key_count(&candidate) <= key_count(&best.0) {
                best = (candidate, error);
            }
        } else {
            high = middle;
        }
    }
    let (out, (error_meters, morph_error)) = best;
    let report = ReduceReport {
        keys_before: key_count(clip),
        keys_after: key_count(&out),
        error_meters,
        tolerance_meters: tolerance,
        morph_error,
    };
    Ok((out, report))
}

fn key_count(clip: &Clip) -> usize {
    clip.channels().iter().map(Channel::key_count).sum()
}

/// The times of all keys, and four times between adjacent keys.
fn moments(clip: &Clip) -> Vec<f32> {
    let keys = key_times(clip.channels().iter().map(|c| (c.times_secs(), c.interpolation())));
    let between = |pair: &[f32]| {
        let (from, to) = (pair[0], pair[1]);
        [0.0, 0.2, 0.4, 0.6, 0.8].map(|part| from + (to - from) * part)
    };
    keys.windows(2).flat_map(between).chain(keys.last().copied()).collect()
}

/// What one channel alone may change.
#[derive(Clone, Copy)]
struct Tolerance {
    /// The farthest that a virtual vertex may move.
    meters: f32,
    /// The most that a morph weight may change.
    morph_weight: f32,
}

/// Simplifies each channel so that it alone moves no virtual vertex by more than the tolerance.
fn simplified_clip(
    clip: &Clip,
    skeleton: &Skeleton,
    reaches: &[SkinReach],
    tolerance: Tolerance,
) -> Result<Clip, MotionError> {
    let mut parts = clip.clone().into_parts();
    // One channel keeps its last key, so that the clip keeps its duration.
    let ends = |c: &Channel| c.times_secs().last() == Some(&clip.duration_secs());
    let keeper = parts.channels.iter().position(ends);
    for (index, channel) in parts.channels.iter_mut().enumerate() {
        let keeps_end = keeper == Some(index);
        let reach = channel.joint().map(|j| reaches[j.index()]).unwrap_or_default();
        match channel {
            Channel::Translation { curve, .. } => {
                let off = |a: Vec3, b: Vec3| (a - b).length() * reach.parent;
                *curve = simplified(curve, tolerance.meters, keeps_end, off)?;
            }
            Channel::Rotation { curve, .. } => {
                *curve = simplified(curve, tolerance.meters, keeps_end, |a, b| {
                    radians_between(a, b) * reach.below
                })?;
            }
            Channel::Scale { joint, curve } => {
                let size = skeleton.rest(*joint).scale.abs().min_element().max(1e-6);
                let off = |a: Vec3, b: Vec3| (a - b).length() / size * reach.below;
                *curve = simplified(curve, tolerance.meters, keeps_end, off)?;
            }
            Channel::Morphs { curve, .. } => {
                *curve =
                    simplified(curve, tolerance.morph_weight, keeps_end, |a: f32, b: f32| (a - b).abs())?;
            }
        }
    }
    Ok(Clip::from_parts(parts)?)
}

/// The angle between two rotations, accurate for small angles.
fn radians_between(a: Quat, b: Quat) -> f32 {
    let (a, b) = (Vec4::from(a), Vec4::from(b));
    2.0 * (a - b).length().min((a + b).length())
}

/// Measures the error of reduced clips against the original.
struct ErrorMeter<'a> {
    clip: &'a Clip,
    skeleton: &'a Skeleton,
    distance: f32,
    moments: Vec<f32>,
}

impl ErrorMeter<'_> {
    /// The largest error in meters and in morph weights, including the margin.
    fn error(&self, other: &Clip) -> (f32, f32) {
        let mut deviation = Deviation::new(self.skeleton, self.distance);
        let joints = match self.clip.kind() {
            ClipKind::Absolute => self.skeleton.rest_transforms().to_vec(),
            ClipKind::Additive => vec![Transform::IDENTITY; self.skeleton.len()],
        };
        let start = LocalPose { joints, morphs: vec![0.0; self.clip.morph_slot_count()] };
        let (mut want, mut got) = (start.clone(), start.clone());
        let (mut cursor, mut other_cursor) = (ClipCursor::default(), ClipCursor::default());
        let mut worst = (0.0_f32, 0.0_f32);
        for &time in &self.moments {
            want.copy_from(&start);
            got.copy_from(&start);
            sample_clip_from(self.clip, time, Wrap::Clamp, &mut cursor, &mut want);
            sample_clip_from(other, time, Wrap::Clamp, &mut other_cursor, &mut got);
            let morphs = want.morphs.iter().zip(&got.morphs).map(|(a, b)| (a - b).abs());
            worst.1 = morphs.fold(worst.1, f32::max);
            if self.clip.kind() == ClipKind::Additive {
                self.onto_rest(&mut want);
                self.onto_rest(&mut got);
            }
            worst.0 = worst.0.max(deviation.between(&want, &got));
        }
        (worst.0 * MARGIN, worst.1)
    }

    /// Adds an additive pose to the rest pose in place.
    fn onto_rest(&self, pose: &mut LocalPose) {
        for (joint, rest) in pose.joints.iter_mut().zip(self.skeleton.rest_transforms()) {
            joint.translation += rest.translation;
            joint.rotation = rest.rotation * joint.rotation;
            joint.scale *= rest.scale;
        }
    }
}

#[cfg(test)]
mod tests;
