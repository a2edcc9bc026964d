//! Writes the entries of a session to its recovery journal.

use super::{
    FileFingerprint, Head, JournalEntry, VERSION,
    kept_file::{KeptFile, KeptRecord},
    record::push_record,
};
use crate::{command::Command, document::DocumentSource};
use serde::Serialize;
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// Storage for the records of a journal.
pub trait JournalStorage: fmt::Debug {
    /// Appends whole records: all are stored, or after an error none is.
    ///
    /// # Errors
    /// If they cannot be stored.
    fn append(&mut self, records: &[u8]) -> io::Result<()>;

    /// False while appended records are still being stored, as in a browser.
    fn is_stored(&self) -> bool {
        true
    }

    /// Stores again what could not be stored after it was appended.
    ///
    /// # Errors
    /// If there was such a failure.
    fn retry(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Deletes all records if possible: nothing in them is needed any more.
    fn clear(&mut self);
}

/// Why a journal cannot be written.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The file or the browser database rejected the write.
    #[error("the recovery journal cannot be written: {0}")]
    Io(#[from] io::Error),
    /// An entry cannot be serialized.
    #[error("an entry cannot be written: {0}")]
    Entry(#[from] serde_json::Error),
}

/// A head up to this size is written twice, so that damage to one copy does no harm.
const MAX_COPIED_HEAD: usize = 1 << 16;

/// A journal that writes its entries at most once a second.
#[derive(Debug)]
pub struct Journal {
    storage: Box<dyn JournalStorage>,
    pending: Vec<u8>,
    /// The number of the next record.
    next: u64,
    written_at_secs: f64,
    /// The opened files that replay reads from disk.
    opened: Vec<PathBuf>,
}

impl Journal {
    /// The time between two writes.
    pub const PERIOD_SECS: f64 = 1.0;

    /// Begins a journal of a session with the character of `source`, in an empty storage.
    ///
    /// A storage that fails, such as a full disk, is tried again by [`tick`](Self::tick) and [`flush`](Self::flush).
    ///
    /// # Errors
    /// If the source cannot be read.
    pub fn begin(
        storage: impl JournalStorage + 'static,
        source: &DocumentSource,
    ) -> Result<Self, JournalError> {
        let mut journal = Self {
            storage: Box::new(storage),
            pending: Vec::new(),
            next: 1,
            written_at_secs: f64::NEG_INFINITY,
            opened: Vec::new(),
        };
        journal.note_opened(source);
        let head = Head { version: VERSION, source: source.clone(), file: FileFingerprint::of(source)? };
        let head = serde_json::to_vec(&head)?;
        let copies = if head.len() <= MAX_COPIED_HEAD { 2 } else { 1 };
        (0..copies).for_each(|_| push_record(&mut journal.pending, 0, &head));
        // The caller's first tick reports a failure.
        let _ = journal.flush();
        Ok(journal)
    }

    /// Adds an entry, which the next write stores.
    ///
    /// # Errors
    /// If it cannot be serialized.
    pub fn note(&mut self, entry: &JournalEntry) -> Result<(), JournalError> {
        if let JournalEntry::Do { command: Command::Open(source), .. } = entry {
            self.note_opened(source);
        }
        self.add(entry)
    }

    /// Stores copies of the opened files that a save to `path` replaces, so that the journal replays after it too.
    ///
    /// # Errors
    /// If a file cannot be read, or the storage fails.
    pub fn keep_replaced(&mut self, path: &Path) -> Result<(), JournalError> {
        while let Some(place) = self.opened.iter().position(|opened| is_same_file(opened, path)) {
            let file = KeptFile::read(self.opened[place].clone())?;
            self.keep(&file)?;
            self.flush()?;
        }
        Ok(())
    }

    /// Adds a kept file, which the next write stores.
    pub(super) fn keep(&mut self, file: &KeptFile) -> Result<(), JournalError> {
        self.add(&KeptRecord { kept: file.clone() })?;
        self.opened.retain(|opened| *opened != file.path);
        Ok(())
    }

    fn note_opened(&mut self, source: &DocumentSource) {
        if let DocumentSource::File(path) = source
            && !self.opened.contains(path)
        {
            self.opened.push(path.clone());
        }
    }

    /// Writes pending entries if a second has passed since the last write. `now_secs` comes from any monotonic clock.
    ///
    /// # Errors
    /// If the storage fails; the entries stay pending and the next tick writes them.
    pub fn tick(&mut self, now_secs: f64) -> Result<(), JournalError> {
        if !self.is_pending() || now_secs - self.written_at_secs < Self::PERIOD_SECS {
            return Ok(());
        }
        self.written_at_secs = now_secs;
        self.flush()
    }

    /// Writes pending entries now.
    ///
    /// # Errors
    /// If the storage fails; the entries stay pending.
    pub fn flush(&mut self) -> Result<(), JournalError> {
        self.storage.retry()?;
        if !self.pending.is_empty() {
            self.storage.append(&self.pending)?;
            self.pending.clear();
        }
        Ok(())
    }

    /// Deletes the journal: everything in it is in a saved file, or the user discarded it.
    pub fn end(mut self) {
        self.storage.clear();
    }

    /// True if entries wait to be written, or are not stored yet.
    pub fn is_pending(&self) -> bool {
        !self.pending.is_empty() || !self.storage.is_stored()
    }

    fn add(&mut self, record: &impl Serialize) -> Result<(), JournalError> {
        let json = serde_json::to_vec(record)?;
        push_record(&mut self.pending, self.next, &json);
        self.next += 1;
        Ok(())
    }
}

/// True if both paths lead to one file.
fn is_same_file(one: &Path, other: &Path) -> bool {
    one == other || matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(a), Ok(b)) if a == b)
}
