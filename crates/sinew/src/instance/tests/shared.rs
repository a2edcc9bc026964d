//! Poses that instances in the same phase share.

use super::*;
use crate::blend::Mask;

/// The figure with its walk shared at 30 poses per second.
fn sharing() -> Archetype {
    let mut archetype = figure();
    let walk = archetype.find_motion("walk").unwrap();
    archetype.add_shared_poses(walk, None, 30.0).unwrap();
    archetype
}

fn sharer(archetype: &Archetype, at_secs: f64) -> Instance {
    let mut one = walking(archetype, at_secs);
    one.set_uses_shared_poses(true);
    one
}

fn advance(one: &mut Instance, archetype: &Archetype, dt_secs: f32) -> InstanceUpdate {
    one.update(archetype, dt_secs, &mut InstanceScratch::new(archetype), |_| {})
}

/// The first evaluation of a motion is an instance's own.
fn begun(archetype: &Archetype, at_secs: f64) -> Instance {
    let mut one = sharer(archetype, at_secs);
    advance(&mut one, archetype, 0.0);
    one
}

#[test]
fn instances_in_the_same_phase_show_one_pose_of_the_clip() {
    let archetype = sharing();
    let walk = archetype.character().find_clip("walk").unwrap();
    let mut crowd: Vec<Instance> = (0..40).map(|nth| begun(&archetype, f64::from(nth) * 0.137)).collect();
    for one in &mut crowd {
        advance(one, &archetype, 0.02);
        let shared = one.shared_pose().expect("the walk is shared");
        let rate = shared.poses().rate_hz();
        let mut want = archetype.rest().clone();
        sample_clip(walk, (shared.index() as f64 / rate) as f32, Wrap::Clamp, &mut want);
        assert_eq!(one.pose(), &want);
        let time = f64::from(one.controller().clip().unwrap().playback().clip_time_secs());
        assert!((time - shared.index() as f64 / rate).abs() <= 0.5001 / rate);
    }
    let shown: Vec<_> = crowd.iter().map(|one| std::ptr::from_ref(one.pose())).collect();
    let distinct: std::collections::BTreeSet<_> = shown.iter().collect();
    let poses = crowd[0].shared_pose().unwrap().poses().poses().len();
    assert!(distinct.len() <= poses && distinct.len() < shown.len(), "{} of {poses}", distinct.len());
}

#[test]
fn a_shared_palette_has_the_bits_of_one_that_is_computed() {
    let archetype = sharing();
    let mut scratch = InstanceScratch::new(&archetype);
    let mut one = begun(&archetype, 0.3);
    advance(&mut one, &archetype, 0.01);
    for skin in 0..archetype.character().skins().len() {
        let joints = archetype.character().skins()[skin].joints().len();
        let [mut copied, mut computed] = [vec![Affine3A::ZERO; joints], vec![Affine3A::ZERO; joints]];
        one.write_palette(&archetype, skin, &mut scratch, &mut copied);
        one.posed(&archetype, &mut scratch).write_palette(skin, &mut computed);
        assert_eq!(copied, computed);
        assert_eq!(copied, one.shared_pose().unwrap().palette(skin));
    }
}

#[test]
fn events_placement_and_time_go_on_as_without_sharing() {
    let archetype = sharing();
    let mut scratch = InstanceScratch::new(&archetype);
    for rate in [UpdateRate::default(), UpdateRate::held(10.0)] {
        let (mut sharing_one, mut owns) = (sharer(&archetype, 0.2), walking(&archetype, 0.2));
        let mut changes = 0;
        for one in [&mut sharing_one, &mut owns] {
            one.set_update_rate(rate, 0.4);
        }
        for _ in 0..200 {
            let [mut first, mut second] = [Vec::new(), Vec::new()];
            let got =
                sharing_one.update(&archetype, 0.007, &mut scratch, |e| first.push(e.event.name.clone()));
            let want = owns.update(&archetype, 0.007, &mut scratch, |e| second.push(e.event.name.clone()));
            changes += usize::from(got.pose_changed);
            assert_eq!(first, second);
            assert_eq!(sharing_one.world_from_model(), owns.world_from_model());
            assert_eq!(got.is_evaluated, want.is_evaluated);
            assert_eq!(sharing_one.controller(), owns.controller());
        }
        // 1.4 s at 30 poses per second, or at ten evaluations.
        let max_changes = if rate == UpdateRate::default() { 45 } else { 16 };
        assert!((10..=max_changes).contains(&changes), "{changes}");
    }
}

