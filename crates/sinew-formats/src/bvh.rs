//! BVH: a hierarchy of joints and their captured motion, in and out.
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
//! A [`Bvh`] keeps hierarchy, channels and frames as they stand in the file. [`BvhPose`] says where joints are in a
//! frame, [`Bvh::to_character`] makes a skeleton and a clip, and [`Bvh::from_clip`] goes the other way.

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

/// One of three directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UpAxis {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
}

impl UpAxis {
    /// All three, in order.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// The place in a vector.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// A vector of length one.
    pub const fn unit(self) -> DVec3 {
        DVec3::AXES[self as usize]
    }
}

/// What one number of a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BvhChannel {
    /// A length along an axis of the parent, in the file's units.
    Position(UpAxis),
    /// An angle about an axis, in degrees.
    Rotation(UpAxis),
}

impl BvhChannel {
    /// Every channel.
    pub const ALL: [Self; 6] = [
        Self::Position(UpAxis::X),
        Self::Position(UpAxis::Y),
        Self::Position(UpAxis::Z),
        Self::Rotation(UpAxis::X),
        Self::Rotation(UpAxis::Y),
        Self::Rotation(UpAxis::Z),
    ];

    /// What files call it, for instance `Xposition`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Position(UpAxis::X) => "Xposition",
            Self::Position(UpAxis::Y) => "Yposition",
            Self::Position(UpAxis::Z) => "Zposition",
            Self::Rotation(UpAxis::X) => "Xrotation",
            Self::Rotation(UpAxis::Y) => "Yrotation",
            Self::Rotation(UpAxis::Z) => "Zrotation",
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
    /// Need not be unique and may be empty; no line breaks, no `{`, no space at the ends.
    pub name: String,
    /// `None` for a root; otherwise the place of the joint that this one stands in.
    pub parent: Option<usize>,
    /// Where it is in its parent when nothing moves it, in the file's units.
    pub offset: DVec3,
    /// What moves it. The order is that of the matrices: Z, Y, X means Rz · Ry · Rx.
    pub channels: Vec<BvhChannel>,
    /// Where its bone ends, relative to it. Files have one in every joint without children.
    pub end_sites: Vec<DVec3>,
}

/// A hierarchy and its frames, as a file has them; valid by construction.
#[derive(Clone, Debug, PartialEq)]
pub struct Bvh {
    joints: Vec<BvhJoint>,
    /// The place in a frame of each joint's first number.
    first_value: Vec<usize>,
    width: usize,
    frame_secs: f64,
    values: Vec<f64>,
}

/// Why joints and frames make no motion.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BvhError {
    /// A motion needs a joint, and sixteen bits number them.
    #[error("{count} joints, but there must be 1 to {}", Skeleton::MAX_JOINTS)]
    JointCount {
        /// How many were given.
        count: usize,
    },
    /// A file has a joint's descendants in a row after it.
    #[error("joint {joint} ({name:?}) names parent {parent}, in which it does not stand")]
    NotInParent {
        /// The joint's place.
        joint: usize,
        /// Its name.
        name: String,
        /// The place it names as its parent.
        parent: usize,
    },
    /// A name that would read as something else.
    #[error("joint {joint} cannot be called {name:?}")]
    BadName {
        /// The joint's place.
        joint: usize,
        /// The name.
        name: String,
    },
    /// A channel stands twice in one joint.
    #[error("joint {joint} ({name:?}) has the channel {channel} twice")]
    ChannelTwice {
        /// The joint's place.
        joint: usize,
        /// Its name.
        name: String,
        /// The channel.
        channel: BvhChannel,
    },
    /// The numbers are not a whole number of frames.
    #[error("{values} numbers are no whole frames of {channels} channels")]
    WrongCount {
        /// How many numbers there are.
        values: usize,
        /// How many make a frame.
        channels: usize,
    },
    /// A number is not finite or beyond [`Bvh::LARGEST`].
    #[error("{place}: {value} is no usable number")]
    BadNumber {
        /// Where.
        place: String,
        /// The number.
        value: f64,
    },
    /// The time between frames is negative or not finite.
    #[error("frames cannot be {secs} s apart")]
    BadFrameTime {
        /// What was given.
        secs: f64,
    },
}

impl Bvh {
    /// The largest number that can be used. Sums of as many as there may be joints still fit single precision.
    pub const LARGEST: f64 = 1e30;

    /// A motion of `joints`, each before what stands in it, with `values` for all channels frame by frame.
    ///
    /// # Errors
    /// Where a joint does not follow its parent or the parent's other descendants, a name or a number cannot be written,
    /// a channel stands twice in a joint, or the last frame is not whole.
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
        if !frame_secs.is_finite() || frame_secs < 0.0 {
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

    /// Every joint, each before what stands in it.
    pub fn joints(&self) -> &[BvhJoint] {
        &self.joints
    }

    /// How many numbers make a frame.
    pub fn channel_count(&self) -> usize {
        self.width
    }

    /// The time between two frames as the file has it; zero in some files.
    pub fn frame_secs(&self) -> f64 {
        self.frame_secs
    }

    /// How many frames there are; none where no joint has a channel.
    pub fn frame_count(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    /// The numbers of a frame, joint by joint.
    ///
    /// # Panics
    /// Where there are not so many frames.
    pub fn frame(&self, frame: usize) -> &[f64] {
        &self.values[frame * self.width..(frame + 1) * self.width]
    }

    /// The channels of a joint with their numbers in a frame.
    ///
    /// # Panics
    /// Where there are not so many joints or frames.
    pub fn channels(&self, joint: usize, frame: usize) -> impl Iterator<Item = (BvhChannel, f64)> {
        let (channels, values) = (&self.joints[joint].channels, self.frame(frame));
        channels.iter().copied().zip(values[self.first_value[joint]..].iter().copied())
    }
}

fn is_usable(number: f64) -> bool {
    number.abs() <= Bvh::LARGEST
}

/// Checks that every joint's parent is the joint before it or one that this stands in.
fn check_nesting(joints: &[BvhJoint]) -> Result<(), BvhError> {
    let mut path: Vec<usize> = Vec::new();
    for (index, joint) in joints.iter().enumerate() {
        match joint.parent {
            None => path.clear(),
            // What is left of the path is the parent and what it stands in.
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
    fn a_joint_stands_among_its_parents_descendants() {
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
    fn frames_are_whole_and_finite() {
        let x = BvhChannel::Rotation(UpAxis::X);
        let new = |channels: &[BvhChannel], values: &[f64]| {
            Bvh::new(vec![joint("j", None, channels)], 0.1, values.to_vec())
        };
        assert!(matches!(
            new(&[x, BvhChannel::Position(UpAxis::X)], &[1.0]),
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
    fn names_that_would_read_as_something_else_are_refused() {
        for bad in ["a\nb", "a{", " a", "a "] {
            let made = Bvh::new(vec![joint(bad, None, &[])], 0.1, vec![]);
            assert!(matches!(made, Err(BvhError::BadName { .. })), "{bad:?}");
        }
        assert!(Bvh::new(vec![joint("left arm:a}b", None, &[])], 0.1, vec![]).is_ok());
    }
}
