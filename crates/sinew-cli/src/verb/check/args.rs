//! The command line of `sinew check`.

use crate::write::WriteArgs;
use clap::ValueHint;
use std::path::PathBuf;

/// Find what is wrong with skins: weights, binds, seams, joints and clips; and fix what can be fixed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 nothing worse than notes, 1 something is wrong (with --fix: something is left), 2 wrong
command line, 3 a file cannot be read.

Examples:
  sinew check fox.glb knight.glb --target three
  sinew check knight.glb --fix -o fixed.glb      says how far each fix moves vertices
  sinew check knight.glb --html report           a page with a picture of each finding
  sinew check *.glb --sarif > skins.sarif        for code-review tools")]
pub(crate) struct CheckArgs {
    /// Files to check, or built-in characters.
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) files: Vec<String>,

    /// The engine that the characters are for: bevy, three, godot, unity, or custom:INFLUENCES,JOINTS.
    #[arg(long, value_name = "TARGET")]
    pub(super) target: Option<sinew_author::check::CheckTarget>,

    /// Fix what can be fixed, and write the result to OUT.
    #[arg(long, requires = "output")]
    pub(super) fix: bool,

    /// The fixed file: .glb or .gltf.
    #[arg(short, long, value_name = "OUT", requires = "fix", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,

    /// Print everything as JSON, for programs.
    #[arg(long, conflicts_with = "sarif")]
    pub(super) json: bool,

    /// Print a SARIF log, for code-review tools.
    #[arg(long)]
    pub(super) sarif: bool,

    /// Write a page with a picture of each finding to this folder.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(super) html: Option<PathBuf>,

    #[command(flatten)]
    pub(super) write: WriteArgs,
}
