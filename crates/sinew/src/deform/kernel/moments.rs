//! The driver of methods that sum moments over the joints of a vertex: delta mush and direct delta mush.
//!
//! Their vertices follow more joints than those of other methods, with ten numbers and more for each. They take the blocks
//! of the skin, but their joints by [`MomentRows`], row by row.
//!
//! Loops go over indices; [`stage`](super::stage) gives the reason.
#![allow(clippy::needless_range_loop, reason = "see above")]

use super::{
    cor::{COR, COR_STRETCH},
    linear::MATRIX,
    sink::{Either, Sink},
    span::{BlockRange, KernelInput, OutputStreams, RestSurface, runs_of},
    stage::stride,
    vector::{F, V3, load, parts, splat},
};
use crate::deform::blocks::{BlockRows, Lanes, MAX_GATHERED, MomentRows, Span, WIDTH};
use fearless_simd::{Simd, SimdFloat};
use glam::Quat;

/// A method that sums moments.
pub(super) trait MomentKernel {
    fn rows(&self) -> &MomentRows;

    /// Transforms one register of vertices of `block`.
    fn move_vertices<S: Simd, O: Sink, const GATHERED: bool, const STRETCHED: bool>(
        &self,
        joints: JointRows<'_, GATHERED>,
        block: usize,
        rest: RestSurface<'_, S>,
        wanted: OutputStreams,
        out: &mut O,
    );
}

/// The joints and numbers of a block, by row.
#[derive(Clone, Copy)]
pub(super) struct JointRows<'a, const GATHERED: bool> {
    pub(super) rows: BlockRows<'a>,
    /// Palette entries, or those of each vertex and row if they are gathered.
    joints: &'a [Lanes],
    /// The number of [`Lanes`] per entry.
    entry: usize,
    pub(super) stride: usize,
    /// All palette entries, and the number of [`Lanes`] of each.
    palette: (&'a [Lanes], usize),
}

/// One row: a joint for each vertex, and its numbers.
#[derive(Clone, Copy)]
pub(super) struct JointRow<'a, const GATHERED: bool> {
    joint: &'a [Lanes],
    numbers: &'a [Lanes],
}

impl<'a, const GATHERED: bool> JointRows<'a, GATHERED> {
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.rows.slots.len()
    }

    /// The rotation of the joint at `slot`.
    pub(super) fn rotation_at(&self, slot: u16) -> Quat {
        let (palette, entry) = self.palette;
        let [.., x, y, z, w] = palette[usize::from(slot) * entry].0;
        Quat::from_xyzw(x, y, z, w)
    }

    #[inline(always)]
    pub(super) fn row(&self, nth: usize) -> JointRow<'a, GATHERED> {
        let entry = if GATHERED { nth } else { usize::from(self.rows.slots[nth][0]) };
        JointRow {
            joint: &self.joints[entry * self.entry..][..self.entry],
            numbers: &self.rows.numbers[nth * self.stride..][..self.stride],
        }
    }
}

impl<const GATHERED: bool> JointRow<'_, GATHERED> {
    /// Float `n` of the palette entries.
    #[inline(always)]
    pub(super) fn joint<S: Simd>(&self, simd: S, n: usize, part: usize) -> F<S> {
        if GATHERED {
            load(simd, &self.joint[n], part)
        } else {
            splat(simd, self.joint[n / WIDTH].0[n % WIDTH])
        }
    }

    /// Number `n` of the influence.
    #[inline(always)]
    pub(super) fn number<S: Simd>(&self, simd: S, n: usize, part: usize) -> F<S> {
        load(simd, &self.numbers[n], part)
    }

    /// Three numbers of the influence, from `n` on.
    #[inline(always)]
    pub(super) fn vector<S: Simd>(&self, simd: S, n: usize, part: usize) -> V3<S> {
        [self.number(simd, n, part), self.number(simd, n + 1, part), self.number(simd, n + 2, part)]
    }

    /// Row `r` of the linear part of the matrices, and of what the matrices make of `pivot`.
    #[inline(always)]
    pub(super) fn matrix_row<S: Simd>(&self, simd: S, r: usize, pivot: V3<S>, part: usize) -> (V3<S>, F<S>) {
        let from = 4 * r;
        let linear = [
            self.joint(simd, from, part),
            self.joint(simd, from + 1, part),
            self.joint(simd, from + 2, part),
        ];
        let moved = linear[0].mul_add(
            pivot[0],
            linear[1].mul_add(pivot[1], linear[2].mul_add(pivot[2], self.joint(simd, from + 3, part))),
        );
        (linear, moved)
    }

    /// The rotation xyzw of the joints.
    #[inline(always)]
    pub(super) fn rotation<S: Simd>(&self, simd: S, part: usize) -> [F<S>; 4] {
        [
            self.joint(simd, MATRIX, part),
            self.joint(simd, MATRIX + 1, part),
            self.joint(simd, MATRIX + 2, part),
            self.joint(simd, MATRIX + 3, part),
        ]
    }
}

