//! Consecutive runs whose blocks are computed in one loop.

use super::{
    similarity,
    span::KernelInput,
    vector::{load, parts},
};
use crate::deform::blocks::{Blend, BlockRun, LONGEST_LIST, Lanes, WIDTH};
use fearless_simd::{Simd, SimdBase};
use std::ops::Range;

/// The joint capacity of a bundle's lists: about twenty short lists. The memory is cleared once per call, which is a
/// measurable cost for small meshes.
const ROOM: usize = 48;

/// Memory for the joint lists of a bundle.
pub(super) struct Lists {
    joints: [Lanes; ROOM],
}

/// Consecutive runs with joint lists of equal length, all unchecked or all checked.
#[derive(Clone, Copy)]
pub(super) struct Bundle<'a> {
    /// Each list is the first joint, then the differences of the others from it.
    pub(super) lists: &'a [Lanes],
    /// The number of joints in each list after the first.
    pub(super) others: usize,
    /// The weights of all blocks, `others` [`Lanes`] per block.
    pub(super) weights: &'a [Lanes],
    /// The run index of each block. The first block belongs to the first run.
    pub(super) run_of_block: &'a [u32],
    first_run: usize,
}

impl<'a> Bundle<'a> {
    /// The joint list of run `run`, with `others` joints after the first.
    #[inline(always)]
    pub(super) fn list(&self, run: u32, others: usize) -> &'a [Lanes] {
        let length = others + 1;
        &self.lists[(run as usize - self.first_run) * length..][..length]
    }
}

/// A bundle taken from the front of a slice of runs.
pub(super) struct Taken<'a> {
    pub(super) bundle: Bundle<'a>,
    pub(super) blocks: Range<usize>,
    pub(super) is_unchecked: bool,
    /// The number of runs in the bundle.
    pub(super) runs: usize,
}

impl Lists {
    pub(super) fn new() -> Self {
        Self { joints: [Lanes([0.0; WIDTH]); ROOM] }
    }

    /// The longest bundle at the start of `runs`, or `None` if the blocks of the first run do not share a list.
    #[inline(always)]
    pub(super) fn take<'a, S: Simd>(
        &'a mut self,
        simd: S,
        input: KernelInput<'a>,
        runs: &[BlockRun],
        wants_unchecked: bool,
    ) -> Option<Taken<'a>> {
        let Blend::Shared { joints, weights, .. } = &runs.first()?.blend else { return None };
        let (length, first_weight) = (joints.len(), *weights);
        let is_unchecked = wants_unchecked && similarity::is_unchecked(input, &runs[0].blend);
        let max_runs = ROOM / length.clamp(1, LONGEST_LIST);
        let mut count = 0;
        for run in runs.iter().take(max_runs) {
            let Blend::Shared { joints, .. } = &run.blend else { break };
            let fits = joints.len() == length
                && (count == 0
                    || !wants_unchecked
                    || similarity::is_unchecked(input, &run.blend) == is_unchecked);
            if !fits {
                break;
            }
            self.write(simd, count * length, &input.runs.joints[joints.clone()], input.joints);
            count += 1;
        }
        let blocks = runs[0].blocks.start..runs[count.max(1) - 1].blocks.end;
        let run_of_block = &input.runs.run_of_block[blocks.clone()];
        let bundle = Bundle {
            lists: &self.joints[..count * length],
            others: length - 1,
            weights: &input.runs.weights[first_weight..],
            run_of_block,
            first_run: run_of_block.first().map_or(0, |&run| run as usize),
        };
        Some(Taken { bundle, blocks, is_unchecked, runs: count })
    }

    /// Writes the joints of `list` at index `at`.
    #[inline(always)]
    fn write<S: Simd>(&mut self, simd: S, at: usize, list: &[u16], joints: &[Lanes]) {
        let out = &mut self.joints[at..at + list.len()];
        let first = &joints[usize::from(list[0])];
        out[0] = *first;
        for nth in 1..list.len() {
            let joint = &joints[usize::from(list[nth])];
            for part in 0..parts::<S>() {
                let width = S::f32s::LEN;
                let difference = load(simd, joint, part) - load(simd, first, part);
                difference.store_slice(&mut out[nth].0[part * width..part * width + width]);
            }
        }
    }
}
