//! Every way to misuse an instance ends in a typed error, in a panic that names what was given, or in a defined result.
//! What the type system rules out is not here: an update cannot be finished twice or without a sample, since
//! [`SampledInstance::finish`] consumes it, and an instance cannot be used while it is sampled.

use super::*;
use crate::{
    Clip,
    blend::{
        Easing, Mask, RecentMotion,
        graph::{GraphDef, ParameterDef},
    },
    glam::Quat,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The text of the panic that `misuse` ends in.
fn panic_text(misuse: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(misuse)).expect_err("the misuse was accepted");
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => (*other.downcast::<&str>().expect("a panic has a text")).to_owned(),
    }
}

/// A graph that loops the first clip and has a parameter.
fn graph_of(archetype: &mut Archetype) -> GraphId {
    let clip = Clip::clone(&archetype.character().clips()[0]);
    let mut def = GraphDef::blend_of_clips([(&clip, 1.0)]);
    def.parameters.push(("speed".into(), ParameterDef::Float(1.0)));
    archetype.add_graph(&def).unwrap()
}

type Try = fn(&mut Instance, &Archetype, &Archetype) -> InstanceError;

#[test]
fn numbers_ids_and_sizes_that_do_not_fit_are_typed_errors() {
    let transitions: [PlayTransition; 4] = [
        PlayTransition::crossfade(-1.0),
        PlayTransition::crossfade(f32::NAN),
        PlayTransition::inertial(f32::INFINITY),
        PlayTransition::Crossfade { secs: f32::NEG_INFINITY, easing: Easing::Smooth },
    ];
    let table: [(&str, &str, Try); 8] = [
        ("a clip of another archetype", "is not one of the", |one, own, other| {
            one.play(own, other.motion_id(0).unwrap(), Wrap::Loop).unwrap_err()
        }),
        ("an instance of another archetype", "by another archetype than", |one, _, other| {
            one.play(other, other.motion_id(0).unwrap(), Wrap::Loop).unwrap_err()
        }),
        ("a montage on an instance of another archetype", "by another archetype than", |one, _, other| {
            one.play_montage(other, 0, &Montage::new(other.motion_id(0).unwrap())).unwrap_err()
        }),
        ("a montage in a missing slot", "slot 8 does not exist", |one, own, _| {
            one.play_montage(own, MAX_MONTAGE_SLOTS, &Montage::new(own.motion_id(0).unwrap())).unwrap_err()
        }),
        ("the mask of another skeleton", "the mask has 3 joints", |one, own, _| {
            let montage = Montage::new(own.motion_id(0).unwrap()).masked(Mask::all(3));
            one.play_montage(own, 0, &montage).unwrap_err()
        }),
        ("a placement that is not finite", "must be finite", |one, _, _| {
            one.place(Transform::from_translation(glam::Vec3::splat(f32::NAN))).unwrap_err()
        }),
        ("a ragdoll of another size", "the pose has 0 joints", |one, _, _| {
            let none = LocalPose::default();
            one.inertialize_from(RecentMotion { now: &none, before: &none, step_secs: 0.1 }, 0.2).unwrap_err()
        }),
        ("a hand-back of negative length", "must be finite and not negative, got -1", |one, own, _| {
            let rest = own.rest();
            one.inertialize_from(RecentMotion { now: rest, before: rest, step_secs: 0.1 }, -1.0).unwrap_err()
        }),
    ];
    let (own, other) = (figure(), arm());
    let mut one = own.new_instance();
    for (what, text, misuse) in table {
        let before = one.clone();
        let error = misuse(&mut one, &own, &other).to_string();
        assert!(error.contains(text), "{what}: {error}");
        assert_eq!(one, before, "{what} changed the instance");
    }
    for transition in transitions {
        let options = PlayOptions { transition, ..PlayOptions::LOOP };
        let error = one.play_with(&own, own.motion_id(0).unwrap(), options).unwrap_err();
        assert!(matches!(error, InstanceError::BadNumber { .. }), "{transition:?}: {error}");
        assert!(!one.is_in_transition());
    }
}

