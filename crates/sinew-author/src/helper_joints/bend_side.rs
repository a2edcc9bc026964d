//! The side to which a limb bends, where the muscle that bends it lies.

use super::{
    limb::{HelperLimb, joint_from},
    muscle::{bend_axis, limb_of},
};
use sinew::{
    Character, JointId, LocalPose, Skeleton, Wrap,
    constrain::Limit,
    glam::{Quat, Vec3},
    sample_clip,
};
use std::f32::consts::TAU;

/// What showed the side of a bend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BendEvidence {
    /// A pose in which the joint is bent.
    Pose,
    /// The limit of the joint, which allows more to one side.
    Limit,
    /// The clips, in which the joint bends to one side.
    Clips,
}

/// The side of a bone to which a joint bends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BendSide {
    /// The side, as in [`MuscleOptions::around_radians`](super::MuscleOptions::around_radians).
    pub around_radians: f32,
    /// What showed the side: a pose, a limit or clips.
    pub evidence: BendEvidence,
}

/// Less than this, in radians, does not count as a bend.
const MIN_BEND: f32 = 0.2;
/// A joint that bends this evenly to all sides bends to none: the length of the mean bend as a fraction of the mean length.
const MIN_AGREEMENT: f32 = 0.3;
/// How many times each clip is sampled, evenly over its length.
const SAMPLES_PER_CLIP: u32 = 31;
/// In how many directions a limit is tried.
const DIRECTIONS: u32 = 32;
/// How far the joint is bent in each direction before the limit clamps it, in radians.
const TRIED_BEND: f32 = 2.5;

/// The side of the bone towards which `source` bends: in `pose` if that is given and the joint is bent in it, otherwise as far
/// as its `limit` allows, otherwise in the clips. `None` if nothing shows a side.
///
/// A muscle that bends the joint lies on that side. Use it for
/// [`MuscleOptions::around_radians`](super::MuscleOptions::around_radians).
///
/// ```
/// use sinew::JointId;
/// use sinew_author::helper_joints::{BendEvidence, bend_side};
///
/// let arm = sinew_samples::arm();
/// let side = bend_side(&arm, JointId(0), JointId(1), None, None).unwrap();
/// assert_eq!(side.evidence, BendEvidence::Clips);
/// ```
#[must_use]
pub fn bend_side(
    character: &Character,
    bone: JointId,
    source: JointId,
    pose: Option<&LocalPose>,
    limit: Option<&Limit>,
) -> Option<BendSide> {
    let joint = BendingJoint::new(character.skeleton(), bone, source)?;
    let in_pose = || joint.side_of([joint.bend_in(pose?)?]);
    let in_limit = || joint.side_of(joint.bends_within(limit?));
    let in_clips = || joint.side_of(joint.bends_in_clips(character));
    let found = |side: Option<f32>, evidence| Some(BendSide { around_radians: side?, evidence });
    found(in_pose(), BendEvidence::Pose)
        .or_else(|| found(in_limit(), BendEvidence::Limit))
        .or_else(|| found(in_clips(), BendEvidence::Clips))
}

/// A joint that bends relative to a bone above it.
struct BendingJoint<'a> {
    skeleton: &'a Skeleton,
    limb: HelperLimb,
    source: JointId,
    /// From the joint's parent space to the space of the bone, at rest.
    bone_from_source: Quat,
    /// The direction of the joint's own bone, in its space.
    axis: Vec3,
}

impl<'a> BendingJoint<'a> {
    fn new(skeleton: &'a Skeleton, bone: JointId, source: JointId) -> Option<Self> {
        let limb = limb_of(skeleton, bone, source).ok()?;
        let bone_from_source = joint_from(skeleton, bone, source)?.to_scale_rotation_translation().1;
        Some(Self { skeleton, limb, source, bone_from_source, axis: bend_axis(skeleton, &limb, source) })
    }

    /// The way in which the swing from rest to `rotation` would move a bone that continues the limb, in the space of the
    /// limb, as long as the square of its angle. Zero for less than a bend.
    ///
    /// The direction of the joint's own bone would mislead: at rest an elbow is often half bent, and from there the hand moves
    /// towards the shoulder as much as across the arm.
    fn bend(&self, rotation: Quat) -> Vec3 {
        let since_rest = self.skeleton.rest(self.source).rotation.conjugate() * rotation;
        let [from, to] = [self.axis, since_rest * self.axis].map(|axis| self.bone_from_source * axis);
        let angle = from.angle_between(to);
        let axis = from.cross(to).normalize_or_zero();
        let is_bent = angle.is_finite() && angle > MIN_BEND;
        if is_bent { axis.cross(self.limb.along) * angle * angle } else { Vec3::ZERO }
    }

