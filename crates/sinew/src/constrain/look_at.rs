//! Look-at: eyes, a head with its neck, a turret.

use super::{
    ik_path::IkPath,
    ik_report::{IkError, IkReport, known, number, path},
    limit::Limit,
    rotation::{arc, into_joint, parent_from_model, perpendicular_to, turn_about},
    two_bone::blend,
    unit,
};
use crate::{
    asset::skeleton::{JointId, Skeleton},
    pose::{LocalPose, ModelPose},
    sample::slerp,
    transform::Transform,
};
use glam::{Affine3A, Quat, Vec3};

/// Largest angle between the line of sight and the target at which the target is reached.
const TOLERANCE_RADIANS: f32 = 1e-3;

/// A joint of a [`LookAt`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookAtJoint {
    /// The joint that rotates.
    pub joint: JointId,
    /// The fraction of the remaining rotation that it takes, 0 to 1. The last joint usually takes 1.
    pub weight: f32,
    /// Its joint limit; `None` leaves the rotation free.
    pub limit: Option<Limit>,
}

/// The parts of a [`LookAt`].
#[derive(Clone, Debug, PartialEq)]
pub struct LookAtParts {
    /// The joints that rotate, from the top down, each an ancestor of the next. Joints between them do not change.
    pub joints: Vec<LookAtJoint>,
    /// Viewing direction of the last joint, in joint space.
    pub forward: Vec3,
    /// Up direction of the last joint, in joint space.
    pub up: Vec3,
    /// Origin of the line of sight, in the space of the last joint, in meters.
    pub eye: Vec3,
}

/// The goal of a [`LookAt`] in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookAtGoal {
    /// The point to look at, in model space.
    pub target: Vec3,
    /// The desired up direction in model space; `None` leaves it free.
    pub up: Option<Vec3>,
    /// Weight of the solution, 0 to 1: 0 leaves every bit of the pose, 1 is the full solution.
    pub weight: f32,
}

impl LookAtGoal {
    /// Looks at `target`, a point in model space, with full weight and a free up direction.
    pub const fn at(target: Vec3) -> Self {
        Self { target, up: None, weight: 1.0 }
    }
}

/// A chain of joints that looks at a point, checked against its skeleton.
///
/// Every rotation is computed in the parent space of its joint, so ancestors and joints may have any scale. With
/// non-uniform scale the up direction is only approximated.
#[doc(alias = "aim constraint")]
#[derive(Clone, Debug, PartialEq)]
pub struct LookAt {
    above: IkPath,
    /// Every joint from the first that rotates to the last; `None` for joints that do not rotate.
    path: Box<[(JointId, Option<LookAtJoint>)]>,
    forward: Vec3,
    up: Vec3,
    eye: Vec3,
}

impl LookAt {
    /// The largest number of joints from the first to the last, both included.
    pub const MAX_JOINTS: usize = 32;

    /// Builds a look-at constraint from `parts`.
    ///
    /// # Errors
    /// If there are no joints or more than [`LookAt::MAX_JOINTS`] from end to end, a joint is missing or not an ancestor
    /// of the next, a weight is not within 0 and 1, or the forward or up direction is zero or not finite.
    pub fn new(skeleton: &Skeleton, parts: LookAtParts) -> Result<Self, IkError> {
        let LookAtParts { joints, forward, up, eye } = parts;
        let wrong_count =
            |count: usize| IkError::BadNumber { what: "the number of look-at joints", value: count as f32 };
        let first = joints.first().ok_or(wrong_count(0))?;
        let mut whole: Vec<JointId> = vec![known(skeleton, first.joint)?];
        for pair in joints.windows(2) {
            whole.extend_from_slice(&path(skeleton, pair[0].joint, pair[1].joint)?[1..]);
        }
        if whole.len() > Self::MAX_JOINTS {
            return Err(wrong_count(whole.len()));
        }
        for joint in &joints {
            number("the weight of a look-at joint", joint.weight, 0.0..=1.0)?;
        }
        for part in eye.to_array() {
            number("the eye position", part, f32::MIN..=f32::MAX)?;
        }
        let role = |id: JointId| joints.iter().find(|j| j.joint == id).copied();
        let forward = unit(forward).ok_or(IkError::NoDirection { what: "forward" })?;
        let up = unit(up).ok_or(IkError::NoDirection { what: "up" })?;
        let above = IkPath::new(skeleton, &whole);
        Ok(Self { above, path: whole.iter().map(|&id| (id, role(id))).collect(), forward, up, eye })
    }

