//! `sinew compare`: the methods side by side.

mod figures;
mod report;
mod tube;

use crate::{args::CompareArgs, failure::Failure, input, output, page, prepare::prepared};
use figures::Comparison;
use std::path::Path;

pub(crate) fn run(args: &CompareArgs, quiet: bool) -> Result<(), Failure> {
    if !args.fps.is_finite() || !(0.1..=240.0).contains(&args.fps) {
        return Err(Failure::usage(format!("--fps: {} is outside 0.1 to 240", args.fps)));
    }
    let import = input::open(&args.file)?;
    let clip = args.clip.choose(&import.character)?.or_else(|| import.character.clips().first().cloned());
    let character = prepared(&import.character, &args.methods, quiet)?;
    let comparison = Comparison::of(args, &character, clip.as_deref(), quiet)?;
    if args.json {
        let json = serde_json::to_string_pretty(&comparison).map_err(|e| Failure::Print(e.into()))?;
        output::print(json + "\n")?;
    }
    let folder = match (&args.output, args.json) {
        (Some(folder), _) => folder.as_path(),
        (None, false) => Path::new("compare"),
        (None, true) => return Ok(()),
    };
    output::make_folder(folder)?;
    let page = report::page(args, &character, clip.as_deref(), &comparison, quiet)?;
    for exhibit in page.exhibits() {
        output::write(&folder.join(&exhibit.file), &exhibit.bytes)?;
    }
    let path = folder.join("index.html");
    output::write(&path, page::html(&page))?;
    if !quiet {
        eprintln!("open {}", path.display());
    }
    Ok(())
}
