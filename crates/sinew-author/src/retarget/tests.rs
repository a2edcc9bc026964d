mod runtime;

use super::*;
use rest::model_rest;
use sinew::{
    Channel, CharacterParts, ClipKind, Curve, Interpolation, Joint, JointId, Transform,
    constrain::Limit,
    glam::{Quat, Vec3},
};
use std::sync::Arc;

/// A character without a mesh.
fn bare(skeleton: Skeleton) -> Character {
    Character::new(CharacterParts::new("bare", Arc::new(skeleton))).unwrap()
}

fn pose_at(character: &Character, clip: &Clip, time: f32) -> LocalPose {
    let mut pose = character.rest_pose();
    sample_clip(clip, time, Wrap::Clamp, &mut pose);
    pose
}

fn position(character: &Character, clip: &Clip, time: f32, joint: &str) -> Vec3 {
    let mut model = ModelPose::new(character.skeleton());
    model.update(character.skeleton(), &pose_at(character, clip, time));
    model.joint(character.skeleton().find(joint).unwrap()).translation.into()
}

/// The figure scaled by `scale`, lying on its back (z is up), with arms raised at rest; and a clip with the motion of `clip`.
fn lying_giant(figure: &Character, clip: &Clip, scale: f32) -> (Skeleton, Clip) {
    let skeleton = figure.skeleton();
    let turn = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    let mut turns = Vec::new();
    model_turns(skeleton, &skeleton.rest_pose(), &mut turns);
    let rest = model_rest(skeleton);
    let at = |j: JointId| Vec3::from(rest.joint(j).translation);
    let joints: Vec<Joint> = skeleton
        .joints()
        .map(|joint| {
            let (name, parent) = (skeleton.name(joint).to_owned(), skeleton.parent(joint));
            let mut rest = skeleton.rest(joint);
            rest.translation *= scale;
            if let Some(side) = name.strip_prefix("upper_arm") {
                // Across the bone, so that the shortest rotation reverts it.
                let elbow = skeleton.find(&format!("forearm{side}")).unwrap();
                let bone = at(elbow) - at(joint);
                let axis = bone.cross(Vec3::Y).normalize();
                let parent = turns[parent.unwrap().index()];
                rest.rotation = parent.conjugate() * Quat::from_axis_angle(axis, 0.7) * turns[joint.index()];
            }
            if parent.is_none() {
                rest.rotation = turn * rest.rotation;
                rest.translation = turn * rest.translation;
            }
            Joint { name, parent, rest }
        })
        .collect();
    let mut parts = clip.clone().into_parts();
    for channel in &mut parts.channels {
        match channel {
            Channel::Translation { joint, curve } => {
                let turn = if joint.0 == 0 { turn } else { Quat::IDENTITY };
                let values = curve.elements().iter().map(|v| turn * *v * scale).collect();
                *curve = Curve::new(curve.times_secs().to_vec(), values, curve.interpolation()).unwrap();
            }
            Channel::Rotation { joint, curve } if joint.0 == 0 => {
                let values = curve.elements().iter().map(|q| turn * *q).collect();
                *curve = Curve::new(curve.times_secs().to_vec(), values, curve.interpolation()).unwrap();
            }
            _ => {}
        }
    }
    // Joints that the clip does not animate rest like the figure, not like the giant.
    for joint in skeleton.joints().filter(|j| skeleton.name(*j).starts_with("upper_arm")) {
        assert!(clip.channels().iter().any(|c| c.joint() == Some(joint) && c.property() == "rotation"));
    }
    (Skeleton::new(joints).unwrap(), Clip::from_parts(parts).unwrap())
}

#[test]
fn a_clip_on_its_own_skeleton_is_the_clip() {
    let figure = sinew_samples::figure();
    let map = JointMap::guess(&figure, &figure);
    let options = RetargetOptions::default().with_feet(false);
    for name in ["walk", "wave"] {
        let clip = figure.find_clip(name).unwrap();
        let (got, report) = retarget(&figure, clip, &figure, &map, &options).unwrap();
        assert_eq!((report.root_scale, got.events()), (1.0, clip.events()));
        // The height depends on the feet and may differ slightly; nothing else may.
        let by = position(&figure, &got, 0.0, "hips") - position(&figure, clip, 0.0, "hips");
        assert!(by.length() < 0.02 && by.x.abs() + by.z.abs() < 1e-4, "{name}: {by}");
        for step in 0..20_u8 {
            let time = clip.duration_secs() * f32::from(step) / 19.0;
            for joint in figure.skeleton().joints().skip(1) {
                let joint = figure.skeleton().name(joint);
                let off = position(&figure, &got, time, joint) - position(&figure, clip, time, joint) - by;
                assert!(off.length() < 1e-4, "{name} at {time}, {joint}: {off}");
            }
        }
    }
}

