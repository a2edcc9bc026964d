//! Compares GPU picking with ray picking.

use sinew_view::glam::{Vec2, Vec3};
use sinew_view::layer::{Depth, SceneLayer};
use sinew_view::paint::Paint;
use sinew_view::pick::pick;
use sinew_view::scene::Scene;

use super::super::{PickRegion, nearest_vertex};
use super::{on_device, subject};

const SIDE: u32 = 160;

fn scene() -> Scene {
    let mut scene = subject::scene().with(subject::layer(subject::clay()));
    for mut bone in subject::bones() {
        bone.depth = Depth::XRay { hidden_opacity: 0.5 };
        scene.layers.push(bone.into());
    }
    scene
}

#[test]
fn every_pixel_gives_the_hit_of_its_ray_with_x_ray_layers_first() {
    let scene = scene();
    let whole = PickRegion { x: 0, y: 0, width: SIDE, height: SIDE };
    on_device(|bench| {
        let (device, queue) = (&bench.gpu.device, &bench.gpu.queue);
        let read = bench.renderer.pick(device, queue, &scene, (SIDE, SIDE), whole).unwrap();
        let picked = read.wait(device).unwrap();
        let (mut same, mut hits, mut other, mut layers) = (0, 0, 0, [0; 3]);
        for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
            let middle = (Vec2::new(x as f32, y as f32) + 0.5) / SIDE as f32;
            let ray = scene.camera.ray(Vec2::new(middle.x * 2.0 - 1.0, 1.0 - middle.y * 2.0), 1.0);
            let (got, want) = (picked.hit(&scene, x, y), pick(&scene, ray));
            match (got, want) {
                (Some(got), Some(want)) => {
                    hits += 1;
                    layers[want.layer] += 1;
                    if (got.layer, got.face, got.id) == (want.layer, want.face, want.id) {
                        same += 1;
                        assert!((got.distance - want.distance).abs() < 1e-4);
                        assert!(got.weights.abs_diff_eq(want.weights, 1e-3));
                        assert!(got.position.abs_diff_eq(want.position, 1e-4));
                    }
                }
                (None, None) => {}
                _ => other += 1,
            }
        }
        // The GPU rounds corners to 1/256 pixel: rays through edges may hit the neighbor.
        assert!(hits > 3000 && same as f32 > hits as f32 * 0.98, "{same} of {hits}");
        assert!(other < 20, "{other}");
        assert!(layers.iter().all(|&count| count > 20), "{layers:?}");
    });
}

#[test]
fn a_single_pixel_gives_the_same_hit_as_the_whole_picture() {
    let scene = scene();
    on_device(|bench| {
        let (device, queue) = (&bench.gpu.device, &bench.gpu.queue);
        let whole = PickRegion { x: 0, y: 0, width: SIDE, height: SIDE };
        let all = bench.renderer.pick(device, queue, &scene, (SIDE, SIDE), whole).unwrap();
        let all = all.wait(device).unwrap();
        let mut hits = 0;
        for (x, y) in [(60, 80), (70, 40), (52, 130), (3, 3), (159, 0), (75, 66)] {
            let mut read =
                bench.renderer.pick(device, queue, &scene, (SIDE, SIDE), PickRegion::pixel(x, y)).unwrap();
            device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
            let one = read.try_take().unwrap().unwrap();
            assert!(read.try_take().is_none());
            assert_eq!(one.face_at(x, y), all.face_at(x, y));
            assert_eq!(one.face_at(x + 1, y), None);
            hits += usize::from(one.face_at(x, y).is_some());
        }
        assert!(hits >= 3, "{hits}");
    });
}

#[test]
fn layers_that_are_not_pickable_are_ignored() {
    let mut scene = subject::scene().with(subject::layer(Paint::Solid(sinew_view::color::Color::WHITE)));
    if let SceneLayer::Mesh(mesh) = &mut scene.layers[0] {
        mesh.pickable = false;
    }
    on_device(|bench| {
        let (device, queue) = (&bench.gpu.device, &bench.gpu.queue);
        let region = PickRegion { x: 40, y: 40, width: 60, height: 60 };
        let read = bench.renderer.pick(device, queue, &scene, (SIDE, SIDE), region).unwrap();
        let picked = read.wait(device).unwrap();
        assert!((40..100).all(|place| picked.face_at(place, place).is_none()));
    });
}

#[test]
fn a_box_contains_exactly_its_visible_vertices() {
    let scene = subject::scene().with(subject::layer(subject::clay()));
    let geometry = subject::limb();
    on_device(|bench| {
        let (device, queue) = (&bench.gpu.device, &bench.gpu.queue);
        let region = PickRegion { x: 20, y: 50, width: 70, height: 60 };
        let read = bench.renderer.pick(device, queue, &scene, (SIDE, SIDE), region).unwrap();
        let visible = read.wait(device).unwrap().vertices(&scene, 0);
        assert!(visible.is_sorted() && visible.len() > 60, "{}", visible.len());
        let normals = geometry.normals().unwrap();
        for (vertex, &position) in geometry.positions().iter().enumerate() {
            let clip =
                scene.camera.clip_from_view(1.0) * scene.camera.view_from_world() * position.extend(1.0);
            let pixel = Vec2::new(clip.x / clip.w * 0.5 + 0.5, 0.5 - clip.y / clip.w * 0.5) * SIDE as f32;
            let inside = (20.0..90.0).contains(&pixel.x) && (50.0..110.0).contains(&pixel.y);
            let facing = normals[vertex].dot((scene.camera.eye - position).normalize());
            let is_visible = visible.contains(&u32::try_from(vertex).unwrap());
            if is_visible {
                assert!(inside && facing > -0.3, "{vertex} at {pixel} turns by {facing}");
            }
            if inside && facing > 0.3 {
                assert!(is_visible, "{vertex} at {pixel}");
            }
        }
    });
}

#[test]
fn the_nearest_vertex_of_a_hit_is_a_corner_of_its_triangle() {
    let scene = subject::scene().with(subject::layer(subject::clay()));
    let hit = pick(&scene, scene.camera.ray(Vec2::new(-0.3, -0.2), 1.0)).unwrap();
    let vertex = nearest_vertex(&scene, &hit).unwrap();
    let positions = subject::limb().positions().to_vec();
    let corners = subject::limb().triangles()[hit.face];
    assert!(corners.contains(&vertex));
    let distance = |vertex: u32| (positions[vertex as usize] - hit.position).length();
    assert!(corners.iter().all(|&corner| distance(vertex) <= distance(corner)));
    assert_ne!(hit.position, Vec3::ZERO);
}

#[test]
fn an_empty_scene_has_nothing_to_pick() {
    let scene = subject::scene();
    on_device(|bench| {
        let (device, queue) = (&bench.gpu.device, &bench.gpu.queue);
        let read = bench.renderer.pick(device, queue, &scene, (SIDE, SIDE), PickRegion::pixel(5, 5)).unwrap();
        assert_eq!(read.wait(device).unwrap().face_at(5, 5), None);
    });
}
