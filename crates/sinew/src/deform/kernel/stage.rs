//! Blends palette entries for one register of vertices at a time, in registers or into a stage.
//!
//! Loops here go over indices on purpose: an iterator that the compiler does not inline is compiled without the
//! instructions of the SIMD level, which halves the speed (measured).
#![allow(clippy::needless_range_loop, reason = "see above")]

use super::{
    span::{Kernel, KernelInput},
    vector::{F, load, parts, splat},
};
use crate::deform::{
    blocks::{LONGEST_LIST, Lanes, WIDTH},
    methods::rotation::FOLLOWED_PART,
};
use fearless_simd::{Select, Simd, SimdBase, SimdFloat, f32x4};

/// The number of [`Lanes`] that the `N` floats of a joint take.
pub(super) const fn stride(numbers: usize) -> usize {
    numbers.div_ceil(WIDTH)
}

/// The joints of a pose, and memory for those of one run.
pub(super) struct StagedJoints<'a, const N: usize> {
    all: &'a [Lanes],
    first: [f32; N],
    others: [[f32; N]; LONGEST_LIST],
}

/// The joints of one run's list.
#[derive(Clone, Copy)]
pub(super) struct List<'a, const N: usize> {
    /// Borrowed, because a load from memory broadcasts for free, while a value in a register needs shuffles.
    first: &'a [f32; N],
    pub(super) others: &'a [[f32; N]],
    /// True if `others` holds differences from the first joint, false if it holds the joints themselves.
    are_differences: bool,
    /// True if quaternions keep the signs that they have.
    followed: bool,
}

impl<'a, const N: usize> StagedJoints<'a, N> {
    #[inline(always)]
    pub(super) fn new(all: &'a [Lanes]) -> Self {
        Self { all, first: [0.0; N], others: [[0.0; N]; LONGEST_LIST] }
    }

    /// The joints of `list`, as differences from the first if they can be blended that way.
    ///
    /// Quaternions are moved to the hemisphere of the list's first. That is correct for every vertex, whichever joint is its
    /// strongest, as long as all pairs agree: the signs then differ by a common factor only, which has no effect. If two
    /// quaternions disagree, each vertex must choose the signs itself. Quaternions that are followed in time keep their signs.
    #[inline(always)]
    pub(super) fn split<S: Simd, K: Kernel<N>>(
        &mut self,
        simd: S,
        list: &[u16],
        strongest: bool,
        followed: bool,
    ) -> List<'_, N> {
        let first = numbers(self.all, list[0]);
        let others = list.len() - 1;
        let mut are_differences = !strongest;
        for nth in 0..others {
            self.others[nth] = numbers(self.all, list[nth + 1]);
        }
        if K::TURNED.start < K::TURNED.end {
            for nth in 0..others {
                let sign = side_of::<K, N>(&first, &self.others[nth]);
                are_differences &= !followed || sign > 0.0;
                for n in K::TURNED {
                    self.others[nth][n] *= if followed { 1.0 } else { sign };
                }
                for before in 0..nth {
                    are_differences &= side_of::<K, N>(&self.others[before], &self.others[nth]) > 0.0;
                }
            }
        }
        if are_differences {
            for nth in 0..others {
                subtract(simd, &mut self.others[nth], &first);
            }
        }
        self.first = first;
        List { first: &self.first, others: &self.others[..others], are_differences, followed }
    }
}

/// The floats of the joint at `slot`, as an array.
#[inline(always)]
pub(super) fn numbers<const N: usize>(joints: &[Lanes], slot: u16) -> [f32; N] {
    let lanes = joint::<N>(joints, slot);
    let mut numbers = [0.0; N];
    for n in 0..N {
        numbers[n] = lanes[n / WIDTH].0[n % WIDTH];
    }
    numbers
}

/// `from − what`, four floats at a time. Without this, the compiler vectorizes across joints and scatters.
#[inline(always)]
fn subtract<S: Simd, const N: usize>(simd: S, from: &mut [f32; N], what: &[f32; N]) {
    let mut n = 0;
    while n + 4 <= N {
        let four = f32x4::from_slice(simd, &from[n..n + 4]) - f32x4::from_slice(simd, &what[n..n + 4]);
        four.store_slice(&mut from[n..n + 4]);
        n += 4;
    }
    while n < N {
        from[n] -= what[n];
        n += 1;
    }
}

