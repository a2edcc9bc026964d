//! Frame rates, pauses, resets, teleports and scale.

use crate::rig::Rig;
use sinew::{
    Transform,
    constrain::{SpringOptions, SpringState, SpringStep},
    glam::{Quat, Vec3},
};

const RIGS: [&str; 5] = [
    include_str!("hair.json"),
    include_str!("skirt.json"),
    include_str!("colliders.json"),
    include_str!("center.json"),
    include_str!("scaled.json"),
];

/// The ends of the bones after every sixth of a second, over ten seconds.
fn tails_at(rig: &Rig, hertz: u32) -> Vec<Vec<Vec3>> {
    let mut state = rig.springs.new_state();
    rig.step(&mut state, 0.0, 0.0);
    let mut out = Vec::new();
    for frame in 1..=hertz * 10 {
        let pose = rig.step(&mut state, f64::from(frame) / f64::from(hertz), 1.0 / hertz as f32);
        if frame % (hertz / 6) == 0 {
            out.push(rig.tails(&pose));
        }
    }
    out
}

/// The largest and the mean distance between two motions, relative to the length of the chain.
fn apart(rig: &Rig, a: &[Vec<Vec3>], b: &[Vec<Vec3>]) -> [f32; 2] {
    assert_eq!((a.len(), b.len()), (60, 60));
    let each: Vec<f32> =
        a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| a.distance(*b) / rig.length()).collect();
    [each.iter().copied().fold(0.0, f32::max), each.iter().sum::<f32>() / each.len() as f32]
}

#[test]
fn the_motion_is_the_same_at_30_60_and_144_hz() {
    for (at, text) in RIGS.into_iter().enumerate() {
        let rig = Rig::read(text);
        let reference = tails_at(&rig, 60);
        for hertz in [30, 120, 144] {
            let [worst, mean] = apart(&rig, &tails_at(&rig, hertz), &reference);
            println!("rig {at} at {hertz} Hz: {worst:.1e}, mean {mean:.1e}");
            // Between the frames of 30 Hz the pose is interpolated: the body itself moves a little differently.
            let max = if hertz == 30 { 0.02 } else { 0.001 };
            assert!(worst < max && mean < 0.1 * max, "rig {at} at {hertz} Hz: {worst}, mean {mean}");
        }
    }
}

