//! A journal of everything that is done, so that a crash loses at most the last second.
//!
//! A journal is text, a line an entry: first where the character came from, then every [`JournalEntry`]. Lines are only ever
//! added. A line that was cut by a crash does not end in a line break and is passed over.

mod folder;
mod journal;
mod recovery;
#[cfg(target_arch = "wasm32")]
mod store;

pub use folder::JournalFolder;
pub use journal::{Journal, JournalError, Shelf};
pub use recovery::{LeftBehind, RecoverError, Recovered, recover};
#[cfg(target_arch = "wasm32")]
pub use store::Store;

use crate::{document::DocumentSource, session::JournalEntry};
use serde::{Deserialize, Serialize};
use std::{fs, io};

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Head {
    version: u32,
    source: DocumentSource,
    /// What the opened file was when the journal began; none for built-in characters.
    file: Option<JournalMark>,
}

/// The version that is written and read.
const VERSION: u32 = 1;

/// Tells one state of a file from another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct JournalMark {
    bytes: u64,
    checksum: u64,
}

impl JournalMark {
    fn of(source: &DocumentSource) -> io::Result<Option<Self>> {
        let DocumentSource::File(path) = source else { return Ok(None) };
        let bytes = fs::read(path)?;
        Ok(Some(Self { bytes: bytes.len() as u64, checksum: checksum(&bytes) }))
    }
}

/// FNV-1a: enough to notice that a file was saved anew, and the same on every machine.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
