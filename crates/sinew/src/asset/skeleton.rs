//! The joint hierarchy and its rest pose.

mod family;
mod order;
mod scale;

#[cfg(target_arch = "x86_64")]
pub(crate) use order::JointGroup;
pub(crate) use order::{JointLink, UpdateOrder, UpdateSteps};
pub use scale::ScaleInheritance;
pub(crate) use scale::{ScaleOrder, ScaleStep};

use crate::{
    identity::{Identity, IdentityHasher},
    pose::LocalPose,
    range::InRange as _,
    transform::Transform,
};
use family::Family;
use std::collections::HashMap;
use thiserror::Error;

/// A joint of a [`Skeleton`], by its index.
#[doc(alias = "bone")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointId(pub u16);

impl JointId {
    /// The index in arrays with one entry per joint.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One joint, the input of [`Skeleton::new`].
#[doc(alias = "bone")]
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Joint {
    /// Name; need not be unique, since files repeat names.
    pub name: String,
    /// `None` for a root; otherwise a joint earlier in the list.
    pub parent: Option<JointId>,
    /// `parent_from_joint` in the rest pose.
    pub rest: Transform,
}

/// A hierarchy of joints, parents before children, with names and a rest pose.
#[doc(alias = "armature")]
#[doc(alias = "rig")]
///
/// Every node of a file is a joint: plain nodes between joints and nodes that only carry a mesh need no special
/// case. A [`Skin`](crate::Skin) selects the joints that deform a mesh.
#[derive(Clone, Debug)]
pub struct Skeleton {
    names: Vec<Box<str>>,
    parents: Vec<Option<JointId>>,
    rest: Vec<Transform>,
    first_with_name: HashMap<Box<str>, JointId>,
    order: UpdateOrder,
    family: Family,
    /// The joints that do not inherit all scale; `None` for most skeletons.
    scales: Option<Box<ScaleOrder>>,
    /// The identity of the joints up to and including each.
    identities: Vec<Identity>,
}

/// Why a list of joints does not form a skeleton.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SkeletonError {
    /// Joint indices have 16 bits.
    #[error("a skeleton has at most {} joints, got {count}", Skeleton::MAX_JOINTS)]
    TooManyJoints {
        /// How many were given.
        count: usize,
    },
    /// A parent must come before its children.
    #[error("joint {joint} ({name:?}): parent {parent} must come before it")]
    ParentAfterChild {
        /// Index of the child.
        joint: usize,
        /// Name of the child.
        name: String,
        /// Index of its parent.
        parent: usize,
    },
    /// A rest transform has a number that is not finite or exceeds [`MAX_VALUE`](crate::MAX_VALUE), or its rotation is not
    /// a unit quaternion.
    #[error(
        "joint {joint} ({name:?}) must have a finite rest transform up to 1e12 with a unit rotation, got {rest:?}"
    )]
    BadRest {
        /// Index of the joint.
        joint: usize,
        /// Name of the joint.
        name: String,
        /// The value that was given.
        rest: Transform,
    },
}

impl Skeleton {
    /// The largest number of joints.
    pub const MAX_JOINTS: usize = u16::MAX as usize;

    /// A skeleton of `joints`, in the order given.
    ///
    /// # Errors
    /// If a parent does not come before its child, a rest transform is not finite or has no unit
    /// rotation, or there are more than [`Skeleton::MAX_JOINTS`].
    pub fn new(joints: impl IntoIterator<Item = Joint>) -> Result<Self, SkeletonError> {
        let mut out = Self {
            names: Vec::new(),
            parents: Vec::new(),
            rest: Vec::new(),
            first_with_name: HashMap::new(),
            order: UpdateOrder::default(),
            family: Family::default(),
            scales: None,
            identities: Vec::new(),
        };
        let mut hasher = IdentityHasher::new();
        for (index, joint) in joints.into_iter().enumerate() {
            hasher.text(&joint.name);
            hasher.number(joint.parent.map_or(u64::MAX, |parent| u64::from(parent.0)));
            out.identities.push(hasher.finish());
            out.push(index, joint)?;
        }
        out.order = UpdateOrder::of(&out.parents);
        out.family = Family::of(&out.parents);
        Ok(out)
    }