    /// Joints with weights that spread a rotation evenly: of n joints, joint k (from 0) takes 1/(n − k) of the remaining
    /// rotation.
    pub fn even(joints: &[JointId]) -> Vec<LookAtJoint> {
        let left = |at: usize| (joints.len() - at) as f32;
        let joint =
            |(at, &joint): (usize, &JointId)| LookAtJoint { joint, weight: 1.0 / left(at), limit: None };
        joints.iter().enumerate().map(joint).collect()
    }

    /// Rotates the joints so that the last one looks at the target.
    ///
    /// The report contains the distance of the target from the line of sight, in meters. Of `model`, only the parent of
    /// the first joint is read.
    ///
    /// # Panics
    /// If the poses have fewer joints than the skeleton.
    pub fn apply(&self, goal: &LookAtGoal, model: &ModelPose, pose: &mut LocalPose) -> IkReport {
        self.above.solve(model, pose, |above, pose| self.solve(goal, above, pose))
    }

    fn solve(&self, goal: &LookAtGoal, model_from_parent: &Affine3A, pose: &mut LocalPose) -> IkReport {
        let Some(parent_from_model) = parent_from_model(model_from_parent) else { return IkReport::NONE };
        let outside = parent_from_model.point(goal.target);
        let joints = &mut pose.joints[..];
        if !outside.is_finite() {
            return IkReport::NONE;
        }
        let mut input = [Quat::IDENTITY; Self::MAX_JOINTS];
        for (input, (j, _)) in input.iter_mut().zip(&self.path) {
            *input = joints[j.index()].rotation;
        }
        let mut target = outside;
        let mut up = goal.up.map(|up| parent_from_model.vector(up));
        for (at, (id, role)) in self.path.iter().enumerate() {
            if let Some(LookAtJoint { weight, limit, .. }) = role {
                let axis = self.axis(at, joints);
                let turn = axis.turn(joints[id.index()].translation, target, up);
                turn_joint(&mut joints[id.index()], turn, *weight, limit.as_ref());
            }
            target = into_joint(&joints[id.index()], target);
            let turned_only = Transform { translation: Vec3::ZERO, ..joints[id.index()] };
            up = up.map(|up| into_joint(&turned_only, up));
        }
        let axis = self.axis(0, joints);
        for (input, (j, _)) in input.iter().zip(&self.path) {
            let rotation = &mut joints[j.index()].rotation;
            let solved = std::mem::replace(rotation, *input);
            blend(rotation, solved, goal.weight.clamp(0.0, 1.0));
        }
        axis.reach(model_from_parent, goal.target)
    }

    /// The line of sight and the up direction in the parent space of joint `at` of the path.
    fn axis(&self, at: usize, joints: &[Transform]) -> LookAtAxis {
        let last = LookAtAxis { eye: self.eye, ahead: self.eye + self.forward, over: self.eye + self.up };
        self.path[at..].iter().rev().fold(last, |s, (j, _)| {
            let transform = &joints[j.index()];
            let out = |p| transform.transform_point(p);
            LookAtAxis { eye: out(s.eye), ahead: out(s.ahead), over: out(s.over) }
        })
    }
}

/// Rotates a joint by the fraction `weight` of `turn`, within its limit.
fn turn_joint(joint: &mut Transform, turn: Quat, weight: f32, limit: Option<&Limit>) {
    let rotation = (slerp(Quat::IDENTITY, turn, weight) * joint.rotation).normalize();
    let rotation = limit.map_or(rotation, |limit| limit.clamp(rotation));
    if rotation.is_finite() {
        joint.rotation = rotation;
    }
}

/// The line of sight and the up direction of the last joint, as points, which any scale maps correctly.
struct LookAtAxis {
    eye: Vec3,
    ahead: Vec3,
    over: Vec3,
}

