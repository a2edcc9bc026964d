//! A compressed clip with other joint numbers.

use super::{CompactClip, Constants, Frames, block::unpack, tracks::FrameGrid, tracks::SortedTracks};
use crate::asset::{
    clip::{Channel, HomeSkeleton},
    compact::block::PackedTrack,
    skeleton::JointId,
};

impl CompactClip {
    /// The clip with the joint numbers that `joint_of` gives; tracks of joints without one are left out, and morph weights
    /// if not `with_morphs`. The numbers of the other tracks stay the same to the bit.
    pub(crate) fn with_joints(
        &self,
        joint_of: impl Fn(JointId) -> Option<JointId>,
        with_morphs: bool,
        home: HomeSkeleton,
    ) -> Self {
        let joint_of = &joint_of;
        let mut tracks = unpacked(&self.frames);
        retain(&mut tracks.rotations, joint_of);
        retain(&mut tracks.translations, joint_of);
        retain(&mut tracks.scales, joint_of);
        let Constants { translations, rotations, scales, morphs } = &self.constants;
        let constants = Constants {
            translations: moved(translations, joint_of),
            rotations: moved(rotations, joint_of),
            scales: moved(scales, joint_of),
            morphs: if with_morphs { morphs.clone() } else { vec![] },
        };
        if !with_morphs {
            tracks.morphs.clear();
        }
        let grid = FrameGrid { rate_hz: self.frames.rate_hz, count: self.frames.count };
        let keyed = self.keyed.iter().filter_map(|channel| channel.with_joint(joint_of, with_morphs));
        let mut out = Self {
            frames: tracks.pack_frames(grid),
            constants,
            keyed: keyed.collect(),
            morph_slot_count: if with_morphs { self.morph_slot_count } else { 0 },
            home,
            ..self.clone()
        };
        out.joint_count = out.animated_joints().map(|joint| joint.index() + 1).max().unwrap_or(0);
        out
    }

    /// The clip without the translations of joints for which `is_dropped` returns true.
    pub(crate) fn without_translations(mut self, is_dropped: impl Fn(JointId) -> bool) -> Self {
        let kept = |joint: JointId| Some(joint).filter(|joint| !is_dropped(*joint));
        let mut tracks = unpacked(&self.frames);
        retain(&mut tracks.translations, &kept);
        let grid = FrameGrid { rate_hz: self.frames.rate_hz, count: self.frames.count };
        self.frames = tracks.pack_frames(grid);
        self.constants.translations.retain(|(joint, _)| !is_dropped(*joint));
        self.keyed.retain(|channel| match channel {
            Channel::Translation { joint, .. } => !is_dropped(*joint),
            Channel::Rotation { .. } | Channel::Scale { .. } | Channel::Morphs { .. } => true,
        });
        self
    }

    /// Every joint that a track animates, in no order and more than once.
    pub(crate) fn animated_joints(&self) -> impl Iterator<Item = JointId> + '_ {
        let Constants { translations, rotations, scales, .. } = &self.constants;
        let constant = translations.iter().chain(scales).map(|(joint, _)| *joint);
        let constant = constant.chain(rotations.iter().map(|(joint, _)| *joint));
        let four = self.frames.rotations.iter().flat_map(|block| block.targets);
        let three =
            self.frames.translations.iter().chain(&self.frames.scales).flat_map(|block| block.targets);
        let framed = four.chain(three).map(|target| JointId(target as u16));
        constant.chain(framed).chain(self.keyed.iter().filter_map(Channel::joint))
    }
}

fn unpacked(frames: &Frames) -> SortedTracks {
    let (mut place, stride, data) = (0, frames.stride.max(1), &frames.data);
    SortedTracks {
        rotations: unpack(&frames.rotations, stride, data, &mut place),
        translations: unpack(&frames.translations, stride, data, &mut place),
        scales: unpack(&frames.scales, stride, data, &mut place),
        morphs: unpack(&frames.morphs, stride, data, &mut place),
        ..SortedTracks::default()
    }
}

fn retain<const N: usize>(tracks: &mut Vec<PackedTrack<N>>, joint_of: &impl Fn(JointId) -> Option<JointId>) {
    tracks.retain_mut(|track| match joint_of(JointId(track.target as u16)) {
        Some(joint) => {
            track.target = u32::from(joint.0);
            true
        }
        None => false,
    });
}

fn moved<T: Copy>(
    constants: &[(JointId, T)],
    joint_of: &impl Fn(JointId) -> Option<JointId>,
) -> Vec<(JointId, T)> {
    constants.iter().filter_map(|&(joint, value)| Some((joint_of(joint)?, value))).collect()
}
