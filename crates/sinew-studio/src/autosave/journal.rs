//! Writing a journal.

use super::{Head, JournalEntry, JournalMark, VERSION};
use crate::document::DocumentSource;
use serde::Serialize;
use std::{
    fmt,
    fs::File,
    io::{self, Write as _},
};
use thiserror::Error;

/// Where the lines of a journal are kept.
pub trait Shelf: fmt::Debug {
    /// Adds whole lines behind those that are there.
    ///
    /// # Errors
    /// Where they cannot be kept, or an earlier line turned out not to be.
    fn add(&mut self, lines: &[u8]) -> io::Result<()>;

    /// Takes all lines away, if they can be: the session was closed.
    fn clear(&mut self);
}

impl Shelf for File {
    fn add(&mut self, lines: &[u8]) -> io::Result<()> {
        self.write_all(lines)
    }

    fn clear(&mut self) {
        // A file that can only be added to keeps what it has.
        let _ = self.set_len(0);
    }
}

/// Why a journal is not written.
#[derive(Debug, Error)]
pub enum JournalError {
    /// What keeps it says no.
    #[error("the journal cannot be written: {0}")]
    Io(#[from] io::Error),
    /// An entry cannot be put into words.
    #[error("an entry cannot be written: {0}")]
    Entry(#[from] serde_json::Error),
}

/// Entries on their way to a shelf, at most once a second.
#[derive(Debug)]
pub struct Journal {
    shelf: Box<dyn Shelf>,
    pending: Vec<u8>,
    written_at_secs: f64,
}

impl Journal {
    /// How long entries wait to be written, in seconds.
    pub const PERIOD_SECS: f64 = 1.0;

    /// Begins a journal of what is done to the character from `source`, on an empty shelf.
    ///
    /// # Errors
    /// Where the source or the journal cannot be reached.
    pub fn begin(shelf: impl Shelf + 'static, source: &DocumentSource) -> Result<Self, JournalError> {
        let mut journal =
            Self { shelf: Box::new(shelf), pending: Vec::new(), written_at_secs: f64::NEG_INFINITY };
        let head = Head { version: VERSION, source: source.clone(), file: JournalMark::of(source)? };
        journal.add_line(&head)?;
        journal.flush()?;
        Ok(journal)
    }

    /// Remembers an entry until the next write.
    ///
    /// # Errors
    /// Where it cannot be put into words.
    pub fn note(&mut self, entry: &JournalEntry) -> Result<(), JournalError> {
        self.add_line(entry)
    }

    /// Writes what is pending where a second has passed since the last time; `now_secs` is of any clock that only goes on.
    ///
    /// # Errors
    /// Where what keeps it says no; the entries stay pending.
    pub fn tick(&mut self, now_secs: f64) -> Result<(), JournalError> {
        if self.pending.is_empty() || now_secs - self.written_at_secs < Self::PERIOD_SECS {
            return Ok(());
        }
        self.written_at_secs = now_secs;
        self.flush()
    }

    /// Writes what is pending now.
    ///
    /// # Errors
    /// Where what keeps it says no.
    pub fn flush(&mut self) -> Result<(), JournalError> {
        self.shelf.add(&self.pending)?;
        self.pending.clear();
        Ok(())
    }

    /// Takes the journal away: a session that was closed has nothing to recover.
    pub fn end(mut self) {
        self.shelf.clear();
    }

    /// True where entries wait to be written.
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
