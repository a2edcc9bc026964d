//! Node constraints: joints whose rotation follows another joint, as the glTF extension `VRMC_node_constraint` defines it.
//!
//! A [`NodeConstraint`] is plain data for editing. [`NodeConstraints`] is a list of them, checked against a skeleton and
//! ordered by what depends on what. A [`Character`](crate::Character) owns both, and
//! [`Frame::update`](crate::Frame::update) applies them after the helper joints.
//!
//! ```
//! use sinew::constrain::{JointAxis, NodeConstraint, NodeConstraintKind, NodeConstraints};
//! use sinew::glam::Quat;
//!
//! let figure = sinew_samples::figure();
//! let skeleton = figure.skeleton();
//! let find = |name: &str| skeleton.find(name).unwrap();
//! let (left, right) = (find("hand.L"), find("hand.R"));
//! let half = NodeConstraint { joint: right, source: left, weight: 0.5, kind: NodeConstraintKind::Rotation };
//! let constraints = NodeConstraints::new(skeleton, &[half])?;
//! let mut pose = figure.rest_pose();
//! pose.joints[left.index()].rotation *= Quat::from_rotation_x(0.4);
//! constraints.apply(&mut pose);
//! let turned = skeleton.rest(right).rotation.angle_between(pose.joints[right.index()].rotation);
//! assert!((turned - 0.2).abs() < 1e-3);
//! # Ok::<(), sinew::constrain::NodeConstraintError>(())
//! ```

use super::{
    JointAxis,
    rotation::{arc, parent_from_model},
};
use crate::{
    asset::skeleton::{JointId, ScaleInheritance, Skeleton},
    pose::LocalPose,
    sample::slerp,
};
use glam::{Affine3A, Mat3A, Quat, Vec3};
use std::collections::HashMap;
use thiserror::Error;

/// The largest number of joints that all aim constraints look up in one pose.
const MAX_WORK: usize = 1 << 22;

/// A joint whose rotation follows another joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NodeConstraint {
    /// The joint that is rotated.
    pub joint: JointId,
    /// The joint that it follows.
    pub source: JointId,
    /// How far it follows, 0 to 1: 0 is its rest pose.
    pub weight: f32,
    /// How it follows its source.
    pub kind: NodeConstraintKind,
}

/// How the joint of a [`NodeConstraint`] follows its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NodeConstraintKind {
    /// Takes over the rotation of the source about one axis: twist joints.
    Roll {
        /// The axis in the space of the joint at rest.
        axis: JointAxis,
    },
    /// Points an axis at the origin of the source, by the smallest rotation from rest.
    Aim {
        /// The axis in the space of the joint.
        axis: JointAxis,
        /// True if the negative axis points at the source.
        is_negative: bool,
    },
    /// Takes over the rotation of the source from its rest pose.
    Rotation,
}

impl NodeConstraint {
    /// The same constraint for a skeleton with other joint indices; `None` if one of its joints does not exist there.
    #[must_use]
    pub fn renumbered(self, new_of: impl Fn(JointId) -> Option<JointId>) -> Option<Self> {
        Some(Self { joint: new_of(self.joint)?, source: new_of(self.source)?, ..self })
    }
}

/// Why node constraints are invalid.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum NodeConstraintError {
    /// A joint that the skeleton does not have.
    #[error("node constraint {constraint}: joint {} is not one of the skeleton's {joints}", joint.0)]
    NoSuchJoint {
        /// Index of the constraint.
        constraint: usize,
        /// The joint that does not exist.
        joint: JointId,
        /// How many the skeleton has.
        joints: usize,
    },
    /// A joint has two constraints.
    #[error("joint {} has two node constraints: {first} and {second}", joint.0)]
    JointTwice {
        /// The joint in question.
        joint: JointId,
        /// Index of its first constraint.
        first: usize,
        /// Index of its other constraint.
        second: usize,
    },
    /// A weight is not within 0 and 1.
    #[error("node constraint {constraint}: the weight must be from 0 to 1, got {weight}")]
    BadWeight {
        /// Index of the constraint.
        constraint: usize,
        /// The weight that was given.
        weight: f32,
    },
    /// A constraint depends on itself, directly or through others.
    #[error("node constraint {constraint} depends on itself: joint {} follows joint {}", joint.0, source_joint.0)]
    Circular {
        /// Index of the constraint.
        constraint: usize,
        /// The joint that it rotates.
        joint: JointId,
        /// The joint that it follows.
        source_joint: JointId,
    },
    /// All aim constraints together look up more joints than a pose can afford.
    #[error("aim constraints look up {joints} joints; the limit is {limit}", limit = MAX_WORK)]
    TooDeep {
        /// How many joints they look up, or more.
        joints: usize,
    },
}

