//! The silhouette of a mesh as lines.

use std::collections::HashMap;

use super::project::{Source, TriangleList, View};
use crate::geometry::Geometry;
use crate::glam::Vec3;

/// Adds a line along every edge between a face that is seen from its front and one seen from its back, and
/// along open borders.
pub(super) fn add(list: &mut TriangleList, view: &View, geometry: &Geometry, width_px: f32, material: u32) {
    let positions = geometry.positions();
    for [from, to] in silhouette(view, geometry) {
        let ends = [from, to].map(|vertex| view.clip_from_world * positions[vertex as usize].extend(1.0));
        list.add_line(view, ends, width_px, 1.0, Source { material, face: 0, both_sides: true });
    }
}

fn silhouette(view: &View, geometry: &Geometry) -> Vec<[u32; 2]> {
    let same = welded(geometry.positions());
    let mut edges: Vec<([u32; 2], bool)> = Vec::with_capacity(geometry.triangles().len() * 3);
    for face in geometry.triangles().iter() {
        let [a, b, c] = face.map(|vertex| geometry.positions()[vertex as usize]);
        let normal = (b - a).cross(c - a);
        let front = normal.dot(view.towards_viewer(a)) > 0.0;
        let [a, b, c] = face.map(|vertex| same[vertex as usize]);
        edges.extend([[a, b], [b, c], [c, a]].map(|[x, y]| ([x.min(y), x.max(y)], front)));
    }
    edges.sort_unstable();
    edges
        .chunk_by(|one, other| one.0 == other.0)
        .filter(|group| {
            // Sorted: all back-facing ones stand first.
            let mixed = group.first().map(|edge| edge.1) != group.last().map(|edge| edge.1);
            mixed || group.len() == 1
        })
        .map(|group| group[0].0)
        .collect()
}

/// For each vertex the first one at the same place: seams split vertices, not silhouettes.
fn welded(positions: &[Vec3]) -> Vec<u32> {
    let mut first = HashMap::with_capacity(positions.len());
    (0u32..)
        .zip(positions)
        .map(|(vertex, position)| *first.entry(position.to_array().map(f32::to_bits)).or_insert(vertex))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;

    #[test]
    fn a_cube_seen_at_a_corner_has_six_silhouette_edges() {
        let positions = crate::camera::box_corners(Vec3::splat(-1.0), Vec3::ONE).to_vec();
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles: Vec<[u32; 3]> =
            quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let geometry = Geometry::new(positions, triangles).unwrap();
        let camera = Camera { eye: Vec3::splat(5.0), target: Vec3::ZERO, ..Camera::default() };
        let view = View::new(camera, 64, 64);
        assert_eq!(silhouette(&view, &geometry).len(), 6);
    }
}
