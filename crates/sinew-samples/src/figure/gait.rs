//! Walking and running: feet that plant and roll, and a body that answers them.
//!
//! A foot's cycle begins when it lands. During stance its heel, then its sole, then its ball stay in place on the ground
//! while the root moves at constant speed. The swing joins both ends of the stance without a jump in position or velocity.

use super::acting::{hang_arms, relax_hands};
use super::leg::{FootGoal, reach};
use super::pose::{FigurePose, FigureSide, degrees, record};
use super::profile::smoothstep;
use super::skeleton::{
    CLAVICLE, FOOT, FOREARM, FigureBones, HAND, HEAD, HIPS, NECK, SPINE_LOWER, SPINE_MIDDLE, SPINE_UPPER,
    TOE, UPPER_ARM,
};
use glam::{Quat, Vec3};
use sinew::{Clip, ClipEvent};
use std::f32::consts::TAU;

/// The parameters of a gait. Angles are in degrees, distances in meters, phases from 0 to 1 within a cycle.
pub(super) struct Gait {
    name: &'static str,
    period_secs: f32,
    speed: f32,
    /// The phase at which the foot leaves the ground.
    toe_off: f32,
    /// The phase from which the sole lies flat.
    sole_flat: f32,
    /// The phase at which the heel begins to rise.
    heel_off: f32,
    /// The distance ahead of the root at which the heel lands.
    landing: f32,
    /// The pitch of the toe when landing, and of the heel when leaving.
    landing_pitch: f32,
    leaving_pitch: f32,
    /// The swing: lift, extra pitch and extra backward kick at its middle.
    swing_lift: f32,
    swing_pitch: f32,
    swing_back: f32,
    /// The distance of the feet from the middle plane.
    track: f32,
    body: GaitBody,
}

/// How hips, trunk and arms move.
struct GaitBody {
    /// The hips' mean height below rest and how far they rise and fall, with the phase of the highest point.
    drop: f32,
    bob: f32,
    bob_phase: f32,
    sway: f32,
    lean: f32,
    pelvis_yaw: f32,
    pelvis_roll: f32,
    chest_yaw: f32,
    arm_swing: f32,
    arm_center: f32,
    /// The angle of the arms away from the sides.
    arm_out: f32,
    elbow: f32,
    elbow_swing: f32,
}

pub(super) const WALK: Gait = Gait {
    name: "walk",
    period_secs: 1.066_666_7,
    speed: 1.32,
    toe_off: 0.62,
    sole_flat: 0.10,
    heel_off: 0.34,
    landing: 0.285,
    landing_pitch: 20.0,
    leaving_pitch: 56.0,
    swing_lift: 0.035,
    swing_pitch: 6.0,
    swing_back: 0.0,
    track: 0.070,
    body: GaitBody {
        drop: 0.034,
        bob: 0.018,
        bob_phase: 0.31,
        sway: 0.022,
        lean: 2.5,
        pelvis_yaw: 6.0,
        pelvis_roll: 3.0,
        chest_yaw: 6.5,
        arm_swing: 23.0,
        arm_center: -2.0,
        arm_out: 6.0,
        elbow: 16.0,
        elbow_swing: 12.0,
    },
};

pub(super) const RUN: Gait = Gait {
    name: "run",
    period_secs: 0.7,
    speed: 3.5,
    toe_off: 0.34,
    sole_flat: 0.05,
    heel_off: 0.14,
    landing: 0.235,
    landing_pitch: 8.0,
    leaving_pitch: 58.0,
    swing_lift: 0.26,
    swing_pitch: 38.0,
    swing_back: 0.05,
    track: 0.052,
    body: GaitBody {
        drop: 0.074,
        bob: 0.032,
        bob_phase: 0.42,
        sway: 0.012,
        lean: 9.0,
        pelvis_yaw: 9.0,
        pelvis_roll: 3.5,
        chest_yaw: 13.0,
        arm_swing: 40.0,
        arm_center: -12.0,
        arm_out: 9.0,
        elbow: 88.0,
        elbow_swing: 14.0,
    },
};

/// The angle by which the toes point outwards, in degrees.
const TOE_OUT: f32 = 5.0;

/// The position of the left ankle relative to the root, and the pitch of foot and toe in degrees.
#[derive(Clone, Copy)]
struct GaitStep {
    ankle: Vec3,
    foot_pitch: f32,
    toe_pitch: f32,
}