    fn bend_in(&self, pose: &LocalPose) -> Option<Vec3> {
        Some(self.bend(pose.joints.get(self.source.index())?.rotation))
    }

    /// The bends that `limit` allows, in directions all around the joint's bone.
    fn bends_within(&self, limit: &Limit) -> Vec<Vec3> {
        let across = self.axis.any_orthonormal_vector();
        let rest = self.skeleton.rest(self.source).rotation;
        let tried = (0..DIRECTIONS).map(|step| {
            let around = Quat::from_axis_angle(self.axis, TAU * step as f32 / DIRECTIONS as f32);
            rest * Quat::from_axis_angle(around * across, TRIED_BEND)
        });
        tried.map(|rotation| self.bend(limit.clamp(rotation))).collect()
    }

    fn bends_in_clips(&self, character: &Character) -> Vec<Vec3> {
        let turning = character.clips().iter().filter(|clip| {
            clip.channels().iter().filter_map(sinew::Channel::joint).any(|joint| joint == self.source)
        });
        let rest = character.rest_pose();
        let (mut pose, mut bends) = (rest.clone(), Vec::new());
        for clip in turning {
            for step in 0..SAMPLES_PER_CLIP {
                let fraction = step as f32 / (SAMPLES_PER_CLIP - 1) as f32;
                pose.copy_from(&rest);
                sample_clip(clip, clip.duration_secs() * fraction, Wrap::Clamp, &mut pose);
                bends.extend(self.bend_in(&pose));
            }
        }
        bends
    }

