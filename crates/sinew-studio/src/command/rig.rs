//! Commands that change joints, bind poses or meshes together with the weights.

use super::{CommandError, CommandInfo, Touches, validate};
use crate::document::{Document, DocumentPiece};
use sinew::{Character, JointId, ScaleInheritance};
use sinew_author::{
    check::{CheckOptions, CheckTarget, FindingCode, fix_code},
    weights::rig,
};
use std::sync::Arc;

pub(super) const SPLIT: CommandInfo = CommandInfo::new(
    "split-joint",
    "Split joint",
    "Insert a twist joint in the middle of the selected bone, with half of its weights",
    Touches::Rig,
)
.measured();
pub(super) const COMPENSATE_SCALE: CommandInfo = CommandInfo::new(
    "compensate-scale",
    "Compensate scale",
    "The parent's own scale moves this joint but does not scale it",
    Touches::Rig,
)
.measured();
pub(super) const INHERIT_SCALE: CommandInfo = CommandInfo::new(
    "compensate-scale",
    "Inherit scale",
    "This joint is scaled with its parent",
    Touches::Rig,
)
.measured();
pub(super) const BAKE_BIND: CommandInfo = CommandInfo::new(
    "bake-bind",
    "Bake bind pose",
    "Make the shape in this pose the bind pose",
    Touches::Rig,
)
.measured();
pub(super) const FIX: CommandInfo =
    CommandInfo::new("fix", "Fix", "Fix every finding of this code; undo reverts it", Touches::Rig)
        .measured();
pub(super) const FIX_ALL: CommandInfo =
    CommandInfo::new("fix", "Fix all", "Fix everything that can be fixed, as one step", Touches::Rig)
        .measured();

/// Inserts a twist joint into the bone of `joint`.
pub(super) fn split(
    document: &mut Document,
    instance: usize,
    joint: u16,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let joint = validate::joint(document, joint)?;
    let skin = skin_of(document, instance)?;
    let skeleton = document.character().skeleton();
    let names = (1..).map(|number| format!("{}_twist{number}", skeleton.name(joint)));
    let name = names.take(skeleton.len() + 1).find(|name| skeleton.find(name).is_none());
    let split = rig::split_joint(document.character(), skin, joint, &name.unwrap_or_default())?;
    Ok(replace(document, split))
}

/// Sets what a joint inherits of its parent's scale. The pose stays.
pub(super) fn compensate_scale(
    document: &mut Document,
    joint: u16,
    is_compensated: bool,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let joint = validate::joint(document, joint)?;
    let kind = if is_compensated { ScaleInheritance::Compensated } else { ScaleInheritance::Full };
    let changed = document.character().with_scale_inheritance(joint, kind);
    Ok(replace(document, changed))
}

/// Makes the current pose the bind pose of the instance's skin.
pub(super) fn bake_bind(
    document: &mut Document,
    instance: usize,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let skin = skin_of(document, instance)?;
    let baked = rig::bake_bind(document.character(), skin, document.pose())?;
    Ok(replace(document, baked))
}

/// Fixes all findings of one code, or of every code that can be fixed.
pub(super) fn fix(
    document: &mut Document,
    code: Option<&str>,
    target: Option<&str>,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let target = target.map(str::parse::<CheckTarget>).transpose().map_err(CommandError::Target)?;
    let options = CheckOptions { target, ..CheckOptions::default() };
    let character = document.character();
    let fixed = match code {
        Some(code) => {
            let code =
                FindingCode::find(code).ok_or_else(|| CommandError::NoSuchCode { code: code.into() })?;
            fix_code(character, code, &options)?
        }
        None => {
            // Import has repaired its own findings already, so they ask for no change.
            let findings = sinew_author::check::check(character, &[], &options);
            sinew_author::check::fix(character, &findings, &options)?
        }
    };
    if fixed.fixes.is_empty() {
        return Err(CommandError::NothingToFix);
    }
    Ok(replace(document, fixed.character))
}

fn skin_of(document: &Document, index: usize) -> Result<usize, CommandError> {
    let character = document.character();
    validate::within("instance", index, character.instances().len())?;
    let instance = &character.instances()[index];
    let skin = character.skin_of(instance).and(instance.skin);
    skin.ok_or(CommandError::NoSkin { instance: index })
}

/// Replaces the character. The pose is kept if the leading joints have the same rest pose; new joints start at rest. Limits,
/// locks and the selection follow their joints by name.
pub(super) fn replace(document: &mut Document, character: Character) -> Vec<DocumentPiece> {
    let (old, mut pose) = (Arc::clone(document.character().skeleton()), document.pose().clone());
    let new = character.skeleton();
    let has_same_names =
        old.len() <= new.len() && old.joints().all(|joint| old.name(joint) == new.name(joint));
    let mut pieces =
        if has_same_names { Vec::new() } else { renumber(document, |joint| new.find(old.name(joint))) };
    let rest = character.rest_pose();
    let has_same_joints = rest.joints.starts_with(old.rest_transforms());
    if has_same_joints && pose.morphs.len() == rest.morphs.len() {
        pose.joints.extend_from_slice(&rest.joints[pose.joints.len()..]);
    } else {
        pose = rest;
    }
    let (character, pose) = document.swap_character(Arc::new(character), pose);
    pieces.push(DocumentPiece::Character(character, pose));
    pieces
}

/// Maps limits, locks and the selection to new joint indices, and drops those of removed joints.
pub(super) fn renumber(
    document: &mut Document,
    new_of: impl Fn(JointId) -> Option<JointId>,
) -> Vec<DocumentPiece> {
    let before = vec![
        DocumentPiece::Limits(document.limits().clone()),
        DocumentPiece::Locks(document.locks().clone()),
        DocumentPiece::Selection(document.selection().clone()),
    ];
    let limits = std::mem::take(&mut document.limits_mut().joints).into_iter();
    document.limits_mut().joints = limits.filter_map(|(j, limit)| Some((new_of(j)?, limit))).collect();
    let axes = std::mem::take(&mut document.limits_mut().axes).into_iter();
    document.limits_mut().axes = axes.filter_map(|(j, limit)| Some((new_of(j)?, limit))).collect();
    let locks = std::mem::take(document.locks_mut()).into_iter();
    *document.locks_mut() = locks.filter_map(&new_of).collect();
    let selected = document.selection().joint.and_then(&new_of);
    document.selection_mut().joint = selected;
    before
}
