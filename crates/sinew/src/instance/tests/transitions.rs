//! Crossfades and inertialized transitions.

use super::*;
use crate::blend::RecentMotion;

const DT_SECS: f32 = 1.0 / 60.0;

/// The largest angle between the rotations of two poses, in radians.
fn apart(a: &LocalPose, b: &LocalPose) -> f32 {
    let angle = |(a, b): (&Transform, &Transform)| a.rotation.angle_between(b.rotation);
    a.joints.iter().zip(&b.joints).map(angle).fold(0.0, f32::max)
}

/// Plays the walk for a while, then `options`; the largest step between two frames, and the instance.
fn largest_step(archetype: &Archetype, options: PlayOptions) -> (f32, Instance) {
    let mut scratch = InstanceScratch::new(archetype);
    let mut one = walking(archetype, 0.3);
    for _ in 0..10 {
        one.update(archetype, DT_SECS, &mut scratch, |_| {});
    }
    one.play_with(archetype, archetype.find_motion("run").unwrap(), options).unwrap();
    let (mut last, mut largest) = (one.pose().clone(), 0.0_f32);
    for _ in 0..30 {
        assert!(one.update(archetype, DT_SECS, &mut scratch, |_| {}).pose_changed);
        largest = largest.max(apart(one.pose(), &last));
        last.copy_from(one.pose());
    }
    (largest, one)
}

#[test]
fn a_transition_does_not_jump_and_ends_as_the_new_clip_to_the_bit() {
    let archetype = figure();
    let from = PlayOptions::LOOP.from_secs(0.1);
    let (jump, alone) = largest_step(&archetype, from);
    for options in [from.crossfade(0.3), from.inertial(0.3)] {
        let (step, one) = largest_step(&archetype, options);
        assert!(step < 0.6 * jump, "{options:?}: {step} rad in a frame, {jump} without a transition");
        assert!(!one.is_in_transition());
        assert_eq!(one.pose(), alone.pose(), "{options:?}");
    }
}

#[test]
fn an_inertialized_transition_begins_where_the_old_motion_would_be() {
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    let (mut one, mut old) = (walking(&archetype, 0.3), walking(&archetype, 0.3));
    one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    old.update(&archetype, DT_SECS, &mut scratch, |_| {});
    let run = archetype.find_motion("run").unwrap();
    one.play_with(&archetype, run, PlayOptions::LOOP.inertial(0.4)).unwrap();
    one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    old.update(&archetype, DT_SECS, &mut scratch, |_| {});
    assert!(apart(one.pose(), old.pose()) < 2e-3, "{}", apart(one.pose(), old.pose()));
}

#[test]
fn an_interrupted_crossfade_goes_on_from_the_current_pose() {
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    let mut one = walking(&archetype, 0.3);
    one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    let motion = |name: &str| archetype.find_motion(name).unwrap();
    one.play_with(&archetype, motion("run"), PlayOptions::LOOP.crossfade(0.4)).unwrap();
    for _ in 0..8 {
        one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    }
    let last = one.pose().clone();
    one.play_with(&archetype, motion("idle"), PlayOptions::LOOP.crossfade(0.4)).unwrap();
    one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    assert!(apart(one.pose(), &last) < 0.1, "{}", apart(one.pose(), &last));
    for _ in 0..30 {
        one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    }
    let mut want = archetype.new_instance();
    want.play(&archetype, motion("idle"), Wrap::Loop).unwrap();
    for _ in 0..31 {
        want.update(&archetype, DT_SECS, &mut scratch, |_| {});
    }
    assert_eq!(one.pose(), want.pose());
}

#[test]
fn a_motion_from_elsewhere_decays_into_the_clip() {
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    let mut one = walking(&archetype, 0.0);
    let mut limp = archetype.rest().clone();
    limp.joints.iter_mut().for_each(|joint| joint.rotation *= glam::Quat::from_rotation_x(0.4));
    let source = RecentMotion { now: &limp, before: &limp, step_secs: DT_SECS };
    one.inertialize_from(source, 0.5).unwrap();
    one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    assert!(apart(one.pose(), &limp) < 0.05, "{}", apart(one.pose(), &limp));
    for _ in 0..40 {
        one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    }
    let mut want = walking(&archetype, 0.0);
    for _ in 0..41 {
        want.update(&archetype, DT_SECS, &mut scratch, |_| {});
    }
    assert_eq!(one.pose(), want.pose());
    let small = LocalPose::default();
    let source = RecentMotion { now: &small, before: &limp, step_secs: 0.1 };
    let error = one.inertialize_from(source, 0.5).unwrap_err();
    assert!(matches!(error, InstanceError::WrongPose { joints: 0, .. }), "{error}");
}

#[test]
fn a_graph_fades_in_like_a_clip() {
    let mut archetype = figure();
    let clip = crate::blend::graph::NodeDef::Clip {
        clip: "run".into(),
        speed: Default::default(),
        wrap: Wrap::Loop,
        range: None,
        sync: None,
    };
    let def = crate::blend::GraphDef {
        nodes: vec![("run".into(), clip)],
        output: "run".into(),
        ..Default::default()
    };
    let graph = archetype.add_graph(&def).unwrap();
    let mut scratch = InstanceScratch::new(&archetype);
    let mut one = walking(&archetype, 0.0);
    one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    let mut old = one.clone();
    one.play_graph_with(&archetype, graph, PlayTransition::crossfade(0.5)).unwrap();
    for one in [&mut one, &mut old] {
        one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    }
    assert!(one.pose() != old.pose() && apart(one.pose(), old.pose()) < 0.03);
    let error = one.play_graph_with(&archetype, graph, PlayTransition::inertial(f32::NAN)).unwrap_err();
    assert!(error.to_string().starts_with("the duration of a transition must be finite"), "{error}");
}

#[test]
fn a_negative_or_infinite_duration_is_refused() {
    let archetype = figure();
    let walk = archetype.find_motion("walk").unwrap();
    for secs in [-1.0, f32::NAN, f32::INFINITY] {
        let options = PlayOptions::LOOP.crossfade(secs);
        let error = archetype.new_instance().play_with(&archetype, walk, options).unwrap_err();
        assert!(matches!(error, InstanceError::BadNumber { .. }), "{error}");
    }
}

#[test]
fn time_and_speed_that_are_set_before_playing_are_kept_and_so_are_those_set_after() {
    let archetype = figure();
    let walk = archetype.find_motion("walk").unwrap();
    let mut scratch = InstanceScratch::new(&archetype);
    let (mut early, mut late) = (archetype.new_instance(), archetype.new_instance());
    early.seek(0.4);
    early.set_speed(-0.5);
    early.play(&archetype, walk, Wrap::Loop).unwrap();
    late.play(&archetype, walk, Wrap::Loop).unwrap();
    late.set_speed(-0.5);
    late.seek(0.4);
    for one in [&mut early, &mut late] {
        one.update(&archetype, 0.2, &mut scratch, |_| {});
        let time = one.controller().clip().unwrap().playback().time_secs();
        assert!((time - 0.3).abs() < 1e-6, "{time}");
    }
    assert_eq!(early.pose(), late.pose());
    // The time was for one clip only.
    early.play(&archetype, walk, Wrap::Clamp).unwrap();
    assert_eq!(early.controller().clip().unwrap().playback().phase(), 1.0, "backwards from the end");
}
