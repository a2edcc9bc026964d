//! Weights as flat lists, to be stored and read back to the bit.

use super::{Weights, WeightsError, muscle::MuscleWeights};
use crate::range::first_bad;

/// The influences of every vertex, one vertex after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InfluenceLists {
    /// Vertex v has the influences `first[v]..first[v + 1]`.
    pub first: Vec<u32>,
    /// The joint slot of each influence.
    pub slots: Vec<u16>,
    /// The weight of each influence.
    pub weights: Vec<f32>,
}

/// [`InfluenceLists`] that belong to weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InfluenceSlices<'a> {
    /// Vertex v has the influences `first[v]..first[v + 1]`.
    pub first: &'a [u32],
    /// The joint slot of each influence.
    pub slots: &'a [u16],
    /// The weight of each influence.
    pub weights: &'a [f32],
}

impl Weights {
    /// The influences that sum to one, as lists.
    pub fn lists(&self) -> InfluenceSlices<'_> {
        InfluenceSlices { first: &self.first, slots: &self.slots, weights: &self.weights }
    }

    /// The muscle influences as lists; `None` if there are none.
    pub fn muscle_lists(&self) -> Option<InfluenceSlices<'_>> {
        self.muscles.as_ref().map(MuscleWeights::lists)
    }

    /// Weights of lists that are valid as they are: nothing is normalized, sorted or repaired, which makes this the fastest
    /// way to read stored weights.
    ///
    /// # Errors
    /// If the lists do not fit each other, a slot is not below `slot_count`, a muscle weight is not finite, or the weights
    /// of a vertex are not on the grid, descending, of different joints, and of sum one.
    pub fn from_lists(
        slot_count: usize,
        lists: InfluenceLists,
        muscles: Option<InfluenceLists>,
    ) -> Result<Self, WeightsError> {
        let bad = |list, at| WeightsError::BadList { list, at };
        if slot_count > 1 << 16 {
            return Err(bad("slot count", slot_count));
        }
        check_ranges("weights", &lists, slot_count)?;
        if let Some(at) = first_bad(&lists.weights, |weight| steps(weight).is_none()) {
            return Err(bad("weights", at));
        }
        let mut max_influences = 0;
        let mut seen = vec![u32::MAX; slot_count];
        for (vertex, pair) in lists.first.windows(2).enumerate() {
            let range = pair[0] as usize..pair[1] as usize;
            max_influences = max_influences.max(range.len());
            let (slots, weights) = (&lists.slots[range.clone()], &lists.weights[range]);
            // Most vertices of rigid parts follow one joint.
            if weights != [1.0] && !is_vertex(vertex as u32, slots, weights, &mut seen) {
                return Err(bad("vertex", vertex));
            }
        }
        let vertices = lists.first.len() - 1;
        let InfluenceLists { first, slots, weights } = lists;
        let muscles = muscles.map(|muscles| {
            check_ranges("muscle weights", &muscles, slot_count)?;
            if muscles.first.len() != vertices + 1 || muscles.slots.is_empty() {
                return Err(bad("muscle ranges", muscles.first.len()));
            }
            MuscleWeights::from_lists(muscles)
        });
        Ok(Self { first, slots, weights, slot_count, max_influences, muscles: muscles.transpose()? })
    }
}

/// Refuses lists of different lengths, ranges that do not cover them in order, and slots that do not exist.
fn check_ranges(list: &'static str, lists: &InfluenceLists, slot_count: usize) -> Result<(), WeightsError> {
    let bad = |at| Err(WeightsError::BadList { list, at });
    let (first, end) = (&lists.first, lists.slots.len());
    if lists.weights.len() != end
        || first.first() != Some(&0)
        || first.last().map(|l| *l as usize) != Some(end)
    {
        return bad(first.len());
    }
    if let Some(at) = first.windows(2).position(|pair| pair[1] < pair[0]) {
        return bad(at);
    }
    // Every slot is compared without a branch; the one at fault is only looked for if there is one.
    let is_missing = |slot: &u16| usize::from(*slot) >= slot_count;
    let any_missing = lists.slots.iter().fold(false, |any, slot| any | is_missing(slot));
    lists.slots.iter().filter(|_| any_missing).position(is_missing).map_or(Ok(()), bad)
}

