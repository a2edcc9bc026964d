//! Long work: begun on request, looked after each frame, its results put where they belong.

use super::{Message, Studio, worker::JobRunner};
use crate::{
    session::JournalEntry,
    work::{Done, WorkError, WorkRequest, effect_text},
};
use sinew::Character;
use sinew_author::AuthorError;
use std::sync::Arc;

/// The work of the window.
#[derive(Default)]
pub(super) struct Working {
    /// What was asked for, with the character it works on.
    asked: Option<(JobRunner, Arc<Character>)>,
    /// The last operation with the character before it, until its measurement begins.
    to_measure: Option<(String, Arc<Character>)>,
    /// A measurement of the last operation, with the line that stands until it is known.
    measuring: Option<(JobRunner, String)>,
}

impl Working {
    /// True while something that was asked for is not done.
    pub(super) fn is_busy(&self) -> bool {
        self.asked.is_some()
    }

    /// A line about what is being done.
    pub(super) fn show(&self, ui: &mut egui::Ui) {
        if let Some((worker, _)) = &self.asked {
            worker.show(ui);
        }
    }
}

impl Studio {
    /// True while work goes on beside the window.
    pub fn is_working(&self) -> bool {
        self.working.is_busy() || self.working.measuring.is_some()
    }

    /// Begins work; one thing at a time.
    pub(super) fn begin_work(&mut self, ctx: &egui::Context, work: WorkRequest) {
        if self.working.is_busy() {
            self.message = Some(Message::Failed("Something else is still being worked out.".into()));
            return;
        }
        let document = self.session.document();
        let character = Arc::clone(document.character());
        self.working.asked = Some((JobRunner::begin(work, document, ctx), character));
    }

    /// Remembers to measure what the operation `entry` did to the skin, where it is one.
    pub(super) fn note_for_measuring(&mut self, entry: &JournalEntry, before: Arc<Character>) {
        let JournalEntry::Do { command, .. } = entry else { return };
        if command.is_measured() && !Arc::ptr_eq(&before, self.session.document().character()) {
            self.working.to_measure = Some((command.name(), before));
        }
    }

    fn begin_measuring(&mut self, ctx: &egui::Context, name: String, before: Arc<Character>) {
        let text = format!("{name}: measuring…");
        let worker = JobRunner::begin(WorkRequest::Measure { name, before }, self.session.document(), ctx);
        self.message = Some(Message::Done(text.clone()));
        self.working.measuring = Some((worker, text));
    }

    /// Takes over what has been done since the last frame.
    pub(super) fn follow_work(&mut self, ctx: &egui::Context) {
        if let Some(outcome) = self.working.asked.as_ref().and_then(|(worker, _)| worker.take()) {
            let character = self.working.asked.take().map(|(_, character)| character);
            match (outcome, character) {
                (Ok(Done::Findings(findings)), Some(character)) => self.doctor.take(&character, findings),
                (Ok(Done::Command(command)), _) => self.perform_entry(&(*command).into()),
                (Ok(_), _) => {}
                (Err(WorkError::Author(AuthorError::Stopped)), _) => {
                    self.message = Some(Message::Done("Stopped; nothing was changed.".into()));
                }
                (Err(error), _) => self.message = Some(Message::Failed(error.to_string())),
            }
        }
        if let Some((name, before)) = self.working.to_measure.take() {
            self.begin_measuring(ctx, name, before);
        }
        if let Some(outcome) = self.working.measuring.as_ref().and_then(|(worker, _)| worker.take()) {
            let waiting = self.working.measuring.take().map(|(_, text)| text);
            // What was said meanwhile is not overwritten.
            let is_waited_for = self.message() == waiting.as_deref();
            if let (true, Ok(Done::Effect { name, changed, effect })) = (is_waited_for, outcome) {
                self.message = Some(Message::Done(effect_text(&name, changed, &effect)));
            }
        }
    }
}
