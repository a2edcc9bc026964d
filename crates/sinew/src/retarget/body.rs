//! A human body at rest: its axes, its legs, and the directions of its limbs.

use super::{HumanoidRetargetError, NEEDED};
use crate::{
    asset::{
        humanoid::{BodySide, HumanBone, Humanoid},
        skeleton::{JointId, Skeleton},
    },
    pose::{LocalPose, ModelPose},
};
use HumanBone::{
    LeftFoot, LeftHand, LeftIndexProximal, LeftLowerArm, LeftLowerLeg, LeftMiddleProximal, LeftRingProximal,
    LeftToes, LeftUpperArm, LeftUpperLeg, RightUpperArm, RightUpperLeg,
};
use glam::{Mat3, Quat, Vec3};

/// Directions within this cosine (20°) of a model axis are snapped to it.
const NEAR_AXIS: f32 = 0.94;

/// A human body in the rest pose of its skeleton.
pub(super) struct HumanBody<'a> {
    skeleton: &'a Skeleton,
    map: &'a Humanoid,
    pub(super) rest: ModelPose,
    /// The model-space rotation of each joint at rest, without scale.
    pub(super) rotations: Vec<Quat>,
    /// Rotates x, y and z to the body's left, up and forward directions.
    pub(super) model_from_body: Quat,
    pub(super) hips: JointId,
    pub(super) thighs: [JointId; 2],
    feet: [JointId; 2],
    /// The length of thigh and shin together, as the mean of both sides.
    pub(super) leg_length: f32,
}

impl<'a> HumanBody<'a> {
    pub(super) fn new(
        body: &'static str,
        skeleton: &'a Skeleton,
        map: &'a Humanoid,
    ) -> Result<Self, HumanoidRetargetError> {
        map.check(skeleton).map_err(|error| HumanoidRetargetError::Map { body, error })?;
        let needed = |bone| map.joint(bone).ok_or(HumanoidRetargetError::MissingBone { body, bone });
        let [hips, left_thigh, right_thigh, left_shin, right_shin, left_foot, right_foot] = {
            let mut joints = [JointId(0); NEEDED.len()];
            for (joint, bone) in joints.iter_mut().zip(NEEDED) {
                *joint = needed(bone)?;
            }
            joints
        };
        let pose = skeleton.rest_pose();
        let (mut rest, mut rotations) = (ModelPose::new(skeleton), Vec::new());
        rest.update(skeleton, &pose);
        model_rotations(skeleton, &pose, &mut rotations);
        let at = |joint: JointId| Vec3::from(rest.joint(joint).translation);
        let length = |a, b, c| at(a).distance(at(b)) + at(b).distance(at(c));
        let leg_length =
            (length(left_thigh, left_shin, left_foot) + length(right_thigh, right_shin, right_foot)) / 2.0;
        let (thighs, feet) = ([left_thigh, right_thigh], [left_foot, right_foot]);
        let across = across(map, &rest);
        let rise = middle(&rest, &thighs) - middle(&rest, &feet);
        let model_from_body =
            axes(rise, across).filter(|axes| leg_length > 0.0 && leg_length.is_finite() && axes.is_finite());
        let model_from_body = model_from_body.ok_or(HumanoidRetargetError::NoLegs { body })?;
        Ok(Self { skeleton, map, rest, rotations, model_from_body, hips, thighs, feet, leg_length })
    }

    pub(super) fn up(&self) -> Vec3 {
        self.model_from_body * Vec3::Y
    }

    /// The mean height of the ankles at rest.
    pub(super) fn ankle_height(&self) -> f32 {
        middle(&self.rest, &self.feet).dot(self.up())
    }

    fn at(&self, joint: JointId) -> Vec3 {
        self.rest.joint(joint).translation.into()
    }

    /// The joint of a bone that is given for the left side.
    fn on(&self, side: BodySide, left: HumanBone) -> Option<JointId> {
        self.map.joint(if side == BodySide::Left { left } else { left.mirror() })
    }

    /// The direction from one joint to another in body axes.
    fn direction(&self, from: Option<JointId>, to: Option<JointId>) -> Option<Vec3> {
        let bone = self.at(to?) - self.at(from?);
        (self.model_from_body.conjugate() * bone).try_normalize()
    }

    /// The joint below `top` for which `measure` of its position is largest.
    fn furthest(&self, top: JointId, measure: impl Fn(Vec3) -> f32) -> Option<JointId> {
        let below = self.skeleton.joints().filter(|&j| j != top && self.skeleton.is_within(j, top));
        below.max_by(|&a, &b| measure(self.at(a)).total_cmp(&measure(self.at(b))))
    }

    /// The joint that a hand points to: its middle finger, a finger beside it, or its farthest descendant.
    fn hand_point(&self, side: BodySide) -> Option<JointId> {
        let hand = self.on(side, LeftHand)?;
        let fingers = [LeftMiddleProximal, LeftIndexProximal, LeftRingProximal];
        let finger = fingers.into_iter().find_map(|finger| self.on(side, finger));
        finger.or_else(|| self.furthest(hand, |point| point.distance(self.at(hand))))
    }

    /// The joint that a foot points to: its toes, or its most forward descendant.
    fn toe_point(&self, side: BodySide) -> Option<JointId> {
        let foot = self.on(side, LeftFoot)?;
        let ahead = self.model_from_body * Vec3::Z;
        let toe = self.on(side, LeftToes).or_else(|| self.furthest(foot, |point| point.dot(ahead)));
        toe.filter(|&toe| self.at(toe).distance(self.at(foot)) > 0.0)
    }

