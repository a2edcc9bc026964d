//! `sinew compare`: the methods side by side.

mod args;
mod maps;
mod measures;
mod page;
mod tube;

pub(crate) use args::CompareArgs;

use crate::{failure::Failure, input, json, output, page as html, prepare::prepared};
use measures::ComparisonReport;
use page::ComparisonPage;
use std::path::Path;

pub(crate) fn run(args: &CompareArgs, quiet: bool) -> Result<(), Failure> {
    if !args.fps.is_finite() || !(0.1..=240.0).contains(&args.fps) {
        return Err(Failure::usage(format!("--fps must be between 0.1 and 240, got {}", args.fps)));
    }
    let import = input::open(&args.file)?;
    let clip = args.clip.choose(&import.character)?.or_else(|| import.character.clips().first().cloned());
    let character = prepared(&import.character, &args.file, &args.methods, quiet)?;
    let comparison = ComparisonReport::of(args, &character, clip.as_deref(), quiet)?;
    if args.json {
        json::print(&comparison)?;
    }
    let folder = match (&args.output, args.json) {
        (Some(folder), _) => folder.as_path(),
        (None, false) => Path::new("compare"),
        (None, true) => return Ok(()),
    };
    output::create_folder(folder)?;
    let page = ComparisonPage { args, character: &character, clip: clip.as_deref(), report: &comparison };
    let path = html::write(folder, &page.compose(quiet)?)?;
    if !quiet {
        tell!("open {}", path.display());
    }
    Ok(())
}
