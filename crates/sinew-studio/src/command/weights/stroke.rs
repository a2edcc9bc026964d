//! Painting.

use super::subject::{EditedMesh, replace};
use crate::{
    command::{CommandError, check},
    document::{Document, DocumentPiece},
};
use serde::{Deserialize, Serialize};
use sinew_author::weights::ops::brush::{self, Brush, BrushStamp};

pub use sinew_author::weights::ops::brush::BrushKind;

/// A way of the brush over the skin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BrushStroke {
    /// The instance that is painted.
    pub instance: usize,
    /// The joint whose weight is painted.
    pub joint: u16,
    /// What the brush does.
    #[serde(with = "brush_name")]
    pub brush: BrushKind,
    /// How much, where a dab's falloff is 1.
    pub amount: f32,
    /// The most influences of a painted vertex, at least 1.
    pub most: usize,
    /// Paints the other side too, across x.
    pub mirrored: bool,
    /// One list a moment of the stroke: vertices with their falloffs, 0 to 1.
    pub dabs: Vec<Vec<(u32, f32)>>,
}

/// A brush as the word for it.
mod brush_name {
    use super::BrushKind;
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands it by reference")]
    pub(super) fn serialize<S: Serializer>(kind: &BrushKind, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(kind.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BrushKind, D::Error> {
        let name = String::deserialize(from)?;
        BrushKind::find(&name).ok_or_else(|| D::Error::custom(format!("there is no brush {name:?}")))
    }
}

pub(in crate::command) fn paint(
    document: &mut Document,
    stroke: &BrushStroke,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let joint = check::joint(document, stroke.joint)?;
    let subject = EditedMesh::new(document, stroke.instance)?;
    subject.check_vertices(stroke.dabs.iter().flatten().map(|dab| dab.0))?;
    check::finite("the amount", &[stroke.amount])?;
    stroke.dabs.iter().flatten().try_for_each(|dab| check::finite("a falloff", &[dab.1]))?;
    let mirror = document.mirror_map(stroke.instance).filter(|_| stroke.mirrored);
    let brush = Brush {
        kind: stroke.brush,
        slot: subject.slot(joint)?,
        amount: stroke.amount,
        max_influences: stroke.most,
        locks: &subject.locks,
        mirror: mirror.as_deref(),
    };
    let missing = CommandError::NoSkin { instance: stroke.instance };
    let ground = document.ground(stroke.instance).ok_or(missing)?;
    let mut table = subject.table();
    for dabs in &stroke.dabs {
        let dabs: Vec<BrushStamp> =
            dabs.iter().map(|&(vertex, falloff)| BrushStamp { vertex, falloff }).collect();
        brush::paint(&mut table, &ground, &brush, &dabs)?;
    }
    let (mesh, weights) = (subject.instance.mesh, table.to_weights()?);
    replace(document, mesh, weights)
}
