//! The command that paints weights with a brush.

use super::edited_mesh::{EditedMesh, replace};
use crate::{
    command::{CommandError, validate},
    document::{Document, DocumentPiece},
};
use serde::{Deserialize, Serialize};
use sinew_author::weights::ops::brush::{self, Brush, BrushStamp};

pub use sinew_author::weights::ops::brush::BrushKind;

/// A stroke of the weight brush over a mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BrushStroke {
    /// The instance that is painted.
    pub instance: usize,
    /// The joint whose weight is painted.
    pub joint: u16,
    /// The operation of the brush.
    #[serde(with = "brush_name")]
    pub brush: BrushKind,
    /// The change of the weight at a falloff of 1.
    pub amount: f32,
    /// The maximum number of influences of a painted vertex, at least 1.
    #[serde(alias = "most")]
    pub max_influences: usize,
    /// Also paints the other side, mirrored at x = 0.
    pub mirrored: bool,
    /// The brush stamps of the stroke: per stamp its vertices with their falloffs, 0 to 1.
    #[serde(alias = "dabs")]
    pub stamps: Vec<Vec<(u32, f32)>>,
}

/// A brush kind by its name.
mod brush_name {
    use super::BrushKind;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes it by reference")]
    pub(super) fn serialize<S: Serializer>(kind: &BrushKind, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(kind.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BrushKind, D::Error> {
        let name = String::deserialize(from)?;
        BrushKind::find(&name).ok_or_else(|| D::Error::custom(format!("unknown brush {name:?}")))
    }
}

pub(in crate::command) fn paint(
    document: &mut Document,
    stroke: &BrushStroke,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let joint = validate::joint(document, stroke.joint)?;
    let edited = EditedMesh::new(document, stroke.instance)?;
    edited.check_vertices(stroke.stamps.iter().flatten().map(|stamp| stamp.0))?;
    validate::finite("the amount", &[stroke.amount])?;
    stroke.stamps.iter().flatten().try_for_each(|stamp| validate::finite("a falloff", &[stamp.1]))?;
    let mirror = document.mirror_map(stroke.instance).filter(|_| stroke.mirrored);
    let brush = Brush {
        kind: stroke.brush,
        slot: edited.slot(joint)?,
        amount: stroke.amount,
        max_influences: stroke.max_influences,
        locks: &edited.locks,
        mirror: mirror.as_deref(),
    };
    let missing = CommandError::NoSkin { instance: stroke.instance };
    let adjacency = document.adjacency(stroke.instance).ok_or(missing)?;
    let mut table = edited.table();
    for stamps in &stroke.stamps {
        let stamps: Vec<BrushStamp> =
            stamps.iter().map(|&(vertex, falloff)| BrushStamp { vertex, falloff }).collect();
        brush::paint(&mut table, &adjacency, &brush, &stamps)?;
    }
    let (mesh, weights) = (edited.instance.mesh, table.to_weights()?);
    replace(document, mesh, weights)
}
