//! Commands that set and enforce joint limits.

use super::{CommandError, CommandInfo, Touches, validate};
use crate::document::{Document, DocumentPiece, JointLimit};

pub(super) const SET: CommandInfo =
    CommandInfo::new("set-limit", "Limit joint", "Limit how far the joint rotates", Touches::Rig);
pub(super) const FREE: CommandInfo =
    CommandInfo::new("set-limit", "Free joint", "Remove the joint's limit", Touches::Rig);
pub(super) const ENFORCE: CommandInfo = CommandInfo::new(
    "keep-limits",
    "Enforce limits",
    "Sliders, the gizmo and IK stop at joint limits",
    Touches::Settings,
);
pub(super) const IGNORE: CommandInfo =
    CommandInfo::new("keep-limits", "Ignore limits", "Joints rotate past their limits", Touches::Settings);

/// Sets or removes a limit, and clamps the joint's rotation to it.
pub(super) fn set(
    document: &mut Document,
    joint: u16,
    limit: Option<JointLimit>,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let joint = validate::joint(document, joint)?;
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

pub(super) fn enforce(document: &mut Document, are_enforced: bool) -> Vec<DocumentPiece> {
    let before = DocumentPiece::Limits(document.limits().clone());
    document.limits_mut().are_enforced = are_enforced;
    vec![before]
}
