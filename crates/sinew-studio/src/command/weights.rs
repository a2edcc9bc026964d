//! Commands that change weights: all of them through the operations of `sinew_author`.

mod data;
mod stroke;
mod subject;

pub use data::{CopiedWeights, WeightsData};
pub(super) use stroke::paint;
pub use stroke::{BrushKind, BrushStroke};
pub(crate) use subject::EditedMesh;

use super::{CommandError, check};
use crate::document::{Document, DocumentPiece};
use serde::{Deserialize, Serialize};
use sinew::{Influence, JointId};
use sinew_author::weights::{
    EffectPoses,
    ops::{
        self, LimitBy, MirrorOptions, MirrorSide, PasteBy, SmoothOptions, Unorm,
        brush::{self, Brush, BrushStamp},
    },
};
use subject::replace;

/// An operation on the weights of selected vertices.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WeightOp {
    /// Gives copies of one point the same weights.
    Normalise,
    /// Takes away influences below a weight.
    Prune {
        /// The least weight that stays, 0 to 1.
        least: f32,
    },
    /// Leaves at most so many influences, the largest.
    Limit {
        /// How many, at least 1.
        most: usize,
        /// Keeps those with which vertices move least over the poses, with weights fitted to that.
        #[serde(default)]
        is_refitted: bool,
    },
    /// Evens weights out along the skin.
    Smooth {
        /// How often.
        iterations: u32,
        /// How far each time, 0 to 1.
        step: f32,
        /// The most influences that are kept.
        most: usize,
    },
    /// Raises weights to a power.
    Sharpen {
        /// The power; above one joints blend over a shorter stretch.
        power: f32,
    },
    /// Copies the weights of one side to the other, across the plane through the mesh's origin across x.
    Mirror {
        /// Copies from the side of negative x.
        from_negative: bool,
    },
    /// Rounds to whole numbers of so many bits, with exact sums.
    Quantise {
        /// 8 or 16.
        bits: u8,
    },
    /// Gives the weight of one joint to another.
    Merge {
        /// The joint that loses its weight.
        joint: u16,
        /// The joint that gets it.
        into: u16,
    },
}

impl WeightOp {
    /// What the history calls it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Normalise => "Normalise weights",
            Self::Prune { .. } => "Prune weights",
            Self::Limit { is_refitted: false, .. } => "Limit influences",
            Self::Limit { is_refitted: true, .. } => "Limit influences, refitted",
            Self::Smooth { .. } => "Smooth weights",
            Self::Sharpen { .. } => "Sharpen weights",
            Self::Mirror { .. } => "Mirror weights",
            Self::Quantise { .. } => "Quantise weights",
            Self::Merge { .. } => "Merge joints",
        }
    }
}

pub(super) fn set(
    document: &mut Document,
    place: usize,
    vertices: &[u32],
    joint: u16,
    weight: f32,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let joint = check::joint(document, joint)?;
    let subject = EditedMesh::new(document, place)?;
    if !(0.0..=1.0).contains(&weight) {
        return Err(CommandError::BadValue { what: "the weight", value: weight, wanted: "from 0 to 1" });
    }
    subject.check_vertices(vertices.iter().copied())?;
    let brush = Brush {
        kind: BrushKind::Replace,
        slot: subject.slot(joint)?,
        amount: weight,
        max_influences: subject.skin.joints().len().max(1),
        locks: &subject.locks,
        mirror: None,
    };
    let dabs: Vec<BrushStamp> = vertices.iter().map(|&vertex| BrushStamp { vertex, falloff: 1.0 }).collect();
    let mut table = subject.table();
    let ground = document.ground(place).ok_or(CommandError::NoSkin { instance: place })?;
    brush::paint(&mut table, &ground, &brush, &dabs)?;
    let (mesh, weights) = (subject.instance.mesh, table.to_weights()?);
    replace(document, mesh, weights)
}

/// Gives the selected vertices of an instance weights that were copied.
pub(super) fn paste(
    document: &mut Document,
    place: usize,
    copied: &CopiedWeights,
    is_mean: bool,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let subject = EditedMesh::new(document, place)?;
    if document.selection().of_instance(place).is_none() {
        return Err(CommandError::NothingSelected);
    }
    let influence = |&(joint, weight): &(u16, f32)| -> Result<Influence, CommandError> {
        check::finite("a copied weight", &[weight])?;
        Ok(Influence { slot: subject.slot(check::joint(document, joint)?)?, weight })
    };
    let vertex = |vertex: &Vec<(u16, f32)>| vertex.iter().map(influence).collect();
    let copied: Vec<Vec<Influence>> = copied.0.iter().map(vertex).collect::<Result<_, _>>()?;
    let by = if is_mean { PasteBy::Mean } else { PasteBy::Order };
    let outcome = ops::paste(&subject.edit(document)?, &copied, by)?;
    let mesh = subject.instance.mesh;
    replace(document, mesh, outcome.weights)
}

/// Takes weights over that were worked out beforehand.
pub(super) fn take(
    document: &mut Document,
    place: usize,
    data: &WeightsData,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let subject = EditedMesh::new(document, place)?;
    let weights = data.to_weights(subject.weights, subject.skin.joints().len())?;
    let mesh = subject.instance.mesh;
    replace(document, mesh, weights)
}

pub(super) fn operate(
    document: &mut Document,
    place: usize,
    op: &WeightOp,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let subject = EditedMesh::new(document, place)?;
    let edit = subject.edit(document)?;
    let outcome = match *op {
        WeightOp::Normalise => ops::normalize(&edit)?,
        WeightOp::Prune { least } => ops::prune(&edit, least)?,
        WeightOp::Limit { most, is_refitted: false } => ops::limit(&edit, most, LimitBy::Size)?,
        WeightOp::Limit { most, is_refitted: true } => {
            let skin = subject.instance.skin.unwrap_or(usize::MAX);
            let poses = EffectPoses::of_character(document.character(), skin, &Default::default());
            ops::limit(&edit.over(&poses), most, LimitBy::Refit)?
        }
        WeightOp::Smooth { iterations, step, most } => {
            ops::smooth(&edit, &SmoothOptions { iterations, step, max_influences: most })?
        }
        WeightOp::Sharpen { power } => ops::sharpen(&edit, power)?,
        WeightOp::Mirror { from_negative } => {
            let from = if from_negative { MirrorSide::Negative } else { MirrorSide::Positive };
            let options = MirrorOptions { from, ..MirrorOptions::default() };
            let map = document.mirror_map(place).ok_or(CommandError::NoSkin { instance: place })?;
            ops::mirror(&edit, &map, &options)?.outcome
        }
        WeightOp::Quantise { bits: 8 } => ops::quantize(&edit, Unorm::Eight)?.outcome,
        WeightOp::Quantise { bits: 16 } => ops::quantize(&edit, Unorm::Sixteen)?.outcome,
        WeightOp::Quantise { bits } => {
            let (what, value) = ("the number of bits", f32::from(bits));
            return Err(CommandError::BadValue { what, value, wanted: "8 or 16" });
        }
        WeightOp::Merge { joint, into } => {
            let slot = |joint| subject.slot(JointId(joint));
            ops::merge_joints(&edit, &[slot(joint)?], slot(into)?)?
        }
    };
    let mesh = subject.instance.mesh;
    replace(document, mesh, outcome.weights)
}
