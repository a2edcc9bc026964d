//! Limits, tips, joints between others, numbers that do not make sense, and joints without a size.

use crate::rig::Rig;
use sinew::{
    Joint, JointId, ModelPose, ScaleInheritance, Skeleton, Transform,
    constrain::{
        SpringChain, SpringJoint, SpringLimit, SpringLimitShape, SpringOptions, SpringParts, SpringState,
        SpringStep, Springs,
    },
    glam::{Quat, Vec3},
};

/// A chain of `count` joints, 10 cm apart along X, that gravity pulls down.
fn chain(count: u16) -> (Skeleton, SpringParts) {
    let joint = |at: u16| Joint {
        name: String::new(),
        parent: at.checked_sub(1).map(JointId),
        rest: Transform::from_translation(Vec3::X * 0.1),
    };
    let joints = (0..count).map(|at| SpringJoint {
        stiffness: 0.1,
        gravity_power: 2.0,
        ..SpringJoint::new(JointId(at))
    });
    let chains = vec![SpringChain::new("chain", joints)];
    (Skeleton::new((0..count).map(joint)).unwrap(), SpringParts { chains, ..SpringParts::default() })
}

/// The model pose after two seconds.
fn settled(skeleton: &Skeleton, parts: &SpringParts) -> ModelPose {
    let springs = Springs::new(skeleton, parts).unwrap();
    let (mut state, mut model) = (springs.new_state(), ModelPose::new(skeleton));
    for _ in 0..120 {
        let mut pose = skeleton.rest_pose();
        model.update(skeleton, &pose);
        springs.step(1.0 / 60.0, &model, &mut state, &mut pose);
        model.update(skeleton, &pose);
    }
    model
}

fn bone(model: &ModelPose, from: u16, to: u16) -> Vec3 {
    Vec3::from(model.joint(JointId(to)).translation - model.joint(JointId(from)).translation)
}

#[test]
fn every_kind_of_limit_holds() {
    let (skeleton, mut parts) = chain(3);
    let angle_of = |parts: &SpringParts| bone(&settled(&skeleton, parts), 0, 1).angle_between(Vec3::X);
    assert!(angle_of(&parts) > 1.4);
    let cone = SpringLimitShape::Cone { angle_radians: 0.3 };
    let narrow = SpringLimitShape::Spherical { pitch_radians: 0.2, yaw_radians: 0.25 };
    for (shape, most) in [(cone, 0.3), (narrow, 0.33)] {
        parts.chains[0].joints[0].limit = Some(SpringLimit { shape, rotation: Quat::IDENTITY });
        let angle = angle_of(&parts);
        assert!((0.15..most + 1e-4).contains(&angle), "{angle}");
    }
    // Turned by a quarter about the bone, the hinge swings either in the plane of gravity or across it.
    let shape = SpringLimitShape::Hinge { angle_radians: 0.4 };
    let mut angles = [0.0, std::f32::consts::FRAC_PI_2].map(|turn| {
        parts.chains[0].joints[0].limit = Some(SpringLimit { shape, rotation: Quat::from_rotation_y(turn) });
        angle_of(&parts)
    });
    angles.sort_by(f32::total_cmp);
    assert!(angles[0] < 1e-3 && (angles[1] - 0.4).abs() < 1e-3, "{angles:?}");
}

#[test]
fn a_tip_lets_the_last_joint_swing() {
    let (skeleton, mut parts) = chain(3);
    parts.chains[0].joints.truncate(2);
    let along = |model: &ModelPose, joint: u16| model.joint(JointId(joint)).transform_vector3(Vec3::X);
    assert!(
        along(&settled(&skeleton, &parts), 1).angle_between(along(&settled(&skeleton, &parts), 0)) < 1e-4
    );
    parts.chains[0].tip = Some(Vec3::X * 0.07);
    assert_eq!(Springs::new(&skeleton, &parts).unwrap().len(), 2);
    assert!(along(&settled(&skeleton, &parts), 1).y < -0.9);
}

