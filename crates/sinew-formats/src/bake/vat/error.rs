//! What is lost in animation textures, and why they cannot be made.

use crate::{WriteError, bake::MotionFitError};
use serde::Serialize;
use sinew::{DeformError, glam::Vec3};
use std::io;
use thiserror::Error;

/// Why an animation texture cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TextureBakeError {
    /// No clip was given.
    #[error("an animation texture needs at least one clip")]
    NoClip,
    /// A clip stores differences, not poses.
    #[error("clip {clip:?} is additive and has no poses of its own")]
    Additive {
        /// The name of the clip.
        clip: String,
    },
    /// The rate is out of range.
    #[error("the rate must be between 0.01 and 1000 frames per second, got {rate_hz}")]
    BadRate {
        /// The rate that was given.
        rate_hz: f32,
    },
    /// The width is out of range.
    #[error("a texture is {min} to {max} texels wide, got {columns}")]
    BadColumns {
        /// The width that was given.
        columns: u32,
        /// The smallest width in texels.
        min: u32,
        /// The largest width in texels.
        max: u32,
    },
    /// The texture would be taller than GPUs allow.
    #[error(
        "{frames} frames of {rows_per_frame} rows with {width} texels exceed {max} rows: \
         lower the rate, allow wider textures or bake fewer clips"
    )]
    TooTall {
        /// The frames of all clips.
        frames: usize,
        /// The rows of a frame.
        rows_per_frame: usize,
        /// The width of a row in texels.
        width: u32,
        /// The largest height in rows.
        max: u32,
    },
    /// The character has nothing that could be stored.
    #[error("character {character:?} has no visible mesh")]
    NothingVisible {
        /// The name of the character.
        character: String,
    },
    /// A number is beyond the range of half precision.
    #[error("clip {clip:?}, frame {frame}: {value} is beyond half precision, which ends at 65504")]
    BeyondHalf {
        /// The name of the clip.
        clip: String,
        /// The frame within the clip.
        frame: usize,
        /// The vector or the row of a matrix without its last number.
        value: Vec3,
    },
    /// A clip does not fit the character.
    #[error(transparent)]
    Motion(#[from] MotionFitError),
    /// The character cannot be deformed by the method.
    #[error(transparent)]
    Deform(#[from] DeformError),
    /// The mesh cannot be written.
    #[error(transparent)]
    Mesh(#[from] WriteError),
    /// A texture cannot be compressed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What the stored numbers differ from the exact ones, over all frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TexelError {
    /// The largest distance of a vertex in millimeters.
    pub max_position_mm: f64,
    /// The root mean square of these distances in millimeters.
    pub rms_position_mm: f64,
    /// The largest angle between a normal and its stored direction, in degrees.
    pub max_normal_degrees: f64,
}

/// What linear interpolation halfway between two stored frames differs from the clip at that time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PlaybackError {
    /// The largest distance of a vertex in millimeters.
    pub max_position_mm: f64,
    /// The root mean square of these distances in millimeters.
    pub rms_position_mm: f64,
}

/// Sums up distances and angles.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ErrorMeter {
    max_meters: f64,
    sum_of_squares: f64,
    count: usize,
    max_normal_radians: f64,
}

impl ErrorMeter {
    pub(super) fn position(&mut self, stored: Vec3, exact: Vec3) {
        let off = f64::from(stored.distance(exact));
        self.max_meters = self.max_meters.max(off);
        self.sum_of_squares += off * off;
        self.count += 1;
    }

    /// Zero vectors have no direction and count nothing.
    pub(super) fn normal(&mut self, stored: Vec3, exact: Vec3) {
        let (stored, exact) = (stored.as_dvec3(), exact.as_dvec3());
        let angle = stored.cross(exact).length().atan2(stored.dot(exact));
        if exact.length_squared() > 0.0 {
            self.max_normal_radians = self.max_normal_radians.max(angle);
        }
    }

    fn rms_mm(&self) -> f64 {
        (self.sum_of_squares / self.count.max(1) as f64).sqrt() * 1000.0
    }

    pub(super) fn stored(&self) -> TexelError {
        TexelError {
            max_position_mm: self.max_meters * 1000.0,
            rms_position_mm: self.rms_mm(),
            max_normal_degrees: self.max_normal_radians.to_degrees(),
        }
    }

    pub(super) fn played(&self) -> PlaybackError {
        PlaybackError { max_position_mm: self.max_meters * 1000.0, rms_position_mm: self.rms_mm() }
    }
}
