//! Invalid input gives a picture, never a panic.

use crate::subject;
use sinew_view::camera::Projection;
use sinew_view::color::Color;
use sinew_view::geometry::Geometry;
use sinew_view::glam::Vec3;
use sinew_view::layer::{Depth, LineLayer, LineSegment, LineStroke, MeshLayer};
use sinew_view::paint::Paint;
use sinew_view::picture::Picture;
use sinew_view::raster::{MAX_SIDE, RenderError, RenderOptions, SampleCount, render};
use sinew_view::scene::Scene;

const ODD: [f32; 8] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e38, -1e30, 1e-40, 0.0, -0.0];

fn draw(scene: &Scene) -> Picture {
    render(scene, &RenderOptions::new(70, 45)).unwrap()
}

fn decorated(geometry: Geometry) -> MeshLayer {
    let values: Vec<f32> = (0..geometry.positions().len()).map(|index| ODD[index % ODD.len()]).collect();
    let mut layer = MeshLayer::new(geometry, Paint::heat(values)).unwrap();
    layer.wire = Some(LineStroke { width_px: 1.5, color: Color::BLACK });
    layer.outline = Some(LineStroke { width_px: 3.0, color: Color::BLACK });
    layer
}

#[test]
fn a_broken_vertex_hides_only_its_triangles() {
    let whole = subject::limb();
    let mut positions = whole.positions().to_vec();
    for (index, &value) in ODD.iter().enumerate().take(4) {
        positions[500 + index] = Vec3::splat(value);
    }
    let broken = whole.moved(positions).unwrap();
    let plain = |geometry| {
        draw(&subject::scene().with(MeshLayer::new(geometry, Paint::Solid(Color::hex(0xaa2200))).unwrap()))
    };
    let (whole, broken) = (plain(whole.smoothed()), plain(broken.smoothed()));
    let differing = whole.pixels().iter().zip(broken.pixels()).filter(|(a, b)| a != b).count();
    assert!(differing < whole.pixels().len() / 5, "{differing} pixels differ");
}

#[test]
fn every_mix_of_odd_coordinates_is_drawn_or_skipped() {
    let mut positions = vec![Vec3::new(0.1, 0.9, 0.0), Vec3::new(0.3, 1.0, 0.1)];
    for x in ODD {
        for y in ODD {
            positions.push(Vec3::new(x, y, 0.5));
        }
    }
    let count = positions.len() as u32;
    let triangles: Vec<[u32; 3]> = (0..count).map(|index| [0, 1, index]).collect();
    let segments: Vec<LineSegment> =
        positions.iter().map(|&end| LineSegment::new(Vec3::ONE, end, Color::WHITE)).collect();
    let lines = LineLayer {
        segments: segments.into(),
        width_px: f32::NAN,
        depth: Depth::XRay { hidden_opacity: f32::NAN },
        ..LineLayer::default()
    };
    let wide = LineLayer { width_px: 1e30, depth: Depth::Tested, ..lines.clone() };
    let geometry = Geometry::new(positions, triangles).unwrap();
    draw(&subject::scene().with(decorated(geometry)).with(lines).with(wide));
}

#[test]
fn degenerate_triangles_cover_nothing() {
    let positions = vec![Vec3::ZERO, Vec3::ONE, Vec3::ONE * 0.5, Vec3::ONE];
    let geometry = Geometry::new(positions, vec![[0, 1, 2], [0, 0, 0], [1, 3, 1], [0, 1, 3]]).unwrap();
    let layer = MeshLayer::new(geometry, Paint::Solid(Color::BLACK)).unwrap();
    let mut empty = subject::scene();
    empty.ground = None;
    let picture = draw(&empty.clone().with(layer));
    assert_eq!(picture, draw(&empty));
}

#[test]
fn any_camera_gives_a_picture() {
    let mut scene = subject::scene().with(decorated(subject::limb()));
    let good = scene.camera;
    for value in ODD {
        for place in [Vec3::splat(value), Vec3::new(0.0, value, 0.2)] {
            for projection in [
                Projection::Perspective { fov_y_radians: value },
                Projection::Orthographic { height: value },
                good.projection,
            ] {
                scene.camera.eye = place;
                scene.camera.up = Vec3::splat(value);
                scene.camera.near = value;
                scene.camera.projection = projection;
                draw(&scene);
                scene.camera = good;
                scene.camera.projection = projection;
                draw(&scene);
            }
        }
    }
}

#[test]
fn a_camera_inside_the_mesh_shows_its_inside() {
    let mut scene = Scene::new(subject::camera()).with(subject::layer(Paint::Solid(Color::hex(0xcc0000))));
    scene.camera.eye = subject::JOINTS[0].lerp(subject::JOINTS[1], 0.3);
    scene.camera.target = subject::JOINTS[1];
    let picture = draw(&scene);
    let red = picture.pixels().iter().filter(|pixel| pixel[0] > 2 * pixel[2].max(8)).count();
    assert!(red > picture.pixels().len() * 9 / 10, "{red} of {}", picture.pixels().len());
}

#[test]
fn picture_sizes_from_zero_to_the_limit_are_handled() {
    let scene = subject::scene().with(subject::layer(Paint::Solid(Color::WHITE)));
    for (width, height) in [(0, 0), (0, 9), (9, 0), (1, 1), (1, 33), (33, 1)] {
        for samples in [SampleCount::One, SampleCount::Four, SampleCount::Eight, SampleCount::Sixteen] {
            let picture = render(&scene, &RenderOptions { width, height, samples }).unwrap();
            assert_eq!((picture.width(), picture.height()), (width, height));
        }
    }
    let (width, height) = (MAX_SIDE + 1, 1);
    let rejected = render(&scene, &RenderOptions::new(width, height));
    assert_eq!(rejected, Err(RenderError::TooLarge { width, height }));
}

#[test]
fn an_invalid_ground_and_invalid_lights_give_a_picture() {
    for value in ODD {
        let mut scene = subject::scene().with(subject::layer(Paint::Solid(Color::WHITE)));
        if let Some(ground) = &mut scene.ground {
            ground.radius = value;
            ground.center.x = value;
            if let Some(grid) = &mut ground.grid {
                grid.spacing = value;
                grid.width_px = value;
            }
            if let Some(shadow) = &mut ground.shadow {
                shadow.softness = value;
            }
        }
        scene.lights.distant[0].towards = Vec3::splat(value);
        scene.lights.sky.r = value;
        draw(&scene);
        scene.ground.as_mut().unwrap().height = value;
        draw(&scene);
    }
}
