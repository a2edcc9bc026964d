//! Skin weights: the influences of every vertex.

#[cfg(feature = "serde")]
mod form;
mod lists;
mod muscle;

pub use lists::{InfluenceLists, InfluenceSlices};
use muscle::MuscleWeights;
use thiserror::Error;

/// The weight of one joint at a vertex.
#[doc(alias = "bone weight")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// Index in the joint list of the skin (not a skeleton joint).
    pub slot: u16,
    /// The weight, 0 to 1.
    pub weight: f32,
}

/// The influences of every vertex: any number per vertex, sorted by descending weight, with a sum of exactly one.
#[doc(alias = "skin weights")]
///
/// Weights are multiples of 2⁻²⁴, so they and all partial sums are exact in `f32`: added in any
/// order they give exactly 1.0, and the last of n weights is one minus the others (the n−1 form).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "form::WeightsForm")
)]
pub struct Weights {
    /// Vertex v owns `first[v]..first[v + 1]`.
    first: Vec<u32>,
    slots: Vec<u16>,
    weights: Vec<f32>,
    slot_count: usize,
    #[cfg_attr(feature = "serde", serde(skip))]
    max_influences: usize,
    muscles: Option<MuscleWeights>,
}

/// Whether a mesh has muscle weights besides the weights that sum to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightSum {
    /// The weights of every vertex sum to one.
    One,
    /// Muscle joints also displace the surface, with weights of any sum.
    Muscle,
}

/// The number of repairs that made weights valid.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeightRepairs {
    /// Vertices whose weights did not sum to one (beyond 1e-3).
    pub rescaled: usize,
    /// The sum furthest from one; 1 if every sum was right.
    pub worst_sum: f32,
    /// Vertices without a positive weight, which now follow slot 0.
    pub unweighted: usize,
    /// Vertices with a repeated joint, whose weights were added.
    pub merged: usize,
    /// Negative weights, which were set to zero.
    pub negative: usize,
}

/// Why weights are invalid.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum WeightsError {
    /// A weight is not finite, or the weight of a muscle exceeds [`MAX_VALUE`](crate::MAX_VALUE).
    #[error("vertex {vertex}: weight {weight} of joint slot {slot} is not finite or exceeds 1e12")]
    NotFinite {
        /// Index of the vertex.
        vertex: usize,
        /// Slot of the joint in the skin.
        slot: u16,
        /// The value that was given.
        weight: f32,
    },
    /// A joint with a weight is not in the skin.
    #[error("vertex {vertex}: joint slot {slot} has weight {weight}, but the skin has {slot_count} joints")]
    SlotOutOfRange {
        /// Index of the vertex.
        vertex: usize,
        /// The slot that the skin does not have.
        slot: u16,
        /// The weight that refers to it.
        weight: f32,
        /// How many joints the skin has.
        slot_count: usize,
    },
    /// The n−1 form needs exactly one joint more than weights.
    #[error("vertex {vertex}: {joints} joints need {} explicit weights, got {weights}", joints.saturating_sub(1))]
    WrongImpliedCount {
        /// Index of the vertex.
        vertex: usize,
        /// How many joints were given.
        joints: usize,
        /// How many weights were given.
        weights: usize,
    },
    /// Stored lists are not those of valid weights.
    #[error("{list}: entry {at} is not that of valid weights")]
    BadList {
        /// Name of the list.
        list: &'static str,
        /// Index of the entry, or the length that does not fit.
        at: usize,
    },
    /// There are more influences than `u32` can number.
    #[error("at most {} influences are supported, got {count}", u32::MAX)]
    TooMany {
        /// How many influences were given.
        count: usize,
    },
}

const STEPS: f64 = Weights::GRID_STEPS as f64;

impl Weights {
    /// Grid steps in a weight of one: the finest grid on which every weight and every sum is exact in `f32`.
    pub const GRID_STEPS: u32 = 1 << 24;

