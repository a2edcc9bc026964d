//! Which joints of a skeleton are the bones of a human body.

mod bone;

pub use bone::{BodySide, HumanBone};

use super::skeleton::{JointId, Skeleton};
use thiserror::Error;

/// The joints of a skeleton that are bones of a human body, each bone and each joint at most once.
///
/// Files that say so (VRM) save tools from guessing names: retargeting uses the map first.
///
/// ```
/// use sinew::{HumanBone, Humanoid};
///
/// let figure = sinew_samples::figure();
/// let skeleton = figure.skeleton();
/// let hips = skeleton.find("hips").unwrap();
/// let humanoid = Humanoid::new(skeleton, [(HumanBone::Hips, hips)])?;
/// assert_eq!(humanoid.joint(HumanBone::Hips), Some(hips));
/// assert_eq!(humanoid.bone(hips).map(HumanBone::name), Some("hips"));
/// # Ok::<(), sinew::HumanoidError>(())
/// ```
#[doc(alias = "VRM")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Humanoid {
    /// The joint of each bone, by the bone's number.
    joints: [Option<JointId>; HumanBone::COUNT],
}

impl Default for Humanoid {
    /// A humanoid without bones.
    fn default() -> Self {
        Self { joints: [None; HumanBone::COUNT] }
    }
}

/// Why pairs of bones and joints do not form a humanoid.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum HumanoidError {
    /// The skeleton does not have such a joint.
    #[error("human bone {}: there is no joint {}, the skeleton has {joints}", bone.name(), joint.0)]
    NoSuchJoint {
        /// The bone in question.
        bone: HumanBone,
        /// The joint that does not exist.
        joint: JointId,
        /// How many joints the skeleton has.
        joints: usize,
    },
    /// A bone is given twice.
    #[error("human bone {} is given twice: joints {} and {}", bone.name(), first.0, second.0)]
    BoneTwice {
        /// The bone in question.
        bone: HumanBone,
        /// The joint that the bone has first.
        first: JointId,
        /// The joint that the bone has next.
        second: JointId,
    },
    /// A joint is two bones.
    #[error("joint {} is two human bones: {} and {}", joint.0, first.name(), second.name())]
    JointTwice {
        /// The joint in question.
        joint: JointId,
        /// The bone that the joint is first.
        first: HumanBone,
        /// The bone that the joint is next.
        second: HumanBone,
    },
}

impl Humanoid {
    /// A humanoid of `bones`, in any order. Bones that are not given are absent.
    ///
    /// # Errors
    /// If a joint is not in `skeleton`, or a bone or a joint is given twice.
    pub fn new(
        skeleton: &Skeleton,
        bones: impl IntoIterator<Item = (HumanBone, JointId)>,
    ) -> Result<Self, HumanoidError> {
        let humanoid = Self::from_pairs(bones)?;
        humanoid.check(skeleton)?;
        Ok(humanoid)
    }

    /// A humanoid whose joints are still to be compared with a skeleton.
    pub(super) fn from_pairs(
        bones: impl IntoIterator<Item = (HumanBone, JointId)>,
    ) -> Result<Self, HumanoidError> {
        let mut out = Self::default();
        for (bone, joint) in bones {
            if let Some(first) = out.bone(joint).filter(|&first| first != bone) {
                return Err(HumanoidError::JointTwice { joint, first, second: bone });
            }
            if let Some(first) = out.joints[bone as usize].replace(joint) {
                return Err(HumanoidError::BoneTwice { bone, first, second: joint });
            }
        }
        Ok(out)
    }

    /// Checks that `skeleton` has every joint.
    pub(crate) fn check(&self, skeleton: &Skeleton) -> Result<(), HumanoidError> {
        let joints = skeleton.len();
        match self.iter().find(|(_, joint)| joint.index() >= joints) {
            Some((bone, joint)) => Err(HumanoidError::NoSuchJoint { bone, joint, joints }),
            None => Ok(()),
        }
    }

    /// The joint of `bone`; `None` if the skeleton does not have the bone.
    #[must_use]
    pub fn joint(&self, bone: HumanBone) -> Option<JointId> {
        self.joints[bone as usize]
    }

    /// The bone that `joint` is; `None` if it is not a bone of a human body.
    #[must_use]
    pub fn bone(&self, joint: JointId) -> Option<HumanBone> {
        HumanBone::ALL.into_iter().find(|&bone| self.joint(bone) == Some(joint))
    }

