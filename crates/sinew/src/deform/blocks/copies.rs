//! Copies of a vertex: split for a seam in normals or texture coordinates, with the same position and influences.
//!
//! Copies must land on the same bits in every pose, or the seam opens. They do if the same operations compute them. In
//! packed order, all copies of a vertex are placed in one block. In file order they are where the file has them, and two
//! blocks compute a position alike if they begin with the same joint and store normals along the same axis. So blocks that
//! share copies choose both together. The copies of blocks that still differ are listed, and their positions are copied
//! when the kernel is done.

use super::{
    WIDTH,
    group::Batch,
    normal_slopes,
    runs::{Blend, BlockRuns},
};
use crate::asset::{mesh::Mesh, precomputed::Precomputed, weights::Weights};
use glam::Vec3;
use std::ops::Range;

/// The sets of copies of a mesh. A vertex without copies is in no set.
#[derive(Debug, Default)]
pub(super) struct Copies {
    members: Vec<u32>,
    sets: Vec<Range<usize>>,
    /// The set of each vertex, or [`NO_SET`].
    set_of_vertex: Vec<u32>,
}

const NO_SET: u32 = u32::MAX;

impl Copies {
    /// The copies among the vertices of `mesh` that have equal influences in `weights` and equal precomputed data.
    pub(super) fn of(mesh: &Mesh, weights: &Weights) -> Self {
        let points = mesh.points();
        let mut by_point: Vec<u32> = (0..mesh.vertex_count() as u32).collect();
        by_point.sort_by_key(|&vertex| points.of_vertex()[vertex as usize]);
        let is_copy = |a: u32, b: u32| {
            let (a, b) = (a as usize, b as usize);
            weights.of(a) == weights.of(b) && is_alike(mesh.precomputed(), a, b)
        };
        let mut copies = Self { set_of_vertex: vec![NO_SET; mesh.vertex_count()], ..Self::default() };
        let point_of = |vertex: &u32| points.of_vertex()[*vertex as usize];
        for at_point in by_point.chunk_by(|a, b| point_of(a) == point_of(b)).filter(|list| list.len() > 1) {
            for (nth, &first) in at_point.iter().enumerate() {
                if copies.set_of_vertex[first as usize] == NO_SET {
                    copies.collect(first, at_point[nth + 1..].iter().copied().filter(|&v| is_copy(first, v)));
                }
            }
        }
        copies
    }

    /// Adds the set of `first` and `others`, unless there are none.
    fn collect(&mut self, first: u32, others: impl Iterator<Item = u32>) {
        let start = self.members.len();
        self.members.push(first);
        self.members.extend(others);
        if self.members.len() - start == 1 {
            self.members.truncate(start);
            return;
        }
        let set = start..self.members.len();
        for &vertex in &self.members[set.clone()] {
            self.set_of_vertex[vertex as usize] = self.sets.len() as u32;
        }
        self.sets.push(set);
    }

    /// All copies of `vertex`, itself included, or `None` if there are no others. The first is the lowest.
    pub(super) fn of_vertex(&self, vertex: u32) -> Option<&[u32]> {
        let set = self.sets.get(self.set_of_vertex[vertex as usize] as usize)?;
        Some(&self.members[set.clone()])
    }

    fn sets(&self) -> impl Iterator<Item = &[u32]> {
        self.sets.iter().map(|set| &self.members[set.clone()])
    }
}

/// True if two vertices have the same precomputed data.
fn is_alike(data: &Precomputed, a: usize, b: usize) -> bool {
    let centers =
        data.centers.as_ref().is_none_or(|centers| centers.positions()[a] == centers.positions()[b]);
    let mush = data.mush.as_ref().map(|mush| &mush.parts().point_of_vertex);
    let mush = mush.is_none_or(|points| points[a] == points[b]);
    let direct = data.direct_mush.as_ref();
    let direct = direct.is_none_or(|direct| {
        direct.parts().pivots[a] == direct.parts().pivots[b] && direct.of(a).eq(direct.of(b))
    });
    let contact = data.contact.as_ref().map(|contact| &contact.parts().vertices);
    let contact = contact.is_none_or(|vertices| vertices[a] == vertices[b]);
    centers && mush && direct && contact
}

/// How often choices of neighboring blocks are brought into line. Most settle after two rounds.
const ROUNDS: usize = 6;
/// The most blocks of a set that are compared with each other.
const MAX_BLOCKS: usize = 8;

