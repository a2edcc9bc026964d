use crate::camera::box_corners;
use crate::color::Color;
use crate::glam::Affine3A;
use crate::layer::{Depth, LineLayer, LineSegment};
use sinew::Aabb;

/// A box in a space of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxGlyph {
    /// The box; an empty one is not drawn.
    pub bounds: Aabb,
    /// From the space of the box to the world.
    pub world_from_box: Affine3A,
    /// Color of the edges.
    pub color: Color,
}

impl BoxGlyph {
    /// A box along the axes of the world.
    pub fn upright(bounds: Aabb, color: Color) -> Self {
        Self { bounds, world_from_box: Affine3A::IDENTITY, color }
    }
}

/// The edges of every box that is not empty.
pub fn box_layer(boxes: &[BoxGlyph], depth: Depth) -> LineLayer {
    // Two corners share an edge if their indices differ in one bit.
    let edges =
        || (0..8_usize).flat_map(|from| [1, 2, 4].map(|axis| (from, from | axis))).filter(|(a, b)| a != b);
    let segments = boxes.iter().filter(|one| !one.bounds.is_empty()).flat_map(|one| {
        let corners = box_corners(one.bounds.min, one.bounds.max);
        let corners = corners.map(|corner| one.world_from_box.transform_point3(corner));
        edges().map(move |(a, b)| LineSegment::new(corners[a], corners[b], one.color))
    });
    LineLayer { name: "boxes".to_owned(), segments: segments.collect(), width_px: 1.5, depth }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glam::Vec3;

    #[test]
    fn a_box_has_twelve_edges_and_an_empty_one_none() {
        let one = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        let turned = BoxGlyph {
            world_from_box: Affine3A::from_rotation_y(0.7),
            ..BoxGlyph::upright(one, Color::WHITE)
        };
        let layer = box_layer(&[turned, BoxGlyph::upright(Aabb::EMPTY, Color::WHITE)], Depth::Tested);
        assert_eq!(layer.segments.len(), 12);
        assert!(layer.segments.iter().all(|s| (s.from.distance(s.to) - 1.0).abs() < 1e-6));
    }
}
