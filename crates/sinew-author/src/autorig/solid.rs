//! The solid that meshes enclose, in a frame with x to the left of the body, y up and z forward.

use crate::weights::{InnerDistance, Voxels, WeldedSurface};
use sinew::glam::{DVec3, IVec3};
use std::{cmp::Reverse, collections::BinaryHeap};

/// Cells along the diagonal of the body; a bulky one gets fewer.
const RESOLUTION: u32 = 150;

/// The solid cells of a body.
pub(super) struct Solid {
    pub(super) voxels: Voxels,
    /// The grid index of each solid cell.
    pub(super) cells: Vec<u32>,
    /// The number of each cell of the grid, or [`NONE`].
    number: Vec<u32>,
    /// The center of each solid cell.
    pub(super) places: Vec<DVec3>,
    /// The distance of each solid cell to the outside.
    pub(super) radii: Vec<f64>,
    pub(super) low: DVec3,
    pub(super) high: DVec3,
}

const NONE: u32 = u32::MAX;

impl Solid {
    pub(super) fn new(surface: &WeldedSurface) -> Self {
        let voxels = Voxels::within_budget(surface, RESOLUTION);
        let inner = InnerDistance::new(&voxels);
        let cells: Vec<u32> =
            (0..voxels.is_solid.len() as u32).filter(|&index| voxels.is_solid[index as usize]).collect();
        let mut number = vec![NONE; voxels.is_solid.len()];
        cells.iter().zip(0..).for_each(|(&index, n)| number[index as usize] = n);
        let place = |&index: &u32| voxels.center(voxels.cell_of_index(index as usize));
        let places: Vec<DVec3> = cells.iter().map(place).collect();
        let radii = places.iter().map(|&place| inner.at(&voxels, place)).collect();
        let first = surface.positions.first().copied().unwrap_or_default();
        let (low, high) = surface.positions.iter().fold((first, first), |(l, h), &p| (l.min(p), h.max(p)));
        Self { voxels, cells, number, places, radii, low, high }
    }

    /// The distance to the outside of the solid cell at a grid index.
    pub(super) fn radius_at(&self, index: usize) -> f64 {
        self.radii.get(self.number[index] as usize).copied().unwrap_or(0.0)
    }

    /// The edge length of a cell.
    pub(super) fn size(&self) -> f64 {
        self.voxels.size
    }

    /// The fraction of cells whose mirror image about the plane at `middle` across `axis` is solid as well.
    pub(super) fn symmetry(&self, axis: usize, middle: f64) -> f64 {
        let mirrored = |place: &&DVec3| {
            let mut place = **place;
            place[axis] = 2.0 * middle - place[axis];
            self.voxels.holds(place)
        };
        self.places.iter().filter(mirrored).count() as f64 / self.places.len().max(1) as f64
    }

    /// The solid cells around a cell.
    pub(super) fn neighbors(&self, cell: usize) -> impl Iterator<Item = usize> + '_ {
        let at = self.voxels.cell_of_index(self.cells[cell] as usize);
        let steps = (0..27_i32).filter(|n| *n != 13).map(|n| IVec3::new(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1));
        steps.filter_map(move |step| {
            let next = self.voxels.neighbor(at, step)?;
            let number = self.number[self.voxels.index(next)];
            (number != NONE).then_some(number as usize)
        })
    }

    /// The cells of the path from `start` to the first cell that is a `goal`, along the middle of the body: a step costs its
    /// length divided by the squared distance to the outside.
    pub(super) fn centered_path(&self, start: usize, goal: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut from = vec![usize::MAX; self.cells.len()];
        let mut cost = vec![f64::INFINITY; self.cells.len()];
        let mut open = BinaryHeap::from([Reverse((0_u64, start))]);
        cost[start] = 0.0;
        while let Some(Reverse((bits, cell))) = open.pop() {
            if f64::from_bits(bits) > cost[cell] {
                continue;
            }
            if goal(cell) {
                let mut path = vec![cell];
                while from[path[path.len() - 1]] != usize::MAX {
                    path.push(from[path[path.len() - 1]]);
                }
                path.reverse();
                return path;
            }
            for next in self.neighbors(cell) {
                let radius = self.radii[next].max(self.size() * 0.5) / self.size();
                let far = self.places[cell].distance(self.places[next]);
                let total = cost[cell] + far / (radius * radius);
                if total < cost[next] {
                    (cost[next], from[next]) = (total, cell);
                    open.push(Reverse((total.to_bits(), next)));
                }
            }
        }
        vec![start]
    }

    /// The length of the shortest path from `start` to each cell through the body; infinite for other parts.
    pub(super) fn lengths_from(&self, start: usize) -> Vec<f64> {
        let mut length = vec![f64::INFINITY; self.cells.len()];
        let mut open = BinaryHeap::from([Reverse((0_u64, start))]);
        length[start] = 0.0;
        while let Some(Reverse((bits, cell))) = open.pop() {
            if f64::from_bits(bits) > length[cell] {
                continue;
            }
            for next in self.neighbors(cell) {
                let total = length[cell] + self.places[cell].distance(self.places[next]);
                if total < length[next] {
                    length[next] = total;
                    open.push(Reverse((total.to_bits(), next)));
                }
            }
        }
        length
    }

    /// The cell nearest to `place`.
    pub(super) fn nearest(&self, place: DVec3) -> usize {
        let far = |cell: &usize| self.places[*cell].distance_squared(place);
        (0..self.places.len()).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0)
    }
}