#[test]
fn at_60_hz_a_fixed_step_is_the_step_of_each_call() {
    for text in RIGS {
        let rig = Rig::read(text);
        let same_radii = SpringOptions { scales_radii: false, ..SpringOptions::default() };
        let [mut fixed, mut each] =
            [same_radii, SpringOptions::THREE_VRM].map(|o| rig.springs.new_state().with_options(o));
        for frame in 0..300 {
            let (secs, dt) = (f64::from(frame) * rig.json.dt, rig.json.dt as f32);
            let [a, b] = [&mut fixed, &mut each].map(|state| rig.tails(&rig.step(state, secs, dt)));
            let off = a.iter().zip(&b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            assert!(off < 1e-6, "{off} at {frame}");
        }
    }
}

#[test]
fn uneven_frames_give_the_same_motion_and_equal_input_equal_bits() {
    let rig = Rig::read(RIGS[0]);
    let run = || {
        let mut state = rig.springs.new_state();
        rig.step(&mut state, 0.0, 0.0);
        let (mut secs, mut frame) = (0.0_f64, 0_u32);
        let mut tails = Vec::new();
        while secs < 3.0 {
            frame += 1;
            let dt = f64::from(((frame * 7919) % 13) as f32 * 0.002 + 0.001).min(3.0 - secs).max(1e-4);
            secs += dt;
            tails = rig.tails(&rig.step(&mut state, secs, dt as f32));
        }
        (tails, state)
    };
    let (uneven, state) = run();
    assert_eq!((&uneven, &state), (&run().0, &run().1));
    let reference = &tails_at(&rig, 60)[17];
    let off = uneven.iter().zip(reference).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(off < 0.02 * rig.length(), "{off}");
}

#[test]
fn a_pause_is_cut_short_and_a_reset_starts_at_rest() {
    let rig = Rig::read(RIGS[0]);
    let mut state = rig.springs.new_state();
    for frame in 0..30 {
        rig.step(&mut state, f64::from(frame) / 60.0, 1.0 / 60.0);
    }
    let rest = rig.tails(&rig.pose_at(0.5));
    let swung = rig.tails(&rig.step(&mut state, 0.5, 1e9));
    assert!(swung.iter().all(|tail| tail.is_finite()));
    state.reset();
    assert_eq!(rig.tails(&rig.step(&mut state, 0.5, 0.0)), rest);
    for time in [f32::NAN, f32::INFINITY, -1.0] {
        assert_eq!(rig.tails(&rig.step(&mut state, 0.5, time)), rest);
    }
}

#[test]
fn a_teleport_keeps_the_shape_and_a_jump_without_one_does_not() {
    for text in RIGS {
        let rig = Rig::read(text);
        let far = Transform {
            translation: Vec3::new(40.0, 0.0, -25.0),
            rotation: Quat::from_rotation_y(1.0),
            scale: Vec3::ONE,
        };
        let step = |world_from_model| SpringStep { dt_secs: 1.0 / 60.0, world_from_model };
        let swung = || -> SpringState {
            let mut state = rig.springs.new_state();
            (0..40).for_each(|frame| drop(rig.step(&mut state, f64::from(frame) / 60.0, 1.0 / 60.0)));
            state
        };
        let (mut stays, mut carried, mut jumps) = (swung(), swung(), swung());
        carried.teleport(&rig.springs, &far);
        let want = rig.tails(&rig.step(&mut stays, 40.0 / 60.0, step(Transform::IDENTITY)));
        let off = |tails: &[Vec3]| tails.iter().zip(&want).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        // Gravity keeps its direction in the world, so that a turned character feels it a little differently.
        let got = rig.tails(&rig.step(&mut carried, 40.0 / 60.0, step(far)));
        assert!(off(&got) < 0.02 * rig.length(), "{}", off(&got));
        let got = rig.tails(&rig.step(&mut jumps, 40.0 / 60.0, step(far)));
        assert!(off(&got) > 0.1 * rig.length(), "{}", off(&got));
    }
}

#[test]
fn the_placement_moves_springs_like_the_root_of_the_pose() {
    let rig = Rig::read(RIGS[0]);
    let (mut placed, mut posed) = (rig.springs.new_state(), rig.springs.new_state());
    for frame in 0..200 {
        let secs = f64::from(frame) / 90.0;
        let pose = rig.pose_at(secs);
        let rest = rig.skeleton.rest(sinew::JointId(0));
        let root = pose.joints[0];
        // The root stays at rest, and the world moves the model to where the root would be.
        let turn = root.rotation * rest.rotation.conjugate();
        let place = Transform::from_rotation_translation(turn, root.translation - turn * rest.translation);
        let mut model = sinew::ModelPose::new(&rig.skeleton);
        let mut still = rig.skeleton.rest_pose();
        model.update(&rig.skeleton, &still);
        let step = SpringStep { dt_secs: 1.0 / 90.0, world_from_model: place };
        rig.springs.step(step, &model, &mut placed, &mut still);
        let moving = rig.step(&mut posed, secs, 1.0 / 90.0);
        let off = still.joints[1..]
            .iter()
            .zip(&moving.joints[1..])
            .map(|(a, b)| (a.rotation - b.rotation).length());
        assert!(off.fold(0.0, f32::max) < 1e-4);
    }
}

#[test]
fn radii_grow_with_the_character_unless_asked_not_to() {
    let rig = Rig::read(RIGS[2]);
    let size = 4.0;
    let rest_of = |options: SpringOptions, scale: f32| {
        let mut state = rig.springs.new_state().with_options(options);
        let place = Transform { scale: Vec3::splat(scale), ..Transform::IDENTITY };
        let mut pose = rig.skeleton.rest_pose();
        for _ in 0..2 {
            pose = rig.step(&mut state, 0.0, SpringStep { dt_secs: 1e-3, world_from_model: place });
        }
        rig.tails(&pose)
    };
    let each_call = SpringOptions { scales_radii: true, ..SpringOptions::THREE_VRM };
    let off = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    let small = rest_of(each_call, 1.0);
    assert!(off(&small, &rest_of(each_call, size)) < 1e-3, "colliders push alike at every size");
    assert!(off(&small, &rest_of(SpringOptions::THREE_VRM, size)) > 5e-3);
}