    /// The same vertices, each with its strongest joint alone (rigid skinning).
    pub fn strongest(&self) -> Self {
        let vertices = self.vertex_count();
        let strongest = |v: usize| self.slots[self.first[v] as usize];
        Self {
            first: (0..=vertices as u32).collect(),
            slots: (0..vertices).map(strongest).collect(),
            weights: vec![1.0; vertices],
            slot_count: self.slot_count,
            max_influences: usize::from(vertices > 0),
            muscles: None,
        }
    }

    /// Normalized weights of the vertices that the iterator yields, for a skin of `slot_count` joints.
    ///
    /// Influences with zero weight are dropped. The others are scaled to sum to one, then rounded
    /// to the grid so that the sum is exact. The second value counts the repairs.
    ///
    /// # Errors
    /// If a weight is not finite, or a joint with a weight is not in the skin.
    pub fn new<V>(
        slot_count: usize,
        vertices: impl IntoIterator<Item = V>,
    ) -> Result<(Self, WeightRepairs), WeightsError>
    where
        V: IntoIterator<Item = Influence>,
    {
        let mut out = Self::empty();
        let mut repairs = WeightRepairs { worst_sum: 1.0, ..WeightRepairs::default() };
        let mut vertex_influences = Vec::new();
        for (vertex, influences) in vertices.into_iter().enumerate() {
            gather(vertex, slot_count, influences, &mut vertex_influences, &mut repairs)?;
            normalize(&mut vertex_influences, &mut repairs);
            out.push(&vertex_influences)?;
        }
        Ok((out, repairs))
    }

