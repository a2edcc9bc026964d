//! Commands that change the selection and the locks.

use super::{CommandError, CommandInfo, Touches, validate};
use crate::document::{Document, DocumentPiece};
use serde::{Deserialize, Serialize};
use sinew::{JointId, Weights};
use sinew_author::check::{CheckOptions, badly_weighted};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const JOINT: CommandInfo =
    CommandInfo::new("select-joint", "Select joint", "Select one joint, or none", Touches::Selection);
pub(super) const VERTICES: CommandInfo =
    CommandInfo::new("select-vertices", "Select vertices", "Select vertices of a mesh", Touches::Selection);
pub(super) const CLEAR: CommandInfo =
    CommandInfo::new("clear-vertices", "Deselect vertices", "Deselect all vertices", Touches::Selection);
pub(super) const LOCK: CommandInfo =
    CommandInfo::new("lock", "Lock joint", "Weights of a locked joint do not change", Touches::Selection);
pub(super) const UNLOCK: CommandInfo =
    CommandInfo::new("lock", "Unlock joint", "Weights of the joint can change again", Touches::Selection);

const fn by_rule(label: &'static str, tooltip: &'static str) -> CommandInfo {
    CommandInfo::new("select-by", label, tooltip, Touches::Selection)
}

const ALL: CommandInfo = by_rule("Select all", "Select every vertex");
const INVERSE: CommandInfo = by_rule("Invert selection", "Select the vertices that are not selected");
const CONNECTED: CommandInfo = by_rule("Select connected", "Select everything connected to the selection");
const GROWN: CommandInfo = by_rule("Grow selection", "Add one ring of neighbors");
const SHRUNK: CommandInfo = by_rule("Shrink selection", "Remove the outermost ring");
const OF_JOINT: CommandInfo = by_rule(
    "Select vertices of joint",
    "Select vertices with a weight of the selected joint. Shift adds them, Ctrl removes them",
);
const OVER_LIMIT: CommandInfo =
    by_rule("Select vertices over the limit", "Select vertices with more influences than the limit");
const BADLY_WEIGHTED: CommandInfo = by_rule(
    "Select badly weighted vertices",
    "Select badly weighted vertices: distant limbs, loose parts, open seams, asymmetric sides",
);

/// How newly picked vertices combine with the current selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SelectMode {
    /// The new vertices replace the selection on every instance.
    #[default]
    Replace,
    /// The new vertices are added to the selection.
    Add,
    /// The new vertices are removed from the selection.
    Remove,
}

impl SelectMode {
    /// The mode of the held modifier keys: Shift adds, Ctrl removes.
    pub const fn from_modifiers(is_shift: bool, is_command: bool) -> Self {
        match (is_shift, is_command) {
            (true, _) => Self::Add,
            (false, true) => Self::Remove,
            (false, false) => Self::Replace,
        }
    }
}

/// A rule that selects vertices on every instance with a skin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SelectBy {
    /// Every vertex of every instance with a skin.
    All,
    /// Every vertex that is not selected.
    Inverse,
    /// The selected vertices and everything connected to them by edges.
    Connected,
    /// The selected vertices and one ring of neighbors.
    Grown,
    /// The selected vertices without their outermost ring.
    Shrunk,
    /// Every vertex with a weight of the joint.
    Joint(u16),
    /// Every vertex with more influences than this.
    Over(usize),
    /// Every vertex whose weights the skin doctor reports.
    BadlyWeighted,
}

impl SelectBy {
    /// The row of the command table.
    pub const fn info(self) -> &'static CommandInfo {
        match self {
            Self::All => &ALL,
            Self::Inverse => &INVERSE,
            Self::Connected => &CONNECTED,
            Self::Grown => &GROWN,
            Self::Shrunk => &SHRUNK,
            Self::Joint(_) => &OF_JOINT,
            Self::Over(_) => &OVER_LIMIT,
            Self::BadlyWeighted => &BADLY_WEIGHTED,
        }
    }

    /// True if the rule starts from the current selection and replaces it.
    const fn is_change(self) -> bool {
        match self {
            Self::Inverse | Self::Connected | Self::Grown | Self::Shrunk => true,
            Self::All | Self::Joint(_) | Self::Over(_) | Self::BadlyWeighted => false,
        }
    }
}

