//! Commands that change what others work on.

use super::{CommandError, check};
use crate::document::{Document, DocumentPiece};
use serde::{Deserialize, Serialize};
use sinew::{JointId, Weights};
use sinew_author::check::{CheckOptions, badly_weighted};
use std::collections::{BTreeMap, BTreeSet};

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

impl How {
    /// By the keys that are held, Shift and Ctrl: the one adds, the other takes away.
    pub const fn of((is_shift, is_command): (bool, bool)) -> Self {
        match (is_shift, is_command) {
            (true, _) => Self::Add,
            (false, true) => Self::Remove,
            (false, false) => Self::Replace,
        }
    }
}

/// Vertices by what they are, on every instance that has a skin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SelectBy {
    /// Every vertex.
    All,
    /// Those that are not selected.
    Inverse,
    /// The selected with all that hang together with them.
    Connected,
    /// The selected and the next ring around them.
    Grown,
    /// The selected without their outermost ring.
    Shrunk,
    /// Those that the joint moves.
    Joint(u16),
    /// Those that more joints move than this.
    Over(usize),
    /// Those whose weights look wrong to the doctor.
    BadlyWeighted,
}

impl SelectBy {
    /// What the history calls it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "Select all",
            Self::Inverse => "Invert the selection",
            Self::Connected => "Select connected",
            Self::Grown => "Grow the selection",
            Self::Shrunk => "Shrink the selection",
            Self::Joint(_) => "Select vertices of joint",
            Self::Over(_) => "Select vertices over the limit",
            Self::BadlyWeighted => "Select badly weighted vertices",
        }
    }

    /// True for what changes the selection there is.
    const fn is_change(self) -> bool {
        matches!(self, Self::Inverse | Self::Connected | Self::Grown | Self::Shrunk)
    }
}

pub(super) fn by(
    document: &mut Document,
    by: SelectBy,
    how: How,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let found = found(document, by)?;
    let before = DocumentPiece::Selection(document.selection().clone());
    let selected = &mut document.selection_mut().vertices;
    match how {
        _ if by.is_change() => *selected = found,
        How::Replace => *selected = found,
        How::Add => found.into_iter().for_each(|(at, set)| selected.entry(at).or_default().extend(set)),
        How::Remove => {
            for (at, set) in found {
                selected.entry(at).or_default().retain(|vertex| !set.contains(vertex));
            }
        }
    }
    selected.retain(|_, set| !set.is_empty());
    Ok(vec![before])
}

type Vertices = BTreeMap<usize, BTreeSet<u32>>;

fn found(document: &Document, by: SelectBy) -> Result<Vertices, CommandError> {
    let joint = match by {
        SelectBy::Joint(joint) => Some(check::joint(document, joint)?),
        SelectBy::BadlyWeighted => return Ok(badly_weighted(document.character(), &CheckOptions::default())),
        _ => None,
    };
    let mut out = Vertices::new();
    for instance in 0..document.character().instances().len() {
        if let Some(weights) = document.weights(instance) {
            out.insert(instance, of_instance(document, (instance, weights), by, joint));
        }
    }
    Ok(out)
}

fn of_instance(
    document: &Document,
    (instance, weights): (usize, &Weights),
    by: SelectBy,
    joint: Option<JointId>,
) -> BTreeSet<u32> {
    let none = BTreeSet::new();
    let selected = document.selection().of_instance(instance).unwrap_or(&none);
    let is = |wanted: &dyn Fn(usize) -> bool| {
        let vertices = (0..weights.vertex_count()).filter(|vertex| wanted(*vertex));
        vertices.map(|vertex| vertex as u32).collect()
    };
    let character = document.character();
    let slot = || character.skin_of(&character.instances()[instance])?.slot_of(joint?);
    let ground = || document.ground(instance).filter(|_| !selected.is_empty());
    match by {
        SelectBy::All => is(&|_| true),
        SelectBy::Inverse => is(&|vertex| !selected.contains(&(vertex as u32))),
        SelectBy::Over(most) => is(&|vertex| weights.of(vertex).0.len() > most),
        SelectBy::Joint(_) => match slot() {
            Some(slot) => is(&|vertex| weights.weight_of(vertex, slot) > 0.0),
            None => none,
        },
        SelectBy::Connected => ground().map_or_else(BTreeSet::new, |ground| ground.connected(selected)),
        SelectBy::Grown => ground().map_or_else(BTreeSet::new, |ground| ground.grown(selected)),
        SelectBy::Shrunk => ground().map_or_else(BTreeSet::new, |ground| ground.shrunk(selected)),
        SelectBy::BadlyWeighted => none,
    }
}

pub(super) fn joint(document: &mut Document, joint: Option<u16>) -> Result<Vec<DocumentPiece>, CommandError> {
    let joint = joint.map(|j| check::joint(document, j)).transpose()?;
    let before = DocumentPiece::Selection(document.selection().clone());
    document.selection_mut().joint = joint;
    Ok(vec![before])
}

pub(super) fn vertices(
    document: &mut Document,
    instance: usize,
    vertices: &[u32],
    how: How,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let character = document.character();
    check::within("instance", instance, character.instances().len())?;
    let count = character.mesh_of(&character.instances()[instance]).vertex_count();
    vertices.iter().try_for_each(|&v| check::within("vertex", v as usize, count))?;
    let before = DocumentPiece::Selection(document.selection().clone());
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

pub(super) fn clear(document: &mut Document) -> Vec<DocumentPiece> {
    let before = DocumentPiece::Selection(document.selection().clone());
    document.selection_mut().vertices.clear();
    vec![before]
}

pub(super) fn lock(
    document: &mut Document,
    joint: u16,
    is_locked: bool,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let joint = check::joint(document, joint)?;
    let before = DocumentPiece::Locks(document.locks().clone());
    if is_locked {
        document.locks_mut().insert(joint);
    } else {
        document.locks_mut().remove(&joint);
    }
    Ok(vec![before])
}
