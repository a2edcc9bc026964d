//! Progress reports and cancellation.

use crate::AuthorError;
use std::ops::ControlFlow;

/// Called on the caller's thread with the fraction of the work that is done, 0 to 1. `Break` stops the work.
pub type Progress<'a> = &'a mut dyn FnMut(f32) -> ControlFlow<()>;

/// A [`Progress`] that ignores reports and never stops.
pub fn uninterrupted(_done: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Reports that `done` of `total` pieces are finished.
pub(crate) fn tell(progress: Progress<'_>, done: usize, total: usize) -> Result<(), AuthorError> {
    let fraction = done as f32 / total.max(1) as f32;
    match progress(fraction) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(AuthorError::Stopped),
    }
}
