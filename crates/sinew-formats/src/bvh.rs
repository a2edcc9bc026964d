//! BVH: reads and writes a hierarchy of joints and its captured motion.
//!
//! ```
//! use sinew_formats::bvh::{Bvh, BvhOptions};
//!
//! let text = "HIERARCHY\nROOT hip\n{\n OFFSET 0 0 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n}\n\
//!             MOTION\nFrames: 2\nFrame Time: .1\n0 0 0\n90 0 0\n";
//! let bvh = Bvh::parse(text.as_bytes()).unwrap();
//! assert_eq!(bvh.frame(1), [90.0, 0.0, 0.0]);                // as written: degrees, in the file's units
//! let character = bvh.to_character("turn", &BvhOptions::default()).unwrap();
//! assert_eq!(character.clips()[0].duration_secs(), 0.1);
//! assert_eq!(Bvh::parse(bvh.to_text().as_bytes()).unwrap(), bvh);
//! ```
//!
//! A [`Bvh`] keeps hierarchy, channels and frames as they are in the file. [`BvhPose`] evaluates a frame,
//! [`Bvh::to_character`] makes a skeleton and a clip, and [`Bvh::from_clip`] makes a motion of a clip.

mod character;
mod euler;
mod export;
mod parse;
mod pose;
mod text;
mod words;

pub use character::BvhOptions;
pub(crate) use character::read_bvh;
pub use export::BvhExport;
pub use parse::BvhNotes;
pub(crate) use parse::is_bvh;
pub use pose::{BvhPose, PositionChannels};

use sinew::{Skeleton, glam::DVec3};
use std::fmt;
use thiserror::Error;

/// A coordinate axis of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BvhAxis {
    /// The X axis, (1, 0, 0).
    X,
    /// The Y axis, (0, 1, 0).
    Y,
    /// The Z axis, (0, 0, 1).
    Z,
}

impl BvhAxis {
    /// All three, in order.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// The index of the component in a vector.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The unit vector along the axis.
    #[must_use]
    pub const fn unit(self) -> DVec3 {
        DVec3::AXES[self as usize]
    }
}

/// The meaning of one number of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BvhChannel {
    /// A length along an axis of the parent, in the file's units.
    Position(BvhAxis),
    /// An angle about an axis, in degrees.
    Rotation(BvhAxis),
}

impl BvhChannel {
    /// Every channel, positions first.
    pub const ALL: [Self; 6] = [
        Self::Position(BvhAxis::X),
        Self::Position(BvhAxis::Y),
        Self::Position(BvhAxis::Z),
        Self::Rotation(BvhAxis::X),
        Self::Rotation(BvhAxis::Y),
        Self::Rotation(BvhAxis::Z),
    ];

    /// The keyword in files, for instance `Xposition`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Position(BvhAxis::X) => "Xposition",
            Self::Position(BvhAxis::Y) => "Yposition",
            Self::Position(BvhAxis::Z) => "Zposition",
            Self::Rotation(BvhAxis::X) => "Xrotation",
            Self::Rotation(BvhAxis::Y) => "Yrotation",
            Self::Rotation(BvhAxis::Z) => "Zrotation",
        }
    }
}

impl fmt::Display for BvhChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One joint, the input of [`Bvh::new`].
#[derive(Clone, Debug, PartialEq)]
pub struct BvhJoint {
    /// The name. It need not be unique and may be empty; without line breaks, `{`, and space at its ends.
    pub name: String,
    /// The index of the parent; `None` for a root.
    pub parent: Option<usize>,
    /// The rest position relative to the parent, in the file's units.
    pub offset: DVec3,
    /// The animated channels, in the order of the matrix product: Z, Y, X means Rz · Ry · Rx.
    pub channels: Vec<BvhChannel>,
    /// The ends of its bone, relative to the joint. Files have one in every joint without children.
    pub end_sites: Vec<DVec3>,
}

/// A hierarchy and its frames as in a file; valid by construction.
#[derive(Clone, Debug, PartialEq)]
pub struct Bvh {
    joints: Vec<BvhJoint>,
    /// For each joint, the index of its first number in a frame.
    first_value: Vec<usize>,
    width: usize,
    frame_secs: f64,
    values: Vec<f64>,
}