#[test]
fn size_axes_and_rest_pose_of_the_source_make_no_difference() {
    let figure = sinew_samples::figure();
    let run = figure.find_clip("run").unwrap();
    let options = RetargetOptions::default().with_feet(false);
    let (giant, giant_run) = lying_giant(&figure, run, 40.0);
    let giant = bare(giant);
    let map = JointMap::guess(&giant, &figure);
    let (got, report) = retarget(&giant, &giant_run, &figure, &map, &options).unwrap();
    assert!((report.root_scale - 0.025).abs() < 1e-5, "{}", report.root_scale);
    let own = JointMap::guess(&figure, &figure);
    let (want, _) = retarget(&figure, run, &figure, &own, &options).unwrap();
    for step in 0..12_u8 {
        let time = run.duration_secs() * f32::from(step) / 11.0;
        for joint in
            ["hips", "head", "hand.L", "hand.R", "forearm.L", "shin.R", "foot.L", "toe.R", "index_2.L"]
        {
            let off = position(&figure, &got, time, joint) - position(&figure, &want, time, joint);
            assert!(off.length() < 2e-3, "{joint} at {time}: {off}");
        }
    }
}

/// A figure with legs of other proportions.
fn long_shins(figure: &Character) -> Skeleton {
    let skeleton = figure.skeleton();
    Skeleton::new(skeleton.joints().map(|joint| {
        let mut rest = skeleton.rest(joint);
        if skeleton.name(joint).starts_with("foot") {
            rest.translation *= 1.25;
        }
        if skeleton.name(joint).starts_with("thigh") {
            rest.translation.x *= 1.3;
        }
        Joint { name: skeleton.name(joint).to_owned(), parent: skeleton.parent(joint), rest }
    }))
    .unwrap()
}

#[test]
fn feet_stay_where_they_stand() {
    let figure = sinew_samples::figure();
    let source = bare(long_shins(&figure));
    let map = JointMap::guess(&source, &figure);
    let walk = figure.find_clip("walk").unwrap();
    let (_, report) = retarget(&source, walk, &figure, &map, &RetargetOptions::default()).unwrap();
    let feet: Vec<_> = report.contacts.iter().filter(|c| c.part == ContactPart::Foot).collect();
    assert_eq!(feet.len(), 2);
    for foot in feet {
        let after = foot.after.unwrap();
        assert!(foot.contacts >= 1 && foot.contact_secs > 0.1 && foot.vertices > 20, "{foot:?}");
        assert!(foot.before.slide.mean_meters_per_sec > 0.01, "nothing to fix: {foot:?}");
        assert!(after.slide.mean_meters_per_sec < 0.1 * foot.before.slide.mean_meters_per_sec, "{foot:?}");
        assert!(foot.worst_reach_error_meters < 1e-3 && after.penetration_meters < 1e-4, "{foot:?}");
        assert!(after.hover_meters < 1e-3, "{foot:?}");
    }
}

/// The figure with feet that are children of the root, moved beside the legs.
fn loose_feet(figure: &Character) -> Character {
    let skeleton = figure.skeleton();
    let rest = model_rest(skeleton);
    let root = skeleton.joints().next().unwrap();
    let joint = |joint: JointId| {
        let is_foot = skeleton.name(joint).starts_with("foot");
        let root_from_foot = rest.joint(root).inverse() * rest.joint(joint);
        Joint {
            name: skeleton.name(joint).to_owned(),
            parent: if is_foot { Some(root) } else { skeleton.parent(joint) },
            rest: if is_foot { Transform::from_affine(&root_from_foot).0 } else { skeleton.rest(joint) },
        }
    };
    let loose = Arc::new(Skeleton::new(skeleton.joints().map(joint)).unwrap());
    Character::new(CharacterParts { skeleton: loose, clips: Vec::new(), ..figure.parts().clone() }).unwrap()
}

#[test]
fn feet_that_are_joints_of_their_own_stay_on_their_legs() {
    let figure = sinew_samples::figure();
    let loose = loose_feet(&figure);
    let walk = figure.find_clip("walk").unwrap();
    let map = JointMap::guess(&figure, &loose);
    assert_eq!(map.pairs().len(), figure.skeleton().len());
    let (got, report) = retarget(&figure, walk, &loose, &map, &RetargetOptions::default()).unwrap();
    assert_eq!(report.contacts.iter().filter(|c| c.part == ContactPart::Foot && c.contacts > 0).count(), 2);
    let own = JointMap::guess(&figure, &figure);
    let (want, _) = retarget(&figure, walk, &figure, &own, &RetargetOptions::default()).unwrap();
    for &time in got.channels()[0].times_secs() {
        for joint in ["foot.L", "foot.R", "toe.L", "shin.R", "hand.L"] {
            let off = position(&loose, &got, time, joint) - position(&figure, &want, time, joint);
            assert!(off.length() < 2e-4, "{joint} at {time}: {off}");
        }
    }
}

