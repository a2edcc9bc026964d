//! Muscle weights: influences that displace the surface besides the normalized ones.

use super::{Influence, InfluenceLists, InfluenceSlices, WeightRepairs, WeightSum, Weights, WeightsError};
use crate::range::InRange as _;

/// The muscle influences of every vertex: any number, any finite weight, not normalized.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(super) struct MuscleWeights {
    first: Vec<u32>,
    slots: Vec<u16>,
    weights: Vec<f32>,
}

impl Weights {
    /// Weights in which the slots selected by `is_muscle` displace the surface and are not normalized.
    ///
    /// The influences of all other slots are normalized as by [`Weights::new`]. A muscle
    /// influence adds the motion of its joint since rest, times its weight, whatever the other weights are: a muscle
    /// that swells, a helper joint that pushes. Its weight may be above one or negative. The weights of a joint that is
    /// repeated in a vertex are added.
    ///
    /// # Errors
    /// As [`Weights::new`].
    pub fn new_with_muscles<V>(
        slot_count: usize,
        vertices: impl IntoIterator<Item = V>,
        is_muscle: impl Fn(u16) -> bool,
    ) -> Result<(Self, WeightRepairs), WeightsError>
    where
        V: IntoIterator<Item = Influence>,
    {
        let mut muscles_of: Vec<Vec<Influence>> = Vec::new();
        let mut carriers: Vec<Vec<Influence>> = Vec::new();
        for influences in vertices {
            let (muscles, carrying): (Vec<_>, Vec<_>) =
                influences.into_iter().partition(|i: &Influence| is_muscle(i.slot));
            muscles_of.push(muscles);
            carriers.push(carrying);
        }
        let (carrying, repairs) = Self::new(slot_count, carriers)?;
        Ok((carrying.with_muscle_weights(slot_count, muscles_of)?, repairs))
    }

    /// The same weights with other muscle influences.
    ///
    /// `vertices` yields the muscle influences of each vertex. Vertices that it does not reach have none, and what comes
    /// after the last vertex is ignored.
    ///
    /// # Errors
    /// If a weight is not finite, or a joint with weight is not in the skin.
    pub fn with_muscle_weights<V>(
        mut self,
        slot_count: usize,
        vertices: impl IntoIterator<Item = V>,
    ) -> Result<Self, WeightsError>
    where
        V: IntoIterator<Item = Influence>,
    {
        let mut free = MuscleWeights { first: vec![0], slots: Vec::new(), weights: Vec::new() };
        for (vertex, influences) in vertices.into_iter().take(self.vertex_count()).enumerate() {
            free.push(vertex, slot_count, influences)?;
        }
        let end = free.slots.len() as u32;
        free.first.resize(self.vertex_count() + 1, end);
        let carried = if self.muscles.is_some() { self.carrier_slot_count() } else { self.slot_count };
        self.slot_count = carried.max(free.slot_count());
        self.muscles = (!free.slots.is_empty()).then_some(free);
        Ok(self)
    }

    /// Whether there are muscle weights.
    pub fn sum_kind(&self) -> WeightSum {
        if self.muscles.is_some() { WeightSum::Muscle } else { WeightSum::One }
    }

    /// The muscle joints and weights of `vertex`; usually empty.
    pub fn muscle_of(&self, vertex: usize) -> (&[u16], &[f32]) {
        match &self.muscles {
            Some(free) => {
                let range = free.first[vertex] as usize..free.first[vertex + 1] as usize;
                (&free.slots[range.clone()], &free.weights[range])
            }
            None => (&[], &[]),
        }
    }

    /// The muscle influences of `vertex`; usually none.
    pub fn muscle_influences(&self, vertex: usize) -> impl ExactSizeIterator<Item = Influence> + '_ {
        let (slots, weights) = self.muscle_of(vertex);
        slots.iter().zip(weights).map(|(&slot, &weight)| Influence { slot, weight })
    }

    /// The muscle weight of the joint at `slot` for `vertex`, or zero.
    pub fn muscle_weight_of(&self, vertex: usize, slot: u16) -> f32 {
        self.muscle_influences(vertex).find(|i| i.slot == slot).map_or(0.0, |i| i.weight)
    }

    /// The slots with a muscle weight in any vertex, in ascending order.
    pub fn muscle_slots(&self) -> Vec<u16> {
        let mut slots = self.muscles.as_ref().map_or_else(Vec::new, |free| free.slots.clone());
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// The same weights with the muscle weights of `other`.
    ///
    /// Vertices that `other` does not have get none, and what comes after the last vertex is ignored.
    #[must_use]
    pub fn with_muscles_of(mut self, other: &Self) -> Self {
        let mut free = other.muscles.clone();
        if let Some(free) = &mut free {
            free.resize(self.vertex_count());
        }
        self.muscles = free.filter(|free| !free.slots.is_empty());
        let needed = self.muscles.as_ref().map_or(0, MuscleWeights::slot_count);
        self.slot_count = self.carrier_slot_count().max(needed);
        self
    }

    /// The number of joints that a skin must have for the weights that sum to one.
    fn carrier_slot_count(&self) -> usize {
        self.slots.iter().map(|&s| usize::from(s) + 1).max().unwrap_or(0)
    }
}

