//! Why a file cannot be read or written.

use sinew::WeightsError;
use std::{fmt::Display, io, path::PathBuf};
use thiserror::Error;

/// Why bytes are no character.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The bytes are of no format that is known here.
    #[error("{0}")]
    UnknownFormat(String),
    /// The container around the JSON is broken.
    #[error("byte {offset}: {what}")]
    Container {
        /// Where.
        offset: usize,
        /// What is wrong.
        what: String,
    },
    /// The JSON is broken.
    #[error("{place}: {message}")]
    Json {
        /// Where, as a path through the document.
        place: String,
        /// What the parser says.
        message: String,
    },
    /// The file needs an extension that is not known here.
    #[error("the file requires the extension {extension}, which Sinew does not support")]
    UnsupportedExtension {
        /// Its name.
        extension: String,
    },
    /// An element breaks a rule in a way that cannot be repaired.
    #[error("{place}: {what}")]
    Invalid {
        /// Which element.
        place: String,
        /// What is wrong, with the value.
        what: String,
    },
    /// The weights of a mesh cannot be used, for instance because they name a joint that the skin does not have.
    #[error("{place}: {source}")]
    Weights {
        /// Which element.
        place: String,
        /// What is wrong, with vertex and value.
        source: WeightsError,
    },
    /// A file beside this one cannot be read.
    #[error("{place}: cannot read {uri:?}: {source}")]
    Resource {
        /// Which element names it.
        place: String,
        /// How it is named.
        uri: String,
        /// Why not.
        source: io::Error,
    },
    /// Unpacking would take more memory than is allowed.
    #[error("{place}: unpacking needs more than the {limit} bytes allowed for this file")]
    TooLarge {
        /// Which element.
        place: String,
        /// The limit.
        limit: usize,
    },
}

impl ReadError {
    /// Weights that cannot be used.
    pub(crate) fn weights(place: impl Into<String>, source: WeightsError) -> Self {
        Self::Weights { place: place.into(), source }
    }

    /// An element that breaks a rule.
    pub(crate) fn invalid(place: impl Into<String>, what: impl Display) -> Self {
        Self::Invalid { place: place.into(), what: what.to_string() }
    }
}

/// Why a file cannot be read, with its name.
#[derive(Debug, Error)]
pub enum ReadFileError {
    /// The file system says no.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// What is in it cannot be used.
    #[error("{}: {source}", path.display())]
    Content {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: ReadError,
    },
}

/// Why a character cannot be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The file system says no.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The format cannot hold what it was given.
    #[error("{place}: {what}")]
    Unrepresentable {
        /// Which part of the character.
        place: String,
        /// What does not fit.
        what: String,
    },
}
