//! Moments in block order, for methods whose vertices follow many joints: one row of a block holds the numbers of one
//! influence of sixteen vertices.
//!
//! Where the vertices of a block share their joints, a row is a joint, and a vertex that does not follow it has zeros. Where
//! they do not, a row is the next influence of each vertex, in order of slots. A sum over the rows has the same terms in the
//! same order either way, so copies of a vertex land on the same bits in any block.

use super::{WIDTH, lanes::Lanes};

/// The maximum number of rows of a block whose vertices do not share joints.
pub(crate) const MAX_GATHERED: usize = 16;
/// Reading the joints of sixteen vertices one by one costs as much as computing this many times as many rows.
const GATHERING: usize = 3;

/// Influences of vertices, one list after the other.
pub(super) struct MomentLists<'a> {
    /// List n has the influences `first[n]..first[n + 1]`.
    pub(super) first: &'a [u32],
    pub(super) slots: &'a [u16],
    /// `stride` numbers per influence.
    pub(super) numbers: &'a [f32],
    pub(super) stride: usize,
}

/// The influences of sixteen vertices per block, row by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct MomentRows {
    stride: usize,
    /// Block b has the rows `first[b]..first[b + 1]`.
    first: Vec<u32>,
    /// Whether the vertices of a block share the joint of each row.
    is_shared: Vec<bool>,
    slots: Vec<[u16; WIDTH]>,
    numbers: Vec<Lanes>,
    /// For each block, the row of each vertex's first influence, which is its strongest.
    strongest: Vec<Lanes>,
}

/// The rows of one block.
#[derive(Clone, Copy)]
pub(crate) struct BlockRows<'a> {
    pub(crate) is_shared: bool,
    pub(crate) slots: &'a [[u16; WIDTH]],
    pub(crate) numbers: &'a [Lanes],
    pub(crate) strongest: &'a Lanes,
}

/// One influence of a lane.
#[derive(Clone, Copy)]
struct LaneInfluence {
    slot: u16,
    at: usize,
    is_strongest: bool,
}

impl MomentRows {
    /// The rows of blocks with the vertices `vertex_of_lane`, each of which has the list at the index that `list_of` gives.
    pub(super) fn new(
        lists: &MomentLists<'_>,
        vertex_of_lane: &[u32],
        list_of: impl Fn(u32) -> usize,
    ) -> Self {
        let blocks = vertex_of_lane.len() / WIDTH;
        let mut out = Self { stride: lists.stride, first: vec![0], ..Self::default() };
        out.strongest.reserve_exact(blocks);
        let mut lanes: [Vec<LaneInfluence>; WIDTH] = Default::default();
        for vertices in vertex_of_lane.chunks_exact(WIDTH) {
            for (lane, &vertex) in lanes.iter_mut().zip(vertices) {
                lists.sort_into(list_of(vertex), lane);
            }
            out.push_block(lists, &lanes);
        }
        out
    }

    fn push_block(&mut self, lists: &MomentLists<'_>, lanes: &[Vec<LaneInfluence>; WIDTH]) {
        let mut union: Vec<u16> = lanes.iter().flatten().map(|influence| influence.slot).collect();
        union.sort_unstable();
        union.dedup();
        let longest = lanes.iter().map(Vec::len).max().unwrap_or(0);
        let is_shared = longest > MAX_GATHERED || union.len() <= GATHERING * longest;
        let (row, rows) = (self.slots.len(), if is_shared { union.len() } else { longest });
        self.numbers.resize((row + rows) * self.stride, Lanes::default());
        match is_shared {
            true => self.slots.extend(union.iter().map(|&slot| [slot; WIDTH])),
            // A lane with fewer influences repeats its first joint, with zeros.
            false => self.slots.resize(row + rows, lanes.each_ref().map(|l| l.first().map_or(0, |i| i.slot))),
        }
        let mut strongest = Lanes::default();
        for (lane, influences) in lanes.iter().enumerate() {
            for (nth, influence) in influences.iter().enumerate() {
                let place = if is_shared { union.binary_search(&influence.slot).unwrap_or(0) } else { nth };
                self.slots[row + place][lane] = influence.slot;
                if influence.is_strongest {
                    strongest.0[lane] = place as f32;
                }
                let from = &lists.numbers[influence.at * self.stride..][..self.stride];
                let to = &mut self.numbers[(row + place) * self.stride..][..self.stride];
                // Moments add up: a list may name a joint twice.
                to.iter_mut().zip(from).for_each(|(to, from)| to.0[lane] += from);
            }
        }
        self.is_shared.push(is_shared);
        self.strongest.push(strongest);
        self.first.push(self.slots.len() as u32);
    }

