//! Background jobs: long work on a copy of the document, measurements, and film exports.

mod film;
mod runner;

pub(super) use film::{FilmExport, FilmStep};

use crate::{
    command::Command,
    document::Document,
    work::{Done, WorkError, WorkRequest, effect_text},
};
use runner::JobRunner;
use sinew::Character;
use sinew_author::{AuthorError, check::Finding};
use std::sync::Arc;

/// The jobs that run.
#[derive(Default)]
pub(super) struct Jobs {
    /// The job that the user asked for, with the character it works on.
    requested: Option<(JobRunner, Arc<Character>)>,
    /// The last operation with the character before it, until its measurement begins.
    to_measure: Option<(String, Arc<Character>)>,
    /// The measurement of the last operation, with the message that it replaces.
    measuring: Option<(JobRunner, String)>,
    pub(super) film: Option<FilmExport>,
}

/// What the studio does about a finished job.
pub(super) enum JobEvent {
    /// Performs a command with the result.
    Perform(Box<Command>),
    /// Shows the findings of a character.
    Findings(Arc<Character>, Vec<Finding>),
    /// Shows the result of a job in the message line.
    Done(String),
    /// Shows the failure of a job in the message line.
    Failed(String),
    /// Replaces one message by another, unless a later message took its place.
    Measured { waiting: String, text: String },
}

impl Jobs {
    /// True while the job that the user asked for runs.
    pub(super) fn is_busy(&self) -> bool {
        self.requested.is_some()
    }

    /// True while any job runs.
    pub(super) fn is_working(&self) -> bool {
        self.is_busy() || self.measuring.is_some()
    }

    /// The progress of the job that the user asked for.
    pub(super) fn show(&self, ui: &mut egui::Ui) {
        if let Some((runner, _)) = &self.requested {
            runner.show(ui);
        }
    }

    /// The progress of the film export, 0 to 1.
    pub(super) fn film_progress(&self) -> Option<f32> {
        self.film.as_ref().map(FilmExport::progress)
    }

    /// Starts a job. One runs at a time.
    pub(super) fn begin(
        &mut self,
        work: WorkRequest,
        document: &Document,
        ctx: &egui::Context,
    ) -> Result<(), String> {
        if self.is_busy() {
            return Err("Another background job is still running.".into());
        }
        let character = Arc::clone(document.character());
        self.requested = Some((JobRunner::begin(work, document, ctx), character));
        Ok(())
    }

    /// Notes an operation whose effect on the skin is measured by [`Jobs::begin_measuring`].
    pub(super) fn measure(&mut self, operation: String, before: Arc<Character>) {
        self.to_measure = Some((operation, before));
    }

    /// Collects what has finished since the last frame.
    pub(super) fn poll(&mut self) -> Vec<JobEvent> {
        let mut events = Vec::new();
        if let Some(outcome) = self.requested.as_ref().and_then(|(runner, _)| runner.take())
            && let Some((_, character)) = self.requested.take()
        {
            events.extend(match outcome {
                Ok(Done::Findings(findings)) => Some(JobEvent::Findings(character, findings)),
                Ok(Done::Command(command)) => Some(JobEvent::Perform(command)),
                Ok(Done::Effect { .. }) => None,
                Err(WorkError::Author(AuthorError::Stopped)) => {
                    Some(JobEvent::Done("Canceled; nothing was changed.".into()))
                }
                Err(error) => Some(JobEvent::Failed(error.to_string())),
            });
        }
        if let Some(outcome) = self.measuring.as_ref().and_then(|(runner, _)| runner.take())
            && let Some((_, waiting)) = self.measuring.take()
            && let Ok(Done::Effect { name, changed, effect }) = outcome
        {
            events.push(JobEvent::Measured { waiting, text: effect_text(&name, changed, &effect) });
        }
        events
    }

    /// Starts the measurement of the last operation, if there is one.
    pub(super) fn begin_measuring(&mut self, document: &Document, ctx: &egui::Context) -> Option<JobEvent> {
        let (name, before) = self.to_measure.take()?;
        let text = format!("{name}: measuring…");
        let runner = JobRunner::begin(WorkRequest::Measure { name, before }, document, ctx);
        self.measuring = Some((runner, text.clone()));
        Some(JobEvent::Done(text))
    }
}
