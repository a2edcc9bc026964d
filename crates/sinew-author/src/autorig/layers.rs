//! Horizontal layers of a body, and their connected patches.

use super::solid::Solid;
use sinew::glam::DVec3;

/// A connected patch of a layer.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    /// The number of cells.
    pub(super) count: usize,
    /// The mean place of its cells.
    pub(super) center: DVec3,
    /// The place farthest from the outside.
    pub(super) deepest: DVec3,
    /// The distance of that place from the outside.
    pub(super) radius: f64,
    pub(super) low: DVec3,
    pub(super) high: DVec3,
}

impl Patch {
    /// True if the patch crosses the plane at `x`.
    pub(super) fn crosses(&self, x: f64) -> bool {
        self.low.x < x && self.high.x > x
    }

    /// The side of the patch: 1 to the left of the plane at `x`, −1 to the right, 0 across it.
    pub(super) fn side(&self, x: f64) -> i32 {
        if self.crosses(x) {
            0
        } else if self.center.x > x {
            1
        } else {
            -1
        }
    }
}

/// The patches of each layer, from the ground up.
pub(super) struct Layers {
    pub(super) patches: Vec<Vec<Patch>>,
    /// The height of the middle of the lowest layer, and of a layer.
    lowest: f64,
    size: f64,
}

impl Layers {
    pub(super) fn of(solid: &Solid) -> Self {
        let voxels = &solid.voxels;
        let rows = voxels.dims[1];
        let mut is_open = voxels.is_solid.clone();
        let mut patches = vec![Vec::new(); rows];
        for start in 0..is_open.len() {
            if is_open[start] {
                patches[voxels.cell_of_index(start)[1]].push(patch(solid, start, &mut is_open));
            }
        }
        Self { patches, lowest: voxels.center([0, 0, 0]).y, size: voxels.size }
    }

    /// The index of the layer at height `y`.
    pub(super) fn at(&self, y: f64) -> usize {
        (((y - self.lowest) / self.size).round().max(0.0) as usize).min(self.patches.len().saturating_sub(1))
    }

    /// The height of the middle of a layer.
    pub(super) fn height(&self, layer: usize) -> f64 {
        self.lowest + layer as f64 * self.size
    }

    /// The largest patch at height `y` for which `accept` is true.
    pub(super) fn largest(&self, y: f64, accept: impl Fn(&Patch) -> bool) -> Option<&Patch> {
        let of_layer = self.patches.get(self.at(y))?;
        of_layer.iter().filter(|patch| accept(patch)).max_by_key(|patch| patch.count)
    }
}

fn patch(solid: &Solid, start: usize, is_open: &mut [bool]) -> Patch {
    let voxels = &solid.voxels;
    let first = voxels.center(voxels.cell_of_index(start));
    let mut out =
        Patch { count: 0, center: DVec3::ZERO, deepest: first, radius: 0.0, low: first, high: first };
    let mut work = vec![start];
    is_open[start] = false;
    while let Some(index) = work.pop() {
        let cell = voxels.cell_of_index(index);
        let place = voxels.center(cell);
        out.count += 1;
        out.center += place;
        (out.low, out.high) = (out.low.min(place), out.high.max(place));
        let radius = solid.radius_at(index);
        if radius > out.radius {
            (out.radius, out.deepest) = (radius, place);
        }
        for (axis, step) in [(0, 1), (0, -1), (2, 1), (2, -1)] {
            let mut next = cell;
            let Some(moved) = cell[axis].checked_add_signed(step).filter(|&n| n < voxels.dims[axis]) else {
                continue;
            };
            next[axis] = moved;
            let next = voxels.index(next);
            if std::mem::replace(&mut is_open[next], false) {
                work.push(next);
            }
        }
    }
    out.center /= out.count as f64;
    out
}
