//! The recovery journal: a crash, a power cut or a full disk loses at most the last second of work.
//!
//! A journal is text with one record per line, `NUMBER LENGTH CHECKSUM JSON`: record 0 is the head with the source of the
//! character, the following ones are the [`JournalEntry`]s and copies of files that a save replaced. Records are only
//! appended. A record that a crash cut off, or
//! whose bytes are damaged, fails its checksum; the numbers tell whether a step is missing then. Version 1 had the JSON
//! alone on each line, and is still read.

mod append_file;
#[cfg(target_arch = "wasm32")]
mod browser;
mod folder;
mod journal;
mod kept_file;
mod reading;
mod record;
mod recovery;

pub use append_file::{AppendFile, JournalFile};
#[cfg(target_arch = "wasm32")]
pub use browser::BrowserJournals;
pub use folder::JournalFolder;
pub use journal::{Journal, JournalError, JournalStorage};
pub use recovery::{RecoverError, Recovered, UnclosedSession, recover};

use crate::{document::DocumentSource, session::JournalEntry};
use serde::{Deserialize, Serialize};
use std::{fs, io};

/// The first record of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    version: u32,
    source: DocumentSource,
    /// The opened file when the journal began; `None` for built-in characters.
    file: Option<FileFingerprint>,
}

/// The version of the journal format that is written.
const VERSION: u32 = 2;

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

/// FNV-1a with 64 bits, the same on every machine. It notices every change of a single byte: each step maps different
/// states to different states.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
