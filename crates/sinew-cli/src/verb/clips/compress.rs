//! `sinew clips compress`: a file whose clips are compressed.

use crate::{
    compression::{self, ClipRecord, CompressionArgs},
    failure::Failure,
    input, output,
    verb::cook::cooked,
    write::WriteArgs,
};
use clap::ValueHint;
use std::path::PathBuf;

/// Compress the clips of a file with a bound on the error, into a .sinew file.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The error is the largest distance in model space of points on a shell around every joint, at frames,
half frames and keys. Raw bytes are plain frames: 40 bytes for each joint and frame. A clip that would
grow keeps its keys.

`sinew bake OUT.sinew --clip 0 --joints` writes the joints as they are played, so that the error can be
measured from outside.

Examples:
  sinew clips compress knight.glb -o knight.sinew --max-error 0.3mm
  sinew clips compress capture.bvh -o capture.sinew --unit 0.05644 --json")]
pub(super) struct CompressArgs {
    #[arg(value_hint = ValueHint::FilePath, help = input::file_help())]
    file: String,

    /// The file to write: .sinew.
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    output: PathBuf,

    #[command(flatten)]
    compression: CompressionArgs,

    #[command(flatten)]
    write: WriteArgs,
}

pub(super) fn run(args: &CompressArgs, as_json: bool, quiet: bool) -> Result<(), Failure> {
    output::require_cooked(&args.output)?;
    let (import, options) = args.compression.open(&args.file)?;
    let (character, reports) = cooked(&import.character, &args.file, &options, quiet)?;
    args.write.write(&args.output, &character, quiet)?;
    let clips: Vec<ClipRecord> = reports.iter().map(ClipRecord::from).collect();
    if as_json {
        let text = serde_json::to_string_pretty(&clips).map_err(|e| Failure::Print(e.into()))?;
        return output::print_json(text + "\n");
    }
    output::print_text(compression::table(&clips))?;
    if !quiet {
        output::tell_written(&args.output);
    }
    Ok(())
}
