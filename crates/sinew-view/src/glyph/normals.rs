use crate::color::Color;
use crate::geometry::Geometry;
use crate::layer::{Depth, LineLayer, LineSegment};

/// A line of `length` meters along the normal of every vertex; a mesh without normals gets none.
pub fn normals_layer(geometry: &Geometry, length: f32) -> LineLayer {
    let (root, tip) = (Color::hex(0x1f5fbf), Color::hex(0x35c3e8));
    let segments: Vec<LineSegment> = geometry
        .normals()
        .map(|normals| normals.iter().zip(geometry.positions().iter()))
        .into_iter()
        .flatten()
        .map(|(&normal, &position)| LineSegment {
            from: position,
            to: position + normal * length,
            from_color: root,
            to_color: tip,
        })
        .collect();
    LineLayer { name: "normals".to_owned(), segments: segments.into(), width_px: 1.0, depth: Depth::Tested }
}
