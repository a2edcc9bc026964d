//! The input of kernels, and the loops over the runs of a span.
//!
//! There are two drivers. Linear blend skinning, which nearly every frame of every character uses, has its own loops. They
//! are compiled for each combination of streams and output, and keep everything in registers from weight to store
//! ([`linear`](super::linear)). All other methods share one driver: it blends a few blocks into a stage in the L1 cache,
//! transforms the vertices from there, and selects streams and output at run time. That costs these methods about 30 % and
//! saves minutes in every build.

use super::{
    bundle::Lists,
    linear::{self, FixedList, MATRIX},
    meeting::{self, MeetingList},
    normal_slopes,
    similarity::{self, SimilarityTransform},
    sink::{Either, EitherSink, OutputPlace, Sink},
    stage::{List, STAGED, StagedJoints, StagedPalette, numbers, stage_shared, stage_single},
    vector::{F, V3, load, load3, parts, splat},
};
use crate::deform::blocks::{
    Blend, BlockRun, BlockRuns, ContactBlocks, ContactEntry, DominantNormalAxis, Lanes, PackedDirectMush,
    PackedMush, PackedSurface, Span, WIDTH,
};
use crate::palette::ContactBonePose;
use fearless_simd::Simd;
use std::ops::Range;

/// The input of a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct KernelInput<'a> {
    pub(super) runs: &'a BlockRuns,
    pub(super) surface: &'a PackedSurface,
    pub(super) centers: &'a [[Lanes; 3]],
    pub(super) contacts: &'a ContactBlocks,
    /// The posed bones of contact skinning; empty for other methods.
    pub(super) contact_bones: &'a [ContactBonePose],
    /// The moments of the method, if it sums moments.
    pub(super) moments: Moments<'a>,
    /// The palette entry of each joint, as many [`Lanes`] as the method needs.
    pub(super) joints: &'a [Lanes],
    /// The similarity transform of each joint's matrix; empty for methods that do not need it.
    pub(super) similarities: &'a [SimilarityTransform],
    /// For each pair of joints, whether it may occur in an unchecked run; empty if `similarities` is.
    pub(super) unchecked_pairs: &'a [bool],
    /// True if a vertex follows its strongest joint alone.
    pub(super) strongest: bool,
    /// True if quaternions keep the signs that they have, because those are followed in time.
    pub(super) followed: bool,
    /// The block of the output at which the sink begins.
    pub(super) first_output: u32,
    pub(super) streams: OutputStreams,
}

/// The moments that a method sums.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moments<'a> {
    None,
    DeltaMush(&'a PackedMush),
    Ddm(&'a PackedDirectMush),
}

/// The streams that are computed in addition to positions. Tangents require normals.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputStreams {
    pub(super) normals: bool,
    pub(super) tangents: bool,
}

/// A kernel that transforms vertices by `N` floats blended from their joints.
pub(super) trait Kernel<const N: usize> {
    /// True if the kernel reads centers of rotation.
    const CENTERS: bool = false;
    /// True if the kernel reads contact data, also of vertices that follow one joint alone.
    const CONTACT: bool = false;
    /// The number of floats that are blended.
    const BLENDED: usize = N;
    /// True if the floats after these, [`MEETING`](super::meeting::MEETING) of them, tell where the joints meet.
    const MEETS: bool = false;
    /// The range of floats that are quaternions, whose sign must match the strongest joint's hemisphere before blending.
    /// The first four are the rotation.
    const TURNED: Range<usize> = 0..0;
    /// Whether a joint's matrix preserves length; `None` if that depends on the pose.
    const UNCHECKED: Option<bool>;

    /// The matrix that transforms vertices that follow this joint alone.
    fn matrix(numbers: &[f32; N]) -> [f32; MATRIX];

    /// Transforms one register of vertices by the floats blended for each.
    fn move_blended<S: Simd, O: Sink>(
        blended: &[F<S>; N],
        rest: RestSurface<'_, S>,
        wanted: OutputStreams,
        out: &mut O,
    );
}

