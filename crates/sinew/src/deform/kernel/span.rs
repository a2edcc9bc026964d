//! The loop over the runs and blocks of a span, the same for every method.

use super::{
    blend::{Joints, blend_shared, blend_single, pick_strongest},
    sink::{Place, Sink},
    tame::{self, Tameness},
    vector::{F, V3, load, load3, parts},
};
use crate::deform::blocks::{Blend, Lanes, PackedSurface, Run, Runs, Span, WIDTH};
use fearless_simd::{Simd, SimdBase};

/// What kernels read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input<'a> {
    pub(super) runs: &'a Runs,
    pub(super) surface: &'a PackedSurface,
    pub(super) centers: &'a [[Lanes; 3]],
    /// The numbers of each joint, as many [`Lanes`] as its method needs.
    pub(super) joints: &'a [Lanes],
    /// How each joint's matrix treats lengths.
    pub(super) tame: &'a [Tameness],
}

/// A way to move vertices by `N` numbers that are blended from joints.
pub(super) trait Kernel<const N: usize> {
    /// True where a vertex follows its strongest joint alone.
    const STRONGEST: bool = false;
    /// True where the kernel reads centres of rotation.
    const CENTERS: bool = false;

    /// What can be known before vertices are, where one joint moves them all.
    type Fixed<S: Simd>: Copy;

    fn fix<S: Simd, const TAME: bool>(simd: S, blended: &[F<S>; N]) -> Self::Fixed<S>;

    /// Moves one register of vertices that follow one joint.
    fn move_fixed<S: Simd, O: Sink, const NORMALS: bool, const TANGENTS: bool, const TAME: bool>(
        fixed: &Self::Fixed<S>,
        rest: Rest<'_, S>,
        out: &mut O,
    );

    /// Moves one register of vertices by the numbers blended for each.
    fn move_blended<S: Simd, O: Sink, const NORMALS: bool, const TANGENTS: bool, const TAME: bool>(
        blended: &[F<S>; N],
        rest: Rest<'_, S>,
        out: &mut O,
    );
}

/// One register of vertices before deformation, loaded when asked for.
#[derive(Clone, Copy)]
pub(super) struct Rest<'a, S: Simd> {
    pub(super) simd: S,
    blocks: Blocks<'a>,
    nth: usize,
    pub(super) place: Place,
}

impl<S: Simd> Rest<'_, S> {
    #[inline(always)]
    pub(super) fn position(&self) -> V3<S> {
        load3(self.simd, &self.blocks.positions[self.nth], self.place.part)
    }

    #[inline(always)]
    pub(super) fn normal(&self) -> V3<S> {
        load3(self.simd, &self.blocks.normals[self.nth], self.place.part)
    }

    #[inline(always)]
    pub(super) fn tangent(&self) -> (V3<S>, F<S>) {
        let [x, y, z, w] = &self.blocks.tangents[self.nth];
        let part = self.place.part;
        let direction = [load(self.simd, x, part), load(self.simd, y, part), load(self.simd, z, part)];
        (direction, load(self.simd, w, part))
    }

    #[inline(always)]
    pub(super) fn center(&self) -> V3<S> {
        load3(self.simd, &self.blocks.centers[self.nth], self.place.part)
    }
}

/// The streams of a run's blocks, all of one length but for those that are not read.
#[derive(Clone, Copy)]
struct Blocks<'a> {
    outputs: &'a [u32],
    positions: &'a [[Lanes; 3]],
    normals: &'a [[Lanes; 3]],
    tangents: &'a [[Lanes; 4]],
    centers: &'a [[Lanes; 3]],
}

impl<'a> Blocks<'a> {
    #[inline(always)]
    fn of<const NORMALS: bool, const TANGENTS: bool, const CENTERS: bool>(input: Input<'a>, run: &Run) -> Self {
        let outputs = &input.runs.output_block[run.blocks.clone()];
        let (from, count) = (run.blocks.start, outputs.len());
        // Cut to one length here, so that the loop over blocks needs no checks.
        Self {
            outputs,
            positions: &input.surface.positions[from..][..count],
            normals: if NORMALS { &input.surface.normals[from..][..count] } else { &[] },
            tangents: if TANGENTS { &input.surface.tangents[from..][..count] } else { &[] },
            centers: if CENTERS { &input.centers[from..][..count] } else { &[] },
        }
    }

