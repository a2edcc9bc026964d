//! How each method bounds the distance between a deformed mesh and its joints.

/// Why a method's vertices stay inside a box; the proofs are at
/// [`AnimatedBounds`](super::AnimatedBounds).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoundsRule {
    /// A vertex is a mean of its images under the matrices of its joints.
    Linear,
    /// A vertex rotates about a mean of the joints where its influences meet.
    TurnAboutJoints,
    /// A vertex rotates about its center of rotation.
    TurnAboutCenters,
    /// A vertex stays within a bounded margin of linear blend skinning.
    DualQuats,
    /// A vertex stays within a bounded distance of dual quaternion skinning.
    Contact,
    /// A vertex rotates about its smoothed position.
    Smoothed,
    /// A vertex rotates about a pivot that smoothed moments move.
    SmoothedMoments,
}

impl BoundsRule {
    /// True if a dual-quaternion palette is needed or makes the box smaller.
    pub(crate) const fn reads_dual_quats(self) -> bool {
        match self {
            Self::TurnAboutJoints | Self::TurnAboutCenters | Self::DualQuats | Self::Contact => true,
            Self::Linear | Self::Smoothed | Self::SmoothedMoments => false,
        }
    }
}
