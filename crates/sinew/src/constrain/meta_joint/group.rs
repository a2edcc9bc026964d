//! A named group of rotation axes that move as one anatomical joint.

use crate::{
    asset::skeleton::{JointId, Skeleton},
    constrain::{AxisAngles, JointAxes, Limit, LimitError},
    pose::LocalPose,
};
use glam::Quat;
use std::f32::consts::PI;
use thiserror::Error;

/// The axes of one joint in a [`MetaJoint`].
#[derive(Clone, Debug, PartialEq)]
pub struct MetaJointPart {
    /// The joint that rotates.
    pub joint: JointId,
    /// Its axes from the outermost to the innermost.
    pub axes: JointAxes,
    /// Minimum and maximum of each angle in radians from rest, within −π and π; empty for no limits.
    pub ranges_radians: Vec<[f32; 2]>,
}

impl MetaJointPart {
    /// A joint with these axes and no limits.
    #[must_use]
    pub const fn new(joint: JointId, axes: JointAxes) -> Self {
        Self { joint, axes, ranges_radians: Vec::new() }
    }
}

/// One, two or three rotation axes with a name, on one joint or on several: an anatomical joint.
///
/// A shoulder may be a collarbone with two axes and an upper arm with one; an elbow is a hinge with one axis. The pose of a
/// meta-joint is one angle per axis, in radians from rest, the outermost first.
///
/// ```
/// use sinew::constrain::{MetaJoint, MetaJointPart};
///
/// let figure = sinew_samples::figure();
/// let skeleton = figure.skeleton();
/// let arm = skeleton.find("upper_arm.L").unwrap();
/// let shoulder = MetaJoint::new(skeleton, "shoulder.L", vec![MetaJointPart::new(arm, "zx".parse()?)])?;
///
/// let mut pose = figure.rest_pose();
/// shoulder.set_angles(&mut pose, [0.4, -0.1, 0.0]);
/// assert!((shoulder.angles(&pose).radians[0] - 0.4).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MetaJoint {
    name: String,
    parts: Vec<MetaJointPart>,
    /// The rotation of each part's joint at rest.
    rests: Vec<Quat>,
}

/// Why a meta-joint is invalid.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MetaJointError {
    /// A meta-joint has one to three axes.
    #[error("meta-joint {name:?} must have one to three axes, got {count}")]
    WrongCount {
        /// The name of the meta-joint.
        name: String,
        /// The number of axes that were given.
        count: usize,
    },
    /// A joint is in the list twice.
    #[error("meta-joint {name:?} has joint {} twice", joint.0)]
    Twice {
        /// The name of the meta-joint.
        name: String,
        /// The joint that is listed twice.
        joint: JointId,
    },
    /// A joint is missing, or a range is invalid.
    #[error("meta-joint {name:?}: {source}")]
    Limit {
        /// The name of the meta-joint.
        name: String,
        /// What is wrong with the joint or its ranges.
        source: LimitError,
    },
}

impl MetaJoint {
    /// A meta-joint of `parts`, the outermost first.
    ///
    /// # Errors
    /// If there is no axis or more than three, a joint is missing or listed twice, or ranges are invalid.
    pub fn new(
        skeleton: &Skeleton,
        name: impl Into<String>,
        parts: Vec<MetaJointPart>,
    ) -> Result<Self, MetaJointError> {
        let name = name.into();
        let count = parts.iter().map(|part| part.axes.axes().len()).sum();
        if !(1..=3).contains(&count) {
            return Err(MetaJointError::WrongCount { name, count });
        }
        for (at, part) in parts.iter().enumerate() {
            if parts[..at].iter().any(|other| other.joint == part.joint) {
                return Err(MetaJointError::Twice { name, joint: part.joint });
            }
            limit(skeleton, part).map_err(|source| MetaJointError::Limit { name: name.clone(), source })?;
        }
        let rests = parts.iter().map(|part| skeleton.rest(part.joint).rotation.normalize()).collect();
        Ok(Self { name, parts, rests })
    }

    /// The name of the anatomical joint.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The joints with their axes, the outermost first.
    pub fn parts(&self) -> &[MetaJointPart] {
        &self.parts
    }

    /// The number of axes, one to three.
    pub fn axis_count(&self) -> usize {
        self.parts.iter().map(|part| part.axes.axes().len()).sum()
    }

    /// Minimum and maximum of each angle in radians from rest, the outermost first: −π and π for an axis without limits, and
    /// 0 for axes that the meta-joint does not have.
    #[must_use]
    pub fn ranges_radians(&self) -> [[f32; 2]; 3] {
        let (mut ranges, mut at) = ([[0.0; 2]; 3], 0);
        for part in &self.parts {
            let count = part.axes.axes().len();
            let own = &mut ranges[at..at + count];
            match part.ranges_radians.is_empty() {
                true => own.fill([-PI, PI]),
                false => own.copy_from_slice(&part.ranges_radians),
            }
            at += count;
        }
        ranges
    }