    /// The bones and their joints, in the order of [`HumanBone::ALL`].
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (HumanBone, JointId)> + '_ {
        HumanBone::ALL.into_iter().filter_map(|bone| Some((bone, self.joint(bone)?)))
    }

    /// How many bones have a joint.
    #[must_use]
    pub fn len(&self) -> usize {
        self.joints.iter().flatten().count()
    }

    /// True if no bone has a joint.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The nearest bone above `bone` that has a joint: without an upper chest, the neck is above the chest.
    #[must_use]
    pub fn parent(&self, bone: HumanBone) -> Option<HumanBone> {
        std::iter::successors(bone.parent(), |b| b.parent()).find(|&b| self.joint(b).is_some())
    }

    /// The bones that VRM 1.0 requires and that have no joint.
    pub fn missing(&self) -> impl Iterator<Item = HumanBone> + '_ {
        HumanBone::ALL.into_iter().filter(|&bone| bone.is_required() && self.joint(bone).is_none())
    }

    /// The humanoid after joints were added, removed or reordered: `new_of` returns the new number of a joint, `None` for one
    /// that was removed. Bones of removed joints become absent, and so does the second bone of joints that became one.
    #[must_use]
    pub fn remapped(&self, new_of: impl Fn(JointId) -> Option<JointId>) -> Self {
        let mut out = Self::default();
        for (bone, joint) in self.iter() {
            out.joints[bone as usize] = new_of(joint).filter(|&new| out.bone(new).is_none());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure_bones() -> Humanoid {
        let figure = crate::sinew_samples::figure();
        let skeleton = figure.skeleton();
        let find = |name: &str| skeleton.find(name).unwrap();
        let bones = [
            (HumanBone::Hips, find("hips")),
            (HumanBone::Spine, find("spine_lower")),
            (HumanBone::Head, find("head")),
            (HumanBone::LeftHand, find("hand.L")),
        ];
        Humanoid::new(skeleton, bones).unwrap()
    }

    #[test]
    fn finds_joints_and_bones() {
        let humanoid = figure_bones();
        assert_eq!(humanoid.len(), 4);
        for (bone, joint) in humanoid.iter() {
            assert_eq!((humanoid.joint(bone), humanoid.bone(joint)), (Some(joint), Some(bone)));
        }
        assert_eq!(humanoid.joint(HumanBone::Jaw), None);
        assert_eq!(humanoid.parent(HumanBone::Head), Some(HumanBone::Spine));
        assert_eq!(humanoid.parent(HumanBone::LeftHand), Some(HumanBone::Spine));
        assert_eq!(humanoid.parent(HumanBone::Hips), None);
        assert_eq!(humanoid.missing().count(), 15 - 4);
    }

    #[test]
    fn rejects_bones_and_joints_given_twice_and_missing_joints() {
        use HumanBone::{Head, Hips, Neck};
        let figure = crate::sinew_samples::figure();
        let make = |bones: &[(HumanBone, u16)]| {
            let bones = bones.iter().map(|&(bone, joint)| (bone, JointId(joint)));
            Humanoid::new(figure.skeleton(), bones).unwrap_err().to_string()
        };
        assert_eq!(make(&[(Head, 1), (Neck, 1)]), "joint 1 is two human bones: head and neck");
        assert_eq!(make(&[(Head, 1), (Head, 2)]), "human bone head is given twice: joints 1 and 2");
        assert_eq!(make(&[(Head, 1), (Head, 1)]), "human bone head is given twice: joints 1 and 1");
        let missing = make(&[(Hips, 999)]);
        assert!(missing.starts_with("human bone hips: there is no joint 999"), "{missing}");
    }

    #[test]
    fn follows_joints_to_their_new_numbers() {
        let humanoid = figure_bones();
        let head = humanoid.joint(HumanBone::Head).unwrap();
        let moved = humanoid.remapped(|j| (j != head).then_some(JointId(j.0 + 7)));
        assert_eq!(moved.joint(HumanBone::Head), None);
        let hips = humanoid.joint(HumanBone::Hips).unwrap();
        assert_eq!(moved.joint(HumanBone::Hips), Some(JointId(hips.0 + 7)));
        assert_eq!(moved.len(), 3);
    }
}
