//! `sinew check`: the skin doctor.

mod examined;
mod json;
mod pictures;
mod sarif;
mod text;

use crate::{args::CheckArgs, failure::Failure, output, page};
use examined::Examined;
use std::process::ExitCode;

/// 0 where nothing is wrong, 1 where something is, 3 where a file cannot be read.
pub(crate) fn run(args: &CheckArgs, quiet: bool) -> Result<ExitCode, Failure> {
    if args.fix && args.files.len() > 1 {
        return Err(Failure::usage("--fix mends one FILE at a time, into -o OUT"));
    }
    if let Some(path) = &args.output {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        if !["glb", "gltf"].contains(&&ending[..]) {
            return Err(Failure::usage(format!("{} ends in neither .glb nor .gltf", path.display())));
        }
    }
    let mut all = Vec::new();
    let mut unreadable = None;
    for file in &args.files {
        match Examined::open(file, args) {
            Ok(examined) => all.push(examined),
            // One bad file must not hide what is wrong with the others.
            Err(failure @ Failure::Read(_)) if args.files.len() > 1 => {
                eprintln!("sinew: {failure}");
                unreadable = Some(failure);
            }
            Err(failure) => return Err(failure),
        }
    }
    if let (true, Some(path), Some(one)) = (args.fix, &args.output, all.first_mut()) {
        one.mend(args, path)?;
    }
    if args.sarif {
        output::print(sarif::log(&all)?)?;
    } else if args.json {
        output::print(json::report(&all)?)?;
    } else if !quiet {
        output::print(text::report(&all))?;
    }
    if let Some(folder) = &args.html {
        output::make_folder(folder)?;
        let path = folder.join("index.html");
        output::write(&path, page::html(&pictures::page(&all, quiet)?))?;
        if !quiet {
            eprintln!("open {}", path.display());
        }
    }
    if let Some(failure) = unreadable {
        return Ok(failure.exit_code());
    }
    let is_clean = all.iter().all(Examined::is_clean);
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
