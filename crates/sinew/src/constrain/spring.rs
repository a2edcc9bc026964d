//! Spring bones: hair, skirts and tails that swing with the motion of the body.
//!
//! A chain of joints is pulled back to its rest pose by its stiffness, slowed down by drag, pulled by gravity and pushed
//! away by colliders, as the glTF extension `VRMC_springBone` 1.0 defines it, with the colliders of
//! `VRMC_springBone_extended_collider` and the limits of `VRMC_springBone_limit`. [`SpringParts`] is plain data for
//! editing, [`Springs`] is checked against a skeleton, and a [`SpringState`] is what one instance remembers.
//!
//! ```
//! use sinew::{Joint, JointId, ModelPose, Skeleton, Transform, glam::Vec3};
//! use sinew::constrain::{SpringChain, SpringJoint, SpringParts, Springs};
//!
//! let joint = |at: u16| Joint {
//!     name: format!("hair_{at}"),
//!     parent: at.checked_sub(1).map(JointId),
//!     rest: Transform::from_translation(Vec3::X * 0.1),
//! };
//! let skeleton = Skeleton::new((0..4).map(joint)).unwrap();
//! let hair = (1..4).map(|at| SpringJoint { gravity_power: 0.5, ..SpringJoint::new(JointId(at)) });
//! let chains = vec![SpringChain::new("hair", hair)];
//! let springs = Springs::new(&skeleton, &SpringParts { chains, ..SpringParts::default() })?;
//!
//! let (mut state, mut model) = (springs.new_state(), ModelPose::new(&skeleton));
//! for _ in 0..120 {
//!     let mut pose = skeleton.rest_pose();                      // sampled and blended
//!     model.update(&skeleton, &pose);
//!     springs.step(1.0 / 60.0, &model, &mut state, &mut pose);
//!     model.update(&skeleton, &pose);
//! }
//! assert!(model.joint(JointId(3)).translation.y < -0.02);       // the hair hangs
//! # Ok::<(), sinew::constrain::SpringError>(())
//! ```

mod anchors;
mod bone;
mod collide;
mod compile;
mod definition;
mod error;
mod lanes;
mod limit;
mod order;
mod pass;
mod rank;
mod real;
mod remap;
mod state;

pub use definition::{
    ColliderShape, SpringChain, SpringCollider, SpringColliderGroup, SpringJoint, SpringLimit,
    SpringLimitShape, SpringParts,
};
pub use error::SpringError;
pub use state::{SpringOptions, SpringState, SpringStep, SpringTiming};

use super::rotation::ParentFromModel;
use crate::{
    asset::skeleton::JointId,
    pose::{LocalPose, ModelPose},
    simd::{self, Level},
};
use anchors::Anchor;
use collide::PlacedCollider;
use glam::{Quat, Vec3};
use lanes::SpringGroup;
use limit::PlacedLimit;
use std::ops::Range;

/// Spring bones that are checked against a skeleton, ready to be stepped.
///
/// Bones without length do not swing. Where springs collide with each other's joints in a circle, one of them sees the
/// other where it was in the step before.
#[doc(alias = "secondary animation")]
#[doc(alias = "jiggle bones")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Springs {
    pairs: Box<[SpringPair]>,
    /// The swinging joints and those below them that matter, in the order of evaluation.
    nodes: Box<[SpringNode]>,
    /// All nodes, in the order of evaluation, by what is evaluated side by side.
    groups: Box<[SpringGroup]>,
    /// The spaces that come from the pose.
    anchors: Box<[Anchor]>,
    /// The anchors that are center spaces.
    centers: Box<[u32]>,
    colliders: Box<[PlacedCollider]>,
    /// The colliders of each chain, one list after the other, as indices of `colliders`.
    tested: Box<[u32]>,
    joint_count: usize,
}

/// A joint that swings, and the end of its bone.
#[derive(Clone, Debug, PartialEq)]
struct SpringPair {
    joint: JointId,
    rest: Quat,
    /// The direction of the bone in joint space at rest, of unit length.
    axis: Vec3,
    tail: SpringTail,
    stiffness: f32,
    /// The direction of gravity times its power, in world space.
    gravity: Vec3,
    /// The fraction of the velocity that drag leaves.
    inertia: f32,
    radius: f32,
    limit: Option<PlacedLimit>,
    /// The anchor that is the center space.
    center: Option<u32>,
    /// The colliders, as a range of `Springs::tested`.
    colliders: Range<u32>,
}

