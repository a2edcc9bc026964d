//! A bound on the distance between vertices moved by blended rotations and by blended matrices.

use super::{
    Aabb,
    part::{MeshBox, PosedBox, stretch_of},
};
use crate::palette::{DualQuatPalette, Palette};
use glam::Affine3A;
use std::collections::BTreeMap;

/// The maximum number of joint sets. Further sets are merged: the box gets looser, but stays fast to compute.
const MAX_SETS: usize = 256;
/// The maximum number of sets that are compared pairwise. More sets come from random weights, and none contains another.
const MAX_COMPARED_SETS: usize = 4096;
/// The maximum number of joints that are compared pairwise.
const MAX_COMPARED_JOINTS: usize = 8;

/// Vertices that follow the same joints, two or more.
///
/// # Why the margin holds
/// Let joints `j` with weights `c` (which sum to one) take a vertex to `Aⱼ`, with rotations `qⱼ` in one hemisphere, and let
/// `b = Σ c q`. Expanded, blended dual quaternions give `v' = vec Σ cⱼ Aⱼ rⱼ` with `rⱼ = qⱼ b* / |b|²`, and `Σ c r = 1`.
/// Linear blend skinning gives `X = Σ c A`. Since `Σ c (A − X) = 0`,
///
/// ```text
/// v' − X = vec Σ cⱼ (Aⱼ − X) (rⱼ − 1),   |rⱼ − 1| = |qⱼ − b| / |b|
/// |v' − X| ≤ √(Σ c |A − X|²) · √(Σ c |q − b|²) / |b|            (Cauchy–Schwarz)
///          ≤ Δ √(½ (1 − 1/n)) · √(1 − |b|²) / |b|
/// ```
///
/// where `Δ` is the largest distance between two of the `A`, and `n` their number; in three dimensions the first root is
/// at most `√⅜` (Jung). If all pairs of rotations have `qⱼ·qₖ ≥ g ≥ 0`, then `|b|² ≥ 1/n + (1 − 1/n) g`. If only the
/// strongest is in one hemisphere with each of the others, `|b| ≥ b·q ≥ 1/n + (1 − 1/n) g`. For two joints this is the
/// height of the arc over its chord, so the margin is tight.
///
/// Stretches `S` are applied first: `A` is not at `K v` but within `δ = max |Sⱼ v − Sₖ v|` of it.
///
/// Methods that rotate a vertex about a center `c` blend rotations alone, so the same holds for `u = v − c`: the result
/// differs from linear blend skinning by no more than if `A` were at `R u`, and `Δ ≤ 2 √(1 − g²) |u|`. A slerp of two
/// rotations follows the same arc with weights that differ by less than 0.05.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BlendSet {
    slots: Box<[u16]>,
    carried: MeshBox,
    reaches: Reaches,
}

/// The distance of vertices from the centers that methods rotate them about, in meters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Reaches {
    pub(super) slerp: f32,
    /// The distance from the center of rotation; zero if there are no centers.
    pub(super) cor: f32,
}

impl Reaches {
    fn max(self, other: Self) -> Self {
        Self { slerp: self.slerp.max(other.slerp), cor: self.cor.max(other.cor) }
    }
}

/// A vertex with several influences: its box at rest, and its distance from its centers.
pub(super) type Blended = (Aabb, Reaches);

/// The maximum difference between the weights of slerp and of a normalized sum at the same angle.
const SLERP_WEIGHTS: f32 = 0.05;