impl LookAtAxis {
    /// The rotation about `center` that puts the target on the line of sight and brings up as close to `up` as possible.
    fn turn(&self, center: Vec3, target: Vec3, up: Option<Vec3>) -> Quat {
        let Some(forward) = unit(self.ahead - self.eye) else { return Quat::IDENTITY };
        let (eye, to) = (self.eye - center, target - center);
        let Some(along) = unit(to) else { return Quat::IDENTITY };
        // Rotate the point on the line of sight that is as far from the center as the target onto the target. If the
        // target is closer to the center than the line, align the directions only.
        let mid = eye.dot(forward);
        let inside = mid * mid + (to.length_squared() - eye.length_squared());
        let seen = if inside >= 0.0 { unit(eye + forward * (inside.sqrt() - mid)) } else { Some(forward) };
        let align = arc(seen.unwrap_or(forward), along);
        let (Some(wanted), Some(now)) = (up.and_then(unit), unit(self.over - self.eye)) else { return align };
        if wanted.cross(along).length() < 1e-3 {
            return align;
        }
        turn_about(along, perpendicular_to(along, align * now), perpendicular_to(along, wanted)) * align
    }

    /// The distance of the target from the line of sight in model space.
    fn reach(&self, model_from_parent: &Affine3A, target: Vec3) -> IkReport {
        let [eye, ahead] = [self.eye, self.ahead].map(|p| model_from_parent.transform_point3(p));
        let to = target - eye;
        let Some(forward) = unit(ahead - eye) else { return IkReport::NONE };
        let depth = to.dot(forward).max(0.0);
        let distance = (to - forward * depth).length();
        IkReport { reached: distance <= TOLERANCE_RADIANS * to.length(), distance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Joint;
    use crate::constrain::test_input::{rotation, vector};
    use proptest::{
        prelude::*,
        test_runner::{Config, RngSeed},
    };

    /// A scaled trunk, then spine, neck and head, 20 cm each, with a joint between them that does not rotate.
    fn neck(scale: Vec3, turn: Quat) -> Skeleton {
        let joint = |(at, name): (usize, &str)| Joint {
            name: name.into(),
            parent: at.checked_sub(1).map(|p| JointId(p as u16)),
            rest: Transform {
                translation: Vec3::Y * 0.2,
                rotation: if at == 0 { turn } else { Quat::from_rotation_x(0.1) },
                scale: if at == 0 { scale } else { Vec3::ONE },
            },
        };
        Skeleton::new(["trunk", "spine", "plain", "neck", "head"].into_iter().enumerate().map(joint)).unwrap()
    }

    fn parts(limit: Option<Limit>) -> LookAtParts {
        let mut joints = LookAt::even(&[JointId(1), JointId(3), JointId(4)]);
        for joint in &mut joints {
            joint.limit = limit;
        }
        LookAtParts { joints, forward: Vec3::Z, up: Vec3::Y, eye: Vec3::new(0.03, 0.1, 0.08) }
    }

    fn model_of(skeleton: &Skeleton, pose: &LocalPose) -> ModelPose {
        let mut model = ModelPose::new(skeleton);
        model.update(skeleton, pose);
        model
    }

    proptest! {
        #![proptest_config(Config {
            rng_seed: RngSeed::Fixed(0x61_696d),
            failure_persistence: None,
            ..Config::default()
        })]

        #[test]
        fn the_line_of_sight_goes_through_the_target(
            turn in rotation(), target in vector(4.0), mirror: bool, squash in 0.3_f32..2.0, up in vector(1.0), has_up: bool,
        ) {
            let skeleton = neck(Vec3::new(1.0, squash, if mirror { -1.0 } else { 1.0 }), turn);
            let aim = LookAt::new(&skeleton, parts(None)).unwrap();
            let mut pose = skeleton.rest_pose();
            let model = model_of(&skeleton, &pose);
            let head: Vec3 = model.joint(JointId(4)).translation.into();
            prop_assume!(target.distance(head) > 1.0 && up.length() > 0.1);
            let goal = LookAtGoal { up: has_up.then_some(up), ..LookAtGoal::at(target) };
            let reach = aim.apply(&goal, &model, &mut pose);
            prop_assert!(reach.reached, "{:?}", reach);
            let after = model_of(&skeleton, &pose).joint(JointId(4));
            let eye = after.transform_point3(Vec3::new(0.03, 0.1, 0.08));
            let forward = after.transform_vector3(Vec3::Z).normalize();
            prop_assert!(forward.dot((target - eye).normalize()) > 1.0 - 1e-5);
            prop_assert_eq!(pose.joints[2], skeleton.rest(JointId(2)), "joints between do not change");
        }

