//! Skins: the joints that deform a mesh, with their inverse bind matrices.

use super::skeleton::{JointId, Skeleton};
use crate::{pose::ModelPose, range::InRange, transform::inverse_affine};
use glam::Affine3A;
use thiserror::Error;

/// A list of joints with their inverse bind matrices.
#[doc(alias = "skin cluster")]
///
/// A [`Palette`](crate::Palette) is computed from a skin. The weights that refer to its list by slot belong to
/// the mesh, so one skin serves several meshes and one mesh several skins.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "super::serde_form::SkinForm")
)]
pub struct Skin {
    name: String,
    joints: Vec<JointId>,
    joint_from_mesh: Vec<Affine3A>,
    root: Option<JointId>,
    /// One more than the largest index of a joint.
    #[cfg_attr(feature = "serde", serde(skip))]
    joint_count: usize,
}

/// Why joints and inverse bind matrices do not form a skin.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SkinError {
    /// A skin needs at least one joint.
    #[error("skin {name:?} must have at least one joint")]
    NoJoints {
        /// Name of the skin.
        name: String,
    },
    /// Weights refer to joints by 16 bits.
    #[error("skin {name:?} must have at most {} joints, got {count}", u16::MAX)]
    TooManyJoints {
        /// Name of the skin.
        name: String,
        /// How many were given.
        count: usize,
    },
    /// Each joint needs one inverse bind matrix.
    #[error("skin {name:?} has {joints} joints but {binds} inverse binds")]
    WrongBindCount {
        /// Name of the skin.
        name: String,
        /// How many joints were given.
        joints: usize,
        /// How many matrices were given.
        binds: usize,
    },
    /// An inverse bind matrix is not finite, or an entry exceeds [`MAX_VALUE`](crate::MAX_VALUE).
    #[error("skin {name:?}: the inverse bind of slot {slot} is not finite or exceeds 1e12")]
    BadBind {
        /// Name of the skin.
        name: String,
        /// Index in the joint list of the skin.
        slot: usize,
    },
    /// The skeleton does not have such a joint.
    #[error("skin {name:?}: slot {slot} refers to joint {}, the skeleton has {joints}", joint.0)]
    JointOutOfRange {
        /// Name of the skin.
        name: String,
        /// Index in the joint list of the skin.
        slot: usize,
        /// The joint that does not exist.
        joint: JointId,
        /// How many joints the skeleton has.
        joints: usize,
    },
}

impl Skin {
    /// A skin over `joints` of `skeleton`, each with the matrix that takes mesh space at bind time to the joint.
    ///
    /// # Errors
    /// If the list is empty or too long, the counts differ, a joint is not in the skeleton or a matrix is not finite.
    pub fn new(
        name: impl Into<String>,
        skeleton: &Skeleton,
        joints: Vec<JointId>,
        joint_from_mesh: Vec<Affine3A>,
    ) -> Result<Self, SkinError> {
        let skin = Self::from_lists(name.into(), joints, joint_from_mesh, None)?;
        if let Some(slot) = skin.joints.iter().position(|j| j.index() >= skeleton.len()) {
            let (joint, joints) = (skin.joints[slot], skeleton.len());
            return Err(SkinError::JointOutOfRange { name: skin.name, slot, joint, joints });
        }
        Ok(skin)
    }

    /// A skin whose joints are still to be compared with a skeleton.
    pub(super) fn from_lists(
        name: String,
        joints: Vec<JointId>,
        joint_from_mesh: Vec<Affine3A>,
        root: Option<JointId>,
    ) -> Result<Self, SkinError> {
        if joints.is_empty() {
            return Err(SkinError::NoJoints { name });
        }
        if joints.len() > usize::from(u16::MAX) {
            return Err(SkinError::TooManyJoints { name, count: joints.len() });
        }
        if joints.len() != joint_from_mesh.len() {
            let (joints, binds) = (joints.len(), joint_from_mesh.len());
            return Err(SkinError::WrongBindCount { name, joints, binds });
        }
        if let Some(slot) = joint_from_mesh.iter().position(|m| !m.is_in_range()) {
            return Err(SkinError::BadBind { name, slot });
        }
        let joint_count = joints.iter().map(|joint| joint.index() + 1).max().unwrap_or(0);
        Ok(Self { name, joints, joint_from_mesh, root, joint_count })
    }

