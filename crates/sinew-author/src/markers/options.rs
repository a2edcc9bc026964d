//! Options and errors of solving markers.

use crate::motion::MotionError;
use sinew::{JointId, constrain::Limit, glam::Vec3};
use std::collections::BTreeMap;
use thiserror::Error;

/// How poses are found from markers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MarkerSolveOptions {
    /// A marker this far from where the pose puts it counts a quarter, one much further away nothing; in meters.
    pub outlier_meters: f32,
    /// A joint that markers do not determine for up to this time is interpolated; for longer it holds. In seconds.
    pub max_gap_secs: f32,
    /// How noise of the markers is removed from the motion.
    pub smoothing: MarkerSmoothing,
    /// The limits of joints, which every pose respects.
    pub limits: BTreeMap<JointId, Limit>,
    /// The size of the subject relative to the character. Markers are divided by it before poses are solved.
    pub scale: f32,
}

/// How noise of markers is removed from a solved motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum MarkerSmoothing {
    /// Every joint is smoothed about every axis and at every time as far as the noise of its markers explains: a still joint
    /// more than a fast one. The noise is measured from the residuals.
    #[default]
    Adaptive,
    /// Everything faster than a frequency is removed from all joints.
    LowPass {
        /// Waves of this frequency keep half their amplitude, in hertz.
        cutoff_hz: f32,
    },
    /// Every frame stays as it was solved.
    Off,
}

impl Default for MarkerSolveOptions {
    fn default() -> Self {
        Self {
            outlier_meters: 0.03,
            max_gap_secs: 0.5,
            smoothing: MarkerSmoothing::Adaptive,
            limits: BTreeMap::new(),
            scale: 1.0,
        }
    }
}

impl MarkerSolveOptions {
    /// The same options with another distance for outliers, in meters.
    #[must_use]
    pub fn with_outlier_meters(self, outlier_meters: f32) -> Self {
        Self { outlier_meters, ..self }
    }

    /// The same options with another longest gap, in seconds.
    #[must_use]
    pub fn with_max_gap_secs(self, max_gap_secs: f32) -> Self {
        Self { max_gap_secs, ..self }
    }

    /// The same options with another way to remove noise.
    #[must_use]
    pub fn with_smoothing(self, smoothing: MarkerSmoothing) -> Self {
        Self { smoothing, ..self }
    }

    /// The same options with limits of joints.
    #[must_use]
    pub fn with_limits(self, limits: BTreeMap<JointId, Limit>) -> Self {
        Self { limits, ..self }
    }

    /// The same options with another size of the subject relative to the character.
    #[must_use]
    pub fn with_scale(self, scale: f32) -> Self {
        Self { scale, ..self }
    }

    pub(super) fn check(&self) -> Result<(), MarkerSolveError> {
        positive("outlier_meters", self.outlier_meters)?;
        positive("scale", self.scale)?;
        if let MarkerSmoothing::LowPass { cutoff_hz } = self.smoothing {
            positive("cutoff_hz", cutoff_hz)?;
        }
        if self.max_gap_secs.is_finite() && self.max_gap_secs >= 0.0 {
            Ok(())
        } else {
            let (option, value) = ("max_gap_secs", self.max_gap_secs);
            Err(MarkerSolveError::BadOption { option, value, wanted: "not negative" })
        }
    }
}

pub(super) fn positive(option: &'static str, value: f32) -> Result<(), MarkerSolveError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(MarkerSolveError::BadOption { option, value, wanted: "positive" })
    }
}

/// Why poses cannot be found from markers.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum MarkerSolveError {
    /// No marker of the capture is attached to a joint.
    #[error("no marker of the capture is attached to a joint")]
    NothingAttached,
    /// The joints with markers are parts of separate trees.
    #[error("joints {:?} and {:?} have markers but no common root", joints[0], joints[1])]
    NoCommonRoot {
        /// The names of two such joints.
        joints: [String; 2],
    },
    /// The capture has no frames, or too many.
    #[error("the capture must have 1 to 1,000,000 frames, got {frames}")]
    FrameCount {
        /// The number of frames.
        frames: usize,
    },
    /// An attachment names a joint that the skeleton does not have.
    #[error("marker {label:?} is on joint {joint}, but the skeleton has {joints} joints")]
    WrongSkeleton {
        /// The label of the marker.
        label: String,
        /// The index of the joint.
        joint: usize,
        /// The number of joints of the skeleton.
        joints: usize,
    },
    /// An attachment is not finite.
    #[error("marker {label:?}: the offset must be finite, got {offset}")]
    BadOffset {
        /// The label of the marker.
        label: String,
        /// The offset that was given.
        offset: Vec3,
    },
    /// A marker is attached twice.
    #[error("marker {label:?} is attached twice")]
    LabelTwice {
        /// The label of the marker.
        label: String,
    },
    /// An option is out of range.
    #[error("{option} must be {wanted}, got {value}")]
    BadOption {
        /// The name of the option.
        option: &'static str,
        /// The value that was given.
        value: f32,
        /// The values that are allowed, in words.
        wanted: &'static str,
    },
    /// Too few markers are seen in the frame of the rest pose.
    #[error("frame {frame} must show at least 3 markers, got {seen}")]
    TooFewSeen {
        /// The index of the frame.
        frame: usize,
        /// The number of markers that are seen in it.
        seen: usize,
    },
    /// The poses could not be baked to a clip.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// The caller stopped the work.
    #[error("stopped by the caller")]
    Stopped,
}