/// Why joints and frames are not a valid motion.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum BvhError {
    /// There are no joints, or more than a skeleton can hold.
    #[error("the number of joints must be 1 to {}, got {count}", Skeleton::MAX_JOINTS)]
    JointCount {
        /// The number of joints.
        count: usize,
    },
    /// A joint does not directly follow its parent or another descendant of its parent.
    #[error("joint {joint} ({name:?}) must follow its parent {parent} or a descendant of it")]
    NotInParent {
        /// The index of the joint.
        joint: usize,
        /// The name of the joint.
        name: String,
        /// The index that it names as its parent.
        parent: usize,
    },
    /// A name that the syntax of the format would break.
    #[error("joint {joint}: the name {name:?} is invalid")]
    BadName {
        /// The index of the joint.
        joint: usize,
        /// The name that is invalid.
        name: String,
    },
    /// A joint has the same channel twice.
    #[error("joint {joint} ({name:?}) has the channel {channel} twice")]
    ChannelTwice {
        /// The index of the joint.
        joint: usize,
        /// The name of the joint.
        name: String,
        /// The channel that is duplicate.
        channel: BvhChannel,
    },
    /// The numbers are not a whole number of frames.
    #[error("the number of values must be a multiple of {channels} channels, got {values}")]
    WrongCount {
        /// The number of values.
        values: usize,
        /// The number of values in a frame.
        channels: usize,
    },
    /// A number is not finite or beyond [`Bvh::LARGEST`].
    #[error("{place}: must be finite and at most 1e11, got {value}")]
    BadNumber {
        /// The joint or frame of the number.
        place: String,
        /// The number that is invalid.
        value: f64,
    },
    /// The time between frames is negative, not finite or beyond [`Bvh::LARGEST`].
    #[error("the time between frames must be between 0 and 1e11 s, got {secs} s")]
    BadFrameTime {
        /// The time between frames, in seconds.
        secs: f64,
    },
}

impl Bvh {
    /// The largest valid magnitude. An offset and a position that is added to it stay below [`sinew::MAX_VALUE`].
    pub const LARGEST: f64 = 1e11;

    /// A motion of `joints`, parents before their children, with the `values` of all channels frame by frame.
    ///
    /// # Errors
    /// When a joint does not follow its parent or another descendant of it, a name or a number cannot be written, a channel
    /// is duplicate, or the last frame is incomplete.
    pub fn new(joints: Vec<BvhJoint>, frame_secs: f64, values: Vec<f64>) -> Result<Self, BvhError> {
        if joints.is_empty() || joints.len() > Skeleton::MAX_JOINTS {
            return Err(BvhError::JointCount { count: joints.len() });
        }
        check_nesting(&joints)?;
        let mut first_value = Vec::with_capacity(joints.len());
        let mut width = 0;
        for (index, joint) in joints.iter().enumerate() {
            check_joint(index, joint)?;
            first_value.push(width);
            width += joint.channels.len();
        }
        if !(0.0..=Self::LARGEST).contains(&frame_secs) {
            return Err(BvhError::BadFrameTime { secs: frame_secs });
        }
        if values.len().checked_rem(width).unwrap_or(values.len()) != 0 {
            return Err(BvhError::WrongCount { values: values.len(), channels: width });
        }
        if let Some(at) = values.iter().position(|&v| !is_usable(v)) {
            let place = format!("frame {}, number {}", at / width, at % width);
            return Err(BvhError::BadNumber { place, value: values[at] });
        }
        Ok(Self { joints, first_value, width, frame_secs, values })
    }

    /// Every joint, parents before their children.
    #[must_use]
    pub fn joints(&self) -> &[BvhJoint] {
        &self.joints
    }

    /// The number of values in a frame.
    #[must_use]
    pub fn channel_count(&self) -> usize {
        self.width
    }

    /// The time between two frames in seconds, as in the file; zero in some files.
    #[must_use]
    pub fn frame_secs(&self) -> f64 {
        self.frame_secs
    }

