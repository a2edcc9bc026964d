//! Faults of weights: too many influences, stray weights, loose islands, asymmetry, torn seams.

use super::{Bad, tube};
use sinew::{
    Character, Influence, JointId, Mesh, MeshParts, Primitive, Skin, Topology, Weights,
    glam::{Vec2, Vec3, Vec4},
};
use sinew_author::check::FindingCode;
use std::sync::Arc;

/// `character` with other weights of its first mesh; `of` gets the vertex, its position and its influences.
pub(super) fn reweighted(
    character: &Character,
    of: impl Fn(usize, Vec3, Vec<Influence>) -> Vec<Influence>,
) -> Character {
    let mesh = &character.meshes()[0];
    let old = mesh.weights().unwrap();
    let slots = character.skins()[0].joints().len();
    let vertices = (0..mesh.vertex_count()).map(|v| of(v, mesh.positions()[v], old.influences(v).collect()));
    let (weights, _) = Weights::new(slots, vertices).unwrap();
    with_mesh(character, MeshParts { weights: Some(Arc::new(weights)), ..Mesh::clone(mesh).into_parts() })
}

fn with_mesh(character: &Character, mesh: MeshParts) -> Character {
    let mut parts = character.parts().clone();
    parts.meshes[0] = Arc::new(Mesh::new(mesh).unwrap());
    Character::new(parts).unwrap()
}

fn influence(slot: u16, weight: f32) -> Influence {
    Influence { slot, weight }
}

fn slot(character: &Character, name: &str) -> u16 {
    character.skins()[0].slot_of(character.skeleton().find(name).unwrap()).unwrap()
}

/// The positions of the `count` points with the largest weight of the joint `name`.
fn places_of(character: &Character, name: &str, count: usize) -> Vec<Vec3> {
    let (mesh, slot) = (&character.meshes()[0], slot(character, name));
    let weights = mesh.weights().unwrap();
    let mut of: Vec<usize> = (0..mesh.vertex_count()).collect();
    of.sort_by(|&a, &b| weights.weight_of(b, slot).total_cmp(&weights.weight_of(a, slot)));
    let mut out: Vec<Vec3> = Vec::new();
    for place in of.iter().map(|&v| mesh.positions()[v]) {
        if out.len() < count && !out.contains(&place) {
            out.push(place);
        }
    }
    out
}

/// Gives the points with the largest weight of `name` some weight of the joint `far`.
fn pulled(character: &Character, name: &str, far: &str, count: usize, weight: f32) -> Character {
    let (places, far) = (places_of(character, name, count), slot(character, far));
    reweighted(character, |_, place, mut of| {
        if places.contains(&place) {
            of.iter_mut().for_each(|i| i.weight *= 1.0 - weight);
            of.push(influence(far, weight));
        }
        of
    })
}

/// Adds a small tetrahedron at `center` to the mesh, which follows one joint.
fn with_island(character: &Character, center: Vec3, size: f32, name: &str) -> Character {
    let old = &character.meshes()[0];
    let slots = character.skins()[0].joints().len();
    let mut parts = Mesh::clone(old).into_parts();
    let (first, start) = (parts.positions.len() as u32, parts.indices.len() as u32);
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    parts.positions.extend(corners.map(|c| center + (c - 0.25) * size));
    if !parts.normals.is_empty() {
        parts.normals.extend([Vec3::NEG_ONE, Vec3::X, Vec3::Y, Vec3::Z].map(Vec3::normalize));
    }
    if !parts.tangents.is_empty() {
        parts.tangents.extend([Vec4::new(1.0, 0.0, 0.0, 1.0); 4]);
    }
    parts.uv_sets.iter_mut().for_each(|set| set.extend([Vec2::ZERO; 4]));
    if !parts.colors.is_empty() {
        parts.colors.extend([Vec4::ONE; 4]);
    }
    parts.indices.extend([0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3].map(|i| i + first));
    parts.primitives.push(Primitive {
        vertices: first..first + 4,
        indices: start..start + 12,
        topology: Topology::Triangles,
        material: parts.primitives[0].material,
    });
    let weights = old.weights().unwrap();
    let of = |v: usize| weights.influences(v).collect::<Vec<_>>();
    let lone = vec![influence(slot(character, name), 1.0)];
    let all = (0..old.vertex_count()).map(of).chain(std::iter::repeat_n(lone, 4));
    parts.weights = Some(Arc::new(Weights::new(slots, all).unwrap().0));
    with_mesh(character, parts)
}

/// Every `part`-th vertex of the mesh has a little weight of `count` joints.
fn crowded(count: u16, part: usize) -> Character {
    reweighted(&sinew_samples::figure(), |vertex, _, of| {
        if vertex.is_multiple_of(part) {
            let spread = (0..count).map(|k| influence(k, 0.02 + 0.01 * f32::from(k)));
            of.into_iter().map(|i| influence(i.slot, i.weight * 4.0)).chain(spread).collect()
        } else {
            of
        }
    })
}

