//! Inside and outside, from the surface crossings of lines along the axes.

use super::Voxels;
use crate::weights::surface::WeldedSurface;

/// For each cell, the number of axes along which its center is inside.
pub(super) fn votes(surface: &WeldedSurface, voxels: &Voxels) -> Vec<u8> {
    let mut votes = vec![0_u8; voxels.is_solid.len()];
    for axis in 0..3 {
        vote_along(surface, voxels, axis, &mut votes);
    }
    votes
}

/// A crossing of a line with the surface: its position on the line, and +1 for entering or −1 for leaving.
type Crossing = (f32, i8);

/// The offset of a line in its cell, slightly off the center so that it misses corners and edges at round numbers.
const ASIDE: [f64; 2] = [0.5 + 1.2345e-4, 0.5 + 2.7183e-4];

fn vote_along(surface: &WeldedSurface, voxels: &Voxels, axis: usize, votes: &mut [u8]) {
    let [right, up] = [(axis + 1) % 3, (axis + 2) % 3];
    let (width, height) = (voxels.dims[right], voxels.dims[up]);
    let mut crossings: Vec<Vec<Crossing>> = vec![Vec::new(); width * height];
    for triangle in &surface.triangles {
        let corners = triangle.map(|p| voxels.grid_from_unit(surface.positions[p as usize]).to_array());
        let flat = corners.map(|c| [c[right] - ASIDE[0], c[up] - ASIDE[1], c[axis]]);
        cross(&flat, width, height, &mut crossings);
    }
    for (at, line) in crossings.iter_mut().enumerate() {
        // A line that does not leave as often as it enters passes through a hole, so it has no vote.
        if line.is_empty() || line.iter().map(|c| i32::from(c.1)).sum::<i32>() != 0 {
            continue;
        }
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut next, mut depth) = (0, 0_i32);
        let mut cell = [0; 3];
        (cell[right], cell[up]) = (at % width, at / width);
        for along in 0..voxels.dims[axis] {
            while let Some(c) = line.get(next).filter(|c| c.0 <= along as f32 + 0.5) {
                depth += i32::from(c.1);
                next += 1;
            }
            cell[axis] = along;
            votes[voxels.index(cell)] += u8::from(depth != 0);
        }
    }
}

/// Adds the crossings of one triangle, projected along the axis.
fn cross(corners: &[[f64; 3]; 3], width: usize, height: usize, crossings: &mut [Vec<Crossing>]) {
    let [a, b, c] = *corners;
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if area == 0.0 {
        return;
    }
    let range = |axis: usize, size: usize| {
        let low = a[axis].min(b[axis]).min(c[axis]).ceil().max(0.0);
        let high = a[axis].max(b[axis]).max(c[axis]).floor().min(size as f64 - 1.0);
        low as usize..if high < low { low as usize } else { high as usize + 1 }
    };
    let rows = range(1, height);
    for x in range(0, width) {
        for y in rows.clone() {
            let (px, py) = (x as f64, y as f64);
            let side =
                |u: [f64; 3], v: [f64; 3]| ((v[0] - u[0]) * (py - u[1]) - (v[1] - u[1]) * (px - u[0])) / area;
            let (of_a, of_b, of_c) = (side(b, c), side(c, a), side(a, b));
            if of_a >= 0.0 && of_b >= 0.0 && of_c >= 0.0 {
                let along = a[2] * of_a + b[2] * of_b + c[2] * of_c;
                crossings[y * width + x].push((along as f32, if area > 0.0 { 1 } else { -1 }));
            }
        }
    }
}
