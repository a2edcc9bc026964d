use super::*;
use crate::constrain::test_input::{rotation, vector};
use crate::{
    Joint,
    constrain::{ccd, fabrik},
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};

type Solver = fn(&Chain, &ChainGoal, &ModelPose, &mut ChainScratch, &mut LocalPose) -> IkReport;
const SOLVERS: [(&str, Solver); 2] = [("fabrik", fabrik), ("ccd", ccd)];

/// A joint above, then a chain of bones.
fn chain_of(above: Transform, bones: &[Transform]) -> (Skeleton, Chain) {
    let all = std::iter::once(&above).chain(bones).enumerate();
    let joint = |(at, rest): (usize, &Transform)| Joint {
        name: format!("{at}"),
        parent: at.checked_sub(1).map(|p| JointId(p as u16)),
        rest: *rest,
    };
    let skeleton = Skeleton::new(all.map(joint)).unwrap();
    let chain = Chain::new(&skeleton, JointId(1), JointId(bones.len() as u16)).unwrap();
    (skeleton, chain)
}

fn model_of(skeleton: &Skeleton, pose: &LocalPose) -> ModelPose {
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, pose);
    model
}

fn bone(rotation: Quat, translation: Vec3) -> Transform {
    Transform::from_rotation_translation(rotation, translation)
}

fn tip(skeleton: &Skeleton, pose: &LocalPose) -> Vec3 {
    let joints = model_of(skeleton, pose);
    joints.joints()[skeleton.len() - 1].translation.into()
}

/// The least and the most a chain of these lengths can reach.
fn range(lengths: &[f32]) -> [f32; 2] {
    let sum: f32 = lengths.iter().sum();
    let longest = lengths.iter().fold(0.0_f32, |a, &b| a.max(b));
    [(2.0 * longest - sum).max(0.0), sum]
}

