//! Performs what panels, tools and shortcuts requested, and takes the results of jobs and dialogs.

use super::{
    Message, Studio,
    files::JournalState,
    jobs::JobEvent,
    player::Player,
    requests::{Arrival, Requests},
};
use crate::{
    autosave::{Journal, JournalError, Recovered},
    command::Command,
    platform,
    session::JournalEntry,
};
use std::sync::Arc;

impl Studio {
    /// Performs everything that was requested in this frame, and takes the results of background jobs.
    pub(super) fn perform(&mut self, ctx: &egui::Context) {
        let (entries, actions) = self.requests.take();
        for entry in entries {
            self.perform_entry(&entry);
        }
        for action in actions {
            self.act(ctx, action);
        }
        for event in self.jobs.poll() {
            self.take_job_event(event);
        }
        if let Some(event) = self.jobs.begin_measuring(self.session.document(), ctx) {
            self.take_job_event(event);
        }
        self.write_journal(ctx);
    }

    /// Writes the journal once a second, and says when that begins to fail or works again.
    fn write_journal(&mut self, ctx: &egui::Context) {
        let state = self.files.write_pending(ctx.input(|i| i.time));
        if matches!(state, JournalState::Waiting | JournalState::Failed(_)) {
            ctx.request_repaint_after(std::time::Duration::from_secs_f64(Journal::PERIOD_SECS));
        }
        match state {
            JournalState::Failed(error) => {
                self.fail(format!("{error}. It is tried again every second; save to be safe."));
            }
            JournalState::StoredAgain => self.tell(Ok("The recovery journal is written again.".into())),
            JournalState::Stored | JournalState::Waiting => {}
        }
    }

    pub(super) fn perform_entry(&mut self, entry: &JournalEntry) {
        let stops_playback = match entry {
            JournalEntry::Do { command, .. } => command.info().touches.stops_playback(),
            JournalEntry::Undo | JournalEntry::Redo => true,
            JournalEntry::Saved { .. } => false,
        };
        if stops_playback {
            self.player.stop();
        }
        let source = self.session.document().source().clone();
        let before = Arc::clone(self.session.document().character());
        let reach = match entry {
            JournalEntry::Do { command: Command::Weights { instances, op }, .. } => {
                op.reach(self.session.document(), instances).note()
            }
            JournalEntry::Do { .. }
            | JournalEntry::Undo
            | JournalEntry::Redo
            | JournalEntry::Saved { .. } => String::new(),
        };
        match self.session.perform(entry) {
            Ok(true) => {
                if let JournalEntry::Do { command, .. } = entry
                    && command.info().is_measured
                    && !Arc::ptr_eq(&before, self.session.document().character())
                {
                    self.jobs.measure(command.name() + &reach, before);
                }
                if let Err(error) = self.files.note(entry) {
                    self.fail(error.to_string());
                }
            }
            Ok(false) => {}
            Err(error) => self.fail(error.to_string()),
        }
        if *self.session.document().source() != source {
            self.document_changed();
        }
    }

    /// Another document is open.
    fn document_changed(&mut self) {
        self.viewport.reset_document();
        let document = self.session.document();
        let (source, findings) = (document.source(), document.report().findings().len());
        self.files.note_opened(source);
        self.message = (findings > 0)
            .then(|| Message::Done(format!("{source}: {findings} findings, see the import report")));
    }

    fn take_job_event(&mut self, event: JobEvent) {
        match event {
            JobEvent::Perform(command) => self.perform_entry(&(*command).into()),
            JobEvent::Findings(character, findings) => self.diagnosis.set_findings(&character, findings),
            JobEvent::Done(text) => self.tell(Ok(text)),
            JobEvent::Failed(text) => self.fail(text),
            JobEvent::Measured { waiting, text } => {
                if self.message() == Some(&waiting) {
                    self.tell(Ok(text));
                }
            }
        }
    }

    /// Shows the outcome of an action in the message line.
    pub(super) fn tell(&mut self, outcome: Result<String, String>) {
        self.message = Some(match outcome {
            Ok(text) => Message::Done(text),
            Err(text) => Message::Failed(text),
        });
    }

    /// Shows a failure in the message line.
    pub(super) fn fail(&mut self, reason: String) {
        self.tell(Err(reason));
    }

    /// Takes the answers of dialogs and of the browser, and dropped files.
    pub(super) fn take_arrivals(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.clone());
        if !dropped.is_empty() {
            platform::take_dropped(ctx, &self.files.inbox, &dropped, Arrival::File);
        }
        for arrival in self.files.inbox.take() {
            match arrival {
                Arrival::File(Ok(source)) => self.ask_or_open(ctx, source),
                Arrival::File(Err(reason)) => self.fail(reason),
                Arrival::Act(action) => self.requests.act(action),
            }
        }
    }

    /// Continues the session that was not closed.
    pub(super) fn recover(&mut self) {
        let Some(unclosed) = self.files.take_unclosed_session() else { return };
        match unclosed.recover() {
            Ok(recovered) => {
                let is_complete = recovered.is_complete();
                match self.continue_session(recovered) {
                    Ok(()) if is_complete => self.files.set_recovered_session(unclosed),
                    // What could not be replayed is only in that journal, which stays.
                    Ok(()) => {}
                    Err(error) => {
                        self.fail(error.to_string());
                        self.files.set_unclosed_session(Some(unclosed));
                    }
                }
            }
            Err(error) => {
                self.fail(error.to_string());
                self.files.set_unclosed_session(Some(unclosed));
            }
        }
    }

    fn continue_session(&mut self, recovered: Recovered) -> Result<(), JournalError> {
        self.files.continue_journal(&recovered)?;
        self.tell(Ok(recovered.summary()));
        self.session = recovered.session;
        self.viewport.reset(&self.session);
        self.player = Player::default();
        self.requests = Requests::after(&recovered.entries);
        Ok(())
    }
}
