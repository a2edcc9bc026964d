//! Spans and runs: the order in which kernels process blocks.

use super::{BlockLayout, VertexOrder, WIDTH, group::Batch, lanes::Lanes};
use crate::asset::weights::Weights;
use std::{collections::HashMap, ops::Range};

/// The maximum length of a shared joint list. Longer lists are never faster.
pub(crate) const LONGEST_LIST: usize = 16;
/// The minimum and maximum number of blocks in a span.
const SPAN_BLOCKS: (usize, usize) = (64, 256);
/// The number of spans in a small mesh, so that a few threads get equal parts.
const SPANS_WANTED: usize = 16;

/// A range of the output that is computed as a whole. Span boundaries are fixed when packing, and jobs consist of whole
/// spans, so the result is bit-identical however the work is split.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    /// The range of output vertices in the span.
    pub(crate) output: Range<usize>,
    pub(crate) runs: Range<usize>,
    /// The estimated cost in register multiplications, used to balance jobs.
    pub(crate) cost: usize,
}

/// Consecutive blocks that share one joint list.
#[derive(Clone, Debug)]
pub(crate) struct BlockRun {
    pub(crate) blocks: Range<usize>,
    pub(crate) blend: Blend,
}

/// How the matrices of a run's blocks are blended.
#[derive(Clone, Debug)]
pub(crate) enum Blend {
    /// All vertices follow one joint.
    One {
        /// The slot of the joint in the skin.
        joint: u16,
    },
    /// All vertices blend the same joints.
    Shared {
        /// The range of the list in [`BlockRuns::joints`].
        joints: Range<usize>,
        /// The index of the first block's weights: one [`Lanes`] for each joint except the first.
        weights: usize,
        /// The index of the first block's pivots: one [`Lanes`] per block, the list index of each vertex's strongest joint.
        pivots: usize,
    },
    /// Every vertex blends its own joints.
    Single {
        /// The number of influences stored per vertex, the strongest first; missing ones have weight zero.
        influences: usize,
        /// The index of the first vertex's influences.
        first: usize,
    },
}

impl Blend {
    /// The cost of linear blend skinning for a block with normals, in register multiplications.
    pub(super) const fn cost(&self) -> usize {
        const OWN_MATRIX: usize = 36;
        match self {
            Self::One { .. } => 18,
            Self::Shared { joints, .. } => OWN_MATRIX + 12 * (joints.end - joints.start - 1),
            Self::Single { influences, .. } => OWN_MATRIX + SINGLE + 16 * *influences,
        }
    }
}

/// The parts of a packed skin other than its vertices.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockRuns {
    pub(crate) spans: Vec<Span>,
    pub(crate) runs: Vec<BlockRun>,
    /// The joint lists of shared blocks.
    pub(crate) joints: Vec<u16>,
    /// The pairs of a list's first joint and another joint of that list, each pair once.
    pub(crate) pairs: Vec<[u16; 2]>,
    /// For each entry of `joints` except the first of a list: the index of its pair with the first.
    pub(crate) pair_of_place: Vec<u32>,
    pub(crate) weights: Vec<Lanes>,
    pub(crate) pivots: Vec<Lanes>,
    /// The influences of single vertices.
    pub(crate) single_slots: Vec<u16>,
    pub(crate) single_weights: Vec<f32>,
    /// The output position of each block.
    pub(crate) output_block: Vec<u32>,
    /// The run index of each block.
    pub(crate) run_of_block: Vec<u32>,
    /// The axis along which each block stores its normals as slopes.
    pub(crate) normal_axes: Vec<u8>,
    pub(crate) vertex_of_lane: Vec<u32>,
}

