//! Joint limits of a document.

use sinew::{Character, JointId, Skeleton, constrain::Limit, glam::Quat};
use std::collections::BTreeMap;

pub use sinew_formats::joint_limits::{JointLimit, LimitAxis};

/// Joint limits, and whether they are enforced. They are saved with the character.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitTable {
    /// The limit of each limited joint.
    pub joints: BTreeMap<JointId, JointLimit>,
    /// The limits of joints with meta-joints, which apply where a joint has no limit of its own.
    pub axes: BTreeMap<JointId, Limit>,
    /// True if commands that rotate joints stop at the limits.
    pub are_enforced: bool,
}

impl LimitTable {
    pub(super) fn of(character: &Character) -> Self {
        let mut joints = sinew_formats::joint_limits::limits_of(character.extras());
        let skeleton = character.skeleton();
        joints.retain(|joint, limit| limit.limit(skeleton, *joint).is_ok());
        let metas = sinew_formats::meta_joints::meta_joints_of(character.extras(), skeleton);
        let axes = metas.iter().filter_map(|meta| meta.limits(skeleton).ok()).flatten().collect();
        Self { joints, axes, are_enforced: true }
    }

    /// The limit of `joint`, if it has one and limits are enforced.
    pub fn enforced(&self, skeleton: &Skeleton, joint: JointId) -> Option<Limit> {
        let axes = || self.axes.get(&joint).copied().filter(|_| self.are_enforced);
        self.enforced_own(skeleton, joint).or_else(axes)
    }

    /// The limit of `joint` without those of meta-joints, if it has one and limits are enforced.
    pub fn enforced_own(&self, skeleton: &Skeleton, joint: JointId) -> Option<Limit> {
        let limit = self.joints.get(&joint).filter(|_| self.are_enforced)?;
        limit.limit(skeleton, joint).ok()
    }

    /// `rotation`, relative to the joint's parent, clamped to the enforced limit.
    pub fn clamp(&self, skeleton: &Skeleton, joint: JointId, rotation: Quat) -> Quat {
        self.enforced(skeleton, joint).map_or(rotation, |limit| limit.clamp(rotation))
    }
}
