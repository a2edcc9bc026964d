//! Which joint of one skin is which of another.

use crate::weights::table::SlotWeights;
use sinew::{Skeleton, Skin};
use std::collections::HashMap;

/// For every joint of one skin its place in another, where it has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotMap {
    to: Vec<Option<u16>>,
    slot_count: usize,
}

impl SlotMap {
    /// The same place in both, for skins of `slot_count` joints.
    pub fn same(slot_count: usize) -> Self {
        Self { to: (0..slot_count).map(|slot| u16::try_from(slot).ok()).collect(), slot_count }
    }

    /// The joint of the same name. Where a joint of `from` has no namesake in `to`, its nearest ancestor that has one stands in.
    pub fn by_name(from: (&Skeleton, &Skin), to: (&Skeleton, &Skin)) -> Self {
        let mut by_name: HashMap<&str, u16> = HashMap::new();
        for (slot, joint) in to.1.joints().iter().enumerate().rev() {
            by_name.insert(to.0.name(*joint), slot as u16);
        }
        let mut nearest: Vec<Option<u16>> = vec![None; from.0.len()];
        for joint in from.0.joints() {
            let above = || from.0.parent(joint).and_then(|p| nearest[p.index()]);
            nearest[joint.index()] = by_name.get(from.0.name(joint)).copied().or_else(above);
        }
        let slots = from.1.joints().iter().map(|j| nearest[j.index()]).collect();
        Self { to: slots, slot_count: to.1.joints().len() }
    }

    /// The place in the other skin of the joint at `slot`.
    pub fn get(&self, slot: u16) -> Option<u16> {
        self.to.get(usize::from(slot)).copied().flatten()
    }

    /// How many joints the other skin has.
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// How many joints have no place in the other skin: their weights are lost.
    pub fn unmatched(&self) -> usize {
        self.to.iter().filter(|t| t.is_none()).count()
    }

    /// Shares of one skin as shares of the other.
    pub(super) fn apply(&self, shares: impl Iterator<Item = (u16, f64)>) -> SlotWeights {
        let mut out: SlotWeights = Vec::new();
        for (slot, share) in shares {
            let Some(slot) = self.get(slot) else { continue };
            match out.iter_mut().find(|s| s.0 == slot) {
                Some(same) => same.1 += share,
                None => out.push((slot, share)),
            }
        }
        out
    }
}
