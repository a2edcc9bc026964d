//! Commands that edit skin weights, through the operations of `sinew_author`.

mod data;
mod edited_mesh;
mod stroke;

pub use data::{CopiedWeights, WeightsData};
pub(crate) use edited_mesh::EditedMesh;
pub(super) use stroke::paint;
pub use stroke::{BrushKind, BrushStroke};

use super::{CommandError, CommandInfo, Touches, validate};
use crate::document::{Document, DocumentPiece};
use edited_mesh::replace;
use serde::{Deserialize, Serialize};
use sinew::{Influence, JointId};
use sinew_author::weights::{
    EffectPoses,
    ops::{
        self, LimitBy, MirrorOptions, MirrorSide, PasteBy, SmoothOptions, Unorm,
        brush::{self, Brush, BrushStamp},
    },
};

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

impl WeightOp {
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

/// Applies copied weights to the selected vertices of an instance.
pub(super) fn paste(
    document: &mut Document,
    instance: usize,
    copied: &CopiedWeights,
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
    let copied: Vec<Vec<Influence>> = copied.0.iter().map(vertex).collect::<Result<_, _>>()?;
    let by = if is_mean { PasteBy::Mean } else { PasteBy::Order };
    let outcome = ops::paste(&edited.edit(document)?, &copied, &edited.muscles, by)?;
    let mesh = edited.instance.mesh;
    replace(document, mesh, outcome.weights)
}

/// Replaces the weights of a mesh by weights that were computed before.
pub(super) fn replace_all(
    document: &mut Document,
    instance: usize,
    data: &WeightsData,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let edited = EditedMesh::new(document, instance)?;
    let weights = data.to_weights(edited.weights, edited.skin.joints().len())?;
    let mesh = edited.instance.mesh;
    replace(document, mesh, weights)
}

pub(super) fn operate(
    document: &mut Document,
    instance: usize,
    op: &WeightOp,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let edited = EditedMesh::new(document, instance)?;
    let edit = edited.edit(document)?;
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
