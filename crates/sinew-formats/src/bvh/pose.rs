//! The pose of a frame.

use super::{Bvh, BvhChannel, euler};
use sinew::glam::{DAffine3, DQuat, DVec3};

/// How a position channel combines with a joint's OFFSET. Both conventions are in use, and files do not say which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PositionChannels {
    /// The channel replaces the offset, as in most programs.
    #[default]
    Replace,
    /// The channel is added to the offset.
    Add,
}

impl Bvh {
    /// The translation of a joint in its parent in the file's units, and its rotation.
    ///
    /// # Panics
    /// When there are not so many joints or frames.
    #[must_use]
    pub fn local(&self, joint: usize, frame: usize, positions: PositionChannels) -> (DVec3, DQuat) {
        let mut translation = self.joints()[joint].offset;
        let mut rotation = DQuat::IDENTITY;
        for (channel, value) in self.channels(joint, frame) {
            match channel {
                BvhChannel::Position(axis) => {
                    let base = match positions {
                        PositionChannels::Replace => 0.0,
                        PositionChannels::Add => translation[axis.index()],
                    };
                    translation[axis.index()] = base + value;
                }
                BvhChannel::Rotation(axis) => rotation *= euler::turn(axis, value.to_radians()),
            }
        }
        (translation, rotation)
    }
}

/// The world transform of every joint, in double precision.
#[derive(Clone, Debug, PartialEq)]
pub struct BvhPose {
    world_from_joint: Vec<DAffine3>,
}

impl BvhPose {
    /// A pose for the joints of a motion, all at the origin.
    #[must_use]
    pub fn new(bvh: &Bvh) -> Self {
        Self { world_from_joint: vec![DAffine3::IDENTITY; bvh.joints().len()] }
    }

    /// Evaluates a frame, without allocation.
    ///
    /// # Panics
    /// When `frame` is out of range, or the pose was made for a motion with another number of joints.
    pub fn update(&mut self, bvh: &Bvh, frame: usize, positions: PositionChannels) {
        assert_eq!(self.world_from_joint.len(), bvh.joints().len(), "the pose is of another motion");
        for (index, joint) in bvh.joints().iter().enumerate() {
            let (translation, rotation) = bvh.local(index, frame, positions);
            let parent_from_joint = DAffine3::from_rotation_translation(rotation, translation);
            self.world_from_joint[index] = match joint.parent {
                Some(parent) => self.world_from_joint[parent] * parent_from_joint,
                None => parent_from_joint,
            };
        }
    }

    /// `world_from_joint` of every joint, in the file's order and units.
    #[must_use]
    pub fn joints(&self) -> &[DAffine3] {
        &self.world_from_joint
    }

    /// The position of every joint, in the file's order and units.
    #[must_use]
    pub fn positions(&self) -> impl ExactSizeIterator<Item = DVec3> {
        self.world_from_joint.iter().map(|joint| joint.translation)
    }
}