#[test]
fn foreign_things_without_a_result_panic_with_both_sides() {
    let (mut own, mut other) = (figure(), arm());
    let foreign_detail = other.add_detail(&Mask::all(other.rest().joints.len()));
    let (graph, foreign_graph) = (graph_of(&mut own), graph_of(&mut other));
    let foreign_parameter = other.graph(foreign_graph).find_parameter("speed").unwrap();
    let mut scratch = InstanceScratch::new(&own);
    let mut one = own.new_instance();
    one.play_graph(&own, graph);
    let foreign_instance = other.new_instance();
    let table: Vec<(&str, &str, String)> = vec![
        (
            "an update",
            "was made by archetype",
            panic_text(|| {
                one.update(&other, 0.1, &mut scratch, |_| {});
            }),
        ),
        (
            "a graph",
            "is not one of the 1 graphs of archetype",
            panic_text(|| one.play_graph(&own, foreign_graph)),
        ),
        (
            "a graph with a transition",
            "is not one of the 1 graphs",
            panic_text(|| {
                let _ = one.play_graph_with(&own, foreign_graph, PlayTransition::Cut);
            }),
        ),
        (
            "a graph parameter",
            "is of graph",
            panic_text(|| {
                one.graph_state_mut().unwrap().set(foreign_parameter, 1.0);
            }),
        ),
        (
            "a level of detail",
            "is not one of the 0 levels",
            panic_text(|| {
                one.set_detail(&own, Some(foreign_detail));
            }),
        ),
        (
            "a meta-channel",
            "was made by archetype",
            panic_text(|| {
                let _ = foreign_instance.meta(&own, "root.translation");
            }),
        ),
        (
            "windows",
            "was made by archetype",
            panic_text(|| {
                let _ = foreign_instance.open_windows(&own).count();
            }),
        ),
        (
            "a pose",
            "was made by archetype",
            panic_text(|| {
                foreign_instance.write_pose(&own, &mut LocalPose::default());
            }),
        ),
        (
            "a posed instance",
            "was made by archetype",
            panic_text(|| {
                let _ = foreign_instance.posed(&own, &mut scratch);
            }),
        ),
        (
            "a missing skin",
            "skin 9 does not exist",
            panic_text(|| {
                own.new_instance().write_palette(&own, 9, &mut scratch, &mut []);
            }),
        ),
        (
            "a palette of another size",
            "the palette has 1 matrices",
            panic_text(|| {
                own.new_instance().write_palette(&own, 0, &mut scratch, &mut [Affine3A::IDENTITY]);
            }),
        ),
        (
            "a clip",
            "not of",
            panic_text(|| {
                let _ = own.motion(other.motion_id(0).unwrap());
            }),
        ),
        (
            "a pose that lost its joints",
            "0 joints",
            panic_text(|| {
                let mut broken = own.new_instance();
                let mut sampled = broken.sample(&own, 0.1, &mut scratch, |_| {});
                sampled.pose_mut().joints.clear();
                sampled.finish();
                let _ = broken.posed(&own, &mut scratch);
            }),
        ),
    ];
    for (what, text, got) in table {
        assert!(got.contains(text), "{what}: {got}");
    }
}

/// All numbers of a pose are finite and all rotations are unit quaternions.
fn assert_sound(one: &Instance, what: &str) {
    let is_sound = |joint: &Transform| joint.is_finite() && (joint.rotation.length() - 1.0).abs() < 1e-3;
    assert!(one.pose().joints.iter().all(is_sound), "{what} breaks the pose");
    assert!(one.world_from_model().is_finite(), "{what} breaks the placement");
}

const BAD: [f32; 5] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1.0, 0.0];