/// `−1` if the quaternions of two joints are in opposite hemispheres, else `1`.
#[inline(always)]
fn side_of<K: Kernel<N>, const N: usize>(a: &[f32; N], b: &[f32; N]) -> f32 {
    let q = K::TURNED.start;
    let product = a[q] * b[q] + a[q + 1] * b[q + 1] + a[q + 2] * b[q + 2] + a[q + 3] * b[q + 3];
    if product < 0.0 { -1.0 } else { 1.0 }
}

#[inline(always)]
pub(super) fn splat_all<S: Simd, const N: usize>(simd: S, numbers: &[f32; N]) -> [F<S>; N] {
    let mut out = [splat(simd, 0.0); N];
    for n in 0..N {
        out[n] = splat(simd, numbers[n]);
    }
    out
}

/// `first + Σ weight · difference` for a list with at least one difference.
#[inline(always)]
fn blend_shared<S: Simd, K: Kernel<N>, const N: usize>(
    simd: S,
    list: List<'_, N>,
    weights: &[Lanes],
    part: usize,
) -> [F<S>; N] {
    let weights = &weights[..list.others.len()];
    // The first difference is handled before the loop, so the sums need no initialization: 20 % faster at AVX2.
    let weight = load(simd, &weights[0], part);
    let mut blended = [weight; N];
    for n in 0..K::BLENDED {
        blended[n] = weight.mul_add(splat(simd, list.others[0][n]), splat(simd, list.first[n]));
    }
    for nth in 1..list.others.len() {
        let weight = load(simd, &weights[nth], part);
        for n in 0..K::BLENDED {
            blended[n] = weight.mul_add(splat(simd, list.others[nth][n]), blended[n]);
        }
    }
    blended
}

/// For each vertex, the joint of the list at the index in `pivots`.
#[inline(always)]
fn pick_strongest<S: Simd, const N: usize>(
    simd: S,
    list: List<'_, N>,
    pivots: &Lanes,
    part: usize,
) -> [F<S>; N] {
    let pivot = load(simd, pivots, part);
    let mut picked = splat_all(simd, list.first);
    for nth in 0..list.others.len() {
        let is_this = pivot.simd_eq(splat(simd, (nth + 1) as f32));
        for n in 0..N {
            picked[n] = is_this.select(splat(simd, list.others[nth][n]), picked[n]);
        }
    }
    picked
}

/// [`blend_shared`] with the quaternions of each vertex moved to the hemisphere of its strongest joint. Where all joints of
/// a list agree, both give the same bits.
#[inline(always)]
fn blend_turned<S: Simd, K: Kernel<N>, const N: usize>(
    simd: S,
    list: List<'_, N>,
    weights: &[Lanes],
    pivots: &Lanes,
    part: usize,
) -> [F<S>; N] {
    let pivot = pick_strongest(simd, list, pivots, part);
    let signed = |joint: &[f32; N]| match list.followed {
        true => splat_all(simd, joint),
        false => turned::<S, K, N>(simd, joint, &pivot),
    };
    let first = signed(list.first);
    let mut sum = first;
    for nth in 0..list.others.len() {
        let weight = load(simd, &weights[nth], part);
        let joint = signed(&list.others[nth]);
        for n in 0..K::BLENDED {
            sum[n] = weight.mul_add(joint[n] - first[n], sum[n]);
        }
    }
    if list.followed {
        let part = followed_part::<S, K, N>(simd, &sum);
        for n in K::TURNED {
            sum[n] = part.mul_add(pivot[n], sum[n]);
        }
    }
    sum
}

/// The part of the strongest joint's quaternions that a sum of followed ones gets; the reference has the reason.
#[inline(always)]
fn followed_part<S: Simd, K: Kernel<N>, const N: usize>(simd: S, sum: &[F<S>; N]) -> F<S> {
    let mut squared = splat(simd, 0.0);
    for n in K::TURNED.start..K::TURNED.start + 4 {
        squared = sum[n].mul_add(sum[n], squared);
    }
    let [limit, factor] = FOLLOWED_PART;
    (splat::<S>(simd, limit) - squared).max(splat(simd, 0.0)) * splat::<S>(simd, factor)
}

