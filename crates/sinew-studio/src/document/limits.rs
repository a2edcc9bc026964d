//! How far joints may turn.

use sinew::{Character, JointId, Skeleton, constrain::Limit, glam::Quat};
use std::collections::BTreeMap;

pub use sinew_formats::limits::{JointLimit, LimitAxis};

/// Limits of joints, and whether they are kept. They travel with the character's file.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitTable {
    /// Of each joint that has one.
    pub joints: BTreeMap<JointId, JointLimit>,
    /// Whether commands that turn joints keep them.
    pub are_kept: bool,
}

impl LimitTable {
    pub(super) fn of(character: &Character) -> Self {
        let mut joints = sinew_formats::limits::limits_of(character.extras());
        let skeleton = character.skeleton();
        joints.retain(|joint, limit| limit.limit(skeleton, *joint).is_ok());
        Self { joints, are_kept: true }
    }

    /// The limit of `joint`, where it has one that is kept.
    pub fn kept(&self, skeleton: &Skeleton, joint: JointId) -> Option<Limit> {
        let limit = self.joints.get(&joint).filter(|_| self.are_kept)?;
        limit.limit(skeleton, joint).ok()
    }

    /// The rotation that is allowed for `rotation`, relative to the joint's parent.
    pub fn clamp(&self, skeleton: &Skeleton, joint: JointId, rotation: Quat) -> Quat {
        self.kept(skeleton, joint).map_or(rotation, |limit| limit.clamp(rotation))
    }
}
