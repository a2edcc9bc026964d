//! Captures of markers in another format.

use super::ConvertArgs;
use crate::{failure::Failure, input, json, output};
use serde::Serialize;
use sinew_formats::{
    Outcome, WriteReport,
    markers::{MarkerFormat, to_markers},
};

/// Converts between formats of markers; false if the input is no such file.
pub(super) fn run(args: &ConvertArgs, quiet: bool) -> Result<bool, Failure> {
    if MarkerFormat::of_path(&args.input).is_none() {
        return Ok(false);
    }
    let Some(format) = MarkerFormat::of_path(&args.output) else {
        let list = MarkerFormat::list("or");
        return Err(Failure::usage(format!(
            "{} has markers and no character: OUT must end in {list}, or use `sinew solve markers`",
            args.input
        )));
    };
    let import = input::open_markers(&args.input)?;
    let mut write = WriteReport::default();
    for omission in &import.omissions {
        write.add(Outcome::Dropped, "capture-data", "the capture", 1, omission);
    }
    args.write.tell(&args.output, &write, quiet)?;
    output::write(&args.output, to_markers(format, &import.capture, import.up)?)?;
    if args.json {
        let body = MarkersConversion { file: &args.input, output: args.output.display().to_string() };
        json::print_written(&body, Some(&write))?;
    } else if !quiet {
        let others = import.notes.iter().filter(|note| !import.omissions.contains(note));
        others.for_each(|note| tell!("note: {note}"));
        tell!("wrote {}", args.output.display());
    }
    Ok(true)
}

/// What a conversion did, as JSON.
#[derive(Serialize)]
struct MarkersConversion<'a> {
    file: &'a str,
    output: String,
}
