//! The cells that the surface passes through.

use super::Voxels;
use crate::weights::surface::WeldedSurface;
use sinew::glam::DVec3;

/// Marks every cell that a triangle or an isolated point touches.
pub(super) fn mark(surface: &WeldedSurface, voxels: &mut Voxels) {
    for triangle in &surface.triangles {
        let corners = triangle.map(|p| voxels.grid_from_unit(surface.positions[p as usize]));
        mark_triangle(&corners, voxels);
    }
    for &place in &surface.positions {
        let index = voxels.index(voxels.cell_at(place));
        voxels.is_solid[index] = true;
    }
}

/// Halves the block of cells around a triangle until single cells are left, and drops the halves that it misses.
fn mark_triangle(corners: &[DVec3; 3], voxels: &mut Voxels) {
    let low = corners[0].min(corners[1]).min(corners[2]).to_array();
    let high = corners[0].max(corners[1]).max(corners[2]).to_array();
    let clamp = |at: f64, axis: usize| at.clamp(0.0, (voxels.dims[axis] - 1) as f64) as usize;
    let from = std::array::from_fn(|axis| clamp(low[axis], axis));
    let to = std::array::from_fn(|axis| clamp(high[axis], axis) + 1);
    let mut work: Vec<([usize; 3], [usize; 3])> = vec![(from, to)];
    while let Some((from, to)) = work.pop() {
        let size: [usize; 3] = std::array::from_fn(|axis| to[axis] - from[axis]);
        let low = DVec3::from_array(from.map(|n| n as f64));
        let high = DVec3::from_array(to.map(|n| n as f64));
        if !touches(corners, (low + high) * 0.5, (high - low) * 0.5) {
            continue;
        }
        let axis = (0..3).max_by_key(|&axis| size[axis]).unwrap_or(0);
        if size[axis] == 1 {
            let index = voxels.index(from);
            voxels.is_solid[index] = true;
            continue;
        }
        let middle = from[axis] + size[axis] / 2;
        let (mut end, mut start) = (to, from);
        end[axis] = middle;
        start[axis] = middle;
        work.extend([(from, end), (start, to)]);
    }
}

/// True if no axis separates the triangle from the box with `center` and half extents `half` (separating axis test).
fn touches(corners: &[DVec3; 3], center: DVec3, half: DVec3) -> bool {
    let [a, b, c] = corners.map(|p| p - center);
    let apart = |axis: DVec3| {
        let reach = half.dot(axis.abs());
        let (a, b, c) = (a.dot(axis), b.dot(axis), c.dot(axis));
        a.min(b).min(c) > reach || a.max(b).max(c) < -reach
    };
    let sides = [b - a, c - b, a - c];
    let across = || sides.into_iter().flat_map(|s| DVec3::AXES.map(|axis| s.cross(axis)));
    !DVec3::AXES.into_iter().any(apart) && !apart(sides[0].cross(sides[1])) && !across().any(apart)
}
