//! Spring bones: chains of four on a head that turns; one item is one bone and frame.

use super::case;
use crate::verb::bench::cases::BenchCase;
use sinew::constrain::{
    ColliderShape, SpringChain, SpringCollider, SpringColliderGroup, SpringJoint, SpringParts, Springs,
};
use sinew::glam::{Quat, Vec3};
use sinew::{Joint, JointId, ModelPose, Skeleton, Transform, simd::Level};
use std::hint::black_box;

/// Bones per chain: hair, tails and skirts of files have three to eight.
const BONES: u16 = 4;
const CHAINS: [u16; 3] = [8, 32, 128];
const COLLIDERS: [usize; 2] = [0, 4];

/// Every number of chains, without and with colliders.
pub(super) fn stepping(level: Level) -> Vec<BenchCase<'static>> {
    let sizes = CHAINS.into_iter().flat_map(|chains| COLLIDERS.map(|colliders| (chains, colliders)));
    sizes.filter_map(|(chains, colliders)| step(chains, colliders, level)).collect()
}

fn step(chains: u16, colliders: usize, level: Level) -> Option<BenchCase<'static>> {
    let skeleton = head(chains)?;
    let springs = Springs::new(&skeleton, &hair(chains, colliders)).ok()?;
    let (rest, mut state) = (skeleton.rest_pose(), springs.new_state());
    let (mut local, mut model, mut time) = (rest, ModelPose::new(&skeleton), 0.0_f32);
    let name = format!("springs/step/{colliders}-colliders/{chains}x{BONES}/{}", level.name());
    Some(case(name, springs.len(), move || {
        time += 1.0 / 60.0;
        local.joints[0].rotation = Quat::from_rotation_y((3.0 * time).sin());
        model.update(&skeleton, &local);
        springs.step_at(level, 1.0 / 60.0, &model, &mut state, &mut local);
        black_box(&mut local);
    }))
}

/// A joint with chains of bones of 10 cm around it.
fn head(chains: u16) -> Option<Skeleton> {
    let root = Joint { name: "head".into(), parent: None, rest: Transform::IDENTITY };
    let joint = |index: u16| {
        let (chain, bone) = (index / (BONES + 1), index % (BONES + 1));
        let around = Quat::from_rotation_y(f32::from(chain) / f32::from(chains) * std::f32::consts::TAU);
        let offset = if bone == 0 { around * Vec3::new(0.1, 0.05, 0.0) } else { Vec3::NEG_Y * 0.1 };
        let parent = Some(JointId(if bone == 0 { 0 } else { index }));
        Joint { name: format!("hair_{chain}_{bone}"), parent, rest: Transform::from_translation(offset) }
    };
    Skeleton::new(std::iter::once(root).chain((0..chains * (BONES + 1)).map(joint))).ok()
}

fn hair(chains: u16, colliders: usize) -> SpringParts {
    let of = |chain: u16| {
        let first = 1 + chain * (BONES + 1);
        let joints = (first..=first + BONES).map(|joint| SpringJoint {
            gravity_power: 0.3,
            radius: 0.01,
            ..SpringJoint::new(JointId(joint))
        });
        SpringChain { collider_groups: vec![0], ..SpringChain::new("hair", joints) }
    };
    let sphere = |nth: usize| SpringCollider {
        joint: JointId(0),
        shape: ColliderShape::Sphere {
            center: Vec3::Y * (-0.1 * nth as f32),
            radius: 0.12,
            is_inside: false,
        },
    };
    SpringParts {
        chains: (0..chains).map(of).collect(),
        colliders: (0..colliders).map(sphere).collect(),
        collider_groups: vec![SpringColliderGroup {
            name: String::new(),
            colliders: (0..colliders).collect(),
        }],
    }
}
