//! Two-bone IK: an arm or a leg that reaches for a point.
//!
//! The law of cosines gives the angle of the middle joint, the pole vector the direction in which it bends. Sines come from square roots, so a
//! solve costs no trigonometry unless it is softened or twisted.

use super::{
    ik::{IkError, IkReport, number, path},
    rotation::{ParentFromModel, arc, mirrored, mirrored_axis, parent_from_model, perpendicular_to},
    unit,
};
use crate::{
    asset::skeleton::{JointId, Skeleton},
    pose::{LocalPose, ModelPose},
    sample::slerp,
    simd::{self, dispatch},
    transform::Transform,
};
use glam::{Affine3A, Mat3, Mat3A, Quat, Vec3};

/// Targets nearer than this part of the chain's length count as reached.
const TOLERANCE: f32 = 1e-4;
/// The sine of the bend below which the hinge begins to replace the plane in which the input bends: 3°.
const STRAIGHT: f32 = 0.05;

/// The parts of a [`TwoBone`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBoneParts {
    /// Turns freely: a shoulder, a hip.
    pub first: JointId,
    /// Bends about one axis: an elbow, a knee. Below `first`, with or without roll joints between.
    pub mid: JointId,
    /// Goes to the target: a hand, an ankle. Below `mid`.
    pub end: JointId,
    /// The axis about which a positive turn bends `mid`, in its own space; `None` takes it from the bend at rest.
    pub hinge: Option<Vec3>,
    /// From which part of the reach on the limb straightens ever more slowly, so that it never snaps: 0 (none) to 1.
    ///
    /// With 0.1, the last tenth of the length is approached but never fully used: a target there is missed by up to
    /// 4 % of the length, and the [`IkReport`] says so.
    pub softness: f32,
}

impl TwoBoneParts {
    /// Three joints, the hinge from rest, not softened.
    pub const fn new(first: JointId, mid: JointId, end: JointId) -> Self {
        Self { first, mid, end, hinge: None, softness: 0.0 }
    }
}

/// The pole vector: the direction in which the limb bends.
#[doc(alias = "pole vector")]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pole {
    /// As in the pose that comes in, carried along by the shortest turn.
    #[default]
    Keep,
    /// Towards a point in model space.
    Point(Vec3),
    /// Towards a direction in model space.
    Direction(Vec3),
}

/// The goal of a [`TwoBone`] in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBoneGoal {
    /// Where the end joint goes, in model space.
    pub target: Vec3,
    /// To which side the limb bends; one that lies on the line to the target is as [`Pole::Keep`].
    pub pole: Pole,
    /// Turns the whole limb about the line to the target, after the pole, in radians.
    pub twist_radians: f32,
    /// How the end joint is turned in model space; `None` leaves its local rotation alone.
    ///
    /// It is the rotation that [`Transform::from_affine`] finds in the end joint's model matrix.
    pub orientation: Option<Quat>,
    /// How much of the solution is taken: 0 leaves the pose as it is to the bit, 1 takes it all.
    pub weight: f32,
}

impl TwoBoneGoal {
    /// Reach for `target`, bending as the pose does, with full weight.
    pub const fn to(target: Vec3) -> Self {
        Self { target, pole: Pole::Keep, twist_radians: 0.0, orientation: None, weight: 1.0 }
    }
}

/// A limb of two bones, checked against its skeleton.
#[doc(alias = "inverse kinematics")]
///
/// Ancestors may scale, shear and mirror: the limb is solved in the space above its first joint. The first joint itself
/// and joints between the three may be scaled by factors of one size, of any sign; the middle joint by any factors. With other scale bone
/// lengths change as the limb turns, and what the [`IkReport`] measures is not zero.
#[derive(Clone, Debug, PartialEq)]
pub struct TwoBone {
    above: Option<JointId>,
    first: JointId,
    mid: JointId,
    end: JointId,
    /// Joints between first and mid, and between mid and end, from the top down.
    upper_rolls: Box<[JointId]>,
    lower_rolls: Box<[JointId]>,
    /// The bending axis in the space above `mid`.
    hinge: Vec3,
    softness: f32,
}

