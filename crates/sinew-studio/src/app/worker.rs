//! Work beside the window: on a thread of its own, or in a worker of the browser.

use crate::{
    document::Document,
    work::{Done, WorkError, WorkRequest},
};
#[cfg(target_arch = "wasm32")]
use crate::{
    platform::{Beside, Word},
    work::{BackgroundJob, outcome},
};
#[cfg(target_arch = "wasm32")]
use sinew_author::AuthorError;
use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
        mpsc::{Receiver, TryRecvError, channel},
    },
};

/// What came of work that was begun.
pub(super) type JobOutcome = Result<Done, WorkError>;

/// Work that is being done.
pub(super) struct JobRunner {
    name: String,
    can_be_stopped: bool,
    shared: Arc<JobState>,
    result: Receiver<JobOutcome>,
    /// Where it is done; it ends with this.
    #[cfg(target_arch = "wasm32")]
    beside: Option<Beside>,
}

#[derive(Default)]
struct JobState {
    /// The share that is done, as the bits of a number from 0 to 1.
    progress: AtomicU32,
    is_stopped: AtomicBool,
}

impl JobRunner {
    /// Begins `work` on `document` as it is now.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn begin(work: WorkRequest, document: &Document, ctx: &egui::Context) -> Self {
        let (send, result) = channel();
        let shared = Arc::new(JobState::default());
        let (name, can_be_stopped) = (work.name(), work.can_be_stopped());
        let (theirs, document, ctx) = (Arc::clone(&shared), document.clone(), ctx.clone());
        std::thread::spawn(move || {
            let mut progress = |share: f32| {
                theirs.progress.store(share.to_bits(), Ordering::Relaxed);
                ctx.request_repaint();
                if theirs.is_stopped.load(Ordering::Relaxed) {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            };
            // Nobody listens where the window was closed.
            let _ = send.send(work.run(&document, &mut progress));
            ctx.request_repaint();
        });
        Self { name, can_be_stopped, shared, result }
    }

    /// Begins `work` on `document` as it is now: beside the page, or at once where the browser does not let it.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn begin(work: WorkRequest, document: &Document, ctx: &egui::Context) -> Self {
        let (send, result) = channel();
        let shared = Arc::new(JobState::default());
        let (theirs, heard, ctx) = (Arc::clone(&shared), send.clone(), ctx.clone());
        let hear = move |word| {
            // Nobody listens where the work was stopped.
            let _ = match word {
                Word::Progress(share) => {
                    theirs.progress.store(share.to_bits(), Ordering::Relaxed);
                    Ok(())
                }
                Word::Done(reply) => heard.send(outcome(&reply)),
                Word::Failed(reason) => heard.send(Err(WorkError::Told(reason))),
            };
            ctx.request_repaint();
        };
        let job = Job::new(&work, document).and_then(|job| job.to_bytes());
        let beside = job.and_then(|job| Beside::begin(&job, hear));
        if beside.is_none() {
            let _ = send.send(work.run(document, &mut |_| ControlFlow::Continue(())));
        }
        Self { name: work.name(), can_be_stopped: beside.is_some(), shared, result, beside }
    }

    /// The result, where there is one; it is given once.
    pub(super) fn take(&self) -> Option<JobOutcome> {
        // What is done beside a page does not hear that it is to stop; it ends when this is dropped.
        #[cfg(target_arch = "wasm32")]
        if self.beside.is_some() && self.shared.is_stopped.load(Ordering::Relaxed) {
            return Some(Err(AuthorError::Stopped.into()));
        }
        match self.result.try_recv() {
            Ok(outcome) => Some(outcome),
            Err(TryRecvError::Empty) => None,
            // The thread has died: what it did is lost, the window is not.
            Err(TryRecvError::Disconnected) => Some(Err(WorkError::Died(self.name.clone()))),
        }
    }

    /// How far the work is and a way to stop it.
    pub(super) fn show(&self, ui: &mut egui::Ui) {
        let share = f32::from_bits(self.shared.progress.load(Ordering::Relaxed));
        ui.horizontal(|ui| {
            let label = ui.label(format!("{}…", self.name));
            if !self.can_be_stopped {
                return;
            }
            ui.add(egui::ProgressBar::new(share).desired_width(120.0)).labelled_by(label.id);
            if ui.small_button("Stop").clicked() {
                self.shared.is_stopped.store(true, Ordering::Relaxed);
            }
        });
        // A thread that says nothing for long is still looked after.
        ui.ctx().request_repaint_after(std::time::Duration::from_millis(100));
    }
}
