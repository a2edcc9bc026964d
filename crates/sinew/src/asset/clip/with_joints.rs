//! A clip with other joint numbers.

use super::{Channel, Clip, HomeSkeleton};
use crate::asset::skeleton::JointId;

impl Channel {
    /// The channel for the joint that `joint_of` gives; `None` if it gives none, or for unwanted morph weights.
    pub(crate) fn with_joint(
        &self,
        joint_of: &impl Fn(JointId) -> Option<JointId>,
        with_morphs: bool,
    ) -> Option<Self> {
        let mut channel = self.clone();
        match &mut channel {
            Self::Translation { joint, .. } | Self::Rotation { joint, .. } | Self::Scale { joint, .. } => {
                *joint = joint_of(*joint)?;
            }
            Self::Morphs { .. } if !with_morphs => return None,
            Self::Morphs { .. } => {}
        }
        Some(channel)
    }
}

impl Clip {
    /// The clip with the joint numbers that `joint_of` gives; channels of joints without one are left out, and morph
    /// weights if not `with_morphs`. Events, meta-channels and duration stay.
    pub(crate) fn with_joints(
        &self,
        joint_of: impl Fn(JointId) -> Option<JointId>,
        with_morphs: bool,
        home: HomeSkeleton,
    ) -> Self {
        let mut parts = self.parts().clone();
        parts.channels =
            parts.channels.iter().filter_map(|one| one.with_joint(&joint_of, with_morphs)).collect();
        // Keys that are left out must not shorten the clip.
        parts.duration_secs = Some(self.duration_secs);
        Self { parts, duration_secs: self.duration_secs, home, compressed: None }
    }

    /// The clip without the translations of joints for which `is_dropped` returns true.
    pub(crate) fn without_translations(self, is_dropped: impl Fn(JointId) -> bool) -> Self {
        let mut kept = self.with_keys();
        let is_kept = |channel: &Channel| match channel {
            Channel::Translation { joint, .. } => !is_dropped(*joint),
            Channel::Rotation { .. } | Channel::Scale { .. } | Channel::Morphs { .. } => true,
        };
        kept.parts.channels.retain(is_kept);
        kept
    }
}
