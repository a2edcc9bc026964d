//! Two-bone IK: an arm or a leg that reaches for a point.
//!
//! The law of cosines gives the angle of the middle joint, and the pole vector the direction in which it bends. Sines
//! come from square roots, so a solution needs no trigonometric function unless it is softened or twisted.

use super::{
    ik_path::IkPath,
    ik_report::{IkError, IkReport, number, path},
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

/// Largest distance from the target at which it is reached, relative to the length of the limb.
const TOLERANCE: f32 = 1e-4;
/// Sine of the bend (3°) below which the hinge starts to replace the bending plane of the input pose.
const STRAIGHT: f32 = 0.05;

/// The parts of a [`TwoBone`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBoneParts {
    /// The joint that rotates freely: a shoulder, a hip.
    pub first: JointId,
    /// The joint that bends about one axis: an elbow, a knee. A descendant of `first`, with or without roll joints between.
    pub mid: JointId,
    /// The joint that reaches the target: a hand, an ankle. A descendant of `mid`.
    pub end: JointId,
    /// The axis about which a positive rotation bends `mid`, in its joint space; `None` uses the bend of the rest pose.
    pub hinge: Option<Vec3>,
    /// The last fraction of the length, 0 (none) to 1, in which the limb straightens ever more slowly and never snaps.
    ///
    /// With 0.1, the last tenth of the length is approached but never fully used: a target there is missed by up to
    /// 4 % of the length, as the [`IkReport`] shows.
    pub softness: f32,
}

impl TwoBoneParts {
    /// Three joints, with the hinge of the rest pose and without softness.
    pub const fn new(first: JointId, mid: JointId, end: JointId) -> Self {
        Self { first, mid, end, hinge: None, softness: 0.0 }
    }
}

/// The pole vector: the direction in which the limb bends.
#[doc(alias = "pole vector")]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pole {
    /// The bending direction of the input pose, carried along by the shortest rotation.
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
    /// Target position of the end joint in model space, in meters.
    pub target: Vec3,
    /// The direction in which the limb bends. A pole on the line to the target is the same as [`Pole::Keep`].
    pub pole: Pole,
    /// Rotation of the whole limb about the line to the target, applied after the pole, in radians.
    pub twist_radians: f32,
    /// Rotation of the end joint in model space; `None` keeps its local rotation.
    ///
    /// It is the rotation that [`Transform::from_affine`] extracts from the model matrix of the end joint.
    pub orientation: Option<Quat>,
    /// Weight of the solution, 0 to 1: 0 leaves every bit of the pose, 1 is the full solution.
    pub weight: f32,
}

impl TwoBoneGoal {
    /// Reaches for `target`, a point in model space, with the bending direction of the pose and full weight.
    pub const fn to(target: Vec3) -> Self {
        Self { target, pole: Pole::Keep, twist_radians: 0.0, orientation: None, weight: 1.0 }
    }
}

/// A limb of two bones, checked against its skeleton.
///
/// Ancestors may scale, shear and mirror, since the limb is solved in the parent space of its first joint. The scale
/// factors of the first joint, and of the joints between the three, must be equal except for their signs; those of the
/// middle joint are arbitrary. With other scales the bone lengths change as the limb rotates, and the distance in the
/// [`IkReport`] is not zero.
#[doc(alias = "inverse kinematics")]
#[derive(Clone, Debug, PartialEq)]
pub struct TwoBone {
    path: IkPath,
    first: JointId,
    mid: JointId,
    end: JointId,
    /// Joints between first and mid, and between mid and end, from the top down.
    upper_rolls: Box<[JointId]>,
    lower_rolls: Box<[JointId]>,
    /// The bending axis in the parent space of `mid`.
    hinge: Vec3,
    softness: f32,
}

