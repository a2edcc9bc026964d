//! Automatic weights on any mesh, and the invariants of operations on weights.

mod automatic;
mod clothes;
mod compared;
mod elsewhere;
mod mirroring;
mod muscles;
mod operations;
mod painting;
mod thousands;
mod torture;

use sinew::{
    Joint, JointId, Mesh, MeshParts, Primitive, Skeleton, Skin, Topology, Transform, Weights,
    glam::{Quat, Vec3},
};
use std::f32::consts::TAU;

/// A mesh with one primitive.
fn mesh(positions: Vec<Vec3>, indices: Vec<u32>) -> Mesh {
    let vertices = 0..positions.len() as u32;
    let part = Primitive {
        vertices,
        indices: 0..indices.len() as u32,
        topology: Topology::Triangles,
        material: None,
    };
    Mesh::new(MeshParts { positions, indices, primitives: vec![part], ..MeshParts::default() }).unwrap()
}

fn with_weights(mesh: &Mesh, weights: Weights) -> Mesh {
    let parts = MeshParts { weights: Some(weights.into()), ..mesh.parts().clone() };
    Mesh::new(parts).unwrap()
}

/// A tube along y from 0 to 1, of `rings` rings of `sides` points, closed at both ends.
fn tube(rings: u32, sides: u32) -> (Vec<Vec3>, Vec<u32>) {
    let mut positions = Vec::new();
    for ring in 0..=rings {
        for side in 0..sides {
            let turn = Quat::from_rotation_y(TAU * side as f32 / sides as f32);
            positions.push(turn * Vec3::X * 0.1 + Vec3::Y * (ring as f32 / rings as f32));
        }
    }
    let mut indices = Vec::new();
    for ring in 0..rings {
        for side in 0..sides {
            let [a, b] = [side, (side + 1) % sides].map(|s| ring * sides + s);
            indices.extend([a, b, a + sides, b, b + sides, a + sides]);
        }
    }
    let top = positions.len() as u32;
    positions.extend([Vec3::ZERO, Vec3::Y]);
    for side in 0..sides {
        let next = (side + 1) % sides;
        indices.extend([top, next, side, top + 1, rings * sides + side, rings * sides + next]);
    }
    (positions, indices)
}

fn joint(name: &str, parent: Option<u16>, at: Vec3) -> Joint {
    Joint { name: name.into(), parent: parent.map(JointId), rest: Transform::from_translation(at) }
}

/// A chain of joints up the y axis, `count` of them over a length of one.
fn chain(count: u16) -> (Skeleton, Skin) {
    let step = Vec3::Y / f32::from(count);
    let place = |n: u16| if n == 0 { Vec3::ZERO } else { step };
    let joints = (0..count).map(|n| joint(&format!("bone_{n}"), n.checked_sub(1), place(n)));
    let skeleton = Skeleton::new(joints).unwrap();
    let skin = Skin::bound_at_rest("chain", &skeleton, skeleton.joints().collect()).unwrap();
    (skeleton, skin)
}

/// Pseudo-random numbers, the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// A number from −1 to 1.
    fn number(&mut self) -> f32 {
        (self.next() % 20_001) as f32 / 10_000.0 - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }
}

/// Asserts the invariants of weights for every vertex: an exact sum, the influence limit, equal copies.
fn check(mesh: &Mesh, weights: &Weights, slot_count: usize, max_influences: usize, what: &str) {
    assert_eq!(weights.vertex_count(), mesh.vertex_count(), "{what}");
    assert!(weights.slot_count() <= slot_count, "{what}");
    for vertex in 0..mesh.vertex_count() {
        let (slots, weights_here) = weights.of(vertex);
        assert!(
            !slots.is_empty() && slots.len() <= max_influences,
            "{what}: vertex {vertex} has {} joints",
            slots.len()
        );
        assert_eq!(weights_here.iter().sum::<f32>(), 1.0, "{what}: vertex {vertex}");
        assert!(weights_here.iter().all(|w| *w > 0.0), "{what}: vertex {vertex}");
        let first = mesh.points().first_vertex()[mesh.points().of_vertex()[vertex] as usize];
        assert_eq!(weights.of(vertex), weights.of(first as usize), "{what}: a seam at {vertex}");
    }
}