proptest! {
    #![proptest_config(Config {
        cases: 400,
        rng_seed: RngSeed::Fixed(0x6368_6169),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn reaches_what_is_reachable(
        bones in prop::collection::vec((rotation(), 0.05_f32..1.0, 0.5_f32..2.0), 3..8), above in rotation(),
        direction in vector(1.0), part in 0.0_f32..1.0, mirror: bool,
    ) {
        prop_assume!(direction.length() > 0.05);
        let scale = Vec3::new(2.0, 2.0, if mirror { -2.0 } else { 1.0 });
        let above = Transform { translation: Vec3::X, rotation: above, scale };
        let bones: Vec<Transform> = bones
            .iter()
            .map(|&(turn, length, scale)| Transform { scale: Vec3::splat(scale), ..bone(turn, Vec3::Y * length) })
            .collect();
        let (skeleton, chain) = chain_of(above, &bones);
        let rest = skeleton.rest_pose();
        let mut scratch = ChainScratch::new(&chain);
        let length = chain.measure(&rest.joints, &mut scratch);
        let [min, max] = range(&scratch.lengths[..bones.len() - 1]);
        let at = bones[0].translation + direction.normalize() * (min + (max - min) * part);
        let model = model_of(&skeleton, &rest);
        let target = model.joint(JointId(0)).transform_point3(at);
        for (name, solver) in SOLVERS {
            let mut pose = rest.clone();
            let reach = solver(&chain, &ChainGoal::to(target), &model, &mut scratch, &mut pose);
            prop_assert!(reach.reached, "{} at {} of {}: {:?}", name, part, bones.len(), reach);
            let off = tip(&skeleton, &pose).distance(target);
            prop_assert!(off < 2.1e-4 * length + 1e-5, "{}: {} of {}", name, off, length);
            prop_assert!((off - reach.distance).abs() < 1e-5 * (1.0 + length), "{}: the report is measured", name);
        }
    }

    #[test]
    fn uneven_scale_inside_the_chain_is_reached_by_ccd(
        turns in [rotation(), rotation(), rotation(), rotation()], target in vector(0.8),
    ) {
        let scale = Vec3::new(0.8, 1.3, -1.1);
        let bones = turns.map(|turn| Transform { scale, ..bone(turn, Vec3::Y) });
        let (skeleton, chain) = chain_of(Transform::IDENTITY, &bones);
        let mut pose = skeleton.rest_pose();
        let model = model_of(&skeleton, &pose);
        let target = bones[0].translation + target;
        let mut scratch = ChainScratch::new(&chain);
        let goal = ChainGoal { passes: 200, ..ChainGoal::to(target) };
        let reach = ccd(&chain, &goal, &model, &mut scratch, &mut pose);
        prop_assert!(reach.reached, "{:?}", reach);
        prop_assert!(tip(&skeleton, &pose).distance(target) < 1e-3);
    }

    #[test]
    fn limits_hold_whatever_the_target(
        turns in prop::collection::vec(rotation(), 5), target in vector(4.0), swing in 0.0_f32..1.5, twist in 0.0_f32..1.0,
        hinge in [-1.0_f32..0.0, 0.0_f32..2.0],
    ) {
        let bones: Vec<Transform> = turns.iter().map(|_| bone(Quat::IDENTITY, Vec3::Y)).collect();
        let (skeleton, chain) = chain_of(Transform::IDENTITY, &bones);
        let cone = |j| Limit::cone(&skeleton, JointId(j), Vec3::Y, swing, twist).unwrap();
        let limits = [
            (JointId(1), cone(1)),
            (JointId(2), Limit::hinge(&skeleton, JointId(2), Vec3::X, hinge).unwrap()),
            (JointId(3), cone(3)),
            (JointId(4), cone(4).with_freedom([false, true, false])),
        ];
        let chain = chain.with_limits(limits).unwrap();
        let mut pose = skeleton.rest_pose();
        for (joint, turn) in pose.joints[1..].iter_mut().zip(&turns) {
            joint.rotation = *turn;
        }
        let model = model_of(&skeleton, &pose);
        let mut scratch = ChainScratch::new(&chain);
        for (name, solver) in SOLVERS {
            let mut pose = pose.clone();
            let reach = solver(&chain, &ChainGoal::to(target), &model, &mut scratch, &mut pose);
            prop_assert!(reach.distance.is_finite());
            prop_assert!((reach.distance - tip(&skeleton, &pose).distance(target)).abs() < 1e-4);
            for (joint, limit) in &limits {
                let [swing, twist] = limit.excess_radians(pose.joints[joint.index()].rotation);
                prop_assert!(swing < 1e-3 && twist < 1e-3, "{}, {:?}: {} {}", name, joint, swing, twist);
            }
        }
    }

    #[test]
    fn no_chain_gives_a_nan(
        lengths in prop::collection::vec(prop_oneof![Just(0.0_f32), Just(1.0_f32), 0.01_f32..2.0], 2..6),
        size in prop_oneof![Just(1e-12_f32), Just(1e-6), Just(1.0), Just(1e6), Just(1e11)], turn in rotation(),
        target in vector(2.0), weight in 0.0_f32..1.0, factor in prop_oneof![Just(1.0_f32), Just(0.0), Just(-1.0)],
    ) {
        let bones: Vec<Transform> = lengths
            .iter()
            .enumerate()
            .map(|(at, l)| bone(if at == 0 { turn } else { Quat::IDENTITY }, Vec3::Y * *l * size))
            .collect();
        let above = Transform { scale: Vec3::new(1.0, factor, 1.0), ..Transform::IDENTITY };
        let (skeleton, chain) = chain_of(above, &bones);
        let rest = skeleton.rest_pose();
        let model = model_of(&skeleton, &rest);
        let mut scratch = ChainScratch::new(&chain);
        let (root, line) = (bones[0].translation, turn * Vec3::Y * size);
        for (name, solver) in SOLVERS {
            for target in [target * size, root, root + line * 0.7, root - line * 0.3, root + line * 100.0, Vec3::splat(f32::INFINITY)] {
                let mut pose = rest.clone();
                let goal = ChainGoal { weight, ..ChainGoal::to(target) };
                let reach = solver(&chain, &goal, &model, &mut scratch, &mut pose);
                prop_assert!(!reach.distance.is_nan(), "{}", name);
                prop_assert!(pose.joints.iter().all(|t| t.is_finite() && (t.rotation.length() - 1.0).abs() < 1e-4));
            }
        }
    }

    #[test]
    fn weight_zero_leaves_every_bit(turns in prop::collection::vec(rotation(), 4), target in vector(3.0)) {
        let bones: Vec<Transform> = turns.iter().map(|&q| bone(q, Vec3::Y)).collect();
        let (skeleton, chain) = chain_of(Transform::IDENTITY, &bones);
        let limit = Limit::cone(&skeleton, JointId(2), Vec3::Y, 0.1, 0.1).unwrap();
        let chain = chain.with_limits([(JointId(2), limit)]).unwrap();
        let mut pose = skeleton.rest_pose();
        pose.joints[2].rotation = turns[0];
        let (input, model) = (pose.clone(), model_of(&skeleton, &pose));
        let mut scratch = ChainScratch::default();
        for (_, solver) in SOLVERS {
            solver(&chain, &ChainGoal { weight: 0.0, ..ChainGoal::to(target) }, &model, &mut scratch, &mut pose);
            prop_assert_eq!(&pose, &input);
        }
    }
}

