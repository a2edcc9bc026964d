//! Every paint, shading and kind of layer on both renderers.

use std::sync::Arc;

use sinew_view::camera::Projection;
use sinew_view::color::Color;
use sinew_view::geometry::Geometry;
use sinew_view::glam::{Vec2, Vec3};
use sinew_view::layer::{Depth, LineLayer, LineSegment, LineStroke, MeshLayer, SceneLayer, Shading, Sides};
use sinew_view::light::Lights;
use sinew_view::paint::{Contours, Paint, ScalarPaint, TexturePaint};
use sinew_view::palette::{Ramp, joint_color};
use sinew_view::scene::{Background, Scene};
use sinew_view::texture::{SamplerWrap, TextureSampler};

use super::subject;
use super::{agree, difference, on_device, software};

const SIDE: u32 = 200;

fn check(name: &str, scene: &Scene) {
    on_device(|bench| agree(bench, name, scene, SIDE, SIDE));
}

fn with(change: impl FnOnce(&mut MeshLayer)) -> Scene {
    let mut layer = subject::layer(subject::clay());
    change(&mut layer);
    subject::scene().with(layer)
}

fn painted(paint: Paint) -> Scene {
    subject::scene().with(subject::layer(paint))
}

#[test]
fn a_lit_mesh_with_shadows_matches() {
    check("lit", &with(|_| {}));
}

#[test]
fn backgrounds_of_every_kind_match() {
    for (name, wall) in [
        ("transparent", Background::Transparent),
        ("solid", Background::Solid(Color::hex(0x345a7c))),
        ("dark", Background::dark()),
    ] {
        let mut scene = with(|_| {});
        scene.background = wall;
        check(name, &scene);
        scene.ground = None;
        check(&format!("{name}-no-ground"), &scene);
    }
}

#[test]
fn background_and_grid_agree_to_a_step_of_rounding() {
    let scene = subject::scene();
    check("empty", &scene);
    on_device(|bench| {
        let (got, want) = (bench.draw(&scene, SIDE, SIDE), software(&scene, SIDE, SIDE));
        let off = got.pixels().iter().zip(want.pixels()).filter(|(a, b)| super::steps(**a, **b) > 2).count();
        assert!(off <= 20, "{off}");
    });
}

/// A square above the limb, between it and the light.
fn roof() -> MeshLayer {
    let key = (subject::camera().axes() * Lights::studio().distant[0].towards).normalize();
    let middle = subject::JOINTS[0].lerp(subject::JOINTS[1], 0.5) + Vec3::new(-0.1, 0.0, 0.1) + key * 0.5;
    let corners = [(-0.12, -0.12), (0.12, -0.12), (0.12, 0.12), (-0.12, 0.12)];
    let positions: Vec<Vec3> = corners.iter().map(|&(x, z)| middle + Vec3::new(x, 0.0, z)).collect();
    let geometry = Geometry::new(positions, vec![[0, 2, 1], [0, 3, 2]]).unwrap();
    MeshLayer::new(geometry, Paint::Solid(Color::hex(0x80a0c0))).unwrap()
}

#[test]
fn one_mesh_casts_its_shadow_on_another() {
    let scene = with(|_| {}).with(roof());
    check("roof", &scene);
    let mut bare = scene.clone();
    bare.lights.shadow = 0.0;
    let difference = difference(&software(&scene, SIDE, SIDE), &software(&bare, SIDE, SIDE));
    assert!(difference.far_percent > 1.0, "the roof shades nothing: {difference:?}");
}

#[test]
fn surfaces_at_one_depth_are_blended_once() {
    let geometry = subject::limb();
    let twice: Vec<[u32; 3]> =
        geometry.triangles().iter().chain(geometry.triangles().iter()).copied().collect();
    let doubled = Geometry::new(Arc::clone(geometry.positions()), twice).unwrap().smoothed();
    let mut layer = MeshLayer::new(doubled, subject::clay()).unwrap();
    layer.opacity = 0.5;
    check("doubled-sheer", &subject::scene().with(layer.clone()));
    (layer.opacity, layer.depth) = (1.0, Depth::XRay { hidden_opacity: 0.4 });
    check("doubled-x-ray", &with(|_| {}).with(layer));
}

