//! Blocks of consecutive vertices that share a list of joints.

use crate::deform::{
    blocks::{BlockSize, BlockStats, BlockUse},
    layout::Influences,
};
use sinew::Weights;
use std::cmp::Reverse;

/// Four words, the unit in which blocks are laid out.
pub(super) type Quad = [u32; 4];

/// Joints whose slots stand in the head of a block.
const HEAD_JOINTS: usize = 4;
/// The head has eight bits for the length of the list.
const MAX_JOINTS: usize = 255;
/// The head has the other 24 bits for the number of the block.
const MAX_BLOCKS: usize = 1 << 24;

/// Lists of at most so many joints, relative to the places for influences in every vertex, are faster than those places:
/// a listed matrix is multiplied by every weight of its block, but read once for four vertices.
const MAX_LENGTH: f64 = 1.5;

/// The blocks of a mesh, those with the longest lists first: threads that run side by side then have lists of the same
/// length, and the longest work begins first.
pub(super) struct VertexBlocks {
    size: BlockSize,
    /// The number of the block, its joints, and the rows of weights of all joints but the first.
    blocks: Vec<JointBlock>,
}

struct JointBlock {
    number: u32,
    slots: Vec<u16>,
    /// The weights of one listed joint after the other, one for every vertex of the block; without the first joint's.
    weights: Vec<f32>,
}

impl VertexBlocks {
    /// The blocks that `wanted` asks for; `None` if they would be slower than `influences`, or a list is too long.
    pub(super) fn new(weights: &Weights, wanted: BlockUse, influences: Influences) -> Option<Self> {
        let (size, is_forced) = match wanted {
            BlockUse::Never => return None,
            BlockUse::Auto => (BlockSize::default(), false),
            BlockUse::Always(size) => (size, true),
        };
        let count = weights.vertex_count().div_ceil(size.vertices() as usize);
        if count == 0 || count > MAX_BLOCKS {
            return None;
        }
        let mut blocks: Vec<JointBlock> = Vec::new();
        let mut joints = 0;
        let max_joints = MAX_LENGTH * places(weights, influences) * count as f64;
        for number in 0..count {
            let block = JointBlock::new(weights, size.vertices() as usize, number);
            joints += block.slots.len();
            if block.slots.len() > MAX_JOINTS || (!is_forced && joints as f64 > max_joints) {
                return None;
            }
            blocks.push(block);
        }
        blocks.sort_by(|a, b| {
            (Reverse(a.slots.len()), &a.slots, a.number).cmp(&(Reverse(b.slots.len()), &b.slots, b.number))
        });
        Some(Self { size, blocks })
    }

    /// Heads and weights, to stand at `first` in their buffer.
    pub(super) fn quads(&self, first: u32) -> Vec<Quad> {
        let mut heads = Vec::with_capacity(self.blocks.len());
        let mut rows: Vec<Quad> = Vec::new();
        for block in &self.blocks {
            let at = first as usize + self.blocks.len() + rows.len();
            heads.push(block.head(u32::try_from(at).unwrap_or(u32::MAX)));
            block.push_rows(self.size.vertices() as usize, &mut rows);
        }
        heads.append(&mut rows);
        heads
    }

    pub(super) fn stats(&self, bytes: u64) -> BlockStats {
        let joints = self.blocks.iter().map(|b| b.slots.len() as u64).sum();
        BlockStats { size: self.size, blocks: self.blocks.len() as u32, joints, bytes }
    }
}

/// The influences of a vertex that are multiplied, whether or not they have weight.
fn places(weights: &Weights, influences: Influences) -> f64 {
    match influences {
        Influences::Fixed { count, .. } => f64::from(count),
        Influences::Lists => {
            let vertices = weights.vertex_count();
            let all: usize = (0..vertices).map(|v| weights.of(v).0.len()).sum();
            all as f64 / vertices.max(1) as f64
        }
    }
}

impl JointBlock {
    fn new(weights: &Weights, size: usize, number: usize) -> Self {
        let vertices = number * size..((number + 1) * size).min(weights.vertex_count());
        // In the order of slots, whatever the other vertices of the block: then equal weights add up to equal bits.
        let mut slots: Vec<u16> = vertices.clone().flat_map(|v| weights.of(v).0).copied().collect();
        slots.sort_unstable();
        slots.dedup();
        let mut list = vec![0.0; (slots.len() - 1) * size];
        for (place, vertex) in vertices.enumerate() {
            for influence in weights.influences(vertex) {
                if let Ok(k @ 1..) = slots.binary_search(&influence.slot) {
                    list[(k - 1) * size + place] = influence.weight;
                }
            }
        }
        Self { number: number as u32, slots, weights: list }
    }

