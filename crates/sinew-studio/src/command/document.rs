//! Commands that open a character and set its deformation method.

use super::{CommandError, CommandInfo, Touches};
use crate::document::{Document, DocumentPiece, DocumentSource};
use sinew::Method;

pub(super) const OPEN: CommandInfo =
    CommandInfo::new("open", "Open", "Open another character", Touches::Document);
pub(super) const SET_METHOD: CommandInfo =
    CommandInfo::new("set-method", "Deform by", "Choose the deformation method", Touches::Settings);

pub(super) fn open(
    document: &mut Document,
    source: &DocumentSource,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let opened = source.open()?;
    let next = Document::new(source.clone(), opened);
    Ok(vec![DocumentPiece::Document(Box::new(std::mem::replace(document, next)))])
}

pub(super) fn set_method(document: &mut Document, name: &str) -> Result<Vec<DocumentPiece>, CommandError> {
    let method: Method = name.parse()?;
    let before = DocumentPiece::Method(document.method());
    document.set_method(method);
    Ok(vec![before])
}
