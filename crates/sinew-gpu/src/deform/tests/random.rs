//! Meshes, weights and poses that nobody would make by hand.

use super::super::fold::{fold, fold_tangent, unfold, unfold_tangent};
use sinew::{
    CentersOfRotation, ContactBone, ContactData, ContactParts, ContactVertex, DirectMushData,
    DirectMushParts, DualQuatPalette, Influence, Mesh, MeshParts, MorphTarget, MorphTargets, MusclePalette,
    MushDetail, Palette, Precomputed, Primitive, Topology, Weights,
    glam::{Affine3A, Mat3, Mat3A, Quat, Vec3},
};
use std::sync::Arc;

/// A small generator with a seed, the same everywhere.
pub(super) struct MeshRandom(u64);

impl MeshRandom {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From −1 to 1.
    pub(super) fn number(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    pub(super) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number())
    }

    fn rotation(&mut self) -> Quat {
        Quat::from_xyzw(self.number(), self.number(), self.number(), self.number() + 1.2).normalize()
    }
}

#[derive(Clone, Copy)]
pub(super) struct RandomPlan {
    pub(super) vertices: usize,
    pub(super) joints: usize,
    /// Most influences of a vertex; some vertex has as many.
    pub(super) most: usize,
    pub(super) poses: usize,
    pub(super) morphs: usize,
    /// How many of the last joints are muscles, besides what they carry.
    pub(super) muscles: usize,
    /// Joints scale, shear and mirror.
    pub(super) wild: bool,
}

pub(super) const PLAN: RandomPlan =
    RandomPlan { vertices: 300, joints: 12, most: 4, poses: 1, morphs: 0, muscles: 0, wild: false };

pub(super) struct RandomPose {
    pub(super) palette: Palette,
    pub(super) dual_quats: DualQuatPalette,
    pub(super) morph_weights: Vec<f32>,
    pub(super) muscles: MusclePalette,
}

pub(super) struct World {
    pub(super) mesh: Mesh,
    pub(super) joints: usize,
    pub(super) poses: Vec<RandomPose>,
}

/// Bones that follow each other at random, and vertices on any of them.
fn contact(random: &mut MeshRandom, plan: RandomPlan) -> ContactData {
    let neighbor = |random: &mut MeshRandom| match random.below(4) {
        0 => ContactBone::NONE,
        _ => random.below(plan.joints) as u16,
    };
    let bone = |random: &mut MeshRandom| ContactBone {
        head: random.vector(),
        tail: random.vector(),
        before: neighbor(random),
        after: neighbor(random),
        gates: [random.number().abs(), random.number().abs()],
    };
    let bones = (0..plan.joints).map(|_| bone(random)).collect();
    let vertex = |random: &mut MeshRandom| {
        let beyond = random.number().abs();
        ContactVertex {
            bone: random.below(plan.joints) as u16,
            mask: ContactVertex::stored(random.number()),
            radius: ContactVertex::stored(random.number().abs()),
            beyond: [beyond * 0.4, beyond * 0.3].map(ContactVertex::stored),
        }
    };
    let vertices = (0..plan.vertices).map(|_| vertex(random)).collect();
    ContactData::new(ContactParts { bones, vertices }).unwrap()
}

impl World {
    pub(super) fn new(random: &mut MeshRandom, plan: RandomPlan) -> Self {
        let carried = weights(random, plan);
        let weights = with_muscles(random, plan, carried);
        let unit = |random: &mut MeshRandom| random.vector().normalize_or(Vec3::X);
        let positions: Vec<Vec3> = (0..plan.vertices).map(|_| random.vector()).collect();
        let mut normals: Vec<Vec3> = (0..plan.vertices).map(|_| unit(random)).collect();
        if let Some(first) = normals.first_mut() {
            // A zero vector must stay one.
            *first = Vec3::ZERO;
        }
        let side = |random: &mut MeshRandom| if random.number() < 0.0 { -1.0 } else { 1.0 };
        let tangents = (0..plan.vertices).map(|_| unit(random).extend(side(random))).collect();
        let precomputed = Precomputed {
            centers: Some(Arc::new(
                CentersOfRotation::new((0..plan.vertices).map(|_| random.vector()).collect()).unwrap(),
            )),
            direct_mush: Some(Arc::new(moments(random, plan, &weights))),
            contact: Some(Arc::new(contact(random, plan))),
            ..Precomputed::NONE
        };
        let parts = MeshParts {
            name: "random".to_owned(),
            positions,
            normals,
            tangents,
            indices: (0..plan.vertices as u32).collect(),
            primitives: (plan.vertices > 0).then(|| points(plan.vertices as u32)).into_iter().collect(),
            morphs: morphs(random, plan),
            weights: Some(Arc::new(weights)),
            precomputed,
            ..MeshParts::default()
        };
        let poses = (0..plan.poses).map(|_| pose(random, plan)).collect();
        Self { mesh: Mesh::new(parts).unwrap(), joints: plan.joints, poses }
    }

