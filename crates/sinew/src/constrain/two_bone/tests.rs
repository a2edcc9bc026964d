use super::*;
use crate::Joint;
use crate::constrain::test_input::{rotation, vector};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};
use std::f32::consts::PI;

/// Above the limb: turned, moved, scaled unevenly, perhaps mirrored.
fn ancestor() -> impl Strategy<Value = Transform> {
    let factor = prop_oneof![0.2_f32..3.0, -3.0_f32..-0.2];
    let scale = [factor.clone(), factor.clone(), factor].prop_map(Vec3::from);
    (vector(2.0), rotation(), scale).prop_map(|(translation, rotation, scale)| Transform {
        translation,
        rotation,
        scale,
    })
}

/// Above, first, perhaps a roll joint, mid, end.
fn limb(above: Transform, joints: [Transform; 3], has_roll: bool) -> (Skeleton, TwoBoneParts) {
    let joint = |name: &str, parent: Option<u16>, rest| Joint {
        name: name.into(),
        parent: parent.map(JointId),
        rest,
    };
    let [first, mid, end] = joints;
    let mut list = vec![joint("above", None, above), joint("first", Some(0), first)];
    if has_roll {
        list.push(joint(
            "roll",
            Some(1),
            Transform::from_rotation_translation(Quat::from_rotation_y(0.4), Vec3::Y * 0.1),
        ));
    }
    let roll = u16::from(has_roll);
    list.push(joint("mid", Some(1 + roll), mid));
    list.push(joint("end", Some(2 + roll), end));
    let skeleton = Skeleton::new(list).unwrap();
    let parts = TwoBoneParts {
        hinge: Some(Vec3::X),
        ..TwoBoneParts::new(JointId(1), JointId(2 + roll), JointId(3 + roll))
    };
    (skeleton, parts)
}

fn model_of(skeleton: &Skeleton, pose: &LocalPose) -> ModelPose {
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, pose);
    model
}

fn place(model: &ModelPose, joint: JointId) -> Vec3 {
    model.joint(joint).translation.into()
}

fn moved(rotation: Quat, translation: Vec3) -> Transform {
    Transform::from_rotation_translation(rotation, translation)
}