impl TwoBone {
    /// A limb of these joints.
    ///
    /// # Errors
    /// If joints are missing or not above one another, softness is not within 0 and 1, the hinge has no direction,
    /// or none is given and the limb is straight at rest.
    pub fn new(skeleton: &Skeleton, parts: TwoBoneParts) -> Result<Self, IkError> {
        let TwoBoneParts { first, mid, end, hinge, softness } = parts;
        let between = |upper, lower| {
            let joints = path(skeleton, upper, lower)?;
            Ok(joints[1..joints.len() - 1].into())
        };
        let mut limb = Self {
            above: skeleton.parent(super::ik::known(skeleton, first)?),
            first,
            mid,
            end,
            upper_rolls: between(first, mid)?,
            lower_rolls: between(mid, end)?,
            hinge: Vec3::X,
            softness: number("softness", softness, 0.0..=1.0)?,
        };
        let rest = skeleton.rest_transforms();
        limb.hinge = match hinge {
            Some(axis) => {
                rest[mid.index()].rotation * unit(axis).ok_or(IkError::NoDirection { what: "the hinge" })?
            }
            None => {
                let bones = limb.bones(rest);
                let normal = unit(bones.upper).zip(unit(bones.lower)).map(|(k, u)| k.cross(u));
                let normal = normal.filter(|n| n.length() > 1e-3).and_then(unit);
                let normal = normal.ok_or(IkError::StraightAtRest { joint: mid })?;
                let seen = mirrored_axis(normal, rest[first.index()].scale);
                bones.rolls.map_or(seen, |r| r.rotation.conjugate() * seen)
            }
        };
        Ok(limb)
    }

    /// The joint that turns freely, the one that bends and the one that reaches.
    pub fn joints(&self) -> [JointId; 3] {
        [self.first, self.mid, self.end]
    }

    /// How long the stretched limb of `pose` is, in the space above its first joint.
    pub fn length(&self, pose: &LocalPose) -> f32 {
        let bones = self.bones(&pose.joints);
        bones.upper.length() + bones.lower.length()
    }

    /// Turns first, mid and, where an orientation is asked for, end towards `goal`.
    ///
    /// Of `model` only the joint above the first is read: it must be up to date, what is below may be old. Bring it up
    /// to date afterwards with [`ModelPose::update_below`] where more is to be read from it.
    ///
    /// # Panics
    /// If the poses have fewer joints than the skeleton.
    pub fn apply(&self, goal: &TwoBoneGoal, model: &ModelPose, pose: &mut LocalPose) -> IkReport {
        let model_from_parent = self.above.map_or(Affine3A::IDENTITY, |j| model.joint(j));
        // Compiled for the machine: with three operands an instruction there is less to move about. The bits are the same.
        dispatch!(simd::best(), simd => {
            let _ = simd;
            self.solve(goal, &model_from_parent, pose).unwrap_or(IkReport::NONE)
        })
    }

    #[inline(always)]
    fn solve(
        &self,
        goal: &TwoBoneGoal,
        model_from_parent: &Affine3A,
        pose: &mut LocalPose,
    ) -> Option<IkReport> {
        let parent_from_model = parent_from_model(model_from_parent)?;
        let joints = &mut pose.joints[..];
        let (first, mid) = (joints[self.first.index()], joints[self.mid.index()]);
        let bones = self.bones(joints);
        let to = parent_from_model.point(goal.target) - first.translation;
        let distance = to.length();
        let bend = LimbPlane::of(&bones, distance, self.softness, self.hinge_of(&bones, first.scale))?;

        let along = if distance > 0.0 { scaled_down(to, distance) } else { first.rotation * bend.reach };
        let mut first_rotation = match self.normal(goal, &parent_from_model, first.translation, along) {
            // Both frames are known: nothing of the old rotation is needed.
            Some(normal) => turn_of_frames((bend.reach, bend.normal), (along, normal)),
            None => arc(first.rotation * bend.reach, along) * first.rotation,
        };
        if goal.twist_radians != 0.0 {
            first_rotation = Quat::from_axis_angle(along, goal.twist_radians) * first_rotation;
        }
        let first_rotation = trimmed(first_rotation);
        let fold = mirrored(bend.fold, first.scale);
        let fold = bones.rolls.map_or(fold, |r| r.rotation.conjugate() * fold * r.rotation);
        let mid_rotation = trimmed(fold * mid.rotation);
        // Measured on the rotations that are written, not on what they were meant to do.
        let lower = bones.lower_turned(mid_rotation, first.scale);
        let miss = first_rotation * (bones.upper + lower) - to;
        // A rotation that is not finite makes the miss non-finite too, so one check covers both.
        if !miss.is_finite() {
            return None;
        }
        let end_rotation = goal.orientation.and_then(|wanted| {
            let turned = [(self.first, first_rotation), (self.mid, mid_rotation)];
            self.end_rotation(wanted, model_from_parent, joints, turned)
        });
        let weight = goal.weight.clamp(0.0, 1.0);
        blend(&mut joints[self.first.index()].rotation, first_rotation, weight);
        blend(&mut joints[self.mid.index()].rotation, mid_rotation, weight);
        if let Some(rotation) = end_rotation {
            blend(&mut joints[self.end.index()].rotation, rotation, weight);
        }
        Some(IkReport {
            reached: miss.length() <= TOLERANCE * (bend.length),
            distance: model_from_parent.transform_vector3(miss).length(),
        })
    }

