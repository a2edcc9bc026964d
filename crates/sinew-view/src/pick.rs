//! Ray picking: the triangle under the pointer.

use crate::camera::Ray;
use crate::glam::Vec3;
use crate::layer::{Depth, MeshLayer};
use crate::scene::Scene;

/// The nearest intersection of a ray with a scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Index of the layer in the scene.
    pub layer: usize,
    /// Index of the triangle in the layer's geometry.
    pub face: usize,
    /// The triangle's id, such as a joint's index, if the layer has ids.
    pub id: Option<u32>,
    /// Distance from the ray's origin in meters.
    pub distance: f32,
    /// Intersection point in world space.
    pub position: Vec3,
    /// Barycentric weights of the triangle's three corners.
    pub weights: Vec3,
}

/// The nearest pickable triangle along a ray. X-ray layers take precedence, as they do in the picture.
pub fn pick(scene: &Scene, ray: Ray) -> Option<Hit> {
    let hits = |wanted_xray: bool| {
        let layers = scene.layers.iter().enumerate().filter_map(move |(number, layer)| {
            let is_wanted = matches!(layer.depth(), Depth::XRay { .. }) == wanted_xray;
            let mesh = layer.as_mesh().filter(|mesh| mesh.pickable && is_wanted)?;
            Some((number, mesh))
        });
        layers
            .filter_map(|(number, mesh)| pick_mesh(number, mesh, ray))
            .min_by(|one, other| one.distance.total_cmp(&other.distance))
    };
    hits(true).or_else(|| hits(false))
}

fn pick_mesh(layer: usize, mesh: &MeshLayer, ray: Ray) -> Option<Hit> {
    let positions = mesh.geometry().positions();
    let mut nearest: Option<Hit> = None;
    for (face, corners) in mesh.geometry().triangles().iter().enumerate() {
        let corners = corners.map(|vertex| positions[vertex as usize]);
        let Some((distance, weights)) = intersect(ray, corners) else { continue };
        if nearest.is_none_or(|hit| distance < hit.distance) {
            let position = ray.origin + ray.direction * distance;
            nearest = Some(Hit { layer, face, id: mesh.face_id(face), distance, position, weights });
        }
    }
    nearest
}

/// Distance and corner weights of the intersection of a ray with either side of a triangle.
fn intersect(ray: Ray, [a, b, c]: [Vec3; 3]) -> Option<(f32, Vec3)> {
    let (ab, ac) = (b - a, c - a);
    let cross = ray.direction.cross(ac);
    let determinant = ab.dot(cross);
    if determinant.is_nan() || determinant.abs() < f32::MIN_POSITIVE {
        return None;
    }
    let from_a = ray.origin - a;
    let second = from_a.dot(cross) / determinant;
    let other = from_a.cross(ab);
    let third = ray.direction.dot(other) / determinant;
    let distance = ac.dot(other) / determinant;
    let inside = second >= 0.0 && third >= 0.0 && second + third <= 1.0 && distance > 0.0;
    inside.then(|| (distance, Vec3::new(1.0 - second - third, second, third)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Camera;
    use crate::color::Color;
    use crate::geometry::Geometry;
    use crate::paint::Paint;

    fn wall(z: f32, id: u32) -> MeshLayer {
        let positions = vec![Vec3::new(-1.0, -1.0, z), Vec3::new(1.0, -1.0, z), Vec3::new(0.0, 2.0, z)];
        let geometry = Geometry::new(positions, vec![[0, 1, 2]]).unwrap();
        MeshLayer::new(geometry, Paint::Solid(Color::WHITE)).unwrap().with_face_ids(vec![id]).unwrap()
    }

    const AHEAD: Ray = Ray { origin: Vec3::new(0.0, 0.0, 5.0), direction: Vec3::NEG_Z };

    #[test]
    fn the_nearest_layer_is_hit() {
        let scene = Scene::new(Camera::default()).with(wall(0.0, 7)).with(wall(1.0, 8));
        let hit = pick(&scene, AHEAD).unwrap();
        assert_eq!((hit.layer, hit.face, hit.id), (1, 0, Some(8)));
        assert!((hit.distance - 4.0).abs() < 1e-6 && (hit.weights.element_sum() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn an_x_ray_layer_is_hit_through_a_nearer_one() {
        let mut bones = wall(0.0, 7);
        bones.depth = Depth::XRay { hidden_opacity: 0.5 };
        let scene = Scene::new(Camera::default()).with(bones).with(wall(1.0, 8));
        assert_eq!(pick(&scene, AHEAD).unwrap().id, Some(7));
    }

    #[test]
    fn a_ray_past_everything_hits_nothing() {
        let scene = Scene::new(Camera::default()).with(wall(0.0, 7));
        assert_eq!(pick(&scene, Ray { origin: Vec3::splat(9.0), ..AHEAD }), None);
        assert_eq!(pick(&scene, Ray { origin: Vec3::NAN, ..AHEAD }), None);
    }
}
