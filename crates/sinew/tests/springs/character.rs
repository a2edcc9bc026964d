//! Springs and node constraints of a character: frames, instances and joints that are edited.

use sinew::{
    Character, CharacterError, Frame, JointId, Method, Transform,
    constrain::{
        JointAxis, NodeConstraint, NodeConstraintKind, SpringChain, SpringJoint, SpringParts, SpringStep,
    },
    glam::{Quat, Vec3},
};

/// The figure with an arm that hangs from the shoulder, and a right hand that follows the left.
fn figure() -> Character {
    let mut parts = sinew_samples::figure().into_parts();
    let find = |name: &str| parts.skeleton.find(name).unwrap();
    let arm = ["upper_arm.L", "forearm.L", "hand.L"].map(|name| SpringJoint {
        stiffness: 0.2,
        gravity_power: 1.0,
        ..SpringJoint::new(find(name))
    });
    let kind = NodeConstraintKind::Rotation;
    let (joint, source) = (find("hand.R"), find("head"));
    parts.springs = SpringParts { chains: vec![SpringChain::new("arm", arm)], ..SpringParts::default() };
    parts.node_constraints = vec![NodeConstraint { joint, source, weight: 1.0, kind }];
    Character::new(parts).unwrap()
}

fn elbow(frame: &Frame) -> Vec3 {
    let joint = frame.character().skeleton().find("forearm.L").unwrap();
    frame.model().joint(joint).translation.into()
}

#[test]
fn a_frame_swings_when_it_is_stepped_and_only_then() {
    let figure = figure();
    let mut frame = Frame::new(&figure);
    let rest = elbow(&frame);
    let mut state = figure.springs().new_state();
    for _ in 0..120 {
        frame.reset();
        frame.step_springs(&mut state, 1.0 / 60.0);
    }
    assert!(elbow(&frame).y < rest.y - 0.05);
    assert_eq!(frame.local(), &figure.rest_pose(), "the local pose stays as it is");
    let joint = figure.skeleton().find("upper_arm.L").unwrap();
    assert_ne!(frame.driven_pose().joints[joint.index()], figure.rest_pose().joints[joint.index()]);
    frame.deform(Method::Linear).unwrap();
    assert!(elbow(&frame).y < rest.y - 0.05, "deforming keeps the springs");
    frame.reset();
    frame.update();
    assert_eq!(elbow(&frame), rest);
}

#[test]
fn a_state_of_another_character_starts_over() {
    let mut state = figure().springs().new_state();
    let mut frame = Frame::new(sinew_samples::figure());
    frame.step_springs(&mut state, 1.0);
    assert!(state.shown().is_empty());
}

#[test]
fn the_placement_of_a_frame_in_the_world_makes_it_swing() {
    let figure = figure();
    let run = |speed: f32| {
        let mut frame = Frame::new(&figure);
        let mut state = figure.springs().new_state();
        for tick in 0..60_u8 {
            let place = Transform::from_translation(Vec3::Z * (speed * f32::from(tick) / 60.0));
            frame.step_springs(&mut state, SpringStep { dt_secs: 1.0 / 60.0, world_from_model: place });
        }
        elbow(&frame)
    };
    assert!(run(4.0).z < run(0.0).z - 0.02);
}

#[test]
fn node_constraints_are_applied_with_the_helper_joints() {
    let figure = figure();
    let (head, hand) = (figure.skeleton().find("head").unwrap(), figure.skeleton().find("hand.R").unwrap());
    assert!(!figure.is_without_helpers() && !figure.with_helpers_off().is_without_helpers());
    let mut frame = Frame::new(&figure);
    let turn = Quat::from_rotation_y(0.5);
    frame.local_mut().joints[head.index()].rotation *= turn;
    frame.update();
    let want = figure.skeleton().rest(hand).rotation * turn;
    assert!(frame.driven_pose().joints[hand.index()].rotation.dot(want).abs() > 1.0 - 1e-6);
}

#[test]
fn a_character_refuses_springs_and_constraints_of_another_skeleton() {
    let far = JointId(999);
    let mut parts = figure().into_parts();
    parts.springs.chains[0].joints[2].joint = far;
    assert!(matches!(Character::new(parts), Err(CharacterError::Spring(_))));
    let mut parts = figure().into_parts();
    parts.node_constraints[0].kind = NodeConstraintKind::Roll { axis: JointAxis::X };
    parts.node_constraints[0].source = far;
    assert!(matches!(Character::new(parts), Err(CharacterError::NodeConstraint(_))));
}
