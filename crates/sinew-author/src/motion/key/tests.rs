use super::*;
use sinew::{
    ClipParts, Mesh, MorphTarget, MorphTargets, Wrap,
    glam::{Quat, Vec3},
    sample::sample_curve,
    sample_clip,
};

#[test]
fn a_keyed_clip_shows_the_pose_and_keeps_its_other_keys() {
    let figure = sinew_samples::figure();
    let (skeleton, walk) = (figure.skeleton(), figure.find_clip("walk").unwrap());
    let time_secs = 0.37;
    let mut pose = figure.rest_pose();
    sample_clip(figure.find_clip("wave").unwrap(), 0.8, Wrap::Clamp, &mut pose);
    pose.joints[7].scale = Vec3::splat(1.25);
    let edited = keyed(walk, skeleton, &pose, time_secs).unwrap();
    let mut got = figure.rest_pose();
    sample_clip(&edited, time_secs, Wrap::Clamp, &mut got);
    assert_eq!(got.joints, pose.joints);
    for (before, after) in walk.channels().iter().zip(edited.channels()) {
        assert_eq!(before.key_count() + 1, after.key_count());
    }
    // Keying again at the same time adds nothing.
    let again = keyed(&edited, skeleton, &pose, time_secs).unwrap();
    assert_eq!(again, edited);
    assert_eq!(again.events(), walk.events());
}

#[test]
fn rejects_additive_clips_and_poses_of_another_character() {
    let figure = sinew_samples::figure();
    let (skeleton, rest) = (figure.skeleton(), figure.rest_pose());
    let additive = Clip::from_parts(ClipParts { kind: ClipKind::Additive, ..ClipParts::default() }).unwrap();
    assert!(matches!(keyed(&additive, skeleton, &rest, 0.0), Err(MotionError::WrongKind { .. })));
    let empty = Clip::new("c", vec![], vec![]).unwrap();
    let other = sinew_samples::arm().rest_pose();
    assert!(matches!(keyed(&empty, skeleton, &other, 0.0), Err(MotionError::WrongSize { .. })));
    for time in [f32::NAN, f32::INFINITY, -0.1] {
        let error = keyed(&empty, skeleton, &rest, time);
        assert!(matches!(error, Err(MotionError::BadOption { option: "time_secs", .. })), "{time}");
    }
    assert_eq!(keyed(&empty, skeleton, &rest, 0.5).unwrap().channels().len(), skeleton.len());
}

#[test]
fn a_clip_from_nothing_gets_keys_anywhere_and_grows_with_them() {
    let arm = sinew_samples::arm();
    let skeleton = arm.skeleton();
    let bent = |degrees: f32| sinew_samples::arm_pose(degrees.to_radians());
    let mut clip = Clip::empty("wave", 2.0).unwrap();
    for (time, degrees) in [(0.5, 0.0), (1.0, 90.0), (3.0, 30.0)] {
        clip = keyed(&clip, skeleton, &bent(degrees), time).unwrap();
        assert_eq!(clip.duration_secs(), time.max(2.0));
    }
    let mut got = arm.rest_pose();
    for (time, degrees) in [(0.0, 0.0), (0.75, 45.0), (1.0, 90.0), (2.0, 60.0), (3.0, 30.0)] {
        sample_clip(&clip, time, Wrap::Clamp, &mut got);
        let off = got.joints[1].rotation.angle_between(bent(degrees).joints[1].rotation);
        assert!(off < 1e-3, "at {time}: {off}");
    }
}

#[test]
fn morph_weights_that_differ_from_rest_get_a_channel() {
    let arm = two_targets();
    let empty = Clip::empty("c", 1.0).unwrap();
    let is_morphs = |channel: &&Channel| matches!(channel, Channel::Morphs { .. });
    let at_rest = keyed_character(&empty, &arm, &arm.rest_pose(), 0.25).unwrap();
    assert_eq!(at_rest.channels().iter().find(is_morphs), None);
    let mut pose = arm.rest_pose();
    pose.morphs[1] = 0.75;
    let once = keyed_character(&at_rest, &arm, &pose, 0.25).unwrap();
    pose.morphs = vec![0.5, 0.0];
    let twice = keyed_character(&once, &arm, &pose, 0.75).unwrap();
    let again = keyed_character(&twice, &arm, &arm.rest_pose(), 1.0).unwrap();
    for (time, weights) in [(0.25, [0.0, 0.75]), (0.75, [0.5, 0.0]), (1.0, [0.0, 0.0])] {
        let mut got = arm.rest_pose();
        sample_clip(&again, time, Wrap::Clamp, &mut got);
        assert_eq!(got.morphs, weights, "at {time}");
    }
    assert_eq!(again.channels().iter().filter(is_morphs).count(), 1);
    let other = sinew_samples::arm().rest_pose();
    assert!(matches!(keyed_character(&empty, &arm, &other, 0.0), Err(MotionError::WrongSize { .. })));
}