    /// The number of frames; zero if no joint has a channel.
    #[must_use]
    pub fn frame_count(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    /// The values of a frame, joint by joint.
    ///
    /// # Panics
    /// When `frame` is out of range.
    #[must_use]
    pub fn frame(&self, frame: usize) -> &[f64] {
        &self.values[frame * self.width..(frame + 1) * self.width]
    }

    /// The channels of a joint with their values in a frame.
    ///
    /// # Panics
    /// When `joint` or `frame` is out of range.
    pub fn channels(&self, joint: usize, frame: usize) -> impl Iterator<Item = (BvhChannel, f64)> {
        let (channels, values) = (&self.joints[joint].channels, self.frame(frame));
        channels.iter().copied().zip(values[self.first_value[joint]..].iter().copied())
    }
}

fn is_usable(number: f64) -> bool {
    number.abs() <= Bvh::LARGEST
}

/// Checks that the parent of every joint is the joint before it or an ancestor of that joint.
fn check_nesting(joints: &[BvhJoint]) -> Result<(), BvhError> {
    let mut path: Vec<usize> = Vec::new();
    for (index, joint) in joints.iter().enumerate() {
        match joint.parent {
            None => path.clear(),
            // The rest of the path is the parent and its ancestors.
            Some(parent) => match path.binary_search(&parent) {
                Ok(depth) => path.truncate(depth + 1),
                Err(_) => {
                    return Err(BvhError::NotInParent { joint: index, name: joint.name.clone(), parent });
                }
            },
        }
        path.push(index);
    }
    Ok(())
}

fn check_joint(index: usize, joint: &BvhJoint) -> Result<(), BvhError> {
    let name = || joint.name.clone();
    let breaks = |c: char| c == '{' || c.is_control();
    if joint.name.contains(breaks) || joint.name.trim() != joint.name {
        return Err(BvhError::BadName { joint: index, name: name() });
    }
    for (at, &channel) in joint.channels.iter().enumerate() {
        if joint.channels[..at].contains(&channel) {
            return Err(BvhError::ChannelTwice { joint: index, name: name(), channel });
        }
    }
    let vectors = joint.end_sites.iter().chain([&joint.offset]);
    match vectors.flat_map(DVec3::to_array).find(|&v| !is_usable(v)) {
        Some(value) => {
            Err(BvhError::BadNumber { place: format!("joint {index} ({:?}), an offset", joint.name), value })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(name: &str, parent: Option<usize>, channels: &[BvhChannel]) -> BvhJoint {
        let name = name.into();
        BvhJoint { name, parent, offset: DVec3::ZERO, channels: channels.to_vec(), end_sites: vec![] }
    }

    #[test]
    fn joints_must_follow_their_parent_or_its_descendants() {
        let tree = |parents: &[Option<usize>]| {
            Bvh::new(parents.iter().map(|&p| joint("j", p, &[])).collect(), 0.1, vec![])
        };
        assert!(tree(&[None, Some(0), Some(1), Some(0), None, Some(4)]).is_ok());
        for bad in
            [&[None, Some(0), Some(0), Some(1)][..], &[Some(0)], &[None, Some(1)], &[None, None, Some(0)]]
        {
            assert!(matches!(tree(bad), Err(BvhError::NotInParent { .. })), "{bad:?}");
        }
        assert_eq!(tree(&[]), Err(BvhError::JointCount { count: 0 }));
    }

    #[test]
    fn frames_must_be_complete_and_finite() {
        let x = BvhChannel::Rotation(BvhAxis::X);
        let new = |channels: &[BvhChannel], values: &[f64]| {
            Bvh::new(vec![joint("j", None, channels)], 0.1, values.to_vec())
        };
        assert!(matches!(
            new(&[x, BvhChannel::Position(BvhAxis::X)], &[1.0]),
            Err(BvhError::WrongCount { .. })
        ));
        assert!(matches!(new(&[], &[1.0]), Err(BvhError::WrongCount { .. })));
        assert!(matches!(new(&[x, x], &[]), Err(BvhError::ChannelTwice { .. })));
        for bad in [f64::NAN, f64::INFINITY, 2e30] {
            assert!(matches!(new(&[x], &[1.0, bad]), Err(BvhError::BadNumber { .. })));
        }
        assert_eq!(new(&[x], &[1.0, 2.0]).unwrap().frame_count(), 2);
        assert_eq!(new(&[], &[]).unwrap().frame_count(), 0);
    }

    #[test]
    fn names_that_break_the_syntax_are_refused() {
        for bad in ["a\nb", "a{", " a", "a "] {
            let made = Bvh::new(vec![joint(bad, None, &[])], 0.1, vec![]);
            assert!(matches!(made, Err(BvhError::BadName { .. })), "{bad:?}");
        }
        assert!(Bvh::new(vec![joint("left arm:a}b", None, &[])], 0.1, vec![]).is_ok());
    }
}
