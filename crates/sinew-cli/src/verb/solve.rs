//! `sinew solve`: motion from measured points.

mod args;
mod markers;
mod report;

pub(crate) use args::SolveArgs;

use crate::failure::Failure;
use args::SolveJob;

pub(crate) fn run(args: &SolveArgs, quiet: bool) -> Result<(), Failure> {
    match &args.job {
        SolveJob::Markers(args) => markers::run(args, quiet),
    }
}
