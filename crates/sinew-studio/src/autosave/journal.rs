//! Writes the entries of a session to its recovery journal.

use super::{FileFingerprint, Head, JournalEntry, VERSION};
use crate::document::DocumentSource;
use serde::Serialize;
use std::{
    fmt,
    fs::File,
    io::{self, Write as _},
};
use thiserror::Error;

/// Storage for the lines of a journal.
pub trait JournalStorage: fmt::Debug {
    /// Appends whole lines.
    ///
    /// # Errors
    /// If they cannot be stored, or an earlier write failed later.
    fn add(&mut self, lines: &[u8]) -> io::Result<()>;

    /// Deletes all lines if possible, because the session was closed.
    fn clear(&mut self);
}

impl JournalStorage for File {
    fn add(&mut self, lines: &[u8]) -> io::Result<()> {
        self.write_all(lines)
    }

    fn clear(&mut self) {
        // An append-only file keeps its lines.
        let _ = self.set_len(0);
    }
}

/// Why a journal cannot be written.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file or the browser database rejected the write.
    #[error("the journal cannot be written: {0}")]
    Io(#[from] io::Error),
    /// An entry cannot be serialized.
    #[error("an entry cannot be written: {0}")]
    Entry(#[from] serde_json::Error),
}

/// A journal that writes its entries at most once a second.
#[derive(Debug)]
pub struct Journal {
    storage: Box<dyn JournalStorage>,
    pending: Vec<u8>,
    written_at_secs: f64,
}

impl Journal {
    /// The time between two writes.
    pub const PERIOD_SECS: f64 = 1.0;

    /// Begins a journal of a session with the character of `source`, in an empty storage.
    ///
    /// # Errors
    /// If the source cannot be read or the storage fails.
    pub fn begin(
        storage: impl JournalStorage + 'static,
        source: &DocumentSource,
    ) -> Result<Self, JournalError> {
        let mut journal =
            Self { storage: Box::new(storage), pending: Vec::new(), written_at_secs: f64::NEG_INFINITY };
        let head = Head { version: VERSION, source: source.clone(), file: FileFingerprint::of(source)? };
        journal.add_line(&head)?;
        journal.flush()?;
        Ok(journal)
    }

    /// Adds an entry, which the next write stores.
    ///
    /// # Errors
    /// If it cannot be serialized.
    pub fn note(&mut self, entry: &JournalEntry) -> Result<(), JournalError> {
        self.add_line(entry)
    }

    /// Writes pending entries if a second has passed since the last write. `now_secs` comes from any monotonic clock.
    ///
    /// # Errors
    /// If the storage fails; the entries stay pending.
    pub fn tick(&mut self, now_secs: f64) -> Result<(), JournalError> {
        if self.pending.is_empty() || now_secs - self.written_at_secs < Self::PERIOD_SECS {
            return Ok(());
        }
        self.written_at_secs = now_secs;
        self.flush()
    }

    /// Writes pending entries now.
    ///
    /// # Errors
    /// If the storage fails.
    pub fn flush(&mut self) -> Result<(), JournalError> {
        self.storage.add(&self.pending)?;
        self.pending.clear();
        Ok(())
    }

    /// Deletes the journal: a closed session needs no recovery.
    pub fn end(mut self) {
        self.storage.clear();
    }

    /// True if entries wait to be written.
    pub fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    fn add_line(&mut self, line: &impl Serialize) -> Result<(), JournalError> {
        let line = serde_json::to_vec(line)?;
        self.pending.extend(line);
        self.pending.push(b'\n');
        Ok(())
    }
}
