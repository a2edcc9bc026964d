//! Foot placement: adapts a walk on a plane to steps and slopes.
//!
//! The clip walks on the plane through the origin of the model. Every foot is raised or lowered by the height of the
//! ground below it, the pelvis follows the lowest foot as far as both legs reach, and planted feet align with the slope.
//! A foot in the air adapts to the ground gradually, a planted foot exactly.

use super::{
    ik_report::{IkError, IkReport, known, number},
    rotation::{arc, parent_from_model},
    two_bone::{TwoBone, TwoBoneGoal, TwoBoneParts},
    unit,
};
use crate::{
    asset::skeleton::{JointId, Skeleton},
    pose::{LocalPose, ModelPose},
    transform::{Transform, inverse_affine},
};
use glam::{Affine3A, Quat, Vec3};

/// Largest extension of a leg, relative to its length, unless the clip stretches it more.
const STRETCH: f32 = 0.999;

/// Change of the ground height below a planted foot, in meters, beyond which it is the edge of a step.
const EDGE: f32 = 0.02;
/// Distance to the new ground, in meters, at which a foot stands on it.
const SETTLED: f32 = 1e-3;

/// The ground below or above a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundHit {
    /// Position in model space, in meters.
    pub point: Vec3,
    /// Upward normal in model space.
    pub normal: Vec3,
}

/// One leg of a [`FootPlacement`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// The hip, which rotates freely.
    pub hip: JointId,
    /// The knee, which bends as in the rest pose or about `hinge`.
    pub knee: JointId,
    /// The ankle, which carries the foot.
    pub ankle: JointId,
    /// The point of the sole that touches the ground, in the space of the ankle, in meters.
    pub sole: Vec3,
    /// The axis of the knee, in its joint space; `None` uses the bend of the rest pose.
    pub hinge: Option<Vec3>,
}

impl Leg {
    /// A leg whose sole is directly below the ankle, on the ground plane of the rest pose.
    ///
    /// # Errors
    /// If a joint is missing or the model matrix of the ankle is singular.
    pub fn standing(
        skeleton: &Skeleton,
        [hip, knee, ankle]: [JointId; 3],
        up: Vec3,
    ) -> Result<Self, IkError> {
        let up = unit(up).ok_or(IkError::NoDirection { what: "up" })?;
        let ankle = known(skeleton, ankle)?;
        let mut rest = ModelPose::new(skeleton);
        rest.update(skeleton, &skeleton.rest_pose());
        let model_from_ankle = rest.joint(ankle);
        let flat = IkError::BadNumber { what: "the scale of an ankle", value: 0.0 };
        let ankle_from_model = inverse_affine(&model_from_ankle).ok_or(flat)?;
        let place = Vec3::from(model_from_ankle.translation);
        let sole = ankle_from_model.transform_point3(place - up * place.dot(up));
        Ok(Self { hip, knee, ankle, sole, hinge: None })
    }
}

/// Options of foot placement. Lengths are in meters in model space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootOptions {
    /// The up direction in model space.
    pub up: Vec3,
    /// Height of the sole in the clip up to which a foot is planted, in meters.
    pub planted_below: f32,
    /// Height of the sole in the clip from which a foot is in the air, in meters.
    pub lifted_above: f32,
    /// Largest height of the ground above or below the plane of the clip; other ground is ignored. In meters.
    pub highest_step: f32,
    /// The steepest slope that feet align with, in radians.
    pub steepest_radians: f32,
    /// Time constant in which a foot in the air and the pelvis reach 63 % of a new height, in seconds.
    pub settle_secs: f32,
}

impl Default for FootOptions {
    /// For a person: planted below 1 cm, lifted above 6 cm, steps of half a meter, slopes of 40°.
    fn default() -> Self {
        Self {
            up: Vec3::Y,
            planted_below: 0.01,
            lifted_above: 0.06,
            highest_step: 0.5,
            steepest_radians: 0.7,
            settle_secs: 0.08,
        }
    }
}

/// One frame of foot placement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootFrame {
    /// Time since the last frame, in seconds; 0 adapts at once.
    pub seconds: f32,
    /// Weight of the placement, 0 to 1: 0 leaves every bit of the pose, 1 is the full placement.
    pub weight: f32,
}

/// The state of one foot, kept from frame to frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootState {
    /// Height above the position in the clip, in meters.
    pub raised: f32,
    /// The ground normal that the foot has adapted to, in model space.
    pub normal: Vec3,
    /// 1 for a planted foot, 0 for a foot in the air or without ground.
    pub planted: f32,
    /// True while the foot is planted but the ground below it has jumped, as at the edge of a step: it then adapts to the
    /// new height gradually instead of at once.
    pub crosses: bool,
    /// The result of the IK of the leg.
    pub reach: IkReport,
    /// Height of the ground below the foot in model space, in meters.
    ground: f32,
}

