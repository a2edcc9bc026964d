//! Editable weights whose sums stay exactly one.

use super::{Locks, MuscleSlots, WeightError};
use sinew::{Influence, WeightSum, Weights};
use std::collections::BTreeMap;

/// The number of grid steps in a weight of one. [`Weights`] lie on the same grid.
pub(super) const ONE: u32 = Weights::GRID_STEPS;

/// A joint's slot in the skin and its weight in steps of 2⁻²⁴.
pub(super) type SlotSteps = (u16, u32);

/// Slots of the skin with their wanted weights, of any sum.
pub(super) type SlotWeights = Vec<(u16, f64)>;

/// Editable weights: the weights of each vertex always sum to exactly one, and locked joints keep theirs bit-identical.
///
/// Only changed vertices are copied, so the cost of a brush stamp does not depend on the size of the mesh.
///
/// Muscle weights have any sum and lie beside the others. Those of a [muscle](MuscleSlots) are set one by one.
#[derive(Clone, Debug)]
pub struct WeightTable {
    base: Weights,
    /// The weights of each changed vertex, in grid steps.
    edited: Vec<Option<Vec<SlotSteps>>>,
    slot_count: usize,
    muscles: MuscleSlots,
    /// The muscle influences of each vertex in which they changed.
    edited_muscles: BTreeMap<usize, Vec<Influence>>,
}

impl PartialEq for WeightTable {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |v: usize| {
            self.steps(v).eq(other.steps(v)) && self.muscle_influences(v).eq(other.muscle_influences(v))
        };
        (self.vertex_count(), self.slot_count) == (other.vertex_count(), other.slot_count)
            && (0..self.vertex_count()).all(is_same)
    }
}

impl WeightTable {
    /// The table of `weights` for a skin of at least `slot_count` joints.
    #[must_use]
    pub fn new(weights: &Weights, slot_count: usize) -> Self {
        Self {
            base: weights.clone(),
            edited: vec![None; weights.vertex_count()],
            slot_count: slot_count.max(weights.slot_count()),
            muscles: MuscleSlots::of_weights(weights),
            edited_muscles: BTreeMap::new(),
        }
    }

    /// The same table with these joints as muscles, besides those that have muscle weights.
    #[must_use]
    pub fn with_muscles(mut self, muscles: &MuscleSlots) -> Self {
        self.muscles = MuscleSlots::of(self.muscles.iter().chain(muscles.iter()));
        self
    }

    /// True if the joint at `slot` is a muscle.
    #[must_use]
    pub fn is_muscle(&self, slot: u16) -> bool {
        self.muscles.holds(slot)
    }

    /// The weights as they are now.
    ///
    /// # Errors
    /// If there are more influences than a 32-bit index can hold.
    pub fn to_weights(&self) -> Result<Weights, WeightError> {
        let influence = |&(slot, steps): &SlotSteps| Influence {
            slot,
            weight: (f64::from(steps) / f64::from(ONE)) as f32,
        };
        let edited = self.edited.iter().enumerate();
        let changed = edited.filter_map(|(vertex, slot_weights)| {
            Some((vertex as u32, slot_weights.as_ref()?.iter().map(influence)))
        });
        let weights = self.base.with_vertices(self.slot_count, changed)?;
        if self.edited_muscles.is_empty() {
            return Ok(weights);
        }
        let vertices = (0..self.vertex_count()).map(|vertex| self.muscle_influences(vertex));
        Ok(weights.with_muscle_weights(self.slot_count, vertices)?)
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.edited.len()
    }

    /// The number of joints in the skin.
    #[must_use]
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// The weight of the joint at `slot` in `vertex`.
    #[must_use]
    pub fn weight_of(&self, vertex: usize, slot: u16) -> f32 {
        let steps = self.steps(vertex).find(|s| s.0 == slot).map_or(0, |s| s.1);
        (f64::from(steps) / f64::from(ONE)) as f32
    }

    /// The muscle weight of the joint at `slot` in `vertex`.
    #[must_use]
    pub fn muscle_weight_of(&self, vertex: usize, slot: u16) -> f32 {
        self.muscle_influences(vertex).find(|i| i.slot == slot).map_or(0.0, |i| i.weight)
    }