/// One register of vertices before deformation, loaded on demand.
#[derive(Clone, Copy)]
pub(super) struct RestSurface<'a, S: Simd> {
    pub(super) simd: S,
    blocks: BlockRange<'a>,
    nth: usize,
    pub(super) place: OutputPlace,
}

impl<S: Simd> RestSurface<'_, S> {
    #[inline(always)]
    pub(super) fn position(&self) -> V3<S> {
        load3(self.simd, &self.blocks.positions[self.nth], self.place.part)
    }

    /// The position with its components in the order of `columns`.
    #[inline(always)]
    pub(super) fn permuted_position(&self, columns: [u32; 3]) -> V3<S> {
        self.permuted(&self.blocks.positions[self.nth], columns)
    }

    /// The normal with its components in the order of `columns`.
    #[inline(always)]
    pub(super) fn permuted_normal(&self, columns: [u32; 3]) -> V3<S> {
        self.permuted(&self.blocks.normals[self.nth], columns)
    }

    #[inline(always)]
    fn permuted(&self, lanes: &[Lanes; 3], columns: [u32; 3]) -> V3<S> {
        let [i, j, k] = columns.map(|c| c as usize);
        let part = self.place.part;
        [load(self.simd, &lanes[i], part), load(self.simd, &lanes[j], part), load(self.simd, &lanes[k], part)]
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

impl<'a, S: Simd> RestSurface<'a, S> {
    /// The contact data of this block, and the posed bones that it refers to.
    #[inline(always)]
    pub(super) fn contacts(&self) -> (&'a [ContactEntry], &'a [ContactBonePose]) {
        let first = &self.blocks.contact_first[self.nth..self.nth + 2];
        let entries = &self.blocks.contact_entries[first[0] as usize..first[1] as usize];
        (entries, self.blocks.contact_bones)
    }
}

/// The streams of a run's blocks, all of equal length except those that are not read.
#[derive(Clone, Copy)]
pub(super) struct BlockRange<'a> {
    pub(super) outputs: &'a [u32],
    first_output: u32,
    positions: &'a [[Lanes; 3]],
    normals: &'a [[Lanes; 3]],
    tangents: &'a [[Lanes; 4]],
    centers: &'a [[Lanes; 3]],
    /// Where the contact data of each block begins, and where that of the last ends.
    contact_first: &'a [u32],
    contact_entries: &'a [ContactEntry],
    contact_bones: &'a [ContactBonePose],
    pub(super) dominant_axes: &'a [DominantNormalAxis],
    pub(super) slopes: &'a [[Lanes; 3]],
}

impl<'a> BlockRange<'a> {
    /// The blocks of `run` with the requested streams.
    #[inline(always)]
    pub(super) fn of(
        input: KernelInput<'a>,
        run: Range<usize>,
        wanted: OutputStreams,
        centers: bool,
        contact: bool,
    ) -> Self {
        let outputs = &input.runs.output_block[run.clone()];
        let (from, count) = (run.start, outputs.len());
        // Cut to one length here, so that the loop over blocks needs no bounds checks.
        Self {
            outputs,
            first_output: input.first_output,
            positions: &input.surface.positions[from..][..count],
            normals: if wanted.normals { &input.surface.normals[from..][..count] } else { &[] },
            tangents: if wanted.tangents { &input.surface.tangents[from..][..count] } else { &[] },
            centers: if centers { &input.centers[from..][..count] } else { &[] },
            contact_first: if contact { &input.contacts.first[from..][..=count] } else { &[] },
            contact_entries: &input.contacts.entries,
            contact_bones: input.contact_bones,
            dominant_axes: if wanted.normals { &input.surface.dominant_axes[from..][..count] } else { &[] },
            slopes: if wanted.normals { &input.surface.slopes[from..][..count] } else { &[] },
        }
    }

    /// Register `part` of the `nth` block.
    #[inline(always)]
    pub(super) fn rest<S: Simd>(self, simd: S, nth: usize, part: usize) -> RestSurface<'a, S> {
        let block = self.outputs[nth].wrapping_sub(self.first_output) as usize;
        RestSurface { simd, blocks: self, nth, place: OutputPlace { block, part } }
    }
}