proptest! {
    #![proptest_config(Config {
        rng_seed: RngSeed::Fixed(0x7477_6f62),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn reaches_what_is_reachable_under_any_ancestor(
        above in ancestor(), turns in [rotation(), rotation(), rotation()], mid_at in vector(1.0), end_at in vector(1.0),
        direction in vector(1.0), part in 0.0_f32..1.0, has_roll: bool, pole in vector(3.0), twist in -PI..PI,
        mirror in [any::<bool>(), any::<bool>(), any::<bool>()],
    ) {
        prop_assume!(mid_at.length() > 0.05 && end_at.length() > 0.05 && direction.length() > 0.05);
        let signs = Vec3::from(mirror.map(|m| if m { -1.0 } else { 1.0 }));
        let first = Transform { scale: signs * 1.5, ..moved(turns[0], Vec3::ONE) };
        let mid = Transform { scale: Vec3::new(0.5, 2.0, -1.0), ..moved(turns[1], mid_at) };
        let (skeleton, parts) = limb(above, [first, mid, moved(turns[2], end_at)], has_roll);
        let limb = TwoBone::new(&skeleton, parts).unwrap();
        let mut pose = skeleton.rest_pose();
        let bones = limb.bones(&pose.joints);
        let (a, b) = (bones.upper.length(), bones.lower.length());
        let distance = (a - b).abs() + (a + b - (a - b).abs()) * part;
        let model = model_of(&skeleton, &pose);
        let target = model.joint(JointId(0)).transform_point3(first.translation + direction.normalize() * distance);
        let goal = TwoBoneGoal { pole: Pole::Point(pole), twist_radians: twist, ..TwoBoneGoal::to(target) };
        let reach = limb.apply(&goal, &model, &mut pose);
        prop_assert!(reach.reached, "{:?}", reach);
        let end = place(&model_of(&skeleton, &pose), parts.end);
        let size = 3.0 * (a + b);
        prop_assert!(end.distance(target) < 1e-4 * size + 1e-5, "{} off", end.distance(target));
        prop_assert!((end.distance(target) - reach.distance).abs() < 2e-5 * (1.0 + size), "the report is measured");
    }

    #[test]
    fn bends_to_the_side_of_the_pole_and_turns_the_end_as_asked(
        turns in [rotation(), rotation(), rotation()], above in rotation(), target in vector(1.0), pole in vector(2.0),
        wanted in rotation(), mirror: bool,
    ) {
        prop_assume!((0.3..1.7).contains(&target.length()));
        let off_line = pole - target * (pole.dot(target) / target.length_squared());
        prop_assume!(off_line.length() > 0.1);
        let signs = if mirror { Vec3::new(1.0, 1.0, -1.0) } else { Vec3::ONE };
        let above = Transform { scale: signs * 2.0, ..moved(above, Vec3::ZERO) };
        let (skeleton, parts) = limb(above, [moved(turns[0], Vec3::ZERO), moved(turns[1], Vec3::Y), moved(turns[2], Vec3::Y)], false);
        let limb = TwoBone::new(&skeleton, parts).unwrap();
        let mut pose = skeleton.rest_pose();
        let model = model_of(&skeleton, &pose);
        let goal = TwoBoneGoal {
            pole: Pole::Direction(pole), orientation: Some(wanted), ..TwoBoneGoal::to(target * 2.0)
        };
        prop_assert!(limb.apply(&goal, &model, &mut pose).reached);
        let model = model_of(&skeleton, &pose);
        let knee = place(&model, parts.mid);
        let knee_off = knee - target * (knee.dot(target) / target.length_squared());
        prop_assert!(knee_off.normalize_or_zero().dot(off_line.normalize()) > 0.999 || knee_off.length() < 1e-2);
        let (end, _) = Transform::from_affine(&model.joint(parts.end));
        prop_assert!(end.rotation.dot(wanted).abs() > 1.0 - 1e-4, "{}", end.rotation.dot(wanted));
    }

    #[test]
    fn never_bends_backwards(start in -3.0_f32..3.0, twist in -0.5_f32..0.5, target in vector(1.5)) {
        // Positive turns about X bend; the input may be bent either way and twisted.
        let mid = moved(Quat::IDENTITY, Vec3::Y);
        let (skeleton, parts) = limb(Transform::IDENTITY, [moved(Quat::IDENTITY, Vec3::ZERO), mid, mid], false);
        let limb = TwoBone::new(&skeleton, parts).unwrap();
        let mut pose = skeleton.rest_pose();
        pose.joints[2].rotation = Quat::from_rotation_x(start) * Quat::from_rotation_y(twist);
        let model = model_of(&skeleton, &pose);
        limb.apply(&TwoBoneGoal::to(target), &model, &mut pose);
        let bend = Vec3::Y.cross(pose.joints[2].rotation * Vec3::Y).dot(Vec3::X);
        prop_assert!(bend > -1e-4, "{}", bend);
    }

    #[test]
    fn no_limb_gives_a_nan(
        kind in 0_u8..6, size in prop_oneof![Just(1e-12_f32), Just(1e-6), Just(1.0), Just(1e6), Just(1e12)],
        turns in [rotation(), rotation()], target in vector(2.0), weight in 0.0_f32..1.0, softness in 0.0_f32..1.0,
    ) {
        let (upper, lower) = match kind {
            0 => (Vec3::ZERO, Vec3::Y),
            1 => (Vec3::Y, Vec3::ZERO),
            2 => (Vec3::ZERO, Vec3::ZERO),
            _ => (Vec3::Y, Vec3::Y),
        };
        let straight = kind == 4;
        let mid_turn = if straight { Quat::IDENTITY } else { turns[1] };
        let joints = [moved(turns[0], Vec3::ONE * size), moved(mid_turn, upper * size), moved(Quat::IDENTITY, lower * size)];
        let (skeleton, parts) = limb(Transform::IDENTITY, joints, false);
        let limb = TwoBone::new(&skeleton, TwoBoneParts { softness, ..parts }).unwrap();
        let rest = skeleton.rest_pose();
        let model = model_of(&skeleton, &rest);
        let root = joints[0].translation;
        let line = turns[0] * Vec3::Y;
        for target in [target * size, root, root + line * size, root - line * size, root + line * size * 2.0, Vec3::splat(f32::NAN), Vec3::splat(f32::MAX)] {
            for pole in [Pole::Keep, Pole::Point(target), Pole::Point(root), Pole::Direction(Vec3::ZERO), Pole::Direction(line)] {
                let mut pose = rest.clone();
                let goal = TwoBoneGoal { pole, weight, orientation: Some(turns[1]), ..TwoBoneGoal::to(target) };
                let reach = limb.apply(&goal, &model, &mut pose);
                prop_assert!(!reach.distance.is_nan());
                prop_assert!(pose.joints.iter().all(|t| t.is_finite() && (t.rotation.length() - 1.0).abs() < 1e-4));
            }
        }
    }

    #[test]
    fn weight_zero_leaves_every_bit(turns in [rotation(), rotation(), rotation()], target in vector(2.0)) {
        let (skeleton, parts) = limb(Transform::IDENTITY, [moved(turns[0], Vec3::ZERO), moved(turns[1], Vec3::Y), moved(turns[2], Vec3::Y)], true);
        let limb = TwoBone::new(&skeleton, parts).unwrap();
        let mut pose = skeleton.rest_pose();
        let model = model_of(&skeleton, &pose);
        let goal = TwoBoneGoal { weight: 0.0, orientation: Some(turns[0]), ..TwoBoneGoal::to(target) };
        limb.apply(&goal, &model, &mut pose);
        prop_assert_eq!(pose, skeleton.rest_pose());
    }

    #[test]
    fn reaching_for_where_the_end_is_changes_nothing(turns in [rotation(), rotation()]) {
        let bent = Quat::from_rotation_x(0.8) * Quat::from_rotation_z(0.1);
        let (skeleton, parts) = limb(moved(turns[1], Vec3::Z), [moved(turns[0], Vec3::X), moved(bent, Vec3::Y), moved(bent, Vec3::Y)], false);
        let limb = TwoBone::new(&skeleton, parts).unwrap();
        let mut pose = skeleton.rest_pose();
        let model = model_of(&skeleton, &pose);
        limb.apply(&TwoBoneGoal::to(place(&model, parts.end)), &model, &mut pose);
        for (a, b) in pose.joints.iter().zip(skeleton.rest_transforms()) {
            prop_assert!(a.rotation.angle_between(b.rotation) < 2e-3, "{:?} {:?}", a, b);
        }
    }
}

