//! Voxelization of the body, robust against a broken surface.

mod columns;
mod overlap;

use crate::weights::surface::WeldedSurface;
use sinew::glam::{DVec3, IVec3};

/// A grid of cells around a mesh: which of them the surface passes through, and which lie inside.
///
/// A cell is solid if the surface passes through it, if it cannot be reached from outside, or if lines along at least two axes
/// agree that it is inside. So a body with holes is still filled, and a single sheet is a layer of cells.
pub(crate) struct Voxels {
    low: DVec3,
    /// The edge length of a cell, in unit-box space.
    pub(crate) size: f64,
    pub(crate) dims: [usize; 3],
    pub(crate) is_solid: Vec<bool>,
}

/// The maximum number of cells of a grid.
const MAX_CELLS: f64 = 8e6;

/// The maximum number of solid cells at a resolution of 120, at which a person has some 17,000.
const MAX_SOLID: f64 = 24e3;

impl Voxels {
    /// A grid with `resolution` cells along the diagonal of the mesh's bounding box, or fewer for a bulky body.
    ///
    /// The cost of solvers grows with the number of solid cells, and faster in a ball than in limbs.
    pub(crate) fn within_budget(surface: &WeldedSurface, resolution: u32) -> Self {
        let resolution = f64::from(resolution);
        let budget = MAX_SOLID * (resolution / 120.0).powi(3);
        let mut size = 1.0 / resolution;
        loop {
            let out = Self::new(surface, size);
            let solid = out.is_solid.iter().filter(|s| **s).count() as f64;
            if solid <= budget.max(1e3) || size > 0.25 {
                return out;
            }
            size *= (solid / budget).cbrt().max(1.05);
        }
    }

    /// A grid of cells with edges of about `size`, larger if there would be too many.
    pub(crate) fn new(surface: &WeldedSurface, size: f64) -> Self {
        let first = surface.positions.first().copied().unwrap_or_default();
        let (low, high) = surface.positions.iter().fold((first, first), |(l, h), &p| (l.min(p), h.max(p)));
        let extent = high - low;
        let cells = |size: f64| (extent / size + 3.0).floor();
        let mut size = size.max(1e-3);
        while cells(size).element_product() > MAX_CELLS {
            size *= 1.1;
        }
        let dims = cells(size).to_array().map(|n| n as usize);
        // An empty layer on all sides connects the outside.
        let slack = (DVec3::from_array(dims.map(|n| n as f64)) * size - extent) * 0.5;
        let count = dims[0] * dims[1] * dims[2];
        let mut out = Self { low: low - slack, size, dims, is_solid: vec![false; count] };
        overlap::mark(surface, &mut out);
        out.fill(surface);
        out
    }

