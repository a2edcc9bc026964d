//! Replays the recovery journal of a session that was not closed.

use super::{
    FileFingerprint, Head, Journal, JournalEntry, JournalError, VERSION,
    kept_file::{KeptFile, KeptRecord},
    reading::{JournalReading, StepDamage},
};
use crate::{
    command::Command,
    document::{DocumentOpenError, DocumentSource, Opened},
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
    /// Why replay stopped before the end of the journal, if a step was damaged, malformed or rejected.
    pub stopped_by: Option<RecoverError>,
    /// The number of damaged bytes, such as those of an unfinished record at the end.
    pub skipped_bytes: usize,
    /// The kept files, each with the number of entries before it.
    kept: Vec<(usize, KeptFile)>,
}

impl Recovered {
    /// True if every step of the journal was replayed, so that the journal is not needed any more.
    pub fn is_complete(&self) -> bool {
        self.stopped_by.is_none()
    }

    /// Adds everything that was replayed to the journal of the session that continues.
    ///
    /// # Errors
    /// If an entry cannot be serialized.
    pub fn copy_to(&self, journal: &mut Journal) -> Result<(), JournalError> {
        let mut kept = self.kept.iter().peekable();
        for place in 0..=self.entries.len() {
            while let Some((_, file)) = kept.next_if(|(before, _)| *before == place) {
                journal.keep(file)?;
            }
            if let Some(entry) = self.entries.get(place) {
                journal.note(entry)?;
            }
        }
        Ok(())
    }

    /// A summary for the user.
    pub fn summary(&self) -> String {
        let mut text = format!("Recovered {} of the last session.", steps(self.entries.len()));
        if self.is_source_changed {
            text += " The file was saved again since then: check whether the edits still fit.";
        }
        if let Some(error) = &self.stopped_by {
            text += &format!(" Replay stopped: {error}. The journal is kept until you discard it.");
        }
        if self.is_complete() && self.skipped_bytes > 0 {
            text += &format!(" {} damaged bytes without a whole step were skipped.", self.skipped_bytes);
        }
        text
    }
}

/// A number of steps, such as `1 step`.
fn steps(count: usize) -> String {
    if count == 1 { "1 step".into() } else { format!("{count} steps") }
}

/// The journal of a session that was not closed. It belongs to this value until it is dropped: no other window recovers or
/// deletes it. Dropping it keeps the journal.
pub struct UnclosedSession {
    journal: Vec<u8>,
    steps: usize,
    delete: Box<dyn FnOnce()>,
}

impl UnclosedSession {
    /// A journal that this process has claimed, and the function that deletes it, which owns the claim. `None` if everything in
    /// the journal is in a saved file.
    pub fn new(journal: Vec<u8>, delete: impl FnOnce() + 'static) -> Option<Self> {
        let reading = JournalReading::of(&journal);
        if reading.is_saved() {
            return None;
        }
        let steps = reading.unsaved_steps();
        Some(Self { journal, steps, delete: Box::new(delete) })
    }

    /// The number of recorded entries since the last save that are not damaged.
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
    /// The head is missing or damaged.
    #[error("the journal has no readable head")]
    NoHead,
    /// The version is unsupported.
    #[error("journal version {version} is unsupported, expected 1 to {VERSION}")]
    OtherVersion {
        /// The version of the journal.
        version: u32,
    },
    /// Steps are damaged. Later ones may depend on them, so they are not replayed.
    #[error("{} damaged, and {} not replayed, because they may not fit",
        damaged(*first, *last), later(*after))]
    Damaged {
        /// The first damaged step, from 1.
        first: u64,
        /// The last damaged step.
        last: u64,
        /// The number of undamaged steps after them.
        after: usize,
    },
    /// The end of the journal is damaged.
    #[error("everything after step {step} is damaged")]
    DamagedEnd {
        /// The last undamaged step, from 1; 0 if there is none.
        step: u64,
    },
    /// A step is malformed.
    #[error("step {step} is malformed ({reason}), and {} not replayed", later(*after))]
    Malformed {
        /// The number of the step, from 1; 0 for the head.
        step: usize,
        /// What is wrong with the step.
        reason: String,
        /// The number of steps after it.
        after: usize,
    },
    /// The character cannot be opened again.
    #[error("the character cannot be opened again: {0}")]
    Open(#[from] DocumentOpenError),
    /// A step does not fit the document.
    #[error("step {step} was rejected ({source}), and {} not replayed", later(*after))]
    Rejected {
        /// The number of the step, from 1.
        step: usize,
        /// Why the document rejected the step.
        source: Box<EntryError>,
        /// The number of steps after it.
        after: usize,
    },
}

