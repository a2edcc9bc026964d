use super::*;
use sinew::{Interpolation, Joint, ModelPose, Wrap, sample_clip};

fn posed(skeleton: &Skeleton, rest: &LocalPose, clip: &Clip, time_secs: f32) -> ModelPose {
    let mut local = rest.clone();
    sample_clip(clip, time_secs, Wrap::Clamp, &mut local);
    let mut model = ModelPose::new(skeleton);
    model.update(skeleton, &local);
    model
}

fn place(model: &ModelPose, joint: JointId) -> Vec3 {
    model.joint(joint).translation.into()
}

#[test]
fn left_and_right_change_places_at_every_time() {
    let figure = sinew_samples::figure();
    let (skeleton, rest) = (figure.skeleton(), figure.rest_pose());
    let map = JointMirrorMap::by_name(skeleton);
    let pairs = skeleton.joints().filter(|&j| map.twin(j) != j).count();
    assert!(pairs >= 40, "{pairs} joints are paired");
    for clip in figure.clips() {
        let other = mirrored(clip, skeleton, &map).unwrap();
        for step in 0..23_u8 {
            let time = clip.duration_secs() * f32::from(step) / 22.0;
            let (want, got) = (posed(skeleton, &rest, clip, time), posed(skeleton, &rest, &other, time));
            for joint in skeleton.joints() {
                let want = mirrored_vector(place(&want, map.twin(joint)));
                let off = (place(&got, joint) - want).length();
                assert!(off < 2e-5, "{} {} at {time}: off {off}", clip.name(), skeleton.name(joint));
            }
        }
    }
}

#[test]
fn a_mirrored_walk_is_the_walk_half_a_cycle_later() {
    let figure = sinew_samples::figure();
    let (skeleton, rest) = (figure.skeleton(), figure.rest_pose());
    let walk = figure.find_clip("walk").unwrap();
    let other = mirrored(walk, skeleton, &JointMirrorMap::by_name(skeleton)).unwrap();
    let half = walk.duration_secs() * 0.5;
    let root = skeleton.joint(0).unwrap();
    for step in 0..32_u8 {
        let time = half * f32::from(step) / 32.0;
        let (want, got) = (posed(skeleton, &rest, walk, time + half), posed(skeleton, &rest, &other, time));
        for joint in skeleton.joints() {
            let way = place(&want, joint) - place(&want, root) - (place(&got, joint) - place(&got, root));
            assert!(way.length() < 2e-3, "{} at {time}: off {way}", skeleton.name(joint));
        }
    }
    let names: Vec<&str> = other.events().iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["footfall.right", "footfall.left"]);
}

fn assert_same(a: &Clip, b: &Clip) {
    assert_eq!((a.channels().len(), a.events()), (b.channels().len(), b.events()));
    for (a, b) in a.channels().iter().zip(b.channels()) {
        assert_eq!((a.joint(), a.property(), a.times_secs()), (b.joint(), b.property(), b.times_secs()));
        match (a, b) {
            (Channel::Rotation { curve: a, .. }, Channel::Rotation { curve: b, .. }) => {
                assert!(
                    a.elements()
                        .iter()
                        .zip(b.elements())
                        .all(|(a, b)| a.abs_diff_eq(*b, 1e-5) || a.abs_diff_eq(-*b, 1e-5))
                );
            }
            (
                Channel::Translation { curve: a, .. } | Channel::Scale { curve: a, .. },
                Channel::Translation { curve: b, .. } | Channel::Scale { curve: b, .. },
            ) => assert!(a.elements().iter().zip(b.elements()).all(|(a, b)| a.abs_diff_eq(*b, 1e-5))),
            (a, b) => assert_eq!(a, b),
        }
    }
}

#[test]
fn mirroring_twice_gives_the_clip_back() {
    let figure = sinew_samples::figure();
    let map = JointMirrorMap::by_name(figure.skeleton());
    for clip in figure.clips() {
        for kind in [ClipKind::Absolute, ClipKind::Additive] {
            let clip = Clip::clone(clip).with_kind(kind);
            let twice = mirrored(&mirrored(&clip, figure.skeleton(), &map).unwrap(), figure.skeleton(), &map);
            assert_same(&twice.unwrap(), &clip);
        }
    }
}

/// A trunk with two arms whose joint frames are unrelated.
fn crooked() -> Skeleton {
    let joint = |name: &str, parent: Option<u16>, turn: Quat, at: Vec3| Joint {
        name: name.into(),
        parent: parent.map(JointId),
        rest: Transform::from_rotation_translation(turn, at),
    };
    let (left, right) =
        (Quat::from_euler(sinew::glam::EulerRot::XYZ, 0.4, 1.0, -2.0), Quat::from_rotation_z(2.5));
    // Elbows half a meter further out, whatever the frames of the shoulders.
    Skeleton::new([
        joint("trunk", None, Quat::from_rotation_y(0.7), Vec3::new(0.0, 1.0, 0.2)),
        joint(
            "shoulder_l",
            Some(0),
            Quat::from_rotation_y(-0.7) * left,
            Quat::from_rotation_y(-0.7) * Vec3::X * 0.2,
        ),
        joint("elbow_l", Some(1), Quat::from_rotation_x(0.3), left.inverse() * Vec3::X * 0.5),
        joint(
            "shoulder_r",
            Some(0),
            Quat::from_rotation_y(-0.7) * right,
            Quat::from_rotation_y(-0.7) * Vec3::NEG_X * 0.2,
        ),
        joint("elbow_r", Some(3), Quat::from_rotation_z(-1.0), right.inverse() * Vec3::NEG_X * 0.5),
    ])
    .unwrap()
}