        #[test]
        fn up_is_as_close_as_possible(target in vector(4.0), up in vector(1.0)) {
            let skeleton = neck(Vec3::ONE, Quat::IDENTITY);
            let aim = LookAt::new(&skeleton, parts(None)).unwrap();
            let mut pose = skeleton.rest_pose();
            let model = model_of(&skeleton, &pose);
            let head: Vec3 = model.joint(JointId(4)).translation.into();
            prop_assume!(target.distance(head) > 1.0 && up.cross(target - head).length() > 0.3);
            aim.apply(&LookAtGoal { up: Some(up), ..LookAtGoal::at(target) }, &model, &mut pose);
            let after = model_of(&skeleton, &pose).joint(JointId(4));
            let axis = unit(target - Vec3::from(after.translation)).unwrap();
            let shown = perpendicular_to(axis, after.transform_vector3(Vec3::Y));
            prop_assert!(shown.dot(perpendicular_to(axis, unit(up).unwrap())) > 0.999);
        }

        #[test]
        fn limits_hold_and_every_number_stays_finite(target in vector(4.0), cone in 0.0_f32..1.0, weight in 0.0_f32..1.0, up in vector(1.0)) {
            let skeleton = neck(Vec3::ONE, Quat::IDENTITY);
            let limit = Limit::cone(&skeleton, JointId(3), Vec3::Y, cone, 0.2).unwrap();
            let aim = LookAt::new(&skeleton, parts(Some(limit))).unwrap();
            let model = model_of(&skeleton, &skeleton.rest_pose());
            let head: Vec3 = model.joint(JointId(4)).translation.into();
            for target in [target, head, head + Vec3::Y, head - Vec3::Z, Vec3::splat(f32::NAN), target * 1e12] {
                let mut pose = skeleton.rest_pose();
                let goal = LookAtGoal { up: Some(up), ..LookAtGoal::at(target) };
                let reach = aim.apply(&goal, &model, &mut pose);
                prop_assert!(!reach.distance.is_nan());
                for joint in [1, 3, 4] {
                    let [swing, twist] = limit.excess_radians(pose.joints[joint].rotation);
                    prop_assert!(swing < 1e-3 && twist < 1e-3);
                }
                let mut part = skeleton.rest_pose();
                aim.apply(&LookAtGoal { weight, ..goal }, &model, &mut part);
                prop_assert!(part.joints.iter().all(Transform::is_finite));
                let mut none = skeleton.rest_pose();
                aim.apply(&LookAtGoal { weight: 0.0, ..goal }, &model, &mut none);
                prop_assert_eq!(none, skeleton.rest_pose());
            }
        }
    }

    #[test]
    fn even_weights_rotate_every_joint_by_about_the_same_angle() {
        let skeleton = neck(Vec3::ONE, Quat::IDENTITY);
        let aim = LookAt::new(&skeleton, parts(None)).unwrap();
        let mut pose = skeleton.rest_pose();
        let model = model_of(&skeleton, &pose);
        aim.apply(&LookAtGoal::at(Vec3::new(50.0, 1.0, 50.0)), &model, &mut pose);
        for joint in [1_u16, 3, 4] {
            let turned = pose.joints[usize::from(joint)]
                .rotation
                .angle_between(skeleton.rest(JointId(joint)).rotation);
            assert!((0.2..0.4).contains(&turned), "{joint}: {turned}");
        }
    }

    #[test]
    fn invalid_look_at_parts_are_rejected() {
        let skeleton = neck(Vec3::ONE, Quat::IDENTITY);
        let new = |change: fn(&mut LookAtParts)| {
            let mut parts = parts(None);
            change(&mut parts);
            LookAt::new(&skeleton, parts)
        };
        assert!(matches!(new(|p| p.joints.clear()), Err(IkError::BadNumber { .. })));
        assert!(matches!(new(|p| p.joints.reverse()), Err(IkError::NotAbove { .. })));
        assert!(matches!(new(|p| p.joints[0].weight = 2.0), Err(IkError::BadNumber { .. })));
        assert!(matches!(new(|p| p.forward = Vec3::ZERO), Err(IkError::NoDirection { what: "forward" })));
        assert!(matches!(new(|p| p.up = Vec3::NAN), Err(IkError::NoDirection { what: "up" })));
        assert!(matches!(new(|p| p.eye.x = f32::NAN), Err(IkError::BadNumber { .. })));
        assert!(matches!(new(|p| p.joints[2].joint = JointId(70)), Err(IkError::NoSuchJoint { .. })));
    }
}
