//! The command line of the edits.

use crate::verb::weights::args::{TouchArgs, WeightsFileArgs, count, number};
use clap::{ValueEnum, ValueHint};
use sinew_author::weights::ops::{MirrorAxis, MirrorSide, Unorm};
use std::path::PathBuf;

/// Smooth weights along the surface.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::verb::weights) struct SmoothArgs {
    #[command(flatten)]
    pub(in crate::verb::weights) file: WeightsFileArgs,
    #[command(flatten)]
    pub(in crate::verb::weights) touch: TouchArgs,

    /// The number of smoothing passes.
    #[arg(long, default_value_t = 4, value_name = "TIMES")]
    pub(in crate::verb::weights) iterations: u32,

    /// How far each pass moves weights towards the mean of the neighbors, 0 to 1.
    #[arg(long, default_value_t = 0.5, value_name = "FRACTION", value_parser = number)]
    pub(in crate::verb::weights) step: f32,

    /// The maximum number of influences per vertex; without it 4, or as many as the mesh has if more.
    #[arg(long, value_name = "COUNT", value_parser = count)]
    pub(in crate::verb::weights) influences: Option<usize>,
}

/// Make joints blend over a shorter distance, or over a longer one.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::verb::weights) struct SharpenArgs {
    #[command(flatten)]
    pub(in crate::verb::weights) file: WeightsFileArgs,
    #[command(flatten)]
    pub(in crate::verb::weights) touch: TouchArgs,

    /// The power that weights are raised to: above 1 sharpens, below 1 blurs.
    #[arg(long, default_value_t = 1.5, value_parser = number)]
    pub(in crate::verb::weights) power: f32,
}

/// Limit every vertex to at most N influences.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::verb::weights) struct LimitArgs {
    /// The maximum number of influences per vertex.
    #[arg(value_name = "N", value_parser = count)]
    pub(in crate::verb::weights) max: usize,

    #[command(flatten)]
    pub(in crate::verb::weights) file: WeightsFileArgs,
    #[command(flatten)]
    pub(in crate::verb::weights) touch: TouchArgs,

    /// Refit the remaining weights so that vertices move least; without it the largest are scaled up.
    #[arg(long)]
    pub(in crate::verb::weights) refit: bool,
}

/// Remove influences below a weight.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::verb::weights) struct PruneArgs {
    #[command(flatten)]
    pub(in crate::verb::weights) file: WeightsFileArgs,
    #[command(flatten)]
    pub(in crate::verb::weights) touch: TouchArgs,

    /// Remove influences below this weight, 0 to 1; the strongest of a vertex stays.
    #[arg(long, value_name = "WEIGHT", value_parser = number)]
    pub(in crate::verb::weights) below: f32,
}

/// Make the weights of every vertex sum to exactly one, and both sides of every seam equal.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::verb::weights) struct NormalizeArgs {
    #[command(flatten)]
    pub(in crate::verb::weights) file: WeightsFileArgs,
    #[command(flatten)]
    pub(in crate::verb::weights) touch: TouchArgs,
}

/// Copy the weights of one side of the body to the other.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Weights are taken from the nearest place of the mirrored surface, so that both sides need not have the
same vertices. Joints are paired by name (hand.L and hand.R), others by place. A joint with weight on
the copied side must have a partner.

Examples:
  sinew weights mirror knight.glb --show-map > joints.txt    prints the pairs, to look at and to edit
  sinew weights mirror knight.glb --map joints.txt -o symmetric.glb")]
pub(in crate::verb::weights) struct MirrorArgs {
    #[command(flatten)]
    pub(in crate::verb::weights) file: WeightsFileArgs,
    #[command(flatten)]
    pub(in crate::verb::weights) touch: TouchArgs,

    /// The axis that is normal to the plane of symmetry.
    #[arg(long, value_enum, default_value_t = AxisArg::X)]
    pub(in crate::verb::weights) axis: AxisArg,

    /// The side that is copied: the one with larger or with smaller coordinates.
    #[arg(long, value_enum, default_value_t = SideArg::Positive)]
    pub(in crate::verb::weights) from: SideArg,

    /// The coordinate of the plane on the axis, in meters.
    #[arg(long, default_value_t = 0.0, value_name = "METERS", value_parser = number)]
    pub(in crate::verb::weights) middle: f32,

    /// How far a vertex may be from the mirrored surface, in units of the mesh; without it 2 % of the mesh's diagonal.
    #[arg(long, value_name = "UNITS", value_parser = number)]
    pub(in crate::verb::weights) tolerance: Option<f32>,

    /// A file with pairs of joints, as --show-map prints them; joints that it leaves out are paired by name and place.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(in crate::verb::weights) map: Option<PathBuf>,

    /// Print the pairs of joints and do nothing.
    #[arg(long)]
    pub(in crate::verb::weights) show_map: bool,
}

/// Round weights to 8 or 16 bits, with sums of exactly one.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
The written file stores the rounded weights as normalized 8-bit or 16-bit integers.")]
pub(in crate::verb::weights) struct QuantizeArgs {
    #[command(flatten)]
    pub(in crate::verb::weights) file: WeightsFileArgs,
    #[command(flatten)]
    pub(in crate::verb::weights) touch: TouchArgs,

    /// The number of bits per weight.
    #[arg(long, value_enum)]
    pub(in crate::verb::weights) bits: BitsArg,
}

/// An axis of mesh space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::verb::weights) enum AxisArg {
    X,
    Y,
    Z,
}

impl From<AxisArg> for MirrorAxis {
    fn from(arg: AxisArg) -> Self {
        match arg {
            AxisArg::X => Self::X,
            AxisArg::Y => Self::Y,
            AxisArg::Z => Self::Z,
        }
    }
}

/// A side of the plane of symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::verb::weights) enum SideArg {
    Positive,
    Negative,
}

impl From<SideArg> for MirrorSide {
    fn from(arg: SideArg) -> Self {
        match arg {
            SideArg::Positive => Self::Positive,
            SideArg::Negative => Self::Negative,
        }
    }
}

/// The number of bits that store a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::verb::weights) enum BitsArg {
    #[value(name = "8")]
    Eight,
    #[value(name = "16")]
    Sixteen,
}

impl From<BitsArg> for Unorm {
    fn from(arg: BitsArg) -> Self {
        match arg {
            BitsArg::Eight => Self::Eight,
            BitsArg::Sixteen => Self::Sixteen,
        }
    }
}
