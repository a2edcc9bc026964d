//! Visibility of points behind the surfaces of a scene.

use super::Projected;
use crate::camera::Camera;
use crate::glam::{Vec2, Vec3};
use crate::layer::SceneLayer;
use crate::scene::Scene;

/// Depths of a scene's surfaces in a coarse grid over the picture, to separate visible points from hidden ones.
pub struct Depths {
    view: Projected,
    width: usize,
    height: usize,
    /// Reversed depth: larger is nearer; minus infinity without a surface.
    nearest: Vec<f32>,
}

impl Depths {
    /// The surfaces of the layers of `scene` that `hides` selects, for a picture of the given aspect ratio.
    ///
    /// Triangles that reach behind the camera hide nothing.
    pub fn new(scene: &Scene, aspect: f32, hides: impl Fn(usize) -> bool) -> Self {
        const HEIGHT: usize = 512;
        let aspect = if aspect.is_finite() { aspect.clamp(0.1, 10.0) } else { 1.0 };
        let width = (HEIGHT as f32 * aspect) as usize;
        let view = Projected::new(&scene.camera, aspect);
        let mut out = Self { view, width, height: HEIGHT, nearest: vec![f32::NEG_INFINITY; width * HEIGHT] };
        for (number, layer) in scene.layers.iter().enumerate() {
            let SceneLayer::Mesh(mesh) = layer else { continue };
            if hides(number) {
                out.add(mesh.geometry().positions(), mesh.geometry().triangles());
            }
        }
        out
    }

    fn add(&mut self, positions: &[Vec3], triangles: &[[u32; 3]]) {
        let placed: Vec<Option<Vec3>> = positions.iter().map(|point| self.cell(*point)).collect();
        for corners in triangles {
            if let [Some(a), Some(b), Some(c)] = corners.map(|corner| placed[corner as usize]) {
                self.cover([a, b, c]);
            }
        }
    }

    /// The position of a point in the grid, with its depth.
    fn cell(&self, point: Vec3) -> Option<Vec3> {
        let (place, depth) = self.view.place(point)?;
        let cell = (place * Vec2::new(0.5, 0.5) + 0.5) * Vec2::new(self.width as f32, self.height as f32);
        Some(cell.extend(depth))
    }

    fn cover(&mut self, [a, b, c]: [Vec3; 3]) {
        let area = (b - a).truncate().perp_dot((c - a).truncate());
        let low = a.min(b).min(c).truncate();
        let high = a.max(b).max(c).truncate();
        if area == 0.0 || !(low.is_finite() && high.is_finite()) {
            return;
        }
        let range = |low: f32, high: f32, end: usize| {
            let first = (low - 0.5).ceil().clamp(0.0, end as f32) as usize;
            first..((high - 0.5).floor().clamp(-1.0, end as f32 - 1.0) + 1.0) as usize
        };
        for y in range(low.y, high.y, self.height) {
            for x in range(low.x, high.x, self.width) {
                let at = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let second = (at - a.truncate()).perp_dot((c - a).truncate()) / area;
                let third = (b - a).truncate().perp_dot(at - a.truncate()) / area;
                if second >= 0.0 && third >= 0.0 && second + third <= 1.0 {
                    let depth = a.z + (b.z - a.z) * second + (c.z - a.z) * third;
                    let nearest = &mut self.nearest[y * self.width + x];
                    *nearest = nearest.max(depth);
                }
            }
        }
    }

    /// Whether `point` is in the picture and no surface lies clearly in front of it.
    pub fn shows(&self, camera: &Camera, point: Vec3) -> bool {
        // A vertex lies on its own surface: it is compared a little nearer to the eye, and with the farthest
        // of the cells around it, because a cell stores the depth at its middle only.
        let towards = (camera.eye - point) * 0.01;
        let (Some(cell), Some(nearer)) = (self.cell(point), self.view.place(point + towards)) else {
            return false;
        };
        let inside = |value: f32, end: usize| value >= 0.0 && value < end as f32;
        if !inside(cell.x, self.width) || !inside(cell.y, self.height) {
            return false;
        }
        let around = |value: f32, end: usize| {
            let middle = value as usize;
            middle.saturating_sub(1)..=(middle + 1).min(end - 1)
        };
        let cells = around(cell.y, self.height)
            .flat_map(|y| around(cell.x, self.width).map(move |x| y * self.width + x));
        let open = cells.map(|cell| self.nearest[cell]).fold(f32::INFINITY, f32::min);
        open <= nearer.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Projection;
    use crate::color::Color;
    use crate::geometry::Geometry;
    use crate::layer::MeshLayer;
    use crate::paint::Paint;

    fn scene() -> Scene {
        let wall = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| Vec3::new(x, y, 0.0));
        let geometry = Geometry::new(wall.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let camera = Camera {
            eye: Vec3::new(0.0, 0.0, 6.0),
            target: Vec3::ZERO,
            up: Vec3::Y,
            projection: Projection::Perspective { fov_y_radians: 0.7 },
            near: 0.01,
        };
        Scene::new(camera).with(MeshLayer::new(geometry, Paint::Solid(Color::WHITE)).unwrap())
    }

    #[test]
    fn a_wall_hides_what_is_behind_it_and_not_its_own_points() {
        let scene = scene();
        let depths = Depths::new(&scene, 1.0, |_| true);
        let shows = |x: f32, y: f32, z: f32| depths.shows(&scene.camera, Vec3::new(x, y, z));
        assert!(shows(0.0, 0.0, 0.0) && shows(0.9, -0.3, 0.0) && shows(-1.0, -1.0, 0.0), "on the wall");
        assert!(shows(0.2, 0.2, 1.0), "before it");
        assert!(!shows(0.2, 0.2, -1.0), "behind it");
        assert!(shows(1.6, 0.2, -1.0), "beside it");
        assert!(!shows(90.0, 0.0, 0.0) && !shows(0.0, 0.0, 9.0), "not in the picture");
    }

    #[test]
    fn a_layer_that_hides_nothing_is_left_out() {
        let scene = scene();
        let depths = Depths::new(&scene, 1.0, |_| false);
        assert!(depths.shows(&scene.camera, Vec3::new(0.2, 0.2, -1.0)));
    }
}
