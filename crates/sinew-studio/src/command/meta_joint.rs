//! The command that poses a meta-joint.

use super::{CommandError, CommandInfo, Touches, validate};
use crate::document::{Document, DocumentPiece};
use sinew::{JointId, constrain::MetaJoint, glam::Quat};

pub(super) const SET_ANGLES: CommandInfo = CommandInfo::new(
    "set-angles",
    "Rotate meta-joint",
    "Rotate the joints of the meta-joint about its axes",
    Touches::Pose,
);

/// Rotates the joints of a meta-joint by angles in degrees from rest. Enforced limits clamp each angle, and then the
/// rotation of a joint that has a limit of its own.
pub(super) fn set_angles(
    document: &mut Document,
    name: &str,
    degrees: &[f32],
) -> Result<Vec<DocumentPiece>, CommandError> {
    validate::finite("an angle", degrees)?;
    let rotations = rotations(document, find(document, name)?, degrees)?;
    let mut pieces = Vec::with_capacity(rotations.len());
    for (joint, rotation) in rotations {
        let transform = &mut document.pose_mut().joints[joint.index()];
        pieces.push(DocumentPiece::Joint(joint, *transform));
        transform.rotation = rotation;
    }
    Ok(pieces)
}

/// The meta-joint called `name`.
pub(super) fn find<'a>(document: &'a Document, name: &str) -> Result<&'a MetaJoint, CommandError> {
    let found = document.meta_joints().iter().find(|meta| meta.name() == name);
    found.ok_or_else(|| CommandError::NoMetaJoint { name: name.into() })
}

fn rotations(
    document: &Document,
    meta: &MetaJoint,
    degrees: &[f32],
) -> Result<Vec<(JointId, Quat)>, CommandError> {
    let (axes, angles) = (meta.axis_count(), degrees.len());
    if axes != angles {
        return Err(CommandError::WrongAngles { name: meta.name().into(), axes, angles });
    }
    let mut radians = [0.0; 3];
    for (radians, degrees) in radians.iter_mut().zip(degrees) {
        *radians = degrees.to_radians();
    }
    let (limits, skeleton) = (document.limits(), document.character().skeleton());
    if limits.are_enforced {
        radians = meta.clamp_angles(radians);
    }
    let parts = meta.parts().iter().zip(meta.rotations(radians));
    let clamped = parts.map(|(part, rotation)| {
        let limit = limits.enforced_own(skeleton, part.joint);
        (part.joint, limit.map_or(rotation, |limit| limit.clamp(rotation)))
    });
    Ok(clamped.collect())
}
