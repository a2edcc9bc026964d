//! Foot placement: a walk that was made on a plane goes over steps and slopes.
//!
//! The clip walks on the plane through the model's origin. Every foot is raised or lowered by how high the real ground is
//! below it, the pelvis follows the lowest foot and never further than both legs reach, and planted feet lie on the
//! slope. A foot in the air takes on the ground below it little by little, one that stands has it exactly.

use super::{
    ik::{IkError, IkReport, known, number},
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

/// The part of a leg's length that the pelvis leaves it, unless the clip stretches it more.
const STRETCH: f32 = 0.999;

/// Ground that rises or falls by more than this below a standing foot is the edge of a step, in meters.
const EDGE: f32 = 0.02;
/// A foot that comes so near to the new ground stands on it, in meters.
const SETTLED: f32 = 1e-3;

/// The ground below or above a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundHit {
    /// Where it is, in model space.
    pub point: Vec3,
    /// Its upward normal, in model space.
    pub normal: Vec3,
}

/// One leg of a [`FootPlacement`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// The hip, which rotates freely.
    pub hip: JointId,
    /// Bends the way it is bent at rest, or about `hinge`.
    pub knee: JointId,
    /// The ankle, which carries the foot.
    pub ankle: JointId,
    /// The point of the sole that stands on the ground, in the ankle's space.
    pub sole: Vec3,
    /// The knee's axis, in its space; `None` takes it from rest.
    pub hinge: Option<Vec3>,
}

impl Leg {
    /// A leg whose sole is straight below the ankle on the ground on which the skeleton stands at rest.
    ///
    /// # Errors
    /// If a joint is missing or the ankle is flattened to a plane.
    pub fn standing(
        skeleton: &Skeleton,
        [hip, knee, ankle]: [JointId; 3],
        up: Vec3,
    ) -> Result<Self, IkError> {
        let up = unit(up).ok_or(IkError::NoDirection { what: "up" })?;
        let chain = skeleton.ancestors(known(skeleton, ankle)?);
        let model_from_ankle = chain.fold(Affine3A::IDENTITY, |m, j| skeleton.rest(j).to_affine() * m);
        let flat = IkError::BadNumber { what: "the scale of an ankle", value: 0.0 };
        let ankle_from_model = inverse_affine(&model_from_ankle).ok_or(flat)?;
        let place = Vec3::from(model_from_ankle.translation);
        let sole = ankle_from_model.transform_point3(place - up * place.dot(up));
        Ok(Self { hip, knee, ankle, sole, hinge: None })
    }
}

/// How feet are placed. Lengths are in meters of model space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootOptions {
    /// Where up is, in model space.
    pub up: Vec3,
    /// A sole of the clip at most this high is planted.
    pub planted_below: f32,
    /// A sole of the clip at least this high is in the air.
    pub lifted_above: f32,
    /// Ground that is further than this above or below the clip's is out of the question.
    pub highest_step: f32,
    /// Feet are turned to no steeper slope.
    pub steepest_radians: f32,
    /// In which time a foot in the air and the pelvis take on 63 % of a new height.
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
    /// How much time has passed since the last frame; zero settles at once.
    pub seconds: f32,
    /// How much of the placement is taken: 0 leaves the pose as it is to the bit, 1 takes it all.
    pub weight: f32,
}

/// What is remembered of a foot from frame to frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootState {
    /// How much higher it stands than in the clip, in meters.
    pub raised: f32,
    /// The normal of the ground that it has taken on.
    pub normal: Vec3,
    /// 1 where it stands, 0 where it is in the air or has no ground.
    pub planted: f32,
    /// True while it stands but the ground below it has jumped, as on the edge of a step: it then takes on the new
    /// height little by little instead of at once.
    pub crosses: bool,
    /// How well the leg reached.
    pub reach: IkReport,
    /// The height of the ground below it.
    ground: f32,
}

/// What is remembered of a walker from frame to frame; the caller's, one each.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkState {
    /// How much higher the pelvis is than in the clip, in meters.
    pub pelvis_raised: f32,
    /// The feet, in the order of the legs.
    pub feet: Vec<FootState>,
    is_new: bool,
}

/// Legs that stand on uneven ground, checked against their skeleton.
///
/// Ancestors of the pelvis may have uniform scale; for the legs the rules of [`TwoBone`] hold.
#[derive(Clone, Debug, PartialEq)]
pub struct FootPlacement {
    pelvis: JointId,
    above: Option<JointId>,
    legs: Box<[(TwoBone, Vec3)]>,
    options: FootOptions,
}

/// Where a foot is in the clip and where it should be.
#[derive(Clone, Copy)]
struct FootStep {
    ankle: Vec3,
    turn: Quat,
    orientation: Quat,
}

impl FootPlacement {
    /// `legs` that hang on `pelvis`.
    ///
    /// # Errors
    /// If joints are missing or not above one another, a knee is straight at rest and has no hinge, up has no direction
    /// or a number is out of range.
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

    /// A walker that has not been seen yet: the first frame settles at once.
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
    /// `ground` is asked for the ground straight above or below points of model space; none leaves a foot to the clip.
    /// `model` must be up to date with `pose`, and is again afterwards. Nothing is allocated.
    ///
    /// # Panics
    /// If the poses are not of the skeleton or the state is not of these legs.
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
            // All is read before anything moves.
            let step = self.step(limb, *sole, &state.feet[at], weight, model);
            state.feet[at].reach = self.place(limb, &step, up * (raised * weight), model, pose);
        }
        let joint = &mut pose.joints[self.pelvis.index()];
        joint.translation += parent_from_model.vector(up * (raised * weight));
        model.update_below(skeleton, pose, self.pelvis);
    }

    /// How much of a change is taken on in `seconds`: the more a foot is planted, the faster; all where it is.
    fn settles(&self, seconds: f32, planted: f32) -> f32 {
        let within = self.options.settle_secs * (1.0 - planted);
        if seconds > 0.0 && within > 0.0 { 1.0 - (-seconds / within).exp() } else { 1.0 }
    }

    /// Takes on the ground below a sole: at once where it stands, a part of it where it is in the air.
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

    /// Where the ankle should be, and how the foot is turned, in model space.
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

    /// How high the pelvis may be raised so that the leg still reaches its ankle's place.
    fn highest_pelvis(&self, limb: &TwoBone, ankle: Vec3, model: &ModelPose) -> f32 {
        let [hip, knee, now] = limb.joints().map(|j| Vec3::from(model.joint(j).translation));
        let length = hip.distance(knee) + knee.distance(now);
        let reach = (length * STRETCH).max(hip.distance(now));
        let way = ankle - hip;
        let rise = way.dot(self.options.up);
        let aside = (way - self.options.up * rise).length_squared();
        rise + (reach * reach - aside).max(0.0).sqrt()
    }

    /// Brings the foot there. The pelvis has not been moved yet: the leg is solved as if the foot moved the other way.
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