impl TwoBone {
    /// Builds a limb from `parts`.
    ///
    /// # Errors
    /// If a joint is missing or not an ancestor of the next, the softness is not within 0 and 1, the hinge is zero or not
    /// finite, or there is no hinge and the limb is straight at rest.
    pub fn new(skeleton: &Skeleton, parts: TwoBoneParts) -> Result<Self, IkError> {
        let TwoBoneParts { first, mid, end, hinge, softness } = parts;
        let between = |upper, lower| {
            let joints = path(skeleton, upper, lower)?;
            Ok(joints[1..joints.len() - 1].into())
        };
        let mut limb = Self {
            first,
            mid,
            end,
            upper_rolls: between(first, mid)?,
            lower_rolls: between(mid, end)?,
            path: IkPath::new(skeleton, &path(skeleton, first, end)?),
            hinge: Vec3::X,
            softness: number("softness", softness, 0.0..=1.0)?,
        };
        let rest = &*limb.path.plain(skeleton.rest_transforms());
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

    /// The limb of the two bones that end at `end`: its parent bends, and its grandparent rotates freely. A limb that is
    /// straight at rest bends about the x axis of the middle joint.
    ///
    /// # Errors
    /// If `end` does not exist or has no two joints above it, or the softness is not within 0 and 1.
    pub fn ending_at(skeleton: &Skeleton, end: JointId, softness: f32) -> Result<Self, IkError> {
        let end = super::ik_report::known(skeleton, end)?;
        let mid = skeleton.parent(end).ok_or(IkError::NoLimb { end })?;
        let first = skeleton.parent(mid).ok_or(IkError::NoLimb { end })?;
        let parts = TwoBoneParts { softness, ..TwoBoneParts::new(first, mid, end) };
        match Self::new(skeleton, parts) {
            Err(IkError::StraightAtRest { .. }) => {
                Self::new(skeleton, TwoBoneParts { hinge: Some(Vec3::X), ..parts })
            }
            other => other,
        }
    }

    /// The first, middle and end joint.
    pub fn joints(&self) -> [JointId; 3] {
        [self.first, self.mid, self.end]
    }

    /// Length of the stretched limb in `pose`, in the parent space of its first joint, in meters.
    pub fn length(&self, pose: &LocalPose) -> f32 {
        let bones = self.bones(&self.path.plain(&pose.joints));
        bones.upper.length() + bones.lower.length()
    }

    /// Rotates the first joint, the middle joint and, for a goal with an orientation, the end joint towards `goal`.
    ///
    /// Of `model`, only the parent of the first joint is read. It must be up to date; its descendants need not be. To read
    /// them afterwards, call [`ModelPose::update_below`].
    ///
    /// # Panics
    /// If the poses have fewer joints than the skeleton.
    pub fn apply(&self, goal: &TwoBoneGoal, model: &ModelPose, pose: &mut LocalPose) -> IkReport {
        self.path.solve(model, pose, |model_from_parent, pose| {
            // Compiled per SIMD level: three-operand instructions need fewer moves. The bits are the same.
            dispatch!(simd::best(), simd => {
                let _ = simd;
                self.solve(goal, model_from_parent, pose).unwrap_or(IkReport::NONE)
            })
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
            // Both frames are known, so the old rotation is not needed.
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
        // Measured with the rotations that are written, which include rounding.
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

    /// The normal of the bending plane given by the pole, perpendicular to the line to the target, in the parent space of
    /// the first joint.
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

    /// The bending axis in the frame of the first joint, after its scale.
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

    /// The local rotation of the end joint whose model-space rotation is `wanted`.
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

/// The two bones in the frame of the first joint, after its scale.
struct LimbBones {
    upper: Vec3,
    lower: Vec3,
    /// The lower bone before the rotation of the middle joint.
    inner: Vec3,
    /// The product of the joints between first and mid, if there are any.
    rolls: Option<Transform>,
}

impl LimbBones {
    /// The vector from the middle joint, rotated by `mid_rotation`, to the end, in the frame of the first joint after its
    /// scale.
    #[inline(always)]
    fn lower_turned(&self, mid_rotation: Quat, first_scale: Vec3) -> Vec3 {
        let mid = mid_rotation * self.inner;
        first_scale * self.rolls.map_or(mid, |r| r.rotation * (r.scale * mid))
    }
}

/// The bend that brings the end as far away as the target, in the frame of the first joint.
struct LimbPlane {
    /// The rotation of the lower bone to its solved direction.
    fold: Quat,
    /// The solved direction from the first joint to the end.
    reach: Vec3,
    /// Normal of the bending plane; the middle joint lies on the side of `reach × normal`.
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
        // Relative to the length, so that neither huge nor tiny limbs overflow.
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
        // By the law of cosines its length is the distance; a square root would add latency.
        let reach = if distance > 0.1 && around > 1e-6 {
            reach * distance.recip()
        } else {
            reach.try_normalize().unwrap_or(upper)
        };
        Some(Self { fold: arc(lower, wanted), reach, normal, length })
    }
}

/// `v / length` with one division, or with three if the reciprocal would overflow.
#[inline(always)]
fn scaled_down(v: Vec3, length: f32) -> Vec3 {
    if length > 1e-30 && length < 1e30 { v * length.recip() } else { v / length }
}

/// The normal of the bending plane: that of the input pose, blended to the hinge where the input is straight or bends
/// backwards. It is continuous in all three directions.
///
/// `upper` and `lower` are unit vectors, `product` is the cross product of the bones and `length` their total length.
#[inline(always)]
fn plane(upper: Vec3, lower: Vec3, product: Vec3, length: f32, hinge: Vec3) -> Vec3 {
    let normal = upper.cross(lower);
    let flat = hinge - upper * upper.dot(hinge);
    let side = normal.dot(flat);
    if side >= STRAIGHT {
        // The product of the bones is available earlier than that of their directions, but its square may overflow.
        return if length > 1e-8 && length < 1e8 { product.normalize() } else { normal.normalize() };
    }
    let back = side.min(0.0) / flat.length_squared().max(1e-8);
    perpendicular_to(upper, normal + flat * (STRAIGHT - side.max(0.0) - back))
}

/// The rotation that takes one pair of perpendicular unit vectors to another.
///
/// Frames are multiplied as matrices, which needs one square root instead of two.
#[inline(always)]
fn turn_of_frames(from: (Vec3, Vec3), to: (Vec3, Vec3)) -> Quat {
    let frame = |(x, y): (Vec3, Vec3)| Mat3::from_cols(x, y, x.cross(y));
    Quat::from_mat3(&(frame(to) * frame(from).transpose()))
}

/// Renormalizes a product of rotations. Its length is off by rounding only, so one Newton step suffices, without a square
/// root.
#[inline(always)]
fn trimmed(rotation: Quat) -> Quat {
    rotation * (1.5 - 0.5 * rotation.length_squared())
}

/// The softened distance, relative to the length of the limb, which approaches 1 but never reaches it.
#[inline(always)]
fn softened(distance: f32, softness: f32) -> f32 {
    let over = distance - (1.0 - softness);
    if softness <= 0.0 || over <= 0.0 {
        return distance;
    }
    1.0 - softness * (-over / softness).exp()
}

/// Interpolates `rotation` towards `solved`; unchanged at weight 0, exactly `solved` at weight 1.
pub(super) fn blend(rotation: &mut Quat, solved: Quat, weight: f32) {
    if weight >= 1.0 {
        *rotation = solved;
    } else if weight > 0.0 {
        *rotation = slerp(*rotation, solved, weight);
    }
}

#[cfg(test)]
mod tests;
