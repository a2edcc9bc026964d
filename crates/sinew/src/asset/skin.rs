//! Which joints deform a mesh, and where they stood when it was bound.

use super::skeleton::{JointId, Skeleton};
use crate::pose::ModelPose;
use crate::transform::inverse_affine;
use glam::Affine3A;
use thiserror::Error;

/// A list of joints with their inverse binds.
///
/// A skin is what a [`Palette`](crate::Palette) is made from. The weights that refer to its list by slot belong to
/// the mesh, so one skin serves several meshes and one mesh several skins.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    name: String,
    joints: Vec<JointId>,
    joint_from_mesh: Vec<Affine3A>,
    root: Option<JointId>,
}

/// Why joints and inverse binds make no skin.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SkinError {
    /// A skin without joints moves nothing.
    #[error("skin {name:?} has no joints")]
    NoJoints {
        /// The skin's name.
        name: String,
    },
    /// Weights name joints by sixteen bits.
    #[error("skin {name:?} has {count} joints, at most {} can be named", u16::MAX)]
    TooManyJoints {
        /// The skin's name.
        name: String,
        /// How many were given.
        count: usize,
    },
    /// One inverse bind a joint is needed.
    #[error("skin {name:?} has {joints} joints but {binds} inverse binds")]
    WrongBindCount {
        /// The skin's name.
        name: String,
        /// How many joints were given.
        joints: usize,
        /// How many matrices were given.
        binds: usize,
    },
    /// An inverse bind has a NaN or an infinity.
    #[error("skin {name:?}: the inverse bind of slot {slot} is not finite")]
    BadBind {
        /// The skin's name.
        name: String,
        /// The place in the joint list.
        slot: usize,
    },
    /// A joint that the skeleton does not have.
    #[error("skin {name:?}: slot {slot} names joint {}, the skeleton has {joints}", joint.0)]
    JointOutOfRange {
        /// The skin's name.
        name: String,
        /// The place in the joint list.
        slot: usize,
        /// The missing joint.
        joint: JointId,
        /// How many joints the skeleton has.
        joints: usize,
    },
}

impl Skin {
    /// A skin over `joints` of `skeleton`, each with the matrix that takes mesh space at bind time to the joint.
    ///
    /// # Errors
    /// Where the list is empty or too long, the counts differ, a joint is not in the skeleton or a matrix is not finite.
    pub fn new(
        name: impl Into<String>,
        skeleton: &Skeleton,
        joints: Vec<JointId>,
        joint_from_mesh: Vec<Affine3A>,
    ) -> Result<Self, SkinError> {
        let name = name.into();
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
        if let Some(slot) = joints.iter().position(|j| j.index() >= skeleton.len()) {
            let (joint, joints) = (joints[slot], skeleton.len());
            return Err(SkinError::JointOutOfRange { name, slot, joint, joints });
        }
        if let Some(slot) = joint_from_mesh.iter().position(|m| !m.is_finite()) {
            return Err(SkinError::BadBind { name, slot });
        }
        Ok(Self { name, joints, joint_from_mesh, root: None })
    }

    /// A skin whose bind pose is the rest pose of `skeleton`: the inverse binds are made by inverting it.
    ///
    /// A joint that rests flattened to a plane or a point has no inverse; it gets the identity.
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
            inverse_affine(model_from_joint)
        };
        let joint_from_mesh = joints.iter().map(|j| bind(j).unwrap_or(Affine3A::IDENTITY)).collect();
        Self::new(name, skeleton, joints, joint_from_mesh)
    }

    /// The same skin, with the common root that its file names.
    ///
    /// # Errors
    /// Where the skeleton has no such joint.
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

    /// The inverse bind of each slot: mesh space at bind time to joint space.
    pub fn joint_from_mesh(&self) -> &[Affine3A] {
        &self.joint_from_mesh
    }

    /// The common root that the file names, if it does. Nothing here depends on it.
    pub fn root(&self) -> Option<JointId> {
        self.root
    }

    /// The slot of `joint`, if the skin has it.
    pub fn slot_of(&self, joint: JointId) -> Option<u16> {
        self.joints.iter().position(|&j| j == joint).map(|slot| slot as u16)
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