/// Gives the copies of `count` points along a seam different weights.
fn torn(character: &Character, count: usize, weight: f32) -> Character {
    let points = character.meshes()[0].points();
    let is_copy = |v: &usize| points.first_vertex()[points.of_vertex()[*v] as usize] as usize != *v;
    let copies: Vec<usize> = (0..points.of_vertex().len()).filter(is_copy).take(count).collect();
    assert!(!copies.is_empty(), "the mesh has no seam");
    reweighted(character, |vertex, _, mut of| {
        if copies.contains(&vertex) {
            let other = u16::from(of[0].slot == 0);
            of.iter_mut().for_each(|i| i.weight *= 1.0 - weight);
            of.push(influence(other, weight));
        }
        of
    })
}

/// The figure with asymmetric weights.
fn lopsided(joint: &str, other: &str, weight: f32) -> Character {
    let figure = sinew_samples::figure();
    pulled(&figure, joint, other, 60, weight)
}

/// A tube with more joints than it needs.
pub(super) fn with_rolls(spans: u16) -> Character {
    let mut parts = sinew_samples::tube_with_rolls(spans).0.into_parts();
    parts.clips.retain(|clip| clip.name() == "bend_90");
    Character::new(parts).unwrap()
}

/// A skin with joints that influence no vertex.
fn with_idle_joints(character: &Character, under: &str, count: u16) -> Character {
    let mut parts = character.parts().clone();
    let old = parts.skeleton.clone();
    let parent = old.find(under).unwrap();
    let joint =
        |j: JointId| sinew::Joint { name: old.name(j).into(), parent: old.parent(j), rest: old.rest(j) };
    let new = |k: u16| sinew::Joint {
        name: format!("idle {k}"),
        parent: Some(parent),
        rest: sinew::Transform::from_translation(Vec3::new(0.0, 0.1, 0.1 * f32::from(k))),
    };
    let skeleton = sinew::Skeleton::new(old.joints().map(joint).chain((0..count).map(new))).unwrap();
    let joints = parts.skins[0].joints().iter().copied().chain(skeleton.joints().skip(old.len())).collect();
    let skin = Skin::bound_at_rest("with more", &skeleton, joints).unwrap();
    parts.skins[0] = Arc::new(skin);
    parts.skeleton = Arc::new(skeleton);
    Character::new(parts).unwrap()
}

pub(super) fn bad() -> Vec<Bad> {
    let figure = sinew_samples::figure();
    let stray = |name, character: &Character| Bad::new(name, FindingCode::StrayWeights, character);
    let island = |name, character: &Character| Bad::new(name, FindingCode::LooseIsland, character);
    let many = |character: &Character, target| {
        Bad::new(target, FindingCode::InfluencesOverTarget, character).for_target(target)
    };
    let joints = |character: &Character, target| {
        Bad::new(target, FindingCode::JointsOverTarget, character).for_target(target)
    };
    vec![
        stray("a toe that follows a hand", &pulled(&figure, "toe.L", "hand.R", 2, 0.5)),
        stray("a little of the other foot", &pulled(&figure, "hand.L", "foot.R", 3, 0.03)),
        stray("all of a far joint", &pulled(&figure, "head", "toe.R", 1, 1.0)),
        stray("the foot of a tube", &pulled(&tube(), "base", "middle", 1, 0.4)),
        island(
            "a thing at the hand on the foot",
            &with_island(&figure, Vec3::new(0.7, 1.0, 0.0), 0.02, "toe.L"),
        ),
        island(
            "a thing at the head on the root",
            &with_island(&figure, Vec3::new(0.0, 1.7, 0.12), 0.02, "root"),
        ),
        island("a thing at the end of a tube", &with_island(&tube(), Vec3::new(1.2, 9.0, 0.0), 0.2, "base")),
        many(&crowded(6, 3), "bevy"),
        many(&crowded(5, 7), "three"),
        many(&crowded(7, 2), "unity"),
        many(&crowded(12, 5), "godot"),
        many(&figure, "custom:2,100"),
        joints(&with_rolls(300), "bevy"),
        joints(&figure, "custom:4,20"),
        joints(&tube(), "custom:4,1"),
        Bad::new("hand", FindingCode::AsymmetricWeights, &lopsided("hand.L", "forearm.L", 0.2)),
        Bad::new(
            "thigh of the other side",
            FindingCode::AsymmetricWeights,
            &lopsided("thigh.R", "hips", 0.4),
        ),
        Bad::new("one copy", FindingCode::SeamOpens, &torn(&tube(), 1, 0.5)),
        Bad::new("a whole seam", FindingCode::SeamOpens, &torn(&tube(), 80, 0.1)),
        Bad::new("under a hand", FindingCode::UnusedJoint, &with_idle_joints(&figure, "hand.L", 1)),
        Bad::new("a handful", FindingCode::UnusedJoint, &with_idle_joints(&tube(), "base", 5)),
    ]
}
