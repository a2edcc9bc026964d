//! Commands that change what others work on.

use super::{CommandError, check};
use crate::document::{Document, Piece};
use serde::{Deserialize, Serialize};

/// What becomes of the vertices that are selected already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// Only the new ones are selected, on every instance.
    #[default]
    Replace,
    /// The new ones join them.
    Add,
    /// The new ones leave the selection.
    Remove,
}

pub(super) fn joint(document: &mut Document, joint: Option<u16>) -> Result<Vec<Piece>, CommandError> {
    let joint = joint.map(|j| check::joint(document, j)).transpose()?;
    let before = Piece::Selection(document.selection().clone());
    document.selection_mut().joint = joint;
    Ok(vec![before])
}

pub(super) fn vertices(
    document: &mut Document,
    instance: usize,
    vertices: &[u32],
    how: How,
) -> Result<Vec<Piece>, CommandError> {
    let character = document.character();
    check::within("instance", instance, character.instances().len())?;
    let count = character.mesh_of(&character.instances()[instance]).vertex_count();
    vertices.iter().try_for_each(|&v| check::within("vertex", v as usize, count))?;
    let before = Piece::Selection(document.selection().clone());
    let selected = &mut document.selection_mut().vertices;
    if how == How::Replace {
        selected.clear();
    }
    let set = selected.entry(instance).or_default();
    match how {
        How::Replace | How::Add => set.extend(vertices),
        How::Remove => vertices.iter().for_each(|v| {
            set.remove(v);
        }),
    }
    selected.retain(|_, set| !set.is_empty());
    Ok(vec![before])
}

pub(super) fn clear(document: &mut Document) -> Vec<Piece> {
    let before = Piece::Selection(document.selection().clone());
    document.selection_mut().vertices.clear();
    vec![before]
}

pub(super) fn lock(document: &mut Document, joint: u16, is_locked: bool) -> Result<Vec<Piece>, CommandError> {
    let joint = check::joint(document, joint)?;
    let before = Piece::Locks(document.locks().clone());
    if is_locked {
        document.locks_mut().insert(joint);
    } else {
        document.locks_mut().remove(&joint);
    }
    Ok(vec![before])
}
