//! Where characters come from.

use serde::{Deserialize, Serialize};
use sinew::{Character, builtin};
use sinew_formats::{ImportReport, ReadFileError, read_file};
use std::{fmt, path::PathBuf, sync::Arc};
use thiserror::Error;

/// A character that can be opened again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// One made by code, by its name.
    Builtin(String),
    /// A file of any format that is read.
    File(PathBuf),
}

/// A character and what had to be repaired to read it.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The character.
    pub character: Arc<Character>,
    /// Repairs and omissions; empty for built-in characters.
    pub report: ImportReport,
}

/// Why a source cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// No built-in character has that name.
    #[error("there is no built-in character {name:?}; there are {list}", list = builtin::NAMES.join(", "))]
    NoSuchBuiltin {
        /// The name.
        name: String,
    },
    /// The file cannot be read or used.
    #[error(transparent)]
    File(#[from] ReadFileError),
}

impl Source {
    /// Reads the character.
    ///
    /// # Errors
    /// Where there is no such character or its file cannot be used.
    pub fn open(&self) -> Result<Opened, OpenError> {
        match self {
            Self::Builtin(name) => {
                let found =
                    builtin::find(name).ok_or_else(|| OpenError::NoSuchBuiltin { name: name.clone() });
                Ok(Opened { character: Arc::new(found?), report: ImportReport::default() })
            }
            Self::File(path) => {
                let import = read_file(path)?;
                Ok(Opened { character: Arc::new(import.character), report: import.report })
            }
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin(name) => f.write_str(name),
            Self::File(path) => f.write_str(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy()),
        }
    }
}