impl Gait {
    /// The clip of one cycle; the left foot lands at its start, the right half-way.
    pub(super) fn clip(&self, bones: &FigureBones) -> Clip {
        let event = |time_secs: f32, name: &str| ClipEvent { time_secs, name: name.into(), payload: None };
        let events = vec![event(0.0, "footfall.left"), event(self.period_secs * 0.5, "footfall.right")];
        // An even number of steps puts a key on either landing.
        let steps = ((self.period_secs * 30.0).round() as usize) * 2;
        record(self.name, bones, self.period_secs, steps, events, |t| self.pose(bones, t / self.period_secs))
    }

    /// The phases at which a foot's sole is down, its heel rises and its toe leaves.
    #[cfg(test)]
    pub(super) fn stance(&self) -> (f32, f32, f32) {
        (self.sole_flat, self.heel_off, self.toe_off)
    }

    /// The pose at `phase` of the cycle.
    fn pose(&self, bones: &FigureBones, phase: f32) -> FigurePose {
        let mut pose = FigurePose::rest();
        self.pose_body(&mut pose, bones, phase);
        for side in FigureSide::BOTH {
            let own_phase = if side == FigureSide::Left { phase } else { phase + 0.5 };
            let goal = self.goal(bones, side, own_phase.rem_euclid(1.0));
            reach(&mut pose, bones, side, &goal);
        }
        pose.root = Vec3::new(0.0, 0.0, self.speed * self.period_secs * phase);
        // The legs were posed in place; the root carries them along.
        pose
    }

    fn goal(&self, bones: &FigureBones, side: FigureSide, phase: f32) -> FootGoal {
        let step = if phase < self.toe_off { self.stand(bones, phase) } else { self.swing(bones, phase) };
        let toe_out = Quat::from_rotation_y((side.sign() * TOE_OUT).to_radians());
        let pitch = |degrees_up: f32| toe_out * Quat::from_rotation_x(-degrees_up.to_radians());
        FootGoal {
            ankle: step.ankle * Vec3::new(side.sign(), 1.0, 1.0),
            foot: pitch(step.foot_pitch),
            toe: pitch(step.toe_pitch),
            knee_to: Vec3::new(side.sign() * 0.09, 0.0, 1.0),
        }
    }

    /// The foot in stance: it rolls over the heel, lies flat, and rolls over the ball.
    fn stand(&self, bones: &FigureBones, phase: f32) -> GaitStep {
        let ankle = bones.position(FOOT);
        let ball = bones.position(TOE);
        // The heel's round edge, just inside the sole's.
        let heel = Vec3::new(ankle.x, 0.004, -0.078);
        let traveled = self.speed * self.period_secs * phase;
        let down = self.landing_pitch * (1.0 - smoothstep(0.0, self.sole_flat, phase));
        let rise = ((phase - self.heel_off) / (self.toe_off - self.heel_off)).max(0.0);
        let up = self.leaving_pitch * rise.powf(1.9);
        let pivot = if up > 0.0 { ball } else { heel };
        let foot_pitch = down - up;
        let toe_out = Quat::from_rotation_y(TOE_OUT.to_radians());
        let flat = Vec3::new(self.track, ankle.y, self.landing + (ankle.z - heel.z) - traveled);
        let tilt = Quat::from_rotation_x(-foot_pitch.to_radians());
        let place = flat + toe_out * (pivot - ankle + tilt * (ankle - pivot));
        GaitStep { ankle: place, foot_pitch, toe_pitch: down }
    }

    /// The foot in the swing phase.
    fn swing(&self, bones: &FigureBones, phase: f32) -> GaitStep {
        let length = 1.0 - self.toe_off;
        let u = (phase - self.toe_off) / length;
        let nudge = 0.002;
        let (before, leave) = (self.stand(bones, self.toe_off - nudge), self.stand(bones, self.toe_off));
        let (land, after) = (self.stand(bones, 0.0), self.stand(bones, nudge));
        let curve = |value: fn(&GaitStep) -> f32| {
            let slope = |a: &GaitStep, b: &GaitStep| (value(b) - value(a)) / nudge * length;
            hermite(value(&leave), slope(&before, &leave), value(&land), slope(&land, &after), u)
        };
        // The heel rises behind and peaks a little before the middle of the swing.
        let v = u.powf(0.7);
        let early = 16.0 * v * v * (1.0 - v) * (1.0 - v);
        GaitStep {
            ankle: Vec3::new(
                curve(|s| s.ankle.x),
                curve(|s| s.ankle.y) + self.swing_lift * early,
                curve(|s| s.ankle.z) - self.swing_back * early,
            ),
            foot_pitch: curve(|s| s.foot_pitch) - self.swing_pitch * early,
            toe_pitch: curve(|s| s.toe_pitch) - self.swing_pitch * early - 56.0 * toe_follow(u),
        }
    }