#[test]
fn a_straight_chain_folds_towards_a_target_on_its_own_line() {
    let bones = [bone(Quat::IDENTITY, Vec3::Y); 5];
    let (skeleton, chain) = chain_of(Transform::IDENTITY, &bones);
    let rest = skeleton.rest_pose();
    let model = model_of(&skeleton, &rest);
    let mut scratch = ChainScratch::new(&chain);
    for (name, solver) in SOLVERS {
        for part in [-0.8_f32, 0.0, 0.3, 0.9, 0.999] {
            let mut pose = rest.clone();
            let target = Vec3::Y * (1.0 + 4.0 * part);
            let reach = solver(&chain, &ChainGoal::to(target), &model, &mut scratch, &mut pose);
            assert!(reach.reached, "{name} to {part}: {reach:?}");
            assert!(tip(&skeleton, &pose).distance(target) < 1e-3);
        }
    }
}

#[test]
fn out_of_reach_a_chain_stretches_towards_the_target() {
    let bones = [bone(Quat::from_rotation_x(0.7), Vec3::Y); 5];
    let (skeleton, chain) = chain_of(Transform::IDENTITY, &bones);
    let rest = skeleton.rest_pose();
    let model = model_of(&skeleton, &rest);
    let mut scratch = ChainScratch::new(&chain);
    for (name, solver) in SOLVERS {
        let mut pose = rest.clone();
        let target = Vec3::new(7.0, 1.0, 0.0);
        let reach = solver(&chain, &ChainGoal::to(target), &model, &mut scratch, &mut pose);
        assert!(!reach.reached && (reach.distance - 3.0).abs() < 4e-3, "{name}: {reach:?}");
        assert!(tip(&skeleton, &pose).distance(Vec3::new(4.0, 1.0, 0.0)) < 0.05, "{name}");
    }
}

#[test]
fn invalid_chains_are_rejected() {
    let (skeleton, chain) = chain_of(Transform::IDENTITY, &[bone(Quat::IDENTITY, Vec3::Y); 3]);
    let above = Err(IkError::NotAbove { upper: JointId(2), lower: JointId(1) });
    assert_eq!(Chain::new(&skeleton, JointId(2), JointId(1)), above);
    assert!(matches!(Chain::new(&skeleton, JointId(2), JointId(2)), Err(IkError::NotAbove { .. })));
    assert!(matches!(Chain::new(&skeleton, JointId(2), JointId(7)), Err(IkError::NoSuchJoint { .. })));
    let limit = Limit::cone(&skeleton, JointId(3), Vec3::Y, 1.0, 1.0).unwrap();
    let effector = chain.with_limits([(JointId(3), limit)]);
    assert_eq!(effector, Err(IkError::NotInChain { joint: JointId(3) }));
}
