//! What the studio reads: journals, and messages between the page and its worker.

use crate::subject::Verdict;
use sinew_studio::{
    autosave::recover,
    work::{BackgroundJob, outcome},
};
use std::ops::ControlFlow;

/// Any bytes as a journal: it is replayed as far as it goes, or refused with a reason.
pub fn journal(bytes: &[u8]) -> Verdict {
    let recovered = recover(bytes);
    match &recovered {
        Ok(recovered) => assert!(!recovered.summary().is_empty()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    Verdict::of(&recovered)
}

/// Any bytes as a job for the page's worker and as its reply.
pub fn page_message(bytes: &[u8]) -> Verdict {
    let reply = BackgroundJob::run(bytes, &mut |_| ControlFlow::Continue(()));
    let done = outcome(&reply);
    _ = outcome(bytes);
    Verdict::of(&done)
}