impl MuscleWeights {
    /// The influences as lists.
    pub(super) fn lists(&self) -> InfluenceSlices<'_> {
        InfluenceSlices { first: &self.first, slots: &self.slots, weights: &self.weights }
    }

    /// Muscle weights of lists that fit each other and the joints.
    pub(super) fn from_lists(lists: InfluenceLists) -> Result<Self, WeightsError> {
        let InfluenceLists { first, slots, weights } = lists;
        match weights.iter().position(|w| !w.is_in_range() || *w == 0.0) {
            Some(at) => Err(WeightsError::BadList { list: "muscle weights", at }),
            None => Ok(Self { first, slots, weights }),
        }
    }

    /// The number of joints that a skin must have for these weights.
    pub(super) fn slot_count(&self) -> usize {
        self.slots.iter().map(|&s| usize::from(s) + 1).max().unwrap_or(0)
    }

    /// Drops vertices at the end, or adds some without influences.
    fn resize(&mut self, vertex_count: usize) {
        self.first.truncate(vertex_count + 1);
        let end = self.first.last().copied().unwrap_or(0);
        self.first.resize(vertex_count + 1, end);
        self.slots.truncate(end as usize);
        self.weights.truncate(end as usize);
    }

    fn push(
        &mut self,
        vertex: usize,
        slot_count: usize,
        influences: impl IntoIterator<Item = Influence>,
    ) -> Result<(), WeightsError> {
        let start = self.slots.len();
        for Influence { slot, weight } in influences {
            if !weight.is_in_range() {
                return Err(WeightsError::NotFinite { vertex, slot, weight });
            }
            if weight == 0.0 {
                continue;
            }
            if usize::from(slot) >= slot_count {
                return Err(WeightsError::SlotOutOfRange { vertex, slot, weight, slot_count });
            }
            match self.slots[start..].iter().position(|&s| s == slot) {
                Some(at) => {
                    let sum = &mut self.weights[start + at];
                    *sum = (*sum + weight).clamp(f32::MIN, f32::MAX);
                }
                None => {
                    self.slots.push(slot);
                    self.weights.push(weight);
                }
            }
        }
        // The weights of a repeated joint may cancel out; like any zero weight, they are dropped.
        for at in (start..self.slots.len()).rev() {
            if self.weights[at] == 0.0 {
                self.slots.remove(at);
                self.weights.remove(at);
            }
        }
        let count = self.slots.len();
        self.first.push(u32::try_from(count).map_err(|_| WeightsError::TooMany { count })?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn influence(slot: u16, weight: f32) -> Influence {
        Influence { slot, weight }
    }

    #[test]
    fn muscle_weights_are_kept_and_the_others_sum_to_one() {
        let vertices = [
            vec![influence(0, 2.0), influence(2, 1.5), influence(1, 2.0), influence(2, -0.25)],
            vec![influence(1, 0.3)],
        ];
        let (weights, repairs) = Weights::new_with_muscles(3, vertices, |slot| slot == 2).unwrap();
        assert_eq!(weights.of(0), (&[0, 1][..], &[0.5, 0.5][..]));
        assert_eq!(weights.muscle_of(0), (&[2][..], &[1.25][..]));
        assert_eq!(weights.of(1), (&[1][..], &[1.0][..]));
        assert!(weights.muscle_of(1).0.is_empty());
        assert_eq!((weights.sum_kind(), weights.slot_count()), (WeightSum::Muscle, 3));
        assert_eq!(repairs.rescaled, 2);
    }

    #[test]
    fn without_free_influences_nothing_is_muscle() {
        let vertices = || [vec![influence(0, 1.0), influence(1, 1.0)]];
        let (free, _) = Weights::new_with_muscles(2, vertices(), |_| false).unwrap();
        assert_eq!(free, Weights::new(2, vertices()).unwrap().0);
        assert_eq!(free.sum_kind(), WeightSum::One);
        assert!(free.muscle_of(0).0.is_empty());
    }

    #[test]
    fn muscle_weights_are_found_by_slot_and_taken_over_from_other_weights() {
        let vertices =
            [vec![influence(0, 1.0), influence(2, 1.5)], vec![influence(1, 1.0), influence(3, -0.5)]];
        let (with, _) = Weights::new_with_muscles(4, vertices, |slot| slot > 1).unwrap();
        assert_eq!(with.muscle_slots(), [2, 3]);
        assert_eq!((with.muscle_weight_of(0, 2), with.muscle_weight_of(1, 2)), (1.5, 0.0));
        assert_eq!(with.muscle_influences(1).collect::<Vec<_>>(), [influence(3, -0.5)]);
        let plain = |count| Weights::new(4, vec![[influence(0, 1.0)]; count]).unwrap().0;
        assert!(plain(2).muscle_slots().is_empty());
        let taken = plain(2).with_muscles_of(&with);
        assert_eq!((taken.muscle_of(0), taken.muscle_of(1)), (with.muscle_of(0), with.muscle_of(1)));
        assert_eq!((taken.slot_count(), taken.of(1).0), (4, &[0][..]));
        assert_eq!(plain(1).with_muscles_of(&with).muscle_slots(), [2]);
        assert!(plain(3).with_muscles_of(&with).muscle_of(2).0.is_empty());
        let none: [[Influence; 0]; 2] = [[], []];
        assert_eq!(taken.clone().with_muscle_weights(4, none).unwrap(), plain(2));
        assert_eq!(taken.with_muscles_of(&plain(2)), plain(2));
    }

    #[test]
    fn rejects_invalid_muscle_weights() {
        let one = |i| Weights::new_with_muscles(2, [[i]], |_| true);
        assert!(matches!(one(influence(0, f32::NAN)), Err(WeightsError::NotFinite { .. })));
        assert!(matches!(one(influence(2, 0.1)), Err(WeightsError::SlotOutOfRange { .. })));
        assert!(one(influence(2, 0.0)).is_ok());
    }
}