fn arm() -> (Skeleton, TwoBoneParts) {
    limb(
        Transform::IDENTITY,
        [moved(Quat::IDENTITY, Vec3::ZERO), moved(Quat::IDENTITY, Vec3::Y), moved(Quat::IDENTITY, Vec3::Y)],
        false,
    )
}

#[test]
fn out_of_reach_it_stretches_towards_the_target_and_says_how_much_is_missing() {
    let (skeleton, parts) = arm();
    let limb = TwoBone::new(&skeleton, parts).unwrap();
    let mut pose = skeleton.rest_pose();
    let model = model_of(&skeleton, &pose);
    let reach = limb.apply(&TwoBoneGoal::to(Vec3::X * 5.0), &model, &mut pose);
    assert!(!reach.reached && (reach.distance - 3.0).abs() < 1e-5, "{reach:?}");
    assert!(place(&model_of(&skeleton, &pose), parts.end).distance(Vec3::X * 2.0) < 1e-4);
}

#[test]
fn a_softened_limb_never_straightens_and_moves_without_a_jump() {
    let (skeleton, parts) = arm();
    let limb = TwoBone::new(&skeleton, TwoBoneParts { softness: 0.2, ..parts }).unwrap();
    let model = model_of(&skeleton, &skeleton.rest_pose());
    let mut last = 0.0;
    for step in 0..400_u16 {
        let mut pose = skeleton.rest_pose();
        let target = Vec3::Z * (1.0 + f32::from(step) * 0.005);
        limb.apply(&TwoBoneGoal::to(target), &model, &mut pose);
        let end = place(&model_of(&skeleton, &pose), parts.end).length();
        assert!(
            end < 2.0 && (step == 0 || (-1e-5..=0.0051).contains(&(end - last))),
            "{step}: {end} after {last}"
        );
        assert!(target.z > 1.6 || (end - target.z).abs() < 1e-5);
        last = end;
    }
    assert!(last > 1.98);
}

#[test]
fn invalid_limbs_are_rejected() {
    let (skeleton, parts) = arm();
    let new = |change: fn(&mut TwoBoneParts)| {
        let mut parts = parts;
        change(&mut parts);
        TwoBone::new(&skeleton, parts)
    };
    assert_eq!(new(|p| p.hinge = None), Err(IkError::StraightAtRest { joint: JointId(2) }));
    assert!(matches!(new(|p| p.hinge = Some(Vec3::ZERO)), Err(IkError::NoDirection { .. })));
    assert!(matches!(new(|p| p.softness = 1.5), Err(IkError::BadNumber { .. })));
    assert!(matches!(new(|p| p.softness = f32::NAN), Err(IkError::BadNumber { .. })));
    assert!(matches!(new(|p| p.end = JointId(9)), Err(IkError::NoSuchJoint { .. })));
    assert!(matches!(new(|p| p.mid = p.first), Err(IkError::NotAbove { .. })));
    assert!(matches!(new(|p| p.end = p.first), Err(IkError::NotAbove { .. })));
}

#[test]
fn the_hinge_of_a_bent_rest_is_found() {
    let bent = Quat::from_rotation_z(0.3);
    let (skeleton, parts) = limb(
        moved(bent, Vec3::X),
        [moved(bent, Vec3::ZERO), moved(bent, Vec3::Y), moved(bent, Vec3::Y)],
        true,
    );
    let limb = TwoBone::new(&skeleton, TwoBoneParts { hinge: None, ..parts }).unwrap();
    let mut pose = skeleton.rest_pose();
    // Straight: the hinge alone says which way.
    pose.joints[parts.mid.index()].rotation = Quat::IDENTITY;
    let model = model_of(&skeleton, &pose);
    let target = place(&model, parts.first).midpoint(place(&model, parts.end));
    limb.apply(&TwoBoneGoal::to(target), &model, &mut pose);
    // Seen from the roll joint, the bend is about the axis that bent it at rest.
    let bend = Vec3::Y.cross(pose.joints[parts.mid.index()].rotation * Vec3::Y);
    assert!(bend.dot(Vec3::Z) > 0.5, "{bend}");
}