    /// The same skeleton with other scale inheritance of some joints. [`Skeleton::new`] gives every joint
    /// [`ScaleInheritance::Full`].
    ///
    /// # Panics
    /// If the skeleton has no such joint.
    #[must_use]
    #[track_caller]
    pub fn with_scale_inheritance(
        mut self,
        changes: impl IntoIterator<Item = (JointId, ScaleInheritance)>,
    ) -> Self {
        let mut inheritance: Vec<_> = self.joints().map(|j| self.scale_inheritance(j)).collect();
        for (joint, kind) in changes {
            inheritance[self.place(joint)] = kind;
        }
        self.scales = ScaleOrder::of(inheritance, &self.parents).map(Box::new);
        self
    }

    /// The same skeleton with the scale inheritance of `old`, whose joints `new_of` finds here.
    ///
    /// # Panics
    /// If `new_of` returns a joint that this skeleton does not have.
    #[must_use]
    #[track_caller]
    pub fn with_scale_inheritance_of(self, old: &Self, new_of: impl Fn(JointId) -> Option<JointId>) -> Self {
        let kept = |j: JointId| Some((new_of(j)?, old.scale_inheritance(j)));
        self.with_scale_inheritance(old.compensated().filter_map(kept))
    }

    fn push(&mut self, index: usize, joint: Joint) -> Result<(), SkeletonError> {
        if index >= Self::MAX_JOINTS {
            return Err(SkeletonError::TooManyJoints { count: index + 1 });
        }
        if let Some(parent) = joint.parent.filter(|p| p.index() >= index) {
            return Err(SkeletonError::ParentAfterChild {
                joint: index,
                name: joint.name,
                parent: parent.index(),
            });
        }
        if !joint.rest.is_in_range() || (joint.rest.rotation.length_squared() - 1.0).abs() > 1e-3 {
            return Err(SkeletonError::BadRest { joint: index, name: joint.name, rest: joint.rest });
        }
        let name = joint.name.into_boxed_str();
        self.first_with_name.entry(name.clone()).or_insert(JointId(index as u16));
        self.names.push(name);
        self.parents.push(joint.parent);
        self.rest.push(joint.rest);
        Ok(())
    }

    /// The identity of the first `count` joints: their names and parents, whatever their rest pose is.
    pub(crate) fn identity(&self, count: usize) -> Identity {
        let last = count.checked_sub(1);
        last.map_or_else(Identity::default, |last| {
            self.identities.get(last).copied().unwrap_or_else(Identity::default)
        })
    }

    /// The order in which model-space matrices are computed.
    pub(crate) fn order(&self) -> &UpdateOrder {
        &self.order
    }

    /// The joints that do not inherit all scale, if there are any.
    pub(crate) fn scales(&self) -> Option<&ScaleOrder> {
        self.scales.as_deref()
    }

    /// The index of `joint` in arrays with one entry per joint.
    #[track_caller]
    fn place(&self, joint: JointId) -> usize {
        if joint.index() >= self.len() {
            missing_joint(joint, self.len());
        }
        joint.index()
    }

    /// Number of joints of the skeleton.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True for a skeleton without joints.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Every joint, parents before children.
    pub fn joints(&self) -> impl DoubleEndedIterator<Item = JointId> + ExactSizeIterator + use<> {
        (0..self.len() as u16).map(JointId)
    }

    /// The joint at `index`, if it exists.
    pub fn joint(&self, index: usize) -> Option<JointId> {
        (index < self.len()).then_some(JointId(index as u16))
    }

