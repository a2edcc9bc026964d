//! Splits joints with three degrees of freedom into joints with one or two, and merges them again.
//!
//! A shoulder that rotates about three axes becomes coincident joints that rotate about one or two axes each, as controllers,
//! physics engines and BVH channels expect. The last of them keeps the name, the scale and the children.

mod group;

pub use group::{MetaJoint, MetaJointError, MetaJointPart};

use crate::{
    asset::skeleton::{Joint, JointId, Skeleton, SkeletonError},
    constrain::{JointAxes, JointAxis},
    pose::LocalPose,
    transform::Transform,
};
use glam::{DQuat, Quat};
use thiserror::Error;

/// A joint to split, and the joints that it becomes.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// The joint to split.
    pub joint: JointId,
    /// The axes of each new joint from the outermost to the innermost, in the joint's space at rest: together three, with
    /// no axis twice in a row, so that they represent every rotation.
    pub parts: Vec<JointAxes>,
}

impl Split {
    /// Splits `joint` into one joint per axis, the outermost first.
    pub fn into_axes(joint: JointId, axes: [JointAxis; 3]) -> Self {
        Self { joint, parts: axes.into_iter().filter_map(|axis| JointAxes::new(&[axis]).ok()).collect() }
    }
}

/// Why joints cannot be split.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SplitError {
    /// A joint that the skeleton does not have.
    #[error("joint {} is not one of the skeleton's {joints}", joint.0)]
    NoSuchJoint {
        /// The joint that does not exist.
        joint: JointId,
        /// How many the skeleton has.
        joints: usize,
    },
    /// A joint is listed twice.
    #[error("joint {} is to be split twice", joint.0)]
    Twice {
        /// The joint that is listed twice.
        joint: JointId,
    },
    /// The axes are not three, or one follows itself, so the joints cannot represent every rotation.
    #[error("joint {} needs three axes with no axis twice in a row, got {axes:?}", joint.0)]
    RepeatedAxis {
        /// The joint with the invalid axes.
        joint: JointId,
        /// The letters of the axes that were given.
        axes: String,
    },
    /// The split skeleton has too many joints.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
}

/// The joints that one joint became.
#[derive(Clone, Debug, PartialEq)]
struct SplitJoint {
    /// The axes of all parts, the outermost first.
    axes: JointAxes,
    /// The axes of each joint.
    parts: Vec<JointAxes>,
    /// The rotation of the whole joint at rest.
    rest: Quat,
}

/// A skeleton with some joints split, and the conversion of poses between both skeletons.
#[derive(Clone, Debug, PartialEq)]
pub struct MetaJoints {
    skeleton: Skeleton,
    /// For each joint of the whole skeleton, the last of its joints in the split skeleton.
    new_of_old: Vec<JointId>,
    /// For each joint of the whole skeleton, how it is split.
    splits: Vec<Option<SplitJoint>>,
}

impl MetaJoints {
    /// Splits joints of `whole`.
    ///
    /// The outer joints get the name of the joint with the letters of their axes as a suffix, such as `.zx`.
    ///
    /// # Errors
    /// If a joint is missing or listed twice, its axes are not three or one follows itself, or the result has too many
    /// joints.
    pub fn split(whole: &Skeleton, splits: &[Split]) -> Result<Self, SplitError> {
        let joints = whole.len();
        let mut by_joint: Vec<Option<SplitJoint>> = vec![None; joints];
        for split in splits {
            let joint = split.joint;
            let slot = by_joint.get_mut(joint.index()).ok_or(SplitError::NoSuchJoint { joint, joints })?;
            if slot.replace(SplitJoint::new(whole, split)?).is_some() {
                return Err(SplitError::Twice { joint });
            }
        }
        let mut list = Vec::with_capacity(joints + 2 * splits.len());
        let mut new_of_old: Vec<JointId> = Vec::with_capacity(joints);
        for joint in whole.joints() {
            let mut parent = whole.parent(joint).map(|p| new_of_old[p.index()]);
            let (name, mut rest) = (whole.name(joint), whole.rest(joint));
            let outer = by_joint[joint.index()]
                .as_ref()
                .map_or(&[][..], |split| &split.parts[..split.parts.len() - 1]);
            for axes in outer {
                let scale = std::mem::replace(&mut rest.scale, glam::Vec3::ONE);
                list.push(Joint { name: format!("{name}.{axes}"), parent, rest });
                parent = Some(last_of(&list)?);
                rest = Transform { scale, ..Transform::IDENTITY };
            }
            list.push(Joint { name: name.into(), parent, rest });
            new_of_old.push(last_of(&list)?);
        }
        // The outer joints of a split have no scale, so only the outermost can be compensated.
        let outermost = |j: JointId| {
            let more = by_joint[j.index()].as_ref().map_or(0, SplitJoint::outer_count);
            Some(JointId(new_of_old[j.index()].0 - more))
        };
        let skeleton = Skeleton::new(list)?.with_scale_inheritance_of(whole, outermost);
        Ok(Self { skeleton, new_of_old, splits: by_joint })
    }

