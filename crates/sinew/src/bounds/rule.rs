//! How each method keeps a deformed mesh within reach of its joints.

/// Why a method's vertices stay inside a box; the proofs are at
/// [`AnimatedBounds`](super::AnimatedBounds).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoundsRule {
    /// A vertex lies between the places where its joints alone would put it.
    Linear,
    /// A vertex turns about a mean of the joints where its influences meet.
    TurnAboutJoints,
    /// A vertex turns about its center of rotation.
    TurnAboutCenters,
    /// A vertex stays within a bounded margin of linear blend skinning.
    DualQuats,
    /// A vertex turns about its smoothed place.
    Smoothed,
    /// A vertex turns about a pivot that smoothed moments move.
    SmoothedMoments,
}

impl BoundsRule {
    /// True where a dual-quaternion palette is needed or makes the box smaller.
    pub(crate) const fn reads_dual_quats(self) -> bool {
        match self {
            Self::TurnAboutJoints | Self::TurnAboutCenters | Self::DualQuats => true,
            Self::Linear | Self::Smoothed | Self::SmoothedMoments => false,
        }
    }
}