pub(super) fn by(
    document: &mut Document,
    by: SelectBy,
    mode: SelectMode,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let found = found(document, by)?;
    let before = DocumentPiece::Selection(document.selection().clone());
    let selected = &mut document.selection_mut().vertices;
    let mode = if by.is_change() { SelectMode::Replace } else { mode };
    match mode {
        SelectMode::Replace => *selected = found,
        SelectMode::Add => {
            found.into_iter().for_each(|(at, set)| selected.entry(at).or_default().extend(set));
        }
        SelectMode::Remove => {
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
        SelectBy::Joint(joint) => Some(validate::joint(document, joint)?),
        SelectBy::BadlyWeighted => return Ok(badly_weighted(document.character(), &CheckOptions::default())),
        SelectBy::All
        | SelectBy::Inverse
        | SelectBy::Connected
        | SelectBy::Grown
        | SelectBy::Shrunk
        | SelectBy::Over(_) => None,
    };
    let mut out = Vertices::new();
    for instance in 0..document.character().instances().len() {
        if let Some(weights) = document.weights(instance) {
            let mesh = SkinnedInstance { instance, weights };
            out.insert(instance, of_instance(document, mesh, by, joint));
        }
    }
    Ok(out)
}

/// An instance with a skin, by its index in the character.
struct SkinnedInstance<'a> {
    instance: usize,
    weights: &'a Weights,
}

fn of_instance(
    document: &Document,
    SkinnedInstance { instance, weights }: SkinnedInstance<'_>,
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
    let adjacency = || document.adjacency(instance).filter(|_| !selected.is_empty());
    match by {
        SelectBy::All => is(&|_| true),
        SelectBy::Inverse => is(&|vertex| !selected.contains(&(vertex as u32))),
        SelectBy::Over(max_influences) => is(&|vertex| weights.of(vertex).0.len() > max_influences),
        SelectBy::Joint(_) => match slot() {
            Some(slot) => is(&|vertex| {
                weights.weight_of(vertex, slot) > 0.0 || weights.muscle_weight_of(vertex, slot) != 0.0
            }),
            None => none,
        },
        SelectBy::Connected => {
            adjacency().map_or_else(BTreeSet::new, |adjacency| adjacency.connected(selected))
        }
        SelectBy::Grown => adjacency().map_or_else(BTreeSet::new, |adjacency| adjacency.grown(selected)),
        SelectBy::Shrunk => adjacency().map_or_else(BTreeSet::new, |adjacency| adjacency.shrunk(selected)),
        SelectBy::BadlyWeighted => none,
    }
}

pub(super) fn joint(document: &mut Document, joint: Option<u16>) -> Result<Vec<DocumentPiece>, CommandError> {
    let joint = joint.map(|j| validate::joint(document, j)).transpose()?;
    let before = DocumentPiece::Selection(document.selection().clone());
    document.selection_mut().joint = joint;
    Ok(vec![before])
}

pub(super) fn vertices(
    document: &mut Document,
    instance: usize,
    vertices: &[u32],
    mode: SelectMode,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let character = document.character();
    validate::within("instance", instance, character.instances().len())?;
    let count = character.mesh_of(&character.instances()[instance]).vertex_count();
    vertices.iter().try_for_each(|&v| validate::within("vertex", v as usize, count))?;
    let before = DocumentPiece::Selection(document.selection().clone());
    let selected = &mut document.selection_mut().vertices;
    if mode == SelectMode::Replace {
        selected.clear();
    }
    let set = selected.entry(instance).or_default();
    match mode {
        SelectMode::Replace | SelectMode::Add => set.extend(vertices),
        SelectMode::Remove => vertices.iter().for_each(|v| {
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
    let joint = validate::joint(document, joint)?;
    let before = DocumentPiece::Locks(document.locks().clone());
    if is_locked {
        document.locks_mut().insert(joint);
    } else {
        document.locks_mut().remove(&joint);
    }
    Ok(vec![before])
}
