//! A second copy of the program beside the page, in a worker of the browser: what takes long does not hold the page up.
//!
//! The page's script makes the worker from what it has in memory, so that nothing is asked of a server again.

use super::words;
use crate::work::Job;
use js_sys::{Function, Reflect, Uint8Array};
use std::ops::ControlFlow;
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use web_sys::{DedicatedWorkerGlobalScope, ErrorEvent, MessageEvent, Worker};

/// The function of the page's script that makes a worker.
const MAKER: &str = "sinewWorker";

/// What a worker tells.
#[derive(Debug)]
pub(crate) enum Word {
    /// The share that is done.
    Progress(f32),
    /// What became of the job, as bytes.
    Done(Vec<u8>),
    /// It came to nothing.
    Failed(String),
}

/// A worker with a job; without this it ends.
pub(crate) struct Beside {
    worker: Worker,
    // The browser calls them as long as the worker lives.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl Beside {
    /// Gives a job to a worker; `None` where the page cannot make one.
    pub(crate) fn begin(job: &[u8], heard: impl Fn(Word) + Clone + 'static) -> Option<Self> {
        let maker: Function = Reflect::get(&js_sys::global(), &MAKER.into()).ok()?.dyn_into().ok()?;
        let worker: Worker = maker.call0(&JsValue::NULL).ok()?.dyn_into().ok()?;
        let failed = heard.clone();
        let on_message = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| heard(word(&event.data())));
        let on_error = Closure::<dyn FnMut(_)>::new(move |event: ErrorEvent| {
            failed(Word::Failed(event.message()));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.post_message(&Uint8Array::from(job)).ok()?;
        Some(Self { worker, _on_message: on_message, _on_error: on_error })
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

fn word(data: &JsValue) -> Word {
    match (data.as_f64(), data.dyn_ref::<Uint8Array>()) {
        (Some(share), _) => Word::Progress(share as f32),
        (_, Some(bytes)) => Word::Done(bytes.to_vec()),
        _ => Word::Failed(words(data)),
    }
}

/// Does the jobs that a page gives, where this copy of the program is in a worker; false where it is a page.
pub fn serve() -> bool {
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else { return false };
    let replies = scope.clone();
    let reply = move |value: JsValue| {
        // A page that does not listen any more has ended this worker.
        let _ = replies.post_message(&value);
    };
    let told = scope.clone();
    std::panic::set_hook(Box::new(move |info| {
        let _ = told.post_message(&info.to_string().into());
    }));
    let on_message = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| {
        let mut progress = |share: f32| {
            reply(share.into());
            ControlFlow::Continue(())
        };
        let done = Job::run(&Uint8Array::new(&event.data()).to_vec(), &mut progress);
        reply(Uint8Array::from(&done[..]).into());
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // It is called for as long as the worker lives.
    on_message.forget();
    true
}
