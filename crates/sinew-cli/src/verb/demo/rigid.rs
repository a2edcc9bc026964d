//! Rigid parts: what rigid skinning is for.

use super::compose_demo;
use crate::{
    failure::{Attempt, Failure},
    film::{shoot_pose, untextured},
    page::{Exhibit, Section},
};
use indicatif::ProgressBar;
use sinew::glam::{Quat, Vec3, Vec4};
use sinew::{
    Character, CharacterParts, Influence, Joint, JointId, Mesh, MeshInstance, MeshParts, Method, Primitive,
    Skeleton, Skin, Topology, Transform, Weights,
};
use sinew_view::{
    camera::Orbit,
    picture::Picture,
    raster::RenderOptions,
    stage::{BoneLook, StageOptions},
};
use std::sync::Arc;

const SIZE: RenderOptions = RenderOptions::new(480, 400);
/// The lengths of the crane's links in meters, from the ground up.
const LINKS: [f32; 4] = [0.5, 1.4, 1.1, 0.6];
const BENDS_DEGREES: [f32; 4] = [0.0, -25.0, 75.0, 60.0];

/// How the links of the crane meet.
#[derive(Clone, Copy, PartialEq)]
enum Seam {
    /// Each link ends before the next.
    Gaps,
    /// Links touch; the vertices where they meet follow both, half and half.
    Shared,
}

pub(super) fn section(bar: &ProgressBar) -> Result<Section, Failure> {
    let rigid = crane_picture(Seam::Gaps, bar)?;
    let shared = crane_picture(Seam::Shared, bar)?;
    let shared_caption = "Seam vertices follow both links, half and half";
    Ok(Section {
        title: "Rigid parts".into(),
        text: "Four boxes of one mesh, each on its own joint. Nothing stretches, so nothing needs blending, but gaps \
               open where boxes meet. If the vertices of both sides of a seam follow both joints by one half, the \
               seam stays closed: the oldest form of blended weights."
            .into(),
        rows: vec![vec![
            Exhibit::still("rigid_parts", "Rigid skinning on four joints", &rigid)?,
            Exhibit::still("rigid_seams", shared_caption, &shared)?,
        ]],
        table: None,
    })
}

fn crane_picture(seam: Seam, bar: &ProgressBar) -> Result<Picture, Failure> {
    let crane = crane(seam)?;
    let mut pose = crane.rest_pose();
    for (joint, degrees) in pose.joints.iter_mut().zip(BENDS_DEGREES) {
        joint.rotation = Quat::from_rotation_z(-degrees.to_radians());
    }
    let options = StageOptions { bones: BoneLook::Plain, ..StageOptions::default() };
    let mut film = untextured(&crane, options).with_method(Method::Linear);
    let picture = shoot_pose(&mut film, &pose, Orbit::degrees(20.0, 14.0), &SIZE)?;
    bar.inc(1);
    Ok(picture)
}

fn crane(seam: Seam) -> Result<Character, Failure> {
    let mut joints = Vec::new();
    let (mut mesh, mut influences, mut height) = (MeshParts::default(), Vec::new(), 0.0);
    for (link, &length) in (0_u16..).zip(&LINKS) {
        let parent = link.checked_sub(1).map(JointId);
        let below = if parent.is_some() { LINKS[usize::from(link) - 1] } else { 0.0 };
        let rest = Transform::from_translation(Vec3::Y * below);
        joints.push(Joint { name: format!("link {link}"), parent, rest });
        let (gap, taper) = match seam {
            Seam::Gaps => (0.03, 1.0 - 0.15 * f32::from(link)),
            Seam::Shared => (0.0, 1.0),
        };
        let half = Vec3::new(0.16 * taper, length / 2.0 - gap, 0.16);
        let shade = if link % 2 == 0 { Vec3::new(0.06, 0.2, 0.5) } else { Vec3::new(0.75, 0.2, 0.05) };
        add_box(&mut mesh, Vec3::Y * (height + length / 2.0), half, shade.extend(1.0));
        for position in &mesh.positions[influences.len()..] {
            influences.push(influences_at(seam, link, position.y - height, length));
        }
        height += length;
    }
    let (vertices, indices) = (mesh.positions.len() as u32, mesh.indices.len() as u32);
    let topology = Topology::Triangles;
    mesh.primitives =
        vec![Primitive { vertices: 0..vertices, indices: 0..indices, topology, material: None }];
    mesh.weights = Some(Arc::new(Weights::new(LINKS.len(), influences).attempt(compose_demo)?.0));
    let skeleton = Arc::new(Skeleton::new(joints).attempt(compose_demo)?);
    let skin = Skin::bound_at_rest("crane", &skeleton, skeleton.joints().collect()).attempt(compose_demo)?;
    Character::new(CharacterParts {
        meshes: vec![Arc::new(Mesh::new(mesh).attempt(compose_demo)?)],
        skins: vec![Arc::new(skin)],
        instances: vec![MeshInstance { joint: JointId(0), mesh: 0, skin: Some(0), morph_weights: vec![] }],
        ..CharacterParts::new("crane", skeleton)
    })
    .attempt(compose_demo)
}

/// The influences of a vertex of `link` at `up` meters above its lower end.
fn influences_at(seam: Seam, link: u16, up: f32, length: f32) -> Vec<Influence> {
    let is_at = |end: f32| (up - end).abs() < 1e-4;
    let neighbor = match seam {
        Seam::Shared if is_at(0.0) => link.checked_sub(1),
        Seam::Shared if is_at(length) => Some(link + 1).filter(|&next| usize::from(next) < LINKS.len()),
        Seam::Shared | Seam::Gaps => None,
    };
    match neighbor {
        Some(other) => [link, other].map(|slot| Influence { slot, weight: 0.5 }).to_vec(),
        None => vec![Influence { slot: link, weight: 1.0 }],
    }
}

/// Adds a box with sharp edges.
fn add_box(mesh: &mut MeshParts, center: Vec3, half: Vec3, color: Vec4) {
    for normal in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
        let first = mesh.positions.len() as u32;
        let (u, v) = normal.any_orthonormal_pair();
        for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            mesh.positions.push(center + (normal + u * a + v * b) * half);
            mesh.normals.push(normal);
            mesh.colors.push(color);
        }
        // u, v and the normal are right-handed, so these triangles are counterclockwise from outside.
        mesh.indices.extend([0, 1, 2, 0, 2, 3].map(|k| first + k));
    }
}
