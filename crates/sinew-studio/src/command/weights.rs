//! Commands that edit skin weights, through the operations of `sinew_author`.

mod data;
mod edited_mesh;
mod stroke;

pub use data::{CopiedWeights, WeightsData};
pub(crate) use edited_mesh::{EditedMesh, by_mesh};
pub(super) use stroke::paint;
pub use stroke::{BrushKind, BrushStroke};

use super::{CommandError, CommandInfo, Touches, validate};
use crate::document::{Document, DocumentPiece};
use edited_mesh::{edit_each, replace};
use serde::{Deserialize, Serialize};
use sinew::{Influence, JointId};
use sinew_author::weights::{
    EffectPoses,
    ops::{
        self, LimitBy, MirrorOptions, MirrorSide, PasteBy, SmoothOptions, Unorm,
        brush::{self, Brush, BrushStamp},
    },
};
use std::collections::BTreeSet;

pub(super) const SET: CommandInfo = CommandInfo::new(
    "set-weight",
    "Set weight",
    "Set the weight of a joint; the other influences are scaled to the rest. A muscle weight may have any value",
    Touches::Weights,
);
pub(super) const PAINT: CommandInfo =
    CommandInfo::new("paint", "Paint weights", "Paint the weight of the selected joint", Touches::Weights);
pub(super) const PASTE: CommandInfo =
    CommandInfo::new("paste-weights", "Paste weights", "Paste the copied weights in order", Touches::Weights)
        .measured();
pub(super) const REPLACE: CommandInfo =
    CommandInfo::new("take-weights", "Replace weights", "Replace the weights of a mesh", Touches::Weights)
        .measured();

const fn operation(label: &'static str, tooltip: &'static str) -> CommandInfo {
    CommandInfo::new("weights", label, tooltip, Touches::Weights).measured()
}

const NORMALIZE: CommandInfo =
    operation("Normalize weights", "Give vertices at the same position the same weights");
const PRUNE: CommandInfo = operation("Prune weights", "Remove weaker influences");
const LIMIT: CommandInfo = operation("Limit influences", "Keep the strongest influences of each vertex");
const LIMIT_REFITTED: CommandInfo = operation(
    "Limit influences, refitted",
    "Keep the influences that move vertices least, over the clips and a range of motion",
);
const SMOOTH: CommandInfo = operation("Smooth weights", "Smooth weights along the skin");
const SHARPEN: CommandInfo = operation("Sharpen weights", "Blend joints over a shorter distance");
const MIRROR: CommandInfo = operation("Mirror weights", "Copy the weights of the +X side to the -X side");
const MIRROR_BACK: CommandInfo =
    operation("Mirror weights", "Copy the weights of the -X side to the +X side");
const QUANTIZE: CommandInfo = operation("Quantize weights", "Round weights to integers with exact sums");
const MERGE: CommandInfo =
    operation("Merge joints", "Move the weights of the selected joint to the joint above it");

/// An operation on the weights of the selected vertices, or of all if none is selected.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeightOp {
    /// Gives vertices at the same position the same weights.
    #[serde(alias = "normalise")]
    Normalize,
    /// Removes influences below a weight.
    Prune {
        /// The smallest weight that is kept, 0 to 1.
        #[serde(alias = "least")]
        min_weight: f32,
    },
    /// Limits the number of influences per vertex.
    Limit {
        /// The maximum number of influences, at least 1.
        #[serde(alias = "most")]
        max_influences: usize,
        /// Keeps the influences that displace vertices least over sampled poses, and refits their weights.
        #[serde(default)]
        is_refitted: bool,
    },
    /// Smooths weights along the skin.
    Smooth {
        /// The number of smoothing passes.
        iterations: u32,
        /// The blend toward the neighbors in each pass, 0 to 1.
        step: f32,
        /// The maximum number of influences per vertex.
        #[serde(alias = "most")]
        max_influences: usize,
    },
    /// Raises weights to a power.
    Sharpen {
        /// The exponent; above 1 joints blend over a shorter distance.
        power: f32,
    },
    /// Copies the weights of one side to the other, mirrored at x = 0 in mesh space.
    Mirror {
        /// Copies from the negative to the positive x side.
        from_negative: bool,
    },
    /// Rounds weights to integers with exact sums.
    #[serde(alias = "quantise")]
    Quantize {
        /// The number of bits, 8 or 16.
        bits: u8,
    },
    /// Moves the weight of one joint to another.
    Merge {
        /// The joint that loses its weight.
        joint: u16,
        /// The joint that receives it.
        into: u16,
    },
}