/// The steps of the grid that a weight is, 1 to [`Weights::GRID_STEPS`]; `None` for a number that is none of them.
#[inline]
fn steps(weight: f32) -> Option<u32> {
    let steps = weight * Weights::GRID_STEPS as f32;
    // A conversion to an integer and back, unlike a call that rounds, is vectorized for every CPU.
    let whole = steps as i32;
    (whole as f32 == steps && whole >= 1 && steps <= Weights::GRID_STEPS as f32)
        .then_some(whole.cast_unsigned())
}

/// True if these influences are those of a vertex: of sum one, descending, each joint once. `seen` has the latest vertex of
/// each joint.
#[inline]
fn is_vertex(vertex: u32, slots: &[u16], weights: &[f32], seen: &mut [u32]) -> bool {
    let (mut sum, mut previous, mut is_valid) = (0_u64, f32::INFINITY, true);
    for (slot, weight) in slots.iter().zip(weights) {
        let latest = &mut seen[usize::from(*slot)];
        is_valid &= *latest != vertex && *weight <= previous;
        (*latest, previous) = (vertex, *weight);
        sum += u64::from(steps(*weight).unwrap_or(0));
    }
    is_valid && sum == u64::from(Weights::GRID_STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Influence;

    fn weights() -> Weights {
        let one = |pairs: &[(u16, f32)]| -> Vec<Influence> {
            pairs.iter().map(|&(slot, weight)| Influence { slot, weight }).collect()
        };
        let vertices = [one(&[(2, 0.7), (0, 0.3)]), one(&[(1, 1.0)]), one(&[(0, 0.2), (1, 0.3), (3, 0.5)])];
        Weights::new(4, vertices).unwrap().0
    }

    fn owned(lists: InfluenceSlices<'_>) -> InfluenceLists {
        let InfluenceSlices { first, slots, weights } = lists;
        InfluenceLists { first: first.to_vec(), slots: slots.to_vec(), weights: weights.to_vec() }
    }

    #[test]
    fn lists_read_back_equal_with_and_without_muscles() {
        let plain = weights();
        let back = Weights::from_lists(plain.slot_count(), owned(plain.lists()), None).unwrap();
        assert_eq!(back, plain);
        assert_eq!(back.max_influences(), 3);
        let muscle = [Influence { slot: 3, weight: -2.5 }];
        let with = plain.with_muscle_weights(4, [&[][..], &muscle[..]].map(<[_]>::to_vec)).unwrap();
        let muscles = with.muscle_lists().map(owned);
        assert_eq!(Weights::from_lists(with.slot_count(), owned(with.lists()), muscles).unwrap(), with);
    }

    #[test]
    fn invalid_lists_are_refused() {
        let breaks: [fn(&mut InfluenceLists); 9] = [
            |l| l.first[1] = 9,
            |l| l.first[0] = 1,
            |l| l.first.clear(),
            |l| l.slots[0] = 4,
            |l| l.slots[1] = l.slots[0],
            |l| l.weights[0] = f32::NAN,
            |l| l.weights[2] = 0.5,
            |l| l.weights.swap(0, 1),
            |l| l.weights[0] += 1e-9,
        ];
        for (index, make_bad) in breaks.iter().enumerate() {
            let mut lists = owned(weights().lists());
            make_bad(&mut lists);
            // The grid is coarser than what the last change adds, so it changes nothing.
            let is_same = lists == owned(weights().lists());
            assert_eq!(Weights::from_lists(4, lists, None).is_ok(), is_same, "break {index}");
        }
        let muscles = InfluenceLists { first: vec![0, 1], slots: vec![0], weights: vec![1.0] };
        assert!(Weights::from_lists(4, owned(weights().lists()), Some(muscles)).is_err());
    }
}