    /// The angle of the mean bend around the bone, from its front; `None` if the bends cancel out.
    fn side_of(&self, bends: impl IntoIterator<Item = Vec3>) -> Option<f32> {
        let (mut sum, mut length) = (Vec3::ZERO, 0.0);
        for bend in bends {
            sum += bend;
            length += bend.length();
        }
        let side = sum.try_normalize().filter(|_| sum.length() > MIN_AGREEMENT * length)?;
        let front = self.limb.front(self.skeleton);
        Some(front.cross(side).dot(self.limb.along).atan2(front.dot(side)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::helper_joints::{MuscleOptions, add_muscle};
    use sinew::{CharacterParts, Clip, Curve, Joint};
    use std::sync::Arc;

    const BONE: JointId = JointId(0);
    const ELBOW: JointId = JointId(1);

    fn side(character: &Character, pose: Option<&LocalPose>, limit: Option<&Limit>) -> Option<BendSide> {
        bend_side(character, BONE, ELBOW, pose, limit)
    }

    fn without_clips(character: &Character) -> Character {
        Character::new(CharacterParts { clips: Vec::new(), ..character.parts().clone() }).unwrap()
    }

    /// The direction of a side, in model space at rest.
    fn direction(character: &Character, around_radians: f32) -> Vec3 {
        let skeleton = character.skeleton();
        let limb = limb_of(skeleton, BONE, ELBOW).unwrap();
        crate::helper_joints::limb::model_rotation(skeleton, BONE) * limb.side(skeleton, around_radians)
    }

    /// How far the hand moves from rest to a bend, in model space: the direction that the muscle must face.
    fn way_of_the_hand(character: &Character, pose: &LocalPose) -> Vec3 {
        let tip = JointId(2);
        let mut model = sinew::ModelPose::new(character.skeleton());
        model.update(character.skeleton(), &character.rest_pose());
        let before = model.joint(tip).translation;
        model.update(character.skeleton(), pose);
        let along = (model.joint(ELBOW).translation - model.joint(BONE).translation).normalize();
        let moved = model.joint(tip).translation - before;
        Vec3::from(moved - along * moved.dot(along)).normalize()
    }

    #[test]
    fn the_arm_bends_to_the_side_of_its_clips() {
        let arm = sinew_samples::arm();
        let found = side(&arm, None, None).unwrap();
        assert_eq!(found.evidence, BendEvidence::Clips);
        let way = way_of_the_hand(&arm, &sinew_samples::arm_pose(1.0));
        assert!(direction(&arm, found.around_radians).dot(way) > 0.99);
        assert!(direction(&arm, 0.0).dot(way).abs() < 0.1, "the front is another side");
    }

    #[test]
    fn a_bent_pose_comes_before_clips_and_a_straight_one_does_not_count() {
        let arm = sinew_samples::arm();
        let mut pose = arm.rest_pose();
        pose.joints[1].rotation = Quat::from_rotation_x(1.0);
        let bent = side(&arm, Some(&pose), None).unwrap();
        assert_eq!(bent.evidence, BendEvidence::Pose);
        assert!(direction(&arm, bent.around_radians).dot(way_of_the_hand(&arm, &pose)) > 0.99);
        let straight = side(&arm, Some(&arm.rest_pose()), None).unwrap();
        assert_eq!(straight.evidence, BendEvidence::Clips);
    }

    #[test]
    fn a_limit_that_opens_to_one_side_shows_it_and_an_even_one_does_not() {
        let arm = without_clips(&sinew_samples::arm());
        let hinge = |range| Limit::hinge(arm.skeleton(), ELBOW, Vec3::Z, range).unwrap();
        let found = side(&arm, None, Some(&hinge([0.0, 2.4]))).unwrap();
        assert_eq!(found.evidence, BendEvidence::Limit);
        let way = way_of_the_hand(&arm, &sinew_samples::arm_pose(1.0));
        assert!(direction(&arm, found.around_radians).dot(way) > 0.95);
        let back = side(&arm, None, Some(&hinge([-2.4, 0.0]))).unwrap();
        assert!(direction(&arm, back.around_radians).dot(way) < -0.95);
        assert_eq!(side(&arm, None, Some(&hinge([-1.0, 1.0]))), None);
        assert_eq!(side(&arm, None, None), None);
    }

    #[test]
    fn bends_to_opposite_sides_cancel_out() {
        let arm = sinew_samples::arm();
        let mut parts = arm.parts().clone();
        let mut swung = Clip::clone(&parts.clips[0]).into_parts();
        for channel in &mut swung.channels {
            if let sinew::Channel::Rotation { curve, .. } = channel {
                let back = curve.elements().iter().map(|q| q.conjugate()).collect();
                *curve = Curve::new(curve.times_secs().to_vec(), back, curve.interpolation()).unwrap();
            }
        }
        parts.clips = vec![Arc::clone(&parts.clips[0]), Arc::new(Clip::from_parts(swung).unwrap())];
        assert_eq!(side(&Character::new(parts).unwrap(), None, None), None);
    }

    #[test]
    fn an_elbow_that_is_half_bent_at_rest_bends_on_to_the_same_side() {
        let arm = sinew_samples::arm();
        let mut joints: Vec<Joint> = arm
            .skeleton()
            .joints()
            .map(|j| Joint {
                name: arm.skeleton().name(j).into(),
                parent: arm.skeleton().parent(j),
                rest: arm.skeleton().rest(j),
            })
            .collect();
        let straight = arm.skeleton().rest(ELBOW).rotation;
        joints[1].rest.rotation = straight * Quat::from_rotation_z(0.8);
        let skeleton = Skeleton::new(joints).unwrap();
        let joint = BendingJoint::new(&skeleton, BONE, ELBOW).unwrap();
        let at = |radians: f32| joint.bend(straight * Quat::from_rotation_z(radians));
        let found = joint.side_of([at(2.3), at(0.1)]).unwrap();
        let want = side(&arm, None, None).unwrap().around_radians;
        assert!((found - want).abs() < 0.05, "{found} for {want}");
    }

    #[test]
    fn a_muscle_on_that_side_pushes_the_skin_that_way() {
        let arm = sinew_samples::arm();
        let around_radians = side(&arm, None, None).unwrap().around_radians;
        let options = MuscleOptions { around_radians, slide: 0.0, ..MuscleOptions::default() };
        let muscled = add_muscle(&arm, BONE, ELBOW, &options).unwrap().character;
        let deformed = |character: &Character| {
            let mut frame = sinew::Frame::new(character);
            frame.local_mut().joints[1].rotation = Quat::from_rotation_z(2.0);
            frame.deform(sinew::Method::Linear).unwrap();
            frame.deformed()[0].positions.clone()
        };
        let moved = deformed(&muscled).into_iter().zip(deformed(&arm)).map(|(with, without)| with - without);
        let sum: Vec3 = moved.sum();
        let way = way_of_the_hand(&arm, &sinew_samples::arm_pose(1.0));
        assert!(sum.normalize().dot(way) > 0.95, "{sum}");
    }
}