#[test]
fn vertex_and_face_colors_match() {
    let geometry = subject::limb();
    let vertices: Vec<Color> =
        (0..geometry.positions().len()).map(|vertex| joint_color(vertex / 20)).collect();
    check("vertices", &painted(Paint::Vertices(vertices.into())));
    let faces: Vec<Color> = (0..geometry.triangles().len()).map(|face| joint_color(face / 7)).collect();
    check("faces", &painted(Paint::Faces(faces.into())));
}

#[test]
fn scalars_match_on_every_ramp_with_and_without_contours() {
    let values: Arc<[f32]> = subject::heights(&subject::limb()).into();
    for (name, ramp, contours) in [
        ("heat", Ramp::Heat, Some(Contours::default())),
        ("ember", Ramp::Ember, None),
        ("balance", Ramp::Balance, Some(Contours { bands: 4, width_px: 2.0, color: Color::WHITE })),
    ] {
        let values = Arc::clone(&values);
        let mut scene = painted(Paint::Scalar(ScalarPaint { values, low: 0.1, high: 0.8, ramp, contours }));
        scene.lights = Lights::even();
        check(name, &scene);
    }
}

#[test]
fn nan_values_are_magenta() {
    let mut values = subject::heights(&subject::limb());
    values[200..260].fill(f32::NAN);
    check("nan-values", &painted(Paint::heat(values)));
}

#[test]
fn textures_match_in_every_wrap_mode_tinted_and_with_holes() {
    check("texture", &painted(Paint::Texture(subject::texture(false))));
    check("holes", &painted(Paint::Texture(subject::texture(true))));
    let sampler = TextureSampler { wrap_u: SamplerWrap::Mirror, wrap_v: SamplerWrap::Clamp, nearest: true };
    let colors: Vec<Color> = (0..subject::limb().positions().len()).map(|v| joint_color(v / 21)).collect();
    check(
        "tinted",
        &painted(Paint::Texture(TexturePaint {
            sampler,
            tint: Color::hex(0xffd9a0),
            vertices: Some(colors.into()),
            ..subject::texture(false)
        })),
    );
}

#[test]
fn distant_textures_are_filtered_alike() {
    let mut scene = painted(Paint::Texture(subject::texture(false)));
    scene.camera.eye = scene.camera.target + (scene.camera.eye - scene.camera.target) * 6.0;
    check("far-texture", &scene);
}

#[test]
fn unlit_normals_and_flat_shading_match() {
    check("unlit", &with(|layer| layer.shading = Shading::Unlit));
    check("normals", &with(|layer| layer.shading = Shading::Normals));
    let flat = MeshLayer::new(subject::flat_limb(), subject::clay()).unwrap();
    check("flat", &subject::scene().with(flat));
}

#[test]
fn glossy_and_matte_surfaces_match() {
    check("glossy", &with(|layer| layer.gloss = 1.0));
    check("dull", &with(|layer| layer.gloss = 0.0));
}

#[test]
fn fine_and_bold_wireframes_match() {
    for (name, width_px) in [("wire", 1.0), ("bold-wire", 3.0)] {
        check(
            name,
            &with(|layer| {
                layer.wire = Some(LineStroke { width_px, color: Color::BLACK.with_alpha(0.6) });
            }),
        );
    }
}

#[test]
fn outlines_match() {
    check(
        "outline",
        &with(|layer| layer.outline = Some(LineStroke { width_px: 3.0, color: Color::hex(0xff8a00) })),
    );
}

