//! Precomputed data of deformation methods.

use super::{CommandError, CommandInfo, Touches};
use crate::document::{Document, DocumentPiece};
use sinew::Method;
use sinew_author::{PrepareOptions, prepare_character, uninterrupted};
use std::sync::Arc;

pub(super) const PRECOMPUTE: CommandInfo = CommandInfo::new(
    "prepare",
    "Precompute for",
    "Precompute the method's data; may take seconds for a large mesh",
    Touches::Settings,
);

/// Precomputes the data of `method` for every skinned mesh that lacks it.
pub(super) fn precompute(document: &mut Document, method: &str) -> Result<Vec<DocumentPiece>, CommandError> {
    let method: Method = method.parse()?;
    let options = PrepareOptions::for_methods(&[method]);
    let (prepared, _) = prepare_character(document.character(), &options, &mut uninterrupted)?;
    let mut pieces = Vec::new();
    for (mesh, made) in prepared.meshes().iter().enumerate() {
        let Some(weights) =
            made.weights().filter(|_| !Arc::ptr_eq(made, &document.character().meshes()[mesh]))
        else {
            continue;
        };
        let (weights, before) =
            document.swap_weights(mesh, Arc::clone(weights), made.precomputed().clone())?;
        pieces.push(DocumentPiece::Weights { mesh, weights, precomputed: Box::new(before) });
    }
    Ok(pieces)
}
