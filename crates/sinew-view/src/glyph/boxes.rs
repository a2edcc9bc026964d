use crate::camera::box_corners;
use crate::color::Color;
use crate::layer::{Depth, LineLayer, LineSegment};
use sinew::Aabb;

/// The edges of every box that is not empty.
pub fn box_layer(boxes: &[Aabb], color: Color) -> LineLayer {
    // Two corners share an edge if their indices differ in one bit.
    let edges =
        || (0..8_usize).flat_map(|from| [1, 2, 4].map(|axis| (from, from | axis))).filter(|(a, b)| a != b);
    let segments = boxes.iter().filter(|one| !one.is_empty()).flat_map(|one| {
        let corners = box_corners(one.min, one.max);
        edges().map(move |(a, b)| LineSegment {
            from: corners[a],
            to: corners[b],
            from_color: color,
            to_color: color,
        })
    });
    LineLayer { name: "bounds".to_owned(), segments: segments.collect(), width_px: 1.5, depth: Depth::Tested }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glam::Vec3;

    #[test]
    fn a_box_has_twelve_edges_and_an_empty_one_none() {
        let one = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        let layer = box_layer(&[one, Aabb::EMPTY], Color::WHITE);
        assert_eq!(layer.segments.len(), 12);
        assert!(layer.segments.iter().all(|s| (s.from.distance(s.to) - 1.0).abs() < 1e-6));
    }
}