/// A joint with its quaternions in the hemisphere of `pivot`.
#[inline(always)]
fn turned<S: Simd, K: Kernel<N>, const N: usize>(simd: S, joint: &[f32; N], pivot: &[F<S>; N]) -> [F<S>; N] {
    let mut product = splat(simd, 0.0);
    for n in K::TURNED.start..K::TURNED.start + 4 {
        product = pivot[n].mul_add(splat(simd, joint[n]), product);
    }
    let is_away = product.simd_lt(splat(simd, 0.0));
    let mut out = splat_all(simd, joint);
    for n in K::TURNED {
        out[n] = is_away.select(-out[n], out[n]);
    }
    out
}

/// The number of blocks in the stage: few enough to stay in the L1 cache.
pub(super) const STAGED: usize = 4;

/// The blended palette entries of a few blocks.
pub(super) struct StagedPalette<const N: usize> {
    numbers: [[Lanes; N]; STAGED],
}

impl<const N: usize> StagedPalette<N> {
    pub(super) fn new() -> Self {
        Self { numbers: [[Lanes([0.0; WIDTH]); N]; STAGED] }
    }

    #[inline(always)]
    fn store<S: Simd, K: Kernel<N>>(&mut self, block: usize, part: usize, blended: &[F<S>; N]) {
        let width = F::<S>::LEN;
        let numbers = &mut self.numbers[block];
        for n in 0..K::BLENDED {
            blended[n].store_slice(&mut numbers[n].0[part * width..part * width + width]);
        }
    }

    /// Replaces float `n` of one register of vertices.
    #[inline(always)]
    pub(super) fn put<S: Simd>(&mut self, block: usize, part: usize, n: usize, numbers: F<S>) {
        let width = F::<S>::LEN;
        numbers.store_slice(&mut self.numbers[block][n].0[part * width..part * width + width]);
    }

    /// Replaces float `n` of one vertex.
    #[inline(always)]
    pub(super) fn put_lane(&mut self, block: usize, lane: usize, n: usize, number: f32) {
        self.numbers[block][n].0[lane] = number;
    }

    /// The blended floats of one register of vertices.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, block: usize, part: usize) -> [F<S>; N] {
        let mut blended = [splat(simd, 0.0); N];
        for n in 0..N {
            blended[n] = load(simd, &self.numbers[block][n], part);
        }
        blended
    }
}

/// Blends `count` blocks that share a joint list.
pub(super) fn stage_shared<S: Simd, K: Kernel<N>, const N: usize>(
    simd: S,
    stage: &mut StagedPalette<N>,
    count: usize,
    list: List<'_, N>,
    weights: &[Lanes],
    pivots: &[Lanes],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let others = list.others.len();
            for nth in 0..count {
                let weights = &weights[nth * others..][..others];
                for part in 0..parts::<S>() {
                    let blended = if list.are_differences {
                        blend_shared::<S, K, N>(simd, list, weights, part)
                    } else if K::TURNED.start < K::TURNED.end {
                        blend_turned::<S, K, N>(simd, list, weights, &pivots[nth], part)
                    } else {
                        pick_strongest(simd, list, &pivots[nth], part)
                    };
                    stage.store::<S, K>(nth, part, &blended);
                }
            }
        },
    );
}

/// Blends `count` blocks vertex by vertex.
pub(super) fn stage_single<S: Simd, K: Kernel<N>, const N: usize>(
    simd: S,
    stage: &mut StagedPalette<N>,
    count: usize,
    input: KernelInput<'_>,
    first: usize,
    influences: usize,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let room = count * WIDTH * influences;
            let slots = &input.runs.single_slots[first..first + room];
            let weights = &input.runs.single_weights[first..first + room];
            for nth in 0..count {
                let mut four = 0;
                while four < WIDTH {
                    let from = (nth * WIDTH + four) * influences;
                    let room = FOUR * influences;
                    let (slots, weights) = (&slots[from..from + room], &weights[from..from + room]);
                    let blended = blend_four::<S, K, N>(simd, input, slots, weights, influences);
                    store_four(&mut stage.numbers[nth], four, blended);
                    four += FOUR;
                }
            }
        },
    );
}

/// The number of individually blended vertices that are transposed into lanes at a time, and of floats per step.
const FOUR: usize = 4;
/// The maximum number of groups of four floats in a joint.
const MAX_FOURS: usize = 9;

