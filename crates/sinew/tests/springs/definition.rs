//! What a definition refuses, and how it follows the joints.

use crate::rig::Rig;
use sinew::{
    JointId,
    constrain::{
        ColliderShape, NodeConstraint, NodeConstraintError, NodeConstraintKind, NodeConstraints, SpringChain,
        SpringError, SpringJoint, SpringLimit, SpringLimitShape, SpringParts, Springs,
    },
    glam::{Quat, Vec3},
};

fn rig() -> Rig {
    Rig::read(include_str!("colliders.json"))
}

#[test]
fn every_fault_is_refused_with_its_place_and_value() {
    let rig = rig();
    type Break = fn(&mut SpringParts);
    let cases: [(Break, &str); 16] = [
        (
            |p| p.chains[1].joints[0].joint = JointId(99),
            "spring chain 1: joint 99 is not one of the skeleton's 13",
        ),
        (|p| p.chains[0].center = Some(JointId(50)), "spring chain 0: joint 50"),
        (
            |p| p.chains[1].joints.truncate(1),
            "spring chain 1 needs two joints, or one joint and a tip; it has 1",
        ),
        (|p| p.chains[0].joints.swap(1, 2), "spring chain 0: joint 3 is not below joint 4"),
        (|p| p.chains[1].joints[1].joint = JointId(9), "spring chain 1: joint 9 is not below joint 9"),
        (|p| p.chains.push(p.chains[0].clone()), "joint 2 swings twice: in spring chains 0 and 2"),
        (
            |p| p.chains[0].collider_groups = vec![2],
            "spring chain 0 refers to collider group 2, but there are 2",
        ),
        (
            |p| p.collider_groups[1].colliders = vec![0, 7],
            "spring collider group 1 refers to collider 7, but there are 3",
        ),
        (|p| p.colliders[2].joint = JointId(30), "spring collider 2: joint 30"),
        (
            |p| p.chains[0].joints[2].stiffness = -1.0,
            "spring chain 0, joint 2: the stiffness must be finite and at least 0, got -1",
        ),
        (
            |p| p.chains[0].joints[1].drag = 1.5,
            "spring chain 0, joint 1: the drag must be from 0 to 1, got 1.5",
        ),
        (|p| p.chains[0].joints[0].radius = f32::NAN, "the radius must be finite and at least 0, got NaN"),
        (|p| p.chains[0].joints[0].gravity_direction = Vec3::X * 1e20, "gravity must be finite"),
        (
            |p| p.chains[0].tip = Some(Vec3::splat(f32::INFINITY)),
            "spring chain 0: the tip must be finite, got inf",
        ),
        (
            |p| p.colliders[0].shape = ColliderShape::Plane { point: Vec3::ZERO, normal: Vec3::ZERO },
            "spring collider 0: the length of the normal must be positive, got 0",
        ),
        (
            |p| {
                let shape = SpringLimitShape::Cone { angle_radians: -0.1 };
                p.chains[0].joints[0].limit = Some(SpringLimit { shape, rotation: Quat::IDENTITY });
            },
            "an angle of the limit must be finite and at least 0, got -0.1",
        ),
    ];
    for (make_bad, want) in cases {
        let mut parts = rig.parts.clone();
        make_bad(&mut parts);
        let error = Springs::new(&rig.skeleton, &parts).unwrap_err().to_string();
        assert!(error.contains(want), "{error:?} does not contain {want:?}");
    }
}

#[test]
fn collision_tests_are_bounded() {
    let rig = rig();
    let mut parts = rig.parts.clone();
    parts.collider_groups[0].colliders = vec![0; 3000];
    parts.chains[0].collider_groups = vec![0; 3000];
    assert!(matches!(Springs::new(&rig.skeleton, &parts), Err(SpringError::TooMuch { .. })));
}

#[test]
fn chains_follow_joints_that_move_and_lose_those_that_go() {
    let rig = rig();
    let gone = |gone: u16| {
        move |joint: JointId| match joint.0 {
            j if j == gone => None,
            j if j > gone => Some(JointId(j - 1)),
            j => Some(JointId(j)),
        }
    };
    let without_carrier = rig.parts.remapped(gone(1));
    assert_eq!(without_carrier.colliders.len(), 1);
    let groups: Vec<_> =
        without_carrier.collider_groups.iter().map(|group| group.colliders.clone()).collect();
    assert_eq!(groups, [vec![], vec![0]]);
    let joints = |parts: &SpringParts, chain: usize| -> Vec<u16> {
        parts.chains[chain].joints.iter().map(|joint| joint.joint.0).collect()
    };
    assert_eq!(joints(&without_carrier, 0), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(joints(&rig.parts.remapped(gone(4)), 0), [2, 3, 4, 5, 6, 7]);
    assert_eq!(rig.parts.remapped(|joint| (joint.0 < 10).then_some(joint)).chains.len(), 1);
    let mut tipped = rig.parts.clone();
    tipped.chains[1] = SpringChain {
        tip: Some(Vec3::Y),
        center: Some(JointId(1)),
        ..SpringChain::new("one", [SpringJoint::new(JointId(12))])
    };
    let moved = tipped.remapped(gone(1));
    assert_eq!((moved.chains[1].center, moved.chains[1].tip), (None, Some(Vec3::Y)));
    assert!(tipped.uses(JointId(12)) && !moved.uses(JointId(12)));
    assert_eq!(tipped.remapped(gone(12)).chains.len(), 1);
    assert_eq!(rig.parts.remapped(Some), rig.parts);
}

#[test]
fn node_constraints_refuse_circles_missing_joints_and_weights() {
    let rig = rig();
    let new = |list: &[(u16, u16, f32)]| {
        let kind = NodeConstraintKind::Rotation;
        let one = |&(joint, source, weight): &(u16, u16, f32)| NodeConstraint {
            joint: JointId(joint),
            source: JointId(source),
            weight,
            kind,
        };
        NodeConstraints::new(&rig.skeleton, &list.iter().map(one).collect::<Vec<_>>())
    };
    assert!(new(&[(1, 2, 1.0), (2, 3, 0.5), (3, 4, 0.0)]).is_ok());
    assert!(matches!(
        new(&[(1, 2, 1.0), (2, 3, 0.5), (3, 1, 0.5)]),
        Err(NodeConstraintError::Circular { .. })
    ));
    assert!(matches!(new(&[(1, 1, 1.0)]), Err(NodeConstraintError::Circular { constraint: 0, .. })));
    assert!(matches!(
        new(&[(1, 2, 1.0), (1, 3, 1.0)]),
        Err(NodeConstraintError::JointTwice { second: 1, .. })
    ));
    assert!(matches!(new(&[(1, 2, 1.5)]), Err(NodeConstraintError::BadWeight { .. })));
    assert!(matches!(new(&[(1, 99, 1.0)]), Err(NodeConstraintError::NoSuchJoint { .. })));
    let kind = NodeConstraintKind::Aim { axis: sinew::constrain::JointAxis::X, is_negative: false };
    let own_child = NodeConstraint { joint: JointId(2), source: JointId(3), weight: 1.0, kind };
    let error = NodeConstraints::new(&rig.skeleton, &[own_child]).unwrap_err();
    assert_eq!(error.to_string(), "node constraint 0 depends on itself: joint 2 follows joint 3");
}
