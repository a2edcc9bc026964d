//! What an update reports, and edits between sampling and placement.

use super::*;
use glam::{Quat, Vec3};

const DT_SECS: f32 = 1.0 / 60.0;

#[test]
fn a_pose_that_does_not_change_is_reported_as_such() {
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    let mut changed =
        |one: &mut Instance, dt: f32| one.update(&archetype, dt, &mut scratch, |_| {}).pose_changed;
    let mut still = archetype.new_instance();
    assert!(changed(&mut still, DT_SECS), "the first pose is new");
    assert!(!changed(&mut still, DT_SECS));
    let mut one = walking(&archetype, 0.0);
    assert!(changed(&mut one, DT_SECS) && changed(&mut one, DT_SECS));
    assert!(!changed(&mut one, 0.0), "no time passed");
    one.set_speed(0.0);
    assert!(!changed(&mut one, DT_SECS), "paused");
    one.seek(0.5);
    assert!(changed(&mut one, DT_SECS) && !changed(&mut one, DT_SECS));
    one.set_speed(1.0);
    one.play(&archetype, archetype.find_motion("walk").unwrap(), Wrap::Clamp).unwrap();
    assert!(changed(&mut one, 100.0), "it jumps to its end");
    assert!(!changed(&mut one, 1.0), "it has ended");
}

#[test]
fn a_held_pose_changes_with_its_evaluations_only_and_a_paused_interpolated_one_settles() {
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    let mut one = walking(&archetype, 0.0);
    one.set_update_rate(UpdateRate::held(15.0), 0.0);
    let mut updates = (0..60).map(|_| one.update(&archetype, DT_SECS, &mut scratch, |_| {}));
    let count = updates.by_ref().filter(|u| u.pose_changed && u.is_evaluated).count();
    assert!((14..=16).contains(&count), "{count} of 60 updates at 15 Hz");
    one.set_update_rate(UpdateRate::interpolated(15.0), 0.5);
    for _ in 0..12 {
        one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    }
    assert!(one.update(&archetype, DT_SECS, &mut scratch, |_| {}).pose_changed);
    one.set_speed(0.0);
    for _ in 0..12 {
        one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    }
    assert!(!one.update(&archetype, DT_SECS, &mut scratch, |_| {}).pose_changed);
    let mut shown = archetype.rest().clone();
    one.write_pose(&archetype, &mut shown);
    assert_eq!(&shown, one.pose());
}

#[test]
fn changing_the_rate_loses_no_time() {
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    let mut one = walking(&archetype, 0.0);
    let rates = [UpdateRate::default(), UpdateRate::held(10.0), UpdateRate::interpolated(7.0)];
    for frame in 0..600_usize {
        if frame % 7 == 0 {
            one.set_update_rate(rates[frame / 7 % 3], UpdateRate::phase_of(frame));
        }
        one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    }
    one.set_update_rate(UpdateRate::default(), 0.0);
    one.update(&archetype, 0.0, &mut scratch, |_| {});
    let time = one.controller().clip().unwrap().playback().time_secs();
    assert!((time - 10.0).abs() < 1e-3, "{time}");
}

#[test]
fn edits_are_shown_and_do_not_accumulate() {
    let archetype = figure();
    let head = archetype.character().skeleton().find("head").unwrap();
    let mut scratch = InstanceScratch::new(&archetype);
    for rate in [UpdateRate::default(), UpdateRate::held(20.0)] {
        let (mut one, mut plain) = (walking(&archetype, 0.0), walking(&archetype, 0.0));
        one.set_update_rate(rate, 0.0);
        plain.set_update_rate(rate, 0.0);
        one.set_speed(0.0);
        plain.set_speed(0.0);
        let turn = Quat::from_rotation_y(0.5);
        for _ in 0..20 {
            plain.update(&archetype, DT_SECS, &mut scratch, |_| {});
            let mut sampled = one.sample(&archetype, DT_SECS, &mut scratch, |_| {});
            if sampled.is_evaluated() {
                sampled.pose_mut().joints[head.index()].rotation *= turn;
                assert!(sampled.finish().pose_changed);
            } else {
                assert!(!sampled.finish().pose_changed);
            }
            let want = plain.pose().joints[head.index()].rotation * turn;
            assert!(one.pose().joints[head.index()].rotation.abs_diff_eq(want, 1e-5));
        }
    }
}

