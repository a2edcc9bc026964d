//! Joint masks: which joints a layer affects.

use crate::asset::skeleton::{JointId, Skeleton};

/// Per-joint weights of a layer, and one weight for all morph weights.
#[doc(alias = "avatar mask")]
#[doc(alias = "bone mask")]
///
/// Joints with weight 0 are not affected.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// One weight per joint.
    weights: Vec<f32>,
    morphs: f32,
}

impl Mask {
    /// Weight 1 for all of `joints` joints and for morph weights.
    pub fn all(joints: usize) -> Self {
        Self { weights: vec![1.0; joints], morphs: 1.0 }
    }

    /// A mask without any joint or morph weight.
    pub fn none(joints: usize) -> Self {
        Self { weights: vec![0.0; joints], morphs: 0.0 }
    }

    /// Weight 1 for `top` and its descendants, 0 for morph weights.
    pub fn below(skeleton: &Skeleton, top: JointId) -> Self {
        let weight = |joint| if skeleton.is_within(joint, top) { 1.0 } else { 0.0 };
        Self { weights: skeleton.joints().map(weight).collect(), morphs: 0.0 }
    }

    /// Weight 1 for the joints whose bit is set; the first joint is the lowest bit of the first word.
    pub fn from_bits(joints: usize, words: &[u64]) -> Self {
        let is_set = |joint: usize| words.get(joint / 64).is_some_and(|word| word >> (joint % 64) & 1 == 1);
        let weight = |joint| if is_set(joint) { 1.0 } else { 0.0 };
        Self { weights: (0..joints).map(weight).collect(), morphs: 0.0 }
    }

    /// The same with another weight for `joint`, 0 to 1. A joint beyond the mask is ignored.
    #[must_use]
    pub fn with_weight(mut self, joint: JointId, weight: f32) -> Self {
        if let Some(old) = self.weights.get_mut(joint.index()) {
            *old = checked(weight);
        }
        self
    }

    /// The same with another weight for all morph weights, 0 to 1.
    #[must_use]
    pub fn with_morph_weight(mut self, weight: f32) -> Self {
        self.morphs = checked(weight);
        self
    }

    /// The union: the larger weight of each joint.
    #[must_use]
    pub fn or(mut self, other: &Self) -> Self {
        self.weights.iter_mut().zip(&other.weights).for_each(|(a, b)| *a = a.max(*b));
        self.morphs = self.morphs.max(other.morphs);
        self
    }

    /// The intersection: the smaller weight of each joint.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.weights.iter_mut().zip(&other.weights).for_each(|(a, b)| *a = a.min(*b));
        self.morphs = self.morphs.min(other.morphs);
        self
    }

    /// The complement: one minus each weight.
    #[must_use]
    pub fn inverted(mut self) -> Self {
        self.weights.iter_mut().for_each(|weight| *weight = 1.0 - *weight);
        self.morphs = 1.0 - self.morphs;
        self
    }

    /// Number of joints of the mask; joints beyond have weight 0.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// True for a mask of no joints at all.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// True if the weight of `joint` is above 0.
    pub fn contains(&self, joint: JointId) -> bool {
        self.weight(joint) > 0.0
    }

    /// The weight of `joint`, 0 to 1.
    pub fn weight(&self, joint: JointId) -> f32 {
        self.weights.get(joint.index()).copied().unwrap_or(0.0)
    }

    /// The weight of all morph weights, 0 to 1.
    pub fn morph_weight(&self) -> f32 {
        self.morphs
    }

    /// The weight of every joint, in joint order.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}

fn checked(weight: f32) -> f32 {
    if weight.is_nan() { 0.0 } else { weight.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinew_samples;

    #[test]
    fn below_includes_the_joint_and_its_descendants() {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let top = skeleton.find("upper_arm.L").unwrap_or(JointId(5));
        let mask = Mask::below(skeleton, top);
        for joint in skeleton.joints() {
            assert_eq!(mask.contains(joint), skeleton.is_within(joint, top));
        }
        assert_eq!(mask.clone().or(&mask.clone().inverted()), Mask::all(skeleton.len()));
        assert_eq!(mask.clone().and(&mask.inverted()), Mask::none(skeleton.len()));
    }

    #[test]
    fn a_set_bit_takes_part() {
        let mask = Mask::from_bits(70, &[0b101, 1 << 3]);
        let got: Vec<u16> = (0..80).filter(|&j| mask.contains(JointId(j))).collect();
        assert_eq!(got, [0, 2, 67]);
    }

    #[test]
    fn weights_are_clamped_between_zero_and_one() {
        let mask = Mask::all(2)
            .with_weight(JointId(0), 7.0)
            .with_weight(JointId(1), f32::NAN)
            .with_weight(JointId(9), 1.0);
        assert_eq!(mask.weights(), [1.0, 0.0]);
    }
}
