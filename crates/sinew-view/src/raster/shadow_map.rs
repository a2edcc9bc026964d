//! Shadow map of the key light.
//!
//! Shadow casters are drawn from the light as a picture of depths. A point is lit as far as the depths around
//! it are not nearer to the light; the mean over a small square makes the edge soft.

use crate::glam::{Mat3, Vec2, Vec3};
use crate::layer::{MeshLayer, SceneLayer};

/// Texels along the longer side of the map.
const SIDE: f32 = 768.0;

/// How often all texels together may be drawn over. Characters need a few times; a file with thousands of triangles over
/// each other has incomplete shadows.
const MAX_OVERDRAW: usize = 64;

/// Filter radius in texels.
const REACH: i32 = 2;

/// Depths towards the light, over a rectangle perpendicular to it.
#[derive(Debug)]
pub(super) struct RasterShadowMap {
    /// World to light axes: X and Y across, Z towards the light.
    light_from_world: Mat3,
    corner: Vec2,
    texels_per_meter: f32,
    width: usize,
    height: usize,
    nearest: Vec<f32>,
}

impl RasterShadowMap {
    /// `None` if no layer casts a shadow.
    pub(super) fn new(layers: &[SceneLayer], towards_light: Vec3) -> Option<Self> {
        let across = towards_light.any_orthonormal_vector();
        let light_from_world =
            Mat3::from_cols(across, towards_light.cross(across), towards_light).transpose();
        let meshes = || layers.iter().filter_map(caster);
        let (low, high) = meshes()
            .flat_map(|mesh| mesh.geometry().positions().iter())
            .filter(|position| position.is_finite())
            .map(|&position| (light_from_world * position).truncate())
            .fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
        let size = high - low;
        let longer = size.max_element();
        let texels_per_meter = SIDE / longer;
        // Of something smaller than floats can divide by, nothing is seen.
        if !size.is_finite() || longer <= 0.0 || !texels_per_meter.is_finite() {
            return None;
        }
        let border = (REACH + 2) as f32;
        let texels = (size * texels_per_meter).ceil() + 2.0 * border;
        let (width, height) = (texels.x as usize, texels.y as usize);
        let mut map = Self {
            light_from_world,
            corner: low - border / texels_per_meter,
            texels_per_meter,
            width,
            height,
            nearest: vec![f32::NEG_INFINITY; width * height],
        };
        let mut texels_left = MAX_OVERDRAW * map.nearest.len();
        meshes().for_each(|mesh| map.draw(mesh, &mut texels_left));
        Some(map)
    }

    /// Texel coordinates across and depth in meters towards the light.
    fn locate(&self, world: Vec3) -> Vec3 {
        let place = self.light_from_world * world;
        ((place.truncate() - self.corner) * self.texels_per_meter).extend(place.z)
    }

    /// Draws a mesh, as far as `texels_left` reach.
    fn draw(&mut self, mesh: &MeshLayer, texels_left: &mut usize) {
        let places: Vec<Vec3> =
            mesh.geometry().positions().iter().map(|&position| self.locate(position)).collect();
        for face in mesh.geometry().triangles().iter() {
            let corners = face.map(|vertex| places[vertex as usize]);
            if corners.iter().all(|corner| corner.is_finite()) {
                self.draw_triangle(corners, texels_left);
            }
        }
    }

    fn draw_triangle(&mut self, [a, b, c]: [Vec3; 3], texels_left: &mut usize) {
        let (ab, ac) = ((b - a).truncate(), (c - a).truncate());
        let area = ab.perp_dot(ac);
        if area == 0.0 {
            return;
        }
        let limit = Vec2::new(self.width as f32 - 1.0, self.height as f32 - 1.0);
        let low = (a.min(b).min(c).truncate() - 0.5).ceil().max(Vec2::ZERO);
        let high = (a.max(b).max(c).truncate() - 0.5).floor().min(limit);
        let visited = (high - low + 1.0).max(Vec2::ZERO);
        let Some(left) = texels_left.checked_sub((visited.x * visited.y) as usize) else { return };
        *texels_left = left;
        let mut row = low.y;
        while row <= high.y {
            let mut column = low.x;
            while column <= high.x {
                let from_a = Vec2::new(column + 0.5, row + 0.5) - a.truncate();
                let (second, third) = (from_a.perp_dot(ac) / area, ab.perp_dot(from_a) / area);
                if second >= 0.0 && third >= 0.0 && second + third <= 1.0 {
                    let depth = a.z + (b.z - a.z) * second + (c.z - a.z) * third;
                    let texel = &mut self.nearest[row as usize * self.width + column as usize];
                    *texel = texel.max(depth);
                }
                column += 1.0;
            }
            row += 1.0;
        }
    }

