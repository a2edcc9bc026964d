//! The skeleton that the joint numbers of a clip refer to.

use crate::{asset::skeleton::Skeleton, identity::Identity};

/// The identity of the joints that a clip animates, or nothing for a clip that no character owns.
///
/// It covers the joints up to the last animated one, so joints that are added behind them change nothing. It follows from
/// the character, so the comparison of clips ignores it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HomeSkeleton(Option<Identity>);

impl PartialEq for HomeSkeleton {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl HomeSkeleton {
    /// The home of a clip that animates the first `joint_count` joints of `skeleton`.
    pub(crate) fn of(skeleton: &Skeleton, joint_count: usize) -> Self {
        Self(Some(skeleton.identity(joint_count)))
    }

    /// True if both name the same joints.
    pub(crate) fn is(self, other: Self) -> bool {
        self.0 == other.0
    }

    /// True if a clip with this home, which animates the first `joint_count` joints, may play on `skeleton`.
    pub(crate) fn fits(self, skeleton: &Skeleton, joint_count: usize) -> bool {
        self.0.is_none_or(|home| home == skeleton.identity(joint_count))
    }
}
