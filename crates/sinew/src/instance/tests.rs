mod changes;
mod detail;
mod misuse;
mod montages;
mod rebind;
mod shared;
mod transitions;
mod windows;

use super::*;
use crate::sample::{Wrap, sample_clip};
use crate::sinew_samples;
use glam::Affine3A;

fn figure() -> Archetype {
    Archetype::new(sinew_samples::figure())
}

fn walking(archetype: &Archetype, at_secs: f64) -> Instance {
    let mut one = archetype.new_instance();
    one.play(archetype, archetype.find_motion("walk").unwrap(), Wrap::Loop).unwrap();
    one.seek(at_secs);
    one
}

fn crowd(archetype: &Archetype, count: usize) -> Vec<Instance> {
    let one = |n: usize| {
        let mut one = walking(archetype, n as f64 * 0.137);
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
    let archetype = figure();
    let (mut one, mut scratch) = (walking(&archetype, 0.0), InstanceScratch::new(&archetype));
    let walk = archetype.character().find_clip("walk").unwrap();
    let mut time = 0.0;
    for _ in 0..100 {
        one.update(&archetype, 0.03, &mut scratch, |_| {});
        time += f64::from(0.03_f32);
        let mut want = archetype.rest().clone();
        sample_clip(walk, (time % f64::from(walk.duration_secs())) as f32, Wrap::Loop, &mut want);
        for (got, want) in one.pose().joints.iter().zip(&want.joints) {
            assert!(got.rotation.dot(want.rotation).abs() > 1.0 - 1e-5);
            assert!(got.translation.distance(want.translation) < 1e-4);
        }
    }
}

#[test]
fn any_cut_of_a_crowd_gives_the_same_bits() {
    let archetype = figure();
    let mut whole = crowd(&archetype, 40);
    let mut scratch = InstanceScratch::new(&archetype);
    for _ in 0..30 {
        update_all(&archetype, &mut whole, 1.0 / 50.0, &mut scratch, |_, _| {});
    }
    for each in [1, 7, 39] {
        let mut cut = crowd(&archetype, 40);
        for _ in 0..30 {
            std::thread::scope(|scope| {
                for piece in cut.chunks_mut(each) {
                    let archetype = &archetype;
                    scope.spawn(move || {
                        update_all(
                            archetype,
                            piece,
                            1.0 / 50.0,
                            &mut InstanceScratch::new(archetype),
                            |_, _| {},
                        );
                    });
                }
            });
        }
        assert_eq!(cut, whole, "{each} in a piece");
    }
}

#[test]
fn a_limited_rate_loses_no_event_and_no_time() {
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    let footfalls = |rate: UpdateRate, scratch: &mut InstanceScratch| {
        let (mut one, mut count) = (walking(&archetype, 0.2), 0);
        one.set_update_rate(rate, 0.0);
        for _ in 0..1200 {
            one.update(&archetype, 1.0 / 60.0, scratch, |_| count += 1);
        }
        (count, one)
    };
    let (want, full) = footfalls(UpdateRate::default(), &mut scratch);
    assert!(want > 30);
    for hz in [30.0, 13.0, 60.0] {
        let rate = UpdateRate { rate_hz: Some(hz), between: BetweenUpdates::Hold };
        let (count, slow) = footfalls(rate, &mut scratch);
        assert!(count == want || count + 1 == want, "{hz} Hz: {count} footfalls instead of {want}");
        let time = |one: &Instance| match one.controller() {
            Controller::Clip(player) => player.playback().time_secs(),
            _ => f64::NAN,
        };
        let late = time(&full) - time(&slow);
        assert!((-1e-3..1.0 / f64::from(hz) + 1e-3).contains(&late), "{hz} Hz: {late} s late");
    }
}

#[test]
fn held_poses_step_and_interpolated_ones_do_not() {
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    let changes = |between: BetweenUpdates, scratch: &mut InstanceScratch| {
        let mut one = walking(&archetype, 0.0);
        one.set_update_rate(UpdateRate { rate_hz: Some(10.0), between }, 0.0);
        let (mut changes, mut last, mut now) = (0, one.pose().clone(), one.pose().clone());
        for _ in 0..60 {
            let update = one.update(&archetype, 1.0 / 60.0, scratch, |_| {});
            one.write_pose(&archetype, &mut now);
            assert!(update.pose_changed || now == last, "a change that is not reported");
            changes += usize::from(now != last);
            last.copy_from(&now);
        }
        changes
    };
    let held = changes(BetweenUpdates::Hold, &mut scratch);
    assert!((9..=11).contains(&held), "{held} changes at 10 Hz");
    assert!(changes(BetweenUpdates::Interpolate, &mut scratch) > 50);
}

#[test]
fn palettes_are_those_of_a_frame() {
    let archetype = figure();
    let (mut one, mut scratch) = (walking(&archetype, 0.3), InstanceScratch::new(&archetype));
    one.update(&archetype, 0.0, &mut scratch, |_| {});
    let mut frame = crate::Frame::new(archetype.character().clone());
    frame.local_mut().copy_from(one.pose());
    frame.update();
    let mut out = vec![Affine3A::IDENTITY; frame.palettes()[0].matrices().len()];
    one.write_palette(&archetype, 0, &mut scratch, &mut out);
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
    let archetype = Archetype::new(crate::Character::new(parts).unwrap());
    let mut scratch = InstanceScratch::new(&archetype);
    for rate_hz in [None, Some(10.0)] {
        let mut one = archetype.new_instance();
        one.play(&archetype, archetype.find_motion("go").unwrap(), Wrap::Loop).unwrap();
        one.place(Transform::from_rotation_translation(
            Quat::from_rotation_y(std::f32::consts::FRAC_PI_2),
            Vec3::Y,
        ))
        .unwrap();
        one.set_update_rate(UpdateRate { rate_hz, between: BetweenUpdates::Hold }, 0.0);
        for _ in 0..100 {
            one.update(&archetype, 0.025, &mut scratch, |_| {});
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
    let archetype = Archetype::new(crate::Character::new(parts).unwrap());
    let mut one = archetype.new_instance();
    let name = archetype.motions()[0].name().to_owned();
    let error = one.play(&archetype, archetype.find_motion(&name).unwrap(), Wrap::Loop).unwrap_err();
    assert_eq!(error, InstanceError::AdditiveAlone { clip: name });
}

fn arm() -> Archetype {
    Archetype::new(sinew_samples::arm())
}

#[test]
fn equal_archetypes_share_their_ids_and_others_refuse_them() {
    let (archetype, same, other) = (figure(), figure(), arm());
    let walk = archetype.find_motion("walk").unwrap();
    assert_eq!(same.find_motion("walk"), Some(walk));
    assert!(same.owns(walk) && !other.owns(walk));
    assert_eq!(
        archetype.motion_id(0).map(|id| archetype.motion(id).name()),
        Some(archetype.motions()[0].name())
    );
    assert_eq!(archetype.motion_id(archetype.motions().len()), None);
    // Compact clips are other clips: an id names exactly one of them.
    let compact = Archetype::compact(sinew_samples::figure(), &Default::default()).unwrap();
    assert!(!compact.owns(walk));
}

#[test]
fn a_clip_of_another_archetype_is_refused_even_if_its_index_exists() {
    let (archetype, other) = (figure(), arm());
    let foreign = other.motion_id(0).unwrap();
    let error = archetype.new_instance().play(&archetype, foreign, Wrap::Loop).unwrap_err();
    assert!(
        matches!(&error, InstanceError::ForeignMotion { clips, .. } if *clips == archetype.motions().len())
    );
}

#[test]
#[should_panic(expected = "not of")]
fn looking_up_a_foreign_clip_panics_with_both_archetypes() {
    figure().motion(arm().motion_id(0).unwrap());
}

#[test]
#[should_panic(expected = "was made by archetype")]
fn updating_with_another_archetype_panics_with_both_sides() {
    let (archetype, other) = (figure(), arm());
    archetype.new_instance().update(&other, 0.1, &mut InstanceScratch::new(&other), |_| {});
}

#[test]
fn playing_on_another_archetype_is_an_error_that_names_both_sides() {
    let (archetype, other) = (figure(), arm());
    let error = archetype.new_instance().play(&other, other.motion_id(0).unwrap(), Wrap::Loop).unwrap_err();
    let joints = (archetype.rest().joints.len(), other.rest().joints.len());
    let InstanceError::ForeignArchetype { joints: given, instance_joints, .. } = error else {
        panic!("{error}")
    };
    assert_eq!((instance_joints, given), joints);
}

#[test]
#[should_panic(expected = "skin 9 does not exist")]
fn a_skin_that_does_not_exist_panics_with_its_index() {
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    archetype.new_instance().write_palette(&archetype, 9, &mut scratch, &mut []);
}

#[test]
fn a_speed_that_is_set_before_playing_is_kept() {
    let archetype = figure();
    let (mut instance, mut scratch) = (archetype.new_instance(), InstanceScratch::new(&archetype));
    instance.set_speed(2.0);
    instance.play(&archetype, archetype.find_motion("walk").unwrap(), Wrap::Loop).unwrap();
    instance.update(&archetype, 0.1, &mut scratch, |_| {});
    let player = instance.controller().clip().unwrap();
    assert!((player.playback().time_secs() - 0.2).abs() < 1e-6);
}

#[test]
fn a_placement_without_a_rotation_is_refused_and_changes_nothing() {
    let archetype = figure();
    let mut instance = archetype.new_instance();
    let zero = glam::Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    for bad in [
        Transform::from_rotation(zero),
        Transform::from_rotation(glam::Quat::from_xyzw(0.0, f32::NAN, 0.0, 1.0)),
        Transform::from_translation(glam::Vec3::splat(f32::INFINITY)),
    ] {
        assert!(matches!(instance.place(bad), Err(InstanceError::BadPlacement { .. })));
        assert_eq!(instance.world_from_model(), Transform::IDENTITY);
    }
}

#[test]
fn an_endless_step_reports_its_events_up_to_the_cap_and_says_so() {
    let archetype = figure();
    let (mut instance, mut scratch) = (walking(&archetype, 0.0), InstanceScratch::new(&archetype));
    let mut count = 0;
    instance.update(&archetype, 1e6, &mut scratch, |_| count += 1);
    assert!(count == crate::sample::MAX_EVENTS_PER_STEP && instance.events_are_truncated());
    instance.update(&archetype, 0.1, &mut scratch, |_| {});
    assert!(!instance.events_are_truncated());
}
