//! Files of the studio: the recovery journal, preferences, recent files, and answers of file dialogs.

mod preferences;

pub(super) use preferences::Preferences;

use super::requests::Arrival;
use crate::{
    autosave::{Journal, JournalError, UnclosedSession},
    document::DocumentSource,
    platform::{Inbox, RecentFiles, SaveLosses},
    session::JournalEntry,
};

/// Creates the journal of a session that begins with a source.
type BeginJournal = Box<dyn Fn(&DocumentSource) -> Result<Journal, JournalError>>;

/// Everything the studio keeps outside the document.
pub(super) struct Files {
    journal: Option<Journal>,
    begin_journal: Option<BeginJournal>,
    /// A session that was not closed, until the user recovers or discards it.
    unclosed: Option<UnclosedSession>,
    /// What a save would drop, until the user decides.
    unconfirmed_save: Option<SaveLosses>,
    preferences: Preferences,
    pub(super) recent: RecentFiles,
    /// Answers of dialogs and of the browser.
    pub(super) inbox: Inbox<Arrival>,
}

impl Files {
    pub(super) fn new(preferences: Preferences) -> Self {
        Self {
            journal: None,
            begin_journal: None,
            unclosed: None,
            unconfirmed_save: None,
            preferences,
            recent: RecentFiles::default(),
            inbox: Inbox::default(),
        }
    }

    pub(super) fn preferences(&self) -> &Preferences {
        &self.preferences
    }

    pub(super) fn preferences_mut(&mut self) -> &mut Preferences {
        &mut self.preferences
    }

    /// Adds an opened document to the recent files.
    pub(super) fn note_opened(&mut self, source: &DocumentSource) {
        self.preferences.note(source);
        self.recent.keep(source);
    }

    /// Creates journals by `begin` from now on.
    pub(super) fn set_journals(
        &mut self,
        begin: impl Fn(&DocumentSource) -> Result<Journal, JournalError> + 'static,
    ) {
        self.begin_journal = Some(Box::new(begin));
    }

    /// True if edits are recorded in a journal.
    pub(super) fn has_journal(&self) -> bool {
        self.journal.is_some()
    }

    /// Begins a journal of a session that began with `source` and performed `entries`, and deletes the journal before it.
    pub(super) fn begin_journal(
        &mut self,
        source: &DocumentSource,
        entries: &[JournalEntry],
    ) -> Result<(), JournalError> {
        let Some(begin) = &self.begin_journal else { return Ok(()) };
        let mut journal = begin(source)?;
        entries.iter().try_for_each(|entry| journal.note(entry))?;
        journal.flush()?;
        if let Some(before) = self.journal.replace(journal) {
            before.end();
        }
        Ok(())
    }

    /// Records an entry in the recovery journal, if there is one.
    pub(super) fn note(&mut self, entry: &JournalEntry) -> Result<(), JournalError> {
        self.journal.as_mut().map_or(Ok(()), |journal| journal.note(entry))
    }

    /// Writes pending entries at most once a second; true if some still wait.
    pub(super) fn write_pending(&mut self, now_secs: f64) -> Result<bool, JournalError> {
        let Some(journal) = &mut self.journal else { return Ok(false) };
        journal.tick(now_secs)?;
        Ok(journal.is_pending())
    }

    /// Deletes the journal: a session that was closed needs no recovery.
    pub(super) fn end_journal(&mut self) {
        if let Some(journal) = self.journal.take() {
            journal.end();
        }
    }

    /// The session that the user can recover.
    pub(super) fn unclosed_session(&self) -> Option<&UnclosedSession> {
        self.unclosed.as_ref()
    }

    pub(super) fn set_unclosed_session(&mut self, unclosed: Option<UnclosedSession>) {
        self.unclosed = unclosed;
    }

    /// What a save would drop, if the user has not decided yet.
    pub(super) fn unconfirmed_save(&self) -> Option<&SaveLosses> {
        self.unconfirmed_save.as_ref()
    }

    pub(super) fn set_unconfirmed_save(&mut self, losses: Option<SaveLosses>) {
        self.unconfirmed_save = losses;
    }

    pub(super) fn take_unclosed_session(&mut self) -> Option<UnclosedSession> {
        self.unclosed.take()
    }
}