/// The stretch of each vertex, row by row: that of its joints, weighted by number `weight` of each influence.
#[inline(always)]
pub(super) fn blended_stretch<S: Simd, const GATHERED: bool>(
    simd: S,
    joints: JointRows<'_, GATHERED>,
    weight: usize,
    part: usize,
) -> [F<S>; 9] {
    let mut sum = [splat(simd, 0.0); 9];
    for nth in 0..joints.count() {
        let row = joints.row(nth);
        let weight = row.number(simd, weight, part);
        for n in 0..9 {
            sum[n] = weight.mul_add(row.joint(simd, COR + n, part), sum[n]);
        }
    }
    sum
}

/// Computes `spans` into `out`, which starts at the first span.
#[inline(always)]
pub(super) fn run<S: Simd, K: MomentKernel, const STRETCHED: bool>(
    simd: S,
    kernel: &K,
    input: KernelInput<'_>,
    spans: &[Span],
    mut out: Either<'_>,
) {
    let entry = stride(if STRETCHED { COR_STRETCH } else { COR });
    let (palette, mut staged) = ((input.joints, entry), None);
    for block in runs_of(input, spans).iter().flat_map(|run| run.blocks.clone()) {
        let rows = kernel.rows().block(block);
        let stride = kernel.rows().stride();
        if rows.is_shared {
            let joints = JointRows::<false> { rows, joints: input.joints, entry, stride, palette };
            run_block::<S, K, false, STRETCHED>(simd, kernel, joints, input, block, &mut out);
        } else {
            let staged = staged.get_or_insert_with(GatheredJoints::new);
            let count = if STRETCHED { COR_STRETCH } else { COR };
            gather(rows, input.joints, entry, count, &mut staged.0);
            let joints = JointRows::<true> { rows, joints: &staged.0, entry: count, stride, palette };
            run_block::<S, K, true, STRETCHED>(simd, kernel, joints, input, block, &mut out);
        }
    }
}

/// The palette entries of a block whose vertices do not share joints. Few skins have such blocks, so it is cleared only for
/// them.
struct GatheredJoints([Lanes; MAX_GATHERED * COR_STRETCH]);

impl GatheredJoints {
    fn new() -> Self {
        Self([Lanes([0.0; WIDTH]); MAX_GATHERED * COR_STRETCH])
    }
}

/// Writes `count` floats of the joint of each vertex and row into `staged`.
#[inline(never)]
fn gather(rows: BlockRows<'_>, joints: &[Lanes], entry: usize, count: usize, staged: &mut [Lanes]) {
    for (slots, staged) in rows.slots.iter().zip(staged.chunks_exact_mut(count)) {
        for (lane, &slot) in slots.iter().enumerate() {
            let numbers = joints[usize::from(slot) * entry..][..entry].iter().flat_map(|lanes| &lanes.0);
            staged.iter_mut().zip(numbers).for_each(|(staged, number)| staged.0[lane] = *number);
        }
    }
}

fn run_block<S: Simd, K: MomentKernel, const GATHERED: bool, const STRETCHED: bool>(
    simd: S,
    kernel: &K,
    joints: JointRows<'_, GATHERED>,
    input: KernelInput<'_>,
    block: usize,
    out: &mut Either<'_>,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let blocks = BlockRange::of(input, block..block + 1, input.streams, false, false);
            for part in 0..parts::<S>() {
                let rest = blocks.rest(simd, 0, part);
                kernel.move_vertices::<S, _, GATHERED, STRETCHED>(joints, block, rest, input.streams, out);
            }
        },
    );
}
