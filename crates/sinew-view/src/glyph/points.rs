use crate::color::Color;
use crate::geometry::{Geometry, GeometryError};
use crate::glam::Vec3;
use crate::layer::{Depth, MeshLayer};
use crate::paint::Paint;

const RINGS: u32 = 6;
const SLICES: u32 = 8;

/// A ball of `radius` meters at every point, such as the markers of a capture. Points that are not finite are left out.
///
/// # Errors
/// [`GeometryError`] if there are too many points for a mesh.
pub fn point_layer(points: &[Vec3], radius: f32, color: Color) -> Result<MeshLayer, GeometryError> {
    let (mut positions, mut normals, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for &center in points.iter().filter(|point| point.is_finite()) {
        let first = positions.len() as u32;
        for ring in 0..=RINGS {
            for slice in 0..=SLICES {
                let polar = ring as f32 / RINGS as f32 * std::f32::consts::PI;
                let around = slice as f32 / SLICES as f32 * std::f32::consts::TAU;
                let normal = Vec3::new(polar.sin() * around.cos(), polar.cos(), polar.sin() * -around.sin());
                positions.push(center + normal * radius);
                normals.push(normal);
            }
        }
        for ring in 0..RINGS {
            for slice in 0..SLICES {
                let a = first + ring * (SLICES + 1) + slice;
                let b = a + SLICES + 1;
                triangles.extend([[a, b, a + 1], [a + 1, b, b + 1]]);
            }
        }
    }
    let geometry = Geometry::new(positions, triangles)?.with_normals(normals)?;
    let mut layer = MeshLayer::new(geometry, Paint::Solid(color))?;
    layer.name = "points".to_owned();
    layer.depth = Depth::XRay { hidden_opacity: 0.25 };
    layer.casts_shadow = false;
    Ok(layer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_point_is_a_ball() {
        let layer = point_layer(&[Vec3::ONE, Vec3::NAN, Vec3::ZERO], 0.1, Color::WHITE).unwrap();
        let geometry = layer.geometry();
        assert_eq!(geometry.triangles().len(), 2 * (2 * RINGS * SLICES) as usize);
        let (low, high) = geometry.bounds().unwrap();
        assert!(low.distance(Vec3::splat(-0.1)) < 1e-6 && high.distance(Vec3::splat(1.1)) < 0.02);
    }
}