    fn pose_body(&self, pose: &mut FigurePose, bones: &FigureBones, phase: f32) {
        let body = &self.body;
        let wave = |cycles: f32, peak: f32| (TAU * cycles * (phase - peak)).cos();
        // Positive when the left side is ahead: just after the left foot has landed.
        let stride = wave(1.0, 0.02);
        let on_left = wave(1.0, self.toe_off * 0.5);
        pose.hips = Vec3::new(
            body.sway * on_left,
            -body.drop + body.bob * wave(2.0, body.bob_phase),
            0.012 * wave(2.0, 0.12),
        );
        // The left hip moves forward with the left foot: a rotation about y towards the right.
        let yaw = -body.pelvis_yaw * stride;
        let roll = body.pelvis_roll * on_left;
        pose.set(HIPS, degrees(body.lean * 0.4, yaw, roll));
        let counter = body.chest_yaw * stride - yaw;
        pose.set(SPINE_LOWER, degrees(body.lean * 0.2, counter * 0.25, -roll * 0.45));
        pose.set(SPINE_MIDDLE, degrees(body.lean * 0.2, counter * 0.35, -roll * 0.4));
        pose.set(SPINE_UPPER, degrees(body.lean * 0.2, counter * 0.4, -roll * 0.35));
        let nod = 1.2 * wave(2.0, body.bob_phase + 0.1);
        let chest = body.chest_yaw * stride;
        pose.set(NECK, degrees(-body.lean * 0.45 + nod * 0.4, -chest * 0.5, roll * 0.1));
        pose.set(HEAD, degrees(-body.lean * 0.45 + nod * 0.6, -chest * 0.45, roll * 0.1));
        hang_arms(pose);
        relax_hands(pose, bones, if body.elbow > 45.0 { 44.0 } else { 22.0 });
        for side in FigureSide::BOTH {
            self.pose_arm(pose, bones, side, phase);
        }
    }

    /// Arms swing against the legs; the elbow follows a little later.
    fn pose_arm(&self, pose: &mut FigurePose, bones: &FigureBones, side: FigureSide, phase: f32) {
        let body = &self.body;
        let own = if side == FigureSide::Left { phase } else { phase + 0.5 };
        // Forward when the other foot has just landed.
        let wave = |peak: f32| (TAU * (own - peak)).cos();
        let swing = body.arm_center + body.arm_swing * wave(0.54);
        let bend = body.elbow + body.elbow_swing * wave(0.62);
        let across = 4.0 + 0.15 * body.elbow.min(60.0) * 0.5 * (1.0 + wave(0.56));
        // A positive rotation about x swings a hanging arm back; forward is negative.
        pose.add_side(side, UPPER_ARM, degrees(-swing, 0.0, body.arm_out));
        pose.add_side(side, FOREARM, bones.bend(FOREARM, bend));
        pose.add_side(side, UPPER_ARM, degrees(0.0, -across, 0.0));
        pose.add_side(side, CLAVICLE, degrees(0.0, -3.5 * wave(0.54), 0.0));
        pose.add_side(side, HAND, degrees(0.0, 0.0, -6.0 * wave(0.70)));
    }
}

/// The toe keeps its pitch for a moment after the foot leaves the ground.
fn toe_follow(u: f32) -> f32 {
    0.25 * smoothstep(0.0, 0.12, u) * smoothstep(0.55, 0.12, u)
}

/// The cubic from `a` with slope `at_a` to `b` with slope `at_b`.
fn hermite(a: f32, at_a: f32, b: f32, at_b: f32, u: f32) -> f32 {
    let (u2, u3) = (u * u, u * u * u);
    a * (2.0 * u3 - 3.0 * u2 + 1.0)
        + at_a * (u3 - 2.0 * u2 + u)
        + b * (3.0 * u2 - 2.0 * u3)
        + at_b * (u3 - u2)
}
