//! A bent limb made by code, so that golden pictures depend on this crate only.

use sinew_view::camera::{Camera, CameraLens, Orbit};
use sinew_view::color::Color;
use sinew_view::geometry::Geometry;
use sinew_view::glam::{Vec2, Vec3};
use sinew_view::glyph::{BoneGlyph, BoneStyle, bone_layers};
use sinew_view::ground::GroundGrid;
use sinew_view::layer::{MeshLayer, SceneLayer};
use sinew_view::paint::Paint;
use sinew_view::scene::Scene;
use sinew_view::texture::DecodedTexture;

/// Positions of shoulder, elbow and hand.
pub(crate) const JOINTS: [Vec3; 3] =
    [Vec3::new(0.0, 0.25, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.62, 1.35, 0.1)];

const RINGS: u32 = 40;
const SIDES: u32 = 24;

/// The limb with texture coordinates: a tube along a rounded path through the joints.
pub(crate) fn limb() -> Geometry {
    let (mut positions, mut uvs, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for ring in 0..=RINGS {
        let t = ring as f32 / RINGS as f32;
        let (middle, along) = (path(t), (path(t + 0.01) - path(t - 0.01)).normalize());
        let side = along.cross(Vec3::Z).normalize();
        let other = side.cross(along);
        let end = (1.0 - (2.0 * t - 1.0).powi(12)).max(0.0).sqrt();
        let radius = (0.2 - 0.07 * t) * end;
        for step in 0..=SIDES {
            let turn = step as f32 / SIDES as f32;
            let (sin, cos) = (turn * std::f32::consts::TAU).sin_cos();
            positions.push(middle + (side * cos + other * sin) * radius);
            uvs.push(Vec2::new(turn * 4.0, t * 6.0));
        }
    }
    let row = SIDES + 1;
    for ring in 0..RINGS {
        for step in 0..SIDES {
            let a = ring * row + step;
            triangles.extend([[a, a + row, a + 1], [a + 1, a + row, a + row + 1]]);
        }
    }
    Geometry::new(positions, triangles).unwrap().smoothed().with_uvs(uvs).unwrap()
}

fn path(t: f32) -> Vec3 {
    let [a, b, c] = JOINTS;
    let (a, c) = (a - (b - a) * 0.15, c + (c - b) * 0.15);
    // Two straight bones with a corner rounded off by a parabola.
    let u = ((t - 0.4) / 0.2).clamp(0.0, 1.0);
    let before = a.lerp(b, (t / 0.5).min(0.8));
    let after = b.lerp(c, ((t - 0.5) / 0.5).max(0.2));
    if t < 0.4 {
        before
    } else if t > 0.6 {
        after
    } else {
        let (p, q) = (a.lerp(b, 0.8), b.lerp(c, 0.2));
        p.lerp(b, u).lerp(b.lerp(q, u), u)
    }
}

/// The weight of the lower bone at every vertex.
pub(crate) fn lower_weights(geometry: &Geometry) -> Vec<f32> {
    let along = (JOINTS[2] - JOINTS[1]).normalize() + (JOINTS[1] - JOINTS[0]).normalize();
    let along = along.normalize();
    geometry
        .positions()
        .iter()
        .map(|&position| {
            let x = ((position - JOINTS[1]).dot(along) / 0.5 + 0.5).clamp(0.0, 1.0);
            x * x * (3.0 - 2.0 * x)
        })
        .collect()
}

pub(crate) fn layer(paint: Paint) -> MeshLayer {
    MeshLayer::new(limb(), paint).unwrap()
}

pub(crate) fn bones() -> [SceneLayer; 2] {
    let colors = [Color::hex(0xd3dae6), Color::hex(0xff9a2b)];
    let bones: Vec<BoneGlyph> = (0..2)
        .map(|index| BoneGlyph {
            head: JOINTS[index],
            tail: JOINTS[index + 1],
            side: Vec3::Z,
            id: index as u32,
            color: colors[index],
        })
        .collect();
    bone_layers(&bones, &BoneStyle::default()).map(SceneLayer::from)
}

pub(crate) fn checker() -> DecodedTexture {
    let light = |index: u32| (index % 16 / 8 + index / 16 / 8).is_multiple_of(2);
    let texels = (0..256).map(|index| if light(index) { [240, 236, 228, 255] } else { [38, 92, 150, 255] });
    DecodedTexture::new(16, 16, texels.collect()).unwrap()
}

pub(crate) fn camera() -> Camera {
    let points = limb().positions().to_vec();
    Camera::framing(points, Orbit::degrees(25.0, 16.0), CameraLens { margin: 0.12, ..CameraLens::default() })
}

pub(crate) fn scene() -> Scene {
    Scene::new(camera()).on(GroundGrid::under(Vec2::ZERO, 0.0, 1.5))
}
