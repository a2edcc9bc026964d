//! `sinew clips compress`: a file whose clips are compressed.

use crate::{
    compression::{self, ClipRecord, CookedFiles},
    failure::Failure,
    output,
    verb::cook::cooked,
    write::WriteArgs,
};

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
    #[command(flatten)]
    files: CookedFiles,

    #[command(flatten)]
    write: WriteArgs,
}

pub(super) fn run(args: &CompressArgs, as_json: bool, quiet: bool) -> Result<(), Failure> {
    let CookedFiles { file, output: to, .. } = &args.files;
    let (import, options) = args.files.open()?;
    let (character, reports) = cooked(&import.character, file, &options, quiet)?;
    args.write.write(to, &character, quiet)?;
    let clips: Vec<ClipRecord> = reports.iter().map(ClipRecord::from).collect();
    if as_json {
        let text = serde_json::to_string_pretty(&clips).map_err(|e| Failure::Print(e.into()))?;
        return output::print_json(text + "\n");
    }
    output::print_text(compression::table(&clips))?;
    if !quiet {
        output::tell_written(to);
    }
    Ok(())
}
