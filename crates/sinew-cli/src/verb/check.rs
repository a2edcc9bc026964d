//! `sinew check`: the skin doctor.

mod args;
mod checked;
mod pictures;
mod report;
mod sarif;
mod text;

pub(crate) use args::CheckArgs;

use crate::{
    batch::{self, BatchFile, BatchJob, BatchResults},
    failure::Failure,
    input, json, output, overwrite, page,
};
use checked::CheckedFile;
use std::{path::PathBuf, process::ExitCode};

/// Exits with 0 if nothing is wrong, 1 if something is, 3 if a file cannot be read.
pub(crate) fn run(args: &CheckArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let (jobs, writes) = jobs(args)?;
    let files: Vec<BatchFile> = jobs.iter().map(|job| job.file.clone()).collect();
    let results = BatchResults::of(&files, &args.batch, quiet, |file| {
        let mut checked = CheckedFile::open(&file.name, args)?;
        if let Some(job) = jobs.iter().find(|job| writes && job.file == *file) {
            checked.fix(args, &job.output, quiet)?;
        }
        Ok(checked)
    });
    let all: Vec<CheckedFile> = results.done.into_iter().map(|(_, checked)| checked).collect();
    let failed = BatchResults::<()> { done: Vec::new(), failed: results.failed, documents: None };
    if all.is_empty() && failed.failed.len() == 1 {
        return failed.finish(quiet);
    }
    if args.sarif {
        output::print_json(sarif::log(&all)?)?;
    } else if args.json {
        json::print(&report::report(&all))?;
    } else if !quiet {
        output::print_text(text::report(&all))?;
    }
    if let Some(folder) = &args.html {
        output::create_folder(folder)?;
        let path = folder.join("index.html");
        if page::is_page(&path) {
            overwrite::own(&path);
        }
        output::write(&path, page::html(&pictures::page(&all, quiet)?))?;
        if !quiet {
            tell!("open {}", path.display());
        }
    }
    for (_, failure) in &failed.failed {
        tell!("sinew: {failure}");
    }
    if let Some((_, failure)) = failed.failed.first() {
        return Ok(failure.exit_code());
    }
    let is_wrong = all.iter().any(|checked| checked.has(args.fail_on.severity()));
    Ok(if is_wrong { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// The files to check with the paths of their fixed versions, and whether those are written.
fn jobs(args: &CheckArgs) -> Result<(Vec<BatchJob>, bool), Failure> {
    args.output.as_deref().map_or(Ok(()), output::require_gltf)?;
    if args.fix {
        let jobs = batch::jobs(&args.files, args.output.as_deref(), &args.batch, batch::character_ending)?;
        return Ok((jobs, true));
    }
    if args.batch.out_dir.is_some() {
        return Err(Failure::usage("--out-dir is for the files that --fix writes"));
    }
    let only_checked = |file: BatchFile| BatchJob { file, output: PathBuf::new() };
    Ok((input::batch(&args.files)?.into_iter().map(only_checked).collect(), false))
}
