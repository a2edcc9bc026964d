//! Weights that can be changed vertex by vertex and still sum to one exactly.

use super::{Locks, WeightError};
use sinew::{Influence, WeightSum, Weights};

/// Steps of the grid in one: [`Weights`] lie on the same grid.
pub(super) const ONE: u32 = Weights::GRID_STEPS;

/// A joint's place in the skin and its share in steps of 2⁻²⁴.
pub(super) type Share = (u16, u32);

/// Joints by their places in the skin with how much of each is wanted, of any sum.
pub(super) type SlotWeights = Vec<(u16, f64)>;

/// Weights to edit: every vertex's shares always sum to one exactly, and locked joints keep theirs to the bit.
///
/// Only vertices that are changed are copied: a dab of a brush on a large mesh costs what it touches.
#[derive(Clone, Debug)]
pub struct WeightTable {
    base: Weights,
    /// The shares of every vertex that was changed.
    edited: Vec<Option<Vec<Share>>>,
    slot_count: usize,
}

impl PartialEq for WeightTable {
    fn eq(&self, other: &Self) -> bool {
        let is_same =
            |v: usize| self.steps(v).eq(other.steps(v)) && self.base.muscle_of(v) == other.base.muscle_of(v);
        (self.vertex_count(), self.slot_count) == (other.vertex_count(), other.slot_count)
            && (0..self.vertex_count()).all(is_same)
    }
}

impl WeightTable {
    /// The table of `weights` for a skin of at least `slot_count` joints.
    pub fn new(weights: &Weights, slot_count: usize) -> Self {
        Self {
            base: weights.clone(),
            edited: vec![None; weights.vertex_count()],
            slot_count: slot_count.max(weights.slot_count()),
        }
    }

    /// The weights as they are now.
    ///
    /// # Errors
    /// Where there are more influences than can be numbered.
    pub fn to_weights(&self) -> Result<Weights, WeightError> {
        let influence =
            |&(slot, steps): &Share| Influence { slot, weight: (f64::from(steps) / f64::from(ONE)) as f32 };
        let edited = self.edited.iter().enumerate();
        let changed = edited
            .filter_map(|(vertex, shares)| Some((vertex as u32, shares.as_ref()?.iter().map(influence))));
        Ok(self.base.with_vertices(self.slot_count, changed)?)
    }

    /// How many vertices there are.
    pub fn vertex_count(&self) -> usize {
        self.edited.len()
    }

    /// How many joints the skin has.
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// The weight of the joint at `slot` in `vertex`.
    pub fn weight_of(&self, vertex: usize, slot: u16) -> f32 {
        let steps = self.steps(vertex).find(|s| s.0 == slot).map_or(0, |s| s.1);
        (f64::from(steps) / f64::from(ONE)) as f32
    }

    /// The shares of `vertex` in steps of the grid.
    pub(super) fn steps(&self, vertex: usize) -> impl Iterator<Item = Share> + '_ {
        let edited = self.edited[vertex].as_deref();
        let own = edited.is_none().then(|| self.base.influences(vertex));
        // Weights lie on the grid, so nothing is rounded.
        let own = own.into_iter().flatten().map(|i| (i.slot, (f64::from(i.weight) * f64::from(ONE)) as u32));
        edited.unwrap_or_default().iter().copied().chain(own)
    }

    /// The shares of `vertex` as numbers that sum to one.
    pub(super) fn shares(&self, vertex: usize) -> impl Iterator<Item = (u16, f64)> + '_ {
        self.steps(vertex).map(|(slot, steps)| (slot, f64::from(steps) / f64::from(ONE)))
    }

    /// Gives `vertex` the shares `wanted`, of any positive sum, as far as locks allow: locked joints keep what they have
    /// and the others divide the rest. Where nothing is wanted of the others, the vertex stays as it is. True where it changed.
    pub(super) fn set(&mut self, vertex: usize, wanted: &[(u16, f64)], locks: &Locks) -> bool {
        let mut next: Vec<Share> = self.steps(vertex).filter(|s| locks.holds(s.0)).collect();
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

    /// Makes `to` equal to `from`.
    pub(super) fn copy_vertex(&mut self, from: usize, to: usize) {
        if from != to {
            self.edited[to] = Some(self.steps(from).collect());
        }
    }

    /// Weights with other numbers for joints, of which there are `slot_count`; a joint without a new number loses its weight to
    /// the others.
    ///
    /// # Errors
    /// As [`WeightTable::to_weights`].
    pub(super) fn renumbered(
        &self,
        slot_count: usize,
        new_slot: impl Fn(u16) -> Option<u16>,
    ) -> Result<Weights, WeightError> {
        self.renumbered_apart(slot_count, &new_slot, &new_slot)
    }

    /// As [`WeightTable::renumbered`], with other numbers for influences that carry and for those that displace.
    pub(crate) fn renumbered_apart(
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
            let shares: Vec<Share> = divide(&kept, ONE).collect();
            shares
                .into_iter()
                .map(|(slot, steps)| Influence { slot, weight: (f64::from(steps) / f64::from(ONE)) as f32 })
        };
        let (weights, _) = Weights::new(slot_count, (0..self.vertex_count()).map(of_vertex))?;
        if self.base.sum_kind() == WeightSum::One {
            return Ok(weights);
        }
        let free = |vertex: usize| {
            let (slots, shares) = self.base.muscle_of(vertex);
            let moved = slots.iter().zip(shares);
            let moved: Vec<Influence> = moved
                .filter_map(|(&slot, &weight)| Some(Influence { slot: new_free_slot(slot)?, weight }))
                .collect();
            moved
        };
        Ok(weights.with_muscle_weights(slot_count, (0..self.vertex_count()).map(free))?)
    }
}