    /// `radians` with each angle moved to the nearer end of its range; angles of missing axes become 0.
    #[must_use]
    pub fn clamp_angles(&self, radians: [f32; 3]) -> [f32; 3] {
        let ranges = self.ranges_radians();
        [0, 1, 2].map(|axis| radians[axis].clamp(ranges[axis][0], ranges[axis][1]))
    }

    /// A name for each angle: that of the meta-joint and the letter of the axis, with a number if it repeats.
    pub fn angle_names(&self) -> Vec<String> {
        let letters: Vec<char> =
            self.parts.iter().flat_map(|part| part.axes.axes()).map(|axis| axis.letter()).collect();
        let name = |(at, letter): (usize, &char)| {
            let repeats = letters.iter().filter(|other| *other == letter).count() > 1;
            let number = if repeats { (at + 1).to_string() } else { String::new() };
            format!("{}.{letter}{number}", self.name)
        };
        letters.iter().enumerate().map(name).collect()
    }

    /// The angles of `pose`, or of the closest pose of these axes. The residual is the largest of any joint.
    ///
    /// # Panics
    /// If the pose has fewer joints than the skeleton.
    #[must_use]
    pub fn angles(&self, pose: &LocalPose) -> AxisAngles {
        self.read(|part, since_rest, _| part.axes.angles(since_rest), pose)
    }

    /// [`MetaJoint::angles`], of all angles with the same pose those closest to `before`.
    ///
    /// # Panics
    /// If the pose has fewer joints than the skeleton.
    #[must_use]
    pub fn angles_near(&self, pose: &LocalPose, before: [f32; 3]) -> AxisAngles {
        let near = |part: &MetaJointPart, since_rest, at: usize| {
            let mut own = [0.0; 3];
            own[..3 - at].copy_from_slice(&before[at..]);
            part.axes.angles_near(since_rest, own)
        };
        self.read(near, pose)
    }

    /// Gathers the angles of all parts. `of` gets a part, its rotation from rest and the index of its first angle.
    fn read(&self, of: impl Fn(&MetaJointPart, Quat, usize) -> AxisAngles, pose: &LocalPose) -> AxisAngles {
        let (mut all, mut at) = (AxisAngles::default(), 0);
        for (part, rest) in self.parts.iter().zip(&self.rests) {
            let since_rest = rest.conjugate() * pose.joints[part.joint.index()].rotation;
            let found = of(part, since_rest, at);
            let count = part.axes.axes().len();
            all.radians[at..at + count].copy_from_slice(&found.radians[..count]);
            all.residual_radians = all.residual_radians.max(found.residual_radians);
            at += count;
        }
        all
    }

    /// Rotates the joints of `pose` by these angles from rest; angles of missing axes are ignored.
    ///
    /// # Panics
    /// If the pose has fewer joints than the skeleton.
    pub fn set_angles(&self, pose: &mut LocalPose, radians: [f32; 3]) {
        for (part, rotation) in self.parts.iter().zip(self.rotations(radians)) {
            pose.joints[part.joint.index()].rotation = rotation;
        }
    }

    /// The rotation of each part's joint relative to its parent with these angles, in the order of the parts.
    pub fn rotations(&self, radians: [f32; 3]) -> impl Iterator<Item = Quat> + '_ {
        let mut at = 0;
        self.parts.iter().zip(&self.rests).map(move |(part, rest)| {
            let mut own = [0.0; 3];
            own[..3 - at].copy_from_slice(&radians[at..]);
            at += part.axes.axes().len();
            (*rest * part.axes.rotation(own)).normalize()
        })
    }

    /// The limit of every joint, for solvers: one axis is a hinge, two are a universal joint. Angles stay within the ranges.
    ///
    /// # Errors
    /// If `skeleton` is not the one that the meta-joint was made for.
    pub fn limits(&self, skeleton: &Skeleton) -> Result<Vec<(JointId, Limit)>, LimitError> {
        self.parts.iter().map(|part| Ok((part.joint, limit(skeleton, part)?))).collect()
    }
}

fn limit(skeleton: &Skeleton, part: &MetaJointPart) -> Result<Limit, LimitError> {
    let free = [[-PI, PI]; 3];
    let count = part.axes.axes().len();
    let ranges = if part.ranges_radians.is_empty() { &free[..count] } else { &part.ranges_radians[..] };
    Limit::axes(skeleton, part.joint, part.axes, ranges)
}

#[cfg(test)]
mod tests;