/// Blended floats by group of four and vertex.
type Fours<S> = [[f32x4<S>; FOUR]; MAX_FOURS];

/// Blends four vertices individually.
///
/// Four floats at a time at every SIMD level: wider registers would load faster, but transposing them into lanes costs
/// three times what that saves (measured).
#[inline(always)]
fn blend_four<S: Simd, K: Kernel<N>, const N: usize>(
    simd: S,
    input: KernelInput<'_>,
    slots: &[u16],
    weights: &[f32],
    influences: usize,
) -> Fours<S> {
    let mut sums = [[f32x4::splat(simd, 0.0); FOUR]; MAX_FOURS];
    for vertex in 0..FOUR {
        let from = vertex * influences;
        let (slots, weights) = (&slots[from..from + influences], &weights[from..from + influences]);
        let pivot = joint::<N>(input.joints, slots[0]);
        let own = f32x4::splat(simd, if input.strongest { 1.0 } else { weights[0] });
        for four in 0..N.div_ceil(FOUR) {
            sums[four][vertex] = numbers_of(simd, pivot, four) * own;
        }
        if input.strongest {
            continue;
        }
        for nth in 1..influences {
            let joint = joint::<N>(input.joints, slots[nth]);
            let weight = f32x4::splat(simd, weights[nth]);
            let is_signed = K::TURNED.start < K::TURNED.end && !input.followed;
            let turned = if is_signed && points_away::<K, N>(pivot, joint) {
                f32x4::splat(simd, -weights[nth])
            } else {
                weight
            };
            for four in 0..N.div_ceil(FOUR) {
                let is_turned = four * FOUR >= K::TURNED.start && four * FOUR < K::TURNED.end;
                let weight = if is_turned { turned } else { weight };
                sums[four][vertex] = numbers_of(simd, joint, four).mul_add(weight, sums[four][vertex]);
            }
        }
        if K::TURNED.start < K::TURNED.end && input.followed {
            let mut real = [0.0; FOUR];
            sums[K::TURNED.start / FOUR][vertex].store_slice(&mut real);
            let squared = real.iter().map(|n| n * n).sum::<f32>();
            let part = f32x4::splat(simd, (FOLLOWED_PART[0] - squared).max(0.0) * FOLLOWED_PART[1]);
            for four in K::TURNED.start / FOUR..K::TURNED.end / FOUR {
                sums[four][vertex] = numbers_of(simd, pivot, four).mul_add(part, sums[four][vertex]);
            }
        }
    }
    sums
}

/// Transposes four vertices into lanes, starting at lane `from`.
#[inline(always)]
fn store_four<S: Simd, const N: usize>(to: &mut [Lanes; N], from: usize, blended: Fours<S>) {
    for four in 0..N.div_ceil(FOUR) {
        let [a, b, c, d] = blended[four];
        let (ac, bd) = (a.zip_low(c), b.zip_low(d));
        let (ac_high, bd_high) = (a.zip_high(c), b.zip_high(d));
        let turned = [ac.zip_low(bd), ac.zip_high(bd), ac_high.zip_low(bd_high), ac_high.zip_high(bd_high)];
        for n in 0..FOUR {
            // The last group of a joint may have fewer than four floats.
            if four * FOUR + n < N {
                turned[n].store_slice(&mut to[four * FOUR + n].0[from..from + FOUR]);
            }
        }
    }
}

/// True if the quaternions of two joints are in opposite hemispheres.
#[inline(always)]
fn points_away<K: Kernel<N>, const N: usize>(a: &[Lanes], b: &[Lanes]) -> bool {
    let q = K::TURNED.start;
    let (a, b) = (&a[q / WIDTH].0[q % WIDTH..][..4], &b[q / WIDTH].0[q % WIDTH..][..4]);
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0
}

/// The lanes of the joint at `slot`.
#[inline(always)]
pub(super) fn joint<const N: usize>(joints: &[Lanes], slot: u16) -> &[Lanes] {
    &joints[usize::from(slot) * stride(N)..][..stride(N)]
}

/// Group `four` of a joint's floats.
#[inline(always)]
fn numbers_of<S: Simd>(simd: S, joint: &[Lanes], four: usize) -> f32x4<S> {
    let from = four * FOUR % WIDTH;
    f32x4::from_slice(simd, &joint[four * FOUR / WIDTH].0[from..from + FOUR])
}