/// Lets consecutive batches that share copies begin with the same joint and use the same axis where they can.
pub(super) fn align(batches: &mut [Batch], copies: &Copies, weights: &Weights, normals: &[Vec3]) {
    if copies.sets.is_empty() {
        return;
    }
    prefer_seam_joints(batches, copies, weights);
    let neighbors = neighbors(batches.len(), copies);
    let axes: Vec<Vec<u8>> = batches.iter().map(|b| normal_slopes::axes_of(normals, &b.vertices)).collect();
    for _ in 0..ROUNDS {
        let mut is_settled = true;
        for block in 0..batches.len() {
            let choice = best_choice(batches, block, &neighbors[block], &axes[block]);
            if let Some((joint, axis)) = choice {
                batches[block].begin_with(joint);
                batches[block].axis = axis;
                is_settled = false;
            }
        }
        if is_settled {
            break;
        }
    }
}

/// Lets every batch begin with the joint of its list that the most copies of the mesh follow.
fn prefer_seam_joints(batches: &mut [Batch], copies: &Copies, weights: &Weights) {
    let mut uses = vec![0_usize; weights.slot_count()];
    for set in copies.sets() {
        weights.of(set[0] as usize).0.iter().for_each(|&slot| uses[usize::from(slot)] += set.len());
    }
    for batch in batches {
        let best = batch.joints.iter().rev().max_by_key(|&&joint| uses[usize::from(joint)]).copied();
        best.into_iter().for_each(|joint| batch.begin_with(joint));
    }
}

/// For each block, the blocks with copies of its vertices, once per set.
fn neighbors(blocks: usize, copies: &Copies) -> Vec<Vec<u32>> {
    let mut neighbors = vec![Vec::new(); blocks];
    let mut of_set: Vec<u32> = Vec::new();
    for set in copies.sets() {
        of_set.clear();
        of_set.extend(set.iter().map(|&vertex| vertex / WIDTH as u32));
        of_set.sort_unstable();
        of_set.dedup();
        of_set.truncate(MAX_BLOCKS);
        for &a in &of_set {
            neighbors[a as usize].extend(of_set.iter().copied().filter(|&b| b != a));
        }
    }
    neighbors
}

/// The first joint and axis on which `block` agrees with more neighbors than now, if there are any.
fn best_choice(batches: &[Batch], block: usize, neighbors: &[u32], axes: &[u8]) -> Option<(u16, u8)> {
    let of = |block: u32| (batches[block as usize].joints[0], batches[block as usize].axis);
    let count = |choice: (u16, u8)| neighbors.iter().filter(|&&b| of(b) == choice).count();
    let mine = &batches[block];
    let mut best = (count(of(block as u32)), None);
    for &neighbor in neighbors {
        let (joint, axis) = of(neighbor);
        if mine.joints.contains(&joint) && axes.contains(&axis) && best.1 != Some((joint, axis)) {
            let agreeing = count((joint, axis));
            if agreeing > best.0 {
                best = (agreeing, Some((joint, axis)));
            }
        }
    }
    best.1
}

/// The copies that their block computes in another way than most of their set: pairs of the vertex and the copy whose
/// position it takes.
pub(super) fn left_over(copies: &Copies, runs: &BlockRuns) -> Vec<[u32; 2]> {
    let mut block_of_vertex = vec![0_u32; copies.set_of_vertex.len()];
    for (block, vertices) in runs.vertex_of_lane.chunks_exact(WIDTH).enumerate() {
        vertices.iter().for_each(|&vertex| block_of_vertex[vertex as usize] = block as u32);
    }
    let mut pairs = Vec::new();
    for set in copies.sets() {
        let arithmetic = |vertex: u32| Arithmetic::of(runs, block_of_vertex[vertex as usize] as usize);
        let common = |vertex: &&u32| set.iter().filter(|&&v| arithmetic(v) == arithmetic(**vertex)).count();
        let Some(&source) = set.iter().rev().max_by_key(common) else { continue };
        let others = set.iter().filter(|&&vertex| arithmetic(vertex) != arithmetic(source));
        pairs.extend(others.map(|&vertex| [vertex, source]));
    }
    pairs.sort_unstable();
    pairs
}

/// What decides how a block computes positions from equal influences.
#[derive(Clone, Copy, PartialEq)]
enum Arithmetic {
    One,
    /// By differences from this joint, with the columns in the order of this axis. Two joints span an arc, on which
    /// quaternion blend interpolates in its own way.
    Shared {
        first: u16,
        axis: u8,
        is_pair: bool,
    },
    Single,
}

impl Arithmetic {
    fn of(runs: &BlockRuns, block: usize) -> Self {
        match &runs.runs[runs.run_of_block[block] as usize].blend {
            Blend::One { .. } => Self::One,
            Blend::Shared { joints, .. } => Self::Shared {
                first: runs.joints[joints.start],
                axis: runs.normal_axes[block],
                is_pair: joints.len() == 2,
            },
            Blend::Single { .. } => Self::Single,
        }
    }
}
