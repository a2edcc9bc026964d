use super::*;
use crate::{Joint, LocalPose, PlaybackStep, TimeRange, sample::Deviation, sample_clip, sinew_samples};

fn sampled(clip: &Clip, skeleton: &Skeleton, time_secs: f32) -> LocalPose {
    let mut pose = skeleton.rest_pose();
    sample_clip(clip, time_secs, Wrap::Clamp, &mut pose);
    pose
}

#[test]
fn a_walk_in_place_has_its_travel_as_root_motion() {
    let figure = sinew_samples::figure();
    let (skeleton, walk) = (figure.skeleton(), figure.find_clip("walk").unwrap());
    let root = skeleton.find("root").unwrap();
    let spot = extract_root_motion(walk, skeleton, &RootMotionOptions::of(root)).unwrap();
    for step in 0..=10_u8 {
        let place =
            sampled(&spot, skeleton, walk.duration_secs() * f32::from(step) / 10.0).joints[root.index()];
        assert!(place.translation.length() < 1e-6, "{place:?}");
    }
    // Three loops of 1.32 m/s.
    let way = f64::from(walk.duration_secs()) * 3.0;
    let passage = PlaybackStep::new(0.0, way, Wrap::Loop, TimeRange::whole(walk.duration_secs()));
    let delta = RootTrack::of(&spot).unwrap().delta(&passage);
    assert!((delta.translation - Vec3::Z * 1.32 * way as f32).length() < 1e-3, "{delta:?}");
}

/// Hips under a rotated root that walk along a curve, turn by more than 180 degrees, bob and sway.
fn curved() -> (Skeleton, Clip, JointId) {
    let joint = |name: &str, parent: Option<u16>, rest| Joint {
        name: name.into(),
        parent: parent.map(JointId),
        rest,
    };
    let turned = Transform::from_rotation_translation(Quat::from_rotation_x(-1.2), Vec3::new(0.1, 0.2, 0.3));
    let skeleton = Skeleton::new([
        joint("root", None, turned),
        joint("hips", Some(0), Transform::from_translation(Vec3::new(0.0, 0.5, 1.0))),
        joint("head", Some(1), Transform::from_translation(Vec3::Z * 0.6)),
    ])
    .unwrap();
    let times: Vec<f32> = (0..60).map(|k| k as f32 / 30.0).collect();
    let places = times.iter().map(|&t| {
        let yaw = Quat::from_rotation_y(t * 2.0);
        let place = Transform::from_rotation_translation(
            yaw * Quat::from_rotation_z(0.1 * (t * 9.0).sin()),
            Vec3::new(t.sin() * 2.0, 1.0 + 0.05 * (t * 12.0).cos(), t * 1.5),
        );
        let local = inverse_affine(&turned.to_affine()).unwrap() * place.to_affine();
        Transform::from_affine(&local).0
    });
    let places: Vec<Transform> = places.collect();
    let (translations, rotations) = curves(&times, &places).unwrap();
    let hips = JointId(1);
    let channels = vec![
        Channel::Translation { joint: hips, curve: translations },
        Channel::Rotation { joint: hips, curve: rotations },
    ];
    (skeleton, Clip::new("curve", channels, vec![]).unwrap(), hips)
}

#[test]
fn extracting_and_applying_root_motion_gives_the_clip_back() {
    let (skeleton, clip, hips) = curved();
    let mut deviation = Deviation::new(&skeleton, 0.05);
    for (with_height, with_turn) in [(false, true), (true, true), (false, false), (true, false)] {
        let options = RootMotionOptions { joint: hips, with_height, with_turn };
        let spot = extract_root_motion(&clip, &skeleton, &options).unwrap();
        let again = apply_root_motion(&spot, &skeleton, hips).unwrap();
        assert!(RootTrack::of(&again).is_none());
        for &time in clip.channels()[0].times_secs() {
            let off = deviation.between(&sampled(&clip, &skeleton, time), &sampled(&again, &skeleton, time));
            assert!(off < 2e-5, "{options:?} at {time}: {off}");
        }
    }
}

#[test]
fn the_pose_left_behind_neither_travels_nor_turns() {
    let (skeleton, clip, hips) = curved();
    let spot = extract_root_motion(&clip, &skeleton, &RootMotionOptions::of(hips)).unwrap();
    let mut model = ModelPose::new(&skeleton);
    let mut seen = Vec::new();
    for &time in clip.channels()[0].times_secs() {
        model.update(&skeleton, &sampled(&spot, &skeleton, time));
        seen.push(model.joint(hips));
    }
    for place in &seen {
        let off = place.translation - seen[0].translation;
        assert!(off.x.abs() < 1e-5 && off.z.abs() < 1e-5 && off.y.abs() < 0.11, "{off}");
        assert!(twist_about_y(&seen[0], place).angle_between(Quat::IDENTITY) < 1e-3);
    }
    assert!(seen.iter().any(|p| (p.translation.y - seen[0].translation.y).abs() > 0.05), "bobbing stays");
}

#[test]
fn rejects_clips_without_root_motion_and_additive_clips() {
    let (skeleton, clip, hips) = curved();
    let error = apply_root_motion(&clip, &skeleton, hips).unwrap_err();
    assert_eq!(error, ExtractError::NoRootMotion { clip: "curve".into() });
    let additive = clip.clone().with_kind(ClipKind::Additive);
    assert!(extract_root_motion(&additive, &skeleton, &RootMotionOptions::of(hips)).is_err());
    assert!(extract_root_motion(&clip, &skeleton, &RootMotionOptions::of(JointId(9))).is_err());
    let empty = Clip::new("empty", vec![], vec![]).unwrap();
    assert_eq!(extract_root_motion(&empty, &skeleton, &RootMotionOptions::of(hips)).unwrap(), empty);
}