/// The state of one walking character, kept by the caller from frame to frame.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkState {
    /// Height of the pelvis above its position in the clip, in meters.
    pub pelvis_raised: f32,
    /// The feet, in the order of the legs.
    pub feet: Vec<FootState>,
    is_new: bool,
}

/// Foot placement for the legs of a skeleton, checked against it.
///
/// Ancestors of the pelvis may have uniform scale; for the legs, the rules of [`TwoBone`] apply.
#[derive(Clone, Debug, PartialEq)]
pub struct FootPlacement {
    pelvis: JointId,
    above: Option<JointId>,
    legs: Box<[(TwoBone, Vec3)]>,
    options: FootOptions,
}

/// The pose of a foot in the clip, and its target.
#[derive(Clone, Copy)]
struct FootStep {
    ankle: Vec3,
    turn: Quat,
    orientation: Quat,
}

impl FootPlacement {
    /// Foot placement for `legs` below `pelvis`.
    ///
    /// # Errors
    /// If a joint is missing or not an ancestor of the next, a knee is straight at rest and has no hinge, the up direction
    /// is zero or not finite, or a number is out of range.
    pub fn new(
        skeleton: &Skeleton,
        pelvis: JointId,
        legs: &[Leg],
        options: FootOptions,
    ) -> Result<Self, IkError> {
        let FootOptions { planted_below, lifted_above, highest_step, steepest_radians, settle_secs, up } =
            options;
        let up = unit(up).ok_or(IkError::NoDirection { what: "up" })?;
        number("the height of a planted sole", planted_below, 0.0..=f32::MAX)?;
        number("the height of a lifted sole", lifted_above, planted_below..=f32::MAX)?;
        number("the highest step", highest_step, 0.0..=f32::MAX)?;
        number("the steepest slope", steepest_radians, 0.0..=std::f32::consts::FRAC_PI_2)?;
        number("the time to settle", settle_secs, 0.0..=f32::MAX)?;
        let above = skeleton.parent(known(skeleton, pelvis)?);
        let place = |leg: &Leg| {
            let parts = TwoBoneParts { hinge: leg.hinge, ..TwoBoneParts::new(leg.hip, leg.knee, leg.ankle) };
            let limb = TwoBone::new(skeleton, parts)?;
            if leg.hip == pelvis || !skeleton.is_within(leg.hip, pelvis) {
                return Err(IkError::NotAbove { upper: pelvis, lower: leg.hip });
            }
            for part in leg.sole.to_array() {
                number("the sole's place", part, f32::MIN..=f32::MAX)?;
            }
            Ok((limb, leg.sole))
        };
        let legs = legs.iter().map(place).collect::<Result<_, _>>()?;
        Ok(Self { pelvis, above, legs, options: FootOptions { up, ..options } })
    }

    /// A new state. The first frame adapts at once.
    pub fn state(&self) -> WalkState {
        let foot = FootState {
            raised: 0.0,
            normal: self.options.up,
            planted: 0.0,
            crosses: false,
            reach: IkReport::NONE,
            ground: 0.0,
        };
        WalkState { pelvis_raised: 0.0, feet: vec![foot; self.legs.len()], is_new: true }
    }

    /// Puts the feet of `pose` on the ground.
    ///
    /// `ground` returns the ground directly above or below a point in model space; `None` leaves a foot as in the clip.
    /// `model` must be up to date with `pose` and is updated with it. Nothing is allocated.
    ///
    /// # Panics
    /// If the poses do not belong to the skeleton or the state does not belong to these legs.
    pub fn apply(
        &self,
        frame: &FootFrame,
        ground: impl Fn(Vec3) -> Option<GroundHit>,
        skeleton: &Skeleton,
        state: &mut WalkState,
        model: &mut ModelPose,
        pose: &mut LocalPose,
    ) {
        assert_eq!(state.feet.len(), self.legs.len(), "the state is of other legs");
        let up = self.options.up;
        let seconds = if state.is_new { 0.0 } else { frame.seconds };
        let mut lowest = f32::INFINITY;
        for ((limb, sole), foot) in self.legs.iter().zip(&mut state.feet) {
            let place = model.joint(limb.joints()[2]).transform_point3(*sole);
            self.feel(place, ground(place), seconds, foot);
            lowest = lowest.min(foot.raised);
        }
        state.is_new = false;
        let weight = frame.weight.clamp(0.0, 1.0);
        if !(lowest.is_finite() && weight > 0.0) {
            return;
        }
        let mut raised = state.pelvis_raised + (lowest - state.pelvis_raised) * self.settles(seconds, 0.0);
        for ((limb, sole), foot) in self.legs.iter().zip(&state.feet) {
            let step = self.step(limb, *sole, foot, 1.0, model);
            raised = raised.min(self.highest_pelvis(limb, step.ankle, model));
        }
        state.pelvis_raised = raised;
        let parent = self.above.map_or(Affine3A::IDENTITY, |j| model.joint(j));
        let Some(parent_from_model) = parent_from_model(&parent) else { return };
        for (at, (limb, sole)) in self.legs.iter().enumerate() {
            // Read everything before anything moves.
            let step = self.step(limb, *sole, &state.feet[at], weight, model);
            state.feet[at].reach = self.place(limb, &step, up * (raised * weight), model, pose);
        }
        let joint = &mut pose.joints[self.pelvis.index()];
        joint.translation += parent_from_model.vector(up * (raised * weight));
        model.update_below(skeleton, pose, self.pelvis);
    }

