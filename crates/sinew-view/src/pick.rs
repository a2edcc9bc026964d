//! Ray picking: the triangle under the pointer.

use crate::camera::Ray;
use crate::glam::Vec3;
use crate::layer::{Depth, MeshLayer};
use crate::scene::Scene;
use sinew::{Aabb, bounds::triangle_hit};

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
    let (positions, triangles) = (mesh.geometry().positions(), mesh.geometry().triangles());
    let corners = |face: usize| triangles[face].map(|vertex| positions[vertex as usize]);
    let mut nearest: Option<Hit> = None;
    let mut test = |face: usize| {
        let Some((distance, weights)) = triangle_hit(ray.origin, ray.direction, corners(face)) else {
            return;
        };
        if nearest.is_none_or(|hit| distance < hit.distance) {
            let position = ray.origin + ray.direction * distance;
            nearest = Some(Hit { layer, face, id: mesh.face_id(face), distance, position, weights });
        }
    };
    let Some(groups) = &mesh.face_groups else {
        (0..triangles.len()).for_each(test);
        return nearest;
    };
    for group in groups.iter() {
        let points = group.iter().flat_map(|&face| corners(face as usize));
        let bounds = points.fold(Aabb::EMPTY, |b, p| Aabb { min: b.min.min(p), max: b.max.max(p) });
        if bounds.grown(bounds.diagonal() * 1e-5).entry(ray.origin, ray.direction).is_some() {
            group.iter().for_each(|&face| test(face as usize));
        }
    }
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::{Camera, CameraLens, Orbit};
    use crate::color::Color;
    use crate::geometry::Geometry;
    use crate::layer::SceneLayer;
    use crate::paint::Paint;
    use crate::stage::{Stage, StageOptions, StageTextures};

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
    fn groups_of_faces_change_nothing_but_the_work() {
        let figure = sinew_samples::figure();
        let mut frame = sinew::Frame::new(&figure);
        frame.deform(sinew::Method::Linear).unwrap();
        let stage = Stage::new(&figure, &StageTextures::default(), StageOptions::default());
        let camera = stage.camera(&frame, Orbit::THREE_QUARTER, CameraLens::default());
        let grouped = stage.scene(&frame, camera).unwrap();
        let mut plain = grouped.clone();
        for layer in &mut plain.layers {
            if let SceneLayer::Mesh(mesh) = layer {
                assert!(mesh.face_groups.take().is_some_and(|groups| groups.len() > 1), "{}", mesh.name);
            }
        }
        let mut hits = 0;
        for nth in 0..80 {
            let origin = Vec3::new(0.02 * nth as f32 - 0.8, 0.022 * nth as f32, 4.0);
            let ray = Ray { origin, direction: Vec3::NEG_Z };
            let hit = pick(&grouped, ray);
            assert_eq!(hit, pick(&plain, ray), "ray {nth}");
            hits += usize::from(hit.is_some());
        }
        assert!(hits > 10, "{hits}");
    }

    #[test]
    fn a_ray_past_everything_hits_nothing() {
        let scene = Scene::new(Camera::default()).with(wall(0.0, 7));
        assert_eq!(pick(&scene, Ray { origin: Vec3::splat(9.0), ..AHEAD }), None);
        assert_eq!(pick(&scene, Ray { origin: Vec3::NAN, ..AHEAD }), None);
    }
}
