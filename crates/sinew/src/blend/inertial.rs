//! Inertialization (Bollo 2018, "Inertialization: High-Performance Animation Transitions in Gears of War").
//!
//! The source stops at once. What remains is the offset of every joint from the target and the velocity of that
//! offset. Both decay to zero along a quintic polynomial that ends with zero velocity and acceleration
//! and never overshoots. Only the target is evaluated during the transition.

use crate::{pose::LocalPose, transform::Transform};
use glam::{Quat, Vec3};
use std::f32::consts::{PI, TAU};

/// The two latest poses of a motion, which give its velocity.
#[derive(Clone, Copy, Debug)]
pub struct RecentMotion<'a> {
    /// The latest pose of the motion.
    pub now: &'a LocalPose,
    /// The pose before it; equal to `now` if the velocity is unknown.
    pub before: &'a LocalPose,
    /// The time between them in seconds; if it is not positive, the velocity is zero.
    pub step_secs: f32,
}

/// A distance that decays to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Decay {
    /// The distance at the start; never negative.
    distance: f32,
    /// Initial velocity and acceleration, scaled by the duration: −5 to 0 and 0 to 20 times the distance.
    speed: f32,
    acceleration: f32,
    /// Duration of the decay in seconds.
    secs: f32,
}

impl Decay {
    /// A decay from a non-negative `distance` that changes by `speed` per second.
    fn new(distance: f32, speed: f32, duration_secs: f32) -> Self {
        let (distance, speed) = (finite(distance), finite(speed));
        if distance <= 0.0 {
            return Self::default();
        }
        // An offset that still grows would overshoot: its velocity is set to zero.
        let speed = speed.min(0.0);
        // Above five times the distance per duration it would overshoot zero: the duration is shortened.
        let shortest = if speed < 0.0 { -5.0 * distance / speed } else { f32::INFINITY };
        let secs = duration_secs.min(shortest).max(1e-6);
        let speed = (speed * secs).max(-5.0 * distance);
        let acceleration = (-8.0 * speed - 20.0 * distance).max(0.0);
        Self { distance, speed, acceleration, secs }
    }

    /// The remaining distance after `secs`.
    fn at(&self, secs: f32) -> f32 {
        if secs >= self.secs {
            return 0.0;
        }
        let t = secs / self.secs;
        let (x, v, a) = (self.distance, self.speed, self.acceleration);
        let fifth = -0.5 * (a + 6.0 * v + 12.0 * x);
        let fourth = 0.5 * (3.0 * a + 16.0 * v + 30.0 * x);
        let third = -0.5 * (3.0 * a + 12.0 * v + 20.0 * x);
        let sum = ((((fifth * t + fourth) * t + third) * t + 0.5 * a) * t + v) * t + x;
        sum.clamp(0.0, x)
    }
}

fn finite(number: f32) -> f32 {
    if number.is_finite() { number } else { 0.0 }
}

/// The direction of an offset, and its decay.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct InertialOffset {
    direction: Vec3,
    decay: Decay,
}

impl InertialOffset {
    /// Of points: `now` and `before` seen from the target.
    fn of_points(now: Vec3, before: Vec3, per_step: f32, duration_secs: f32) -> Self {
        let direction = now.normalize_or_zero();
        let distance = now.dot(direction);
        let speed = (distance - before.dot(direction)) * per_step;
        Self { direction, decay: Decay::new(distance, speed, duration_secs) }
    }

    /// Of rotations: `now` and `before` seen from the target; the direction is the axis.
    fn of_turns(now: Quat, before: Quat, per_step: f32, duration_secs: f32) -> Self {
        let now = if now.w < 0.0 { -now } else { now };
        let axis = now.xyz().normalize_or_zero();
        let angle = angle_about(now, axis);
        let change = (angle - angle_about(before, axis) + PI).rem_euclid(TAU) - PI;
        Self { direction: axis, decay: Decay::new(angle, change * per_step, duration_secs) }
    }

    fn at(&self, secs: f32) -> Vec3 {
        self.direction * self.decay.at(secs)
    }
}