#[test]
fn one_sided_meshes_match_from_inside_and_outside() {
    for sides in [Sides::Both, Sides::Front] {
        let mut scene = with(|layer| layer.sides = sides);
        check(&format!("outside-{sides:?}"), &scene);
        scene.camera.eye = subject::JOINTS[0] + Vec3::Y * 0.15;
        scene.camera.target = subject::JOINTS[1];
        scene.camera.projection = Projection::Perspective { fov_y_radians: 1.4 };
        check(&format!("inside-{sides:?}"), &scene);
    }
}

#[test]
fn transparent_layers_show_their_nearest_surface_once() {
    let mut scene = with(|layer| layer.opacity = 0.5);
    let [mut diamonds, balls] = subject::bones();
    diamonds.depth = Depth::Tested;
    scene.layers.push(diamonds.into());
    check("sheer", &scene);
    let mut second = subject::layer(Paint::Solid(Color::hex(0x3060c0)));
    let moved: Vec<Vec3> =
        second.geometry().positions().iter().map(|position| *position + Vec3::new(0.15, 0.0, 0.2)).collect();
    second = MeshLayer::new(second.geometry().moved(moved).unwrap(), second.paint().clone()).unwrap();
    second.opacity = 0.4;
    second.outline = Some(LineStroke { width_px: 2.0, color: Color::BLACK });
    scene.layers.push(second.into());
    scene.layers.push(balls.into());
    scene.background = Background::Transparent;
    check("sheer-twice", &scene);
}

#[test]
fn x_ray_bones_inside_a_skin_match() {
    let mut scene = with(|_| {});
    for mut bone in subject::bones() {
        bone.depth = Depth::XRay { hidden_opacity: 0.6 };
        scene.layers.push(bone.into());
    }
    check("x-ray", &scene);
    for layer in &mut scene.layers {
        if let SceneLayer::Mesh(mesh) = layer {
            mesh.depth = match mesh.depth {
                Depth::XRay { .. } => Depth::XRay { hidden_opacity: 0.0 },
                Depth::Tested => Depth::Tested,
            };
        }
    }
    check("x-ray-hidden", &scene);
}

fn helix(depth: Depth, width_px: f32) -> LineLayer {
    let place = |step: i32| {
        let turn = step as f32 * 0.2;
        Vec3::new(turn.cos() * 0.35, step as f32 * 0.012, turn.sin() * 0.35)
    };
    let segments: Vec<LineSegment> = (0..110)
        .map(|step| LineSegment {
            from: place(step),
            to: place(step + 1),
            from_color: joint_color(usize::try_from(step).unwrap()),
            to_color: Color::WHITE,
        })
        .collect();
    LineLayer { name: String::new(), segments: segments.into(), width_px, depth }
}

#[test]
fn depth_tested_and_x_ray_lines_match() {
    check("lines", &with(|_| {}).with(helix(Depth::Tested, 3.0)));
    check("lines-x-ray", &with(|_| {}).with(helix(Depth::XRay { hidden_opacity: 0.4 }, 2.0)));
}

#[test]
fn lines_on_a_surface_stay_visible() {
    let geometry = subject::limb();
    let place = |vertex: u32| geometry.positions()[vertex as usize];
    let sides = geometry.triangles().iter().step_by(3);
    let segments: Vec<LineSegment> =
        sides.map(|face| LineSegment::new(place(face[0]), place(face[1]), Color::hex(0x203080))).collect();
    for projection in [subject::camera().projection, Projection::Orthographic { height: 2.0 }] {
        let lines = LineLayer { segments: segments.clone().into(), width_px: 2.0, ..LineLayer::default() };
        let mut scene = with(|_| {}).with(lines);
        scene.camera.projection = projection;
        check("lines-on-surface", &scene);
    }
}