impl BlockRuns {
    pub(super) fn new(
        weights: &Weights,
        batches: Vec<Batch>,
        order: VertexOrder,
        layout: BlockLayout,
    ) -> Self {
        let mut blocks: Vec<OpenBlock> =
            batches.into_iter().map(|batch| OpenBlock::of(batch, weights, layout)).collect();
        if layout == BlockLayout::Auto {
            spare_a_few_singles(&mut blocks);
        }
        if order == VertexOrder::Packed {
            blocks.sort_by(|a, b| a.key().cmp(&b.key()));
        }
        let span_blocks = (blocks.len() / SPANS_WANTED).clamp(SPAN_BLOCKS.0, SPAN_BLOCKS.1);
        let mut out = Self::default();
        let mut first_output = 0;
        // In file order the last block may not be full. It gets its own span, so that all other spans have full blocks.
        let is_cut = |b: &&OpenBlock| order == VertexOrder::File && b.batch.vertices.len() < WIDTH;
        let whole = blocks.len() - usize::from(blocks.last().is_some_and(|b| is_cut(&b)));
        for span in blocks[..whole].chunks(span_blocks).chain(blocks[whole..].chunks(1)) {
            let vertices = match order {
                VertexOrder::Packed => span.len() * WIDTH,
                VertexOrder::File => span.iter().map(|b| b.batch.vertices.len()).sum(),
            };
            out.push_span(weights, span, first_output..first_output + vertices);
            first_output += vertices;
        }
        out.number_pairs();
        out
    }

    fn number_pairs(&mut self) {
        let mut numbers: HashMap<[u16; 2], u32> = HashMap::new();
        self.pair_of_place = vec![0; self.joints.len()];
        for run in &self.runs {
            let Blend::Shared { joints, .. } = &run.blend else { continue };
            for place in joints.clone().skip(1) {
                let pair = [self.joints[joints.start], self.joints[place]];
                let number = *numbers.entry(pair).or_insert_with(|| {
                    self.pairs.push(pair);
                    self.pairs.len() as u32 - 1
                });
                self.pair_of_place[place] = number;
            }
        }
    }

    fn push_span(&mut self, weights: &Weights, blocks: &[OpenBlock], output: Range<usize>) {
        let mut order: Vec<usize> = (0..blocks.len()).collect();
        order.sort_by(|&a, &b| blocks[a].key().cmp(&blocks[b].key()));
        let (first_run, first_output) = (self.runs.len(), output.start / WIDTH);
        for run in order.chunk_by(|&a, &b| blocks[a].key() == blocks[b].key()) {
            let first_block = self.output_block.len();
            let blend = self.blend_of(&blocks[run[0]]);
            for &at in run {
                self.output_block.push((first_output + at) as u32);
                self.run_of_block.push(self.runs.len() as u32);
                self.push_block(weights, &blocks[at]);
            }
            self.runs.push(BlockRun { blocks: first_block..self.output_block.len(), blend });
        }
        let cost = self.runs[first_run..].iter().map(|run| run.blocks.len() * run.blend.cost()).sum();
        self.spans.push(Span { output, runs: first_run..self.runs.len(), cost });
    }

    fn blend_of(&mut self, block: &OpenBlock) -> Blend {
        if let Some(influences) = block.single {
            return Blend::Single { influences, first: self.single_slots.len() };
        }
        if let [joint] = *block.batch.joints {
            return Blend::One { joint };
        }
        let from = self.joints.len();
        self.joints.extend_from_slice(&block.batch.joints);
        let (weights, pivots) = (self.weights.len(), self.pivots.len());
        Blend::Shared { joints: from..self.joints.len(), weights, pivots }
    }

    fn push_block(&mut self, weights: &Weights, block: &OpenBlock) {
        let vertices = &block.batch.vertices;
        let last = vertices.last().copied().unwrap_or(0);
        let lanes: [u32; WIDTH] = std::array::from_fn(|lane| vertices.get(lane).copied().unwrap_or(last));
        self.vertex_of_lane.extend(lanes);
        self.normal_axes.push(block.batch.axis);
        match (block.single, &block.batch.joints[..]) {
            (Some(influences), _) => lanes.iter().for_each(|&v| self.push_single(weights, v, influences)),
            (None, [_]) => {}
            (None, joints) => self.push_shared(weights, &lanes, joints),
        }
    }

