//! Clip editing: each function takes a clip and returns a new one.
//!
//! Lossy edits report the measured error.
//!
//! ```
//! use sinew_author::motion::{JointMirrorMap, ReduceOptions, mirrored, reduced};
//!
//! let figure = sinew_samples::figure();
//! let (skeleton, walk) = (figure.skeleton(), figure.find_clip("walk").unwrap());
//!
//! let (small, report) = reduced(walk, skeleton, &ReduceOptions::default())?;
//! assert!(report.keys_after < report.keys_before && report.error_meters <= report.tolerance_meters);
//!
//! let other_way = mirrored(walk, skeleton, &JointMirrorMap::by_name(skeleton))?;
//! assert_eq!(other_way.events()[0].name, "footfall.right");
//! # Ok::<(), sinew_author::motion::MotionError>(())
//! ```

mod additive;
mod bake;
mod blend;
mod clip_list;
mod error;
mod key;
mod meta_joint;
mod mirror;
mod reduce;
mod resample;
mod retime;
mod root_motion;
mod side_names;
mod simplify;
mod trace;
mod trim;
mod unkey;

pub use additive::{additive_from, additive_from_time};
pub use bake::baked;
pub use blend::blended;
pub use clip_list::{with_added_clip, with_replaced_clip, without_clip};
pub use error::MotionError;
pub use key::{KeyedProperty, keyed, keyed_character, keyed_properties};
pub use meta_joint::{AngleSplitReport, merge_angles, split_angles};
pub use mirror::{JointMirrorMap, mirrored, mirrored_pose};
pub use reduce::{ReduceOptions, ReduceReport, reduced};
pub use resample::resampled;
pub use retime::{lasting, retimed, shifted};
pub use root_motion::{RootMotionOptions, apply_root_motion, extract_root_motion};
pub use side_names::other_side;
pub(crate) use simplify::simplified;
pub use trace::{Trace, TracedProperty, trace};
pub use trim::trimmed;
pub use unkey::unkeyed;

use sinew::{Channel, ClipParts, Curve, CurveError, Interpolation, MetaCurve, glam};

/// Applies `edit` to all stored elements of a curve, including tangents. Correct for linear maps.
fn mapped<T: Copy>(curve: &Curve<T>, edit: impl Fn(T) -> T) -> Result<Curve<T>, CurveError> {
    let elements = curve.elements().iter().map(|&e| edit(e)).collect();
    Curve::with_width(curve.width(), curve.times_secs().to_vec(), elements, curve.interpolation())
}

/// An edit of curves with any value type.
trait CurveEdit {
    /// The edited version of `curve`.
    fn edit<T: sinew::sample::Interpolate + CurveValue>(
        &self,
        curve: &Curve<T>,
    ) -> Result<Curve<T>, CurveError>;
}

/// A value type of curves.
trait CurveValue: Copy {
    /// The value with the sign that is closer to `before`: q and −q are the same rotation.
    fn near(self, before: Self) -> Self;
    /// The weighted sum of four values.
    fn sum(terms: [(Self, f32); 4]) -> Self;
    /// The value as a valid key: rotations are normalized.
    fn as_key(self) -> Self;
}

impl CurveValue for f32 {
    fn near(self, _: Self) -> Self {
        self
    }
    fn sum(terms: [(Self, f32); 4]) -> Self {
        terms.iter().map(|(value, weight)| value * weight).sum()
    }
    fn as_key(self) -> Self {
        self
    }
}

impl CurveValue for glam::Vec3 {
    fn near(self, _: Self) -> Self {
        self
    }
    fn sum(terms: [(Self, f32); 4]) -> Self {
        terms.iter().map(|(value, weight)| *value * *weight).sum()
    }
    fn as_key(self) -> Self {
        self
    }
}

impl CurveValue for glam::Quat {
    fn near(self, before: Self) -> Self {
        if self.dot(before) < 0.0 { -self } else { self }
    }
    fn sum(terms: [(Self, f32); 4]) -> Self {
        let sum: glam::Vec4 = terms.iter().map(|(value, weight)| glam::Vec4::from(*value) * *weight).sum();
        Self::from_vec4(sum)
    }
    fn as_key(self) -> Self {
        Self::from_vec4(glam::Vec4::from(self).normalize_or(glam::Vec4::W))
    }
}

/// Edits every curve of `parts`, including meta-channels.
fn edit_curves(parts: &mut ClipParts, edit: &impl CurveEdit) -> Result<(), CurveError> {
    for channel in &mut parts.channels {
        match channel {
            Channel::Translation { curve, .. } | Channel::Scale { curve, .. } => *curve = edit.edit(curve)?,
            Channel::Rotation { curve, .. } => *curve = edit.edit(curve)?,
            Channel::Morphs { curve, .. } => *curve = edit.edit(curve)?,
        }
    }
    for meta in &mut parts.metas {
        match &mut meta.curve {
            MetaCurve::Scalar(curve) => *curve = edit.edit(curve)?,
            MetaCurve::Vector(curve) => *curve = edit.edit(curve)?,
            MetaCurve::Rotation(curve) => *curve = edit.edit(curve)?,
        }
    }
    Ok(())
}

/// States the duration of `parts` if their keys end before `end_secs`.
fn hold_until(parts: &mut ClipParts, end_secs: f32) {
    if parts.last_key_secs() < end_secs {
        parts.duration_secs = Some(end_secs);
    }
}

/// The stored elements of `key`: its value, and its tangents if it has any.
fn key_parts<T: Copy>(curve: &Curve<T>, key: usize) -> &[T] {
    let size = curve.width() * curve.interpolation().elements_per_key();
    &curve.elements()[key * size..(key + 1) * size]
}

/// True if a curve stores tangents.
fn is_cubic<T>(curve: &Curve<T>) -> bool {
    curve.interpolation() == Interpolation::Cubic
}
