//! Files of the studio: the recovery journal, preferences, recent files, and answers of file dialogs.

mod preferences;

pub(super) use preferences::Preferences;

use super::{
    requests::Arrival,
    saving::{Deferred, UnconfirmedSave},
};
use crate::{
    autosave::{Journal, JournalError, Recovered, UnclosedSession},
    document::DocumentSource,
    platform::{Inbox, RecentFiles},
    session::JournalEntry,
};

/// Creates the journal of a session that begins with a source.
type BeginJournal = Box<dyn Fn(&DocumentSource) -> Result<Journal, JournalError>>;

/// What became of the entries of the journal.
pub(super) enum JournalState {
    /// Every entry is stored.
    Stored,
    /// Every entry is stored, after a write had failed.
    StoredAgain,
    /// Some wait for the next write.
    Waiting,
    /// They cannot be stored; later writes try again.
    Failed(JournalError),
}

/// Everything the studio keeps outside the document.
pub(super) struct Files {
    journal: Option<Journal>,
    begin_journal: Option<BeginJournal>,
    /// True if the last write of the journal failed.
    is_journal_failing: bool,
    /// A session that was not closed, until the user recovers or discards it.
    unclosed: Option<UnclosedSession>,
    /// A recovered session, until its steps are stored in the journal of this one.
    recovered: Option<UnclosedSession>,
    /// What a save would drop, until the user decides.
    unconfirmed_save: Option<UnconfirmedSave>,
    /// What waits for the answer to the question about unsaved edits.
    question: Option<Deferred>,
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
            is_journal_failing: false,
            unclosed: None,
            recovered: None,
            unconfirmed_save: None,
            question: None,
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

    /// Begins the journal of a session that was just opened.
    pub(super) fn begin_journal(&mut self, source: &DocumentSource) -> Result<(), JournalError> {
        if let Some(begin) = &self.begin_journal {
            self.journal = Some(begin(source)?);
        }
        Ok(())
    }

    /// Begins a journal with everything that was recovered, and deletes that of the session before it, whose edits are saved
    /// or discarded.
    pub(super) fn continue_journal(&mut self, recovered: &Recovered) -> Result<(), JournalError> {
        let Some(begin) = &self.begin_journal else { return Ok(()) };
        let mut journal = begin(&recovered.source)?;
        recovered.copy_to(&mut journal)?;
        if let Some(before) = self.journal.replace(journal) {
            before.end();
        }
        Ok(())
    }

    /// Records an entry in the recovery journal, if there is one.
    pub(super) fn note(&mut self, entry: &JournalEntry) -> Result<(), JournalError> {
        self.journal.as_mut().map_or(Ok(()), |journal| journal.note(entry))
    }

    /// Writes pending entries at most once a second.
    pub(super) fn write_pending(&mut self, now_secs: f64) -> JournalState {
        let Some(journal) = &mut self.journal else { return JournalState::Stored };
        let was_failing = self.is_journal_failing;
        if let Err(error) = journal.tick(now_secs) {
            self.is_journal_failing = true;
            return if was_failing { JournalState::Waiting } else { JournalState::Failed(error) };
        }
        if journal.is_pending() {
            return JournalState::Waiting;
        }
        if let Some(recovered) = self.recovered.take() {
            // Its steps are in the journal of this session now.
            recovered.discard();
        }
        self.is_journal_failing = false;
        if was_failing { JournalState::StoredAgain } else { JournalState::Stored }
    }

    /// Keeps copies in the journal of the opened files that a save to `path` replaces.
    pub(super) fn keep_replaced(&mut self, path: &std::path::Path) -> Result<(), JournalError> {
        self.journal.as_mut().map_or(Ok(()), |journal| journal.keep_replaced(path))
    }

    /// Leaves the journal to the next start, with everything that was noted.
    pub(super) fn leave_journal(&mut self) {
        if let Some(mut journal) = self.journal.take() {
            // There is no window left to tell that this failed.
            let _ = journal.flush();
        }
    }

    /// Deletes the journal: everything in it is saved or discarded.
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

    /// Keeps the journal of a recovered session until its steps are stored in the journal of this one.
    pub(super) fn set_recovered_session(&mut self, recovered: UnclosedSession) {
        if self.journal.is_some() {
            self.recovered = Some(recovered);
        }
    }

    /// What a save would drop, if the user has not decided yet.
    pub(super) fn unconfirmed_save(&self) -> Option<&UnconfirmedSave> {
        self.unconfirmed_save.as_ref()
    }

    pub(super) fn set_unconfirmed_save(&mut self, save: Option<UnconfirmedSave>) {
        self.unconfirmed_save = save;
    }

    /// What waits for the answer to the question about unsaved edits.
    pub(super) fn question(&self) -> Option<&Deferred> {
        self.question.as_ref()
    }

    pub(super) fn set_question(&mut self, deferred: Option<Deferred>) {
        self.question = deferred;
    }

    pub(super) fn take_question(&mut self) -> Option<Deferred> {
        self.question.take()
    }

    pub(super) fn take_unclosed_session(&mut self) -> Option<UnclosedSession> {
        self.unclosed.take()
    }
}
