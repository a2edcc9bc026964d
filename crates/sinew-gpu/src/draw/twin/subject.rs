//! A bent limb with bones, made by code.

use std::sync::Arc;

use sinew_view::camera::{Camera, CameraLens, Orbit};
use sinew_view::color::Color;
use sinew_view::geometry::Geometry;
use sinew_view::glam::{Vec2, Vec3};
use sinew_view::glyph::{BoneGlyph, BoneStyle, bone_layers};
use sinew_view::ground::GroundGrid;
use sinew_view::layer::MeshLayer;
use sinew_view::paint::{Paint, TexturePaint};
use sinew_view::scene::Scene;
use sinew_view::texture::{DecodedTexture, TextureSampler};

/// Positions of shoulder, elbow and hand.
pub(super) const JOINTS: [Vec3; 3] =
    [Vec3::new(0.0, 0.25, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.62, 1.35, 0.1)];

const RINGS: u32 = 32;
const SIDES: u32 = 20;

/// A tube around the joints with normals and texture coordinates.
pub(super) fn limb() -> Geometry {
    let (mut positions, mut uvs, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    for ring in 0..=RINGS {
        let t = ring as f32 / RINGS as f32;
        let (middle, along) = (path(t), (path(t + 0.01) - path(t - 0.01)).normalize());
        let side = along.cross(Vec3::Z).normalize();
        let other = side.cross(along);
        let radius = (0.2 - 0.07 * t) * (1.0 - (2.0 * t - 1.0).powi(12)).max(0.0).sqrt();
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
    a.lerp(b, t).lerp(b.lerp(c, t), t) + Vec3::X * (t * (1.0 - t) * -0.3)
}

/// The limb without normals.
pub(super) fn flat_limb() -> Geometry {
    limb().moved(Arc::clone(limb().positions())).unwrap()
}

/// A scalar per vertex that rises along the limb.
pub(super) fn heights(geometry: &Geometry) -> Vec<f32> {
    geometry.positions().iter().map(|position| (position.y / 1.4).clamp(0.0, 1.0)).collect()
}

pub(super) fn layer(paint: Paint) -> MeshLayer {
    MeshLayer::new(limb(), paint).unwrap()
}

pub(super) fn clay() -> Paint {
    Paint::Solid(Color::hex(0xbfae9c))
}

pub(super) fn bones() -> [MeshLayer; 2] {
    let colors = [Color::hex(0xd3dae6), Color::hex(0xff9a2b)];
    let bones: Vec<BoneGlyph> = (0..2)
        .map(|index| BoneGlyph {
            head: JOINTS[index],
            tail: JOINTS[index + 1],
            side: Vec3::Z,
            id: u32::try_from(index).unwrap() + 5,
            color: colors[index],
        })
        .collect();
    bone_layers(&bones, &BoneStyle::default())
}

/// A checker; where `holes`, its dark fields are transparent.
pub(super) fn texture(holes: bool) -> TexturePaint {
    let texels = (0..256u32).map(|index| {
        let light = (index % 16 / 8 + index / 16 / 8).is_multiple_of(2);
        let alpha = if holes && !light { 0 } else { 255 };
        if light { [240, 236, 228, 255] } else { [38, 92, 150, alpha] }
    });
    TexturePaint {
        texture: Arc::new(DecodedTexture::new(16, 16, texels.collect()).unwrap()),
        sampler: TextureSampler::default(),
        tint: Color::WHITE,
        vertices: None,
        alpha_cutoff: holes.then_some(0.5),
    }
}

pub(super) fn camera() -> Camera {
    let points = limb().positions().to_vec();
    Camera::framing(points, Orbit::degrees(25.0, 16.0), CameraLens { margin: 0.12, ..CameraLens::default() })
}

/// A scene with ground and lights but no layers.
pub(super) fn scene() -> Scene {
    Scene::new(camera()).on(GroundGrid::under(Vec2::ZERO, 0.0, 1.5))
}
