//! Surface pieces grouped by joint set, so that a vertex is compared only with pieces that have two joints in common with it.

use super::samples::SurfaceSamples;
use sinew::glam::DVec3;
use std::collections::HashMap;

/// The pieces with the same joints.
struct SimilarityGroup {
    slots: Vec<u16>,
    samples: Vec<u32>,
}

/// All pieces by joint set, indexed by pairs of joints.
pub(super) struct SimilarityGroups {
    groups: Vec<SimilarityGroup>,
    /// The groups that contain both joints of a pair, the smaller slot first.
    of_pair: HashMap<(u16, u16), Vec<u32>>,
}

/// Beyond this exponent the similarity is below 1e-13 and is not computed.
const NEGLIGIBLE: f64 = 30.0;

impl SimilarityGroups {
    pub(super) fn new(samples: &SurfaceSamples) -> Self {
        let mut by_slots: HashMap<&[u16], u32> = HashMap::new();
        let mut groups: Vec<SimilarityGroup> = Vec::new();
        for sample in 0..samples.len() {
            let slots = samples.of(sample).0;
            let group = *by_slots.entry(slots).or_insert_with(|| {
                groups.push(SimilarityGroup { slots: slots.to_vec(), samples: vec![] });
                groups.len() as u32 - 1
            });
            groups[group as usize].samples.push(sample as u32);
        }
        let mut of_pair: HashMap<(u16, u16), Vec<u32>> = HashMap::new();
        for (index, group) in groups.iter().enumerate() {
            for (i, &a) in group.slots.iter().enumerate() {
                for &b in &group.slots[i + 1..] {
                    of_pair.entry((a, b)).or_default().push(index as u32);
                }
            }
        }
        Self { groups, of_pair }
    }

    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// The center for these weights, if any piece has similar weights, and the number of similarities computed.
    pub(super) fn center(
        &self,
        samples: &SurfaceSamples,
        slots: &[u16],
        weights: &[f32],
        sigma: f64,
    ) -> (Option<DVec3>, u64) {
        let (mut sum, mut area, mut count) = (DVec3::ZERO, 0.0, 0);
        for group in self.sharing(slots) {
            let shared = shared_places(slots, weights, &group.slots);
            for &sample in &group.samples {
                let (moment, size) = samples.moments[sample as usize];
                let alike = similarity(&shared, samples.of(sample as usize).1, sigma);
                sum += moment * alike;
                area += size * alike;
            }
            count += group.samples.len() as u64;
        }
        let center = sum / area;
        ((area > 0.0 && center.is_finite()).then_some(center), count)
    }

    /// The groups that have at least two joints in common with `slots`, each once, in a fixed order.
    fn sharing(&self, slots: &[u16]) -> impl Iterator<Item = &SimilarityGroup> {
        let mut found: Vec<u32> = Vec::new();
        for (i, &a) in slots.iter().enumerate() {
            for &b in &slots[i + 1..] {
                found.extend(self.of_pair.get(&(a.min(b), a.max(b))).into_iter().flatten());
            }
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|group| &self.groups[group as usize])
    }
}

/// The vertex's weight of each joint that it has in common with a group, and the joint's index in the group.
fn shared_places(slots: &[u16], weights: &[f32], group: &[u16]) -> Vec<(f64, usize)> {
    let place = |(slot, &fraction): (&u16, &f32)| {
        group.iter().position(|s| s == slot).map(|at| (f64::from(fraction), at))
    };
    slots.iter().zip(weights).filter_map(place).collect()
}

/// `Σ a_j a_k b_j b_k exp(−(a_j b_k − a_k b_j)²/σ²)` over pairs of joints: large if both sets of weights have the same joints in
/// the same proportion.
fn similarity(shared: &[(f64, usize)], weights: &[f32], sigma: f64) -> f64 {
    let mut sum = 0.0;
    for (i, &(a_j, j)) in shared.iter().enumerate() {
        let b_j = f64::from(weights[j]);
        for &(a_k, k) in &shared[i + 1..] {
            let b_k = f64::from(weights[k]);
            let off = (a_j * b_k - a_k * b_j) / sigma;
            if off * off < NEGLIGIBLE {
                sum += a_j * a_k * b_j * b_k * (-off * off).exp();
            }
        }
    }
    sum
}
