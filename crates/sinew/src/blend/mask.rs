//! Which joints take part.

use crate::asset::skeleton::{JointId, Skeleton};

/// Which joints of a pose a layer moves, and how much; and whether it moves morph weights.
///
/// A joint that is in the mask takes part. Its share is 1 unless it was given another.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// One share a joint, 0 for those that do not take part.
    weights: Vec<f32>,
    morphs: f32,
}

impl Mask {
    /// Every one of `joints` joints takes part, and every morph weight.
    pub fn all(joints: usize) -> Self {
        Self { weights: vec![1.0; joints], morphs: 1.0 }
    }

    /// A mask without any joint or morph weight.
    pub fn none(joints: usize) -> Self {
        Self { weights: vec![0.0; joints], morphs: 0.0 }
    }

    /// `top` and every joint below it take part; morph weights do not.
    pub fn below(skeleton: &Skeleton, top: JointId) -> Self {
        let share = |joint| if skeleton.is_within(joint, top) { 1.0 } else { 0.0 };
        Self { weights: skeleton.joints().map(share).collect(), morphs: 0.0 }
    }

    /// Those of `joints` joints take part whose bit is set, the first in the lowest bit of the first word.
    pub fn from_bits(joints: usize, words: &[u64]) -> Self {
        let is_set = |joint: usize| words.get(joint / 64).is_some_and(|word| word >> (joint % 64) & 1 == 1);
        let share = |joint| if is_set(joint) { 1.0 } else { 0.0 };
        Self { weights: (0..joints).map(share).collect(), morphs: 0.0 }
    }

    /// The same with another share for `joint`, from 0 (does not take part) to 1. A joint beyond the mask is left out.
    #[must_use]
    pub fn with_weight(mut self, joint: JointId, share: f32) -> Self {
        if let Some(old) = self.weights.get_mut(joint.index()) {
            *old = checked(share);
        }
        self
    }

    /// The same with another share for all morph weights, from 0 to 1.
    #[must_use]
    pub fn with_morph_weight(mut self, share: f32) -> Self {
        self.morphs = checked(share);
        self
    }

    /// What is in either; the larger share counts.
    #[must_use]
    pub fn or(mut self, other: &Self) -> Self {
        self.weights.iter_mut().zip(&other.weights).for_each(|(a, b)| *a = a.max(*b));
        self.morphs = self.morphs.max(other.morphs);
        self
    }

    /// What is in both; the smaller share counts.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.weights.iter_mut().zip(&other.weights).for_each(|(a, b)| *a = a.min(*b));
        self.morphs = self.morphs.min(other.morphs);
        self
    }

    /// What is not in the mask: every share taken from 1.
    #[must_use]
    pub fn inverted(mut self) -> Self {
        self.weights.iter_mut().for_each(|share| *share = 1.0 - *share);
        self.morphs = 1.0 - self.morphs;
        self
    }

    /// How many joints the mask knows; joints beyond them do not take part.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// True for a mask of no joints at all.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// True if `joint` takes part.
    pub fn contains(&self, joint: JointId) -> bool {
        self.weight(joint) > 0.0
    }

    /// The share of `joint`, 0 to 1.
    pub fn weight(&self, joint: JointId) -> f32 {
        self.weights.get(joint.index()).copied().unwrap_or(0.0)
    }

    /// The share of all morph weights, 0 to 1.
    pub fn morph_weight(&self) -> f32 {
        self.morphs
    }

    /// Every joint's share, in joint order.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}

fn checked(share: f32) -> f32 {
    if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sinew_samples;

    #[test]
    fn below_a_joint_means_it_and_all_that_hang_on_it() {
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
    fn shares_stay_between_nothing_and_all() {
        let mask = Mask::all(2)
            .with_weight(JointId(0), 7.0)
            .with_weight(JointId(1), f32::NAN)
            .with_weight(JointId(9), 1.0);
        assert_eq!(mask.weights(), [1.0, 0.0]);
    }
}
