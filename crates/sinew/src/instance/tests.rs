use super::*;
use crate::sample::sample_clip;
use crate::sinew_samples;

fn kind() -> Archetype {
    Archetype::new(sinew_samples::figure())
}

fn walking(kind: &Archetype, at_secs: f64) -> Instance {
    let mut one = kind.new_instance();
    one.play(kind, kind.find_motion("walk").unwrap(), Wrap::Loop).unwrap();
    one.seek(at_secs);
    one
}

fn crowd(kind: &Archetype, count: usize) -> Vec<Instance> {
    let one = |n: usize| {
        let mut one = walking(kind, n as f64 * 0.137);
        one.set_speed(0.5 + n as f32 * 0.05);
        let rates = [None, Some(30.0), Some(7.0)];
        let between = if n.is_multiple_of(2) { BetweenUpdates::Hold } else { BetweenUpdates::Interpolate };
        one.set_update_rate(UpdateRate { rate_hz: rates[n % 3], between }, n as f32 / count as f32);
        one
    };
    (0..count).map(one).collect()
}

#[test]
fn an_instance_plays_what_sampling_gives() {
    let kind = kind();
    let (mut one, mut scratch) = (walking(&kind, 0.0), InstanceScratch::new(&kind));
    let walk = kind.character().find_clip("walk").unwrap();
    let mut time = 0.0;
    for _ in 0..100 {
        one.update(&kind, 0.03, &mut scratch, |_| {});
        time += f64::from(0.03_f32);
        let mut want = kind.rest().clone();
        sample_clip(walk, (time % f64::from(walk.duration_secs())) as f32, Wrap::Loop, &mut want);
        for (got, want) in one.pose().joints.iter().zip(&want.joints) {
            assert!(got.rotation.dot(want.rotation).abs() > 1.0 - 1e-5);
            assert!(got.translation.distance(want.translation) < 1e-4);
        }
    }
}

#[test]
fn any_cut_of_a_crowd_gives_the_same_bits() {
    let kind = kind();
    let mut whole = crowd(&kind, 40);
    let mut scratch = InstanceScratch::new(&kind);
    for _ in 0..30 {
        update_all(&kind, &mut whole, 1.0 / 50.0, &mut scratch, |_, _| {});
    }
    for each in [1, 7, 39] {
        let mut cut = crowd(&kind, 40);
        for _ in 0..30 {
            std::thread::scope(|scope| {
                for piece in cut.chunks_mut(each) {
                    let kind = &kind;
                    scope.spawn(move || {
                        update_all(kind, piece, 1.0 / 50.0, &mut InstanceScratch::new(kind), |_, _| {});
                    });
                }
            });
        }
        assert_eq!(cut, whole, "{each} in a piece");
    }
}

#[test]
fn a_limited_pace_loses_no_event_and_no_time() {
    let kind = kind();
    let mut scratch = InstanceScratch::new(&kind);
    let footfalls = |pace: UpdateRate, scratch: &mut InstanceScratch| {
        let (mut one, mut count) = (walking(&kind, 0.2), 0);
        one.set_update_rate(pace, 0.0);
        for _ in 0..1200 {
            one.update(&kind, 1.0 / 60.0, scratch, |_| count += 1);
        }
        (count, one)
    };
    let (want, full) = footfalls(UpdateRate::default(), &mut scratch);
    assert!(want > 30);
    for rate in [30.0, 13.0, 60.0] {
        let pace = UpdateRate { rate_hz: Some(rate), between: BetweenUpdates::Hold };
        let (count, slow) = footfalls(pace, &mut scratch);
        assert!(count == want || count + 1 == want, "{rate} Hz: {count} footfalls instead of {want}");
        let time = |one: &Instance| match one.controller() {
            Controller::Clip { playback, .. } => playback.time_secs(),
            _ => f64::NAN,
        };
        let late = time(&full) - time(&slow);
        assert!((-1e-3..1.0 / f64::from(rate) + 1e-3).contains(&late), "{rate} Hz: {late} s late");
    }
}

