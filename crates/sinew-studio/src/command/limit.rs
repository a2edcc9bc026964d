//! Commands about how far joints may turn.

use super::{CommandError, check};
use crate::document::{Document, DocumentPiece, JointLimit};

/// Sets or takes away a limit; a joint that is outside of it goes to its border.
pub(super) fn set(
    document: &mut Document,
    joint: u16,
    limit: Option<JointLimit>,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let joint = check::joint(document, joint)?;
    if let Some(limit) = limit {
        limit.limit(document.character().skeleton(), joint)?;
    }
    let before = DocumentPiece::Limits(document.limits().clone());
    match limit {
        Some(limit) => document.limits_mut().joints.insert(joint, limit),
        None => document.limits_mut().joints.remove(&joint),
    };
    let posed = document.pose().joints[joint.index()];
    let rotation = document.limits().clamp(document.character().skeleton(), joint, posed.rotation);
    document.pose_mut().joints[joint.index()].rotation = rotation;
    Ok(vec![before, DocumentPiece::Joint(joint, posed)])
}

pub(super) fn keep(document: &mut Document, are_kept: bool) -> Vec<DocumentPiece> {
    let before = DocumentPiece::Limits(document.limits().clone());
    document.limits_mut().are_kept = are_kept;
    vec![before]
}
