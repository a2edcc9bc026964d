//! Sharing between characters: one rig under changing weights, one character behind an `Arc`.

use super::Character;
use crate::{
    asset::{
        mesh::Mesh,
        skeleton::{JointId, ScaleInheritance, Skeleton},
    },
    constrain::{NodeConstraints, Springs},
};
use std::sync::Arc;

impl Character {
    /// True if `other` differs only in skin weights, data precomputed for them, clips, helper joints, node constraints,
    /// spring bones and materials, so that skeleton, skins, instances and mesh shapes are the same. Buffers made for one
    /// then fit the other; a [`SpringState`](crate::constrain::SpringState) belongs to its springs.
    pub fn shares_rig(&self, other: &Self) -> bool {
        let kind = |mesh: &Mesh| mesh.weights().map(|weights| weights.sum_kind());
        let is_same_mesh = |(a, b): (&Arc<Mesh>, &Arc<Mesh>)| a.shares_shape(b) && kind(a) == kind(b);
        Arc::ptr_eq(self.skeleton(), other.skeleton())
            && self.instances() == other.instances()
            && self.skins().len() == other.skins().len()
            && self.skins().iter().zip(other.skins()).all(|(a, b)| Arc::ptr_eq(a, b))
            && self.meshes().len() == other.meshes().len()
            && self.meshes().iter().zip(other.meshes()).all(is_same_mesh)
    }

    /// The same character with another scale inheritance of one joint. Where the joint's parent is scaled, the joint and its
    /// descendants change their shape, in the rest pose too; bind matrices stay.
    ///
    /// # Panics
    /// If the skeleton has no such joint.
    #[must_use]
    #[track_caller]
    pub fn with_scale_inheritance(&self, joint: JointId, inheritance: ScaleInheritance) -> Self {
        let mut changed = self.clone();
        let skeleton = Skeleton::clone(self.skeleton()).with_scale_inheritance([(joint, inheritance)]);
        changed.parts.skeleton = Arc::new(skeleton);
        changed.lay_out_constraints();
        changed
    }
}

impl Character {
    /// Lays out again what depends on the scale inheritance of joints. Names and numbers of joints are those of before, so
    /// that what was valid still is.
    fn lay_out_constraints(&mut self) {
        let (skeleton, parts) = (&self.parts.skeleton, &self.parts);
        if let Ok(constraints) = NodeConstraints::new(skeleton, &parts.node_constraints) {
            self.node_constraints = constraints;
        }
        if let Ok(springs) = Springs::new(skeleton, &parts.springs) {
            self.springs = Arc::new(springs);
        }
    }
}

/// Copies the character's lists; skeleton, meshes, skins, clips and image bytes stay shared.
impl From<&Character> for Arc<Character> {
    fn from(character: &Character) -> Self {
        Self::new(character.clone())
    }
}