/// The arm with two morph targets that move its first vertex.
fn two_targets() -> Character {
    let arm = sinew_samples::arm();
    let mut parts = arm.parts().clone();
    let mut mesh = Mesh::clone(&parts.meshes[0]).into_parts();
    let target = |name: &str| MorphTarget {
        name: name.into(),
        vertices: vec![0],
        positions: vec![Vec3::X],
        normals: vec![],
        tangents: vec![],
    };
    let targets = vec![target("smile"), target("frown")];
    mesh.morphs = MorphTargets::new(mesh.positions.len(), targets, vec![]).unwrap();
    parts.meshes[0] = std::sync::Arc::new(Mesh::new(mesh).unwrap());
    Character::new(parts).unwrap()
}

#[test]
fn only_the_chosen_properties_are_keyed() {
    let arm = sinew_samples::arm();
    let (skeleton, lower) = (arm.skeleton(), JointId(1));
    let mut pose = sinew_samples::arm_pose(1.0);
    pose.joints[1].scale = Vec3::splat(2.0);
    let key = |clip: &Clip, properties: &[KeyedProperty], time| {
        keyed_properties(clip, skeleton, &pose, properties, time)
    };
    let empty = Clip::empty("c", 1.0).unwrap();
    let both = [KeyedProperty::Rotation(lower), KeyedProperty::Scale(lower)];
    let clip = key(&key(&empty, &both, 0.25).unwrap(), &both[..1], 0.75).unwrap();
    let counts: Vec<_> = clip.channels().iter().map(|c| (c.property(), c.key_count())).collect();
    assert_eq!(counts, [("rotation", 2), ("scale", 1)]);
    for bad in [KeyedProperty::Scale(JointId(99)), KeyedProperty::Morphs { first_slot: 0, count: 1 }] {
        assert!(matches!(key(&empty, &[bad], 0.0), Err(MotionError::WrongSize { .. })), "{bad:?}");
    }
}

#[test]
fn a_key_in_a_spline_that_repeats_its_value_changes_nothing() {
    let keys = vec![Vec3::ZERO, Vec3::X, Vec3::Y * 3.0, Vec3::Z, Vec3::ONE, Vec3::ZERO];
    let curve = Curve::new(vec![0.0, 2.0], keys, Interpolation::Cubic).unwrap();
    let arm = sinew_samples::arm();
    let channel = Channel::Translation { joint: JointId(0), curve: curve.clone() };
    let clip = Clip::new("c", vec![channel], vec![]).unwrap();
    let mut pose = arm.rest_pose();
    sample_clip(&clip, 0.7, Wrap::Clamp, &mut pose);
    let property = KeyedProperty::Translation(JointId(0));
    let edited = keyed_properties(&clip, arm.skeleton(), &pose, &[property], 0.7).unwrap();
    let Channel::Translation { curve: got, .. } = &edited.channels()[0] else { panic!("it stays one") };
    assert_eq!(got.key_count(), 3);
    for step in 0..=20_u8 {
        let time = f32::from(step) * 0.1;
        assert!((sample_curve(got, time) - sample_curve(&curve, time)).length() < 1e-5, "{time}");
    }
    // A replaced key keeps its tangents.
    pose.joints[0].translation = Vec3::X * 9.0;
    let edited = keyed_properties(&clip, arm.skeleton(), &pose, &[property], 0.0).unwrap();
    let Channel::Translation { curve: got, .. } = &edited.channels()[0] else { panic!("it stays one") };
    assert_eq!(got.elements()[..3], [Vec3::ZERO, Vec3::X * 9.0, Vec3::Y * 3.0]);
    let spin = Curve::new(
        vec![0.0],
        vec![Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Quat::IDENTITY, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)],
        Interpolation::Cubic,
    )
    .unwrap();
    let clip = Clip::new("c", vec![Channel::Rotation { joint: JointId(0), curve: spin }], vec![]).unwrap();
    assert!(keyed(&clip, arm.skeleton(), &pose, 0.5).is_ok());
}
