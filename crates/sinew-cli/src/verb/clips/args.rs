//! The command line of `sinew clips`.

use super::{
    compress::CompressArgs,
    exchange::{ExportArgs, ImportArgs},
    size::ReportArgs,
};
use crate::{input, pose::PoseArgs, write::WriteArgs};
use clap::{Subcommand, ValueHint};
use std::path::PathBuf;

/// Make clips from nothing, key them, change their timing, exchange them as text, and see how small they become.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
#[command(after_help = "\
A clip is given by name or by number from 0. Times are in seconds from its start.

Examples:
  sinew clips list fox.glb
  sinew clips report fox.glb --max-error 0.1mm
  sinew clips compress fox.glb -o fox.sinew --max-error 0.1mm
  sinew clips new knight.glb --name wave --seconds 2 -o waving.glb
  sinew clips key waving.glb --clip wave --at 0.5 --pose forearm.L:rz=-90 -o waving.glb
  sinew clips key waving.glb --clip wave --at 1 --pose forearm.L:rz=-20 -o waving.glb
  sinew clips duration waving.glb --clip wave --seconds 3 -o waving.glb
  sinew clips trim fox.glb --clip Run --from 0.2 --to 0.9 -o short.glb
  sinew clips export fox.glb --clip Run --degrees -o run.clips
  sinew clips import fox.glb run.clips --replace -o edited.glb")]
pub(crate) struct ClipsArgs {
    #[command(subcommand)]
    pub(super) job: ClipsJob,

    /// Print what was done as JSON.
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum ClipsJob {
    List(ListArgs),
    Report(ReportArgs),
    Compress(CompressArgs),
    New(NewArgs),
    Key(KeyArgs),
    Unkey(UnkeyArgs),
    Trim(TrimArgs),
    Duration(DurationArgs),
    Retime(RetimeArgs),
    Shift(ShiftArgs),
    Rename(RenameArgs),
    Remove(RemoveArgs),
    Export(ExportArgs),
    Import(ImportArgs),
}

/// The input and output files.
#[derive(Debug, clap::Args)]
pub(super) struct ClipsFileArgs {
    #[arg(value_hint = ValueHint::FilePath, help = input::file_help())]
    pub(super) file: String,

    /// The file to write: .glb or .gltf.
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(super) output: PathBuf,

    #[command(flatten)]
    pub(super) write: WriteArgs,
}

/// The clip to edit.
#[derive(Debug, clap::Args)]
pub(super) struct EditedClipArgs {
    /// The clip to edit, by name or by number from 0.
    #[arg(long, value_name = "NAME|INDEX")]
    pub(super) clip: String,
}

/// List the clips of a file with their lengths and keys.
#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    #[arg(value_hint = ValueHint::FilePath, help = input::file_help())]
    pub(super) file: String,
}

/// Add a clip without keys.
#[derive(Debug, clap::Args)]
pub(super) struct NewArgs {
    #[command(flatten)]
    pub(super) file: ClipsFileArgs,

    /// The name of the clip.
    #[arg(long)]
    pub(super) name: String,

    /// How long the clip lasts; keys beyond its end make it longer.
    #[arg(long, default_value_t = 1.0)]
    pub(super) seconds: f32,
}

/// Key a pose into a clip: the joints that --pose names, or all of them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The angles, offsets and factors of --pose are measured from the rest pose, so that the same text
always gives the same key; with --on-top they are added to the clip's own pose at that time.

Examples:
  sinew clips key in.glb --clip wave --at 0.5 --pose elbow:rz=-90 -o out.glb
  sinew clips key in.glb --clip wave --at 0 --all -o out.glb            hold the pose at 0 s
  sinew clips key in.glb --clip walk --at 0.3 --on-top --pose head:ry=20 -o out.glb")]
pub(super) struct KeyArgs {
    #[command(flatten)]
    pub(super) file: ClipsFileArgs,

    #[command(flatten)]
    pub(super) clip: EditedClipArgs,

    /// The time of the key, in seconds; beyond the end it makes the clip longer.
    #[arg(long, value_name = "SECONDS")]
    pub(super) at: f32,

    #[command(flatten)]
    pub(super) pose: PoseArgs,

    /// Add the pose to the clip's own pose at that time, not to the rest pose.
    #[arg(long)]
    pub(super) on_top: bool,

    /// Key every joint: those that --pose does not name keep the clip's own pose at that time.
    #[arg(long)]
    pub(super) all: bool,
}

/// Remove the keys of a clip at a time.
#[derive(Debug, clap::Args)]
pub(super) struct UnkeyArgs {
    #[command(flatten)]
    pub(super) file: ClipsFileArgs,

    #[command(flatten)]
    pub(super) clip: EditedClipArgs,

    /// The time of the keys, in seconds.
    #[arg(long, value_name = "SECONDS")]
    pub(super) at: f32,

    /// Remove the keys of this joint only; may be given several times.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) joint: Vec<String>,
}

/// Keep a part of a clip.
#[derive(Debug, clap::Args)]
pub(super) struct TrimArgs {
    #[command(flatten)]
    pub(super) file: ClipsFileArgs,

    #[command(flatten)]
    pub(super) clip: EditedClipArgs,

    /// The start of the part, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    pub(super) from: f32,

    /// The end of the part, in seconds; without it the end of the clip.
    #[arg(long, value_name = "SECONDS")]
    pub(super) to: Option<f32>,
}

/// Set how long a clip lasts; keys stay where they are and the last ones hold.
#[derive(Debug, clap::Args)]
pub(super) struct DurationArgs {
    #[command(flatten)]
    pub(super) file: ClipsFileArgs,

    #[command(flatten)]
    pub(super) clip: EditedClipArgs,

    /// The new length in seconds, at least the time of the last key.
    #[arg(long)]
    pub(super) seconds: f32,
}

/// Play a clip faster or slower, so that it lasts a given time.
#[derive(Debug, clap::Args)]
pub(super) struct RetimeArgs {
    #[command(flatten)]
    pub(super) file: ClipsFileArgs,

    #[command(flatten)]
    pub(super) clip: EditedClipArgs,

    /// The new length in seconds.
    #[arg(long)]
    pub(super) seconds: f32,
}

/// Move every key and event of a clip in time.
#[derive(Debug, clap::Args)]
pub(super) struct ShiftArgs {
    #[command(flatten)]
    pub(super) file: ClipsFileArgs,

    #[command(flatten)]
    pub(super) clip: EditedClipArgs,

    /// By how many seconds; negative values move keys earlier.
    #[arg(long, value_name = "SECONDS")]
    pub(super) by: f32,
}

/// Give a clip another name.
#[derive(Debug, clap::Args)]
pub(super) struct RenameArgs {
    #[command(flatten)]
    pub(super) file: ClipsFileArgs,

    #[command(flatten)]
    pub(super) clip: EditedClipArgs,

    /// The new name, which no other clip has.
    #[arg(long)]
    pub(super) name: String,
}

/// Remove a clip and its application data.
#[derive(Debug, clap::Args)]
pub(super) struct RemoveArgs {
    #[command(flatten)]
    pub(super) file: ClipsFileArgs,

    #[command(flatten)]
    pub(super) clip: EditedClipArgs,
}
