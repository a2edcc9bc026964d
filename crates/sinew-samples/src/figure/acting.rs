//! Standing clips: idle, wave, range of motion.

use super::leg::{FootGoal, reach};
use super::pose::{FigurePose, FigureSide, degrees, record};
use super::profile::smoothstep;
use super::skeleton::{
    CLAVICLE, FINGERS, FOOT, FOREARM, FigureBones, HAND, HEAD, HIPS, NECK, SHIN, SPINE_LOWER, SPINE_MIDDLE,
    SPINE_UPPER, THIGH, UPPER_ARM,
};
use glam::{Quat, Vec3};
use sinew::Clip;
use std::f32::consts::TAU;

/// Lets the arms hang from their A-pose.
pub(super) fn hang_arms(pose: &mut FigurePose) {
    for side in FigureSide::BOTH {
        pose.set_side(side, CLAVICLE, degrees(0.0, 0.0, -2.0));
        pose.set_side(side, UPPER_ARM, degrees(0.0, 0.0, -39.0));
    }
}

/// Curls every finger by about `curl` degrees a joint, the little finger most.
pub(super) fn relax_hands(pose: &mut FigurePose, bones: &FigureBones, curl: f32) {
    for side in FigureSide::BOTH {
        for finger in 1..5 {
            let more = curl * (0.75 + 0.12 * finger as f32);
            curl_finger(pose, bones, side, finger, [more * 0.8, more, more * 0.7]);
        }
        curl_finger(pose, bones, side, 0, [curl * 0.25, curl * 0.5, curl * 0.6]);
    }
}

/// Curls one finger's joints by degrees.
fn curl_finger(pose: &mut FigurePose, bones: &FigureBones, side: FigureSide, finger: usize, curl: [f32; 3]) {
    for (k, angle) in curl.into_iter().enumerate() {
        let joint = FINGERS + finger * 3 + k;
        pose.set_side(side, joint, bones.bend(joint, angle));
    }
}

/// Keeps the feet flat on the ground and slightly apart, whatever the position of the hips.
fn stand(pose: &mut FigurePose, bones: &FigureBones) {
    for side in FigureSide::BOTH {
        let ankle = bones.position(side.joint(FOOT));
        let toe_out = Quat::from_rotation_y((side.sign() * 6.0_f32).to_radians());
        let knee_to = Vec3::new(side.sign() * 0.12, 0.0, 1.0);
        reach(pose, bones, side, &FootGoal { ankle, foot: toe_out, toe: toe_out, knee_to });
    }
}

/// The idle pose at `time_secs` of a loop of four seconds: breathing, and weight shifting from foot to foot.
fn at_ease(bones: &FigureBones, time_secs: f32) -> FigurePose {
    let mut pose = FigurePose::rest();
    let slow = (TAU * time_secs / 4.0).sin();
    let breath = 0.5 - 0.5 * (TAU * time_secs / 2.0).cos();
    pose.hips = Vec3::new(0.014 * slow, -0.012 - 0.003 * slow * slow, 0.004 * (TAU * time_secs / 4.0).cos());
    pose.set(HIPS, degrees(0.0, 1.5 * slow, 1.2 * slow));
    pose.set(SPINE_LOWER, degrees(0.5, -0.6 * slow, -0.9 * slow));
    pose.set(SPINE_MIDDLE, degrees(1.0 - 1.2 * breath, -0.6 * slow, -0.8 * slow));
    pose.set(SPINE_UPPER, degrees(-1.0 - 1.0 * breath, -0.5 * slow, -0.5 * slow));
    pose.set(NECK, degrees(1.0 + 1.2 * breath, 1.0 * slow, 0.5 * slow));
    pose.set(HEAD, degrees(0.6 * breath, 2.0 * (TAU * time_secs / 4.0 + 0.9).sin(), 0.6 * slow));
    hang_arms(&mut pose);
    relax_hands(&mut pose, bones, 19.0 + 2.0 * breath);
    for side in FigureSide::BOTH {
        pose.add_side(side, CLAVICLE, degrees(0.0, 0.0, 1.6 * breath));
        pose.add_side(side, UPPER_ARM, degrees(2.0, 0.0, 3.0 + 0.8 * breath));
        pose.add_side(side, FOREARM, bones.bend(FOREARM, 13.0 + 1.5 * breath));
    }
    stand(&mut pose, bones);
    pose
}

/// The idle clip: breathing and a shift of weight, four seconds, looping.
pub(super) fn idle(bones: &FigureBones) -> Clip {
    record("idle", bones, 4.0, 120, Vec::new(), |t| at_ease(bones, t))
}

