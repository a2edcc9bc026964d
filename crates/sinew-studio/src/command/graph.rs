//! Commands that open, close and set parameters of the blend graph.

use super::{CommandError, CommandInfo, Touches, validate};
use crate::document::{Document, DocumentPiece, OpenGraph};
use sinew::blend::graph::ParameterDef;
use sinew_formats::graph::parse;
use std::{collections::BTreeMap, sync::Arc};

pub(super) const OPEN: CommandInfo =
    CommandInfo::new("open-graph", "Open", "Play a blend graph in place of a clip", Touches::Motion);
pub(super) const CLOSE: CommandInfo =
    CommandInfo::new("close-graph", "Close graph", "Play clips again", Touches::Motion);
pub(super) const SET: CommandInfo =
    CommandInfo::new("set-parameter", "Set", "Set a parameter of the graph", Touches::Settings);

/// Parses a graph and checks it against the character.
pub(super) fn open(
    document: &mut Document,
    name: &str,
    text: &str,
) -> Result<Vec<DocumentPiece>, CommandError> {
    let def = parse(text).map_err(|source| CommandError::GraphText { name: name.into(), source })?;
    let graph = OpenGraph { name: name.into(), def: Arc::new(def), values: BTreeMap::new() };
    graph.build(document.character()).map_err(|source| {
        let (name, source) = (name.into(), Box::new(source));
        CommandError::Graph { name, source }
    })?;
    Ok(replace(document, Some(graph)))
}

pub(super) fn close(document: &mut Document) -> Vec<DocumentPiece> {
    replace(document, None)
}

pub(super) fn set(
    document: &mut Document,
    name: &str,
    value: f32,
) -> Result<Vec<DocumentPiece>, CommandError> {
    validate::finite("a parameter", &[value])?;
    let mut graph = document.graph().cloned().ok_or(CommandError::NoGraph)?;
    let missing = || CommandError::NoParameter { name: name.into(), graph: graph.name.clone() };
    // Only the built graph lists the unbound parameters of nested graphs.
    let built = graph.build(document.character()).map_err(|_| CommandError::NoGraph)?;
    let is_there = built.parameters().any(|(n, def)| n == name && def != ParameterDef::Trigger);
    if !is_there {
        return Err(missing());
    }
    graph.values.insert(name.into(), value);
    Ok(replace(document, Some(graph)))
}

fn replace(document: &mut Document, graph: Option<OpenGraph>) -> Vec<DocumentPiece> {
    vec![DocumentPiece::Graph(std::mem::replace(document.graph_mut(), graph))]
}