#[test]
fn joints_between_two_of_a_chain_are_carried_along() {
    let (skeleton, mut parts) = chain(5);
    parts.chains[0].joints.retain(|joint| joint.joint.0 % 2 == 0);
    let model = settled(&skeleton, &parts);
    let (whole, half) = (bone(&model, 0, 2), bone(&model, 0, 1));
    assert!(whole.y < -0.15 && (half * 2.0).distance(whole) < 1e-5, "{whole} {half}");
}

#[test]
fn a_bone_without_length_keeps_its_pose() {
    let joint = |at: u16| Joint {
        name: String::new(),
        parent: at.checked_sub(1).map(JointId),
        rest: Transform::from_translation(if at == 1 { Vec3::ZERO } else { Vec3::X * 0.1 }),
    };
    let skeleton = Skeleton::new((0..3).map(joint)).unwrap();
    let springs = Springs::new(&skeleton, &chain(3).1).unwrap();
    assert_eq!(springs.joints().collect::<Vec<_>>(), [JointId(1)]);
    assert!(bone(&settled(&skeleton, &chain(3).1), 1, 2).y < -0.09);
}

#[test]
fn scale_that_is_not_inherited_is_simulated_as_it_is_shown() {
    let (skeleton, parts) = chain(4);
    let skeleton = skeleton.with_scale_inheritance([(JointId(2), ScaleInheritance::Compensated)]);
    let springs = Springs::new(&skeleton, &parts).unwrap();
    let mut state = springs.new_state();
    let mut model = ModelPose::new(&skeleton);
    for _ in 0..240 {
        let mut pose = skeleton.rest_pose();
        pose.joints[1].scale = Vec3::splat(2.0);
        model.update(&skeleton, &pose);
        springs.step(1.0 / 60.0, &model, &mut state, &mut pose);
        model.update(&skeleton, &pose);
    }
    assert!((bone(&model, 1, 2).length() - 0.2).abs() < 1e-6);
    assert!((bone(&model, 2, 3).length() - 0.1).abs() < 1e-6);
    assert!(bone(&model, 2, 3).normalize().y < -0.95);
}

#[test]
fn nothing_becomes_nan_whatever_the_pose() {
    let rig = Rig::read(include_str!("colliders.json"));
    let scales =
        [Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0), Vec3::splat(1e-20), Vec3::splat(1e9), Vec3::splat(-1.0)];
    for options in [SpringOptions::default(), SpringOptions::THREE_VRM] {
        for scale in scales {
            for place in [Vec3::ZERO, Vec3::splat(1e12), Vec3::splat(f32::NAN)] {
                let mut state = rig.springs.new_state().with_options(options);
                steps(&rig, &mut state, scale, place);
                state.teleport(&rig.springs, &Transform::from_translation(Vec3::X));
                state.reset();
                let good = steps(&rig, &mut state, Vec3::ONE, Vec3::ZERO);
                assert!(good.iter().all(|tail| tail.is_finite()), "{options:?} {scale} {place}");
            }
        }
    }
}

/// Steps with a scaled root and a placement, then checks that every rotation is a unit quaternion.
fn steps(rig: &Rig, state: &mut SpringState, scale: Vec3, place: Vec3) -> Vec<Vec3> {
    let mut pose = rig.skeleton.rest_pose();
    for frame in 0..20 {
        pose = rig.pose_at(f64::from(frame) / 60.0);
        pose.joints[0].scale = scale;
        let mut model = ModelPose::new(&rig.skeleton);
        model.update(&rig.skeleton, &pose);
        let step = SpringStep { dt_secs: 0.013, world_from_model: Transform::from_translation(place) };
        rig.springs.step(step, &model, state, &mut pose);
        assert!(pose.joints.iter().all(|joint| joint.rotation.is_normalized()), "{scale} {place}");
    }
    rig.tails(&pose)
}

#[test]
#[should_panic(expected = "the state is of 2 spring joints, these springs have 3")]
fn the_state_of_other_springs_is_refused() {
    let (skeleton, parts) = chain(4);
    let (_, short) = chain(3);
    let mut state = Springs::new(&skeleton, &short).unwrap().new_state();
    let mut pose = skeleton.rest_pose();
    Springs::new(&skeleton, &parts).unwrap().step(0.0, &ModelPose::new(&skeleton), &mut state, &mut pose);
}
