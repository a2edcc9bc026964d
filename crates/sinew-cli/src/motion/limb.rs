//! `--ik`: the two joints above a joint take it to a point.

use crate::{failure::Failure, joint};
use sinew::{
    Character, JointId, LocalPose, ModelPose,
    constrain::{Chain, ChainGoal, ChainScratch, IkError, Limit, TwoBone, TwoBoneGoal, ccd, fabrik},
    glam::Vec3,
};
use sinew_formats::joint_limits::solver_limits;

/// The fraction of its length in which a limb straightens more and more slowly.
const SOFTNESS: f32 = 0.02;

/// A limb of two bones and what solves it.
pub(crate) enum ReachingLimb {
    /// The law of cosines, which has no limits.
    Free(TwoBone),
    /// FABRIK and CCD within the limits of the joints.
    Limited(Chain),
}

impl ReachingLimb {
    /// The limb that ends at the joint called `name`.
    pub(crate) fn new(character: &Character, name: &str) -> Result<Self, Failure> {
        let free = limb(character, name)?;
        let [first, middle, end] = free.joints();
        let mut limits = solver_limits(character);
        limits.retain(|joint, _| [first, middle].contains(joint));
        if limits.is_empty() {
            return Ok(Self::Free(free));
        }
        limited(character, [first, end], limits).map(Self::Limited).map_err(|e| failure(name, &e))
    }

    /// Takes the end of the limb to `target`, in model space in meters, or as near as the limb reaches.
    pub(crate) fn reach(&self, target: Vec3, model: &ModelPose, pose: &mut LocalPose) {
        match self {
            Self::Free(limb) => {
                limb.apply(&TwoBoneGoal::to(target), model, pose);
            }
            Self::Limited(chain) => {
                let (goal, mut scratch) = (ChainGoal::to(target), ChainScratch::new(chain));
                // Each gets past some of the limits that stop the other.
                if !fabrik(chain, &goal, model, &mut scratch, pose).reached {
                    ccd(chain, &goal, model, &mut scratch, pose);
                }
            }
        }
    }
}

fn limited(
    character: &Character,
    [first, end]: [JointId; 2],
    limits: impl IntoIterator<Item = (JointId, Limit)>,
) -> Result<Chain, IkError> {
    Chain::new(character.skeleton(), first, end)?.with_limits(limits)
}

/// The limb of two bones that ends at the joint called `name`.
pub(crate) fn limb(character: &Character, name: &str) -> Result<TwoBone, Failure> {
    let end = joint::find(character, name)?;
    TwoBone::ending_at(character.skeleton(), end, SOFTNESS).map_err(|e| failure(name, &e))
}

fn failure(name: &str, error: &IkError) -> Failure {
    Failure::usage(format!("--ik {name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::constrain::{MetaJoint, MetaJointPart};
    use sinew_formats::meta_joints::put_meta_joints;

    const TARGET: Vec3 = Vec3::new(0.3, 1.2, 0.3);

    fn hand_and_elbow(character: &Character, elbow: &MetaJoint) -> (f32, f32) {
        let skeleton = character.skeleton();
        let (mut pose, mut model) = (character.rest_pose(), ModelPose::new(skeleton));
        model.update(skeleton, &pose);
        ReachingLimb::new(character, "hand.L").unwrap().reach(TARGET, &model, &mut pose);
        model.update(skeleton, &pose);
        let hand = model.joint(skeleton.find("hand.L").unwrap()).translation;
        (Vec3::from(hand).distance(TARGET), elbow.angles(&pose).radians[0].to_degrees())
    }

    #[test]
    fn a_limb_reaches_its_target_as_far_as_the_ranges_of_its_meta_joints_allow() {
        let figure = sinew_samples::figure();
        let skeleton = figure.skeleton();
        let forearm = skeleton.find("forearm.L").unwrap();
        let elbow = |degrees: [f32; 2]| {
            let part = MetaJointPart {
                ranges_radians: vec![degrees.map(f32::to_radians)],
                ..MetaJointPart::new(forearm, "x".parse().unwrap())
            };
            MetaJoint::new(skeleton, "elbow.L", vec![part]).unwrap()
        };
        let within = |elbow: &MetaJoint| {
            let mut parts = figure.parts().clone();
            put_meta_joints(&mut parts.extras, skeleton, std::slice::from_ref(elbow)).unwrap();
            hand_and_elbow(&Character::new(parts).unwrap(), elbow)
        };
        let (off, free) = hand_and_elbow(&figure, &elbow([-180.0, 180.0]));
        assert!(off < 0.01 && free > 40.0, "{off} m off at {free} degrees");
        let (off, wide) = within(&elbow([0.0, 150.0]));
        assert!(off < 0.01 && (0.0..=150.0).contains(&wide), "{off} m off at {wide} degrees");
        let (off, stiff) = within(&elbow([0.0, 10.0]));
        assert!(off > 0.05 && (-0.01..=10.01).contains(&stiff), "{off} m off at {stiff} degrees");
    }
}