#[test]
fn the_soles_of_thick_shoes_stay_above_the_ground() {
    let figure = sinew_samples::figure();
    let mut parts = figure.parts().clone();
    // Shoes that reach 5 cm below the joints' idea of the ground.
    let mut mesh = parts.meshes[0].parts().clone();
    mesh.positions.iter_mut().filter(|p| p.y < 0.03).for_each(|p| p.y -= 0.05);
    mesh.precomputed = sinew::Precomputed::default();
    parts.meshes = vec![Arc::new(sinew::Mesh::new(mesh).unwrap())];
    let shod = Character::new(parts).unwrap();
    let map = JointMap::guess(&figure, &shod);
    for name in ["walk", "run"] {
        let clip = figure.find_clip(name).unwrap();
        let (_, report) = retarget(&figure, clip, &shod, &map, &RetargetOptions::default()).unwrap();
        assert!(report.ground_meters < -0.04 || report.ground_meters == 0.0, "{}", report.ground_meters);
        assert!(report.body_penetration_meters < 1e-3, "{name}: {}", report.body_penetration_meters);
        for contact in &report.contacts {
            assert!(contact.result().penetration_meters < 1e-4, "{name}: {contact:?}");
        }
    }
}

#[test]
fn joints_beyond_their_limits_are_listed() {
    let figure = sinew_samples::figure();
    let knee = figure.skeleton().find("shin.L").unwrap();
    let limit = Limit::cone(figure.skeleton(), knee, Vec3::Y, 0.2, 3.0).unwrap();
    let options = RetargetOptions::default().with_limits([(knee, limit)].into());
    let map = JointMap::guess(&figure, &figure);
    let run = figure.find_clip("run").unwrap();
    let (_, report) = retarget(&figure, run, &figure, &map, &options).unwrap();
    let [knee] = &report.limits[..] else { panic!("{:?}", report.limits) };
    assert_eq!(knee.joint, "shin.L");
    assert!(knee.worst_degrees > 10.0 && knee.worst_meters > 0.05 && knee.frames > 1, "{knee:?}");
}

#[test]
fn a_body_of_another_kind_is_refused_with_reasons() {
    let figure = sinew_samples::figure();
    // The figure on all fours: the spine is level, and longer arms stand on the ground.
    let skeleton = figure.skeleton();
    let model = model_rest(skeleton);
    let joints = skeleton.joints().map(|joint| {
        let name = skeleton.name(joint).to_owned();
        let mut rest = skeleton.rest(joint);
        let parent = skeleton.parent(joint).map(|p| Transform::from_affine(&model.joint(p)).0.rotation);
        let parent = parent.unwrap_or(Quat::IDENTITY);
        let in_parent = |turn: Quat| parent.conjugate() * turn * parent;
        if name == "spine_lower" {
            let turn = in_parent(Quat::from_rotation_x(std::f32::consts::FRAC_PI_2));
            (rest.rotation, rest.translation) = (turn * rest.rotation, turn * rest.translation);
        }
        if name.starts_with("upper_arm") {
            let down = if name.ends_with(".L") { -1.2 } else { 1.2 };
            let turn = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2) * Quat::from_rotation_z(down);
            rest.rotation = in_parent(turn) * rest.rotation;
        }
        if name.starts_with("forearm") || name.starts_with("hand") {
            rest.translation *= 1.7;
        }
        Joint { name, parent: skeleton.parent(joint), rest }
    });
    let beast = bare(Skeleton::new(joints).unwrap());
    let map = JointMap::guess(&figure, &beast);
    let got = MapConfidence::of(&map, &figure, &beast);
    let error = got.accept().expect_err(&format!("{:?} {:?}", got.regions, got.doubtful())).to_string();
    assert!(error.contains("torso") && error.contains("° at rest"), "{error}");
    assert!(error.contains("stands on the ground"), "{error}");
    assert_eq!(got.verdict(), MapVerdict::Hopeless);
    let own = MapConfidence::of(&JointMap::guess(&beast, &beast), &beast, &beast);
    assert!(own.overall > 0.99 && own.accept().is_ok() && own.doubtful().is_empty(), "{}", own.overall);
}