/// How many of several meshes an operation changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MeshReach {
    pub(crate) reached: usize,
    pub(crate) all: usize,
}

impl MeshReach {
    /// ` (3 meshes)` or ` (1 of 2 meshes)`; empty for one mesh.
    pub(crate) fn note(self) -> String {
        match self {
            Self { all: 0 | 1, .. } => String::new(),
            Self { reached, all } if reached == all => format!(" ({all} meshes)"),
            Self { reached, all } => format!(" ({reached} of {all} meshes)"),
        }
    }
}

impl WeightOp {
    /// True if the operation can run on the mesh of the first of `instances`: both joints of a merge are in its skin.
    fn fits(&self, document: &Document, instances: &[usize]) -> bool {
        let Self::Merge { joint, into } = *self else { return true };
        let edited = instances.first().map(|index| EditedMesh::new(document, *index));
        let holds = |joint: u16, of: &EditedMesh<'_>| of.skin.slot_of(JointId(joint)).is_some();
        matches!(edited, Some(Ok(of)) if holds(joint, &of) && holds(into, &of))
    }

    /// The meshes of `instances` that the operation changes, and all of them.
    pub(crate) fn reach(&self, document: &Document, instances: &[usize]) -> MeshReach {
        let groups = by_mesh(document, instances);
        let reached = groups.iter().filter(|group| self.fits(document, group)).count();
        MeshReach { reached, all: groups.len() }
    }

    /// The row of the command table.
    pub const fn info(&self) -> &'static CommandInfo {
        match self {
            Self::Normalize => &NORMALIZE,
            Self::Prune { .. } => &PRUNE,
            Self::Limit { is_refitted: false, .. } => &LIMIT,
            Self::Limit { is_refitted: true, .. } => &LIMIT_REFITTED,
            Self::Smooth { .. } => &SMOOTH,
            Self::Sharpen { .. } => &SHARPEN,
            Self::Mirror { from_negative: false } => &MIRROR,
            Self::Mirror { from_negative: true } => &MIRROR_BACK,
            Self::Quantize { .. } => &QUANTIZE,
            Self::Merge { .. } => &MERGE,
        }
    }
}

pub(super) fn set(
    document: &mut Document,
    instance: usize,
    vertices: &[u32],
    joint: u16,
    weight: f32,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let joint = validate::joint(document, joint)?;
    let edited = EditedMesh::new(document, instance)?;
    let slot = edited.slot(joint)?;
    let is_muscle = edited.muscles.holds(slot);
    if is_muscle {
        validate::finite("the muscle weight", &[weight])?;
    } else if !(0.0..=1.0).contains(&weight) {
        return Err(CommandError::BadValue { what: "the weight", value: weight, wanted: "from 0 to 1" });
    }
    edited.check_vertices(vertices.iter().copied())?;
    let brush = Brush {
        kind: BrushKind::Replace,
        slot,
        amount: weight,
        max_influences: edited.skin.joints().len().max(1),
        locks: &edited.locks,
        mirror: None,
    };
    let stamps: Vec<BrushStamp> =
        vertices.iter().map(|&vertex| BrushStamp { vertex, falloff: 1.0 }).collect();
    let mut table = edited.table();
    let adjacency = document.adjacency(instance).ok_or(CommandError::NoSkin { instance })?;
    brush::paint(&mut table, &adjacency, &brush, &stamps)?;
    let (mesh, weights) = (edited.instance.mesh, table.to_weights()?);
    replace(document, mesh, weights)
}

/// Applies copied weights to the selected vertices of instances, in order.
pub(super) fn paste(
    document: &mut Document,
    instances: &[usize],
    copied: &CopiedWeights,
    is_mean: bool,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let count = |index: usize| document.selection().of_instance(index).map_or(0, BTreeSet::len);
    let (mut parts, mut rest) = (Vec::new(), &copied.0[..]);
    for (place, index) in instances.iter().enumerate() {
        let is_last = place + 1 == instances.len();
        let taken = if is_last { rest.len() } else { count(*index).min(rest.len()) };
        let is_for_all = is_mean || copied.0.len() == 1;
        let part = if is_for_all { &copied.0[..] } else { rest.split_off(..taken).unwrap_or_default() };
        parts.push((*index, part));
    }
    edit_each(document, parts, |document, (index, part)| paste_to(document, index, part, is_mean))
}