/// Divides `budget` steps in proportion to `wanted`: floors first, then the missing steps to the largest fractions.
pub(super) fn divide(wanted: &[(u16, f64)], budget: u32) -> impl Iterator<Item = Share> + use<> {
    let sum: f64 = wanted.iter().map(|w| w.1).sum();
    let usable = sum > 0.0 && sum.is_finite();
    let share = |&(slot, want): &(u16, f64)| {
        let exact = want / sum * f64::from(budget);
        (slot, exact.floor() as u32, exact.fract())
    };
    let mut shares: Vec<(u16, u32, f64)> =
        if usable { wanted.iter().map(share).collect() } else { Vec::new() };
    let given: u32 = shares.iter().map(|s| s.1).sum();
    let missing = budget.saturating_sub(given) as usize;
    shares.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
    let count = shares.len().max(1);
    // Rounding leaves at most one step for each joint.
    shares.iter_mut().take(missing.min(count)).for_each(|s| s.1 += 1);
    shares.into_iter().map(|s| (s.0, s.1)).filter(|s| s.1 > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(shares: &[(u16, f32)]) -> WeightTable {
        let vertex = shares.iter().map(|&(slot, weight)| Influence { slot, weight });
        WeightTable::new(&Weights::new(8, [vertex]).unwrap().0, 8)
    }

    #[test]
    fn a_table_of_weights_gives_the_same_weights_back() {
        let vertex = [(3, 0.123_f32), (1, 0.456), (7, 0.3)].map(|(slot, weight)| Influence { slot, weight });
        let (weights, _) = Weights::new(8, [vertex]).unwrap();
        let with_muscle_weights =
            weights.clone().with_muscle_weights(8, [[Influence { slot: 5, weight: -2.0 }]]).unwrap();
        assert_eq!(WeightTable::new(&weights, 8).to_weights().unwrap(), weights);
        assert_eq!(WeightTable::new(&with_muscle_weights, 8).to_weights().unwrap(), with_muscle_weights);
    }

    #[test]
    fn locked_joints_keep_their_weight_to_the_bit_and_sums_stay_exact() {
        let mut t = table(&[(0, 0.3), (1, 0.3), (2, 0.4)]);
        let before = t.weight_of(0, 1);
        t.set(0, &[(0, 0.1), (1, 0.9), (4, 0.7), (5, 1.0 / 3.0)], &Locks::of([1]));
        assert_eq!(t.weight_of(0, 1).to_bits(), before.to_bits());
        assert_eq!(t.weight_of(0, 2), 0.0);
        assert_eq!(t.steps(0).map(|s| s.1).sum::<u32>(), ONE);
        assert!((t.weight_of(0, 4) / t.weight_of(0, 0) - 7.0).abs() < 1e-4);
    }

    #[test]
    fn a_vertex_of_which_nothing_open_is_wanted_stays() {
        let mut t = table(&[(0, 0.5), (1, 0.5)]);
        let before = t.clone();
        t.set(0, &[(1, 1.0), (2, 0.0), (3, f64::NAN)], &Locks::of([1]));
        assert_eq!(t, before);
    }
}
