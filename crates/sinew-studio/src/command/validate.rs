//! Checks of command parameters.

use super::CommandError;
use crate::document::Document;
use sinew::JointId;

pub(super) fn joint(document: &Document, joint: u16) -> Result<JointId, CommandError> {
    let (index, count) = (usize::from(joint), document.character().skeleton().len());
    within("joint", index, count)?;
    Ok(JointId(joint))
}

pub(super) fn within(kind: &'static str, index: usize, count: usize) -> Result<(), CommandError> {
    if index < count { Ok(()) } else { Err(CommandError::Missing { kind, index, count }) }
}

pub(super) fn finite(what: &'static str, values: &[f32]) -> Result<(), CommandError> {
    match values.iter().find(|v| !v.is_finite()) {
        Some(&value) => Err(CommandError::BadValue { what, value, wanted: "finite" }),
        None => Ok(()),
    }
}