/// Node constraints that are checked against a skeleton, in the order in which they are applied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeConstraints {
    constraints: Box<[PlacedConstraint]>,
}

/// A constraint with what it needs of the rest pose.
#[derive(Clone, Debug, PartialEq)]
struct PlacedConstraint {
    joint: JointId,
    source: JointId,
    weight: f32,
    rest: Quat,
    rule: ConstraintRule,
}

#[derive(Clone, Debug, PartialEq)]
enum ConstraintRule {
    Roll { axis: Vec3, source_rest: Quat },
    Aim { axis: Vec3, joint_path: AncestorPath, source_path: AncestorPath },
    Rotation { source_rest: Quat },
}

/// A joint's strict ancestors from the parent up, each with its parent if it does not inherit that parent's own scale.
type AncestorPath = Box<[(JointId, Option<JointId>)]>;

impl NodeConstraints {
    /// Checks `constraints` against `skeleton`. What a constraint depends on is applied before it.
    ///
    /// # Errors
    /// If a joint does not exist, has two constraints or depends on itself, or a weight is not within 0 and 1.
    pub fn new(skeleton: &Skeleton, constraints: &[NodeConstraint]) -> Result<Self, NodeConstraintError> {
        let of_joint = check(skeleton, constraints)?;
        let mut work = 0;
        let mut order = Vec::with_capacity(constraints.len());
        let mut marks = vec![Mark::New; constraints.len()];
        let (mut stack, mut needs) = (Vec::new(), Vec::new());
        for first in 0..constraints.len() {
            stack.push(first);
            while let Some(&at) = stack.last() {
                if marks[at] != Mark::New {
                    stack.pop();
                    if std::mem::replace(&mut marks[at], Mark::Done) == Mark::Open {
                        order.push(PlacedConstraint::new(skeleton, &constraints[at]));
                    }
                    continue;
                }
                marks[at] = Mark::Open;
                needs.clear();
                needs_of(skeleton, &constraints[at], &of_joint, &mut needs, &mut work)?;
                if let Some(&open) = needs.iter().find(|&&need| marks[need] == Mark::Open) {
                    let NodeConstraint { joint, source, .. } = constraints[open];
                    return Err(NodeConstraintError::Circular {
                        constraint: open,
                        joint,
                        source_joint: source,
                    });
                }
                stack.extend(needs.iter().copied().filter(|&need| marks[need] == Mark::New));
            }
        }
        Ok(Self { constraints: order.into() })
    }

    /// True if there are no constraints.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty()
    }

    /// Rotates the constrained joints of `pose`, whatever rotation they had. Nothing is allocated.
    ///
    /// # Panics
    /// If the pose has fewer joints than the skeleton.
    pub fn apply(&self, pose: &mut LocalPose) {
        self.constraints.iter().for_each(|constraint| constraint.apply(pose));
    }
}

/// How far a constraint is in the search for what it depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

/// Checks joints and weights, and returns the constraint of each joint.
fn check(
    skeleton: &Skeleton,
    constraints: &[NodeConstraint],
) -> Result<HashMap<JointId, usize>, NodeConstraintError> {
    let (joints, mut of_joint) = (skeleton.len(), HashMap::with_capacity(constraints.len()));
    for (at, constraint) in constraints.iter().enumerate() {
        let NodeConstraint { joint, source, weight, .. } = *constraint;
        if let Some(joint) = [joint, source].into_iter().find(|joint| joint.index() >= joints) {
            return Err(NodeConstraintError::NoSuchJoint { constraint: at, joint, joints });
        }
        if !(0.0..=1.0).contains(&weight) {
            return Err(NodeConstraintError::BadWeight { constraint: at, weight });
        }
        if source == joint {
            return Err(NodeConstraintError::Circular { constraint: at, joint, source_joint: source });
        }
        if let Some(first) = of_joint.insert(joint, at) {
            return Err(NodeConstraintError::JointTwice { joint, first, second: at });
        }
    }
    Ok(of_joint)
}

