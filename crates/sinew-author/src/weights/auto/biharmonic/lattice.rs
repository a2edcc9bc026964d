//! The lattice of the corners of solid cells, and the tetrahedra between them.

use super::super::{heat_sources::HeatSources, system::MatrixEntry, voxels::Voxels};
use sinew::glam::DVec3;

/// Each corner of a solid cell is an unknown. Each cell is cut into six tetrahedra around its diagonal.
pub(super) struct VoxelLattice {
    /// The unknown at each corner of the grid, or [`NONE`].
    number: Vec<u32>,
    dims: [usize; 3],
    /// The conductance between adjacent corners, in both directions, as ranges into one list.
    first: Vec<u32>,
    pulls: Vec<(u32, f64)>,
    /// The volume that belongs to each corner, in cells.
    volume: Vec<f64>,
}

const NONE: u32 = u32::MAX;

/// The corners of a tetrahedron with the barycentric coordinates of a point in it.
pub(super) type CellCorners = [(usize, f64); 4];

/// The springs by which bones hold the weights.
pub(super) struct BoneSprings {
    /// The position of each spring, and the column whose weight is one there.
    pub(super) springs: Vec<(CellCorners, u32)>,
    /// The number of connected parts of the body without a bone.
    pub(super) parts_without_source: usize,
}

impl VoxelLattice {
    pub(super) fn new(voxels: &Voxels) -> Self {
        let dims = voxels.dims.map(|n| n + 1);
        let mut out = Self {
            number: vec![NONE; dims[0] * dims[1] * dims[2]],
            dims,
            first: Vec::new(),
            pulls: Vec::new(),
            volume: Vec::new(),
        };
        let mut edges: Vec<(u32, u32, f64)> = Vec::new();
        for index in (0..voxels.is_solid.len()).filter(|&i| voxels.is_solid[i]) {
            out.add_cell(voxels.cell_of_index(index), &mut edges);
        }
        let both = edges.iter().flat_map(|&(a, b, s)| [(a, b, s), (b, a, s)]);
        let mut both: Vec<(u32, u32, f64)> = both.collect();
        both.sort_unstable_by_key(|e| (e.0, e.1));
        both.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            kept.2 += if same { next.2 } else { 0.0 };
            same
        });
        out.first = vec![0; out.len() + 1];
        both.iter().for_each(|e| out.first[e.0 as usize + 1] += 1);
        for at in 0..out.len() {
            out.first[at + 1] += out.first[at];
        }
        out.pulls = both.into_iter().map(|(_, to, s)| (to, s)).collect();
        out
    }

    /// The number of unknowns.
    pub(super) fn len(&self) -> usize {
        self.volume.len()
    }

    fn corner(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.dims[1] + y) * self.dims[0] + x
    }

    fn add_cell(&mut self, cell: [usize; 3], edges: &mut Vec<(u32, u32, f64)>) {
        let corners: [u32; 8] = std::array::from_fn(|bits| {
            let at = self.corner(std::array::from_fn(|axis| cell[axis] + ((bits >> axis) & 1)));
            if self.number[at] == NONE {
                self.number[at] = self.volume.len() as u32;
                self.volume.push(0.0);
            }
            self.number[at]
        });
        for way in WAYS {
            // In these tetrahedra only the three edges along axes have a conductance, of a sixth each.
            let path = [0, 1 << way[0], (1 << way[0]) | (1 << way[1]), 7].map(|bits: usize| corners[bits]);
            path.iter().for_each(|&c| self.volume[c as usize] += 1.0 / 24.0);
            for pair in path.windows(2) {
                edges.push((pair[0].min(pair[1]), pair[0].max(pair[1]), 1.0 / 6.0));
            }
        }
    }

    fn pulls_of(&self, at: usize) -> &[(u32, f64)] {
        &self.pulls[self.first[at] as usize..self.first[at + 1] as usize]
    }

    /// The lower triangle of `L M⁻¹ L`.
    pub(super) fn squared_laplacian(&self) -> Vec<MatrixEntry> {
        let mut out = Vec::with_capacity(self.len() * 28);
        let mut row: Vec<(usize, f64)> = Vec::new();
        for at in 0..self.len() {
            row.clear();
            row.push((at, self.pulls_of(at).iter().map(|p| p.1).sum()));
            row.extend(self.pulls_of(at).iter().map(|&(to, s)| (to as usize, -s)));
            for &(a, of_a) in &row {
                for &(b, of_b) in row.iter().filter(|(b, _)| *b <= a) {
                    out.push(MatrixEntry::new(a, b, of_a * of_b / self.volume[at]));
                }
            }
        }
        out
    }

    /// The tetrahedron that contains `place`, which must lie in a solid cell.
    pub(super) fn corners_at(&self, voxels: &Voxels, place: DVec3) -> CellCorners {
        let cell = voxels.cell_at(place);
        let within = voxels.grid_from_unit(place) - DVec3::from_array(cell.map(|n| n as f64));
        let within = within.clamp(DVec3::ZERO, DVec3::ONE).to_array();
        let mut way = [0, 1, 2];
        way.sort_by(|&a, &b| within[b].total_cmp(&within[a]));
        let [x, y, z] = way.map(|axis| within[axis]);
        let mut at = cell;
        let mut corners = [(0, 0.0); 4];
        for (step, fraction) in [1.0 - x, x - y, y - z, z].into_iter().enumerate() {
            if let Some(axis) = step.checked_sub(1) {
                at[way[axis]] += 1;
            }
            let number = self.number[self.corner(at)];
            debug_assert_ne!(number, NONE, "the place must lie in a solid cell");
            corners[step] = (if number == NONE { 0 } else { number as usize }, fraction);
        }
        corners
    }

    pub(super) fn holds(&self, voxels: &Voxels, sources: &HeatSources) -> BoneSprings {
        let mut springs: Vec<(CellCorners, u32)> = Vec::new();
        for bone in &sources.bones {
            springs.extend(bone.places_in(voxels).map(|place| (self.corners_at(voxels, place), bone.column)));
        }
        let parts_without_source = self.hold_other_parts(voxels, sources, &mut springs);
        BoneSprings { springs, parts_without_source }
    }

    /// Holds every cell of the connected parts without a bone by its nearest bone.
    fn hold_other_parts(
        &self,
        voxels: &Voxels,
        sources: &HeatSources,
        springs: &mut Vec<(CellCorners, u32)>,
    ) -> usize {
        let mut is_reached = vec![false; self.len()];
        self.flood(springs.iter().flat_map(|s| s.0.map(|c| c.0)).collect(), &mut is_reached);
        let is_held = is_reached.clone();
        let mut parts = 0;
        for index in (0..voxels.is_solid.len()).filter(|&i| voxels.is_solid[i]) {
            let place = voxels.center(voxels.cell_of_index(index));
            let corners = self.corners_at(voxels, place);
            if is_held[corners[0].0] {
                continue;
            }
            springs.push((corners, sources.nearest_column(place)));
            if !is_reached[corners[0].0] {
                self.flood(vec![corners[0].0], &mut is_reached);
                parts += 1;
            }
        }
        parts
    }

    /// Marks all corners that are connected to `work`.
    fn flood(&self, mut work: Vec<usize>, is_reached: &mut [bool]) {
        work.iter().for_each(|&at| is_reached[at] = true);
        while let Some(at) = work.pop() {
            for &(to, _) in self.pulls_of(at) {
                if !is_reached[to as usize] {
                    is_reached[to as usize] = true;
                    work.push(to as usize);
                }
            }
        }
    }
}

/// The orders of axes in which the edges of a tetrahedron lead from one end of the diagonal to the other.
const WAYS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