/// `step 3 is` or `steps 3 to 4 are`.
fn damaged(first: u64, last: u64) -> String {
    if first == last { format!("step {first} is") } else { format!("steps {first} to {last} are") }
}

/// `1 step after that is` or `2 steps after that are`.
fn later(count: usize) -> String {
    format!("{} after that {}", steps(count), if count == 1 { "is" } else { "are" })
}

/// Replays `journal` from its first step up to its last one, or up to the first that is damaged or does not fit.
///
/// # Errors
/// If the head is missing, the version is unsupported, or the character cannot be opened.
pub fn recover(journal: &[u8]) -> Result<Recovered, RecoverError> {
    let reading = JournalReading::of(journal);
    let head = reading.head.ok_or(RecoverError::NoHead)?;
    let head: Head = serde_json::from_slice(head).map_err(|reason| malformed(&reading, 0, &reason))?;
    if !(1..=VERSION).contains(&head.version) {
        return Err(RecoverError::OtherVersion { version: head.version });
    }
    let kept = KeptFiles::of(&reading);
    let copy = kept.copy_of(&head.source, 0);
    let opened = copy.map_or_else(|| head.source.open(), KeptFile::open)?;
    // The file was just opened; if it cannot be read any more, the edits come with a warning.
    let is_changed = || FileFingerprint::of(&head.source).map_or(true, |mark| mark != head.file);
    let mut out = Recovered {
        is_source_changed: copy.is_none() && is_changed(),
        session: Session::of(head.source.clone(), opened),
        source: head.source,
        entries: Vec::new(),
        stopped_by: None,
        skipped_bytes: reading.skipped_bytes,
        kept: Vec::new(),
    };
    let replayed = (1..=reading.steps.len()).try_for_each(|step| out.replay(&reading, &kept, step));
    out.stopped_by = replayed.err().or_else(|| damage_of(&reading));
    Ok(out)
}

impl Recovered {
    fn replay(
        &mut self,
        reading: &JournalReading<'_>,
        kept: &KeptFiles,
        step: usize,
    ) -> Result<(), RecoverError> {
        let json = reading.steps[step - 1];
        if let Some(file) = kept.0.iter().find(|(place, _)| *place == step) {
            self.kept.push((self.entries.len(), file.1.clone()));
            return Ok(());
        }
        let entry: JournalEntry =
            serde_json::from_slice(json).map_err(|reason| malformed(reading, step, &reason))?;
        match kept.opened_by(&entry, step) {
            Some((source, opened)) => self.session.open_again(source, opened?),
            None => {
                let after = reading.after(step);
                let rejected =
                    |source: EntryError| RecoverError::Rejected { step, source: source.into(), after };
                self.session.perform(&entry).map_err(rejected)?;
            }
        }
        self.entries.push(entry);
        Ok(())
    }
}

/// The kept files of a journal, each with the number of its record.
struct KeptFiles(Vec<(usize, KeptFile)>);

impl KeptFiles {
    fn of(reading: &JournalReading<'_>) -> Self {
        let records = (1..).zip(&reading.steps).filter(|(_, json)| KeptRecord::is_kept(json));
        // A malformed one stops the replay when its turn comes.
        let read = |(step, json): (usize, &&[u8])| {
            Some((step, serde_json::from_slice::<KeptRecord>(json).ok()?.kept))
        };
        Self(records.filter_map(read).collect())
    }

    /// The copy of a file that was opened by the record `step`, if a later save replaced it.
    fn copy_of(&self, source: &DocumentSource, step: usize) -> Option<&KeptFile> {
        let DocumentSource::File(path) = source else { return None };
        self.0.iter().find(|(place, file)| *place > step && file.path == *path).map(|(_, file)| file)
    }

    /// What the record `step` opens, if it opens a file of which there is a copy.
    fn opened_by<'a>(
        &self,
        entry: &'a JournalEntry,
        step: usize,
    ) -> Option<(&'a DocumentSource, Result<Opened, DocumentOpenError>)> {
        let JournalEntry::Do { command: Command::Open(source), .. } = entry else { return None };
        Some((source, self.copy_of(source, step)?.open()))
    }
}

fn malformed(reading: &JournalReading<'_>, step: usize, reason: &serde_json::Error) -> RecoverError {
    RecoverError::Malformed { step, reason: reason.to_string(), after: reading.after(step) }
}

fn damage_of(reading: &JournalReading<'_>) -> Option<RecoverError> {
    Some(match reading.damage? {
        StepDamage::Between { first, last } => RecoverError::Damaged { first, last, after: reading.unread },
        StepDamage::After { last: step } => RecoverError::DamagedEnd { step },
    })
}
