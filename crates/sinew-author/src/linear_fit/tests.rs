use super::*;
use crate::{helper_joints::add_muscle, uninterrupted};
use sinew::{Frame, Wrap, constrain::HelperKind, glam::Vec3};
use std::{ops::ControlFlow, sync::LazyLock};

fn options() -> LinearFitOptions {
    let poses = FitPoses { per_clip: 9, mixed: 24, ..FitPoses::default() };
    LinearFitOptions { method: Method::DualQuat, helpers: 1, poses, rounds: 6, ..LinearFitOptions::default() }
}

/// The tube of two joints with one corrective joint.
static FITTED: LazyLock<LinearFit> =
    LazyLock::new(|| fit_to_linear(&sinew_samples::tube(), &options(), &mut uninterrupted).unwrap());

#[test]
fn one_corrective_joint_shows_dual_quaternions_on_a_tube() {
    let [plain, fitted] = FITTED.report.over_held_out_poses();
    assert!(plain.rms_meters > 5.0 * fitted.rms_meters, "{plain:?} {fitted:?}");
    assert!(plain.max_meters > 3.0 * fitted.max_meters, "{plain:?} {fitted:?}");
    assert_eq!(FITTED.report.vertices, sinew_samples::tube().meshes()[0].vertex_count());
}

#[test]
fn at_rest_no_vertex_moves() {
    let mut frame = Frame::new(&FITTED.character);
    frame.deform(Method::Linear).unwrap();
    let rest = FITTED.character.meshes()[0].positions();
    let far = frame.deformed()[0].positions.iter().zip(rest).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(far < 1e-5, "{far}");
}

#[test]
fn clips_hold_the_motion_of_corrective_joints() {
    let mut parts = FITTED.character.parts().clone();
    parts.helpers.clear();
    let without_helpers = Character::new(parts).unwrap();
    let mut frames = [&FITTED.character, &without_helpers].map(Frame::new);
    for clip in FITTED.character.clips() {
        for step in 0..23_u8 {
            let time_secs = clip.duration_secs() * f32::from(step) / 22.0;
            for frame in &mut frames {
                frame.sample(&**clip, time_secs, Wrap::Clamp);
                frame.deform(Method::Linear).unwrap();
            }
            let [driven, keyed] = frames.each_ref().map(|frame| &frame.deformed()[0].positions);
            let far = driven.iter().zip(keyed).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            assert!(far < 5e-3, "{} at {time_secs}: {far}", clip.name());
        }
    }
}

#[test]
fn the_new_joint_follows_the_bend_and_swells() {
    let [joint] = FITTED.joints[..] else { panic!("{:?}", FITTED.joints) };
    let skeleton = FITTED.character.skeleton();
    assert_eq!((skeleton.parent(joint), skeleton.name(joint)), (Some(JointId(0)), "middle.corrective.1"));
    let mut frame = Frame::new(&FITTED.character);
    frame.local_mut().joints[1].rotation = sinew::glam::Quat::from_rotation_z(0.7);
    frame.update();
    let moved = frame.driven_pose().joints[joint.index()];
    assert!(
        moved.scale.max_element() > 1.02 && moved.rotation.angle_between(skeleton.rest(joint).rotation) > 0.2
    );
}

#[test]
fn without_scale_no_joint_scales() {
    let rigid = LinearFitOptions { scale: false, ..options() };
    let fit = fit_to_linear(&sinew_samples::tube(), &rigid, &mut uninterrupted).unwrap();
    let HelperKind::Correct(it) = &fit.character.helpers()[0].kind else { panic!("no corrective joint") };
    assert!(it.rows.iter().all(|row| row.scale == Vec3::ZERO));
    let [plain, fitted] = fit.report.over_held_out_poses();
    assert!(plain.rms_meters > 1.5 * fitted.rms_meters, "{plain:?} {fitted:?}");
}

#[test]
fn no_vertex_has_more_influences_than_asked_for() {
    let options = LinearFitOptions { influences: 2, helpers: 2, ..options() };
    let fit = fit_to_linear(&sinew_samples::arm(), &options, &mut uninterrupted).unwrap();
    let weights = fit.character.meshes()[0].weights().unwrap();
    assert!((0..weights.vertex_count()).all(|v| weights.influences(v).len() <= 2));
}

#[test]
fn what_cannot_be_fitted_is_refused_and_work_can_be_stopped() {
    let tube = sinew_samples::tube();
    let refused = |change: fn(&mut LinearFitOptions)| {
        let mut options = options();
        change(&mut options);
        fit_to_linear(&tube, &options, &mut uninterrupted).unwrap_err()
    };
    assert!(matches!(refused(|o| o.influences = 17), LinearFitError::Author(AuthorError::BadOption { .. })));
    assert!(matches!(
        refused(|o| o.keys_per_sec = 0.0),
        LinearFitError::Author(AuthorError::BadOption { .. })
    ));
    assert!(matches!(
        refused(|o| o.poses = FitPoses { per_clip: 0, angle_radians: 0.0, mixed: 4 }),
        LinearFitError::NoPoses
    ));
    let mut parts = tube.parts().clone();
    parts.instances.iter_mut().for_each(|instance| instance.skin = None);
    let bare = Character::new(parts).unwrap();
    assert_eq!(fit_to_linear(&bare, &options(), &mut uninterrupted).unwrap_err(), LinearFitError::NoSkin);
    let muscled = add_muscle(&sinew_samples::arm(), JointId(0), JointId(1), &Default::default()).unwrap();
    let error = fit_to_linear(&muscled.character, &options(), &mut uninterrupted).unwrap_err();
    assert!(matches!(error, LinearFitError::Muscles { .. }));
    let stopped = fit_to_linear(&tube, &options(), &mut |_| ControlFlow::Break(()));
    assert_eq!(stopped.unwrap_err(), AuthorError::Stopped.into());
}
