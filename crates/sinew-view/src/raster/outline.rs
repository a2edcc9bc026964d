//! The silhouette of a mesh as lines.

use std::collections::HashMap;

use super::project::{ProjectionSource, RasterView, TriangleList};
use crate::glam::{Vec3, Vec4};
use crate::layer::MeshLayer;

/// A line's width is at most this fraction of the square root of its part's area on the screen, so that small
/// parts are not hidden by their outlines.
const MAX_WIDTH_RATIO: f32 = 0.13;

/// Adds a line along every edge between a front-facing and a back-facing triangle, and
/// along open borders. Face ids separate the parts of a layer.
pub(super) fn add(
    list: &mut TriangleList,
    view: &RasterView,
    layer: &MeshLayer,
    width_px: f32,
    material: u32,
) {
    let geometry = layer.geometry();
    let clips: Vec<Vec4> =
        geometry.positions().iter().map(|position| view.clip_from_world * position.extend(1.0)).collect();
    let areas = areas(layer, view, &clips);
    for ([from, to], id) in silhouette(view, layer) {
        let room = areas.get(&id).map_or(f32::INFINITY, |area| area.sqrt() * MAX_WIDTH_RATIO);
        let ends = [from, to].map(|vertex| clips[vertex as usize]);
        list.add_line(
            view,
            ends,
            width_px.min(room),
            1.0,
            ProjectionSource { material, face: 0, both_sides: true },
        );
    }
}

/// Area in square pixels that each part covers; parts that reach behind the viewer are left out.
fn areas(layer: &MeshLayer, view: &RasterView, clips: &[Vec4]) -> HashMap<u32, f32> {
    let mut areas = HashMap::new();
    for (number, face) in layer.geometry().triangles().iter().enumerate() {
        let corners = face.map(|vertex| clips[vertex as usize]);
        if corners.iter().all(|clip| clip.is_finite() && clip.w >= view.near) {
            let [a, b, c] = corners.map(|clip| view.pixel(clip));
            // Front and back both count, so the sum is twice the area; the cross product is twice too.
            *areas.entry(layer.face_id(number).unwrap_or(0)).or_insert(0.0) +=
                (b - a).perp_dot(c - a).abs() * 0.25;
        }
    }
    areas
}

/// The ends of every silhouette edge and the id of the part it belongs to.
fn silhouette(view: &RasterView, layer: &MeshLayer) -> Vec<([u32; 2], u32)> {
    let geometry = layer.geometry();
    let same = welded(geometry.positions());
    let mut edges: Vec<(u32, [u32; 2], bool)> = Vec::with_capacity(geometry.triangles().len() * 3);
    for (number, face) in geometry.triangles().iter().enumerate() {
        let [a, b, c] = face.map(|vertex| geometry.positions()[vertex as usize]);
        let normal = (b - a).cross(c - a);
        let front = normal.dot(view.towards_viewer(a)) > 0.0;
        let [a, b, c] = face.map(|vertex| same[vertex as usize]);
        // Degenerate triangles, as at the poles of a sphere, have no facing.
        if a == b || b == c || c == a {
            continue;
        }
        let id = layer.face_id(number).unwrap_or(0);
        edges.extend([[a, b], [b, c], [c, a]].map(|[x, y]| (id, [x.min(y), x.max(y)], front)));
    }
    edges.sort_unstable();
    edges
        .chunk_by(|one, other| (one.0, one.1) == (other.0, other.1))
        .filter(|group| {
            // Sorted: all back-facing ones stand first.
            let mixed = group.first().map(|edge| edge.2) != group.last().map(|edge| edge.2);
            mixed || group.len() == 1
        })
        .map(|group| (group[0].1, group[0].0))
        .collect()
}

/// For each vertex the first one at the same position: seams split vertices, not silhouettes.
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
    use crate::color::Color;
    use crate::geometry::Geometry;
    use crate::paint::Paint;

    #[test]
    fn a_cube_viewed_from_a_corner_has_six_silhouette_edges() {
        let positions = crate::camera::box_corners(Vec3::splat(-1.0), Vec3::ONE).to_vec();
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles: Vec<[u32; 3]> =
            quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let geometry = Geometry::new(positions, triangles).unwrap();
        let layer = MeshLayer::new(geometry, Paint::Solid(Color::WHITE)).unwrap();
        let camera = Camera { eye: Vec3::splat(5.0), target: Vec3::ZERO, ..Camera::default() };
        let view = RasterView::new(camera, 64, 64);
        assert_eq!(silhouette(&view, &layer).len(), 6);
    }
}