    /// The directions of the limbs of a side: upper arm, forearm, hand, thigh, shin and foot.
    fn limbs(&self, side: BodySide) -> [Option<Vec3>; 6] {
        let on = |bone| self.on(side, bone);
        [
            self.direction(on(LeftUpperArm), on(LeftLowerArm)),
            self.direction(on(LeftLowerArm), on(LeftHand)),
            self.direction(on(LeftHand), self.hand_point(side)),
            self.direction(on(LeftUpperLeg), on(LeftLowerLeg)),
            self.direction(on(LeftLowerLeg), on(LeftFoot)),
            self.direction(on(LeftFoot), self.toe_point(side)),
        ]
    }
}

/// The bones of [`HumanBody::limbs`] on the left side.
const LIMBS: [HumanBone; 6] = [LeftUpperArm, LeftLowerArm, LeftHand, LeftUpperLeg, LeftLowerLeg, LeftFoot];

/// For each joint of the target, the model-space rotation that aligns its rest pose with the source's: arms and legs point the
/// same way and feet have the same heading. The trunk keeps its own shape.
pub(super) fn alignment(source: &HumanBody<'_>, target: &HumanBody<'_>) -> Vec<Quat> {
    let mut own: Vec<Option<LimbTurn>> = vec![None; target.skeleton.len()];
    for side in BodySide::BOTH {
        let limbs = LIMBS.into_iter().zip(source.limbs(side)).zip(target.limbs(side));
        for ((bone, wanted), now) in limbs {
            let (Some(wanted), Some(now), Some(joint)) = (wanted, now, target.on(side, bone)) else {
                continue;
            };
            own[joint.index()] = Some(LimbTurn::new(bone, now, wanted));
        }
    }
    let mut out: Vec<Quat> = Vec::with_capacity(own.len());
    for joint in target.skeleton.joints() {
        let parent = target.skeleton.parent(joint).map_or(Quat::IDENTITY, |p| out[p.index()]);
        out.push(own[joint.index()].map_or(parent, |turn| turn.after(parent)));
    }
    // Computed in body axes, converted to model axes here.
    let axes = target.model_from_body;
    out.iter().map(|&turn| (axes * turn * axes.conjugate()).normalize()).collect()
}

/// The rotation that aligns a limb, given that of its parent.
#[derive(Clone, Copy, Debug)]
enum LimbTurn {
    /// The shortest rotation from one direction to another.
    Point { now: Vec3, wanted: Vec3 },
    /// A rotation that is the same whatever the parent's is.
    Absolute(Quat),
}

impl LimbTurn {
    fn new(bone: HumanBone, now: Vec3, wanted: Vec3) -> Self {
        // Flat feet stay flat: ankles have different heights, so only the heading is aligned. A foot that points at the ground
        // at rest is aligned like a limb.
        let stands = |direction: Vec3| direction.z > 0.2;
        if bone == LeftFoot && stands(wanted) && stands(now) {
            let heading = |direction: Vec3| direction.x.atan2(direction.z);
            return Self::Absolute(Quat::from_rotation_y(heading(wanted) - heading(now)));
        }
        Self::Point { now, wanted }
    }

    fn after(self, parent: Quat) -> Quat {
        match self {
            Self::Point { now, wanted } => Quat::from_rotation_arc(parent * now, wanted) * parent,
            Self::Absolute(turn) => turn,
        }
    }
}

/// The model-space rotation of each joint of `pose`, without scale.
pub(super) fn model_rotations(skeleton: &Skeleton, pose: &LocalPose, out: &mut Vec<Quat>) {
    out.clear();
    for (parent, joint) in skeleton.parents().iter().zip(&pose.joints) {
        let parent = parent.map_or(Quat::IDENTITY, |p: JointId| out[p.index()]);
        out.push((parent * joint.rotation).normalize());
    }
}

/// The point between two joints.
pub(super) fn middle(model: &ModelPose, joints: &[JointId; 2]) -> Vec3 {
    let [one, other] = joints.map(|joint| Vec3::from(model.joint(joint).translation));
    (one + other) / 2.0
}

/// The direction from the right of a body to its left, by thighs and upper arms.
fn across(map: &Humanoid, rest: &ModelPose) -> Vec3 {
    let at = |bone| map.joint(bone).map(|joint| Vec3::from(rest.joint(joint).translation));
    let pairs = [(LeftUpperLeg, RightUpperLeg), (LeftUpperArm, RightUpperArm)];
    pairs.into_iter().filter_map(|(left, right)| Some(at(left)? - at(right)?)).sum()
}

/// Rotates x, y and z to left, up and forward. Up is the model axis nearest to `rise`.
fn axes(rise: Vec3, across: Vec3) -> Option<Quat> {
    let up = nearest_axis(rise.try_normalize()?);
    let left = (across - up * across.dot(up)).try_normalize()?;
    let axis = nearest_axis(left);
    let left = if left.dot(axis) > NEAR_AXIS { axis } else { left };
    Some(Quat::from_mat3(&Mat3::from_cols(left, up, left.cross(up))).normalize())
}

/// The model axis, of either sign, that is nearest to `direction`.
fn nearest_axis(direction: Vec3) -> Vec3 {
    let axes = Vec3::AXES.into_iter().flat_map(|axis| [axis, -axis]);
    axes.max_by(|a, b| a.dot(direction).total_cmp(&b.dot(direction))).unwrap_or(Vec3::Y)
}
