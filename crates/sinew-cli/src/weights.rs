//! `sinew weights`: made, changed, compared and exchanged.

mod args;
mod auto;
mod change;
mod diff;
mod exchange;
mod report;
mod skinned;
mod transfer;

pub(crate) use args::WeightsArgs;

use crate::failure::Failure;
use args::{ResultArgs, WeightsJob};
use report::MeshReport;
use sinew::{Character, Weights};
use sinew_formats::write_file;
use std::path::Path;

pub(crate) fn run(args: &WeightsArgs, quiet: bool) -> Result<(), Failure> {
    args.job.result().map_or(Ok(()), check_ending)?;
    match &args.job {
        WeightsJob::Auto(args) => auto::run(args, quiet),
        WeightsJob::Smooth(args) => change::smooth(args, quiet),
        WeightsJob::Sharpen(args) => change::sharpen(args, quiet),
        WeightsJob::Limit(args) => change::limit(args, quiet),
        WeightsJob::Prune(args) => change::prune(args, quiet),
        WeightsJob::Normalise(args) => change::normalise(args, quiet),
        WeightsJob::Mirror(args) => change::mirror(args, quiet),
        WeightsJob::Transfer(args) => transfer::run(args, quiet),
        WeightsJob::Quantise(args) => change::quantise(args, quiet),
        WeightsJob::Diff(args) => diff::run(args, quiet),
        WeightsJob::Export(args) => exchange::export(args, quiet),
        WeightsJob::Import(args) => exchange::import(args, quiet),
    }
}

/// Refuses a file that could not be written, before any work is done.
fn check_ending(result: &ResultArgs) -> Result<(), Failure> {
    let Some(path) = &result.output else { return Ok(()) };
    let ending = |p: &Path| p.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if ["glb", "gltf"].contains(&&ending(path)[..]) {
        return Ok(());
    }
    Err(Failure::usage(format!("{} ends in neither .glb nor .gltf", path.display())))
}

/// Writes the character with its new weights, where a file is asked for, and says what was done.
fn write(
    operation: &str,
    file: &str,
    result: &ResultArgs,
    character: &Character,
    changed: Vec<(usize, Weights)>,
    reports: &[MeshReport],
    quiet: bool,
) -> Result<(), Failure> {
    let new = skinned::with_weights(character, changed)?;
    if let Some(path) = &result.output {
        write_file(path, &new)?;
    }
    report::print(operation, file, reports, result, quiet)
}
