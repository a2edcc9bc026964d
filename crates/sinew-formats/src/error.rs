//! Errors of reading and writing files.

use sinew::WeightsError;
use std::{fmt::Display, io, path::PathBuf};
use thiserror::Error;

/// Why content cannot be read as a character.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The content is of no supported format.
    #[error("{0}")]
    UnknownFormat(String),
    /// The container around the JSON is malformed.
    #[error("byte {offset}: {what}")]
    Container {
        /// The byte offset of the fault.
        offset: usize,
        /// The description of the fault, with the value.
        what: String,
    },
    /// A newer version of Sinew wrote the file.
    #[error("the file has version {found}, this build reads versions 1 to {supported}")]
    NewerVersion {
        /// The version of the file.
        found: u32,
        /// The newest version that is read.
        supported: u32,
    },
    /// The JSON is malformed.
    #[error("{place}: {message}")]
    Json {
        /// The path of the fault in the document.
        place: String,
        /// The message of the parser.
        message: String,
    },
    /// The file requires an unsupported extension.
    #[error("the file requires the extension {extension}, which is unsupported")]
    UnsupportedExtension {
        /// The name of the extension.
        extension: String,
    },
    /// An element is invalid and cannot be repaired.
    #[error("{place}: {what}")]
    Invalid {
        /// The path of the element.
        place: String,
        /// The description of the fault, with the value.
        what: String,
    },
    /// The weights of a mesh are invalid, for instance because they name a joint that the skin does not have.
    #[error("{place}: {source}")]
    Weights {
        /// The path of the element.
        place: String,
        /// The fault, with vertex and value.
        source: WeightsError,
    },
    /// A file that the document names cannot be read.
    #[error("{place}: cannot read {uri:?}: {source}")]
    Resource {
        /// The path of the element that names the file.
        place: String,
        /// The URI of the file.
        uri: String,
        /// The error of the file system.
        source: io::Error,
    },
    /// The document and the files that it names have more bytes than the limit.
    #[error("{place}: reading needs more than the {limit} bytes allowed; --max-memory raises the limit")]
    TooMuchToRead {
        /// The path of the element that names a file.
        place: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// Reading takes more work than is allowed for what was read.
    #[error("{place}: too much work for a file of {read_bytes} bytes; --max-memory raises the limit")]
    TooMuchWork {
        /// The path of the element.
        place: String,
        /// The size of the document and of the files that it names, in bytes.
        read_bytes: usize,
    },
    /// The deadline has passed.
    #[error("{place}: reading took longer than the time that is allowed")]
    TimedOut {
        /// The path of the element at which reading stopped.
        place: String,
    },
    /// Unpacking needs more memory than the limit.
    #[error(
        "{place}: unpacking needs more than the {limit} bytes allowed for this file; --max-memory raises the limit"
    )]
    TooLarge {
        /// The path of the element.
        place: String,
        /// The limit in bytes.
        limit: usize,
    },
}

impl ReadError {
    /// True if a limit stopped reading: on bytes, on work or on time. Such an error is never repaired or reported as a
    /// finding.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        match self {
            Self::TooMuchToRead { .. }
            | Self::TooMuchWork { .. }
            | Self::TimedOut { .. }
            | Self::TooLarge { .. } => true,
            Self::UnknownFormat(_)
            | Self::Container { .. }
            | Self::NewerVersion { .. }
            | Self::Json { .. }
            | Self::UnsupportedExtension { .. }
            | Self::Invalid { .. }
            | Self::Weights { .. }
            | Self::Resource { .. } => false,
        }
    }

    /// An error about the weights at `place`.
    pub(crate) fn weights(place: impl Into<String>, source: WeightsError) -> Self {
        Self::Weights { place: place.into(), source }
    }

    /// An error about an invalid element.
    pub(crate) fn invalid(place: impl Into<String>, what: impl Display) -> Self {
        Self::Invalid { place: place.into(), what: what.to_string() }
    }
}

/// Why a file cannot be read, with its path.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadFileError {
    /// The file system failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// The content of the file cannot be used.
    #[error("{}: {source}", path.display())]
    Content {
        /// The path of the file.
        path: PathBuf,
        /// The error of the content.
        source: ReadError,
    },
}

/// Why a character cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The file system failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// The format cannot hold the data.
    #[error("{place}: {what}")]
    Unrepresentable {
        /// The part of the character that does not fit.
        place: String,
        /// The description of what does not fit, with the value.
        what: String,
    },
}
