//! Blend graphs in readable text: RON.
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
//! Text that reads need not make sense: [`Graph::new`](sinew::blend::Graph::new) checks it against a character and says which node
//! and field is wrong. [`load`] does both.

use crate::{WriteError, save_bytes};
use ron::{Options, extensions::Extensions, ser::PrettyConfig};
use sinew::{
    Character,
    blend::graph::{Graph, GraphDef, GraphError},
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// The longest text that is read: graphs are written by hand, and anything longer is something else.
pub const MAX_BYTES: usize = 4 << 20;

/// Why text is no graph.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("line {line}, column {column}: {message}")]
pub struct GraphTextError {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

/// Why a file is no graph.
#[derive(Debug, Error)]
pub enum GraphFileError {
    /// The file system says no.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The text does not read.
    #[error("{}: {source}", path.display())]
    Text {
        /// Which file.
        path: PathBuf,
        /// Where and why not.
        source: GraphTextError,
    },
    /// It reads, but does not fit the character or makes no sense.
    #[error("{}: {source}", path.display())]
    Meaning {
        /// Which file.
        path: PathBuf,
        /// Which node and field, and why not.
        source: Box<GraphError>,
    },
}

fn options() -> Options {
    // Fields that may be left out are written as what they hold.
    Options::default().with_default_extension(Extensions::IMPLICIT_SOME).with_recursion_limit(32)
}

/// Reads a graph from text.
///
/// # Errors
/// Where the text is not RON, or a field is unknown, missing or of another kind.
pub fn parse(text: &str) -> Result<GraphDef, GraphTextError> {
    if text.len() > MAX_BYTES {
        let message = format!("{} bytes are more than the {MAX_BYTES} that a graph may have", text.len());
        return Err(GraphTextError { line: 1, column: 1, message });
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    options().from_str(text).map_err(|error| GraphTextError {
        line: error.span.start.line,
        column: error.span.start.col,
        message: error.code.to_string(),
    })
}

/// Writes a graph so that it reads back equal, laid out for people.
///
/// # Errors
/// Where the graph cannot be written, as the parser says.
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
/// Where the file cannot be read or its text is no graph.
pub fn read(path: impl AsRef<Path>) -> Result<GraphDef, GraphFileError> {
    let path = path.as_ref();
    let text = fs::read_to_string(path).map_err(|source| GraphFileError::Io { path: path.into(), source })?;
    parse(&text).map_err(|source| GraphFileError::Text { path: path.into(), source })
}

/// Reads the graph in the file at `path` and makes it ready to run over the clips of `character`.
///
/// # Errors
/// Where the file cannot be read, its text is no graph, or the graph does not fit the character.
pub fn load(path: impl AsRef<Path>, character: &Character) -> Result<Graph, GraphFileError> {
    let path = path.as_ref();
    Graph::of_character(&read(path)?, character)
        .map_err(|source| GraphFileError::Meaning { path: path.into(), source: Box::new(source) })
}

/// Writes a graph to the file at `path`, whole or not at all.
///
/// # Errors
/// Where the graph cannot be written as text or the file system says no.
pub fn save(path: impl AsRef<Path>, def: &GraphDef) -> Result<(), WriteError> {
    save_bytes(path, to_text(def)?.as_bytes())
}
