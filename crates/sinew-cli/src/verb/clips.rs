//! `sinew clips`: clips, made from nothing, keyed, edited and exchanged as text.

mod acl;
mod args;
mod compress;
mod edit;
mod exchange;
mod report;
mod size;

pub(crate) use args::ClipsArgs;

use crate::{failure::Failure, input, output};
use args::{ClipsFileArgs, ClipsJob};
use sinew::Character;

pub(crate) fn run(args: &ClipsArgs, quiet: bool) -> Result<(), Failure> {
    match &args.job {
        ClipsJob::List(list) => report::list(&list.file, args.json),
        ClipsJob::Report(report) => size::run(report, args.json),
        ClipsJob::Compress(job) => compress::run(job, args.json, quiet),
        ClipsJob::Export(export) => exchange::export(export, quiet),
        ClipsJob::New(job) => edited(&job.file, args.json, quiet, |clips| edit::new(clips, job)),
        ClipsJob::Key(job) => edited(&job.file, args.json, quiet, |clips| edit::key(clips, job)),
        ClipsJob::Unkey(job) => edited(&job.file, args.json, quiet, |clips| edit::unkey(clips, job)),
        ClipsJob::Trim(job) => edited(&job.file, args.json, quiet, |clips| edit::trim(clips, job)),
        ClipsJob::Duration(job) => edited(&job.file, args.json, quiet, |clips| edit::duration(clips, job)),
        ClipsJob::Retime(job) => edited(&job.file, args.json, quiet, |clips| edit::retime(clips, job)),
        ClipsJob::Shift(job) => edited(&job.file, args.json, quiet, |clips| edit::shift(clips, job)),
        ClipsJob::Rename(job) => edited(&job.file, args.json, quiet, |clips| edit::rename(clips, job)),
        ClipsJob::Remove(job) => edited(&job.file, args.json, quiet, |clips| edit::remove(clips, job)),
        ClipsJob::Import(job) => edited(&job.file, args.json, quiet, |clips| exchange::import(clips, job)),
    }
}

/// What a job did: the name of the operation and the clips that it made or changed.
struct ClipsOutcome {
    operation: &'static str,
    character: Character,
    /// The indices of the clips that were made or changed.
    changed: Vec<usize>,
    summary: String,
}

/// Reads a file, edits its clips, writes it and reports what was done.
fn edited(
    file: &ClipsFileArgs,
    as_json: bool,
    quiet: bool,
    edit: impl FnOnce(&Character) -> Result<ClipsOutcome, Failure>,
) -> Result<(), Failure> {
    output::require_gltf(&file.output)?;
    let character = input::open_reporting(&file.file, quiet)?.character;
    let outcome = edit(&character).map_err(|failure| failure.of_file(&file.file))?;
    let write = file.write.write(&file.output, &outcome.character, quiet)?;
    report::print(file, &outcome, &write, as_json, quiet)
}
