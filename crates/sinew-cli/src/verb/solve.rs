//! `sinew solve`: motion from measured points, joints and weights from moving meshes.

mod args;
mod markers;
mod mesh;
mod report;

pub(crate) use args::SolveArgs;

use crate::failure::Failure;
use args::SolveJob;

pub(crate) fn run(args: &SolveArgs, quiet: bool) -> Result<(), Failure> {
    match &args.job {
        SolveJob::Markers(args) => markers::run(args, quiet),
        SolveJob::Mesh(args) => mesh::run(args, quiet),
    }
}
