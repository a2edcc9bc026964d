//! Maps the joints of one skin to those of another.

use crate::weights::{MuscleSlots, table::SlotWeights};
use sinew::{JointId, Skeleton, Skin, Weights};
use std::collections::HashMap;

/// A skin with the skeleton that its joints belong to.
#[derive(Clone, Copy, Debug)]
pub struct SkinAndSkeleton<'a> {
    /// The skeleton of the joints.
    pub skeleton: &'a Skeleton,
    /// The skin with its slots.
    pub skin: &'a Skin,
}

/// For each slot of one skin, its slot in another skin, if it has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotMap {
    to: Vec<Option<u16>>,
    /// True for joints that map to a namesake, not to that of an ancestor.
    is_exact: Vec<bool>,
    slot_count: usize,
}

impl SlotMap {
    /// The identity map, for skins of `slot_count` joints.
    #[must_use]
    pub fn same(slot_count: usize) -> Self {
        let to = (0..slot_count).map(|slot| u16::try_from(slot).ok()).collect();
        Self { to, is_exact: vec![true; slot_count], slot_count }
    }

    /// Maps joints by name. A joint of `from` without a namesake in `to` maps like its nearest ancestor with one.
    #[must_use]
    pub fn by_name(from: SkinAndSkeleton<'_>, to: SkinAndSkeleton<'_>) -> Self {
        let mut by_name: HashMap<&str, u16> = HashMap::new();
        for (slot, joint) in to.skin.joints().iter().enumerate().rev() {
            by_name.insert(to.skeleton.name(*joint), slot as u16);
        }
        let mut nearest: Vec<Option<u16>> = vec![None; from.skeleton.len()];
        for joint in from.skeleton.joints() {
            let above = || from.skeleton.parent(joint).and_then(|p| nearest[p.index()]);
            nearest[joint.index()] = by_name.get(from.skeleton.name(joint)).copied().or_else(above);
        }
        let slots = from.skin.joints().iter().map(|j| nearest[j.index()]).collect();
        let has_namesake = |j: &JointId| by_name.contains_key(from.skeleton.name(*j));
        let is_exact = from.skin.joints().iter().map(has_namesake).collect();
        Self { to: slots, is_exact, slot_count: to.skin.joints().len() }
    }

    /// The slot in the other skin of the joint at `slot`.
    #[must_use]
    pub fn get(&self, slot: u16) -> Option<u16> {
        self.to.get(usize::from(slot)).copied().flatten()
    }

    /// The slot in the other skin of the muscle at `slot`. A muscle without a namesake has none: an ancestor moves otherwise.
    #[must_use]
    pub fn muscle(&self, slot: u16) -> Option<u16> {
        self.get(slot).filter(|_| self.is_exact.get(usize::from(slot)) == Some(&true))
    }

    /// The number of joints of the other skin.
    #[must_use]
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// The number of joints without a slot in the other skin. Their weights are lost.
    #[must_use]
    pub fn unmatched(&self) -> usize {
        self.to.iter().filter(|t| t.is_none()).count()
    }

    /// The slots in the other skin of the muscles that `weights` have in the one skin.
    pub(super) fn muscles_of(&self, weights: &Weights) -> MuscleSlots {
        MuscleSlots::of(weights.muscle_slots().into_iter().filter_map(|slot| self.muscle(slot)))
    }

    /// Converts muscle weights of one skin to those of the other.
    pub(super) fn apply_to_muscles(&self, slot_weights: &[(u16, f64)]) -> SlotWeights {
        slot_weights.iter().filter_map(|&(slot, weight)| Some((self.muscle(slot)?, weight))).collect()
    }

    /// Converts weights of one skin to weights of the other.
    pub(super) fn apply(&self, slot_weights: impl Iterator<Item = (u16, f64)>) -> SlotWeights {
        let mut out: SlotWeights = Vec::new();
        for (slot, fraction) in slot_weights {
            let Some(slot) = self.get(slot) else { continue };
            match out.iter_mut().find(|s| s.0 == slot) {
                Some(same) => same.1 += fraction,
                None => out.push((slot, fraction)),
            }
        }
        out
    }
}