/// The constraints that must be applied before `constraint`.
fn needs_of(
    skeleton: &Skeleton,
    constraint: &NodeConstraint,
    of_joint: &HashMap<JointId, usize>,
    needs: &mut Vec<usize>,
    work: &mut usize,
) -> Result<(), NodeConstraintError> {
    if !matches!(constraint.kind, NodeConstraintKind::Aim { .. }) {
        needs.extend(of_joint.get(&constraint.source));
        return Ok(());
    }
    // A rotation moves what is below its joint, not the joint itself.
    for from in [constraint.joint, constraint.source] {
        for above in skeleton.ancestors(from).skip(1) {
            *work += 1;
            if *work > MAX_WORK {
                return Err(NodeConstraintError::TooDeep { joints: *work });
            }
            needs.extend(of_joint.get(&above));
        }
    }
    Ok(())
}

/// The strict ancestors of a joint, from its parent up.
fn ancestors(skeleton: &Skeleton, joint: JointId) -> AncestorPath {
    let compensated = |joint: JointId| {
        let is = skeleton.scale_inheritance(joint) == ScaleInheritance::Compensated;
        (joint, skeleton.parent(joint).filter(|_| is))
    };
    skeleton.ancestors(joint).skip(1).map(compensated).collect()
}

impl PlacedConstraint {
    fn new(skeleton: &Skeleton, constraint: &NodeConstraint) -> Self {
        let NodeConstraint { joint, source, weight, kind } = *constraint;
        let rest = |joint: JointId| skeleton.rest(joint).rotation.normalize();
        let rule = match kind {
            NodeConstraintKind::Roll { axis } => {
                ConstraintRule::Roll { axis: axis.vector(), source_rest: rest(source) }
            }
            NodeConstraintKind::Aim { axis, is_negative } => ConstraintRule::Aim {
                axis: if is_negative { -axis.vector() } else { axis.vector() },
                joint_path: ancestors(skeleton, joint),
                source_path: ancestors(skeleton, source),
            },
            NodeConstraintKind::Rotation => ConstraintRule::Rotation { source_rest: rest(source) },
        };
        Self { joint, source, weight, rest: rest(joint), rule }
    }

    fn apply(&self, pose: &mut LocalPose) {
        let target = match &self.rule {
            ConstraintRule::Rotation { source_rest } => {
                self.rest * (source_rest.conjugate() * self.source_rotation(pose))
            }
            ConstraintRule::Roll { axis, source_rest } => {
                let in_parent = self.source_rotation(pose) * source_rest.conjugate();
                let in_joint = self.rest.conjugate() * in_parent * self.rest;
                let swing = arc(*axis, (in_joint * *axis).normalize());
                self.rest * swing.conjugate() * in_joint
            }
            ConstraintRule::Aim { axis, joint_path, source_path } => {
                let Some(turn) = self.aim(pose, *axis, joint_path, source_path) else { return };
                turn * self.rest
            }
        };
        let rotation = slerp(self.rest, target.normalize(), self.weight);
        if rotation.is_finite() {
            pose.joints[self.joint.index()].rotation = rotation;
        }
    }

    fn source_rotation(&self, pose: &LocalPose) -> Quat {
        pose.joints[self.source.index()].rotation
    }

    /// The rotation in parent space that points the axis at the source; `None` if nothing does.
    fn aim(
        &self,
        pose: &LocalPose,
        axis: Vec3,
        joint_path: &AncestorPath,
        source_path: &AncestorPath,
    ) -> Option<Quat> {
        let model_from_parent = model_from(pose, joint_path);
        let source = pose.joints[self.source.index()].translation;
        let source = model_from(pose, source_path).transform_point3(source);
        let to = parent_from_model(&model_from_parent)?.point(source);
        let to = (to - pose.joints[self.joint.index()].translation).try_normalize()?;
        to.is_finite().then(|| arc((self.rest * axis).normalize(), to))
    }
}

/// The model matrix of the first joint of a path.
fn model_from(pose: &LocalPose, path: &AncestorPath) -> Affine3A {
    path.iter().fold(Affine3A::IDENTITY, |below, &(joint, compensated_parent)| {
        let mut local = pose.joints[joint.index()].to_affine();
        if let Some(parent) = compensated_parent {
            local.matrix3 = Mat3A::from_diagonal(pose.joints[parent.index()].scale.recip()) * local.matrix3;
        }
        local * below
    })
}