    /// The fraction of the light that reaches a point, 0 to 1.
    pub(super) fn light_at(&self, world: Vec3, normal: Vec3) -> f32 {
        // An offset along the normal keeps a surface from shadowing itself between texels.
        let step = 1.6 / self.texels_per_meter;
        let place = self.locate(world + normal * step);
        let texel = place.truncate() - 0.5;
        let corner = texel.floor();
        let part = texel - corner;
        if !corner.is_finite() {
            return 1.0;
        }
        // Neighbors are compared with the plane of the surface, not with one depth: a tilted surface would
        // shadow itself.
        let tilt = self.light_from_world * normal;
        let slope = -tilt.truncate() / (tilt.z.max(0.2) * self.texels_per_meter);
        let depth = place.z + step * 0.5 - slope.dot(part);
        let (column, row) = (corner.x as i32, corner.y as i32);
        let mut sum = 0.0;
        // The filter square moves continuously: its first and last column and row count in part.
        for dy in -REACH..=REACH + 1 {
            let weight_y = edge_weight(dy, part.y);
            for dx in -REACH..=REACH + 1 {
                let plane = depth + slope.x * dx as f32 + slope.y * dy as f32;
                if self.depth(column + dx, row + dy) <= plane {
                    sum += weight_y * edge_weight(dx, part.x);
                }
            }
        }
        let side = (2 * REACH + 1) as f32;
        (sum / (side * side)).clamp(0.0, 1.0)
    }

    fn depth(&self, column: i32, row: i32) -> f32 {
        match (usize::try_from(column), usize::try_from(row)) {
            (Ok(column), Ok(row)) if column < self.width && row < self.height => {
                self.nearest[row * self.width + column]
            }
            _ => f32::NEG_INFINITY,
        }
    }
}

fn edge_weight(step: i32, part: f32) -> f32 {
    match step {
        step if step == -REACH => 1.0 - part,
        step if step == REACH + 1 => part,
        _ => 1.0,
    }
}

/// The opaque meshes that cast shadows.
fn caster(layer: &SceneLayer) -> Option<&MeshLayer> {
    layer.as_mesh().filter(|mesh| mesh.casts_shadow && mesh.opacity >= 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::Color;
    use crate::geometry::Geometry;
    use crate::paint::Paint;

    fn plate(height: f32, half: f32) -> SceneLayer {
        let corners = [(-half, -half), (half, -half), (half, half), (-half, half)];
        let positions: Vec<Vec3> = corners.iter().map(|&(x, z)| Vec3::new(x, height, z)).collect();
        let geometry = Geometry::new(positions, vec![[0, 2, 1], [0, 3, 2]]).unwrap();
        MeshLayer::new(geometry, Paint::Solid(Color::WHITE)).unwrap().into()
    }

    #[test]
    fn a_point_under_a_plate_is_dark_and_one_beside_it_is_lit() {
        let map = RasterShadowMap::new(&[plate(0.0, 2.0), plate(1.0, 0.5)], Vec3::Y).unwrap();
        assert_eq!(map.light_at(Vec3::new(0.1, 0.0, 0.2), Vec3::Y), 0.0);
        assert!(map.light_at(Vec3::new(0.9, 0.0, 0.2), Vec3::Y) > 0.999_99);
        assert!(map.light_at(Vec3::new(0.1, 1.0, 0.2), Vec3::Y) > 0.999_99);
        let edge = map.light_at(Vec3::new(0.5, 0.0, 0.0), Vec3::Y);
        assert!((0.2..0.8).contains(&edge), "{edge}");
    }

    #[test]
    fn a_mesh_that_is_too_small_to_divide_by_has_no_shadow() {
        assert!(RasterShadowMap::new(&[plate(0.0, 1e-37)], Vec3::Y).is_none());
        assert!(RasterShadowMap::new(&[plate(0.0, 1e-30)], Vec3::Y).is_some());
    }

    #[test]
    fn a_tilted_surface_does_not_shadow_itself() {
        let light = Vec3::new(0.5, 0.6, 0.3).normalize();
        let map = RasterShadowMap::new(&[plate(0.0, 1.0)], light).unwrap();
        for step in 0..50 {
            let place = Vec3::new(step as f32 * 0.037 - 0.9, 0.0, 0.013 * step as f32);
            let lit = map.light_at(place, Vec3::Y);
            assert!(lit > 0.999_99, "{lit} at {place}");
        }
    }
}