    /// A skin whose bind pose is the rest pose of `skeleton`.
    ///
    /// A joint with zero or nearly zero scale at rest has no usable inverse and gets the identity.
    ///
    /// # Errors
    /// As [`Skin::new`].
    pub fn bound_at_rest(
        name: impl Into<String>,
        skeleton: &Skeleton,
        joints: Vec<JointId>,
    ) -> Result<Self, SkinError> {
        let mut rest = ModelPose::new(skeleton);
        rest.update(skeleton, &skeleton.rest_pose());
        let bind = |j: &JointId| {
            let model_from_joint = rest.joints().get(j.index())?;
            inverse_affine(model_from_joint).filter(InRange::is_in_range)
        };
        let joint_from_mesh = joints.iter().map(|j| bind(j).unwrap_or(Affine3A::IDENTITY)).collect();
        Self::new(name, skeleton, joints, joint_from_mesh)
    }

    /// The same skin with the common root that its file names.
    ///
    /// # Errors
    /// If the skeleton has no such joint.
    pub fn with_root(mut self, skeleton: &Skeleton, root: Option<JointId>) -> Result<Self, SkinError> {
        if let Some(joint) = root.filter(|j| j.index() >= skeleton.len()) {
            let (slot, joints) = (self.joints.len(), skeleton.len());
            return Err(SkinError::JointOutOfRange { name: self.name, slot, joint, joints });
        }
        self.root = root;
        Ok(self)
    }

    /// The skin's name, possibly empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The joint of each slot.
    pub fn joints(&self) -> &[JointId] {
        &self.joints
    }

    /// The inverse bind matrix of each slot, from mesh space at bind time to joint space.
    pub fn joint_from_mesh(&self) -> &[Affine3A] {
        &self.joint_from_mesh
    }

    /// The common root that the file names, if any. Sinew does not use it.
    pub fn root(&self) -> Option<JointId> {
        self.root
    }

    /// How many joints a pose must have for this skin.
    pub fn joint_count(&self) -> usize {
        self.joint_count
    }

    /// The slot of `joint`, if the skin has it.
    pub fn slot_of(&self, joint: JointId) -> Option<u16> {
        self.joints.iter().position(|&j| j == joint).map(|slot| slot as u16)
    }

    /// For each slot, that of the nearest joint above its own that the skin has. `skeleton` is the one that the skin was
    /// made for.
    pub fn parent_slots(&self, skeleton: &Skeleton) -> Vec<Option<u16>> {
        let mut slots: Vec<Option<u16>> = vec![None; skeleton.len()];
        for (slot, joint) in self.joints.iter().enumerate().rev() {
            slots[joint.index()] = Some(slot as u16);
        }
        let mut above: Vec<Option<u16>> = vec![None; skeleton.len()];
        for joint in skeleton.joints() {
            let parent = skeleton.parent(joint).map(JointId::index);
            above[joint.index()] = parent.and_then(|parent| slots[parent].or(above[parent]));
        }
        self.joints.iter().map(|joint| above[joint.index()]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, Transform};
    use glam::Vec3;

    fn chain() -> Skeleton {
        let joint = |parent, x| Joint {
            name: String::new(),
            parent,
            rest: Transform::from_translation(Vec3::new(x, 0.0, 0.0)),
        };
        Skeleton::new([joint(None, 1.0), joint(Some(JointId(0)), 2.0)]).unwrap()
    }

    #[test]
    fn binding_at_rest_inverts_the_rest_pose() {
        let skin = Skin::bound_at_rest("s", &chain(), vec![JointId(1)]).unwrap();
        let at = skin.joint_from_mesh()[0].transform_point3(Vec3::new(3.0, 0.0, 0.0));
        assert!(at.length() < 1e-6);
    }

    #[test]
    fn rejects_a_joint_that_the_skeleton_lacks() {
        let error = Skin::new("s", &chain(), vec![JointId(2)], vec![Affine3A::IDENTITY]).unwrap_err();
        assert!(matches!(error, SkinError::JointOutOfRange { slot: 0, joints: 2, .. }));
        assert!(Skin::bound_at_rest("s", &chain(), vec![JointId(9)]).is_err());
    }

    #[test]
    fn rejects_missing_and_unusable_binds() {
        let s = chain();
        assert!(matches!(Skin::new("", &s, vec![JointId(0)], vec![]), Err(SkinError::WrongBindCount { .. })));
        let nan = Affine3A::from_translation(Vec3::NAN);
        assert!(matches!(Skin::new("", &s, vec![JointId(0)], vec![nan]), Err(SkinError::BadBind { .. })));
        assert!(matches!(Skin::new("", &s, vec![], vec![]), Err(SkinError::NoJoints { .. })));
    }
}