#[test]
fn unrelated_joint_frames_still_mirror_in_model_space() {
    let skeleton = crooked();
    let map = JointMirrorMap::by_name(&skeleton);
    let turn = |joint: u16, by: Quat| {
        let rest = skeleton.rest(JointId(joint)).rotation;
        let curve = Curve::new(vec![0.0, 1.0], vec![rest, rest * by], Interpolation::Linear).unwrap();
        Channel::Rotation { joint: JointId(joint), curve }
    };
    let moved = skeleton.rest(JointId(2)).translation;
    let moved =
        Curve::new(vec![0.0, 1.0], vec![moved, moved + Vec3::new(0.1, 0.2, -0.3)], Interpolation::Linear);
    let channels = vec![
        turn(0, Quat::from_rotation_y(0.4)),
        turn(1, Quat::from_rotation_x(1.1)),
        turn(4, Quat::from_rotation_y(0.6)),
        Channel::Translation { joint: JointId(2), curve: moved.unwrap() },
    ];
    let clip = Clip::new("c", channels, vec![]).unwrap();
    let other = mirrored(&clip, &skeleton, &map).unwrap();
    for time in [0.0, 0.3, 1.0] {
        let (want, got) = (
            posed(&skeleton, &skeleton.rest_pose(), &clip, time),
            posed(&skeleton, &skeleton.rest_pose(), &other, time),
        );
        for joint in skeleton.joints() {
            let off = place(&got, joint) - mirrored_vector(place(&want, map.twin(joint)));
            assert!(off.length() < 1e-6, "{} at {time}: off {off}", skeleton.name(joint));
        }
    }
    assert_same(&mirrored(&other, &skeleton, &map).unwrap(), &clip);
}

#[test]
fn morph_slots_and_root_motion_mirror() {
    let curve = Curve::with_width(3, vec![0.0], vec![0.1, 0.2, 0.3], Interpolation::Step).unwrap();
    let clip = Clip::new("c", vec![Channel::Morphs { first_slot: 2, curve }], vec![]).unwrap();
    let way = Curve::new(vec![0.0], vec![Vec3::ONE], Interpolation::Step).unwrap();
    let way = sinew::MetaChannel { name: RootTrack::TRANSLATION.into(), curve: MetaCurve::Vector(way) };
    let clip = clip.with_metas(vec![way]).unwrap();
    let skeleton = crooked();
    let map = JointMirrorMap::by_name(&skeleton);
    let paired = map.clone().with_morph_pairs(&[(2, 4)]).unwrap();
    let got = mirrored(&clip, &skeleton, &paired).unwrap();
    let Channel::Morphs { curve, .. } = &got.channels()[0] else { panic!("weights stay weights") };
    assert_eq!(curve.elements(), [0.3, 0.2, 0.1]);
    assert_eq!(RootTrack::of(&got).unwrap().at(0.0).translation, Vec3::new(-1.0, 1.0, 1.0));
    let apart = map.with_morph_pairs(&[(0, 4)]).unwrap();
    let error = mirrored(&clip, &skeleton, &apart).unwrap_err();
    assert_eq!(error, MotionError::SlotsApart { slot: 4, twin: 0 });
}

#[test]
fn rejects_maps_that_are_not_symmetric() {
    let skeleton = crooked();
    let [a, b, c] = [1, 3, 4].map(JointId);
    assert!(JointMirrorMap::of_pairs(&skeleton, &[(a, b)]).is_ok());
    let error = JointMirrorMap::of_pairs(&skeleton, &[(a, b), (a, c)]).unwrap_err();
    assert!(matches!(error, MotionError::NotPaired { what: "joint", .. }), "{error}");
    assert!(JointMirrorMap::of_pairs(&skeleton, &[(a, JointId(99))]).is_err());
    let clip = Clip::new("c", vec![], vec![]).unwrap();
    let crossed = JointMirrorMap::of_pairs(&skeleton, &[(a, c)]).unwrap();
    assert!(matches!(mirrored(&clip, &skeleton, &crossed), Err(MotionError::UnmatchedParents { .. })));
}

#[test]
fn a_mirrored_pose_is_that_of_the_mirrored_clip() {
    let figure = sinew_samples::figure();
    let skeleton = figure.skeleton();
    let map = JointMirrorMap::by_name(skeleton);
    for clip in figure.clips() {
        let other = mirrored(clip, skeleton, &map).unwrap();
        let (mut pose, mut want) = (figure.rest_pose(), figure.rest_pose());
        let time = clip.duration_secs() * 0.3;
        sample_clip(clip, time, Wrap::Clamp, &mut pose);
        sample_clip(&other, time, Wrap::Clamp, &mut want);
        let got = mirrored_pose(&pose, skeleton, &map).unwrap();
        for (got, want) in got.joints.iter().zip(&want.joints) {
            assert!(got.translation.distance(want.translation) < 1e-5, "{}", clip.name());
            assert!(got.rotation.dot(want.rotation).abs() > 1.0 - 1e-5, "{}", clip.name());
        }
    }
    let short = LocalPose::default();
    assert!(matches!(mirrored_pose(&short, skeleton, &map), Err(MotionError::WrongSize { .. })));
}