impl BlendSet {
    /// The joint sets that cover every vertex with several influences, given with its slots.
    pub(super) fn collect<'a>(vertices: impl Iterator<Item = (&'a [u16], Blended)>) -> Vec<Self> {
        let mut sets: BTreeMap<Vec<u16>, Blended> = BTreeMap::new();
        for (slots, blended) in vertices {
            let mut slots = slots.to_vec();
            slots.sort_unstable();
            let all = sets.entry(slots).or_default();
            *all = both(*all, blended);
        }
        let sets = fewer(sets.into_iter().collect());
        let one = |(slots, (bounds, reaches)): (Vec<u16>, Blended)| Self {
            slots: slots.into_boxed_slice(),
            carried: MeshBox::new(&bounds),
            reaches,
        };
        sets.into_iter().map(one).collect()
    }

    /// The box around the vertices after dual quaternion skinning, if each starts within `swell` meters of its bind position.
    pub(super) fn by_dual_quats(
        &self,
        palette: &Palette,
        dual_quats: &DualQuatPalette,
        swell: f32,
    ) -> PosedBox {
        let carried = self.carried.grown(swell);
        let linear = self.linear(&carried, palette);
        let spread = if self.slots.len() <= MAX_COMPARED_JOINTS {
            self.max_over_pairs(|a, b| carried.parted_by(&palette.matrices()[a], &palette.matrices()[b]))
        } else {
            linear.diagonal()
        };
        let stretched = self.max_stretch_difference(dual_quats, |a, b| carried.parted_by(a, b));
        linear.grown(stretched + (spread + 2.0 * stretched) * self.one_side(dual_quats).straying())
    }

    /// The box around the vertices after a slerp about the joints; `stretch` is the largest stretch of the palette.
    pub(super) fn by_slerp(&self, pose: Turning<'_>) -> PosedBox {
        let weights = if self.slots.len() == 2 { SLERP_WEIGHTS } else { 0.0 };
        self.by_turning(pose, self.reaches.slerp, weights)
    }

    /// The box around the vertices after a rotation about their centers of rotation.
    pub(super) fn by_cor(&self, pose: Turning<'_>) -> PosedBox {
        self.by_turning(pose, self.reaches.cor, 0.0)
    }

    fn by_turning(&self, pose: Turning<'_>, reach: f32, weights: f32) -> PosedBox {
        let reach = reach + pose.swell;
        let side = self.one_side(pose.dual_quats);
        let spread = 2.0 * (1.0 - side.min_dot * side.min_dot).max(0.0).sqrt() * reach * pose.stretch;
        let off = |a: &Affine3A, b: &Affine3A| stretch_of(&(a.matrix3 - b.matrix3));
        let stretched = self.max_stretch_difference(pose.dual_quats, off) * reach;
        let linear = self.linear(&self.carried.grown(pose.swell), pose.palette);
        linear.grown(stretched + spread * (side.straying() + weights))
    }

    fn linear(&self, carried: &MeshBox, palette: &Palette) -> PosedBox {
        let matrices = self.slots.iter().map(|&slot| &palette.matrices()[usize::from(slot)]);
        matrices.map(|matrix| carried.posed(matrix, 0.0)).fold(PosedBox::EMPTY, PosedBox::union)
    }

    fn max_stretch_difference(
        &self,
        dual_quats: &DualQuatPalette,
        off: impl Fn(&Affine3A, &Affine3A) -> f32,
    ) -> f32 {
        if !dual_quats.has_stretch() {
            return 0.0;
        }
        self.max_over_pairs(|a, b| off(&dual_quats.stretch()[a], &dual_quats.stretch()[b]))
    }

    fn one_side(&self, dual_quats: &DualQuatPalette) -> BlendSide {
        let real = |slot: u16| dual_quats.rigid()[usize::from(slot)].real;
        let first = real(self.slots[0]);
        let turned = |slot: u16| Some(real(slot)).map(|q| if q.dot(first) < 0.0 { -q } else { q });
        let mut side = BlendSide { count: self.slots.len(), min_dot: 1.0, is_one: true };
        for (i, a) in self.slots.iter().filter_map(|&slot| turned(slot)).enumerate() {
            for b in self.slots[i + 1..].iter().filter_map(|&slot| turned(slot)) {
                let dot = a.dot(b);
                side.min_dot = side.min_dot.min(dot.abs());
                // At a right angle, rounding decides the hemisphere.
                side.is_one &= dot > 1e-4;
            }
        }
        side
    }

    /// The maximum of `measure` over all pairs of slots.
    fn max_over_pairs(&self, measure: impl Fn(usize, usize) -> f32) -> f32 {
        let slots = || self.slots.iter().map(|&slot| usize::from(slot));
        let pairs = slots().enumerate().flat_map(|(i, a)| slots().skip(i + 1).map(move |b| (a, b)));
        pairs.fold(0.0, |most, (a, b)| most.max(measure(a, b)))
    }
}

/// A pose in the forms that rotation about centers needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning<'a> {
    pub(super) palette: &'a Palette,
    pub(super) dual_quats: &'a DualQuatPalette,
    /// The maximum factor by which the palette lengthens a vector.
    pub(super) stretch: f32,
    /// The maximum displacement of a vertex by muscles, in meters.
    pub(super) swell: f32,
}

/// The spread of a set of rotations.
#[derive(Clone, Copy, Debug)]
struct BlendSide {
    count: usize,
    /// The minimum absolute dot product of any two.
    min_dot: f32,
    /// True if signs exist that put all of them in one hemisphere.
    is_one: bool,
}

impl BlendSide {
    /// The factor from the largest distance between two images of a vertex to the margin.
    fn straying(&self) -> f32 {
        let mean_weight = 1.0 / self.count as f32;
        let mean = mean_weight + (1.0 - mean_weight) * self.min_dot.min(1.0);
        // A lower bound of `|b|²`; the signs of a pair can always be chosen to agree.
        let norm_squared = if self.is_one || self.count == 2 { mean } else { mean * mean };
        let places = (0.5 * (1.0 - mean_weight)).min(0.375).sqrt();
        places * ((1.0 - norm_squared) / norm_squared).sqrt()
    }
}

fn both(a: Blended, b: Blended) -> Blended {
    (a.0.union(b.0), a.1.max(b.1))
}

/// The same vertices in the sets that no other set contains.
fn largest(mut sets: Vec<(Vec<u16>, Blended)>) -> Vec<(Vec<u16>, Blended)> {
    let is_within = |small: &[u16], large: &[u16]| small.iter().all(|slot| large.binary_search(slot).is_ok());
    sets.sort_by_key(|(slots, _)| std::cmp::Reverse(slots.len()));
    let mut kept: Vec<(Vec<u16>, Blended)> = Vec::new();
    for (slots, blended) in sets {
        match kept.iter_mut().find(|(large, _)| is_within(&slots, large)) {
            Some((_, all)) => *all = both(*all, blended),
            None => kept.push((slots, blended)),
        }
    }
    kept
}

/// The same vertices in no more than [`MAX_SETS`] sets.
///
/// A larger set is conservative for a vertex that follows only some of its joints.
fn fewer(sets: Vec<(Vec<u16>, Blended)>) -> Vec<(Vec<u16>, Blended)> {
    if sets.len() <= MAX_SETS {
        return sets;
    }
    let mut kept = if sets.len() <= MAX_COMPARED_SETS { largest(sets) } else { sets };
    kept.sort_by(|a, b| a.0.cmp(&b.0));
    let together = kept.len().div_ceil(MAX_SETS).max(1);
    let merged = kept.chunks(together).map(|some| {
        let mut slots: Vec<u16> = some.iter().flat_map(|(slots, _)| slots.iter().copied()).collect();
        slots.sort_unstable();
        slots.dedup();
        (slots, some.iter().fold(Blended::default(), |all, (_, blended)| both(all, *blended)))
    });
    merged.collect()
}