    pub(crate) fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.dims[1] + y) * self.dims[0] + x
    }

    pub(crate) fn cell_of_index(&self, index: usize) -> [usize; 3] {
        let row = index / self.dims[0];
        [index % self.dims[0], row % self.dims[1], row / self.dims[1]]
    }

    /// Transforms `place` from unit-box space to cells from the corner of the grid.
    pub(super) fn grid_from_unit(&self, place: DVec3) -> DVec3 {
        (place - self.low) / self.size
    }

    /// The part of the segment from `head` to `tail` that may lie in the grid, as fractions of its length.
    pub(super) fn part_within(&self, head: DVec3, tail: DVec3) -> Option<[f64; 2]> {
        let (from, to) = (self.grid_from_unit(head).to_array(), self.grid_from_unit(tail).to_array());
        let (mut start, mut end) = (0.0_f64, 1.0_f64);
        for axis in 0..3 {
            let (from, way, size) = (from[axis], to[axis] - from[axis], self.dims[axis] as f64);
            let crossings = [-from / way, (size - from) / way];
            if way != 0.0 {
                start = start.max(crossings[0].min(crossings[1]));
                end = end.min(crossings[0].max(crossings[1]));
            } else if from < 0.0 || from > size {
                return None;
            }
        }
        (start <= end).then_some([start, end])
    }

    /// The center of a cell, in unit-box space.
    pub(crate) fn center(&self, cell: [usize; 3]) -> DVec3 {
        self.low + (DVec3::from_array(cell.map(|n| n as f64)) + 0.5) * self.size
    }

    /// The cell that contains `place`, or the nearest one.
    pub(super) fn cell_at(&self, place: DVec3) -> [usize; 3] {
        let at = self.grid_from_unit(place).to_array();
        std::array::from_fn(|axis| at[axis].clamp(0.0, (self.dims[axis] - 1) as f64) as usize)
    }

    /// True if `place` lies in a solid cell.
    pub(crate) fn holds(&self, place: DVec3) -> bool {
        let at = self.grid_from_unit(place);
        let dims = DVec3::from_array(self.dims.map(|n| n as f64));
        let is_within = at.cmpge(DVec3::ZERO).all() && at.cmplt(dims).all();
        is_within && self.is_solid[self.index(self.cell_at(place))]
    }

    /// The cell at offset `step`, if it is in the grid.
    pub(crate) fn neighbor(&self, cell: [usize; 3], step: IVec3) -> Option<[usize; 3]> {
        let mut out = cell;
        for (axis, step) in step.to_array().into_iter().enumerate() {
            out[axis] = cell[axis].checked_add_signed(step as isize).filter(|&n| n < self.dims[axis])?;
        }
        Some(out)
    }

    fn fill(&mut self, surface: &WeldedSurface) {
        let is_outside = self.reached_from_outside();
        let votes = columns::votes(surface, self);
        for (index, solid) in self.is_solid.iter_mut().enumerate() {
            *solid |= !is_outside[index] || votes[index] >= 2;
        }
    }

    /// The empty cells that are connected to the corner of the grid through faces, found row by row.
    fn reached_from_outside(&self) -> Vec<bool> {
        let [width, height, depth] = self.dims;
        let mut reached = vec![false; self.is_solid.len()];
        let mut work = vec![0_usize];
        while let Some(index) = work.pop() {
            let row = index / width * width;
            let is_open = |reached: &[bool], at: usize| !reached[at] && !self.is_solid[at];
            if !is_open(&reached, index) {
                continue;
            }
            let first = (row..index).rev().take_while(|&at| is_open(&reached, at)).last().unwrap_or(index);
            let last = (index..row + width).take_while(|&at| is_open(&reached, at)).last().unwrap_or(index);
            reached[first..=last].fill(true);
            let (y, z) = (row / width % height, row / (width * height));
            let plane = width * height;
            let beside = [(y > 0, -width.cast_signed()), (y + 1 < height, width.cast_signed())]
                .into_iter()
                .chain([(z > 0, -plane.cast_signed()), (z + 1 < depth, plane.cast_signed())]);
            for offset in beside.filter(|side| side.0).map(|side| side.1) {
                // One entry for each run of open cells.
                let mut was_open = false;
                for at in first..=last {
                    let at = at.wrapping_add_signed(offset);
                    let open = is_open(&reached, at);
                    if open && !was_open {
                        work.push(at);
                    }
                    was_open = open;
                }
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{Mesh, MeshParts, Primitive, Topology, glam::Vec3};

    /// A unit cube around the origin, without the faces in `open`.
    fn cube(open: &[usize]) -> WeldedSurface {
        let corner = |n: u32| Vec3::new((n & 1) as f32, ((n >> 1) & 1) as f32, (n >> 2) as f32) - 0.5;
        let faces = [[0, 2, 1, 3], [4, 5, 6, 7], [0, 1, 4, 5], [2, 6, 3, 7], [0, 4, 2, 6], [1, 3, 5, 7]];
        let closed = faces.iter().enumerate().filter(|(face, _)| !open.contains(face));
        let indices: Vec<u32> = closed.flat_map(|(_, &[a, b, c, d])| [a, b, c, b, d, c]).collect();
        let part = Primitive {
            vertices: 0..8,
            indices: 0..indices.len() as u32,
            topology: Topology::Triangles,
            material: None,
        };
        let positions = (0..8).map(corner).collect();
        let parts = MeshParts { positions, indices, primitives: vec![part], ..MeshParts::default() };
        WeldedSurface::new(&Mesh::new(parts).unwrap())
    }

    #[test]
    fn a_body_is_filled_whether_or_not_a_side_is_missing() {
        for open in [&[][..], &[1], &[0, 1]] {
            let surface = cube(open);
            let voxels = Voxels::new(&surface, 0.05);
            assert!(voxels.holds(DVec3::ZERO), "without {open:?}");
            assert!(voxels.holds(DVec3::new(0.1, -0.2, 0.2)), "without {open:?}");
            assert!(!voxels.holds(DVec3::splat(0.4)) && !voxels.holds(DVec3::splat(1e9)));
        }
    }

    #[test]
    fn one_side_alone_is_a_layer_and_every_vertex_lies_in_a_solid_cell() {
        let surface = cube(&[1, 2, 3, 4, 5]);
        let voxels = Voxels::new(&surface, 0.05);
        let side = surface.positions[0].z;
        assert!(voxels.holds(DVec3::new(0.1, 0.1, side)));
        assert!(!voxels.holds(DVec3::new(0.1, 0.1, side + 0.2)) && !voxels.holds(DVec3::ZERO));
        assert!(surface.positions.iter().all(|&p| voxels.holds(p)));
    }

    #[test]
    fn a_segment_is_cut_to_the_grid() {
        let voxels = Voxels::new(&cube(&[]), 0.05);
        let within = |head: [f64; 3], tail: [f64; 3]| voxels.part_within(head.into(), tail.into());
        let [start, end] = within([-1e6, 0.0, 0.1], [1e6, 0.0, 0.1]).unwrap();
        assert!((start - 0.5).abs() < 1e-6 && (end - 0.5).abs() < 1e-6 && start < end, "{start} to {end}");
        assert_eq!(within([0.0; 3], [0.1; 3]), Some([0.0, 1.0]));
        assert_eq!(within([0.0; 3], [0.0; 3]), Some([0.0, 1.0]));
        assert_eq!(within([-9.0, 9.0, 0.0], [9.0, 9.0, 0.0]), None);
        assert_eq!(within([9.0; 3], [9.5, 9.0, 9.0]), None);
    }

    #[test]
    fn a_bulky_body_gets_larger_cells() {
        let solid = |v: &Voxels| v.is_solid.iter().filter(|s| **s).count() as f64;
        let voxels = Voxels::within_budget(&cube(&[]), 120);
        assert!(solid(&voxels) <= MAX_SOLID && solid(&voxels) > MAX_SOLID * 0.3);
    }
}
