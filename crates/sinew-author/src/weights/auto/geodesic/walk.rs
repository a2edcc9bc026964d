//! Shortest paths through the solid cells of a body, from all bones at once.

use super::super::{heat_sources::HeatSources, solved_weights::SparseWeights, voxels::Voxels};
use crate::{AuthorError, Progress, progress::tell, weights::SkinBone};
use sinew::glam::{DVec3, IVec3};
use std::{cmp::Reverse, collections::BinaryHeap};

/// The length of the shortest path from a bone of a column to the center of a cell.
#[derive(Clone, Copy, Debug)]
struct CellPath {
    column: u32,
    length: f64,
}

/// The shortest paths from bones to all cells, of the nearest columns of each cell (Dijkstra).
///
/// A path to a cell leads only through cells for which its column is one of the nearest as well, so the work is bounded by
/// the number of cells and of columns that are kept, however many bones there are.
pub(super) struct GeodesicWalk<'a> {
    voxels: &'a Voxels,
    /// The number of each solid cell of the grid, or [`NONE`].
    number: Vec<u32>,
    /// The grid index of each solid cell.
    cells: Vec<u32>,
    /// The paths to each solid cell, at most `kept`.
    paths: Vec<Vec<CellPath>>,
    kept: usize,
    steps: Vec<(IVec3, f64)>,
    /// The number of paths that were followed to the neighbors of a cell.
    pub(super) followed: usize,
}

const NONE: u32 = u32::MAX;

/// A path in the queue: the bits of its length, the number of its last cell and its column. Lengths are not negative, so
/// their bits sort in the same order.
type OpenPath = Reverse<(u64, u32, u32)>;

impl<'a> GeodesicWalk<'a> {
    /// A walk that keeps the paths of the `kept` nearest columns of each cell.
    pub(super) fn new(voxels: &'a Voxels, kept: usize) -> Self {
        let around = || -1..=1;
        let steps = around().flat_map(|x| around().flat_map(move |y| around().map(move |z| [x, y, z])));
        let steps = steps.map(IVec3::from_array).filter(|s| *s != IVec3::ZERO);
        let mut number = vec![NONE; voxels.is_solid.len()];
        let solid = (0..number.len() as u32).filter(|&index| voxels.is_solid[index as usize]);
        let cells: Vec<u32> = solid.collect();
        cells.iter().zip(0..).for_each(|(&index, n)| number[index as usize] = n);
        Self {
            voxels,
            number,
            paths: vec![Vec::new(); cells.len()],
            cells,
            kept,
            steps: steps.map(|s| (s, s.as_dvec3().length() * voxels.size)).collect(),
            followed: 0,
        }
    }

    /// The number of solid cells.
    pub(super) fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// The length of the shortest path to a solid cell; infinite if there is none.
    pub(super) fn shortest(&self, cell: usize) -> f64 {
        self.paths[cell].iter().map(|path| path.length).fold(f64::INFINITY, f64::min)
    }

    /// Finds the paths from every bone to the cells in which they are no longer than `limit`.
    pub(super) fn go(
        &mut self,
        sources: &HeatSources,
        limit: impl Fn(usize) -> f64,
        progress: Progress<'_>,
    ) -> Result<(), AuthorError> {
        let mut open = self.start(sources);
        let expected = self.cells.len() * self.kept.min(sources.slots.len());
        while let Some(Reverse((bits, cell, column))) = open.pop() {
            let length = f64::from_bits(bits);
            if !self.paths[cell as usize].iter().any(|p| p.column == column && p.length >= length) {
                continue;
            }
            if self.followed.is_multiple_of(1 << 14) {
                tell(progress, self.followed.min(expected), expected)?;
            }
            self.followed += 1;
            self.follow(cell, CellPath { column, length }, &limit, &mut open);
        }
        self.paths.iter_mut().for_each(|paths| paths.sort_unstable_by_key(|p| p.column));
        Ok(())
    }

    /// The cells that bones pass through, each with the distance from the bone to the center of the cell.
    fn start(&mut self, sources: &HeatSources) -> BinaryHeap<OpenPath> {
        let mut open = BinaryHeap::new();
        for bone in &sources.bones {
            for place in bone.places_in(self.voxels) {
                let cell = self.voxels.cell_at(place);
                let middle = self.voxels.center(cell);
                let length = SkinBone::nearest(bone.head, bone.tail, middle).distance(middle);
                let number = self.number[self.voxels.index(cell)];
                self.reach(number, CellPath { column: bone.column, length }, &mut open);
            }
        }
        open
    }

