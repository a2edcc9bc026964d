//! The command line of `sinew compare`.

use crate::{
    clip::ClipArgs,
    input,
    method::{NormalArgs, method_parser},
};
use clap::ValueHint;
use sinew::Method;
use std::path::PathBuf;

/// Deform by every method side by side, measure what each does to the skin, and show where.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without --clip the first clip is played; a file without clips is measured in its rest pose. builtin:tube
is bent and twisted to the angles of the quality table.

Examples:
  sinew compare builtin:tube                     volume, radius and pictures of every method
  sinew compare fox.glb --clip Run -o fox_run    a page with tables, plots and difference maps
  sinew compare builtin:figure --clip range_of_motion --methods linear,dual-quat,cor --json")]
pub(crate) struct CompareArgs {
    #[arg(value_hint = ValueHint::FilePath, help = input::file_help())]
    pub(super) file: String,

    #[command(flatten)]
    pub(super) clip: ClipArgs,

    /// The methods to compare, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "METHODS", value_parser = method_parser(),
          default_values_t = Method::ALL)]
    pub(super) methods: Vec<Method>,

    #[command(flatten)]
    pub(super) normals: NormalArgs,

    /// Measured frames per second.
    #[arg(long, default_value_t = 10.0)]
    pub(super) fps: f32,

    /// The folder for the page; without it `compare`, or no page if --json is given.
    #[arg(short, long, value_hint = ValueHint::DirPath)]
    pub(super) output: Option<PathBuf>,

    /// Print everything as JSON, for programs.
    #[arg(long)]
    pub(super) json: bool,
}
