//! Runs cases in child processes with limits, and counts what happened to them.
//!
//! The parent hands out batches of cases. A child reports each case before it starts, so that the parent can tell which one was
//! running when the child died or did not answer; it keeps that input and goes on behind it.

mod batch;
mod case;
mod child;
mod cpu_time;
mod parent;
mod report;
mod tally;

pub use batch::Batch;
pub use case::{Case, Cases, Group};
pub use child::run_batch;
pub use parent::{Campaign, CaseLimits};
pub use report::{CaseReport, Ending};
pub use tally::{Failure, Tally};
