//! Background jobs in a web worker: a second instance of the program, so that the page stays responsive.
//!
//! The page's script creates the worker from the loaded module, without another request to the server.

use super::error_text;
use crate::work::BackgroundJob;
use js_sys::{Function, Reflect, Uint8Array};
use std::ops::ControlFlow;
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use web_sys::{DedicatedWorkerGlobalScope, ErrorEvent, MessageEvent, Worker};

/// The function of the page's script that creates a worker.
const WORKER_FACTORY: &str = "sinewWorker";

/// A message of a worker to the page.
#[derive(Debug)]
pub(crate) enum WorkerMessage {
    /// The progress, 0 to 1.
    Progress(f32),
    /// The serialized result of the job.
    Done(Vec<u8>),
    /// The worker stopped with this error.
    Failed(String),
}

/// A worker that runs a job. Dropping it terminates the worker.
pub(crate) struct WorkerHandle {
    worker: Worker,
    // The browser calls these closures while the worker lives.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl WorkerHandle {
    /// Starts a job in a new worker; `None` if the page cannot create one.
    pub(crate) fn begin(job: &[u8], receive: impl Fn(WorkerMessage) + Clone + 'static) -> Option<Self> {
        let factory: Function =
            Reflect::get(&js_sys::global(), &WORKER_FACTORY.into()).ok()?.dyn_into().ok()?;
        let worker: Worker = factory.call0(&JsValue::NULL).ok()?.dyn_into().ok()?;
        let fail = receive.clone();
        let on_message =
            Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| receive(message(&event.data())));
        let on_error = Closure::<dyn FnMut(_)>::new(move |event: ErrorEvent| {
            fail(WorkerMessage::Failed(event.message()));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.post_message(&Uint8Array::from(job)).ok()?;
        Some(Self { worker, _on_message: on_message, _on_error: on_error })
    }
}

impl Drop for WorkerHandle {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

fn message(data: &JsValue) -> WorkerMessage {
    match (data.as_f64(), data.dyn_ref::<Uint8Array>()) {
        (Some(progress), _) => WorkerMessage::Progress(progress as f32),
        (_, Some(bytes)) => WorkerMessage::Done(bytes.to_vec()),
        _ => WorkerMessage::Failed(error_text(data)),
    }
}

/// Runs the jobs of a page if this instance is in a web worker; returns false in a page.
pub fn serve_jobs() -> bool {
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else { return false };
    let replies = scope.clone();
    let reply = move |value: JsValue| {
        // A page that no longer listens has terminated this worker.
        let _ = replies.post_message(&value);
    };
    let panicked = scope.clone();
    std::panic::set_hook(Box::new(move |info| {
        let _ = panicked.post_message(&info.to_string().into());
    }));
    let on_message = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| {
        let mut report = |progress: f32| {
            reply(progress.into());
            ControlFlow::Continue(())
        };
        let done = BackgroundJob::run(&Uint8Array::new(&event.data()).to_vec(), &mut report);
        reply(Uint8Array::from(&done[..]).into());
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // The closure lives as long as the worker.
    on_message.forget();
    true
}
