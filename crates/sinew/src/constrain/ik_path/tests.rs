use crate::{
    Joint, JointId, LocalPose, ModelPose, ScaleInheritance, Skeleton, Transform,
    constrain::{
        Chain, ChainGoal, ChainScratch, LookAt, LookAtGoal, LookAtParts, TwoBone, TwoBoneGoal, TwoBoneParts,
        ccd, fabrik,
        test_input::{rotation, vector},
    },
};
use glam::{Quat, Vec3};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};

/// A chain of five joints along Y, bent a little, whose joints are scaled and partly compensated.
fn chain(scales: [Vec3; 5], is_compensated: [bool; 5], turn: Quat) -> (Skeleton, LocalPose) {
    let joint = |at: u16| Joint {
        name: at.to_string(),
        parent: at.checked_sub(1).map(JointId),
        rest: Transform::from_rotation_translation(Quat::from_rotation_x(0.2), Vec3::Y),
    };
    let skeleton = Skeleton::new((0..5).map(joint)).unwrap();
    let kind = |is_compensated| match is_compensated {
        true => ScaleInheritance::Compensated,
        false => ScaleInheritance::Full,
    };
    let kinds: Vec<_> = skeleton.joints().zip(is_compensated.map(kind)).collect();
    let skeleton = skeleton.with_scale_inheritance(kinds);
    let mut pose = skeleton.rest_pose();
    pose.joints[0].rotation = turn;
    for (joint, scale) in pose.joints.iter_mut().zip(scales) {
        joint.scale = scale;
    }
    (skeleton, pose)
}

fn model_of(skeleton: &Skeleton, pose: &LocalPose) -> ModelPose {
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, pose);
    model
}

fn end_of(skeleton: &Skeleton, pose: &LocalPose) -> Vec3 {
    model_of(skeleton, pose).joint(JointId(4)).translation.into()
}

fn scale() -> impl Strategy<Value = Vec3> {
    [0.5_f32..2.0, 0.5_f32..2.0, 0.5_f32..2.0].prop_map(Vec3::from)
}

fn kept(before: &LocalPose, after: &LocalPose) -> bool {
    let same = |(a, b): (&Transform, &Transform)| (a.translation, a.scale) == (b.translation, b.scale);
    before.joints.iter().zip(&after.joints).all(same)
}

proptest! {
    #![proptest_config(Config { cases: 128, rng_seed: RngSeed::Fixed(0x696b), failure_persistence: None, ..Config::default() })]

    #[test]
    fn chains_report_the_distance_that_the_hierarchy_shows(
        scales in [scale(), scale(), scale(), scale(), scale()], is_compensated in any::<[bool; 5]>(),
        turn in rotation(), target in vector(3.0),
    ) {
        let (skeleton, pose) = chain(scales, is_compensated, turn);
        let chain = Chain::new(&skeleton, JointId(1), JointId(4)).unwrap();
        for solver in [ccd, fabrik] {
            let mut solved = pose.clone();
            let model = model_of(&skeleton, &pose);
            let report = solver(&chain, &ChainGoal::to(target), &model, &mut ChainScratch::default(), &mut solved);
            prop_assert!(kept(&pose, &solved));
            let off = end_of(&skeleton, &solved).distance(target);
            prop_assert!((off - report.distance).abs() < 2e-4, "{off} {}", report.distance);
        }
    }

    #[test]
    fn limbs_with_local_scale_reach_their_target(
        scales in [scale(), scale(), scale(), scale(), scale()], turn in rotation(), way in vector(1.0), far in 0.45_f32..0.9,
    ) {
        prop_assume!(way.length() > 0.1);
        // With local scale on every joint, bones do not change their length as the limb turns.
        let (skeleton, pose) = chain(scales, [true; 5], turn);
        let limb = TwoBone::new(&skeleton, TwoBoneParts { hinge: Some(Vec3::X), ..TwoBoneParts::new(JointId(2), JointId(3), JointId(4)) }).unwrap();
        let model = model_of(&skeleton, &pose);
        let place = |at: u16| Vec3::from(model.joint(JointId(at)).translation);
        let (upper, lower) = (place(2).distance(place(3)), place(3).distance(place(4)));
        prop_assert!((limb.length(&pose) - (upper + lower)).abs() < 1e-4);
        let reach = (upper - lower).abs() + far * (upper + lower - (upper - lower).abs());
        let target = place(2) + way.normalize() * reach;
        let mut solved = pose.clone();
        let report = limb.apply(&TwoBoneGoal::to(target), &model, &mut solved);
        prop_assert!(report.reached && kept(&pose, &solved));
        let off = end_of(&skeleton, &solved).distance(target);
        prop_assert!(off < 1e-3, "{off}");
    }

    #[test]
    fn a_compensated_head_looks_at_its_target(
        scales in [scale(), scale(), scale(), scale(), scale()], is_compensated in any::<[bool; 5]>(),
        turn in rotation(), target in vector(9.0),
    ) {
        let (skeleton, pose) = chain(scales, is_compensated, turn);
        let joints = LookAt::even(&[JointId(2), JointId(3), JointId(4)]);
        let parts = LookAtParts { joints, forward: Vec3::Z, up: Vec3::Y, eye: Vec3::ZERO };
        let look = LookAt::new(&skeleton, parts).unwrap();
        let mut solved = pose.clone();
        let report = look.apply(&LookAtGoal::at(target), &model_of(&skeleton, &pose), &mut solved);
        prop_assert!(kept(&pose, &solved));
        let head = model_of(&skeleton, &solved).joint(JointId(4));
        let (eye, ahead) = (Vec3::from(head.translation), head.transform_vector3(Vec3::Z).normalize());
        let to = target - eye;
        let off = (to - ahead * to.dot(ahead).max(0.0)).length();
        prop_assert!((off - report.distance).abs() < 1e-3 * to.length().max(1.0), "{off} {}", report.distance);
    }
}