/// Computes `spans` by linear blend skinning or rigid skinning into `sink`, which starts at the first span.
#[inline(always)]
pub(super) fn run_linear<S: Simd, O: EitherSink, const NORMALS: bool, const TANGENTS: bool>(
    simd: S,
    input: KernelInput<'_>,
    spans: &[Span],
    sink: &mut O,
) {
    let wanted = OutputStreams { normals: NORMALS, tangents: TANGENTS };
    let mut lists = Lists::new();
    let mut rare = None;
    let runs = runs_of(input, spans);
    let mut at = 0;
    while at < runs.len() {
        let run = &runs[at];
        match &run.blend {
            Blend::One { joint } => {
                let blocks = BlockRange::of(input, run.blocks.clone(), wanted, false, false);
                let numbers = numbers::<MATRIX>(input.joints, *joint);
                let factor = input.similarities[usize::from(*joint)].inverse_factor;
                if NORMALS && similarity::is_unchecked(input, &run.blend) {
                    linear::run_one::<S, _, NORMALS, TANGENTS, true>(simd, &numbers, factor, blocks, sink);
                } else {
                    linear::run_one::<S, _, NORMALS, TANGENTS, false>(simd, &numbers, factor, blocks, sink);
                }
                at += 1;
            }
            Blend::Shared { .. } if !input.strongest => {
                let Some(taken) = lists.take(simd, input, &runs[at..], NORMALS) else { break };
                let blocks = BlockRange::of(input, taken.blocks, wanted, false, false);
                let bundle = taken.bundle;
                match taken.is_unchecked {
                    true if linear::permutes::<S, NORMALS, TANGENTS>() => {
                        normal_slopes::run_bundle(simd, bundle, blocks, sink);
                    }
                    true => linear::run_bundle::<S, _, NORMALS, TANGENTS, true>(simd, bundle, blocks, sink),
                    false => linear::run_bundle::<S, _, NORMALS, TANGENTS, false>(simd, bundle, blocks, sink),
                }
                at += taken.runs;
            }
            _ => {
                let (joints, stage) =
                    rare.get_or_insert_with(|| (StagedJoints::new(input.joints), StagedPalette::new()));
                run_staged::<S, linear::LinearKernel, MATRIX>(simd, input, run, joints, stage, sink.either());
                at += 1;
            }
        }
    }
}

/// The runs of `spans`, one after the other. Span boundaries matter to threads, not to the loops.
#[inline(always)]
pub(super) fn runs_of<'a>(input: KernelInput<'a>, spans: &[Span]) -> &'a [BlockRun] {
    match (spans.first(), spans.last()) {
        (Some(first), Some(last)) => &input.runs.runs[first.runs.start..last.runs.end],
        _ => &[],
    }
}

/// Computes `spans` by any other method into `sink`, which starts at the first span.
#[inline(always)]
pub(super) fn run_method<S: Simd, K: Kernel<N>, const N: usize, O: EitherSink>(
    simd: S,
    input: KernelInput<'_>,
    spans: &[Span],
    sink: &mut O,
) {
    let mut joints = StagedJoints::<N>::new(input.joints);
    let mut stage = StagedPalette::new();
    for run in runs_of(input, spans) {
        if let Blend::One { joint } = &run.blend {
            let matrix = K::matrix(&numbers(input.joints, *joint));
            if K::CONTACT {
                run_one_blended::<S, K, N>(simd, input, run, *joint, sink.either());
                continue;
            }
            let is_unchecked = K::UNCHECKED.unwrap_or_else(|| similarity::is_unchecked(input, &run.blend));
            // In a method with unchecked joints, every joint is a rotation.
            let factor =
                K::UNCHECKED.map_or_else(|| input.similarities[usize::from(*joint)].inverse_factor, |_| 1.0);
            run_one(simd, input, run, &matrix, factor, is_unchecked, sink.either());
        } else {
            run_staged::<S, K, N>(simd, input, run, &mut joints, &mut stage, sink.either());
        }
    }
}

