//! The numbers of joints, blended for as many vertices as a register holds.
//!
//! Loops here go over indices on purpose: an iterator that the compiler chooses not to inline would be compiled without
//! the level's instructions, and was measured to cost half the speed.
#![allow(clippy::needless_range_loop, reason = "see above")]

use super::{
    interleave::transpose,
    span::{Input, Kernel},
    vector::{F, load, splat},
};
use crate::deform::blocks::{LONGEST_LIST, Lanes, WIDTH};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat};

/// How many [`Lanes`] the `N` numbers of a joint take.
pub(super) const fn stride(numbers: usize) -> usize {
    numbers.div_ceil(WIDTH)
}

/// The joints of a pose, and room for those of one run.
pub(super) struct Joints<'a, const N: usize> {
    all: &'a [Lanes],
    others: [[f32; N]; LONGEST_LIST],
}

/// The joints of one run's list: the first, and the others or what they differ from it.
#[derive(Clone, Copy)]
pub(super) struct List<'a, const N: usize> {
    first: [f32; N],
    others: &'a [[f32; N]],
}

impl<'a, const N: usize> Joints<'a, N> {
    #[inline(always)]
    pub(super) fn new(all: &'a [Lanes]) -> Self {
        Self { all, others: [[0.0; N]; LONGEST_LIST] }
    }

    /// The numbers of the joint at `slot`.
    #[inline(always)]
    fn numbers(&self, slot: u16) -> [f32; N] {
        let lanes = &self.all[usize::from(slot) * stride(N)..][..stride(N)];
        let mut numbers = [0.0; N];
        for n in 0..N {
            numbers[n] = lanes[n / WIDTH].0[n % WIDTH];
        }
        numbers
    }

    /// The numbers of the joint at `slot` in every lane.
    #[inline(always)]
    pub(super) fn one<S: Simd>(&self, simd: S, slot: u16) -> [F<S>; N] {
        splat_all(simd, &self.numbers(slot))
    }

    /// The joints of `list`, the others as differences from the first where asked for.
    #[inline(always)]
    pub(super) fn split(&mut self, list: &[u16], as_differences: bool) -> List<'_, N> {
        let first = self.numbers(list[0]);
        let others = list.len() - 1;
        for nth in 0..others {
            let numbers = self.numbers(list[nth + 1]);
            let other = &mut self.others[nth];
            for n in 0..N {
                other[n] = if as_differences { numbers[n] - first[n] } else { numbers[n] };
            }
        }
        List { first, others: &self.others[..others] }
    }
}

#[inline(always)]
fn splat_all<S: Simd, const N: usize>(simd: S, numbers: &[f32; N]) -> [F<S>; N] {
    let mut out = [splat(simd, 0.0); N];
    for n in 0..N {
        out[n] = splat(simd, numbers[n]);
    }
    out
}

/// `first + Σ weight · difference`, for at least one difference.
#[inline(always)]
pub(super) fn blend_shared<S: Simd, const N: usize>(
    simd: S,
    list: List<'_, N>,
    weights: &[Lanes],
    part: usize,
) -> [F<S>; N] {
    let weights = &weights[..list.others.len()];
    // The first difference stands before the loop: the sums then need not be set first, 10 % at AVX2.
    let weight = load(simd, &weights[0], part);
    let mut blended = [weight; N];
    for n in 0..N {
        blended[n] = weight.mul_add(splat(simd, list.others[0][n]), splat(simd, list.first[n]));
    }
    for nth in 1..list.others.len() {
        let weight = load(simd, &weights[nth], part);
        for n in 0..N {
            blended[n] = weight.mul_add(splat(simd, list.others[nth][n]), blended[n]);
        }
    }
    blended
}

/// The joint of the list whose place `pivots` names.
#[inline(always)]
pub(super) fn pick_strongest<S: Simd, const N: usize>(
    simd: S,
    list: List<'_, N>,
    pivots: &Lanes,
    part: usize,
) -> [F<S>; N] {
    let pivot = load(simd, pivots, part);
    let mut picked = splat_all(simd, &list.first);
    for nth in 0..list.others.len() {
        let is_this = pivot.simd_eq(splat(simd, (nth + 1) as f32));
        for n in 0..N {
            picked[n] = is_this.select(splat(simd, list.others[nth][n]), picked[n]);
        }
    }
    picked
}

/// Blends every vertex by itself, its numbers side by side in a register, then turns vertices into lanes.
#[inline(always)]
pub(super) fn blend_single<S: Simd, K: Kernel<N>, const N: usize>(
    simd: S,
    input: Input<'_>,
    first: usize,
    influences: usize,
) -> [F<S>; N] {
    let width = F::<S>::LEN;
    let mut blended = [splat(simd, 0.0); N];
    let mut from = 0;
    while from < N {
        let mut rows = [splat(simd, 0.0); WIDTH];
        for vertex in 0..width {
            let at = first + vertex * influences;
            let slots = &input.runs.single_slots[at..at + influences];
            let weights = &input.runs.single_weights[at..at + influences];
            rows[vertex] = blend_vertex::<S, K, N>(simd, input.joints, slots, weights, from);
        }
        transpose::<S>(&mut rows);
        for n in 0..width.min(N - from) {
            blended[from + n] = rows[n];
        }
        from += width;
    }
    blended
}

/// The numbers from `from` on of one vertex.
#[inline(always)]
fn blend_vertex<S: Simd, K: Kernel<N>, const N: usize>(
    simd: S,
    joints: &[Lanes],
    slots: &[u16],
    weights: &[f32],
    from: usize,
) -> F<S> {
    let part = from % WIDTH / F::<S>::LEN;
    let numbers = load(simd, &joints[usize::from(slots[0]) * stride(N) + from / WIDTH], part);
    if K::STRONGEST {
        return numbers;
    }
    let mut sum = numbers * splat(simd, weights[0]);
    for nth in 1..slots.len() {
        let numbers = load(simd, &joints[usize::from(slots[nth]) * stride(N) + from / WIDTH], part);
        sum = numbers.mul_add(splat(simd, weights[nth]), sum);
    }
    sum
}
