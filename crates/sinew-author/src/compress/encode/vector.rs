//! Translations, scales and morph weights.

use super::{ClipEncoder, EncodeBounds, EncodedTrack, step::largest_step};
use crate::compress::{
    blocks::{TrackSegment, coefficients, padded},
    source::LocalTransform,
};
use sinew::{
    ClipKind, JointId,
    asset::compressed::{MorphTrack, VectorProperty, VectorTrack},
    glam::{DAffine3, DVec3, Vec3},
};

impl ClipEncoder<'_> {
    /// Encodes the translations of a joint, and puts those that the bytes stand for into `locals`.
    pub(super) fn translation(&mut self, joint: JointId, locals: &mut [LocalTransform]) {
        let rest = if self.kind == ClipKind::Additive { self.rest(joint).translation } else { DVec3::ZERO };
        let wanted = &self.wanted[joint.index()];
        // The place that puts the joint where it belongs, whatever its ancestors did.
        let target = |f: usize| {
            let place = self.parent_got(joint, f).0.inverse().transform_point3(wanted[f].translation);
            let place = if place.is_finite() { place } else { locals[f].translation };
            place - rest
        };
        let targets: Vec<DVec3> = (0..locals.len()).map(target).collect();
        let allowed = self.bounds.meters * 0.5;
        let parents: Vec<DAffine3> = (0..locals.len()).map(|f| self.parent_got(joint, f).0).collect();
        let is_near = |f: usize, value: DVec3| {
            let got = parents[f].transform_point3(value + rest);
            (got - wanted[f].translation).length() <= allowed
        };
        let encoded =
            vector_track(joint, VectorProperty::Translation, &targets, self.bounds.segment_frames(), is_near);
        let decoded = encoded.decoded(locals.len());
        locals.iter_mut().zip(decoded).for_each(|(local, value)| local.translation = value + rest);
        self.vectors.push(encoded.track);
    }

    /// Encodes the scales of a joint, and puts those that the bytes stand for into `locals`.
    pub(super) fn scale(&mut self, joint: JointId, locals: &mut [LocalTransform]) {
        let rest = if self.kind == ClipKind::Additive { self.rest(joint).scale } else { DVec3::ONE };
        let divisor = |n: f64| if n == 0.0 { 1.0 } else { n };
        let by = DVec3::new(divisor(rest.x), divisor(rest.y), divisor(rest.z));
        let targets: Vec<DVec3> = locals.iter().map(|local| local.scale / by).collect();
        // The furthest point that the scale moves, below this joint.
        let arm = self.reach_below(joint);
        let allowed = self.bounds.meters * 0.3;
        let size: Vec<f64> = (0..locals.len())
            .map(|f| self.parent_got(joint, f).0.matrix3.x_axis.length().max(1e-6))
            .collect();
        let is_near = |f: usize, value: DVec3| {
            ((value - targets[f]) * by).abs().max_element() * arm * size[f] <= allowed
        };
        let encoded =
            vector_track(joint, VectorProperty::Scale, &targets, self.bounds.segment_frames(), is_near);
        let decoded = encoded.decoded(locals.len());
        locals.iter_mut().zip(decoded).for_each(|(local, value)| local.scale = value * by);
        self.vectors.push(encoded.track);
    }

    /// The length of the longest chain below a joint at rest, shell included.
    fn reach_below(&self, joint: JointId) -> f64 {
        let mut furthest: f64 = self.bounds.shells[joint.index()];
        let mut left = vec![(joint, 0.0)];
        while let Some((joint, length)) = left.pop() {
            for child in self.skeleton.children(joint) {
                let length = length + self.rest(child).translation.length();
                furthest = furthest.max(length + self.bounds.shells[child.index()]);
                left.push((child, length));
            }
        }
        furthest
    }
}

/// A vector track with the values that its bytes stand for.
struct EncodedVectors {
    track: EncodedTrack<VectorTrack>,
    mean: DVec3,
    base: f64,
}

impl EncodedVectors {
    fn decoded(&self, count: usize) -> Vec<DVec3> {
        let frames = self.track.segments.iter().flat_map(|segment| {
            let values = segment.frames(self.base);
            (0..values[0].len()).map(move |f| DVec3::new(values[0][f], values[1][f], values[2][f]))
        });
        frames.take(count).map(|value| self.mean + value).collect()
    }
}

fn vector_track(
    joint: JointId,
    property: VectorProperty,
    targets: &[DVec3],
    segment_frames: usize,
    is_near: impl Fn(usize, DVec3) -> bool,
) -> EncodedVectors {
    let mean: Vec3 = (targets.iter().sum::<DVec3>() / targets.len().max(1) as f64).as_vec3();
    let (mean, wide) =
        (mean, targets.iter().map(|t| (*t - mean.as_dvec3()).abs().max_element()).fold(1e-6, f64::max));
    let base_exponent = wide.log2().ceil() as i8;
    let (base, origin) = (f64::from(base_exponent).exp2(), mean.as_dvec3());
    let mut segments = Vec::new();
    for first in (0..targets.len()).step_by(segment_frames) {
        let end = (first + segment_frames).min(targets.len());
        let number =
            |n: usize| padded(targets[first..end].iter().map(|target| (*target - origin)[n]).collect());
        let numbers = [0, 1, 2].map(|n| coefficients(&number(n)));
        let fits = |segment: &TrackSegment| {
            let values = segment.frames(base);
            (first..end).all(|f| {
                let at = f - first;
                is_near(f, origin + DVec3::new(values[0][at], values[1][at], values[2][at]))
            })
        };
        segments.push(largest_step(&numbers, base, fits));
    }
    let track = VectorTrack { joint, property, mean, base_exponent };
    EncodedVectors { track: EncodedTrack { track, segments }, mean: origin, base }
}

/// Encodes the morph weights of one slot.
pub(super) fn morph(slot: usize, weights: &[f64], bounds: EncodeBounds<'_>) -> EncodedTrack<MorphTrack> {
    let mean = (weights.iter().sum::<f64>() / weights.len().max(1) as f64) as f32;
    let origin = f64::from(mean);
    let wide = weights.iter().map(|w| (w - origin).abs()).fold(1e-6, f64::max);
    let base_exponent = wide.log2().ceil() as i8;
    let base = f64::from(base_exponent).exp2();
    let mut segments = Vec::new();
    for frames in weights.chunks(bounds.segment_frames()) {
        let frames: Vec<f64> = frames.iter().map(|weight| weight - origin).collect();
        let fits = |segment: &TrackSegment| {
            let got = &segment.frames(base)[0];
            got.iter().zip(&frames).all(|(got, want)| (got - want).abs() <= bounds.morph_weight * 0.97)
        };
        segments.push(largest_step(&[coefficients(&padded(frames.clone()))], base, fits));
    }
    EncodedTrack { track: MorphTrack { slot, mean, base_exponent }, segments }
}
