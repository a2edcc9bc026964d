//! Additive clips: differences from a reference pose.

use super::MotionError;
use sinew::{Clip, LocalPose, extract};

/// The additive clip that plays as `clip` on top of `reference`: [`sinew::extract::additive_from`].
///
/// # Errors
/// If the clip is already additive, the pose has fewer joints or morph slots than the clip, or a reference scale is 0.
pub fn additive_from(clip: &Clip, reference: &LocalPose) -> Result<Clip, MotionError> {
    Ok(extract::additive_from(clip, reference)?)
}

/// [`additive_from`] the clip's own pose at `time_secs`; joints that the clip does not animate are taken from `rest`.
///
/// # Errors
/// As [`additive_from`].
pub fn additive_from_time(clip: &Clip, rest: &LocalPose, time_secs: f32) -> Result<Clip, MotionError> {
    Ok(extract::additive_from_time(clip, rest, time_secs)?)
}
