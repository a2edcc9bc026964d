//! The signs of rotations, followed in time.

use super::DualQuatPalette;
use crate::asset::{skeleton::Skeleton, skin::Skin};
use glam::Quat;

/// The rotations of one skin of one instance when it was last posed: what methods that blend rotations need to turn a joint
/// past 180 degrees without a jump.
///
/// A rotation is two quaternions, `q` and `−q`. Without a history, every vertex takes those that are nearest to its strongest
/// joint, so a twist of 181 degrees is blended as one of −179 and the skin jumps. With a history, a rotation keeps the sign
/// with which it is nearest to the one before, so a joint may turn by up to 360 degrees against its parent either way. Beyond
/// that the skin unwinds within a turn of about 90 degrees, again without a jump.
///
/// A joint must not turn by more than 180 degrees between two calls; after a cut, start with a new history.
///
/// ```
/// use sinew::{Frame, Method, RotationHistory};
///
/// let mut frame = Frame::new(sinew_samples::tube());
/// let mut histories = vec![RotationHistory::default(); frame.character().skins().len()];
/// for degrees in 0..300_u16 {
///     let pose = sinew_samples::tube_pose(0.0, f32::from(degrees).to_radians());
///     frame.local_mut().copy_from(&pose);
///     frame.follow_rotations(&mut histories);
///     frame.deform(Method::DualQuat)?;
/// }
/// # Ok::<(), sinew::DeformError>(())
/// ```
#[derive(Debug, Default, PartialEq)]
pub struct RotationHistory {
    last: Vec<Quat>,
}

/// Copies into an existing history without allocating.
impl Clone for RotationHistory {
    fn clone(&self) -> Self {
        Self { last: self.last.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.last.clone_from(&source.last);
    }
}

impl RotationHistory {
    /// Gives the rotations of `dual_quats`, which is of `skin`, the signs that follow those of the last call, and keeps them.
    ///
    /// The first call takes the shortest way from each joint to the one above it. So does a call for a skin with another
    /// number of joints. Allocates only then.
    pub fn follow(&mut self, skeleton: &Skeleton, skin: &Skin, dual_quats: &mut DualQuatPalette) {
        if self.last.len() == dual_quats.rigid().len() {
            dual_quats.follow(&self.last);
        } else {
            dual_quats.follow_parents(&skin.parent_slots(skeleton));
        }
        self.last.clear();
        self.last.extend(dual_quats.rigid().iter().map(|rigid| rigid.real));
    }

    /// Gives the rotations of `dual_quats` the signs of the last [`RotationHistory::follow`], in the same pose.
    pub(crate) fn repeat(&self, dual_quats: &mut DualQuatPalette) {
        if self.last.len() == dual_quats.rigid().len() {
            dual_quats.follow(&self.last);
        }
    }
}
