//! Bones side by side against bones one by one, and ranks against the order of evaluation.

use super::{
    ColliderShape, NodeParent, SpringChain, SpringCollider, SpringColliderGroup, SpringJoint, SpringParts,
    Springs,
};
use crate::{
    asset::skeleton::{Joint, JointId, Skeleton},
    pose::ModelPose,
    transform::Transform,
};
use glam::{Quat, Vec3};

/// Twelve chains of four bones on a head; the colliders of a chain are on the head and on the next chain.
fn hair() -> (Skeleton, SpringParts) {
    let head = Joint { name: "head".into(), parent: None, rest: Transform::IDENTITY };
    let joints = (0..12 * 5).map(|index: u16| {
        let around = Quat::from_rotation_y(f32::from(index / 5));
        let (parent, offset) = match index % 5 {
            0 => (0, around * Vec3::new(0.1, 0.05, 0.0)),
            _ => (index, Vec3::new(0.02, -0.1, 0.0)),
        };
        let rest = Transform {
            translation: offset,
            rotation: Quat::from_rotation_x(0.1),
            scale: Vec3::new(1.0, 1.1, 0.95),
        };
        Joint { name: String::new(), parent: Some(JointId(parent)), rest }
    });
    let skeleton = Skeleton::new(std::iter::once(head).chain(joints)).unwrap();
    let sphere = ColliderShape::Sphere { center: Vec3::ZERO, radius: 0.09, is_inside: false };
    let chain = |chain: u16| {
        let of = |bone: u16| SpringJoint {
            gravity_power: 0.4,
            radius: 0.02,
            ..SpringJoint::new(JointId(1 + chain * 5 + bone))
        };
        SpringChain { collider_groups: vec![usize::from(chain % 3)], ..SpringChain::new("", (0..5).map(of)) }
    };
    let carried = [0, 3, 18, 41].map(|joint| SpringCollider { joint: JointId(joint), shape: sphere });
    let groups = [vec![0], vec![0, 1], vec![2, 3]]
        .map(|colliders| SpringColliderGroup { name: String::new(), colliders });
    let parts = SpringParts {
        chains: (0..12).map(chain).collect(),
        colliders: carried.into(),
        collider_groups: groups.into(),
    };
    (skeleton, parts)
}

/// The ends of all bones after every step of two seconds.
fn played(skeleton: &Skeleton, springs: &Springs) -> Vec<Vec3> {
    let (mut state, mut model) = (springs.new_state(), ModelPose::new(skeleton));
    let mut ends = Vec::new();
    for step in 0..120_u8 {
        let secs = f32::from(step) / 60.0;
        let mut pose = skeleton.rest_pose();
        pose.joints[0].rotation = Quat::from_rotation_z((9.0 * secs).sin());
        pose.joints[0].translation = Vec3::X * (0.3 * (7.0 * secs).sin());
        model.update(skeleton, &pose);
        springs.step(1.0 / 60.0, &model, &mut state, &mut pose);
        model.update(skeleton, &pose);
        ends.extend(skeleton.joints().map(|joint| Vec3::from(model.joint(joint).translation)));
    }
    ends
}

#[test]
fn bones_side_by_side_agree_with_the_careful_code_for_one_bone() {
    let (skeleton, parts) = hair();
    let springs = Springs::new(&skeleton, &parts).unwrap();
    let mut careful = springs.clone();
    careful.groups.iter_mut().for_each(|group| group.lanes = None);
    let (got, want) = (played(&skeleton, &springs), played(&skeleton, &careful));
    let off = got.iter().zip(&want).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(off < 4e-6, "{off} m");
    let still = Springs::new(&skeleton, &SpringParts::default()).unwrap();
    let moved = got.iter().zip(&played(&skeleton, &still)).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(moved > 0.1, "{moved} m");
}

#[test]
fn nearly_all_bones_have_others_at_their_side() {
    let (skeleton, parts) = hair();
    let springs = Springs::new(&skeleton, &parts).unwrap();
    let bones = springs.groups.iter().filter(|group| group.lanes.is_some()).map(|group| group.nodes.len());
    assert_eq!(bones.clone().sum::<usize>(), 48);
    assert!(bones.filter(|&count| count > 1).sum::<usize>() >= 40, "{:?}", springs.groups);
}

/// What a node must see of the others does not depend on how many of them are evaluated at once.
#[test]
fn a_group_neither_reads_nor_moves_what_its_other_nodes_move() {
    let (skeleton, parts) = hair();
    let springs = Springs::new(&skeleton, &parts).unwrap();
    for group in &springs.groups {
        let nodes = || group.nodes.clone().map(|at| &springs.nodes[at as usize]);
        for node in nodes() {
            if let NodeParent::Node(parent) = node.from {
                assert!(parent < group.nodes.start);
            }
            let tested = node.pair.map_or(0..0, |pair| springs.pairs[pair as usize].colliders.clone());
            let tested = &springs.tested[tested.start as usize..tested.end as usize];
            let others = nodes().filter(|other| other.joint != node.joint);
            let carried: Vec<u32> = others.flat_map(|other| other.colliders.iter().copied()).collect();
            assert!(carried.iter().all(|collider| !tested.contains(collider)));
        }
    }
}

#[test]
fn a_collider_is_seen_where_it_was_or_is_as_in_the_order_of_evaluation() {
    // Chain 1 tests a collider on chain 0, and chain 0 one on chain 1: a circle, so that one of them sees the other where it
    // was a step before. A rank that forgets this would let both see the same step.
    let (skeleton, mut parts) = hair();
    parts.chains.truncate(2);
    parts.colliders = [(3, 0), (8, 1)]
        .map(|(joint, _)| SpringCollider {
            joint: JointId(joint),
            shape: ColliderShape::Sphere { center: Vec3::ZERO, radius: 0.15, is_inside: false },
        })
        .into();
    parts.collider_groups =
        [vec![1], vec![0]].map(|colliders| SpringColliderGroup { name: String::new(), colliders }).into();
    parts.chains.iter_mut().enumerate().for_each(|(at, chain)| chain.collider_groups = vec![at]);
    let springs = Springs::new(&skeleton, &parts).unwrap();
    let place = |joint: u16| springs.nodes.iter().position(|node| node.joint == JointId(joint)).unwrap();
    // The chain that is evaluated first tests the other's collider before it moves, with all its bones.
    let (first, second) = if place(1) < place(6) { (1..5, 8) } else { (6..10, 3) };
    assert!(first.clone().all(|joint| place(joint) < place(second)), "{first:?} {second}");
}