    /// The muscle influences of `vertex`.
    fn muscle_influences(&self, vertex: usize) -> impl Iterator<Item = Influence> + '_ {
        let edited = self.edited_muscles.get(&vertex);
        let own = edited.is_none().then(|| self.base.muscle_influences(vertex));
        edited.into_iter().flatten().copied().chain(own.into_iter().flatten())
    }

    /// Sets the muscle weight of the joint at `slot` in `vertex`, to any finite value. Returns true if it changed.
    pub(super) fn set_muscle(&mut self, vertex: usize, slot: u16, weight: f32, locks: &Locks) -> bool {
        let is_changed = self.muscle_weight_of(vertex, slot) != weight;
        if !is_changed || locks.holds(slot) || !weight.is_finite() {
            return false;
        }
        let others = self.muscle_influences(vertex).filter(|i| i.slot != slot);
        let own = (weight != 0.0).then_some(Influence { slot, weight });
        let next = others.chain(own).collect();
        self.edited_muscles.insert(vertex, next);
        true
    }

    /// The weights of `vertex`, in grid steps.
    pub(super) fn steps(&self, vertex: usize) -> impl Iterator<Item = SlotSteps> + '_ {
        let edited = self.edited[vertex].as_deref();
        let own = edited.is_none().then(|| self.base.influences(vertex));
        // Weights lie on the grid, so nothing is rounded.
        let own = own.into_iter().flatten().map(|i| (i.slot, (f64::from(i.weight) * f64::from(ONE)) as u32));
        edited.unwrap_or_default().iter().copied().chain(own)
    }

    /// The weights of `vertex`, which sum to one.
    pub(super) fn slot_weights(&self, vertex: usize) -> impl Iterator<Item = (u16, f64)> + '_ {
        self.steps(vertex).map(|(slot, steps)| (slot, f64::from(steps) / f64::from(ONE)))
    }

    /// Sets the weights of `vertex` in proportion to `wanted`, of any positive sum. Locked joints keep their weights and the others
    /// share the rest. If nothing is wanted of the others, the vertex stays unchanged. Returns true if it changed.
    pub(super) fn set(&mut self, vertex: usize, wanted: &[(u16, f64)], locks: &Locks) -> bool {
        let mut next: Vec<SlotSteps> = self.steps(vertex).filter(|s| locks.holds(s.0)).collect();
        let budget = ONE - next.iter().map(|s| s.1).sum::<u32>().min(ONE);
        let open = wanted.iter().filter(|w| !locks.holds(w.0) && w.1 > 0.0 && w.1.is_finite());
        let open: SlotWeights = open.copied().collect();
        if budget > 0 && open.is_empty() {
            return false;
        }
        next.extend(divide(&open, budget));
        next.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let is_changed = !self.steps(vertex).eq(next.iter().copied());
        if is_changed {
            self.edited[vertex] = Some(next);
        }
        is_changed
    }

    /// Copies the weights of `from` to `to`.
    pub(super) fn copy_vertex(&mut self, from: usize, to: usize) {
        if from != to {
            self.edited[to] = Some(self.steps(from).collect());
        }
    }

    /// Weights with new slots, for a skin of `slot_count` joints. The weight of a joint without a new slot goes to the others.
    ///
    /// # Errors
    /// As [`WeightTable::to_weights`].
    pub(super) fn renumbered(
        &self,
        slot_count: usize,
        new_slot: impl Fn(u16) -> Option<u16>,
    ) -> Result<Weights, WeightError> {
        self.renumbered_separately(slot_count, &new_slot, &new_slot)
    }

    /// As [`WeightTable::renumbered`], with separate new slots for skin weights and for muscle weights.
    pub(crate) fn renumbered_separately(
        &self,
        slot_count: usize,
        new_slot: impl Fn(u16) -> Option<u16>,
        new_free_slot: impl Fn(u16) -> Option<u16>,
    ) -> Result<Weights, WeightError> {
        let of_vertex = |vertex: usize| {
            let mut kept: SlotWeights = Vec::new();
            for (slot, steps) in self.steps(vertex) {
                let Some(slot) = new_slot(slot) else { continue };
                match kept.iter_mut().find(|k| k.0 == slot) {
                    Some(same) => same.1 += f64::from(steps),
                    None => kept.push((slot, f64::from(steps))),
                }
            }
            let slot_weights: Vec<SlotSteps> = divide(&kept, ONE).collect();
            slot_weights
                .into_iter()
                .map(|(slot, steps)| Influence { slot, weight: (f64::from(steps) / f64::from(ONE)) as f32 })
        };
        let (weights, _) = Weights::new(slot_count, (0..self.vertex_count()).map(of_vertex))?;
        if self.base.sum_kind() == WeightSum::One && self.edited_muscles.is_empty() {
            return Ok(weights);
        }
        let free = |vertex: usize| {
            let moved = |i: Influence| Some(Influence { slot: new_free_slot(i.slot)?, ..i });
            self.muscle_influences(vertex).filter_map(moved).collect::<Vec<_>>()
        };
        Ok(weights.with_muscle_weights(slot_count, (0..self.vertex_count()).map(free))?)
    }
}

