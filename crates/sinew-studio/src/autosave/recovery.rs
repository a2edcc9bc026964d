//! Replays the recovery journal of a session that was not closed.

use super::{FileFingerprint, Head, JournalEntry, VERSION};
use crate::{
    document::{DocumentOpenError, DocumentSource},
    session::{EntryError, Session},
};
use std::fmt;
use thiserror::Error;

/// A session that was replayed from its journal.
#[derive(Debug)]
pub struct Recovered {
    /// The source that the session began with.
    pub source: DocumentSource,
    /// The session after the replay.
    pub session: Session,
    /// The entries that were replayed, from the oldest.
    pub entries: Vec<JournalEntry>,
    /// True if the file was saved again after the journal began: edits may not fit.
    pub is_source_changed: bool,
    /// Why replay stopped early, if an entry was malformed or rejected.
    pub stopped_by: Option<RecoverError>,
}

impl Recovered {
    /// A summary for the user.
    pub fn summary(&self) -> String {
        let mut text = match self.entries.len() {
            1 => "Recovered 1 step of the last session.".to_owned(),
            count => format!("Recovered {count} steps of the last session."),
        };
        if self.is_source_changed {
            text += " The file was saved again since then: check whether the edits still fit.";
        }
        if let Some(error) = &self.stopped_by {
            text += &format!(" Replay stopped: {error}.");
        }
        text
    }
}

/// The journal of a session that was not closed, until it is recovered or discarded.
pub struct UnclosedSession {
    journal: Vec<u8>,
    steps: usize,
    delete: Box<dyn FnOnce()>,
}

impl UnclosedSession {
    /// A journal and the function that deletes it. A journal without steps is deleted at once.
    pub fn new(journal: Vec<u8>, delete: impl FnOnce() + 'static) -> Option<Self> {
        let steps = complete_lines(&journal).count().saturating_sub(1);
        if steps == 0 {
            delete();
            return None;
        }
        Some(Self { journal, steps, delete: Box::new(delete) })
    }

    /// The number of recorded entries.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Replays the journal.
    ///
    /// # Errors
    /// As for [`recover`].
    pub fn recover(&self) -> Result<Recovered, RecoverError> {
        recover(&self.journal)
    }

    /// Deletes the journal; its edits can no longer be recovered.
    pub fn discard(self) {
        (self.delete)();
    }
}

impl fmt::Debug for UnclosedSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnclosedSession").field("steps", &self.steps).finish_non_exhaustive()
    }
}

/// Why a journal, or the rest of it, cannot be replayed.
#[derive(Debug, Error)]
pub enum RecoverError {
    /// The first line is incomplete.
    #[error("the journal has no header")]
    NoHead,
    /// The version is unsupported.
    #[error("journal version {version} is unsupported, expected {VERSION}")]
    OtherVersion {
        /// The version of the journal.
        version: u32,
    },
    /// A line is malformed.
    #[error("line {line} of the journal is malformed: {reason}")]
    BadLine {
        /// The line number, from 1.
        line: usize,
        /// What is wrong with the line.
        reason: String,
    },
    /// The character cannot be opened again.
    #[error("the character cannot be opened again: {0}")]
    Open(#[from] DocumentOpenError),
    /// An entry does not fit the document.
    #[error("line {line} of the journal was rejected: {source}")]
    Rejected {
        /// The line number, from 1.
        line: usize,
        /// Why the document rejected the entry.
        source: EntryError,
    },
}

/// Replays `journal` up to the last complete line.
///
/// # Errors
/// If the header is missing, the version is unsupported, or the character cannot be opened.
pub fn recover(journal: &[u8]) -> Result<Recovered, RecoverError> {
    let mut lines = complete_lines(journal);
    let (_, head) = lines.next().ok_or(RecoverError::NoHead)?;
    let head: Head = parse(1, head)?;
    if head.version != VERSION {
        return Err(RecoverError::OtherVersion { version: head.version });
    }
    let session = Session::open(head.source.clone())?;
    // The file was just opened; if it cannot be read any more, the edits come with a warning.
    let is_source_changed = FileFingerprint::of(&head.source).map_or(true, |mark| mark != head.file);
    let source = head.source;
    let mut out = Recovered { source, session, entries: Vec::new(), is_source_changed, stopped_by: None };
    for (line, text) in lines {
        if let Err(error) = replay(&mut out, line, text) {
            out.stopped_by = Some(error);
            break;
        }
    }
    Ok(out)
}

fn replay(out: &mut Recovered, line: usize, text: &[u8]) -> Result<(), RecoverError> {
    let entry: JournalEntry = parse(line, text)?;
    out.session.perform(&entry).map_err(|source| RecoverError::Rejected { line, source })?;
    out.entries.push(entry);
    Ok(())
}

/// Lines that end in a line break, numbered from 1.
fn complete_lines(journal: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let end = journal.iter().rposition(|b| *b == b'\n').map_or(0, |last| last + 1);
    let lines = journal[..end].split_inclusive(|b| *b == b'\n').map(<[u8]>::trim_ascii_end);
    (1..).zip(lines)
}

fn parse<T: serde::de::DeserializeOwned>(line: usize, text: &[u8]) -> Result<T, RecoverError> {
    serde_json::from_slice(text).map_err(|e| RecoverError::BadLine { line, reason: e.to_string() })
}
