use super::*;
use crate::sinew_samples;
use crate::{
    ModelPose,
    constrain::{Chain, ChainGoal, ChainScratch, ccd, fabrik, test_input::vector},
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};

/// A shoulder of the figure: two axes of the collarbone, one of the upper arm.
fn shoulder(skeleton: &Skeleton) -> MetaJoint {
    let find = |name: &str| skeleton.find(name).unwrap();
    let parts = vec![
        MetaJointPart::new(find("clavicle.L"), "zy".parse().unwrap()),
        MetaJointPart {
            ranges_radians: vec![[-1.0, 2.0]],
            ..MetaJointPart::new(find("upper_arm.L"), "x".parse().unwrap())
        },
    ];
    MetaJoint::new(skeleton, "shoulder.L", parts).unwrap()
}

#[test]
fn angles_are_set_and_read_back_over_two_joints() {
    let figure = sinew_samples::figure();
    let shoulder = shoulder(figure.skeleton());
    let mut pose = figure.rest_pose();
    shoulder.set_angles(&mut pose, [0.3, -0.2, 1.1]);
    let found = shoulder.angles(&pose);
    for (a, b) in found.radians.iter().zip([0.3, -0.2, 1.1]) {
        assert!((a - b).abs() < 1e-6, "{found:?}");
    }
    assert!(found.residual_radians < 1e-6);
    assert_eq!(shoulder.angle_names(), ["shoulder.L.z", "shoulder.L.y", "shoulder.L.x"]);
    assert_eq!(shoulder.angles_near(&pose, [std::f32::consts::TAU, 0.0, 0.0]).radians[0].round(), 7.0);
}

#[test]
fn angles_are_clamped_to_the_ranges_of_their_axes() {
    let figure = sinew_samples::figure();
    let shoulder = shoulder(figure.skeleton());
    let half_turn = [-PI, PI];
    assert_eq!(shoulder.ranges_radians(), [half_turn, half_turn, [-1.0, 2.0]]);
    assert_eq!(shoulder.clamp_angles([4.0, -0.5, -3.0]), [PI, -0.5, -1.0]);
    let arm = figure.skeleton().find("upper_arm.L").unwrap();
    let hinge = MetaJointPart::new(arm, "x".parse().unwrap());
    let hinge = MetaJoint::new(figure.skeleton(), "hinge", vec![hinge]).unwrap();
    assert_eq!(hinge.clamp_angles([0.4, 1.0, 1.0]), [0.4, 0.0, 0.0], "it has one axis");
}

#[test]
fn a_pose_beyond_the_axes_has_a_residual() {
    let figure = sinew_samples::figure();
    let shoulder = shoulder(figure.skeleton());
    let mut pose = figure.rest_pose();
    let arm = figure.skeleton().find("upper_arm.L").unwrap();
    pose.joints[arm.index()].rotation *= Quat::from_rotation_y(0.25);
    assert!((shoulder.angles(&pose).residual_radians - 0.25).abs() < 1e-5);
}

#[test]
fn refuses_too_many_axes_repeated_joints_and_bad_ranges() {
    let figure = sinew_samples::figure();
    let skeleton = figure.skeleton();
    let arm = skeleton.find("upper_arm.L").unwrap();
    let part = |axes: &str| MetaJointPart::new(arm, axes.parse().unwrap());
    let new = |parts| MetaJoint::new(skeleton, "m", parts);
    assert!(matches!(new(vec![]), Err(MetaJointError::WrongCount { count: 0, .. })));
    assert!(matches!(new(vec![part("xyz"), part("x")]), Err(MetaJointError::WrongCount { count: 4, .. })));
    assert!(matches!(new(vec![part("x"), part("y")]), Err(MetaJointError::Twice { .. })));
    let beyond = MetaJointPart { ranges_radians: vec![[-9.0, 1.0]], ..part("x") };
    assert!(matches!(new(vec![beyond]), Err(MetaJointError::Limit { .. })));
    let missing = MetaJointPart { joint: JointId(999), ..part("x") };
    assert!(matches!(new(vec![missing]), Err(MetaJointError::Limit { .. })));
}

proptest! {
    #![proptest_config(Config { cases: 48, rng_seed: RngSeed::Fixed(0x6d6a), failure_persistence: None, ..Config::default() })]

    #[test]
    fn chains_keep_to_the_axes_and_ranges_of_meta_joints(target in vector(1.0)) {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let find = |name: &str| skeleton.find(name).unwrap();
        let shoulder = shoulder(skeleton);
        let hinge = MetaJointPart { ranges_radians: vec![[-2.4, 0.0]], ..MetaJointPart::new(find("forearm.L"), "x".parse().unwrap()) };
        let elbow = MetaJoint::new(skeleton, "elbow.L", vec![hinge]).unwrap();
        let limits = [&shoulder, &elbow].into_iter().flat_map(|m| m.limits(skeleton).unwrap());
        let chain = Chain::new(skeleton, find("clavicle.L"), find("hand.L")).unwrap().with_limits(limits).unwrap();
        for solver in [ccd, fabrik] {
            let (mut pose, mut model) = (figure.rest_pose(), ModelPose::new(skeleton));
            model.update(skeleton, &pose);
            let goal = ChainGoal::to(target + glam::Vec3::Y);
            let _ = solver(&chain, &goal, &model, &mut ChainScratch::default(), &mut pose);
            for meta in [&shoulder, &elbow] {
                let found = meta.angles(&pose);
                prop_assert!(found.residual_radians < 1e-4, "{}: {found:?}", meta.name());
            }
            let bend = elbow.angles(&pose).radians[0];
            prop_assert!((-2.4001..=1e-4).contains(&bend), "{bend}");
            let swing = shoulder.angles(&pose).radians[2];
            prop_assert!((-1.0001..=2.0001).contains(&swing), "{swing}");
        }
    }
}
