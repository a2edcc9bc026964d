use super::*;
use crate::{
    Clip, Interpolation, Joint, MetaChannel, MetaCurve, RootTrack, Transform, Wrap, asset::curve::Curve,
    sample_clip, sinew_samples,
};

/// The figure's skeleton in another rest pose, with other joint axes, another size and other names.
fn other_body(posture: &LocalPose, size: f32) -> Skeleton {
    let figure = sinew_samples::figure();
    let old = figure.skeleton();
    let axes = |joint: Option<JointId>| match joint {
        None => Quat::IDENTITY,
        Some(joint) => {
            let n = joint.index() as f32;
            Quat::from_rotation_y(n * 0.9) * Quat::from_rotation_x(n * 1.7)
        }
    };
    let joint = |joint: JointId| {
        let (local, parent) = (posture.joints[joint.index()], old.parent(joint));
        let parent_turn = axes(parent).conjugate();
        Joint {
            name: format!("bone {}", joint.index()),
            parent,
            rest: Transform::from_rotation_translation(
                (parent_turn * local.rotation * axes(Some(joint))).normalize(),
                parent_turn * local.translation * size,
            ),
        }
    };
    Skeleton::new(old.joints().map(joint)).unwrap()
}

/// The figure at rest with its arms straight out.
fn t_pose() -> LocalPose {
    let figure = sinew_samples::figure();
    let (skeleton, mut pose) = (figure.skeleton(), figure.rest_pose());
    for (name, degrees) in [("upper_arm.L", 40.0_f32), ("upper_arm.R", -40.0)] {
        let joint = skeleton.find(name).unwrap();
        let mut turns = Vec::new();
        model_rotations(skeleton, &pose, &mut turns);
        let lift = Quat::from_rotation_z(degrees.to_radians());
        let parent = turns[skeleton.parent(joint).unwrap().index()];
        pose.joints[joint.index()].rotation = (parent.conjugate() * lift * turns[joint.index()]).normalize();
    }
    pose
}

fn model(skeleton: &Skeleton, pose: &LocalPose) -> ModelPose {
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, pose);
    model
}

fn at(model: &ModelPose, joint: JointId) -> Vec3 {
    model.joint(joint).translation.into()
}

/// The figure and `target` at some times of a clip of the figure.
fn both(target: &Skeleton, name: &str, mut see: impl FnMut(&ModelPose, &ModelPose)) {
    let figure = sinew_samples::figure();
    let map = sinew_samples::figure_humanoid();
    let retarget = HumanoidRetarget::new(figure.skeleton(), &map, target, &map).unwrap();
    let mut scratch = RetargetScratch::new(&retarget);
    for time_secs in [0.0, 0.13, 0.4, 0.77] {
        let (mut source, mut pose) = (figure.rest_pose(), target.rest_pose());
        sample_clip(figure.find_clip(name).unwrap(), time_secs, Wrap::Loop, &mut source);
        retarget.apply(&source, &mut scratch, &mut pose);
        see(&model(figure.skeleton(), &source), &model(target, &pose));
    }
}

#[test]
fn a_larger_body_with_other_joint_axes_moves_the_same_way() {
    let size = 1.3;
    let target = other_body(&sinew_samples::figure().rest_pose(), size);
    for name in ["walk", "run", "range_of_motion"] {
        both(&target, name, |source, target| {
            for (bone, joint) in sinew_samples::figure_humanoid().iter() {
                let off = at(target, joint).distance(at(source, joint) * size);
                assert!(off < 2e-4, "{name}: {} is off by {off} m", bone.name());
            }
        });
    }
}

#[test]
fn limbs_point_the_same_way_from_another_rest_pose() {
    let target = other_body(&t_pose(), 0.7);
    let map = sinew_samples::figure_humanoid();
    let limbs =
        [HumanBone::LeftUpperArm, HumanBone::LeftLowerArm, HumanBone::LeftUpperLeg, HumanBone::LeftLowerLeg];
    both(&target, "run", |source, target| {
        for upper in limbs.into_iter().flat_map(|bone| [bone, bone.mirror()]) {
            let lower = HumanBone::ALL.into_iter().find(|bone| bone.parent() == Some(upper)).unwrap();
            let (from, to) = (map.joint(upper).unwrap(), map.joint(lower).unwrap());
            let direction = |model: &ModelPose| (at(model, to) - at(model, from)).normalize();
            let off = direction(source).angle_between(direction(target)).to_degrees();
            assert!(off < 0.1, "{} is off by {off} degrees", upper.name());
        }
    });
}

#[test]
fn hips_move_by_the_ratio_of_leg_lengths_and_feet_stay_at_their_height() {
    let target = other_body(&t_pose(), 0.5);
    let map = sinew_samples::figure_humanoid();
    let [hips, foot] = [HumanBone::Hips, HumanBone::LeftFoot].map(|bone| map.joint(bone).unwrap());
    let mut places = Vec::new();
    both(&target, "walk", |source, target| {
        places.push((at(source, hips), at(target, hips)));
        assert!((at(target, foot).y - 0.5 * at(source, foot).y).abs() < 1e-3);
    });
    for pair in places.windows(2) {
        let (from, to) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
        assert!(to.distance(from * 0.5) < 1e-3, "{from} becomes {to}");
    }
}