/// The end of a bone.
#[derive(Clone, Debug, PartialEq)]
enum SpringTail {
    /// The origin of the last of these joints, of which the first is a child of the joint that swings.
    Joints(Box<[JointId]>),
    /// A point in the space of the joint that swings.
    Point(Vec3),
}

/// A joint whose matrix follows from springs.
#[derive(Clone, Debug, PartialEq)]
struct SpringNode {
    joint: JointId,
    from: NodeParent,
    /// True if the joint does not inherit its parent's own scale.
    is_compensated: bool,
    pair: Option<u32>,
    /// The colliders that this joint carries.
    colliders: Box<[u32]>,
}

/// Where the matrix of a [`SpringNode`] starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeParent {
    /// An anchor that is the joint's own frame, without its rotation and scale.
    Anchor(u32),
    /// The node of its parent.
    Node(u32),
}

impl SpringTail {
    /// The end of the bone in the space of the joint that swings.
    fn in_joint(&self, joints: &[crate::transform::Transform]) -> Vec3 {
        match self {
            Self::Point(point) => *point,
            Self::Joints(path) => {
                let Some((last, above)) = path.split_last() else { return Vec3::ZERO };
                let end = joints[last.index()].translation;
                above.iter().rev().fold(end, |point, j| joints[j.index()].transform_point(point))
            }
        }
    }
}

impl Springs {
    /// True if nothing swings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// How many joints swing.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The joints that swing, in the order of evaluation.
    pub fn joints(&self) -> impl ExactSizeIterator<Item = JointId> + '_ {
        self.pairs.iter().map(|pair| pair.joint)
    }

    /// A state for one instance, at rest from its first step on, with the default options.
    #[must_use]
    pub fn new_state(&self) -> SpringState {
        SpringState::new(self)
    }

    /// Advances the springs by the time of `step` and writes the rotations of the joints that swing into `pose`.
    ///
    /// `model` is the model pose of `pose`. Rotations that `pose` has for these joints are replaced, since springs return to
    /// the rest pose. The first step after [`SpringState::reset`] starts at rest where `pose` has the joints above. Nothing
    /// is allocated, and equal input gives equal bits.
    ///
    /// # Panics
    /// If the state is of other springs, or a pose has fewer joints than the skeleton.
    #[track_caller]
    pub fn step(
        &self,
        step: impl Into<SpringStep>,
        model: &ModelPose,
        state: &mut SpringState,
        pose: &mut LocalPose,
    ) {
        self.step_at(simd::best(), step, model, state, pose);
    }

    /// [`Springs::step`] at a SIMD level; all levels give the same bits.
    ///
    /// Chains are evaluated eight at a time, bone by bone from the top: those of a group measure motion in the same center
    /// space and collide with the same colliders. Bones with a limit are evaluated one by one.
    ///
    /// # Panics
    /// If the state is of other springs, or a pose has fewer joints than the skeleton.
    #[track_caller]
    pub fn step_at(
        &self,
        level: Level,
        step: impl Into<SpringStep>,
        model: &ModelPose,
        state: &mut SpringState,
        pose: &mut LocalPose,
    ) {
        self.check(state, pose);
        pass::step(level, self, &step.into(), model, state, &pose.joints);
        self.apply(state, pose);
    }

    /// Writes the rotations of the latest step into `pose`, without a step.
    ///
    /// # Panics
    /// If the state is of other springs, or the pose has fewer joints than the skeleton.
    #[track_caller]
    pub fn apply(&self, state: &SpringState, pose: &mut LocalPose) {
        self.check(state, pose);
        for (pair, rotation) in self.pairs.iter().zip(state.shown()) {
            pose.joints[pair.joint.index()].rotation = *rotation;
        }
    }

    #[track_caller]
    fn check(&self, state: &SpringState, pose: &LocalPose) {
        let (pairs, of) = (self.pairs.len(), state.shown().len());
        assert!(state.fits(self), "the state is of {of} spring joints, these springs have {pairs}");
        let (joints, got) = (self.joint_count, pose.joints.len());
        assert!(got >= joints, "the pose has {got} joints, the springs need {joints}");
    }
}

/// The inverse of a joint's frame at rest, for points in world space.
type JointFromWorld = ParentFromModel;

#[cfg(test)]
mod tests;
