//! Poses as text: `waist:ry=40,elbow:rz=-90`.
//!
//! ```
//! use sinew_formats::pose_text::{PoseOffsets, to_text};
//!
//! let arm = sinew_samples::arm();
//! let offsets = PoseOffsets::parse("upper:rz=20,ry=5, lower:rz=90", &arm)?;
//! let mut pose = arm.rest_pose();
//! offsets.apply(&mut pose);
//!
//! let mut again = arm.rest_pose();
//! PoseOffsets::parse(&to_text(&pose, &arm), &arm)?.apply(&mut again);
//! let turns = again.joints.iter().zip(&pose.joints).map(|(a, b)| a.rotation.dot(b.rotation).abs());
//! assert!(turns.into_iter().all(|cosine| cosine > 0.999_999));
//!
//! let error = PoseOffsets::parse("elbow:rz=90", &arm).unwrap_err();
//! assert_eq!(error.to_string(), "there is no joint \"elbow\"; there are upper, lower, tip");
//! # Ok::<(), sinew_formats::pose_text::PoseTextError>(())
//! ```
//!
//! A text is a list of entries `JOINT:CHANNEL=VALUE`, separated by commas or line breaks. An entry without a joint belongs
//! to the joint before it in the same line. `#` starts a comment.
//!
//! | channel | meaning |
//! |---|---|
//! | `rx`, `ry`, `rz` | rotation about the joint's own axis, in degrees; several rotate in the given order |
//! | `tx`, `ty`, `tz` | offset of the joint along the axes of its parent, in meters |
//! | `sx`, `sy`, `sz`, `s` | scale factor along the joint's own axes, or along all three |
//! | `w` | the weight of a morph target, whose name stands in place of the joint |
//!
//! Rotations, offsets and factors are applied on top of a pose; a morph weight replaces that of the pose. A joint is given
//! by name, or by its number. A name with a comma, `=`, `#` or quotation mark is put in double quotes. If several joints
//! have the same name, `"name#12"` is the one with number 12; a plain name is the first of them. A plain name of several
//! morph targets sets all of them.

mod error;
mod parse;
mod write;

pub use error::{PoseTextError, PoseTextFault};
pub use write::to_text;

use sinew::{
    Character, JointId, LocalPose,
    glam::{Quat, Vec3},
};

/// The maximum size of a text in bytes: 65,535 joints with all their channels need less.
pub const MAX_BYTES: usize = 16 << 20;

/// One entry of a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PoseStep {
    /// Rotates a joint about one of its own axes.
    Rotate {
        /// The joint that rotates.
        joint: JointId,
        /// The unit vector of the axis, in joint space.
        axis: Vec3,
        /// The angle, counterclockwise if the axis points at the viewer.
        degrees: f32,
    },
    /// Moves a joint relative to its parent.
    Translate {
        /// The joint that moves.
        joint: JointId,
        /// The offset in the space of the joint's parent, in meters.
        offset: Vec3,
    },
    /// Scales a joint along its own axes.
    Scale {
        /// The joint that is scaled.
        joint: JointId,
        /// The factor per axis.
        factor: Vec3,
    },
    /// Sets the weight of a morph target.
    Morph {
        /// The morph slot in a pose.
        slot: usize,
        /// The weight that replaces that of the pose.
        weight: f32,
    },
}

/// Changes of a pose, in the order in which they are applied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseOffsets {
    steps: Vec<PoseStep>,
}

impl PoseOffsets {
    /// Reads a text for `character`. See the [module](self) for the format.
    ///
    /// # Errors
    /// If an entry is malformed, or names a joint, morph target or channel that does not exist. The error lists what does.
    pub fn parse(text: &str, character: &Character) -> Result<Self, PoseTextError> {
        Ok(Self { steps: parse::steps(text, character)? })
    }

    /// Every step, in order.
    pub fn steps(&self) -> &[PoseStep] {
        &self.steps
    }

    /// True if a pose stays as it is.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Adds the steps of `other` behind its own.
    pub fn append(&mut self, other: Self) {
        self.steps.extend(other.steps);
    }

    /// Applies every step to `pose`, which belongs to the character that the text was read for. Steps for joints and slots
    /// that the pose lacks do nothing.
    pub fn apply(&self, pose: &mut LocalPose) {
        for step in &self.steps {
            step.apply(pose);
        }
    }
}

impl PoseStep {
    /// The joint that the step changes; `None` for a morph target.
    pub fn joint(&self) -> Option<JointId> {
        match self {
            Self::Rotate { joint, .. } | Self::Translate { joint, .. } | Self::Scale { joint, .. } => {
                Some(*joint)
            }
            Self::Morph { .. } => None,
        }
    }

    fn apply(&self, pose: &mut LocalPose) {
        let transform = self.joint().and_then(|joint| pose.joints.get_mut(joint.index()));
        match (*self, transform) {
            (Self::Rotate { axis, degrees, .. }, Some(transform)) => {
                let turn = Quat::from_axis_angle(axis, degrees.to_radians());
                transform.rotation = (transform.rotation * turn).normalize();
            }
            (Self::Translate { offset, .. }, Some(transform)) => transform.translation += offset,
            (Self::Scale { factor, .. }, Some(transform)) => transform.scale *= factor,
            (Self::Morph { slot, weight }, _) => {
                if let Some(place) = pose.morphs.get_mut(slot) {
                    *place = weight;
                }
            }
            (Self::Rotate { .. } | Self::Translate { .. } | Self::Scale { .. }, None) => {}
        }
    }
}

/// The names of all morph targets of `character`, in slot order.
fn morph_names(character: &Character) -> Vec<&str> {
    let targets = character.instances().iter().flat_map(|i| character.mesh_of(i).morphs().targets());
    targets.map(|target| target.name.as_str()).collect()
}

#[cfg(test)]
mod tests;
