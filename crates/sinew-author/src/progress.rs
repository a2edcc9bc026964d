//! How far the work is, and a way to stop it.

use crate::AuthorError;
use std::ops::ControlFlow;

/// Called on the caller's thread with the share of the work that is done, 0 to 1; `Break` stops the work.
pub type Progress<'a> = &'a mut dyn FnMut(f32) -> ControlFlow<()>;

/// A [`Progress`] that shows nothing and never stops.
pub fn uninterrupted(_done: f32) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Tells the caller that `done` of `total` pieces are made.
pub(crate) fn tell(progress: Progress<'_>, done: usize, total: usize) -> Result<(), AuthorError> {
    let share = done as f32 / total.max(1) as f32;
    match progress(share) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(AuthorError::Stopped),
    }
}
