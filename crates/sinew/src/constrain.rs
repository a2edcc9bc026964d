//! Constraints: inverse kinematics, look-at, limits, foot placement, driven and corrective joints, spring bones.
//!
//! Each constraint is checked against a skeleton once. Applying it changes a [`LocalPose`] in place and allocates
//! nothing. Constraints run after sampling and blending and before the model-space update, each once and after the
//! constraints that it depends on.
//!
//! [`LocalPose`]: crate::LocalPose

mod attachment;
mod ccd;
mod chain;
mod corrective;
pub mod driver;
mod fabrik;
mod foot;
pub mod helper_joint;
mod ik_path;
mod ik_report;
mod joint_axes;
mod limit;
mod look_at;
mod meta_joint;
pub mod node_constraint;
mod rotation;
pub mod spring;
#[cfg(test)]
mod test_input;
pub mod twist;
mod two_bone;

pub use attachment::Attachment;
pub use ccd::ccd;
pub use chain::{Chain, ChainGoal, ChainScratch};
pub use corrective::{
    CORRECTIVE_TERMS, Corrective, CorrectiveError, CorrectiveRow, corrective_terms, rotation_vector,
};
pub use driver::{DrivenProperty, Driver, DriverCurve, DriverError, DriverMeasure, Drivers};
pub use fabrik::fabrik;
pub use foot::{FootFrame, FootOptions, FootPlacement, FootState, GroundHit, Leg, WalkState};
pub use helper_joint::{HelperError, HelperJoint, HelperJoints, HelperKind};
pub use ik_report::{IkError, IkReport};
pub use joint_axes::{AxesError, AxisAngles, JointAxes, JointAxis};
pub use limit::{Limit, LimitError, LimitParts};
pub use look_at::{LookAt, LookAtGoal, LookAtJoint, LookAtParts};
pub use meta_joint::{MetaJoint, MetaJointError, MetaJointPart, MetaJoints, Split, SplitError};
pub use node_constraint::{NodeConstraint, NodeConstraintError, NodeConstraintKind, NodeConstraints};
pub use spring::{
    ColliderShape, SpringChain, SpringCollider, SpringColliderGroup, SpringError, SpringJoint, SpringLimit,
    SpringLimitShape, SpringOptions, SpringParts, SpringState, SpringStep, SpringTiming, Springs,
};
pub use twist::{Roll, SwingTwist, TwistError, TwistSpread};
pub use two_bone::{Pole, TwoBone, TwoBoneGoal, TwoBoneParts};

use crate::asset::skeleton::{JointId, Skeleton};
use glam::{Quat, Vec3};

/// The rotation of `joint` in model space at rest, without scale.
fn model_from_joint_at_rest(skeleton: &Skeleton, joint: JointId) -> Quat {
    let up = skeleton.ancestors(joint).map(|j| skeleton.rest(j).rotation);
    up.fold(Quat::IDENTITY, |below, rotation| rotation * below).normalize()
}

/// `axis` normalized, or `None` if it is zero or not finite.
fn unit(axis: Vec3) -> Option<Vec3> {
    axis.try_normalize().filter(|unit| unit.is_finite())
}