#[test]
fn lines_through_the_viewer_are_clipped() {
    let mut scene = with(|_| {});
    let (eye, ahead) = (scene.camera.eye, scene.camera.target);
    let segments = vec![LineSegment::new(eye + (eye - ahead) + Vec3::X * 0.3, ahead, Color::hex(0xd02020))];
    let lines = LineLayer { segments: segments.into(), width_px: 4.0, ..LineLayer::default() };
    scene.layers.push(lines.into());
    check("cut-line", &scene);
}

#[test]
fn an_orthographic_camera_matches() {
    let mut scene = with(|_| {}).with(helix(Depth::Tested, 3.0));
    scene.camera.projection = Projection::Orthographic { height: 2.0 };
    check("parallel", &scene);
}

#[test]
fn vertices_that_are_not_finite_remove_only_their_triangles() {
    let geometry = subject::limb();
    let mut positions = geometry.positions().to_vec();
    positions[300..340].fill(Vec3::NAN);
    positions[500] = Vec3::INFINITY;
    let normals = Arc::clone(geometry.normals().unwrap());
    let torn = geometry.moved(positions).unwrap().with_normals(normals).unwrap();
    check("torn", &subject::scene().with(MeshLayer::new(torn, subject::clay()).unwrap()));
}

#[test]
fn a_world_space_light_and_no_light_match() {
    let mut scene = with(|_| {});
    scene.lights.distant[0].space = sinew_view::light::LightSpace::World;
    scene.lights.distant[0].towards = Vec3::new(1.0, 1.2, -0.2);
    check("world-light", &scene);
    scene.lights.distant.clear();
    check("no-light", &scene);
}

#[test]
fn other_formats_and_one_sample_give_the_same_picture() {
    let scene = with(|layer| layer.opacity = 0.7).with(helix(Depth::XRay { hidden_opacity: 0.4 }, 2.0));
    on_device(|bench| {
        for format in [wgpu::TextureFormat::Rgba16Float, wgpu::TextureFormat::Bgra8UnormSrgb] {
            let options = super::RendererOptions { format, samples: 4 };
            let mut renderer = super::Renderer::new(&bench.gpu.device, &bench.gpu.queue, options).unwrap();
            let got = super::draw(&bench.gpu, &mut renderer, &scene, SIDE, SIDE);
            super::agree_pictures(&format!("{format:?}"), &got, &software(&scene, SIDE, SIDE));
        }
        let options = super::RendererOptions { samples: 1, ..super::RendererOptions::default() };
        let mut renderer = super::Renderer::new(&bench.gpu.device, &bench.gpu.queue, options).unwrap();
        let got = super::draw(&bench.gpu, &mut renderer, &scene, SIDE, SIDE);
        let options = sinew_view::raster::RenderOptions {
            width: SIDE,
            height: SIDE,
            samples: sinew_view::raster::SampleCount::One,
        };
        super::agree_pictures("one-sample", &got, &sinew_view::raster::render(&scene, &options).unwrap());
    });
}

#[test]
fn a_different_picture_fails_the_comparison() {
    let plain = software(&with(|_| {}), SIDE, SIDE);
    for other in [with(|layer| layer.gloss = 1.0), with(|layer| layer.casts_shadow = false)] {
        let difference = difference(&software(&other, SIDE, SIDE), &plain);
        assert!(!difference.is_near(), "{difference:?}");
    }
}

#[test]
fn too_many_lights_are_rejected() {
    let mut scene = with(|_| {});
    scene.lights.distant = vec![scene.lights.distant[0]; 17];
    on_device(|bench| {
        let got = bench.renderer.prepare(&bench.gpu.device, &bench.gpu.queue, &scene, (8, 8));
        assert_eq!(got, Err(crate::GpuError::TooManyLights { got: 17, limit: 16 }));
    });
}

#[test]
fn a_wide_picture_of_a_rolled_camera_matches() {
    let mut scene = with(|_| {});
    scene.camera.orbit(1.3, 0.4);
    scene.camera.pan(Vec2::new(0.1, -0.1));
    on_device(|bench| agree(bench, "wide", &scene, 320, 120));
}