/// Raises the right arm, waves and lowers it, two and a half seconds.
pub(super) fn wave(bones: &FigureBones) -> Clip {
    record("wave", bones, 2.5, 150, Vec::new(), |t| {
        let mut pose = at_ease(bones, 0.0);
        let up = smoothstep(0.0, 0.55, t) * smoothstep(2.5, 1.95, t);
        let late = smoothstep(0.12, 0.65, t) * smoothstep(2.42, 1.9, t);
        let beat = (TAU * (t - 0.5) / 0.5).sin() * smoothstep(0.45, 0.7, t) * smoothstep(2.1, 1.8, t);
        let follow = (TAU * (t - 0.57) / 0.5).sin() * smoothstep(0.5, 0.75, t) * smoothstep(2.1, 1.8, t);
        let side = FigureSide::Right;
        let mix = |pose: &mut FigurePose, joint: usize, turn: Quat, amount: f32| {
            let joint = side.joint(joint);
            let [x, y, z, w] = turn.to_array();
            let target = Quat::from_xyzw(x, -y, -z, w);
            pose.set(joint, pose.turn(joint).slerp(target, amount));
        };
        mix(&mut pose, CLAVICLE, degrees(0.0, 0.0, 12.0), up);
        // The upper arm rotates outwards, so that bending the elbow lifts the forearm with the palm to the front.
        mix(&mut pose, UPPER_ARM, degrees(0.0, -16.0, 30.0) * bones.twist(UPPER_ARM, -68.0), up);
        let raised = bones.bend(FOREARM, 96.0 + 17.0 * beat) * bones.twist(FOREARM, -16.0);
        mix(&mut pose, FOREARM, raised, late);
        mix(&mut pose, HAND, bones.bend(HAND, 4.0 + 13.0 * follow), late);
        for joint in FINGERS..THIGH {
            mix(&mut pose, joint, Quat::IDENTITY, late);
        }
        pose.add(SPINE_UPPER, degrees(0.0, -3.0 * up, 2.5 * up));
        pose.add(SPINE_MIDDLE, degrees(0.0, -2.0 * up, 2.0 * up));
        pose.add(HEAD, degrees(-2.0 * up, 3.0 * up, -6.0 * up));
        pose.hips.x += 0.012 * up;
        stand(&mut pose, bones);
        pose
    })
}

/// Takes every large joint through its range, nine seconds.
pub(super) fn range_of_motion(bones: &FigureBones) -> Clip {
    record("range_of_motion", bones, 9.0, 270, Vec::new(), |t| {
        let mut pose = FigurePose::rest();
        // Each movement fades in and out within its own interval.
        let during = |from: f32, to: f32| {
            let quarter = (to - from) * 0.42;
            smoothstep(from, from + quarter, t) * smoothstep(to, to - quarter, t)
        };
        let swing = |from: f32, to: f32| during(from, to) * (TAU * (t - from) / (to - from)).sin();
        arms_through_range(&mut pose, bones, &during, &swing);
        trunk_through_range(&mut pose, &during, &swing);
        for side in FigureSide::BOTH {
            let start = if side == FigureSide::Left { 4.2 } else { 5.6 };
            let lift = during(start, start + 1.5);
            pose.set_side(side, THIGH, degrees(-92.0 * lift, 0.0, 6.0 * lift));
            pose.set_side(side, SHIN, degrees(118.0 * lift, 0.0, 0.0));
            pose.set_side(side, FOOT, degrees(22.0 * lift, 0.0, 0.0));
        }
        pose
    })
}

fn arms_through_range(
    pose: &mut FigurePose,
    bones: &FigureBones,
    during: &impl Fn(f32, f32) -> f32,
    swing: &impl Fn(f32, f32) -> f32,
) {
    for side in FigureSide::BOTH {
        let raise = during(2.6, 4.2);
        let forward = during(7.4, 9.0);
        pose.set_side(side, CLAVICLE, degrees(0.0, 0.0, 22.0 * raise));
        pose.set_side(side, UPPER_ARM, degrees(0.0, -70.0 * forward, 88.0 * raise + 38.0 * forward));
        let bend = 130.0 * during(0.1, 1.5) + 20.0 * raise;
        let twist = bones.twist(FOREARM, 85.0 * swing(1.4, 2.8));
        pose.set_side(side, FOREARM, bones.bend(FOREARM, bend) * twist);
        let nod = 45.0 * swing(7.4, 9.0);
        pose.set_side(
            side,
            HAND,
            Quat::from_axis_angle(bones.rest(HAND).rotation * Vec3::Z, nod.to_radians()),
        );
        let fist = during(0.3, 1.7).max(during(7.5, 8.9));
        for finger in 1..5 {
            curl_finger(pose, bones, side, finger, [82.0 * fist, 92.0 * fist, 62.0 * fist]);
        }
        curl_finger(pose, bones, side, 0, [22.0 * fist, 32.0 * fist, 45.0 * fist]);
    }
}

fn trunk_through_range(
    pose: &mut FigurePose,
    during: &impl Fn(f32, f32) -> f32,
    swing: &impl Fn(f32, f32) -> f32,
) {
    let bend = 18.0 * swing(2.8, 4.4) * 0.4 + 16.0 * during(5.9, 7.1) * 0.6;
    let twist = 14.0 * swing(4.3, 7.2);
    let sideways = 12.0 * swing(6.2, 8.4);
    for joint in [SPINE_LOWER, SPINE_MIDDLE, SPINE_UPPER] {
        pose.set(joint, degrees(bend, twist, sideways));
    }
    let turn = swing(0.2, 2.6);
    let nod = swing(2.4, 4.6);
    pose.set(NECK, degrees(12.0 * nod, 28.0 * turn, 0.0));
    pose.set(HEAD, degrees(16.0 * nod, 34.0 * turn, 8.0 * swing(4.4, 6.4)));
}
