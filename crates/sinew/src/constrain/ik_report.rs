//! Reports and errors of the IK solvers.

use crate::asset::skeleton::{JointId, Skeleton};
use thiserror::Error;

/// How close the full solution came to its goal, before the weight is applied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IkReport {
    /// True if the goal was reached within the tolerance of the solver.
    pub reached: bool,
    /// Distance between effector and target in model space, in meters; infinite if nothing could be
    /// solved (a non-finite target, an ancestor with zero scale) and the pose was not changed.
    pub distance: f32,
}

impl IkReport {
    /// Nothing could be solved.
    pub(super) const NONE: Self = Self { reached: false, distance: f32::INFINITY };
}

/// Why joints and options do not form a solver.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum IkError {
    /// A joint that the skeleton does not have.
    #[error("joint {} is not one of the skeleton's {joints}", joint.0)]
    NoSuchJoint {
        /// The joint that does not exist.
        joint: JointId,
        /// How many the skeleton has.
        joints: usize,
    },
    /// A joint is not an ancestor of another.
    #[error("joint {} must be an ancestor of joint {}", upper.0, lower.0)]
    NotAbove {
        /// The joint that should be the ancestor.
        upper: JointId,
        /// The joint that should be below it.
        lower: JointId,
    },
    /// A limb needs two joints above its end.
    #[error("joint {} needs two joints above it to form a limb", end.0)]
    NoLimb {
        /// The joint at which the limb should end.
        end: JointId,
    },
    /// The limb is straight at rest, so its bending axis is unknown.
    #[error("joint {} is straight at rest and needs a hinge axis", joint.0)]
    StraightAtRest {
        /// The joint in the middle.
        joint: JointId,
    },
    /// A number that is not finite or out of its range.
    #[error("{what} is out of range: got {value}")]
    BadNumber {
        /// What the number is for.
        what: &'static str,
        /// The value that was given.
        value: f32,
    },
    /// A direction that is zero or not finite.
    #[error("{what} must be a finite direction that is not zero")]
    NoDirection {
        /// What the direction is for.
        what: &'static str,
    },
    /// A joint that is named for a chain but is not part of it.
    #[error("joint {} is not in the chain", joint.0)]
    NotInChain {
        /// The joint that is not in the chain.
        joint: JointId,
    },
}

/// `joint`, if the skeleton has it.
pub(super) fn known(skeleton: &Skeleton, joint: JointId) -> Result<JointId, IkError> {
    let joints = skeleton.len();
    if joint.index() < joints { Ok(joint) } else { Err(IkError::NoSuchJoint { joint, joints }) }
}

/// The joints from `upper` down to `lower`, both included.
///
/// # Errors
/// If one does not exist, or `upper` is not an ancestor of `lower`.
pub(super) fn path(skeleton: &Skeleton, upper: JointId, lower: JointId) -> Result<Vec<JointId>, IkError> {
    let (upper, lower) = (known(skeleton, upper)?, known(skeleton, lower)?);
    let mut joints: Vec<JointId> = skeleton.ancestors(lower).take_while(|&j| j != upper).collect();
    let top = joints.last().and_then(|&j| skeleton.parent(j));
    if top != Some(upper) {
        return Err(IkError::NotAbove { upper, lower });
    }
    joints.push(upper);
    joints.reverse();
    Ok(joints)
}

/// `value`, if it is finite and within `range`.
pub(super) fn number(
    what: &'static str,
    value: f32,
    range: std::ops::RangeInclusive<f32>,
) -> Result<f32, IkError> {
    if range.contains(&value) { Ok(value) } else { Err(IkError::BadNumber { what, value }) }
}
