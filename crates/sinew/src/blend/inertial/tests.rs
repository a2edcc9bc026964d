use super::*;
use crate::sinew_samples;
use crate::{Wrap, sample_clip};
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_decay_falls_from_its_distance_to_zero_without_overshoot(
        distance in 0.0_f32..10.0, speed in -200.0_f32..200.0, duration in 0.01_f32..2.0,
    ) {
        let decay = Decay::new(distance, speed, duration);
        prop_assert!((decay.at(0.0) - distance).abs() <= 1e-6 * distance);
        prop_assert_eq!(decay.at(duration), 0.0);
        let mut last = distance;
        for step in 0..=200_u8 {
            let now = decay.at(duration * f32::from(step) / 200.0);
            prop_assert!(now >= 0.0 && now <= last + 1e-5 * distance, "{} after {}", now, last);
            last = now;
        }
    }

    #[test]
    fn a_decay_starts_with_its_initial_speed(distance in 0.1_f32..10.0, part in 0.0_f32..4.9) {
        let (duration, step) = (1.0, 1e-3);
        let decay = Decay::new(distance, -part * distance, duration);
        let slope = (decay.at(step) - decay.at(0.0)) / step;
        prop_assert!((slope + part * distance).abs() < 0.03 * distance, "{} for {}", slope, -part * distance);
    }
}

fn sampled(clip: &str, time_secs: f32) -> LocalPose {
    let figure = sinew_samples::figure();
    let mut pose = figure.rest_pose();
    sample_clip(figure.find_clip(clip).unwrap(), time_secs, Wrap::Loop, &mut pose);
    pose
}

/// The largest motion of a joint between two poses, in meters and radians.
fn furthest(a: &LocalPose, b: &LocalPose) -> (f32, f32) {
    a.joints.iter().zip(&b.joints).fold((0.0, 0.0), |(way, turn), (a, b)| {
        let angle = 2.0 * (a.rotation.conjugate() * b.rotation).xyz().length().min(1.0).asin();
        (f32::max(way, (a.translation - b.translation).length()), f32::max(turn, angle))
    })
}

#[test]
fn begins_where_the_source_was_and_ends_on_the_target_to_the_bit() {
    let (step_secs, duration) = (1.0 / 60.0, 0.3);
    let (before, last) = (sampled("walk", 0.2), sampled("walk", 0.2 + step_secs));
    let mut inertia = Inertializer::new(&last);
    let movement = RecentMotion { now: &last, before: &before, step_secs };
    inertia.begin(movement, &sampled("idle", 0.0), duration);
    let mut pose = sampled("idle", 0.0);
    inertia.apply(0.0, &mut pose);
    let (way, turn) = furthest(&pose, &last);
    assert!(way < 1e-5 && turn < 2e-3, "{way} m {turn} rad");
    let (way_of_step, turn_of_step) = furthest(&last, &before);
    let mut shown = pose;
    for frame in 1..=30_u8 {
        let target = sampled("idle", f32::from(frame) * step_secs);
        let mut pose = target.clone();
        inertia.apply(step_secs, &mut pose);
        let (way, turn) = furthest(&pose, &shown);
        // No step is much larger than a step of the source or than the whole offset requires, so nothing pops.
        assert!(
            way < 2.0 * way_of_step.max(0.08) && turn < 2.0 * turn_of_step.max(0.1),
            "{frame}: {way} m {turn} rad"
        );
        if f32::from(frame) * step_secs > duration + step_secs {
            assert!(inertia.is_over());
            assert_eq!(pose, target);
        }
        shown = pose;
    }
}

#[test]
fn equal_poses_leave_nothing() {
    let pose = sampled("walk", 0.4);
    let mut inertia = Inertializer::new(&pose);
    inertia.begin(RecentMotion { now: &pose, before: &pose, step_secs: 0.0 }, &pose, 1.0);
    let mut now = pose.clone();
    inertia.apply(0.1, &mut now);
    let (way, turn) = furthest(&now, &pose);
    assert!(way == 0.0 && turn < 1e-3, "{way} {turn}");
}

#[test]
fn non_finite_input_gives_finite_poses() {
    let pose = sampled("walk", 0.4);
    let other = sampled("run", 0.1);
    let mut inertia = Inertializer::new(&pose);
    for (step_secs, duration) in
        [(f32::NAN, 1.0), (0.0, 1.0), (-1.0, 0.5), (1e-30, 0.5), (0.1, f32::NAN), (0.1, f32::INFINITY)]
    {
        inertia.begin(RecentMotion { now: &pose, before: &other, step_secs }, &other, duration);
        let mut now = other.clone();
        inertia.apply(f32::NAN, &mut now);
        inertia.apply(0.05, &mut now);
        assert!(now.joints.iter().all(Transform::is_finite), "{step_secs} {duration}");
    }
}
