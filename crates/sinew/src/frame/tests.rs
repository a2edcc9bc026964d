use super::*;
use crate::{Clip, CompactClip, CompactOptions, Joint, Skeleton, Transform, simd, sinew_samples};
use glam::Quat;

#[test]
fn frames_of_one_arc_share_their_character() {
    let arm = Arc::new(sinew_samples::arm());
    let (one, other) = (Frame::new(arm.clone()), Frame::new(arm));
    assert!(Arc::ptr_eq(one.character(), other.character()));
}

#[test]
fn deform_evaluates_a_pose_that_was_only_edited() {
    let mut explicit = Frame::new(sinew_samples::arm());
    let mut implicit = explicit.clone();
    for frame in [&mut explicit, &mut implicit] {
        frame.deform(Method::Linear).unwrap();
        frame.local_mut().joints[1].rotation = Quat::from_rotation_z(1.0);
    }
    explicit.update();
    explicit.deform(Method::Linear).unwrap();
    implicit.deform(Method::Linear).unwrap();
    assert_eq!(explicit.deformed(), implicit.deformed());
    assert_ne!(implicit.deformed()[0], Frame::new(implicit.character().clone()).deformed()[0]);
}

#[test]
#[should_panic(expected = "call Frame::update before reading the model pose")]
fn a_stale_model_pose_cannot_be_read() {
    let mut frame = Frame::new(sinew_samples::arm());
    frame.local_mut();
    frame.model();
}

#[test]
fn a_compact_clip_plays_as_its_raw_clip_does() {
    let figure = Arc::new(sinew_samples::figure());
    let walk = figure.find_clip("walk").unwrap();
    let (compact, _) = CompactClip::new(walk, figure.skeleton(), &CompactOptions::default()).unwrap();
    let mut frame = Frame::new(figure.clone());
    for wrap in [Wrap::Clamp, Wrap::Loop, Wrap::PingPong] {
        let mut positions = |clip: ClipRef<'_>| {
            frame.sample(clip, 1.7 * walk.duration_secs(), wrap);
            frame.deform(Method::Linear).unwrap();
            frame.deformed()[0].positions.clone()
        };
        let (raw, small) = (positions(walk.into()), positions((&compact).into()));
        let worst = raw.iter().zip(&small).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(worst < 1e-3, "{wrap:?}: {worst} m");
    }
}

#[test]
#[should_panic(expected = "clip \"walk\" animates")]
fn a_clip_of_a_larger_character_is_refused_by_name() {
    let figure = sinew_samples::figure();
    let walk: &Clip = figure.find_clip("walk").unwrap();
    Frame::new(sinew_samples::arm()).sample(walk, 0.0, Wrap::Clamp);
}

#[test]
#[should_panic(expected = "was made for another skeleton than that of character \"figure\"")]
fn a_clip_of_a_smaller_character_is_refused_by_name() {
    let arm = sinew_samples::arm();
    Frame::new(sinew_samples::figure()).sample(&arm.clips()[0], 0.0, Wrap::Clamp);
}

#[test]
fn a_free_clip_plays_on_every_character_that_has_its_joints() {
    let arm = sinew_samples::arm();
    let free = Clip::from_parts(arm.clips()[0].parts().clone()).unwrap();
    let mut frame = Frame::new(sinew_samples::figure());
    frame.sample(&free, 0.0, Wrap::Clamp);
}

#[test]
fn a_clip_still_plays_after_joints_were_added_behind_its_own() {
    let arm = sinew_samples::arm();
    let mut parts = arm.parts().clone();
    let mut joints: Vec<Joint> = Vec::new();
    for joint in arm.skeleton().joints() {
        let (name, parent) = (arm.skeleton().name(joint).to_owned(), arm.skeleton().parent(joint));
        joints.push(Joint { name, parent, rest: arm.skeleton().rest(joint) });
    }
    joints.push(Joint { name: "prop".into(), parent: None, rest: Transform::IDENTITY });
    parts.skeleton = Arc::new(Skeleton::new(joints).unwrap());
    let clip = arm.clips()[0].clone();
    let longer = Character::new(parts).unwrap();
    assert!(Arc::ptr_eq(&longer.clips()[0], &clip), "an unchanged clip stays shared");
    Frame::new(longer).sample(&clip, 0.0, Wrap::Clamp);
}

#[test]
fn changed_weights_keep_the_pose_and_another_rig_starts_at_rest() {
    let mut frame = Frame::new(sinew_samples::arm());
    frame.local_mut().joints[1].rotation = Quat::from_rotation_z(1.0);
    let posed = frame.local().clone();
    let mut parts = frame.character().parts().clone();
    let mesh = &parts.meshes[0];
    let rigid = mesh.weights().unwrap().strongest();
    let mesh = crate::Mesh::clone(mesh).with_weights(Arc::new(rigid), Default::default()).unwrap();
    parts.meshes[0] = Arc::new(mesh);
    let edited = Arc::new(Character::new(parts).unwrap());
    frame.set_character(edited.clone());
    assert_eq!(*frame.local(), posed);
    let not_packed = DeformPath::Reference(ReferenceReason::NotPacked);
    assert_eq!(frame.deform(Method::Linear), Ok(not_packed), "a brush stroke must not wait for packing");
    let mut fresh = Frame::new(edited);
    fresh.local_mut().copy_from(&posed);
    fresh.deform(Method::Linear).unwrap();
    for (a, b) in frame.deformed()[0].positions.iter().zip(&fresh.deformed()[0].positions) {
        assert!(a.distance(*b) < 1e-6);
    }
    frame.local_mut();
    assert_eq!(frame.deform(Method::Linear), Ok(DeformPath::Kernel(simd::best())));
    frame.set_character(sinew_samples::tube());
    assert_eq!(*frame.local(), frame.character().rest_pose());
}

#[test]
fn deform_returns_which_code_ran() {
    let mut frame = Frame::new(sinew_samples::figure());
    let kernel = DeformPath::Kernel(simd::best());
    for method in Method::ALL.into_iter().filter(|method| method.needs_precomputed().is_none()) {
        let want =
            if method.has_kernel() { kernel } else { DeformPath::Reference(ReferenceReason::NoKernel) };
        assert_eq!(frame.deform(method), Ok(want), "{method}");
        assert_eq!(frame.paths().len(), frame.deformed().len());
    }
    let mut parts = frame.character().parts().clone();
    parts.instances.iter_mut().for_each(|instance| instance.skin = None);
    let mut carried = Frame::new(Character::new(parts).unwrap());
    let no_skin = DeformPath::Reference(ReferenceReason::NoSkin);
    assert_eq!(carried.deform(Method::Linear), Ok(no_skin));
    assert_eq!(no_skin.to_string(), "reference (the mesh has no skin)");
}
