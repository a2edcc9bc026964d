//! Blend graphs as RON text.
//!
//! ```
//! let def = sinew_formats::graph::parse(r#"(
//!     parameters: {"speed": Float(1.3)},
//!     nodes: {
//!         "walk": Clip(clip: "walk"),
//!         "run": Clip(clip: "run"),
//!         "gait": BlendSpace1d(x: "speed", points: [(1.3, "walk"), (3.5, "run")]),
//!     },
//!     output: "gait",
//! )"#).unwrap();
//! let text = sinew_formats::graph::to_text(&def).unwrap();
//! assert_eq!(sinew_formats::graph::parse(&text).unwrap(), def);
//! ```
//!
//! Parsed text can still be invalid for a character: [`Graph::new`](sinew::blend::Graph::new) checks it and names the
//! node and field at fault. [`load`] does both.

use crate::{WriteError, fetch::read_regular_text, save_bytes};
use ron::{Options, extensions::Extensions, ser::PrettyConfig};
use sinew::{
    Character,
    blend::graph::{Graph, GraphDef, GraphError},
};
use std::{
    io,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// The maximum size of a text in bytes. Graphs are written by hand and much shorter.
pub const MAX_BYTES: usize = 4 << 20;

/// Why text is not a valid graph.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("line {line}, column {column}: {message}")]
pub struct GraphTextError {
    /// The line of the fault, counted from 1.
    pub line: usize,
    /// The column of the fault, counted from 1.
    pub column: usize,
    /// The description of the fault.
    pub message: String,
}

/// Why a file cannot be read as a graph.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GraphFileError {
    /// The file system failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// The text is malformed.
    #[error("{}: {source}", path.display())]
    Text {
        /// The path of the file.
        path: PathBuf,
        /// The line, the column and the fault.
        source: GraphTextError,
    },
    /// The graph is invalid or does not fit the character.
    #[error("{}: {source}", path.display())]
    Meaning {
        /// The path of the file.
        path: PathBuf,
        /// The node, the field and the fault.
        source: Box<GraphError>,
    },
}

fn options() -> Options {
    // Optional fields are written without `Some`.
    Options::default().with_default_extension(Extensions::IMPLICIT_SOME).with_recursion_limit(32)
}

/// Reads a graph from text.
///
/// # Errors
/// When the text is not valid RON, or a field is unknown, missing or of another type.
pub fn parse(text: &str) -> Result<GraphDef, GraphTextError> {
    if text.len() > MAX_BYTES {
        let message = format!("the text must have at most {MAX_BYTES} bytes, got {}", text.len());
        return Err(GraphTextError { line: 1, column: 1, message });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    options().from_str(text).map_err(|error| GraphTextError {
        line: error.span.start.line,
        column: error.span.start.col,
        message: error.code.to_string(),
    })
}

/// Writes a graph as indented text that reads back equal.
///
/// # Errors
/// When the graph cannot be represented.
pub fn to_text(def: &GraphDef) -> Result<String, WriteError> {
    let layout =
        PrettyConfig::new().new_line("\n").indentor("    ").separate_tuple_members(false).depth_limit(4);
    let mut text = options()
        .to_string_pretty(def, layout)
        .map_err(|error| WriteError::Unrepresentable { place: "graph".into(), what: error.to_string() })?;
    text.push('\n');
    Ok(text)
}

/// Reads the graph in the file at `path`, without checking it against a character.
///
/// # Errors
/// When the file cannot be read or its text is not a valid graph.
pub fn read(path: impl AsRef<Path>) -> Result<GraphDef, GraphFileError> {
    let path = path.as_ref();
    let text = read_regular_text(path, MAX_BYTES)
        .map_err(|source| GraphFileError::Io { path: path.into(), source })?;
    parse(&text).map_err(|source| GraphFileError::Text { path: path.into(), source })
}

/// Reads the graph in the file at `path` and binds it to the clips of `character`.
///
/// # Errors
/// When the file cannot be read, its text is not a valid graph, or the graph does not fit the character.
pub fn load(path: impl AsRef<Path>, character: &Character) -> Result<Graph, GraphFileError> {
    let path = path.as_ref();
    Graph::of_character(&read(path)?, character)
        .map_err(|source| GraphFileError::Meaning { path: path.into(), source: Box::new(source) })
}

/// Writes a graph to the file at `path`, whole or not at all.
///
/// # Errors
/// When the graph cannot be represented as text or the file system fails.
pub fn save(path: impl AsRef<Path>, def: &GraphDef) -> Result<(), WriteError> {
    save_bytes(path, to_text(def)?.as_bytes())
}