    /// The normal of the plane that the pole asks for, across the line to the target, in the space above the first joint.
    #[inline(always)]
    fn normal(
        &self,
        goal: &TwoBoneGoal,
        parent_from_model: &ParentFromModel,
        first: Vec3,
        along: Vec3,
    ) -> Option<Vec3> {
        let pole = match goal.pole {
            Pole::Keep => return None,
            Pole::Point(point) => parent_from_model.point(point) - first,
            Pole::Direction(direction) => parent_from_model.vector(direction),
        };
        let normal = pole.cross(along);
        let square = normal.length_squared();
        (square > 1e-8 * pole.length_squared() && square.is_normal()).then(|| normal / square.sqrt())
    }

    /// The bending axis in the first joint's frame, after its scale.
    #[inline(always)]
    fn hinge_of(&self, bones: &LimbBones, first_scale: Vec3) -> Vec3 {
        mirrored_axis(bones.rolls.map_or(self.hinge, |r| r.rotation * self.hinge), first_scale)
    }

    #[inline(always)]
    fn bones(&self, joints: &[Transform]) -> LimbBones {
        let (first, mid) = (&joints[self.first.index()], &joints[self.mid.index()]);
        let mut rolls = None;
        for j in &self.upper_rolls {
            rolls = Some(rolls.map_or(joints[j.index()], |outer: Transform| outer * joints[j.index()]));
        }
        let upper = rolls.map_or(mid.translation, |r| r.transform_point(mid.translation));
        let below = |inner: Vec3, j: &JointId| joints[j.index()].transform_point(inner);
        let end = self.lower_rolls.iter().rev().fold(joints[self.end.index()].translation, below);
        let inner = mid.scale * end;
        let mut bones = LimbBones { upper: first.scale * upper, lower: Vec3::ZERO, inner, rolls };
        bones.lower = bones.lower_turned(mid.rotation, first.scale);
        bones
    }

    /// The local rotation that turns the end joint as `wanted` in model space.
    fn end_rotation(
        &self,
        wanted: Quat,
        model_from_parent: &Affine3A,
        joints: &[Transform],
        turned: [(JointId, Quat); 2],
    ) -> Option<Quat> {
        let linear = |j: JointId| {
            let rotation =
                turned.iter().find(|(t, _)| *t == j).map_or(joints[j.index()].rotation, |(_, q)| *q);
            Mat3A::from_quat(rotation) * Mat3A::from_diagonal(joints[j.index()].scale)
        };
        let upper = self.upper_rolls.iter().fold(linear(self.first), |m, &j| m * linear(j));
        let lower = self.lower_rolls.iter().fold(linear(self.mid), |m, &j| m * linear(j));
        let matrix3 = model_from_parent.matrix3 * upper * lower;
        let (parent, _) = Transform::from_affine(&Affine3A { matrix3, translation: glam::Vec3A::ZERO });
        let inner = (parent.rotation.conjugate() * wanted).normalize();
        Some(mirrored(inner, parent.scale)).filter(|q| q.is_finite())
    }
}

/// The two bones in the first joint's frame, after its scale.
struct LimbBones {
    upper: Vec3,
    lower: Vec3,
    /// The lower bone before the middle joint turns it.
    inner: Vec3,
    /// The joints between first and mid as one, if there are any.
    rolls: Option<Transform>,
}

impl LimbBones {
    /// From the middle joint, turned by `mid_rotation`, to the end, in the first joint's frame after its scale.
    #[inline(always)]
    fn lower_turned(&self, mid_rotation: Quat, first_scale: Vec3) -> Vec3 {
        let mid = mid_rotation * self.inner;
        first_scale * self.rolls.map_or(mid, |r| r.rotation * (r.scale * mid))
    }
}