    /// The fraction of a change that is applied in `seconds`: larger the more a foot is planted, 1 if it is fully planted.
    fn settles(&self, seconds: f32, planted: f32) -> f32 {
        let within = self.options.settle_secs * (1.0 - planted);
        if seconds > 0.0 && within > 0.0 { 1.0 - (-seconds / within).exp() } else { 1.0 }
    }

    /// Adapts to the ground below a sole: at once if the foot is planted, gradually if it is in the air.
    fn feel(&self, sole: Vec3, ground: Option<GroundHit>, seconds: f32, foot: &mut FootState) {
        let FootOptions { up, planted_below, lifted_above, highest_step, steepest_radians, .. } =
            self.options;
        let usable = |g: &GroundHit| g.point.is_finite() && g.point.dot(up).abs() <= highest_step;
        let ground = ground.filter(usable);
        let air = ((sole.dot(up) - planted_below) / (lifted_above - planted_below).max(1e-6)).clamp(0.0, 1.0);
        let has_stood = foot.planted > 0.5;
        foot.planted = if ground.is_some() { 1.0 - air * air * (3.0 - 2.0 * air) } else { 0.0 };
        let (raised, normal) = ground.map_or((0.0, up), |g| (g.point.dot(up), unit(g.normal).unwrap_or(up)));
        let slope = normal.angle_between(up);
        let gentle = if slope > steepest_radians { steepest_radians / slope } else { 1.0 };
        let normal = Quat::IDENTITY.slerp(arc(up, normal), gentle) * up;
        let jumps = has_stood && (raised - foot.ground).abs() > EDGE;
        let still = foot.crosses && (raised - foot.raised).abs() > SETTLED;
        foot.crosses = foot.planted > 0.5 && (jumps || still);
        foot.ground = raised;
        let part = self.settles(seconds, if foot.crosses { 0.0 } else { foot.planted });
        foot.raised = if part < 1.0 { foot.raised + (raised - foot.raised) * part } else { raised };
        foot.normal = unit(foot.normal.lerp(normal, part)).unwrap_or(up);
    }

    /// Target position of the ankle and rotation of the foot, in model space.
    fn step(&self, limb: &TwoBone, sole: Vec3, foot: &FootState, weight: f32, model: &ModelPose) -> FootStep {
        let up = self.options.up;
        let matrix = model.joint(limb.joints()[2]);
        let (place, ankle) = (matrix.transform_point3(sole), Vec3::from(matrix.translation));
        let slope = unit(up.lerp(foot.normal, foot.planted * weight)).unwrap_or(up);
        let turn = arc(up, slope);
        let ankle = place + up * (foot.raised * weight) + turn * (ankle - place);
        let (now, _) = Transform::from_affine(&matrix);
        FootStep { ankle, turn, orientation: now.rotation }
    }

    /// The largest offset of the pelvis along up at which the leg still reaches the ankle target, in meters.
    fn highest_pelvis(&self, limb: &TwoBone, ankle: Vec3, model: &ModelPose) -> f32 {
        let [hip, knee, now] = limb.joints().map(|j| Vec3::from(model.joint(j).translation));
        let length = hip.distance(knee) + knee.distance(now);
        let reach = (length * STRETCH).max(hip.distance(now));
        let way = ankle - hip;
        let rise = way.dot(self.options.up);
        let aside = (way - self.options.up * rise).length_squared();
        rise + (reach * reach - aside).max(0.0).sqrt()
    }

    /// Solves the leg. The pelvis has not moved yet, so the target is offset by the opposite of its motion.
    fn place(
        &self,
        limb: &TwoBone,
        step: &FootStep,
        raised: Vec3,
        model: &ModelPose,
        pose: &mut LocalPose,
    ) -> IkReport {
        let orientation = Some(step.turn * step.orientation);
        limb.apply(&TwoBoneGoal { orientation, ..TwoBoneGoal::to(step.ankle - raised) }, model, pose)
    }
}

#[cfg(test)]
mod tests;
