//! Runs a background job on a thread, or in a web worker.

use crate::{
    document::Document,
    work::{Done, WorkError, WorkRequest},
};
#[cfg(target_arch = "wasm32")]
use crate::{
    platform::{WorkerHandle, WorkerMessage},
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

/// The outcome of a job.
pub(in crate::app) type JobOutcome = Result<Done, WorkError>;

/// A background job that is polled once per frame.
pub(in crate::app) struct JobRunner {
    name: String,
    can_be_canceled: bool,
    shared: Arc<JobState>,
    result: Receiver<JobOutcome>,
    /// The web worker, which ends when this is dropped.
    #[cfg(target_arch = "wasm32")]
    worker: Option<WorkerHandle>,
}

#[derive(Default)]
struct JobState {
    /// The progress from 0 to 1, as the bits of an `f32`.
    progress: AtomicU32,
    is_canceled: AtomicBool,
}

impl JobRunner {
    /// Starts `work` on a copy of `document`.
    #[cfg(not(target_arch = "wasm32"))]
    pub(in crate::app) fn begin(work: WorkRequest, document: &Document, ctx: &egui::Context) -> Self {
        let (send, result) = channel();
        let shared = Arc::new(JobState::default());
        let (name, can_be_canceled) = (work.name(), work.can_be_canceled());
        let (theirs, document, ctx) = (Arc::clone(&shared), document.clone(), ctx.clone());
        std::thread::spawn(move || {
            let mut report = |progress: f32| {
                theirs.progress.store(progress.to_bits(), Ordering::Relaxed);
                ctx.request_repaint();
                if theirs.is_canceled.load(Ordering::Relaxed) {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            };
            // If the window was closed, nobody receives the result.
            let _ = send.send(work.run(&document, &mut report));
            ctx.request_repaint();
        });
        Self { name, can_be_canceled, shared, result }
    }

    /// Starts `work` on a copy of `document` in a web worker, or runs it at once if the browser has none.
    #[cfg(target_arch = "wasm32")]
    pub(in crate::app) fn begin(work: WorkRequest, document: &Document, ctx: &egui::Context) -> Self {
        let (send, result) = channel();
        let shared = Arc::new(JobState::default());
        let (theirs, reply, ctx) = (Arc::clone(&shared), send.clone(), ctx.clone());
        let receive = move |message| {
            // If the job was canceled, nobody receives the result.
            let _ = match message {
                WorkerMessage::Progress(progress) => {
                    theirs.progress.store(progress.to_bits(), Ordering::Relaxed);
                    Ok(())
                }
                WorkerMessage::Done(bytes) => reply.send(outcome(&bytes)),
                WorkerMessage::Failed(reason) => reply.send(Err(WorkError::Worker(reason))),
            };
            ctx.request_repaint();
        };
        let job = BackgroundJob::new(&work, document).to_bytes();
        let worker = job.and_then(|job| WorkerHandle::begin(&job, receive));
        if worker.is_none() {
            let _ = send.send(work.run(document, &mut |_| ControlFlow::Continue(())));
        }
        Self { name: work.name(), can_be_canceled: worker.is_some(), shared, result, worker }
    }

    /// The result, once it is there; it is returned once.
    pub(in crate::app) fn take(&self) -> Option<JobOutcome> {
        // A web worker cannot be told to stop; it is terminated when this is dropped.
        #[cfg(target_arch = "wasm32")]
        if self.worker.is_some() && self.shared.is_canceled.load(Ordering::Relaxed) {
            return Some(Err(AuthorError::Stopped.into()));
        }
        match self.result.try_recv() {
            Ok(outcome) => Some(outcome),
            Err(TryRecvError::Empty) => None,
            // The thread has panicked; the window goes on.
            Err(TryRecvError::Disconnected) => Some(Err(WorkError::Died(self.name.clone()))),
        }
    }

    /// The progress, and a button that cancels the job.
    pub(in crate::app) fn show(&self, ui: &mut egui::Ui) {
        let progress = f32::from_bits(self.shared.progress.load(Ordering::Relaxed));
        ui.horizontal(|ui| {
            let label = ui.label(format!("{}…", self.name));
            if !self.can_be_canceled {
                return;
            }
            ui.add(egui::ProgressBar::new(progress).desired_width(120.0)).labelled_by(label.id);
            if ui.small_button("Cancel").clicked() {
                self.shared.is_canceled.store(true, Ordering::Relaxed);
            }
        });
        // Polls even if the thread reports no progress.
        ui.ctx().request_repaint_after(std::time::Duration::from_millis(100));
    }
}
