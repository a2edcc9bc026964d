//! Why a command stopped, and the exit code that says so.

use sinew_author::{
    AuthorError,
    weights::{WeightError, text::WeightsTextError},
};
use sinew_formats::{ReadFileError, WriteError, graph::GraphFileError};
use std::{io, path::PathBuf, process::ExitCode};
use thiserror::Error;

/// Why a command stopped.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// The command line asks for something that is not there.
    #[error("{0}")]
    Usage(String),
    /// An input cannot be read.
    #[error(transparent)]
    Read(#[from] ReadFileError),
    /// A graph cannot be read, or is none for its character.
    #[error(transparent)]
    Graph(#[from] GraphFileError),
    /// A character cannot be written.
    #[error("cannot write {0}")]
    Write(#[from] WriteError),
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Output {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Standard output is closed or full.
    #[error("cannot print: {0}")]
    Print(io::Error),
    /// The graphics card is missing, too small or lost.
    #[cfg(feature = "gpu")]
    #[error("on the graphics card: {0}")]
    Gpu(String),
    /// A picture cannot be made.
    #[error("cannot draw: {0}")]
    Draw(String),
    /// A text is not read as weights.
    #[error("{}: {source}", path.display())]
    WeightText {
        /// Which text.
        path: PathBuf,
        /// Why not.
        source: WeightsTextError,
    },
    /// What was asked for cannot be done with this input.
    #[error("{0}")]
    Work(String),
}

impl From<WeightError> for Failure {
    fn from(error: WeightError) -> Self {
        match error {
            WeightError::BadOption { .. } | WeightError::Missing { .. } | WeightError::WrongCount { .. } => {
                Self::Usage(error.to_string())
            }
            _ => Self::Work(error.to_string()),
        }
    }
}

impl From<AuthorError> for Failure {
    fn from(error: AuthorError) -> Self {
        match error {
            AuthorError::BadOption { .. } => Self::Usage(error.to_string()),
            _ => Self::Work(error.to_string()),
        }
    }
}

#[cfg(feature = "gpu")]
impl From<sinew_gpu::GpuError> for Failure {
    fn from(error: sinew_gpu::GpuError) -> Self {
        Self::Gpu(error.to_string())
    }
}

#[cfg(feature = "gpu")]
impl From<sinew_gpu::DeviceError> for Failure {
    fn from(error: sinew_gpu::DeviceError) -> Self {
        Self::Gpu(error.to_string())
    }
}

impl Failure {
    /// 1 for work that failed, 2 for a wrong command line, 3 for input that cannot be read.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Write(_) | Self::Output { .. } | Self::Print(_) | Self::Draw(_) | Self::Work(_) => 1,
            #[cfg(feature = "gpu")]
            Self::Gpu(_) => 1,
            Self::Usage(_) => 2,
            Self::Read(_) | Self::Graph(_) | Self::WeightText { .. } => 3,
        })
    }

    /// A flag that this build does not know how to follow.
    #[cfg(not(feature = "gpu"))]
    pub(crate) fn without_gpu() -> Self {
        Self::usage(
            "--gpu: this sinew was built without the card; build it with `cargo build --release --features gpu`",
        )
    }

    /// A wrong command line.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }
}