    /// Extends a path to all neighbors of its last cell.
    fn follow(
        &mut self,
        cell: u32,
        path: CellPath,
        limit: &impl Fn(usize) -> f64,
        open: &mut BinaryHeap<OpenPath>,
    ) {
        let at = self.voxels.cell_of_index(self.cells[cell as usize] as usize);
        for step in 0..self.steps.len() {
            let (step, far) = self.steps[step];
            let Some(next) = self.voxels.neighbor(at, step) else { continue };
            let next = self.number[self.voxels.index(next)];
            let length = path.length + far;
            if next != NONE && length <= limit(next as usize) {
                self.reach(next, CellPath { length, ..path }, open);
            }
        }
    }

    /// Records a path to `cell` if it is the shortest of its column so far and its column is one of the nearest.
    fn reach(&mut self, cell: u32, path: CellPath, open: &mut BinaryHeap<OpenPath>) {
        let paths = &mut self.paths[cell as usize];
        if let Some(own) = paths.iter_mut().find(|p| p.column == path.column) {
            if path.length >= own.length {
                return;
            }
            *own = path;
        } else if paths.len() < self.kept {
            paths.push(path);
        } else {
            // A longer path has not been followed yet, because paths are followed in the order of their lengths.
            let longest = paths.iter_mut().max_by(|a, b| a.length.total_cmp(&b.length));
            let Some(longest) = longest.filter(|longest| path.length < longest.length) else { return };
            *longest = path;
        }
        open.push(Reverse((path.length.to_bits(), cell, path.column)));
    }

    /// For each place, the columns that reach its cell with the shortest way through the centers of the cells around it.
    pub(super) fn lengths_at(&self, places: &[DVec3], columns: usize) -> Vec<SparseWeights> {
        let mut best = vec![f64::INFINITY; columns];
        places.iter().map(|&place| self.lengths_to(place, &mut best)).collect()
    }

    /// The columns that reach the cell of `place`, with their lengths. `best` is scratch memory: infinite before and after.
    fn lengths_to(&self, place: DVec3, best: &mut [f64]) -> SparseWeights {
        let cell = self.voxels.cell_at(place);
        let mut own: SparseWeights = Vec::new();
        self.for_each_path(cell, place, |column, length| own.push((column, length)));
        own.iter().for_each(|&(column, length)| best[column as usize] = length);
        for next in self.steps.iter().filter_map(|(step, _)| self.voxels.neighbor(cell, *step)) {
            self.for_each_path(next, place, |column, length| {
                let best = &mut best[column as usize];
                // Only columns that reach the cell of the place itself are finite.
                *best = if best.is_finite() { best.min(length) } else { *best };
            });
        }
        for (column, length) in &mut own {
            *length = std::mem::replace(&mut best[*column as usize], f64::INFINITY);
        }
        own
    }

    /// Calls `visit` with every path to `cell`, prolonged from its center to `place`.
    fn for_each_path(&self, cell: [usize; 3], place: DVec3, mut visit: impl FnMut(u32, f64)) {
        let number = self.number[self.voxels.index(cell)];
        let Some(paths) = self.paths.get(number as usize).filter(|paths| !paths.is_empty()) else { return };
        let rest = self.voxels.center(cell).distance(place);
        paths.iter().for_each(|path| visit(path.column, path.length + rest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        uninterrupted,
        weights::{BoneSet, SkinBone, surface::WeldedSurface},
    };

    /// The walk through the figure from `copies` bones for each of its own, all in the same places.
    fn followed(copies: u16) -> (usize, Vec<SparseWeights>) {
        let figure = sinew_samples::figure();
        let own = BoneSet::of_character(&figure, 0);
        let slots = own.slot_count() as u16;
        let copy = |k: u16| own.bones().iter().map(move |b| SkinBone { slot: b.slot + k * slots, ..*b });
        let bones = BoneSet::new(usize::from(slots * copies), (0..copies).flat_map(copy));
        let surface = WeldedSurface::new(&figure.meshes()[0]);
        let voxels = Voxels::new(&surface, 1.0 / 40.0);
        let sources = HeatSources::new(&surface, &bones, &voxels, 0.2, &[]);
        let mut walk = GeodesicWalk::new(&voxels, 32);
        walk.go(&sources, |_| f64::INFINITY, &mut uninterrupted).unwrap();
        (walk.followed, walk.lengths_at(&surface.positions, sources.slots.len()))
    }

    #[test]
    fn the_work_does_not_grow_with_the_number_of_bones() {
        let (few, lengths) = followed(2);
        let (many, of_many) = followed(1000);
        assert!(many <= few + few / 4, "{many} paths from a thousand bones in each place, {few} from two");
        let shortest = |s: &SparseWeights| s.iter().map(|way| way.1).fold(f64::INFINITY, f64::min);
        // Cells next to each other may keep other joints of those in the same place, so the way is longer by up to two cells.
        let is_near =
            |(a, b): (&SparseWeights, &SparseWeights)| (shortest(a) - shortest(b)).abs() < 2.0 / 40.0;
        assert!(lengths.iter().zip(&of_many).all(is_near));
    }
}
