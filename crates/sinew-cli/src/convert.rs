//! `sinew convert`.

use crate::{args::ConvertArgs, failure::Failure, input};
use sinew_formats::write_file;

pub(crate) fn run(args: &ConvertArgs, quiet: bool) -> Result<(), Failure> {
    let ending = args.output.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !["glb", "gltf"].contains(&ending.as_str()) {
        let what = format!("{} ends in neither .glb nor .gltf", args.output.display());
        return Err(Failure::usage(what));
    }
    let import = input::open(&args.input)?;
    write_file(&args.output, &import.character)?;
    if !quiet {
        for finding in import.report.findings() {
            eprintln!("{finding}");
        }
        eprintln!("wrote {}", args.output.display());
    }
    Ok(())
}