    /// Weights from the n−1 form: `vertices` yields the joints of each vertex and all weights but the last.
    ///
    /// # Errors
    /// As [`Weights::new`], and if a vertex does not have exactly one joint more than weights.
    pub fn from_implied<'a>(
        slot_count: usize,
        vertices: impl IntoIterator<Item = (&'a [u16], &'a [f32])>,
    ) -> Result<(Self, WeightRepairs), WeightsError> {
        let mut full: Vec<Vec<Influence>> = Vec::new();
        for (vertex, (slots, explicit)) in vertices.into_iter().enumerate() {
            if slots.len() != explicit.len() + 1 {
                let (joints, weights) = (slots.len(), explicit.len());
                return Err(WeightsError::WrongImpliedCount { vertex, joints, weights });
            }
            let last = 1.0 - explicit.iter().sum::<f32>();
            let weights = explicit.iter().copied().chain([last]);
            full.push(slots.iter().zip(weights).map(|(&slot, weight)| Influence { slot, weight }).collect());
        }
        Self::new(slot_count, full)
    }

    /// The same weights with other influences for some vertices, normalized as by [`Weights::new`].
    ///
    /// `changed` yields vertices in ascending order; vertices out of order are skipped. Muscle weights stay. If few
    /// vertices change, the cost is about that of a copy.
    ///
    /// # Errors
    /// As [`Weights::new`].
    pub fn with_vertices<V>(
        &self,
        slot_count: usize,
        changed: impl IntoIterator<Item = (u32, V)>,
    ) -> Result<Self, WeightsError>
    where
        V: IntoIterator<Item = Influence>,
    {
        let mut out = Self::empty();
        out.first.reserve(self.vertex_count());
        out.slots.reserve(self.slots.len());
        out.weights.reserve(self.weights.len());
        let mut repairs = WeightRepairs::default();
        let mut influences_here = Vec::new();
        for (vertex, influences) in changed {
            let vertex = vertex as usize;
            if vertex < out.vertex_count() || vertex >= self.vertex_count() {
                continue;
            }
            out.copy_up_to(self, vertex)?;
            gather(vertex, slot_count, influences, &mut influences_here, &mut repairs)?;
            normalize(&mut influences_here, &mut repairs);
            out.push(&influences_here)?;
        }
        out.copy_up_to(self, self.vertex_count())?;
        out.slot_count = out.slots.iter().map(|&s| usize::from(s) + 1).max().unwrap_or(0);
        out.max_influences = out.first.windows(2).map(|pair| (pair[1] - pair[0]) as usize).max().unwrap_or(0);
        if let Some(free) = &self.muscles {
            out.slot_count = out.slot_count.max(free.slot_count());
            out.muscles = Some(free.clone());
        }
        Ok(out)
    }

    /// Appends the vertices of `from` that come after its own, up to `end`.
    fn copy_up_to(&mut self, from: &Self, end: usize) -> Result<(), WeightsError> {
        let start = self.vertex_count();
        let range = from.first[start] as usize..from.first[end] as usize;
        let (here, there) = (self.slots.len() as u64, range.start as u64);
        self.slots.extend_from_slice(&from.slots[range.clone()]);
        self.weights.extend_from_slice(&from.weights[range]);
        let count = self.slots.len();
        u32::try_from(count).map_err(|_| WeightsError::TooMany { count })?;
        self.first.extend(from.first[start + 1..=end].iter().map(|&f| (u64::from(f) - there + here) as u32));
        Ok(())
    }

    fn empty() -> Self {
        let (slots, weights) = (Vec::new(), Vec::new());
        Self { first: vec![0], slots, weights, slot_count: 0, max_influences: 0, muscles: None }
    }

    fn push(&mut self, influences: &[(u16, u32)]) -> Result<(), WeightsError> {
        self.slots.extend(influences.iter().map(|i| i.0));
        self.weights.extend(influences.iter().map(|i| i.1 as f32 / STEPS as f32));
        let needed = influences.iter().map(|i| usize::from(i.0) + 1).max().unwrap_or(0);
        self.slot_count = self.slot_count.max(needed);
        self.max_influences = self.max_influences.max(influences.len());
        let count = self.slots.len();
        self.first.push(u32::try_from(count).map_err(|_| WeightsError::TooMany { count })?);
        Ok(())
    }

    /// Number of vertices of the mesh.
    pub fn vertex_count(&self) -> usize {
        self.first.len() - 1
    }

    /// The number of joints that a skin must have for these weights.
    pub fn slot_count(&self) -> usize {
        self.slot_count
    }

    /// The largest number of influences of a vertex.
    pub fn max_influences(&self) -> usize {
        self.max_influences
    }

    /// The joints and weights of `vertex`, the strongest first; never empty.
    pub fn of(&self, vertex: usize) -> (&[u16], &[f32]) {
        let range = self.first[vertex] as usize..self.first[vertex + 1] as usize;
        (&self.slots[range.clone()], &self.weights[range])
    }

    /// The influences of `vertex`, the strongest first; never empty.
    pub fn influences(&self, vertex: usize) -> impl ExactSizeIterator<Item = Influence> + '_ {
        let (slots, weights) = self.of(vertex);
        slots.iter().zip(weights).map(|(&slot, &weight)| Influence { slot, weight })
    }

    /// The n−1 form of `vertex`: its joints, and every weight but the last, which is one minus the others.
    pub fn implied(&self, vertex: usize) -> (&[u16], &[f32]) {
        let (slots, weights) = self.of(vertex);
        (slots, &weights[..weights.len() - 1])
    }

    /// Number of vertices by number of influences: entry k counts vertices with k + 1.
    pub fn histogram(&self) -> Vec<usize> {
        let mut counts = vec![0; self.max_influences];
        for pair in self.first.windows(2) {
            counts[(pair[1] - pair[0]) as usize - 1] += 1;
        }
        counts
    }

    /// The weight of the joint at `slot` for `vertex`, or zero.
    pub fn weight_of(&self, vertex: usize, slot: u16) -> f32 {
        self.influences(vertex).find(|i| i.slot == slot).map_or(0.0, |i| i.weight)
    }
}