    /// Register `part` of the `nth` block.
    #[inline(always)]
    fn rest<S: Simd>(self, simd: S, nth: usize, part: usize) -> Rest<'a, S> {
        Rest { simd, blocks: self, nth, place: Place { block: self.outputs[nth] as usize, part } }
    }
}

/// Computes `spans` into `sink`, which begins with the first of them.
#[inline(always)]
pub(super) fn run_spans<
    S: Simd,
    K: Kernel<N>,
    const N: usize,
    O: Sink,
    const NORMALS: bool,
    const TANGENTS: bool,
>(
    simd: S,
    input: Input<'_>,
    spans: &[Span],
    sink: &mut O,
) {
    let mut joints = Joints::<N>::new(input.joints);
    let Some(first) = spans.first().map(|span| span.output.start) else { return };
    for span in spans {
        let from = (span.output.start - first) / WIDTH;
        let mut out = sink.part(from, span.output.len().div_ceil(WIDTH));
        for run in &input.runs.runs[span.runs.clone()] {
            let blocks = if K::CENTERS {
                Blocks::of::<NORMALS, TANGENTS, true>(input, run)
            } else {
                Blocks::of::<NORMALS, TANGENTS, false>(input, run)
            };
            let is_tame = (NORMALS || TANGENTS) && tame::is_tame(simd, input, &run.blend);
            if is_tame {
                run_blocks::<S, K, N, _, NORMALS, TANGENTS, true>(simd, input, &run.blend, blocks, &mut joints, &mut out);
            } else {
                run_blocks::<S, K, N, _, NORMALS, TANGENTS, false>(simd, input, &run.blend, blocks, &mut joints, &mut out);
            }
        }
    }
}

/// Computes the blocks of one run.
#[inline(always)]
fn run_blocks<
    S: Simd,
    K: Kernel<N>,
    const N: usize,
    O: Sink,
    const NORMALS: bool,
    const TANGENTS: bool,
    const TAME: bool,
>(
    simd: S,
    input: Input<'_>,
    blend: &Blend,
    blocks: Blocks<'_>,
    joints: &mut Joints<'_, N>,
    out: &mut O,
) {
    let count = blocks.outputs.len();
    match blend {
        Blend::One { joint } => {
            let fixed = K::fix::<S, TAME>(simd, &joints.one(simd, *joint));
            for nth in 0..count {
                for part in 0..parts::<S>() {
                    K::move_fixed::<S, O, NORMALS, TANGENTS, TAME>(&fixed, blocks.rest(simd, nth, part), out);
                }
            }
        }
        Blend::Shared { joints: list, weights, pivots } => {
            let list = &input.runs.joints[list.clone()];
            let others = list.len() - 1;
            let weights = &input.runs.weights[*weights..][..count * others];
            let pivots = &input.runs.pivots[*pivots..][..count];
            let run = joints.split(list, !K::STRONGEST);
            for nth in 0..count {
                for part in 0..parts::<S>() {
                    let blended = if K::STRONGEST {
                        pick_strongest(simd, run, &pivots[nth], part)
                    } else {
                        blend_shared(simd, run, &weights[nth * others..][..others], part)
                    };
                    let rest = blocks.rest(simd, nth, part);
                    K::move_blended::<S, O, NORMALS, TANGENTS, TAME>(&blended, rest, out);
                }
            }
        }
        // Single vertices are never called tame.
        Blend::Single { influences, first } if !TAME => {
            for nth in 0..count {
                for part in 0..parts::<S>() {
                    let lane = nth * WIDTH + part * F::<S>::LEN;
                    let blended = blend_single::<S, K, N>(simd, input, first + lane * influences, *influences);
                    let rest = blocks.rest(simd, nth, part);
                    K::move_blended::<S, O, NORMALS, TANGENTS, TAME>(&blended, rest, out);
                }
            }
        }
        Blend::Single { .. } => {}
    }
}