/// How the limb bends so that its end is as far away as the target, in the first joint's frame.
struct LimbPlane {
    /// Turns the lower bone where it has to be.
    fold: Quat,
    /// From the first joint to the end, then.
    reach: Vec3,
    /// The plane of the limb; the middle joint stands out towards `reach × normal`.
    normal: Vec3,
    length: f32,
}

impl LimbPlane {
    #[inline(always)]
    fn of(bones: &LimbBones, distance: f32, softness: f32, hinge: Vec3) -> Option<Self> {
        let (a, b) = (bones.upper.length(), bones.lower.length());
        let length = a + b;
        if !(length > 0.0 && length.is_finite() && distance.is_finite()) {
            return None;
        }
        let (upper, lower) = (scaled_down(bones.upper, a), scaled_down(bones.lower, b));
        // In parts of the length, so that neither huge nor tiny limbs overflow.
        let [a, b, distance] = scaled_down(Vec3::new(a, b, distance), length).to_array();
        let (upper, lower) = match (a > 1e-6, b > 1e-6) {
            (true, true) => (upper, lower),
            (true, false) => (upper, upper),
            _ => (lower, lower),
        };
        let min = (a - b).abs().clamp(1e-6, 1.0);
        let distance = softened(distance, softness).clamp(min, 1.0);
        let around = 2.0 * a * b;
        let cos = if around > 1e-6 { (distance * distance - a * a - b * b) / around } else { 1.0 };
        let cos = cos.clamp(-1.0, 1.0);
        let sin = (1.0 - cos * cos).sqrt();
        let normal = plane(upper, lower, bones.upper.cross(bones.lower), length, hinge);
        let wanted = upper * cos + normal.cross(upper) * sin;
        let reach = upper * a + wanted * b;
        // The law of cosines has made it as long as the distance; a root would hold up all that follows.
        let reach = if distance > 0.1 && around > 1e-6 {
            reach * distance.recip()
        } else {
            reach.try_normalize().unwrap_or(upper)
        };
        Some(Self { fold: arc(lower, wanted), reach, normal, length })
    }
}

/// `v / length` by one division, and by three where the reciprocal would not be a number.
#[inline(always)]
fn scaled_down(v: Vec3, length: f32) -> Vec3 {
    if length > 1e-30 && length < 1e30 { v * length.recip() } else { v / length }
}

/// The normal of the plane in which the limb bends: the input's, giving way to the hinge where the input is straight or
/// bends backwards. It is continuous in all three directions.
#[inline(always)]
fn plane(upper: Vec3, lower: Vec3, product: Vec3, length: f32, hinge: Vec3) -> Vec3 {
    let normal = upper.cross(lower);
    let flat = hinge - upper * upper.dot(hinge);
    let side = normal.dot(flat);
    if side >= STRAIGHT {
        // The product of the bones is there before their directions are, but its square needs room.
        return if length > 1e-8 && length < 1e8 { product.normalize() } else { normal.normalize() };
    }
    let back = side.min(0.0) / flat.length_squared().max(1e-8);
    perpendicular_to(upper, normal + flat * (STRAIGHT - side.max(0.0) - back))
}

/// The rotation that takes one pair of perpendicular units to another.
///
/// Frames are joined as matrices: one root and no branch is cheaper than two of each.
#[inline(always)]
fn turn_of_frames(from: (Vec3, Vec3), to: (Vec3, Vec3)) -> Quat {
    let frame = |(x, y): (Vec3, Vec3)| Mat3::from_cols(x, y, x.cross(y));
    Quat::from_mat3(&(frame(to) * frame(from).transpose()))
}

/// A product of rotations brought back to unit length; it is off by rounding only, so one step of Newton's does it
/// without a root.
#[inline(always)]
fn trimmed(rotation: Quat) -> Quat {
    rotation * (1.5 - 0.5 * rotation.length_squared())
}

/// A distance, as a part of the reach, that comes near to 1 but never gets there.
#[inline(always)]
fn softened(distance: f32, softness: f32) -> f32 {
    let over = distance - (1.0 - softness);
    if softness <= 0.0 || over <= 0.0 {
        return distance;
    }
    1.0 - softness * (-over / softness).exp()
}

/// Goes from what `rotation` is towards `solved`; not at all at weight 0, all the way at 1.
pub(super) fn blend(rotation: &mut Quat, solved: Quat, weight: f32) {
    if weight >= 1.0 {
        *rotation = solved;
    } else if weight > 0.0 {
        *rotation = slerp(*rotation, solved, weight);
    }
}

#[cfg(test)]
mod tests;
