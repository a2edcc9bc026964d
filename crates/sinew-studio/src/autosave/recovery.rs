//! Reading a journal.

use super::{Head, JournalEntry, JournalMark, VERSION};
use crate::{
    document::{DocumentOpenError, DocumentSource},
    session::{EntryError, Session},
};
use std::fmt;
use thiserror::Error;

/// A session as its journal tells it.
#[derive(Debug)]
pub struct Recovered {
    /// What the session began with.
    pub source: DocumentSource,
    /// The session.
    pub session: Session,
    /// The entries that were done again.
    pub entries: Vec<JournalEntry>,
    /// True where the file was saved anew after the journal began: edits may not fit.
    pub is_source_changed: bool,
    /// Where replay had to stop, because an entry cannot be read or was refused.
    pub stopped_by: Option<RecoverError>,
}

impl Recovered {
    /// What to tell the person who asked for it.
    pub fn summary(&self) -> String {
        let mut text = match self.entries.len() {
            1 => "One step of the last session is done again.".to_owned(),
            count => format!("{count} steps of the last session are done again."),
        };
        if self.is_source_changed {
            text += " The file was saved anew since: look whether the edits still fit.";
        }
        if let Some(error) = &self.stopped_by {
            text += &format!(" Then: {error}.");
        }
        text
    }
}

/// The journal of a session that was not closed, until somebody says what becomes of it.
pub struct LeftBehind {
    journal: Vec<u8>,
    steps: usize,
    forget: Box<dyn FnOnce()>,
}

impl LeftBehind {
    /// A journal, and what takes it away; `None`, and it is taken away, where nothing was done in it.
    pub fn new(journal: Vec<u8>, forget: impl FnOnce() + 'static) -> Option<Self> {
        let steps = complete_lines(&journal).count().saturating_sub(1);
        if steps == 0 {
            forget();
            return None;
        }
        Some(Self { journal, steps, forget: Box::new(forget) })
    }

    /// How many entries it has.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Does again what is in it.
    ///
    /// # Errors
    /// As [`recover`].
    pub fn recover(&self) -> Result<Recovered, RecoverError> {
        recover(&self.journal)
    }

    /// Takes it away.
    pub fn forget(self) {
        (self.forget)();
    }
}

impl fmt::Debug for LeftBehind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeftBehind").field("steps", &self.steps).finish_non_exhaustive()
    }
}

/// Why a journal, or the rest of it, is of no use.
#[derive(Debug, Error)]
pub enum RecoverError {
    /// The first line is not complete.
    #[error("the journal has no beginning")]
    NoHead,
    /// The journal is of another version.
    #[error("the journal is of version {version}, this studio reads {VERSION}")]
    OtherVersion {
        /// Its version.
        version: u32,
    },
    /// A line cannot be understood.
    #[error("line {line} of the journal cannot be understood: {reason}")]
    BadLine {
        /// Its number, from 1.
        line: usize,
        /// Why.
        reason: String,
    },
    /// The character cannot be opened again.
    #[error("the character cannot be opened again: {0}")]
    Open(#[from] DocumentOpenError),
    /// An entry does not fit the document.
    #[error("line {line} of the journal was refused: {source}")]
    Refused {
        /// Its number, from 1.
        line: usize,
        /// Why.
        source: EntryError,
    },
}

/// Does again everything in `journal` up to the last complete line.
///
/// # Errors
/// Where it has no beginning, is of another version, or its character cannot be opened.
pub fn recover(journal: &[u8]) -> Result<Recovered, RecoverError> {
    let mut lines = complete_lines(journal);
    let (_, head) = lines.next().ok_or(RecoverError::NoHead)?;
    let head: Head = parse(1, head)?;
    if head.version != VERSION {
        return Err(RecoverError::OtherVersion { version: head.version });
    }
    let session = Session::open(head.source.clone())?;
    // A file that could be opened a moment ago can be read; if not, edits are offered with the warning.
    let is_source_changed = JournalMark::of(&head.source).map_or(true, |mark| mark != head.file);
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
    out.session.perform(&entry).map_err(|source| RecoverError::Refused { line, source })?;
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