#[test]
fn times_and_speeds_out_of_range_do_nothing() {
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    let time = |one: &Instance| one.controller().clip().unwrap().playback().time_secs();
    for bad in BAD {
        let mut one = walking(&archetype, 0.5);
        one.update(&archetype, bad, &mut scratch, |_| {});
        assert_eq!(time(&one), 0.5, "a step of {bad} s moves the clip");
        one.set_speed(bad);
        one.update(&archetype, 0.1, &mut scratch, |_| {});
        let want = if bad == -1.0 { 0.5 - f64::from(0.1_f32) } else { 0.5 };
        assert!((time(&one) - want).abs() < 1e-6, "a speed of {bad} moves the clip to {}", time(&one));
        one.seek(f64::from(bad));
        one.update(&archetype, 0.0, &mut scratch, |_| {});
        assert_sound(&one, "a seek");
        let start = PlayOptions::LOOP.from_secs(f64::from(bad));
        one.play_with(&archetype, archetype.find_motion("run").unwrap(), start).unwrap();
        one.update(&archetype, 0.1, &mut scratch, |_| {});
        assert_sound(&one, "a start time");
        one.stop_montage(99, bad);
        assert_eq!(one.montage_weight(99), 0.0);
    }
}

#[test]
fn rates_phases_and_root_motion_out_of_range_leave_the_instance_sound() {
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    for bad in BAD {
        let mut one = walking(&archetype, 0.5);
        one.set_update_rate(UpdateRate::interpolated(bad), bad);
        one.set_update_rate(UpdateRate::held(30.0), bad);
        for _ in 0..5 {
            let mut sampled = one.sample(&archetype, 0.02, &mut scratch, |_| {});
            let turn = Quat::from_xyzw(bad, 0.0, 0.0, 1.0);
            sampled.set_root_motion(Transform::from_rotation(turn.normalize()));
            sampled.finish();
        }
        assert_sound(&one, "a rate");
        let _ = LodLevels::usual().update_rate_at(bad, one.update_rate());
    }
}

#[test]
fn a_sample_that_is_not_finished_leaves_the_placement_and_the_next_update_goes_on() {
    let archetype = figure();
    let mut scratch = InstanceScratch::new(&archetype);
    let mut one = walking(&archetype, 0.0);
    let before = one.latest_update();
    drop(one.sample(&archetype, 0.1, &mut scratch, |_| {}));
    assert_eq!((one.latest_update(), one.world_from_model()), (before, Transform::IDENTITY));
    one.update(&archetype, 0.1, &mut scratch, |_| {});
    let time = one.controller().clip().unwrap().playback().time_secs();
    assert!((time - f64::from(0.1_f32) * 2.0).abs() < 1e-6, "{time}");
}

#[test]
fn a_scratch_of_another_archetype_or_of_none_gives_the_same_bits() {
    let archetype = figure();
    let play = |scratch: &mut InstanceScratch| {
        let mut one = walking(&archetype, 0.2);
        let (run, wave) = (archetype.find_motion("run").unwrap(), archetype.find_motion("wave").unwrap());
        one.play_with(&archetype, run, PlayOptions::LOOP.crossfade(0.3)).unwrap();
        one.play_montage(&archetype, 0, &Montage::new(wave)).unwrap();
        (0..5).for_each(|_| {
            one.update(&archetype, 0.05, scratch, |_| {});
        });
        let model = one.posed(&archetype, scratch).model().clone();
        (one, model)
    };
    let want = play(&mut InstanceScratch::new(&archetype));
    assert_eq!(play(&mut InstanceScratch::default()), want);
    assert_eq!(play(&mut InstanceScratch::new(&arm())), want);
}

#[test]
#[cfg(feature = "rayon")]
fn threads_without_a_scratch_panic_with_the_number_of_instances() {
    let archetype = figure();
    let mut crowd = crowd(&archetype, 3);
    let text = panic_text(|| update_all_parallel(&archetype, &mut crowd, 0.1, &mut [], |_, _| {}));
    assert!(text.contains("updating 3 instances needs at least one scratch"), "{text}");
}
