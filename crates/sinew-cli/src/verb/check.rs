//! `sinew check`: the skin doctor.

mod args;
mod checked;
mod pictures;
mod report;
mod sarif;
mod text;

pub(crate) use args::CheckArgs;

use crate::{failure::Failure, json, output, page};
use checked::CheckedFile;
use std::process::ExitCode;

/// Exits with 0 if nothing is wrong, 1 if something is, 3 if a file cannot be read.
pub(crate) fn run(args: &CheckArgs, quiet: bool) -> Result<ExitCode, Failure> {
    if args.fix && args.files.len() > 1 {
        return Err(Failure::usage("--fix takes one FILE at a time and writes it to -o OUT"));
    }
    args.output.as_deref().map_or(Ok(()), output::require_gltf)?;
    let (mut all, unreadable) = open_all(args)?;
    if let (true, Some(path), Some(file)) = (args.fix, &args.output, all.first_mut()) {
        file.fix(args, path, quiet)?;
    }
    if args.sarif {
        output::print(sarif::log(&all)?)?;
    } else if args.json {
        json::print(&report::report(&all))?;
    } else if !quiet {
        output::print(text::report(&all))?;
    }
    if let Some(folder) = &args.html {
        output::create_folder(folder)?;
        let path = folder.join("index.html");
        output::write(&path, page::html(&pictures::page(&all, quiet)?))?;
        if !quiet {
            eprintln!("open {}", path.display());
        }
    }
    if let Some(failure) = unreadable {
        return Ok(failure.exit_code());
    }
    let is_clean = all.iter().all(CheckedFile::is_clean);
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Checks every file. If there are several, one that cannot be read is reported and does not stop the others.
fn open_all(args: &CheckArgs) -> Result<(Vec<CheckedFile>, Option<Failure>), Failure> {
    let mut all = Vec::new();
    let mut unreadable = None;
    for file in &args.files {
        match CheckedFile::open(file, args) {
            Ok(checked) => all.push(checked),
            Err(failure @ Failure::Read(_)) if args.files.len() > 1 => {
                eprintln!("sinew: {failure}");
                unreadable = Some(failure);
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok((all, unreadable))
}