/// Computes a run with one joint; every method then reduces to the joint's matrix.
fn run_one<S: Simd>(
    simd: S,
    input: KernelInput<'_>,
    run: &BlockRun,
    matrix: &[f32; MATRIX],
    inverse_factor: f32,
    is_unchecked: bool,
    mut out: Either<'_>,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let blocks = BlockRange::of(input, run.blocks.clone(), input.streams, false, false);
            let fixed = FixedList::either(simd, matrix, is_unchecked, inverse_factor);
            for nth in 0..blocks.outputs.len() {
                for part in 0..parts::<S>() {
                    fixed.apply_either(blocks.rest(simd, nth, part), input.streams, is_unchecked, &mut out);
                }
            }
        },
    );
}

/// Computes a run with one joint as if it were blended, for methods that move such vertices too.
fn run_one_blended<S: Simd, K: Kernel<N>, const N: usize>(
    simd: S,
    input: KernelInput<'_>,
    run: &BlockRun,
    joint: u16,
    mut out: Either<'_>,
) {
    let numbers = numbers::<N>(input.joints, joint);
    simd.vectorize(
        #[inline(always)]
        || {
            let blocks = BlockRange::of(input, run.blocks.clone(), input.streams, K::CENTERS, K::CONTACT);
            let blended = numbers.map(|number| splat::<S>(simd, number));
            for nth in 0..blocks.outputs.len() {
                for part in 0..parts::<S>() {
                    K::move_blended(&blended, blocks.rest(simd, nth, part), input.streams, &mut out);
                }
            }
        },
    );
}

/// Computes a run a few blocks at a time: blends the joints into the stage, then transforms the vertices.
fn run_staged<S: Simd, K: Kernel<N>, const N: usize>(
    simd: S,
    input: KernelInput<'_>,
    run: &BlockRun,
    joints: &mut StagedJoints<'_, N>,
    stage: &mut StagedPalette<N>,
    mut out: Either<'_>,
) {
    let mut list: Option<List<'_, N>> = None;
    let mut meeting = None;
    if let Blend::Shared { joints: slots, .. } = &run.blend {
        let slots = &input.runs.joints[slots.clone()];
        list = Some(joints.split::<S, K>(simd, slots, input.strongest, input.followed));
        meeting = K::MEETS.then(|| MeetingList::of::<K, N>(input.joints, slots, input.followed));
    }
    for from in run.blocks.clone().step_by(STAGED) {
        let blocks = from..run.blocks.end.min(from + STAGED);
        let nth = from - run.blocks.start;
        match (&run.blend, list) {
            (Blend::Shared { weights, pivots, .. }, Some(list)) => {
                let weights = &input.runs.weights[weights + nth * list.others.len()..];
                let pivots = &input.runs.pivots[pivots + nth..];
                stage_shared::<S, K, N>(simd, stage, blocks.len(), list, weights, pivots);
                if let Some(list) = &meeting {
                    meeting::stage_shared::<S, K, N>(simd, stage, blocks.len(), list, weights, pivots);
                }
            }
            (Blend::Single { influences, first }, _) => {
                let first = first + nth * WIDTH * influences;
                stage_single::<S, K, N>(simd, stage, blocks.len(), input, first, *influences);
                if K::MEETS {
                    meeting::stage_single::<K, N>(stage, blocks.len(), input, first, *influences);
                }
            }
            _ => return,
        }
        move_staged::<S, K, N>(simd, stage, input, blocks, &mut out);
    }
}

fn move_staged<S: Simd, K: Kernel<N>, const N: usize>(
    simd: S,
    stage: &StagedPalette<N>,
    input: KernelInput<'_>,
    blocks: Range<usize>,
    out: &mut Either<'_>,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let blocks = BlockRange::of(input, blocks, input.streams, K::CENTERS, K::CONTACT);
            for nth in 0..blocks.outputs.len() {
                for part in 0..parts::<S>() {
                    let blended = stage.load(simd, nth, part);
                    K::move_blended(&blended, blocks.rest(simd, nth, part), input.streams, out);
                }
            }
        },
    );
}