/// Distributes `budget` steps in proportion to `wanted`: rounds down, then adds the missing steps at the largest remainders.
pub(super) fn divide(wanted: &[(u16, f64)], budget: u32) -> impl Iterator<Item = SlotSteps> + use<> {
    let sum: f64 = wanted.iter().map(|w| w.1).sum();
    let usable = sum > 0.0 && sum.is_finite();
    let fraction = |&(slot, want): &(u16, f64)| {
        let exact = want / sum * f64::from(budget);
        (slot, exact.floor() as u32, exact.fract())
    };
    let mut slot_weights: Vec<(u16, u32, f64)> =
        if usable { wanted.iter().map(fraction).collect() } else { Vec::new() };
    let given: u32 = slot_weights.iter().map(|s| s.1).sum();
    let missing = budget.saturating_sub(given) as usize;
    slot_weights.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
    let count = slot_weights.len().max(1);
    // Rounding down leaves at most one step per joint.
    slot_weights.iter_mut().take(missing.min(count)).for_each(|s| s.1 += 1);
    slot_weights.into_iter().map(|s| (s.0, s.1)).filter(|s| s.1 > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(slot_weights: &[(u16, f32)]) -> WeightTable {
        let vertex = slot_weights.iter().map(|&(slot, weight)| Influence { slot, weight });
        WeightTable::new(&Weights::new(8, [vertex]).unwrap().0, 8)
    }

    #[test]
    fn a_table_converts_back_to_the_same_weights() {
        let vertex = [(3, 0.123_f32), (1, 0.456), (7, 0.3)].map(|(slot, weight)| Influence { slot, weight });
        let (weights, _) = Weights::new(8, [vertex]).unwrap();
        let with_muscle_weights =
            weights.clone().with_muscle_weights(8, [[Influence { slot: 5, weight: -2.0 }]]).unwrap();
        assert_eq!(WeightTable::new(&weights, 8).to_weights().unwrap(), weights);
        assert_eq!(WeightTable::new(&with_muscle_weights, 8).to_weights().unwrap(), with_muscle_weights);
    }

    #[test]
    fn locked_joints_keep_bit_identical_weights_and_sums_stay_exact() {
        let mut t = table(&[(0, 0.3), (1, 0.3), (2, 0.4)]);
        let before = t.weight_of(0, 1);
        t.set(0, &[(0, 0.1), (1, 0.9), (4, 0.7), (5, 1.0 / 3.0)], &Locks::of([1]));
        assert_eq!(t.weight_of(0, 1).to_bits(), before.to_bits());
        assert_eq!(t.weight_of(0, 2), 0.0);
        assert_eq!(t.steps(0).map(|s| s.1).sum::<u32>(), ONE);
        assert!((t.weight_of(0, 4) / t.weight_of(0, 0) - 7.0).abs() < 1e-4);
    }

    #[test]
    fn a_vertex_is_unchanged_if_only_locked_joints_are_wanted() {
        let mut t = table(&[(0, 0.5), (1, 0.5)]);
        let before = t.clone();
        t.set(0, &[(1, 1.0), (2, 0.0), (3, f64::NAN)], &Locks::of([1]));
        assert_eq!(t, before);
    }
}