#[test]
fn a_bound_clip_plays_what_converting_each_pose_gives() {
    let (figure, map) = (sinew_samples::figure(), sinew_samples::figure_humanoid());
    let target = other_body(&t_pose(), 1.1);
    let retarget = HumanoidRetarget::new(figure.skeleton(), &map, &target, &map).unwrap();
    let walk = figure.find_clip("walk").unwrap();
    let bound = retarget.bind(walk, 60.0).unwrap();
    assert_eq!((bound.name(), bound.duration_secs()), (walk.name(), walk.duration_secs()));
    assert_eq!(bound.events(), walk.events());
    let mut scratch = RetargetScratch::new(&retarget);
    for time_secs in [0.0, 0.21, 0.5, walk.duration_secs()] {
        let (mut source, mut want, mut got) = (figure.rest_pose(), target.rest_pose(), target.rest_pose());
        sample_clip(walk, time_secs, Wrap::Clamp, &mut source);
        retarget.apply(&source, &mut scratch, &mut want);
        sample_clip(&bound, time_secs, Wrap::Clamp, &mut got);
        for (got, want) in got.joints.iter().zip(&want.joints) {
            assert!(got.rotation.angle_between(want.rotation) < 0.01, "{got:?} {want:?}");
            assert!(got.translation.distance(want.translation) < 1e-3);
        }
    }
}

#[test]
fn root_motion_is_scaled_with_the_legs() {
    let (figure, map) = (sinew_samples::figure(), sinew_samples::figure_humanoid());
    let target = other_body(&figure.rest_pose(), 2.0);
    let retarget = HumanoidRetarget::new(figure.skeleton(), &map, &target, &map).unwrap();
    assert!((retarget.scale() - 2.0).abs() < 1e-4);
    let line = Curve::new(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::Z], Interpolation::Linear).unwrap();
    let metas = vec![
        MetaChannel { name: RootTrack::TRANSLATION.into(), curve: MetaCurve::Vector(line.clone()) },
        MetaChannel { name: "camera".into(), curve: MetaCurve::Vector(line) },
    ];
    let clip = Clip::new("go", vec![], vec![]).unwrap().with_metas(metas).unwrap();
    let bound = retarget.bind(&clip, 30.0).unwrap();
    let end = RootTrack::of(&bound).unwrap().at(1.0).translation;
    assert!(end.distance(Vec3::Z * 2.0) < 1e-4, "{end}");
    assert_eq!(bound.find_meta("camera"), clip.find_meta("camera"));
}

#[test]
fn a_bone_that_one_body_lacks_is_left_out_and_the_others_still_follow() {
    let (figure, map) = (sinew_samples::figure(), sinew_samples::figure_humanoid());
    let chest = map.joint(HumanBone::UpperChest).unwrap();
    let less = map.remapped(|joint| (joint != chest).then_some(joint));
    let skeleton = figure.skeleton();
    let retarget = HumanoidRetarget::new(skeleton, &map, skeleton, &less).unwrap();
    assert_eq!(retarget.source_of(chest), None);
    let (mut source, mut pose) = (figure.rest_pose(), figure.rest_pose());
    source.joints[chest.index()].rotation *= Quat::from_rotation_y(0.5);
    retarget.apply(&source, &mut RetargetScratch::new(&retarget), &mut pose);
    assert_eq!(pose.joints[chest.index()], figure.rest_pose().joints[chest.index()]);
    let head = map.joint(HumanBone::Head).unwrap();
    let turn = |pose: &LocalPose| {
        let mut turns = Vec::new();
        model_rotations(skeleton, pose, &mut turns);
        turns[head.index()]
    };
    assert!(turn(&pose).angle_between(turn(&source)) < 1e-3);
}

#[test]
fn what_cannot_be_retargeted_is_refused_with_the_body_and_the_bone() {
    let (figure, map) = (sinew_samples::figure(), sinew_samples::figure_humanoid());
    let skeleton = figure.skeleton();
    let foot = map.joint(HumanBone::LeftFoot).unwrap();
    let footless = map.remapped(|joint| (joint != foot).then_some(joint));
    let error = HumanoidRetarget::new(skeleton, &map, skeleton, &footless).unwrap_err();
    assert_eq!(error, HumanoidRetargetError::MissingBone { body: "target", bone: HumanBone::LeftFoot });
    let one = Skeleton::new([Joint { name: "a".into(), parent: None, rest: Transform::IDENTITY }]).unwrap();
    let error = HumanoidRetarget::new(&one, &map, skeleton, &map).unwrap_err();
    assert!(matches!(error, HumanoidRetargetError::Map { body: "source", .. }), "{error}");
    let flat = other_body(&figure.rest_pose(), 0.0);
    let error = HumanoidRetarget::new(skeleton, &map, &flat, &map).unwrap_err();
    assert_eq!(error, HumanoidRetargetError::NoLegs { body: "target" });

    let retarget = HumanoidRetarget::new(skeleton, &map, skeleton, &map).unwrap();
    let walk = figure.find_clip("walk").unwrap();
    for rate_hz in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e30] {
        assert!(matches!(retarget.bind(walk, rate_hz), Err(RetargetClipError::BadRate { .. })));
    }
    let additive = Clip::clone(walk).with_kind(crate::ClipKind::Additive);
    assert!(matches!(retarget.bind(&additive, 30.0), Err(RetargetClipError::Additive { .. })));
}