#[test]
fn a_rest_pose_in_front_is_left_out() {
    let figure = sinew_samples::figure();
    let arm = figure.skeleton().find("upper_arm.L").unwrap();
    let rest = figure.skeleton().rest(arm).rotation;
    let turn = |angle: f32| rest * Quat::from_rotation_x(angle);
    let keys = vec![rest, turn(1.0), turn(1.01), turn(1.02)];
    let curve = Curve::new(vec![0.0, 0.1, 0.2, 0.3], keys, Interpolation::Linear).unwrap();
    let event = ClipEvent { time_secs: 0.2, name: "e".into(), payload: None };
    let clip = Clip::new("c", vec![Channel::Rotation { joint: arm, curve }], vec![event]).unwrap();
    let map = JointMap::guess(&figure, &figure);
    let take = |options: &RetargetOptions| retarget(&figure, &clip, &figure, &map, options).unwrap();
    let (got, report) = take(&RetargetOptions::default());
    assert!(report.dropped_rest_frame && report.frames == 3);
    assert!((got.duration_secs() - 0.2).abs() < 1e-6 && (got.events()[0].time_secs - 0.1).abs() < 1e-6);
    let (got, report) = take(&RetargetOptions { drop_rest_frame: false, ..RetargetOptions::default() });
    assert!(!report.dropped_rest_frame && report.frames == 4 && got.duration_secs() == clip.duration_secs());
}

#[test]
fn what_rotations_and_the_way_of_the_body_cannot_say_is_lost_and_listed() {
    let figure = sinew_samples::figure();
    let map = JointMap::guess(&figure, &figure);
    let losses = |added: Vec<Channel>| {
        let mut parts = figure.find_clip("walk").unwrap().parts().clone();
        parts.channels.extend(added);
        let clip = Clip::from_parts(parts).unwrap();
        retarget(&figure, &clip, &figure, &map, &RetargetOptions::default()).unwrap().1.losses
    };
    assert!(losses(Vec::new()).is_empty(), "the root moves the body");
    let joint = |name: &str| figure.skeleton().find(name).unwrap();
    let line =
        |from: Vec3, to: Vec3| Curve::new(vec![0.0, 1.0], vec![from, to], Interpolation::Linear).unwrap();
    let moved = |name: &str, by: f32| {
        let elsewhere = Vec3::splat(0.3);
        Channel::Translation { joint: joint(name), curve: line(elsewhere, elsewhere + Vec3::X * by) }
    };
    let scaled =
        |name: &str, to: f32| Channel::Scale { joint: joint(name), curve: line(Vec3::ONE, Vec3::splat(to)) };
    let curve = Curve::with_width(2, vec![0.0], vec![0.5, 0.0], Interpolation::Step).unwrap();
    let got = losses(vec![
        moved("hand.L", 0.1),
        moved("hand.R", 0.0),
        scaled("head", 1.5),
        scaled("neck", 1.0),
        Channel::Morphs { first_slot: 0, curve },
    ]);
    let want = ClipLosses {
        translations: vec!["hand.L".into()],
        scales: vec!["head".into()],
        morphs: 1,
        ..ClipLosses::default()
    };
    assert_eq!(got, want);
}

#[test]
fn a_rate_of_its_own_gives_as_many_poses() {
    let figure = sinew_samples::figure();
    let map = JointMap::guess(&figure, &figure);
    let wave = figure.find_clip("wave").unwrap();
    let options = RetargetOptions::default().with_rate_hz(10.0);
    let (clip, report) = retarget(&figure, wave, &figure, &map, &options).unwrap();
    assert_eq!((report.frames, clip.duration_secs()), (26, wave.duration_secs()));
}

#[test]
fn rejects_clips_and_maps_that_do_not_fit() {
    let (figure, arm) = (sinew_samples::figure(), sinew_samples::arm());
    let walk = figure.find_clip("walk").unwrap();
    let map = JointMap::guess(&figure, &figure);
    let go = |source: &Character, clip: &Clip, map: &JointMap, options: RetargetOptions| {
        retarget(source, clip, &figure, map, &options).unwrap_err()
    };
    let plain = RetargetOptions::default;
    assert_eq!(go(&figure, walk, &JointMap::default(), plain()), RetargetError::NothingMapped);
    assert!(matches!(go(&arm, walk, &map, plain()), RetargetError::WrongSkeleton { what: "the clip", .. }));
    let additive = walk.as_ref().clone().with_kind(ClipKind::Additive);
    assert!(matches!(go(&figure, &additive, &map, plain()), RetargetError::Additive { .. }));
    for options in [
        plain().with_rate_hz(0.0),
        plain().with_rate_hz(f32::NAN),
        plain().with_root_scale(-1.0),
        RetargetOptions { fade_secs: -0.1, ..plain() },
    ] {
        assert!(matches!(go(&figure, walk, &map, options), RetargetError::BadOption { .. }));
    }
    let fast = plain().with_rate_hz(1e9);
    assert!(matches!(go(&figure, walk, &map, fast), RetargetError::TooLong { .. }));
}
