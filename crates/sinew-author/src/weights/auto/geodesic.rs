//! Geodesic voxel binding: weights from the distance to each bone through the inside of the body.
//!
//! After Olivier Dionne and Martin de Lasa, 2013, "Geodesic Voxel Binding for Production Character Meshes".

use super::{
    heat_sources::HeatSources,
    solved_weights::{SolvedWeights, SparseWeights},
    voxels::Voxels,
};
use crate::{
    AuthorError, Progress,
    progress::tell,
    weights::{SkinBone, surface::WeldedSurface},
};
use sinew::glam::{DVec3, IVec3};
use std::{cmp::Reverse, collections::BinaryHeap};

/// A path is followed only up to this many times the distance to the nearest bone; beyond, the weight is under a thousandth.
const REACH: f64 = 3.5;

/// The falloff of weight with distance, relative to the nearest bone: `(nearest / distance)^FALL`.
const FALL: f64 = 6.0;

/// Finds the distances from each bone, cell by cell, and compares them at each point.
pub(super) fn geodesic(
    surface: &WeldedSurface,
    sources: &HeatSources,
    voxels: &Voxels,
    progress: Progress<'_>,
) -> Result<SolvedWeights, AuthorError> {
    let mut walk = GeodesicWalk::new(voxels);
    let columns = sources.slots.len();
    let all = (0..columns as u32).flat_map(|column| walk.starts(sources, column)).collect();
    walk.go(all, None);
    let nearest = walk.lengths.clone();
    let mut ways: Vec<SparseWeights> = vec![Vec::new(); surface.len()];
    for column in 0..columns as u32 {
        tell(progress, column as usize, columns)?;
        let starts = walk.starts(sources, column);
        walk.go(starts, Some(&nearest));
        for (point, &place) in surface.positions.iter().enumerate() {
            if let Some(way) = walk.length_at(place) {
                ways[point].push((column, way));
            }
        }
    }
    for (ways, &place) in ways.iter_mut().zip(&surface.positions) {
        if ways.is_empty() {
            // No path through the body leads here, so the straight distance counts.
            ways.extend(sources.distances(place));
        }
        let shortest = ways.iter().map(|w| w.1).fold(f64::INFINITY, f64::min).max(1e-9);
        ways.iter_mut().for_each(|way| way.1 = (shortest / way.1.max(shortest)).powf(FALL));
    }
    tell(progress, 1, 1)?;
    let cells = voxels.is_solid.iter().filter(|s| **s).count();
    Ok(SolvedWeights { weights: ways, parts_without_source: 0, cells })
}

/// The shortest paths from some cells to all others, and the memory to find them (Dijkstra).
struct GeodesicWalk<'a> {
    voxels: &'a Voxels,
    /// The distance to the center of each cell; infinite if it was not reached.
    lengths: Vec<f64>,
    reached: Vec<usize>,
    steps: Vec<(IVec3, f64)>,
}

impl<'a> GeodesicWalk<'a> {
    fn new(voxels: &'a Voxels) -> Self {
        let around = -1..=1;
        let steps = around.clone().flat_map(|x| {
            let around = -1..=1;
            around.flat_map(move |y| (-1..=1).map(move |z| IVec3::new(x, y, z)))
        });
        let steps = steps.filter(|s| *s != IVec3::ZERO).map(|s| (s, s.as_dvec3().length() * voxels.size));
        Self {
            voxels,
            lengths: vec![f64::INFINITY; voxels.is_solid.len()],
            reached: Vec::new(),
            steps: steps.collect(),
        }
    }

    /// The cells that the bones of `column` pass through, with the distance from the bone to the center of the cell.
    fn starts(&self, sources: &HeatSources, column: u32) -> Vec<(usize, f64)> {
        let mut starts = Vec::new();
        for bone in sources.bones.iter().filter(|b| b.column == column) {
            for place in bone.places(self.voxels.size) {
                if self.voxels.holds(place) {
                    let cell = self.voxels.cell_at(place);
                    let middle = self.voxels.center(cell);
                    let off = SkinBone::nearest(bone.head, bone.tail, middle).distance(middle);
                    starts.push((self.voxels.index(cell), off));
                }
            }
        }
        starts
    }

    /// Finds the distances from `starts`, up to [`REACH`] times `nearest` if it is given.
    fn go(&mut self, starts: Vec<(usize, f64)>, nearest: Option<&[f64]>) {
        self.reached.drain(..).for_each(|cell| self.lengths[cell] = f64::INFINITY);
        let mut open = BinaryHeap::new();
        for (cell, length) in starts {
            self.reach(cell, length, &mut open);
        }
        while let Some(Reverse((bits, cell))) = open.pop() {
            let length = f64::from_bits(bits);
            if length > self.lengths[cell] {
                continue;
            }
            let at = self.voxels.cell_of_index(cell);
            for step in 0..self.steps.len() {
                let (step, far) = self.steps[step];
                let Some(next) = self.voxels.neighbor(at, step) else { continue };
                let next = self.voxels.index(next);
                let limit = nearest.map_or(f64::INFINITY, |n| n[next].max(self.voxels.size) * REACH);
                if self.voxels.is_solid[next] && length + far <= limit {
                    self.reach(next, length + far, &mut open);
                }
            }
        }
    }

    /// Records a path to `cell` if it is the shortest so far. Lengths are not negative, so their bits sort in the same order.
    fn reach(&mut self, cell: usize, length: f64, open: &mut BinaryHeap<Reverse<(u64, usize)>>) {
        if length < self.lengths[cell] {
            if self.lengths[cell] == f64::INFINITY {
                self.reached.push(cell);
            }
            self.lengths[cell] = length;
            open.push(Reverse((length.to_bits(), cell)));
        }
    }

    /// The distance to `place` through the centers of the cells around it.
    fn length_at(&self, place: DVec3) -> Option<f64> {
        let cell = self.voxels.cell_at(place);
        if self.lengths[self.voxels.index(cell)] == f64::INFINITY {
            return None;
        }
        let around = self.steps.iter().filter_map(|(step, _)| self.voxels.neighbor(cell, *step));
        let over = |cell: [usize; 3]| {
            self.lengths[self.voxels.index(cell)] + self.voxels.center(cell).distance(place)
        };
        Some(around.map(over).fold(over(cell), f64::min))
    }
}