    /// The skeleton with the joints split.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// The joint that carries the skin and the children of a joint of the whole skeleton.
    ///
    /// # Panics
    /// If the whole skeleton has no such joint.
    pub fn joint(&self, whole: JointId) -> JointId {
        self.new_of_old[whole.index()]
    }

    /// The joints of the split skeleton that replace `whole`, the outermost first: one to three.
    ///
    /// # Panics
    /// If the whole skeleton has no such joint.
    pub fn joints(&self, whole: JointId) -> impl Iterator<Item = JointId> + use<> {
        let last = self.joint(whole).0;
        let more = self.splits[whole.index()].as_ref().map_or(0, SplitJoint::outer_count);
        (last - more..=last).map(JointId)
    }

    /// Writes the pose of the split skeleton that equals `whole`. Allocates only if `out` has another size.
    ///
    /// Each joint rotates about its own axes. Angles are those of [`JointAxes::angles`].
    ///
    /// # Panics
    /// If `whole` is not a pose of the whole skeleton.
    pub fn split_pose(&self, whole: &LocalPose, out: &mut LocalPose) {
        assert_eq!(whole.joints.len(), self.splits.len(), "the pose is not of the whole skeleton");
        out.joints.resize(self.skeleton.len(), Transform::IDENTITY);
        out.morphs.clone_from(&whole.morphs);
        for ((transform, split), last) in whole.joints.iter().zip(&self.splits).zip(&self.new_of_old) {
            let last = last.index();
            let Some(split) = split else {
                out.joints[last] = *transform;
                continue;
            };
            let joints = &mut out.joints[last - usize::from(split.outer_count())..=last];
            split.spread(transform, joints);
        }
    }

    /// Writes the pose of the whole skeleton that equals `split`. Allocates only if `out` has another size.
    ///
    /// A split joint gets the product of the three rotations, the translation of the outermost joint and the scale of the
    /// last one.
    ///
    /// # Panics
    /// If `split` is not a pose of the split skeleton.
    pub fn merge_pose(&self, split: &LocalPose, out: &mut LocalPose) {
        assert_eq!(split.joints.len(), self.skeleton.len(), "the pose is not of the split skeleton");
        out.joints.resize(self.splits.len(), Transform::IDENTITY);
        out.morphs.clone_from(&split.morphs);
        for ((out, split_joint), last) in out.joints.iter_mut().zip(&self.splits).zip(&self.new_of_old) {
            let last = last.index();
            *out = split.joints[last];
            let more = split_joint.as_ref().map_or(0, |s| usize::from(s.outer_count()));
            for outer in split.joints[last - more..last].iter().rev() {
                out.rotation = outer.rotation * out.rotation;
                out.translation = outer.translation;
            }
            if more > 0 {
                out.rotation = out.rotation.normalize();
            }
        }
    }
}

impl SplitJoint {
    fn new(whole: &Skeleton, split: &Split) -> Result<Self, SplitError> {
        let all: Vec<JointAxis> = split.parts.iter().flat_map(JointAxes::axes).copied().collect();
        let axes = JointAxes::new(&all).ok().filter(|axes| axes.axes().len() == 3);
        let letters = all.iter().map(|axis| axis.letter()).collect();
        let axes = axes.ok_or(SplitError::RepeatedAxis { joint: split.joint, axes: letters })?;
        Ok(Self { axes, parts: split.parts.clone(), rest: whole.rest(split.joint).rotation })
    }

    /// How many joints there are above the last.
    fn outer_count(&self) -> u16 {
        // There are at most three parts.
        self.parts.len() as u16 - 1
    }

    /// Writes the rotation of each joint: the outermost has the translation, the last has the scale.
    fn spread(&self, whole: &Transform, joints: &mut [Transform]) {
        // Double precision, since near gimbal lock the outer angles are differences of small numbers.
        let since_rest = self.rest.as_dquat().conjugate() * whole.rotation.as_dquat();
        let radians = self.axes.precise_angles(since_rest);
        let mut at = 0;
        for (part, joint) in self.parts.iter().zip(joints.iter_mut()) {
            let mut own = [0.0; 3];
            own[..3 - at].copy_from_slice(&radians[at..]);
            let base = if at == 0 { self.rest.as_dquat() } else { DQuat::IDENTITY };
            *joint = Transform::from_rotation((base * part.turn(own)).normalize().as_quat());
            at += part.axes().len();
        }
        if let Some(first) = joints.first_mut() {
            first.translation = whole.translation;
        }
        if let Some(last) = joints.last_mut() {
            last.scale = whole.scale;
        }
    }
}

/// The id of the last joint of a list.
fn last_of(list: &[Joint]) -> Result<JointId, SkeletonError> {
    let count = list.len();
    u16::try_from(count - 1).map(JointId).map_err(|_| SkeletonError::TooManyJoints { count })
}

#[cfg(test)]
mod tests;
