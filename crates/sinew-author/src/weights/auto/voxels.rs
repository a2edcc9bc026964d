//! Voxelization of the body, robust against a broken surface.

mod columns;
mod overlap;

use crate::weights::surface::WeldedSurface;
use sinew::glam::{DVec3, IVec3};

/// A grid of cells around a mesh: which of them the surface passes through, and which lie inside.
///
/// A cell is solid if the surface passes through it, if it cannot be reached from outside, or if lines along at least two axes
/// agree that it is inside. So a body with holes is still filled, and a single sheet is a layer of cells.
pub(super) struct Voxels {
    low: DVec3,
    /// The edge length of a cell, in unit-box space.
    pub(super) size: f64,
    pub(super) dims: [usize; 3],
    pub(super) is_solid: Vec<bool>,
}

/// The maximum number of cells of a grid.
const MAX_CELLS: f64 = 8e6;

/// The maximum number of solid cells at a resolution of 120, at which a person has some 17,000.
const MAX_SOLID: f64 = 24e3;

impl Voxels {
    /// A grid with `resolution` cells along the diagonal of the mesh's bounding box, or fewer for a bulky body.
    ///
    /// The cost of solvers grows with the number of solid cells, and faster in a ball than in limbs.
    pub(super) fn within_budget(surface: &WeldedSurface, resolution: u32) -> Self {
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
    pub(super) fn new(surface: &WeldedSurface, size: f64) -> Self {
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

    pub(super) fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.dims[1] + y) * self.dims[0] + x
    }

    pub(super) fn cell_of_index(&self, index: usize) -> [usize; 3] {
        let row = index / self.dims[0];
        [index % self.dims[0], row % self.dims[1], row / self.dims[1]]
    }

    /// Transforms `place` from unit-box space to cells from the corner of the grid.
    pub(super) fn grid_from_unit(&self, place: DVec3) -> DVec3 {
        (place - self.low) / self.size
    }

    /// The center of a cell, in unit-box space.
    pub(super) fn center(&self, cell: [usize; 3]) -> DVec3 {
        self.low + (DVec3::from_array(cell.map(|n| n as f64)) + 0.5) * self.size
    }

    /// The cell that contains `place`, or the nearest one.
    pub(super) fn cell_at(&self, place: DVec3) -> [usize; 3] {
        let at = self.grid_from_unit(place).to_array();
        std::array::from_fn(|axis| at[axis].clamp(0.0, (self.dims[axis] - 1) as f64) as usize)
    }

    /// True if `place` lies in a solid cell.
    pub(super) fn holds(&self, place: DVec3) -> bool {
        let at = self.grid_from_unit(place);
        let dims = DVec3::from_array(self.dims.map(|n| n as f64));
        let is_within = at.cmpge(DVec3::ZERO).all() && at.cmplt(dims).all();
        is_within && self.is_solid[self.index(self.cell_at(place))]
    }

    /// The cell at offset `step`, if it is in the grid.
    pub(super) fn neighbor(&self, cell: [usize; 3], step: IVec3) -> Option<[usize; 3]> {
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

    /// The empty cells that are connected to the corner of the grid through faces.
    fn reached_from_outside(&self) -> Vec<bool> {
        let mut reached = vec![false; self.is_solid.len()];
        reached[0] = true;
        let mut work = vec![0_usize];
        while let Some(index) = work.pop() {
            let cell = self.cell_of_index(index);
            for step in FACES {
                let Some(next) = self.neighbor(cell, step) else { continue };
                let next = self.index(next);
                if !reached[next] && !self.is_solid[next] {
                    reached[next] = true;
                    work.push(next);
                }
            }
        }
        reached
    }
}

/// The offsets of the six cells that share a face.
pub(super) const FACES: [IVec3; 6] = [IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y, IVec3::Z, IVec3::NEG_Z];

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
    fn a_bulky_body_gets_larger_cells() {
        let solid = |v: &Voxels| v.is_solid.iter().filter(|s| **s).count() as f64;
        let voxels = Voxels::within_budget(&cube(&[]), 120);
        assert!(solid(&voxels) <= MAX_SOLID && solid(&voxels) > MAX_SOLID * 0.3);
    }
}
