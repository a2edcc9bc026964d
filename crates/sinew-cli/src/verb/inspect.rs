//! `sinew inspect`: what is in a file.

mod constraints;
mod markers;
mod summary;
mod table;
mod text;

use crate::{
    batch::{BatchArgs, BatchResults},
    failure::Failure,
    input, json,
    output::{print_json, print_text},
};
use clap::ValueHint;
use sinew_formats::markers::MarkerFormat;
use std::process::ExitCode;
use summary::Summary;

/// Show what is in a file: skeleton, meshes, skins, influences, clips, and what had to be repaired; or markers and their gaps.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew inspect fox.glb
  sinew inspect fox.glb --bounds
  sinew inspect walk.c3d
  sinew inspect characters/ --json | jq -r '.[] | .file, .vertex_count'
  sinew inspect builtin:figure --json | jq .clips")]
pub(crate) struct InspectArgs {
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath, help = input::files_help())]
    files: Vec<String>,

    /// The number of files that are read at the same time; 0 for one per core.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = input::parse_whole)]
    jobs: usize,

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

pub(crate) fn run(args: &InspectArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let files = input::batch(&args.files)?;
    let batch = BatchArgs { jobs: args.jobs, is_json: args.json, ..BatchArgs::default() };
    let results = BatchResults::of(&files, &batch, quiet, |file| {
        let page = page(args, &file.name)?;
        if args.json { print_json(page).map(|()| String::new()) } else { Ok(page) }
    });
    for (number, (_, page)) in results.done.iter().enumerate().filter(|_| !args.json) {
        print_text(if number > 0 { "\n" } else { "" })?;
        print_text(page)?;
    }
    results.finish(quiet)
}

/// What is in one file, as text or as JSON.
fn page(args: &InspectArgs, file: &str) -> Result<String, Failure> {
    if MarkerFormat::of_path(file).is_some() {
        return markers::page(file, args.json);
    }
    let import = input::open_at(file, args.fps)?;
    let mut summary = Summary::of(file, &import);
    if args.bounds {
        summary.add_clip_bounds(&import.character)?;
    }
    if args.json { json::text(&summary) } else { Ok(text::page(&summary)) }
}
