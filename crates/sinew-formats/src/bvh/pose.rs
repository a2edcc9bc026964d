//! Where joints are in a frame.

use super::{Bvh, BvhChannel, euler};
use sinew::glam::{DAffine3, DQuat, DVec3};

/// What a position channel does to a joint's OFFSET. Files mean both, and none says which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PositionChannels {
    /// It takes the place of the offset's number: what most programs do.
    #[default]
    Replace,
    /// It is added to it.
    Add,
}

impl Bvh {
    /// Where a joint is in its parent in a frame: translation in the file's units, and rotation.
    ///
    /// # Panics
    /// Where there are not so many joints or frames.
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

/// Every joint relative to the world of the file, worked in double precision.
#[derive(Clone, Debug, PartialEq)]
pub struct BvhPose {
    world_from_joint: Vec<DAffine3>,
}

impl BvhPose {
    /// A pose with room for every joint, all at the origin.
    pub fn new(bvh: &Bvh) -> Self {
        Self { world_from_joint: vec![DAffine3::IDENTITY; bvh.joints().len()] }
    }

    /// Makes this the pose of a frame; no allocation.
    ///
    /// # Panics
    /// Where there are not so many frames, or the pose was made for a motion with another number of joints.
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
    pub fn joints(&self) -> &[DAffine3] {
        &self.world_from_joint
    }

    /// Where every joint is, in the file's order and units.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = DVec3> {
        self.world_from_joint.iter().map(|joint| joint.translation)
    }
}
