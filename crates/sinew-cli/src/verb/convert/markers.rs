//! Captures of markers in another format.

use super::ConvertArgs;
use crate::failure::Failure;
use sinew_formats::markers::{MarkerFormat, read_markers_file, write_markers_file};

/// Converts between formats of markers; false if the input is no such file.
pub(super) fn run(args: &ConvertArgs, quiet: bool) -> Result<bool, Failure> {
    if MarkerFormat::of_path(&args.input).is_none() {
        return Ok(false);
    }
    if MarkerFormat::of_path(&args.output).is_none() {
        let list = MarkerFormat::list("or");
        return Err(Failure::usage(format!(
            "{} has markers and no character: OUT must end in {list}, or use `sinew solve markers`",
            args.input
        )));
    }
    let import = read_markers_file(&args.input)?;
    write_markers_file(&args.output, &import.capture, import.up)?;
    if !quiet {
        import.notes.iter().for_each(|note| tell!("note: {note}"));
        tell!("wrote {}", args.output.display());
    }
    Ok(true)
}
