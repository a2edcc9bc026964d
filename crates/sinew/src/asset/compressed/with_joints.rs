//! Compressed clips with other joint numbers.

use super::{CompressedClip, HomeSkeleton, JointId};

/// The joint of tracks that are read and left out: no skeleton has so many.
pub(crate) const SKIPPED: JointId = JointId(u16::MAX);

impl CompressedClip {
    /// The clip with other joint numbers; tracks of joints without one are left out, and morph weights if not wanted.
    ///
    /// The bytes stay as they are: tracks that are left out are still read.
    pub(crate) fn with_joints(
        &self,
        joint_of: impl Fn(JointId) -> Option<JointId>,
        with_morphs: bool,
        home: HomeSkeleton,
    ) -> Self {
        let mut parts = self.parts.clone();
        let channels = parts.keyed.channels.iter();
        parts.keyed.channels = channels.filter_map(|one| one.with_joint(&joint_of, with_morphs)).collect();
        let target =
            |joint: JointId| if joint == SKIPPED { SKIPPED } else { joint_of(joint).unwrap_or(SKIPPED) };
        parts.frames.rotations.iter_mut().for_each(|track| track.joint = target(track.joint));
        parts.frames.vectors.iter_mut().for_each(|track| track.joint = target(track.joint));
        if !with_morphs {
            parts.frames.morphs.iter_mut().for_each(|track| track.slot = usize::MAX);
        }
        let keyed = parts.keyed.channels.iter().filter_map(super::Channel::joint);
        let rotations = parts.frames.rotations.iter().map(|track| track.joint);
        let joints = keyed.chain(rotations).chain(parts.frames.vectors.iter().map(|track| track.joint));
        let joint_count = joints.filter(|j| *j != SKIPPED).map(|j| j.index() + 1).max().unwrap_or(0);
        let morph_slot_count = if with_morphs { self.morph_slot_count } else { 0 };
        let (segments, lanes) = (self.segments.clone(), self.lanes.clone());
        Self { parts, segments, lanes, joint_count, morph_slot_count, home }
    }
}
