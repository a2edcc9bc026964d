//! The command line of `sinew weights`, and what its jobs share.

use super::{auto, diff, edit, exchange, transfer};
use crate::{batch::BatchArgs, simd::SimdArgs, write::WriteArgs};
use clap::{Subcommand, ValueHint};
use std::path::PathBuf;

/// Compute, edit, compare and exchange skin weights; every edit is measured in millimeters.
#[derive(Clone, Debug, clap::Args)]
#[command(arg_required_else_help = true)]
#[command(after_help = "\
Every edit reports how far it moves vertices, as maximum and root mean square: over the file's
clips, and over a range of motion that rotates each joint by 45 degrees about each of its axes.
Without -o nothing is written, only measured.

Examples:
  sinew weights auto knight.glb --method biharmonic -o weighted.glb
  sinew weights limit 4 --refit knight.glb -o four.glb
  sinew weights smooth knight.glb --only-joint hip.L --lock spine -o smooth.glb
  sinew weights transfer body.glb shirt.glb -o shirt_weighted.glb
  sinew weights diff before.glb after.glb --heat where.png
  sinew weights export knight.glb -o knight.weights
  sinew weights import knight.glb knight.weights -o knight_again.glb")]
pub(crate) struct WeightsArgs {
    #[command(flatten)]
    pub(super) simd: SimdArgs,

    #[command(subcommand)]
    pub(super) job: WeightsJob,
}

#[derive(Clone, Debug, Subcommand)]
pub(super) enum WeightsJob {
    Auto(auto::AutoArgs),
    Smooth(edit::SmoothArgs),
    Sharpen(edit::SharpenArgs),
    Limit(edit::LimitArgs),
    Prune(edit::PruneArgs),
    #[command(alias = "normalise")]
    Normalize(edit::NormalizeArgs),
    Mirror(edit::MirrorArgs),
    Transfer(transfer::TransferArgs),
    #[command(alias = "quantise")]
    Quantize(edit::QuantizeArgs),
    Diff(diff::DiffArgs),
    Export(exchange::ExportArgs),
    Import(exchange::ImportArgs),
}

impl WeightsJob {
    /// The files to edit; `None` for jobs that read several files at once or edit nothing.
    pub(super) fn edited_mut(&mut self) -> Option<&mut WeightsFileArgs> {
        match self {
            Self::Auto(args) => Some(&mut args.file),
            Self::Smooth(args) => Some(&mut args.file),
            Self::Sharpen(args) => Some(&mut args.file),
            Self::Limit(args) => Some(&mut args.file),
            Self::Prune(args) => Some(&mut args.file),
            Self::Normalize(args) => Some(&mut args.file),
            Self::Mirror(args) => Some(&mut args.file),
            Self::Quantize(args) => Some(&mut args.file),
            Self::Import(args) => Some(&mut args.file),
            Self::Transfer(_) | Self::Diff(_) | Self::Export(_) => None,
        }
    }
}

/// The input file and where the result goes.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct WeightsFileArgs {
    /// Files with skinned meshes, folders of them, or built-in characters such as builtin:figure.
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) files: Vec<String>,

    #[command(flatten)]
    pub(super) batch: BatchArgs,

    /// The file that is edited.
    #[arg(skip)]
    pub(super) file: String,

    #[command(flatten)]
    pub(super) result: ResultArgs,
}

/// Where the result goes and how it is reported.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ResultArgs {
    /// The file to write: .glb or .gltf. Without it the edit is only measured.
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,

    /// Edit this mesh only, by name or by number from 0; without it every skinned mesh.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) mesh: Option<String>,

    /// Print the result as JSON, for programs.
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) write: WriteArgs,
}

/// The vertices and joints that may be edited.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct TouchArgs {
    /// Edit only vertices that this joint influences; may be given several times.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) only_joint: Vec<String>,

    /// Keep the weights of this joint to the bit; may be given several times.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) lock: Vec<String>,
}

/// Parses a finite number.
pub(super) fn number(text: &str) -> Result<f32, String> {
    let number: f32 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if number.is_finite() { Ok(number) } else { Err(format!("must be finite, got {text}")) }
}

pub(super) use crate::input::parse_count as count;