#[test]
fn everything_else_is_the_instances_own_and_sharing_returns() {
    let mut archetype = sharing();
    let detail = archetype.add_detail(&Mask::all(archetype.rest().joints.len()));
    let (walk, run) = (archetype.find_motion("walk").unwrap(), archetype.find_motion("run").unwrap());
    let is_shared = |one: &Instance| one.shared_pose().is_some();
    let mut one = begun(&archetype, 0.1);
    advance(&mut one, &archetype, 0.01);
    assert!(is_shared(&one));
    // A crossfade begins at the pose that was shown, within a step.
    let before = one.pose().clone();
    one.play_with(&archetype, run, PlayOptions::LOOP.crossfade(0.2)).unwrap();
    advance(&mut one, &archetype, 0.001);
    assert!(!is_shared(&one));
    let apart = |a: &LocalPose, b: &LocalPose| {
        let turns = a.joints.iter().zip(&b.joints).map(|(a, b)| a.rotation.angle_between(b.rotation));
        turns.fold(0.0, f32::max)
    };
    assert!(apart(one.pose(), &before) < 0.2, "{}", apart(one.pose(), &before));
    // The run has no shared poses.
    (0..40).for_each(|_| _ = advance(&mut one, &archetype, 0.01));
    assert!(!is_shared(&one));
    one.play(&archetype, walk, Wrap::Loop).unwrap();
    (0..2).for_each(|_| _ = advance(&mut one, &archetype, 0.01));
    assert!(is_shared(&one));
    // An edit is kept for this update, and gone with the next.
    let mut scratch = InstanceScratch::new(&archetype);
    let mut sampled = one.sample(&archetype, 0.01, &mut scratch, |_| {});
    sampled.pose_mut().joints[3].translation.x += 1.0;
    assert!(sampled.finish().pose_changed);
    assert!(!is_shared(&one) && one.pose().joints[3].translation.x > 0.5);
    advance(&mut one, &archetype, 0.01);
    assert!(is_shared(&one) && one.pose().joints[3].translation.x < 0.5);
    // Another level of detail has no shared poses until it gets them.
    one.set_detail(&archetype, Some(detail));
    advance(&mut one, &archetype, 0.01);
    assert!(!is_shared(&one));
    archetype.add_shared_poses(walk, Some(detail), 10.0).unwrap();
    advance(&mut one, &archetype, 0.01);
    assert!(is_shared(&one));
    one.set_update_rate(UpdateRate::interpolated(15.0), 0.0);
    assert!(!is_shared(&one), "interpolated poses are an instance's own");
    one.set_update_rate(UpdateRate::default(), 0.0);
    advance(&mut one, &archetype, 0.01);
    one.set_uses_shared_poses(false);
    let own = one.pose().clone();
    assert!(!is_shared(&one));
    assert!(apart(one.pose(), &own) == 0.0);
}

#[test]
fn a_reload_shares_the_poses_of_the_new_archetype() {
    let old = sharing();
    let mut one = begun(&old, 0.1);
    advance(&mut one, &old, 0.01);
    let new = sharing();
    assert!(one.rebind(&old, &new).unwrap().is_complete());
    advance(&mut one, &new, 0.01);
    let walk = new.find_motion("walk").unwrap();
    let kept = new.shared().find(|poses| poses.motion() == walk).unwrap();
    assert!(std::sync::Arc::ptr_eq(one.shared_pose().unwrap().poses(), kept));
}

#[test]
fn clips_and_rates_that_cannot_be_shared_are_errors() {
    let (mut archetype, other) = (figure(), arm());
    let walk = archetype.find_motion("walk").unwrap();
    let mut text =
        |motion: MotionId, rate: f32| archetype.add_shared_poses(motion, None, rate).unwrap_err().to_string();
    assert!(text(other.motion_id(0).unwrap(), 30.0).contains("is not one of the"));
    for rate in [f32::NAN, f32::INFINITY, -1.0, 0.0] {
        assert!(text(walk, rate).contains("the rate of shared poses must be"), "{}", text(walk, rate));
    }
    assert!(text(walk, 1e6).contains("at most 65536 are allowed"));
}
