//! `sinew inspect`: what is in a file.

mod markers;
mod summary;
mod table;
mod text;

use crate::{failure::Failure, input, json, output::print};
use clap::ValueHint;
use sinew_formats::markers::MarkerFormat;
use summary::Summary;

/// Show what is in a file: skeleton, meshes, skins, influences, clips, and what had to be repaired; or markers and their gaps.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew inspect fox.glb
  sinew inspect fox.glb --bounds
  sinew inspect walk.c3d
  sinew inspect builtin:figure --json | jq .clips")]
pub(crate) struct InspectArgs {
    #[arg(value_hint = ValueHint::FilePath, help = input::file_help())]
    file: String,

    /// The frames per second at which the curves of an FBX file are sampled; without it at its own frames and keys, and
    /// between them where the motion bends.
    #[arg(long, value_name = "N", value_parser = input::parse_fps)]
    fps: Option<f64>,

    /// Compute a box that contains the whole of each clip, and how tight it is.
    #[arg(long)]
    bounds: bool,

    /// Print everything as JSON, for programs.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &InspectArgs) -> Result<(), Failure> {
    if MarkerFormat::of_path(&args.file).is_some() {
        return markers::run(&args.file, args.json);
    }
    let import = input::open_at(&args.file, args.fps)?;
    let mut summary = Summary::of(&args.file, &import);
    if args.bounds {
        summary.add_clip_bounds(&import.character)?;
    }
    if args.json {
        return json::print(&summary);
    }
    print(text::page(&summary))
}
