//! Root motion: extracted from a joint, and applied to it again.

use super::MotionError;
pub use sinew::extract::RootMotionOptions;
use sinew::{Clip, JointId, Skeleton, extract};

/// `clip` in place: the motion of the chosen joint in model space is moved from the pose to root motion
/// ([`sinew::extract::extract_root_motion`]).
///
/// # Errors
/// If the clip is additive or does not fit the skeleton, or an ancestor of the joint has a scale of 0.
pub fn extract_root_motion(
    clip: &Clip,
    skeleton: &Skeleton,
    options: &RootMotionOptions,
) -> Result<Clip, MotionError> {
    Ok(extract::extract_root_motion(clip, skeleton, options)?)
}

/// `clip` with its root motion applied to `joint`.
///
/// # Errors
/// If the clip has no root motion, is additive or does not fit the skeleton, or an ancestor of the joint has a scale of 0.
pub fn apply_root_motion(clip: &Clip, skeleton: &Skeleton, joint: JointId) -> Result<Clip, MotionError> {
    Ok(extract::apply_root_motion(clip, skeleton, joint)?)
}
