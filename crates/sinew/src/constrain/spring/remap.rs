//! Follows joints that were added, removed or reordered.

use super::definition::{SpringChain, SpringColliderGroup, SpringParts};
use crate::asset::skeleton::JointId;

impl SpringParts {
    /// True if there are neither chains nor colliders.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chains.is_empty() && self.colliders.is_empty() && self.collider_groups.is_empty()
    }

    /// True if a chain, its center or a collider refers to `joint`.
    #[must_use]
    pub fn uses(&self, joint: JointId) -> bool {
        let chain = |chain: &SpringChain| {
            chain.center == Some(joint) || chain.joints.iter().any(|one| one.joint == joint)
        };
        self.chains.iter().any(chain) || self.colliders.iter().any(|collider| collider.joint == joint)
    }

    /// The springs after joints were added, removed or reordered: `new_of` returns the new number of a joint, `None` for one
    /// that was removed. A chain loses its removed joints, and goes if nothing of it swings any more; a tip goes with its
    /// joint. Colliders go with their joints, and a chain without its center swings in the world.
    #[must_use]
    pub fn remapped(&self, new_of: impl Fn(JointId) -> Option<JointId>) -> Self {
        let mut number = Vec::with_capacity(self.colliders.len());
        let mut colliders = Vec::with_capacity(self.colliders.len());
        for collider in &self.colliders {
            let joint = new_of(collider.joint);
            number.push(joint.map(|_| colliders.len()));
            colliders.extend(joint.map(|joint| super::SpringCollider { joint, ..*collider }));
        }
        let group = |group: &SpringColliderGroup| SpringColliderGroup {
            name: group.name.clone(),
            colliders: group.colliders.iter().filter_map(|&c| *number.get(c)?).collect(),
        };
        let chain = |chain: &SpringChain| {
            let joint =
                |one: &super::SpringJoint| Some(super::SpringJoint { joint: new_of(one.joint)?, ..*one });
            let mut joints: Vec<_> = chain.joints.iter().filter_map(joint).collect();
            joints.dedup_by_key(|one| one.joint);
            let keeps_tip = chain.joints.last().is_some_and(|last| new_of(last.joint).is_some());
            let (tip, center) = (chain.tip.filter(|_| keeps_tip), chain.center.and_then(&new_of));
            let changed = SpringChain { joints, tip, center, ..chain.clone() };
            (!changed.swinging().is_empty()).then_some(changed)
        };
        Self {
            chains: self.chains.iter().filter_map(chain).collect(),
            colliders,
            collider_groups: self.collider_groups.iter().map(group).collect(),
        }
    }
}