    fn push_single(&mut self, weights: &Weights, vertex: u32, influences: usize) {
        let (slots, shares) = weights.of(vertex as usize);
        let missing = influences - slots.len();
        self.single_slots.extend_from_slice(slots);
        self.single_slots.extend(std::iter::repeat_n(slots[0], missing));
        self.single_weights.extend_from_slice(shares);
        self.single_weights.extend(std::iter::repeat_n(0.0, missing));
    }

    fn push_shared(&mut self, weights: &Weights, lanes: &[u32; WIDTH], joints: &[u16]) {
        let first = self.weights.len();
        self.weights.resize(first + joints.len() - 1, Lanes::default());
        let mut pivots = Lanes::default();
        for (lane, &vertex) in lanes.iter().enumerate() {
            let (slots, shares) = weights.of(vertex as usize);
            for (nth, (slot, &share)) in slots.iter().zip(shares).enumerate() {
                let place = joints[1..].binary_search(slot).map_or(0, |place| place + 1);
                if place > 0 {
                    self.weights[first + place - 1].0[lane] = share;
                }
                if nth == 0 {
                    pivots.0[lane] = place as f32;
                }
            }
        }
        self.pivots.push(pivots);
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.spans)
            + size_of_val(&*self.runs)
            + size_of_val(&*self.joints)
            + size_of_val(&*self.pairs)
            + size_of_val(&*self.pair_of_place)
            + size_of_val(&*self.weights)
            + size_of_val(&*self.pivots)
            + size_of_val(&*self.single_slots)
            + size_of_val(&*self.single_weights)
            + size_of_val(&*self.output_block)
            + size_of_val(&*self.run_of_block)
            + size_of_val(&*self.normal_axes)
            + size_of_val(&*self.vertex_of_lane)
    }
}

/// A batch and the way it is blended.
struct OpenBlock {
    batch: Batch,
    /// The maximum number of influences of a vertex, if the block is blended vertex by vertex.
    single: Option<usize>,
}

impl OpenBlock {
    fn of(batch: Batch, weights: &Weights, layout: BlockLayout) -> Self {
        let influences = batch.vertices.iter().map(|&v| weights.of(v as usize).0.len()).max().unwrap_or(0);
        let joints = batch.joints.len();
        let pays = match layout {
            BlockLayout::Auto => joints <= max_shared_joints(influences),
            BlockLayout::Shared => joints <= LONGEST_LIST,
            BlockLayout::Single => false,
        };
        Self { batch, single: (!pays).then_some(influences) }
    }

    /// Blocks with equal keys form a run.
    fn key(&self) -> (Option<usize>, usize, &[u16]) {
        match self.single {
            Some(influences) => (Some(influences), 0, &[]),
            None => (None, self.batch.joints.len(), &self.batch.joints),
        }
    }
}

/// Per-vertex blending is used only if at least one in this many blocks benefits: starting it costs as much as several
/// blocks.
const FEW_SINGLES: usize = 64;

/// Reverts to shared lists if only a few blocks would be blended vertex by vertex.
fn spare_a_few_singles(blocks: &mut [OpenBlock]) {
    let singles = blocks.iter().filter(|b| b.single.is_some()).count();
    if singles * FEW_SINGLES < blocks.len() {
        for block in blocks.iter_mut().filter(|b| b.batch.joints.len() <= LONGEST_LIST) {
            block.single = None;
        }
    }
}

/// The cost of blending sixteen vertices individually without their influences, in register multiplications.
const SINGLE: usize = 48;

/// The maximum length of a joint list for which a shared block is faster than sixteen individually blended vertices.
///
/// A joint of the list costs twelve 16-wide multiply-adds. An individually blended vertex costs one per influence and about
/// four shuffles.
fn max_shared_joints(influences: usize) -> usize {
    ((SINGLE + 16 * influences) / 12).min(LONGEST_LIST)
}