fn walker() -> Archetype {
    use crate::{Clip, Curve, Interpolation, MetaChannel, MetaCurve};
    let line = Curve::new(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::Z], Interpolation::Linear).unwrap();
    let travel = MetaChannel { name: "root.translation".into(), curve: MetaCurve::Vector(line) };
    let clip =
        |name: &str, metas| std::sync::Arc::new(Clip::empty(name, 1.0).unwrap().with_metas(metas).unwrap());
    let mut parts = sinew_samples::figure().parts().clone();
    parts.clips = vec![clip("go", vec![travel]), clip("stay", vec![])];
    Archetype::new(crate::Character::new(parts).unwrap())
}

#[test]
fn root_motion_is_reported_per_step_and_can_be_left_to_the_caller() {
    let archetype = walker();
    let mut scratch = InstanceScratch::new(&archetype);
    let mut own = archetype.new_instance();
    own.play(&archetype, archetype.find_motion("go").unwrap(), Wrap::Loop).unwrap();
    let mut held = own.clone();
    held.set_moves_by_root_motion(false);
    let mut sum = Vec3::ZERO;
    for _ in 0..90 {
        assert!(own.update(&archetype, DT_SECS, &mut scratch, |_| {}).placement_changed);
        let update = held.update(&archetype, DT_SECS, &mut scratch, |_| {});
        assert!((update.root_motion.translation.z - DT_SECS).abs() < 1e-5);
        sum += update.root_motion.translation;
    }
    assert!(own.world_from_model().translation.distance(Vec3::Z * 1.5) < 1e-3);
    assert!(sum.distance(Vec3::Z * 1.5) < 1e-3);
    assert_eq!(held.world_from_model(), Transform::IDENTITY);
    // The caller decides what the step becomes.
    let mut sampled = own.sample(&archetype, DT_SECS, &mut scratch, |_| {});
    assert!(sampled.root_motion().translation.z > 0.0);
    sampled.set_root_motion(Transform::from_translation(Vec3::X));
    assert_eq!(sampled.finish().root_motion.translation, Vec3::X);
    assert!(own.world_from_model().translation.x == 1.0);
}

#[test]
fn root_motion_fades_between_two_clips() {
    let archetype = walker();
    let mut scratch = InstanceScratch::new(&archetype);
    let mut one = archetype.new_instance();
    one.play(&archetype, archetype.find_motion("go").unwrap(), Wrap::Loop).unwrap();
    one.update(&archetype, DT_SECS, &mut scratch, |_| {});
    let stay = archetype.find_motion("stay").unwrap();
    let linear = PlayTransition::Crossfade { secs: 1.0, easing: crate::blend::Easing::Linear };
    one.play_with(&archetype, stay, PlayOptions { transition: linear, ..PlayOptions::LOOP }).unwrap();
    let step = one.update(&archetype, 0.5, &mut scratch, |_| {}).root_motion.translation.z;
    assert!((step - 0.25).abs() < 1e-4, "{step}");
}

#[test]
fn joints_and_sockets_are_found_in_model_and_world_space() {
    use crate::constrain::Attachment;
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    let mut one = walking(&archetype, 0.3);
    let placed = Transform::from_rotation_translation(Quat::from_rotation_y(1.0), Vec3::new(3.0, 0.0, 1.0));
    one.place(placed).unwrap();
    one.update(&archetype, 0.0, &mut scratch, |_| {});
    let mut frame = crate::Frame::new(archetype.character().clone());
    frame.local_mut().copy_from(one.pose());
    frame.update();
    let skeleton = archetype.character().skeleton();
    let hand = skeleton.find("hand.R").unwrap();
    let grip = Affine3A::from_translation(Vec3::Y * 0.1);
    let sword = Attachment::new(skeleton, hand, grip).unwrap();
    let posed = one.posed(&archetype, &mut scratch);
    assert_eq!(posed.model_from_joint(hand), frame.model().joint(hand));
    let world = placed.to_affine() * frame.model().joint(hand);
    assert_eq!(posed.world_from_joint(hand), world);
    assert!(posed.world_from_attachment(&sword).abs_diff_eq(world * grip, 1e-5));
    assert_eq!(posed.model().joints(), frame.model().joints());
}