/// Collects the positive influences of one vertex, one entry per joint.
fn gather(
    vertex: usize,
    slot_count: usize,
    influences: impl IntoIterator<Item = Influence>,
    out: &mut Vec<(u16, u32)>,
    repairs: &mut WeightRepairs,
) -> Result<(), WeightsError> {
    out.clear();
    let mut merged = false;
    for Influence { slot, weight } in influences {
        if !weight.is_finite() {
            return Err(WeightsError::NotFinite { vertex, slot, weight });
        }
        if weight == 0.0 {
            continue;
        }
        if usize::from(slot) >= slot_count {
            return Err(WeightsError::SlotOutOfRange { vertex, slot, weight, slot_count });
        }
        if weight < 0.0 {
            repairs.negative += 1;
            continue;
        }
        match out.iter_mut().find(|(s, _)| *s == slot) {
            Some((_, bits)) => {
                *bits = (f32::from_bits(*bits) + weight).min(f32::MAX).to_bits();
                merged = true;
            }
            None => out.push((slot, weight.to_bits())),
        }
    }
    repairs.merged += usize::from(merged);
    Ok(())
}

/// Turns `(slot, f32 bits)` into `(slot, grid steps)`, the steps summing to exactly one.
fn normalize(influences: &mut Vec<(u16, u32)>, repairs: &mut WeightRepairs) {
    let sum: f64 = influences.iter().map(|i| f64::from(f32::from_bits(i.1))).sum();
    if influences.is_empty() {
        repairs.unweighted += 1;
        influences.push((0, STEPS as u32));
        return;
    }
    if (sum - 1.0).abs() > 1e-3 {
        repairs.rescaled += 1;
    }
    if (sum - 1.0).abs() > f64::from((repairs.worst_sum - 1.0).abs()) {
        repairs.worst_sum = sum as f32;
    }
    // Round every weight down, then give the missing steps to the largest remainders.
    let mut rounded: Vec<(u16, u32, f64)> = influences
        .iter()
        .map(|&(slot, bits)| {
            let exact = f64::from(f32::from_bits(bits)) / sum * STEPS;
            (slot, exact.floor() as u32, exact.fract())
        })
        .collect();
    let given: u64 = rounded.iter().map(|s| u64::from(s.1)).sum();
    let missing = (STEPS as u64).saturating_sub(given) as usize;
    rounded.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
    rounded.iter_mut().take(missing).for_each(|s| s.1 += 1);
    rounded.retain(|s| s.1 > 0);
    rounded.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    influences.clear();
    influences.extend(rounded.iter().map(|s| (s.0, s.1)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one(slot_count: usize, pairs: &[(u16, f32)]) -> Result<(Weights, WeightRepairs), WeightsError> {
        let vertex = pairs.iter().map(|&(slot, weight)| Influence { slot, weight }).collect::<Vec<_>>();
        Weights::new(slot_count, [vertex])
    }

    proptest! {
        #[test]
        fn sums_are_exactly_one_in_any_order(raw in prop::collection::vec((0_u16..40, 1e-6_f32..1.0), 1..20)) {
            let (weights, _) = one(40, &raw).unwrap();
            let (_, w) = weights.of(0);
            prop_assert_eq!(w.iter().sum::<f32>(), 1.0);
            prop_assert_eq!(w.iter().rev().sum::<f32>(), 1.0);
            prop_assert!(w.windows(2).all(|p| p[0] >= p[1]));
        }

        #[test]
        fn normalizing_twice_changes_nothing(raw in prop::collection::vec((0_u16..40, 1e-6_f32..1.0), 1..20)) {
            let (once, _) = one(40, &raw).unwrap();
            let (twice, repairs) = Weights::new(40, [once.influences(0).collect::<Vec<_>>()]).unwrap();
            prop_assert_eq!(&once, &twice);
            prop_assert_eq!(repairs.rescaled, 0);
        }

        #[test]
        fn changing_some_vertices_is_making_all_anew(
            raw in prop::collection::vec(prop::collection::vec((0_u16..9, 1e-6_f32..1.0), 1..5), 1..9),
            change in prop::collection::btree_map(0_u32..12, prop::collection::vec((0_u16..9, 1e-6_f32..1.0), 1..5), 0..6),
        ) {
            let all = |raw: &[Vec<(u16, f32)>]| {
                let vertex = |v: &Vec<(u16, f32)>| v.clone().into_iter().map(|(slot, weight)| Influence { slot, weight });
                Weights::new(9, raw.iter().map(vertex)).unwrap().0
            };
            let before = all(&raw);
            let mut wanted: Vec<Vec<(u16, f32)>> = (0..raw.len())
                .map(|v| before.influences(v).map(|i| (i.slot, i.weight)).collect())
                .collect();
            for (vertex, influences) in &change {
                if let Some(place) = wanted.get_mut(*vertex as usize) {
                    place.clone_from(influences);
                }
            }
            let influences = |v: &Vec<(u16, f32)>| v.clone().into_iter().map(|(slot, weight)| Influence { slot, weight });
            let changed = change.iter().map(|(vertex, v)| (*vertex, influences(v)));
            prop_assert_eq!(before.with_vertices(9, changed).unwrap(), all(&wanted));
        }

        #[test]
        fn the_implied_form_reads_back_equal(raw in prop::collection::vec((0_u16..9, 1e-6_f32..1.0), 1..9)) {
            let (weights, _) = one(9, &raw).unwrap();
            let (back, _) = Weights::from_implied(9, [weights.implied(0)]).unwrap();
            prop_assert_eq!(weights, back);
        }
    }

    #[test]
    fn counts_what_it_repaired() {
        let (weights, repairs) = one(4, &[(0, 0.1), (1, 0.1), (0, 0.1), (2, -1.0)]).unwrap();
        let expected = WeightRepairs { rescaled: 1, worst_sum: 0.3, unweighted: 0, merged: 1, negative: 1 };
        assert_eq!(WeightRepairs { worst_sum: 0.3, ..repairs }, expected);
        assert!((repairs.worst_sum - 0.3).abs() < 1e-6);
        assert!((weights.weight_of(0, 0) - 2.0 / 3.0).abs() < 1e-6);
    }

    #[test]
    fn an_unweighted_vertex_follows_slot_zero_and_is_counted() {
        let (weights, repairs) = one(4, &[(3, 0.0)]).unwrap();
        assert_eq!(weights.of(0), (&[0_u16][..], &[1.0_f32][..]));
        assert_eq!(repairs.unweighted, 1);
    }

    #[test]
    fn an_out_of_range_slot_is_refused_unless_its_weight_is_zero() {
        assert!(one(4, &[(0, 1.0), (4, 0.0)]).is_ok());
        let error = one(4, &[(0, 0.5), (4, 0.5)]).unwrap_err();
        assert!(matches!(error, WeightsError::SlotOutOfRange { slot: 4, slot_count: 4, .. }));
    }

    #[test]
    fn refuses_weights_that_are_not_finite() {
        assert!(matches!(one(4, &[(0, f32::NAN)]), Err(WeightsError::NotFinite { .. })));
        assert!(matches!(one(4, &[(0, f32::INFINITY)]), Err(WeightsError::NotFinite { .. })));
    }

    #[test]
    fn huge_finite_weights_still_sum_to_one() {
        let (weights, _) = one(4, &[(0, f32::MAX), (1, f32::MAX), (0, f32::MAX)]).unwrap();
        assert_eq!(weights.of(0).1.iter().sum::<f32>(), 1.0);
    }

    #[test]
    fn the_histogram_counts_vertices_by_influences() {
        let vertex = |n: u16| (0..n).map(|slot| Influence { slot, weight: 1.0 }).collect::<Vec<_>>();
        let (weights, _) = Weights::new(9, [vertex(1), vertex(3), vertex(3), vertex(9)]).unwrap();
        assert_eq!(weights.histogram(), [1, 0, 2, 0, 0, 0, 0, 0, 1]);
        assert_eq!(weights.max_influences(), 9);
    }
}