    /// The numbers of one influence.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    #[inline(always)]
    pub(crate) fn block(&self, block: usize) -> BlockRows<'_> {
        let rows = self.first[block] as usize..self.first[block + 1] as usize;
        BlockRows {
            is_shared: self.is_shared[block],
            numbers: &self.numbers[rows.start * self.stride..rows.end * self.stride],
            slots: &self.slots[rows],
            strongest: &self.strongest[block],
        }
    }
}

impl MomentLists<'_> {
    /// The influences of list `nth` in order of slots.
    fn sort_into(&self, nth: usize, out: &mut Vec<LaneInfluence>) {
        let range = self.first[nth] as usize..self.first[nth + 1] as usize;
        let start = range.start;
        out.clear();
        out.extend(range.map(|at| LaneInfluence { slot: self.slots[at], at, is_strongest: at == start }));
        // Stable: a joint that is named twice keeps its order.
        out.sort_by_key(|influence| influence.slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixteen lists of `count` influences whose slots start at `step` times the list's index.
    fn rows(count: usize, step: usize) -> MomentRows {
        let first: Vec<u32> = (0..=WIDTH).map(|n| (n * count) as u32).collect();
        let slots: Vec<u16> =
            (0..WIDTH).flat_map(|n| (0..count).rev().map(move |i| (n * step + i) as u16)).collect();
        let numbers: Vec<f32> = (0..slots.len()).map(|n| n as f32 + 1.0).collect();
        let lists = MomentLists { first: &first, slots: &slots, numbers: &numbers, stride: 1 };
        let vertices: Vec<u32> = (0..WIDTH as u32).collect();
        MomentRows::new(&lists, &vertices, |vertex| vertex as usize)
    }

    #[test]
    fn vertices_that_share_joints_share_rows() {
        let rows = rows(3, 0);
        let block = rows.block(0);
        assert!(block.is_shared);
        assert_eq!(block.slots, [[0; WIDTH], [1; WIDTH], [2; WIDTH]]);
        // The slots of a list descend here, the rows ascend.
        assert_eq!([0, 1, 2].map(|row: usize| block.numbers[row].0[1]), [6.0, 5.0, 4.0]);
        assert_eq!(block.strongest.0, [2.0; WIDTH]);
    }

    #[test]
    fn vertices_without_common_joints_have_rows_of_their_own() {
        let rows = rows(2, 5);
        let block = rows.block(0);
        assert!(!block.is_shared);
        assert_eq!(block.slots.len(), 2);
        assert_eq!((block.slots[0][3], block.slots[1][3]), (15, 16));
        assert_eq!((block.numbers[0].0[3], block.numbers[1].0[3]), (8.0, 7.0));
        assert_eq!(block.strongest.0, [1.0; WIDTH]);
    }

    #[test]
    fn a_joint_that_is_named_twice_adds_up() {
        let (first, slots, numbers) = ([0, 2], [4, 4], [1.0, 2.0]);
        let lists = MomentLists { first: &first, slots: &slots, numbers: &numbers, stride: 1 };
        let rows = MomentRows::new(&lists, &[0; WIDTH], |_| 0);
        assert_eq!(rows.block(0).slots.len(), 1);
        assert_eq!(rows.block(0).numbers[0].0, [3.0; WIDTH]);
    }
}