/// The angle of the twist of `turn` about `axis`.
fn angle_about(turn: Quat, axis: Vec3) -> f32 {
    2.0 * turn.xyz().dot(axis).atan2(turn.w)
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct JointOffset {
    translation: InertialOffset,
    rotation: InertialOffset,
    scale: InertialOffset,
}

/// The decaying offset of a motion that was interrupted, added to the motion that follows.
#[doc(alias = "inertialization")]
///
/// ```
/// use sinew::{blend::{Inertializer, RecentMotion}};
///
/// let figure = sinew_samples::figure();
/// let (last, before, target) = (figure.rest_pose(), figure.rest_pose(), figure.rest_pose());
/// let mut inertia = Inertializer::new(&target);
/// inertia.begin(RecentMotion { now: &last, before: &before, step_secs: 1.0 / 60.0 }, &target, 0.3);
/// let mut pose = target.clone();
/// inertia.apply(1.0 / 60.0, &mut pose);                     // once a frame, over the new motion
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Inertializer {
    joints: Vec<JointOffset>,
    /// The offsets of morph weights, with a direction of ±1 along x.
    morphs: Vec<InertialOffset>,
    elapsed_secs: f32,
    duration_secs: f32,
}

impl Inertializer {
    /// No offset, with room for poses of the size of `pose`.
    pub fn new(pose: &LocalPose) -> Self {
        Self {
            joints: vec![JointOffset::default(); pose.joints.len()],
            morphs: vec![InertialOffset::default(); pose.morphs.len()],
            elapsed_secs: 0.0,
            duration_secs: 0.0,
        }
    }

    /// Starts a transition from `source` to `target`: the offset decays within `duration_secs`.
    ///
    /// The velocity of the source is used; that of the target is not known yet. To interrupt a running transition, pass
    /// the poses that were shown.
    ///
    /// # Panics
    /// If a pose has another size.
    pub fn begin(&mut self, source: RecentMotion<'_>, target: &LocalPose, duration_secs: f32) {
        for pose in [source.now, source.before, target] {
            self.check(pose);
        }
        let duration_secs = finite(duration_secs).max(0.0);
        let per_step = if source.step_secs > 0.0 { source.step_secs.recip() } else { 0.0 };
        let joints = source.now.joints.iter().zip(&source.before.joints).zip(&target.joints);
        for (offset, ((now, before), target)) in self.joints.iter_mut().zip(joints) {
            let points = |pick: fn(&Transform) -> Vec3| {
                let to = pick(target);
                InertialOffset::of_points(pick(now) - to, pick(before) - to, per_step, duration_secs)
            };
            let back = target.rotation.conjugate();
            let (now_turn, before_turn) = (now.rotation * back, before.rotation * back);
            *offset = JointOffset {
                translation: points(|t| t.translation),
                rotation: InertialOffset::of_turns(now_turn, before_turn, per_step, duration_secs),
                scale: points(|t| t.scale),
            };
        }
        let morphs = source.now.morphs.iter().zip(&source.before.morphs).zip(&target.morphs);
        for (offset, ((now, before), target)) in self.morphs.iter_mut().zip(morphs) {
            let along = |weight: f32| Vec3::new(weight - target, 0.0, 0.0);
            *offset = InertialOffset::of_points(along(*now), along(*before), per_step, duration_secs);
        }
        (self.elapsed_secs, self.duration_secs) = (0.0, duration_secs);
    }

    /// Advances by `dt_secs` and adds the remaining offset to `pose`, the current target pose.
    ///
    /// When the transition is over, the pose does not change.
    ///
    /// # Panics
    /// If the pose has another size.
    pub fn apply(&mut self, dt_secs: f32, pose: &mut LocalPose) {
        if self.is_over() {
            return;
        }
        self.check(pose);
        self.elapsed_secs += finite(dt_secs).max(0.0);
        let secs = self.elapsed_secs;
        for (joint, offset) in pose.joints.iter_mut().zip(&self.joints) {
            joint.translation += offset.translation.at(secs);
            joint.scale += offset.scale.at(secs);
            let angle = offset.rotation.decay.at(secs);
            if angle > 0.0 {
                let turn = Quat::from_axis_angle(offset.rotation.direction, angle);
                joint.rotation = (turn * joint.rotation).normalize();
            }
        }
        for (weight, offset) in pose.morphs.iter_mut().zip(&self.morphs) {
            *weight += offset.at(secs).x;
        }
    }

    /// Ends the transition and drops the offset.
    pub fn stop(&mut self) {
        self.duration_secs = 0.0;
    }

    /// True if no offset remains.
    pub fn is_over(&self) -> bool {
        self.elapsed_secs >= self.duration_secs
    }

    fn check(&self, pose: &LocalPose) {
        assert_eq!(pose.joints.len(), self.joints.len(), "the pose and the transition differ in joints");
        assert_eq!(pose.morphs.len(), self.morphs.len(), "the pose and the transition differ in morph slots");
    }
}

#[cfg(test)]
mod tests;
