//! Weighted means of poses.

mod kernel;
mod masked;
#[cfg(target_arch = "x86_64")]
mod x86;

pub(super) use masked::four_weights;

use super::Mask;
use crate::{
    pose::LocalPose,
    simd::{self, Level},
    transform::Transform,
};

/// If the weights of a joint sum to less than this, the rest pose fills the gap.
///
/// A single layer that fades out thus returns to rest smoothly instead of keeping its pose until the weight is zero.
pub const REST_THRESHOLD: f32 = 0.1;

/// A pose with its weight and an optional mask.
#[derive(Clone, Copy, Debug)]
pub struct PoseLayer<'a> {
    /// The pose to blend.
    pub pose: &'a LocalPose,
    /// Weight relative to the other layers; a negative or non-finite weight is 0.
    pub weight: f32,
    /// Per-joint weights; `None` for all joints.
    pub mask: Option<&'a Mask>,
}

impl<'a> PoseLayer<'a> {
    /// All of `pose`, with a weight.
    pub fn new(pose: &'a LocalPose, weight: f32) -> Self {
        Self { pose, weight, mask: None }
    }

    /// The same layer with a mask.
    #[must_use]
    pub fn masked(self, mask: &'a Mask) -> Self {
        Self { mask: Some(mask), ..self }
    }

    fn checked_weight(&self) -> f32 {
        if self.weight > 0.0 && self.weight.is_finite() { self.weight } else { 0.0 }
    }
}

/// The weighted mean of `layers`, joint by joint and morph weight by morph weight.
///
/// Weights are normalized by their sum, except below [`REST_THRESHOLD`]. Translations, scales
/// and morph weights are blended linearly. Quaternions are summed, each with the sign that brings it nearer to the sum so far,
/// and normalized once. A joint that only one layer affects gets exactly that layer's transform.
///
/// # Panics
/// If the poses differ in size.
pub fn blend(layers: &[PoseLayer<'_>], rest: &LocalPose, out: &mut LocalPose) {
    blend_at(simd::best(), layers, rest, out);
}

/// [`blend`] on a given SIMD level; every level gives the same bits.
///
/// # Panics
/// As [`blend`].
pub fn blend_at(level: Level, layers: &[PoseLayer<'_>], rest: &LocalPose, out: &mut LocalPose) {
    for pose in layers.iter().map(|layer| layer.pose).chain([&*out]) {
        assert_eq!(pose.joints.len(), rest.joints.len(), "the poses have different numbers of joints");
        assert_eq!(pose.morphs.len(), rest.morphs.len(), "the poses have different numbers of morph slots");
    }
    if layers.iter().any(|layer| layer.mask.is_some()) {
        masked::mean(level, layers, &rest.joints, &mut out.joints);
    } else {
        kernel::whole(level, layers, &rest.joints, &mut out.joints);
    }
    blend_morphs(layers, &rest.morphs, &mut out.morphs);
}

/// Blends `pose` towards `over` by `weight`, 0 to 1, optionally limited by `mask`.
///
/// Weight 0 leaves a joint exactly as it is, weight 1 makes it exactly that of `over`.
///
/// # Panics
/// If the poses differ in size.
pub fn layer_over(pose: &mut LocalPose, over: &LocalPose, weight: f32, mask: Option<&Mask>) {
    layer_over_at(simd::best(), pose, over, weight, mask);
}

/// [`layer_over`] on a given SIMD level; every level gives the same bits.
///
/// # Panics
/// As [`layer_over`].
pub fn layer_over_at(level: Level, pose: &mut LocalPose, over: &LocalPose, weight: f32, mask: Option<&Mask>) {
    assert_eq!(pose.joints.len(), over.joints.len(), "the poses have different numbers of joints");
    assert_eq!(pose.morphs.len(), over.morphs.len(), "the poses have different numbers of morph slots");
    let weight = if weight.is_nan() { 0.0 } else { weight.clamp(0.0, 1.0) };
    masked::over(level, &mut pose.joints, &over.joints, weight, mask);
    let fraction = weight * mask.map_or(1.0, Mask::morph_weight);
    for (morph, over) in pose.morphs.iter_mut().zip(&over.morphs) {
        // At weight 1 the difference is not added: adding a zero may change the sign of a zero.
        *morph = if fraction < 1.0 { *morph + (over - *morph) * fraction } else { *over };
    }
}

/// One joint of [`layer_over`].
pub(crate) fn layer_joint(joint: &Transform, over: &Transform, weight: f32) -> Transform {
    kernel::pair(joint, over, weight)
}

/// The weight of the rest pose and the total weight, for layers whose weights sum to `sum`.
fn gap_and_whole(sum: f32) -> (f32, f32) {
    let gap = (REST_THRESHOLD - sum).max(0.0);
    (gap, sum + gap)
}

fn blend_morphs(layers: &[PoseLayer<'_>], rest: &[f32], out: &mut [f32]) {
    if out.is_empty() {
        return;
    }
    let weight = |layer: &PoseLayer<'_>| layer.checked_weight() * layer.mask.map_or(1.0, Mask::morph_weight);
    let (gap, whole) = gap_and_whole(layers.iter().map(weight).sum());
    let sources = layers.iter().map(|layer| (&layer.pose.morphs[..], weight(layer))).chain([(rest, gap)]);
    // -0 plus any number is that number, including the sign of a zero.
    out.fill(-0.0);
    for (morphs, weight) in sources.filter(|(_, weight)| *weight > 0.0) {
        let fraction = weight / whole;
        out.iter_mut().zip(morphs).for_each(|(sum, morph)| *sum += fraction * morph);
    }
}

#[cfg(test)]
mod tests;