fn paste_to(
    document: &mut Document,
    instance: usize,
    copied: &[Vec<(u16, f32)>],
    is_mean: bool,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let edited = EditedMesh::new(document, instance)?;
    if document.selection().of_instance(instance).is_none() {
        return Err(CommandError::NothingSelected);
    }
    let influence = |&(joint, weight): &(u16, f32)| -> Result<Influence, CommandError> {
        validate::finite("a copied weight", &[weight])?;
        Ok(Influence { slot: edited.slot(validate::joint(document, joint)?)?, weight })
    };
    let vertex = |vertex: &Vec<(u16, f32)>| vertex.iter().map(influence).collect();
    let copied: Vec<Vec<Influence>> = copied.iter().map(vertex).collect::<Result<_, _>>()?;
    let by = if is_mean { PasteBy::Mean } else { PasteBy::Order };
    let outcome = ops::paste(&edited.edit(document)?, &copied, &edited.muscles, by)?;
    let mesh = edited.instance.mesh;
    replace(document, mesh, outcome.weights)
}

/// Replaces the weights of meshes by weights that were computed before.
pub(super) fn replace_all<'a>(
    document: &mut Document,
    meshes: impl Iterator<Item = (usize, &'a WeightsData)>,
) -> Result<Vec<DocumentPiece>, CommandError> {
    edit_each(document, meshes, |document, (instance, data)| replace_one(document, instance, data))
}

fn replace_one(
    document: &mut Document,
    instance: usize,
    data: &WeightsData,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let edited = EditedMesh::new(document, instance)?;
    let weights = data.to_weights(edited.weights, edited.skin.joints().len())?;
    let mesh = edited.instance.mesh;
    replace(document, mesh, weights)
}

/// Runs an operation on the meshes of instances as one step. Meshes that it does not fit are left out, unless it fits none.
pub(super) fn operate(
    document: &mut Document,
    instances: &[usize],
    op: &WeightOp,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let mut groups = by_mesh(document, instances);
    if groups.iter().any(|group| op.fits(document, group)) {
        groups.retain(|group| op.fits(document, group));
    }
    edit_each(document, groups, |document, group| operate_on_mesh(document, &group, op))
}

/// Runs an operation on the mesh that `instances` share.
fn operate_on_mesh(
    document: &mut Document,
    instances: &[usize],
    op: &WeightOp,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let edited = EditedMesh::of_shared(document, instances)?;
    let instance = edited.index;
    let edit = edited.edit_of(document, instances)?;
    let outcome = match *op {
        WeightOp::Normalize => ops::normalize(&edit)?,
        WeightOp::Prune { min_weight } => ops::prune(&edit, min_weight)?,
        WeightOp::Limit { max_influences, is_refitted: false } => {
            ops::limit(&edit, max_influences, LimitBy::Size)?
        }
        WeightOp::Limit { max_influences, is_refitted: true } => {
            let skin = edited.instance.skin.unwrap_or(usize::MAX);
            let poses = EffectPoses::of_character(document.character(), skin, &Default::default());
            ops::limit(&edit.over(&poses), max_influences, LimitBy::Refit)?
        }
        WeightOp::Smooth { iterations, step, max_influences } => {
            ops::smooth(&edit, &SmoothOptions { iterations, step, max_influences })?
        }
        WeightOp::Sharpen { power } => ops::sharpen(&edit, power)?,
        WeightOp::Mirror { from_negative } => {
            let from = if from_negative { MirrorSide::Negative } else { MirrorSide::Positive };
            let options = MirrorOptions { from, ..MirrorOptions::default() };
            let map = document.mirror_map(instance).ok_or(CommandError::NoSkin { instance })?;
            ops::mirror(&edit, &map, &options)?.outcome
        }
        WeightOp::Quantize { bits: 8 } => ops::quantize(&edit, Unorm::Eight)?.outcome,
        WeightOp::Quantize { bits: 16 } => ops::quantize(&edit, Unorm::Sixteen)?.outcome,
        WeightOp::Quantize { bits } => {
            let (what, value) = ("the number of bits", f32::from(bits));
            return Err(CommandError::BadValue { what, value, wanted: "8 or 16" });
        }
        WeightOp::Merge { joint, into } => {
            let slot = |joint| edited.slot(JointId(joint));
            ops::merge_joints(&edit, &[slot(joint)?], slot(into)?)?
        }
    };
    let mesh = edited.instance.mesh;
    replace(document, mesh, outcome.weights)
}
