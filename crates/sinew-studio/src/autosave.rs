//! The recovery journal: a crash loses at most the last second of work.
//!
//! A journal is text with one JSON value per line: first the source of the character, then every [`JournalEntry`]. Lines are
//! only appended. A line that a crash cut off has no line break and is ignored.

#[cfg(target_arch = "wasm32")]
mod browser;
mod folder;
mod journal;
mod recovery;

#[cfg(target_arch = "wasm32")]
pub use browser::BrowserJournals;
pub use folder::JournalFolder;
pub use journal::{Journal, JournalError, JournalStorage};
pub use recovery::{RecoverError, Recovered, UnclosedSession, recover};

use crate::{document::DocumentSource, session::JournalEntry};
use serde::{Deserialize, Serialize};
use std::{fs, io};

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    version: u32,
    source: DocumentSource,
    /// The opened file when the journal began; `None` for built-in characters.
    file: Option<FileFingerprint>,
}

/// The version of the journal format.
const VERSION: u32 = 1;

/// The size and checksum of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct FileFingerprint {
    bytes: u64,
    checksum: u64,
}

impl FileFingerprint {
    fn of(source: &DocumentSource) -> io::Result<Option<Self>> {
        let DocumentSource::File(path) = source else { return Ok(None) };
        let bytes = fs::read(path)?;
        Ok(Some(Self { bytes: bytes.len() as u64, checksum: checksum(&bytes) }))
    }
}

/// FNV-1a: enough to notice that a file was saved again, and the same on every machine.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