    /// The twin of `head_of` in blocks.wgsl.
    fn head(&self, weights: u32) -> Quad {
        let slot = |k: usize| u32::from(self.slots.get(k).copied().unwrap_or(0));
        [
            self.number << 8 | self.slots.len() as u32,
            weights,
            slot(0) | slot(1) << 16,
            slot(2) | slot(3) << 16,
        ]
    }

    /// A row of weights for every joint but the first; behind those of joints beyond the head stands the slot.
    ///
    /// A quad holds the weights of vertices that lie a quarter of a block apart: those of one thread.
    fn push_rows(&self, size: usize, out: &mut Vec<Quad>) {
        for (k, row) in (1..).zip(self.weights.chunks_exact(size)) {
            let quarter = size / 4;
            let quad = |lane: usize| std::array::from_fn(|i| row[lane + i * quarter].to_bits());
            out.extend((0..quarter).map(quad));
            if k >= HEAD_JOINTS {
                out.push([u32::from(self.slots[k]), 0, 0, 0]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::Influence;

    const FOUR: Influences = Influences::Fixed { count: 4, slot_bits: 12, unorm16: true };

    fn weights_of(vertices: usize, joint: impl Fn(usize, usize) -> u16) -> Weights {
        let vertex = |v: usize| {
            (0..2).map(|k| Influence { slot: joint(v, k), weight: [0.75, 0.25][k] }).collect::<Vec<_>>()
        };
        Weights::new(64, (0..vertices).map(vertex)).unwrap().0
    }

    #[test]
    fn lists_are_the_union_of_their_vertices_and_the_longest_come_first() {
        let weights = weights_of(20, |v, k| if v < 8 { k as u16 } else { (v + 3 * k) as u16 });
        let blocks = VertexBlocks::new(&weights, BlockUse::Always(BlockSize::Eight), FOUR).unwrap();
        let numbers: Vec<u32> = blocks.blocks.iter().map(|b| b.number).collect();
        assert_eq!(numbers, [1, 2, 0]);
        assert_eq!(blocks.blocks[0].slots, (8..19).collect::<Vec<_>>());
        assert_eq!(blocks.blocks[2].slots, [0, 1]);
        // Vertex 9 has three quarters of joint 9, the second of the list, and a quarter of joint 12.
        let of_vertex = |k: usize| blocks.blocks[0].weights[(k - 1) * 8 + 1];
        assert_eq!((1..11).map(of_vertex).collect::<Vec<_>>(), [0.75, 0., 0., 0.25, 0., 0., 0., 0., 0., 0.]);
    }

    #[test]
    fn heads_and_rows_stand_where_the_kernel_looks() {
        let weights = weights_of(8, |v, k| (v % 5 + k) as u16);
        let blocks = VertexBlocks::new(&weights, BlockUse::Always(BlockSize::Eight), FOUR).unwrap();
        let quads = blocks.quads(100);
        assert_eq!(quads[0], [6, 101, 1 << 16, 2 | 3 << 16]);
        // Three rows of two quads, two more with a slot behind.
        assert_eq!(quads.len(), 1 + 3 * 2 + 2 * 3);
        assert_eq!((quads[9][0], quads[12][0]), (4, 5));
        // Joint 1: a quarter of vertex 0, three quarters of vertex 1, a quarter of 5, three quarters of 6.
        let row = [quads[1], quads[2]].map(|quad| quad.map(f32::from_bits));
        assert_eq!(row, [[0.25, 0.0, 0.0, 0.75], [0.75, 0.0, 0.25, 0.0]]);
        assert_eq!(blocks.stats(0).joints, 6);
    }

    #[test]
    fn a_mesh_without_coherence_has_blocks_only_by_force() {
        let weights = weights_of(64, |v, k| ((v * 7 + k * 13) % 64) as u16);
        assert!(VertexBlocks::new(&weights, BlockUse::Auto, FOUR).is_none());
        assert!(VertexBlocks::new(&weights, BlockUse::Always(BlockSize::Sixteen), FOUR).is_some());
        assert!(VertexBlocks::new(&weights, BlockUse::Never, FOUR).is_none());
        let coherent = weights_of(64, |v, k| (v / 16 + k) as u16);
        assert!(VertexBlocks::new(&coherent, BlockUse::Auto, FOUR).is_some());
    }

    #[test]
    fn a_list_that_the_head_cannot_count_leaves_the_mesh_without_blocks() {
        let vertex = |v: usize| (0..40).map(move |k| Influence { slot: (v * 40 + k) as u16, weight: 1.0 });
        let (weights, _) = Weights::new(320, (0..8).map(|v| vertex(v).collect::<Vec<_>>())).unwrap();
        assert!(VertexBlocks::new(&weights, BlockUse::Always(BlockSize::Eight), FOUR).is_none());
    }
}
