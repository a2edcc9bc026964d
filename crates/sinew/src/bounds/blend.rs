//! How far blended dual quaternions stray from blended matrices.

use super::{
    Aabb,
    part::{MeshBox, PosedBox},
};
use crate::palette::{DualQuatPalette, Palette};
use std::collections::BTreeMap;

/// More different sets of joints than this are put together: the box gets looser, but stays quick to find.
const MOST_SETS: usize = 256;
/// Up to so many sets are compared two by two; more are the work of chance, and none contains another.
const MOST_COMPARED_SETS: usize = 4096;
/// Up to so many joints are compared two by two.
const MOST_COMPARED: usize = 8;

/// Vertices that follow the same joints, two or more.
///
/// # Why the margin holds
/// Let joints `j` with weights `c` (which sum to one) take a vertex to `Aⱼ`, with rotations `qⱼ` on one side, and let
/// `b = Σ c q`. Written out, blended dual quaternions give `v' = vec Σ cⱼ Aⱼ rⱼ` with `rⱼ = qⱼ b* / |b|²`, and `Σ c r = 1`. Linear blend
/// gives `X = Σ c A`. Since `Σ c (A − X) = 0`,
///
/// ```text
/// v' − X = vec Σ cⱼ (Aⱼ − X) (rⱼ − 1),   |rⱼ − 1| = |qⱼ − b| / |b|
/// |v' − X| ≤ √(Σ c |A − X|²) · √(Σ c |q − b|²) / |b|            (Cauchy and Schwarz)
///          ≤ Δ √(½ (1 − 1/n)) · √(1 − |b|²) / |b|
/// ```
///
/// where `Δ` is the largest distance between two of the `A`, and `n` their number; in space the first root is never
/// above `√⅜` (Jung). If all pairs of rotations have `qⱼ·qₖ ≥ g ≥ 0`, then `|b|² ≥ 1/n + (1 − 1/n) g`. If only the
/// strongest is on one side with each of the others, `|b| ≥ b·q ≥ 1/n + (1 − 1/n) g`. For two joints this is the
/// height of the arc over its chord, and no smaller margin would do.
///
/// Stretches `S` come before: `A` is not at `K v` but within `δ = max |Sⱼ v − Sₖ v|` of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BlendSet {
    slots: Box<[u16]>,
    carried: MeshBox,
}

impl BlendSet {
    /// The sets that stand for every vertex with several influences, given by its slots and the box it moves in.
    pub(super) fn collect<'a>(vertices: impl Iterator<Item = (&'a [u16], Aabb)>) -> Vec<Self> {
        let mut sets: BTreeMap<Vec<u16>, Aabb> = BTreeMap::new();
        for (slots, bounds) in vertices {
            let mut slots = slots.to_vec();
            slots.sort_unstable();
            let all = sets.entry(slots).or_default();
            *all = all.union(bounds);
        }
        let sets = fewer(sets.into_iter().collect());
        let one = |(slots, bounds): (Vec<u16>, Aabb)| Self {
            slots: slots.into_boxed_slice(),
            carried: MeshBox::new(&bounds),
        };
        sets.into_iter().map(one).collect()
    }

    /// The box around where dual quaternions take the vertices, if each lies within `swell` of where it was bound.
    pub(super) fn posed(&self, palette: &Palette, dual_quats: &DualQuatPalette, swell: f32) -> PosedBox {
        let carried = self.carried.grown(swell);
        let matrices = || self.slots.iter().map(|&slot| &palette.matrices()[usize::from(slot)]);
        let boxes = matrices().map(|matrix| carried.posed(matrix, 0.0));
        let linear = boxes.fold(PosedBox::EMPTY, PosedBox::union);
        let apart = if self.slots.len() <= MOST_COMPARED {
            self.most(|a, b| carried.parted_by(&palette.matrices()[a], &palette.matrices()[b]))
        } else {
            linear.diagonal()
        };
        let stretched = if dual_quats.has_stretch() {
            self.most(|a, b| carried.parted_by(&dual_quats.stretch()[a], &dual_quats.stretch()[b]))
        } else {
            0.0
        };
        linear.grown(stretched + (apart + 2.0 * stretched) * self.straying(dual_quats))
    }

    /// What to multiply the distance between two of a vertex's places by, to have the margin.
    fn straying(&self, dual_quats: &DualQuatPalette) -> f32 {
        let first = dual_quats.rigid()[usize::from(self.slots[0])].real;
        let mut least = 1.0_f32;
        let mut is_one_sided = true;
        for (i, &a) in self.slots.iter().enumerate() {
            let a = dual_quats.rigid()[usize::from(a)].real;
            let a = if a.dot(first) < 0.0 { -a } else { a };
            for &b in &self.slots[i + 1..] {
                let b = dual_quats.rigid()[usize::from(b)].real;
                let b = if b.dot(first) < 0.0 { -b } else { b };
                let dot = a.dot(b);
                least = least.min(dot.abs());
                // At a right angle rounding decides about sides.
                is_one_sided &= dot > 1e-4;
            }
        }
        let share = 1.0 / self.slots.len() as f32;
        let mean = share + (1.0 - share) * least;
        let is_pair = self.slots.len() == 2;
        // `|b|²` from below; a pair is on one side whatever the signs.
        let norm_squared = (if is_one_sided || is_pair { mean } else { mean * mean }).min(1.0);
        let places = (0.5 * (1.0 - share)).min(0.375).sqrt();
        places * ((1.0 - norm_squared) / norm_squared).sqrt()
    }

    /// The largest of what `measure` finds for two slots.
    fn most(&self, measure: impl Fn(usize, usize) -> f32) -> f32 {
        let slots = || self.slots.iter().map(|&slot| usize::from(slot));
        let pairs = slots().enumerate().flat_map(|(i, a)| slots().skip(i + 1).map(move |b| (a, b)));
        pairs.fold(0.0, |most, (a, b)| most.max(measure(a, b)))
    }
}

/// The same vertices in those sets that no other set contains.
fn largest(mut sets: Vec<(Vec<u16>, Aabb)>) -> Vec<(Vec<u16>, Aabb)> {
    let is_within = |small: &[u16], large: &[u16]| small.iter().all(|slot| large.binary_search(slot).is_ok());
    sets.sort_by_key(|(slots, _)| std::cmp::Reverse(slots.len()));
    let mut kept: Vec<(Vec<u16>, Aabb)> = Vec::new();
    for (slots, bounds) in sets {
        match kept.iter_mut().find(|(large, _)| is_within(&slots, large)) {
            Some((_, all)) => *all = all.union(bounds),
            None => kept.push((slots, bounds)),
        }
    }
    kept
}

/// The same vertices in no more than [`MOST_SETS`] sets.
///
/// A set of more joints is safe for a vertex that follows only some of them.
fn fewer(sets: Vec<(Vec<u16>, Aabb)>) -> Vec<(Vec<u16>, Aabb)> {
    if sets.len() <= MOST_SETS {
        return sets;
    }
    let mut kept = if sets.len() <= MOST_COMPARED_SETS { largest(sets) } else { sets };
    kept.sort_by(|a, b| a.0.cmp(&b.0));
    let together = kept.len().div_ceil(MOST_SETS).max(1);
    let merged = kept.chunks(together).map(|some| {
        let mut slots: Vec<u16> = some.iter().flat_map(|(slots, _)| slots.iter().copied()).collect();
        slots.sort_unstable();
        slots.dedup();
        (slots, some.iter().fold(Aabb::EMPTY, |all, (_, bounds)| all.union(*bounds)))
    });
    merged.collect()
}
