//! Agreement with `@pixiv/three-vrm` over 600 steps.

use crate::rig::{ConstraintJson, Rig};
use sinew::{
    JointId,
    constrain::{JointAxis, NodeConstraint, NodeConstraintKind, NodeConstraints, SpringOptions},
};

/// The largest distance from the expected ends of bones, relative to the length of the chain.
///
/// The oracle computes in double precision and its numbers are rounded to 1e-7 m. Springs lose energy, so single precision
/// does not drift: the error stays where rounding per step puts it.
const TOLERANCE: f32 = 1e-5;

fn check(name: &str, text: &str) {
    let rig = Rig::read(text);
    let mut state = rig.springs.new_state().with_options(SpringOptions::THREE_VRM);
    rig.step(&mut state, 0.0, 0.0);
    let (mut worst, mut moved, mut expected) = (0.0_f32, 0.0_f32, rig.json.expected.iter());
    let rest = rig.tails(&rig.skeleton.rest_pose());
    for step in 1..=600 {
        let pose = rig.step(&mut state, f64::from(step) * rig.json.dt, rig.json.dt as f32);
        if step % 20 > 0 {
            continue;
        }
        let want = expected.next().unwrap();
        assert_eq!(want.step, step);
        let got = rig.tails(&pose);
        assert_eq!(got.len(), want.tails.len());
        worst = got.iter().zip(&want.tails).map(|(a, b)| a.distance(*b)).fold(worst, f32::max);
        moved = got.iter().zip(&rest).map(|(a, b)| a.distance(*b)).fold(moved, f32::max);
    }
    assert!(expected.next().is_none());
    let length = rig.length();
    println!("{name}: {:.1e} of the chain's {length:.3} m; bones moved up to {moved:.3} m", worst / length);
    assert!(worst <= TOLERANCE * length, "{name}: {worst} m apart, the chain has {length} m");
    assert!(moved > 0.2 * length, "{name}: nothing moves");
}

#[test]
fn a_straight_hair_chain_agrees() {
    check("hair", include_str!("hair.json"));
}

#[test]
fn a_branching_skirt_agrees() {
    check("skirt", include_str!("skirt.json"));
}

#[test]
fn chains_with_sphere_and_capsule_colliders_agree() {
    check("colliders", include_str!("colliders.json"));
}

#[test]
fn a_chain_in_center_space_under_a_moving_root_agrees() {
    check("center", include_str!("center.json"));
}

#[test]
fn chains_below_scaled_parents_with_gravity_and_extended_colliders_agree() {
    check("scaled", include_str!("scaled.json"));
}

fn constraint(json: &ConstraintJson) -> NodeConstraint {
    let axis = match json.axis.chars().last() {
        Some('X') => JointAxis::X,
        Some('Y') => JointAxis::Y,
        _ => JointAxis::Z,
    };
    let kind = match json.kind.as_str() {
        "roll" => NodeConstraintKind::Roll { axis },
        "aim" => NodeConstraintKind::Aim { axis, is_negative: json.axis.starts_with('N') },
        _ => NodeConstraintKind::Rotation,
    };
    NodeConstraint { joint: JointId(json.joint), source: JointId(json.source), weight: json.weight, kind }
}

#[test]
fn node_constraints_agree_whatever_order_they_are_in() {
    let rig = Rig::read(include_str!("constraints.json"));
    let list: Vec<NodeConstraint> = rig.json.constraints.iter().map(constraint).collect();
    let reversed: Vec<NodeConstraint> = list.iter().rev().copied().collect();
    let mut worst = 0.0_f32;
    for order in [&list, &reversed] {
        let constraints = NodeConstraints::new(&rig.skeleton, order).unwrap();
        for want in &rig.json.expected {
            let mut pose = rig.pose_at(f64::from(want.step) * rig.json.dt);
            constraints.apply(&mut pose);
            for (constraint, want) in list.iter().zip(&want.rotations) {
                let got = pose.joints[constraint.joint.index()].rotation;
                let want = if got.dot(*want) < 0.0 { -*want } else { *want };
                worst = worst.max((got - want).length());
            }
        }
    }
    println!("constraints: {worst:.1e}");
    assert!(worst < 2e-6, "{worst}");
}