#[test]
fn held_poses_step_and_interpolated_ones_do_not() {
    let kind = kind();
    let mut scratch = InstanceScratch::new(&kind);
    let changes = |between: BetweenUpdates, scratch: &mut InstanceScratch| {
        let mut one = walking(&kind, 0.0);
        one.set_update_rate(UpdateRate { rate_hz: Some(10.0), between }, 0.0);
        let (mut changes, mut last) = (0, one.pose().clone());
        for _ in 0..60 {
            one.update(&kind, 1.0 / 60.0, scratch, |_| {});
            changes += usize::from(*one.pose() != last);
            last = one.pose().clone();
        }
        changes
    };
    let held = changes(BetweenUpdates::Hold, &mut scratch);
    assert!((9..=11).contains(&held), "{held} changes at 10 Hz");
    assert!(changes(BetweenUpdates::Interpolate, &mut scratch) > 50);
}

#[test]
fn palettes_are_those_of_a_frame() {
    let kind = kind();
    let (mut one, mut scratch) = (walking(&kind, 0.3), InstanceScratch::new(&kind));
    one.update(&kind, 0.0, &mut scratch, |_| {});
    let mut frame = crate::Frame::new(kind.character().clone());
    frame.local_mut().copy_from(one.pose());
    frame.update();
    let mut out = vec![Affine3A::IDENTITY; frame.palettes()[0].matrices().len()];
    one.write_palette(&kind, 0, &mut scratch, &mut out);
    assert_eq!(out, frame.palettes()[0].matrices());
}

#[test]
fn root_motion_moves_the_instance_and_turns_with_it() {
    use crate::{Clip, Curve, Interpolation, MetaChannel, MetaCurve};
    use glam::{Quat, Vec3};
    let figure = sinew_samples::figure();
    let line = Curve::new(vec![0.0, 1.0], vec![Vec3::ZERO, Vec3::Z], Interpolation::Linear).unwrap();
    let travel = MetaChannel { name: "root.translation".into(), curve: MetaCurve::Vector(line) };
    let clip = Clip::new("go", vec![], vec![]).unwrap().with_metas(vec![travel]).unwrap();
    let mut parts = figure.parts().clone();
    parts.clips = vec![std::sync::Arc::new(clip)];
    let kind = Archetype::new(crate::Character::new(parts).unwrap());
    let mut scratch = InstanceScratch::new(&kind);
    for rate_hz in [None, Some(10.0)] {
        let mut one = kind.new_instance();
        one.play(&kind, kind.find_motion("go").unwrap(), Wrap::Loop).unwrap();
        one.place(Transform::from_rotation_translation(
            Quat::from_rotation_y(std::f32::consts::FRAC_PI_2),
            Vec3::Y,
        ));
        one.set_update_rate(UpdateRate { rate_hz, between: BetweenUpdates::Hold }, 0.0);
        for _ in 0..100 {
            one.update(&kind, 0.025, &mut scratch, |_| {});
        }
        let at = one.world_from_model().translation;
        assert!(at.distance(Vec3::new(2.5, 1.0, 0.0)) < 0.11, "{rate_hz:?}: {at}");
    }
}

#[test]
fn an_additive_clip_is_nothing_alone() {
    let figure = sinew_samples::figure();
    let mut parts = figure.parts().clone();
    let wave = crate::Clip::clone(&parts.clips[0]).with_kind(crate::ClipKind::Additive);
    parts.clips = vec![std::sync::Arc::new(wave)];
    let kind = Archetype::new(crate::Character::new(parts).unwrap());
    let mut one = kind.new_instance();
    let name = kind.motions()[0].name().to_owned();
    let error = one.play(&kind, kind.find_motion(&name).unwrap(), Wrap::Loop).unwrap_err();
    assert_eq!(error, InstanceError::AdditiveAlone { clip: name });
}