    /// The same world after its directions and, if `fixed`, its weights went through the compact form.
    pub(super) fn quantized(&self, fixed: bool) -> Self {
        let mut parts = self.mesh.parts().clone();
        parts.normals.iter_mut().for_each(|n| *n = unfold(fold(*n)));
        for tangent in &mut parts.tangents {
            let (direction, side) = unfold_tangent(fold_tangent(tangent.truncate(), tangent.w));
            *tangent = direction.extend(side);
        }
        if fixed {
            let old = self.mesh.weights().unwrap();
            let vertex = |v: usize| {
                let (slots, shares) = old.of(v);
                let steps = super::super::mesh::unorm16_steps(shares);
                let pairs = slots.iter().zip(steps);
                pairs.map(|(&slot, s)| Influence { slot, weight: f32::from(s) / 65535.0 }).collect::<Vec<_>>()
            };
            let (weights, _) = Weights::new(self.joints, (0..old.vertex_count()).map(vertex)).unwrap();
            parts.weights = Some(Arc::new(weights.with_muscles_of(old)));
        }
        let poses = self.poses.iter().map(|p| RandomPose {
            palette: p.palette.clone(),
            dual_quats: p.dual_quats.clone(),
            morph_weights: p.morph_weights.clone(),
            muscles: p.muscles.clone(),
        });
        Self { mesh: Mesh::new(parts).unwrap(), joints: self.joints, poses: poses.collect() }
    }
}

fn points(count: u32) -> Primitive {
    Primitive { vertices: 0..count, indices: 0..count, topology: Topology::Points, material: None }
}

/// Every number of influences up to the most, with weights at the edges: nearly one, nearly nothing, all equal.
fn weights(random: &mut MeshRandom, plan: RandomPlan) -> Weights {
    let vertex = |v: usize, random: &mut MeshRandom| {
        let count = if v == 0 { plan.most } else { 1 + random.below(plan.most) };
        let first = random.below(plan.joints);
        let weight = |k: usize, random: &mut MeshRandom| match v % 4 {
            0 => 1.0,
            1 if k == 0 => 1.0,
            1 => 1e-6,
            _ => random.number().abs() + 0.01,
        };
        (0..count)
            .map(|k| Influence { slot: ((first + k) % plan.joints) as u16, weight: weight(k, random) })
            .collect::<Vec<_>>()
    };
    let list: Vec<_> = (0..plan.vertices).map(|v| vertex(v, random)).collect();
    Weights::new(plan.joints, list).unwrap().0
}

/// Up to two muscles in every other vertex, pushing, pulling or nearly nothing.
fn with_muscles(random: &mut MeshRandom, plan: RandomPlan, weights: Weights) -> Weights {
    let first = plan.joints - plan.muscles;
    let vertex = |v: usize, random: &mut MeshRandom| {
        let count =
            if v.is_multiple_of(2) && plan.muscles > 0 { 1 + random.below(2.min(plan.muscles)) } else { 0 };
        let start = random.below(plan.muscles.max(1));
        let slot = |k: usize| (first + (start + k) % plan.muscles) as u16;
        (0..count).map(|k| Influence { slot: slot(k), weight: random.number() * 1.5 }).collect::<Vec<_>>()
    };
    let list: Vec<_> = (0..plan.vertices).map(|v| vertex(v, random)).collect();
    weights.with_muscle_weights(plan.joints, list).unwrap()
}

fn moments(random: &mut MeshRandom, plan: RandomPlan, weights: &Weights) -> DirectMushData {
    let mut parts =
        DirectMushParts { detail: MushDetail::First, first: vec![0], ..DirectMushParts::default() };
    for v in 0..plan.vertices {
        parts.pivots.push(random.vector());
        for i in weights.influences(v) {
            parts.slots.push(i.slot);
            parts.numbers.push(i.weight);
            parts.numbers.extend((random.vector() * 0.1).to_array());
        }
        parts.first.push(parts.slots.len() as u32);
    }
    DirectMushData::new(parts).unwrap()
}

fn morphs(random: &mut MeshRandom, plan: RandomPlan) -> MorphTargets {
    let target = |random: &mut MeshRandom| {
        let some =
            |random: &mut MeshRandom| if random.number() > 0.2 { random.vector() * 0.3 } else { Vec3::ZERO };
        let dense = |random: &mut MeshRandom| (0..plan.vertices).map(|_| some(random)).collect::<Vec<_>>();
        MorphTarget::from_dense("shape", &dense(random), &dense(random), &dense(random))
    };
    let targets = (0..plan.morphs).map(|_| target(random)).collect();
    MorphTargets::new(plan.vertices, targets, vec![]).unwrap()
}

fn pose(random: &mut MeshRandom, plan: RandomPlan) -> RandomPose {
    let matrix = |random: &mut MeshRandom| {
        let mut linear = Mat3::from_quat(random.rotation());
        if plan.wild {
            let side = if random.number() < -0.6 { -1.0 } else { 1.0 };
            let scale = Mat3::from_diagonal(Vec3::splat(1.3) + random.vector() * 0.6) * side;
            let shear = Mat3::from_cols(Vec3::X, Vec3::new(0.3 * random.number(), 1.0, 0.0), Vec3::Z);
            linear = linear * scale * shear;
        }
        Affine3A { matrix3: Mat3A::from(linear), translation: random.vector().into() }
    };
    let matrices: Vec<Affine3A> = (0..plan.joints).map(|_| matrix(random)).collect();
    let pivots: Vec<Vec3> = (0..plan.joints).map(|_| random.vector()).collect();
    let motion = |random: &mut MeshRandom| {
        let swell = Mat3::from_diagonal(Vec3::ONE + random.vector() * 0.4)
            * Mat3::from_rotation_z(0.3 * random.number());
        Affine3A { matrix3: Mat3A::from(swell), translation: (random.vector() * 0.2).into() }
    };
    let moves = if plan.muscles > 0 { plan.joints } else { 0 };
    RandomPose {
        muscles: MusclePalette::from_matrices((0..moves).map(|_| motion(random)).collect()),
        dual_quats: DualQuatPalette::from_matrices(&matrices, &pivots),
        palette: Palette::from_matrices(matrices),
        morph_weights: (0..plan.morphs).map(|_| random.number()).collect(),
    }
}
