//! The command line of `sinew check`.

use crate::{batch::BatchArgs, write::WriteArgs};
use clap::{ValueEnum, ValueHint};
use sinew::finding::Severity;
use sinew_author::check::CheckOptions;
use std::path::PathBuf;

/// Find what is wrong with skins: weights, binds, seams, joints and clips; and fix what can be fixed.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 nothing as bad as --fail-on, 1 something is wrong (with --fix: something is left), 2
wrong command line, 3 a file cannot be read.

Examples:
  sinew check fox.glb knight.glb --target three
  sinew check knight.glb --fix -o fixed.glb      says how far each fix moves vertices
  sinew check knight.glb --warn-from 1           warn from an effect of 1 % of the height on
  sinew check knight.glb --html report           a page with a picture of each finding
  sinew check characters/ --fix --out-dir fixed --fail-on error
  sinew check *.glb --sarif > skins.sarif        for code-review tools")]
pub(crate) struct CheckArgs {
    /// Files to check, folders of files, or built-in characters.
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) files: Vec<String>,

    /// The mildest severity that makes the exit code 1: error, warning or note.
    #[arg(long, value_name = "SEVERITY", value_enum, default_value_t = FailOn::Warning)]
    pub(super) fail_on: FailOn,

    /// The effect from which a warning stays a warning, in percent of the character's height; below it, it is a note.
    #[arg(long, value_name = "PERCENT", default_value_t = CheckOptions::default().warning_percent, value_parser = percent)]
    pub(super) warn_from: f64,

    #[command(flatten)]
    pub(super) batch: BatchArgs,

    /// The engine that the characters are for: bevy, three, godot, unity, unreal, or custom:INFLUENCES,JOINTS.
    #[arg(long, value_name = "TARGET")]
    pub(super) target: Option<sinew_author::check::CheckTarget>,

    /// Fix what can be fixed, and write the result to OUT or to --out-dir.
    #[arg(long)]
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

/// Parses a percentage of at least 0.
fn percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(percent) if f64::is_finite(percent) && percent >= 0.0 => Ok(percent),
        _ => Err(format!("must be a number of at least 0, got {text}")),
    }
}

/// The mildest severity that counts as a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    /// The character cannot look right, or the file breaks a rule of its format.
    Error,
    /// The character looks wrong somewhere, or in some programs.
    Warning,
    /// Everything that is worth knowing.
    Note,
}

impl FailOn {
    pub(super) fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Note => Severity::Note,
        }
    }
}