    /// The name of `joint`; may be empty, may be shared.
    #[track_caller]
    pub fn name(&self, joint: JointId) -> &str {
        &self.names[self.place(joint)]
    }

    /// The parent of `joint`, or `None` for a root.
    #[track_caller]
    pub fn parent(&self, joint: JointId) -> Option<JointId> {
        self.parents[self.place(joint)]
    }

    /// Every joint's parent, in joint order.
    pub fn parents(&self) -> &[Option<JointId>] {
        &self.parents
    }

    /// `parent_from_joint` of one joint at rest.
    #[track_caller]
    pub fn rest(&self, joint: JointId) -> Transform {
        self.rest[self.place(joint)]
    }

    /// Every joint's `parent_from_joint` at rest, in joint order.
    pub fn rest_transforms(&self) -> &[Transform] {
        &self.rest
    }

    /// What `joint` inherits of its parent's scale.
    #[track_caller]
    pub fn scale_inheritance(&self, joint: JointId) -> ScaleInheritance {
        let at = self.place(joint);
        self.scales().map_or(ScaleInheritance::Full, |scales| scales.inheritance[at])
    }

    /// The joints that do not inherit their parent's own scale, in joint order.
    pub fn compensated(&self) -> impl Iterator<Item = JointId> + '_ {
        let kinds = self.scales().map_or(&[][..], |scales| &scales.inheritance[..]);
        self.joints().zip(kinds).filter(|(_, kind)| **kind == ScaleInheritance::Compensated).map(|(j, _)| j)
    }

    /// A pose with every joint at rest and no morph slots.
    pub fn rest_pose(&self) -> LocalPose {
        LocalPose { joints: self.rest.clone(), morphs: Vec::new() }
    }

    /// The first joint called `name`.
    pub fn find(&self, name: &str) -> Option<JointId> {
        self.first_with_name.get(name).copied()
    }

    /// The named joints by name, with `None` for a name that several joints have.
    pub fn joints_by_name(&self) -> HashMap<&str, Option<JointId>> {
        let mut out = HashMap::with_capacity(self.len());
        for joint in self.joints().filter(|joint| !self.name(*joint).is_empty()) {
            out.entry(self.name(joint)).and_modify(|found| *found = None).or_insert(Some(joint));
        }
        out
    }

    /// The joints without a parent.
    pub fn roots(&self) -> impl Iterator<Item = JointId> + '_ {
        self.joints().filter(|&j| self.parent(j).is_none())
    }

    /// The joints whose parent is `joint`.
    #[track_caller]
    pub fn children(&self, joint: JointId) -> impl Iterator<Item = JointId> + '_ {
        self.family.children(self.place(joint)).iter().copied()
    }

    /// `joint`, its parent, and so on up to a root.
    #[track_caller]
    pub fn ancestors(&self, joint: JointId) -> impl Iterator<Item = JointId> + '_ {
        std::iter::successors(Some(joint), |&j| self.parent(j))
    }

    /// True if `ancestor` is `joint` or one of its ancestors.
    #[track_caller]
    pub fn is_within(&self, joint: JointId, ancestor: JointId) -> bool {
        self.family.is_within(self.place(joint), self.place(ancestor))
    }

    /// Number of ancestors of `joint`.
    #[track_caller]
    pub fn depth(&self, joint: JointId) -> usize {
        self.family.depth(self.place(joint))
    }
}

/// Panics for a joint that a skeleton or a pose does not have.
#[cold]
#[track_caller]
#[expect(clippy::panic, reason = "a joint of another skeleton is a bug of the caller")]
pub(crate) fn missing_joint(joint: JointId, joints: usize) -> ! {
    panic!("joint {} does not exist: there are {joints} joints", joint.0)
}

impl PartialEq for Skeleton {
    fn eq(&self, other: &Self) -> bool {
        let same = self.names == other.names && self.parents == other.parents && self.rest == other.rest;
        same && self.scales == other.scales
    }
}

#[cfg(test)]
mod tests;
