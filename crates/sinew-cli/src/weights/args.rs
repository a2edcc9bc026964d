//! The command line of `sinew weights`, as it is typed.

use clap::{Subcommand, ValueEnum, ValueHint};
use sinew_author::weights::{
    auto::AutoMethod,
    ops::{MirrorAxis, MirrorSide, Unorm},
};
use std::path::PathBuf;

/// Make, change, compare and exchange the weights of skins; each change is measured in millimetres.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
#[command(after_help = "\
Every change says how far it moves vertices, at most and as root mean square: over the file's
clips, and over a range of motion that turns each joint by 45 degrees about each of its axes.
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
    #[command(subcommand)]
    pub(super) job: WeightsJob,
}

#[derive(Debug, Subcommand)]
pub(super) enum WeightsJob {
    Auto(AutoArgs),
    Smooth(SmoothArgs),
    Sharpen(SharpenArgs),
    Limit(LimitArgs),
    Prune(PruneArgs),
    #[command(alias = "normalize")]
    Normalise(NormaliseArgs),
    Mirror(MirrorArgs),
    Transfer(TransferArgs),
    #[command(alias = "quantize")]
    Quantise(QuantiseArgs),
    Diff(DiffArgs),
    Export(ExportArgs),
    Import(ImportArgs),
}

impl WeightsJob {
    /// What becomes of a changed character; none where no character is changed.
    pub(super) fn result(&self) -> Option<&ResultArgs> {
        match self {
            Self::Auto(args) => Some(&args.file.result),
            Self::Smooth(args) => Some(&args.file.result),
            Self::Sharpen(args) => Some(&args.file.result),
            Self::Limit(args) => Some(&args.file.result),
            Self::Prune(args) => Some(&args.file.result),
            Self::Normalise(args) => Some(&args.file.result),
            Self::Mirror(args) => Some(&args.file.result),
            Self::Transfer(args) => Some(&args.result),
            Self::Quantise(args) => Some(&args.file.result),
            Self::Import(args) => Some(&args.file.result),
            Self::Diff(_) | Self::Export(_) => None,
        }
    }
}

/// What is read, and what becomes of the result.
#[derive(Debug, clap::Args)]
pub(super) struct WeightsFileArgs {
    /// A file with a skinned mesh, or a built-in character such as builtin:figure.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) file: String,

    #[command(flatten)]
    pub(super) result: ResultArgs,
}

/// What becomes of the result.
#[derive(Debug, clap::Args)]
pub(super) struct ResultArgs {
    /// The file to write: .glb or .gltf. Without it the change is only measured.
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,

    /// Change this mesh only, by name or by number from 0; without it every skinned mesh.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) mesh: Option<String>,

    /// Print what was done as JSON, for programs.
    #[arg(long)]
    pub(super) json: bool,
}

/// What may be changed.
#[derive(Debug, clap::Args)]
pub(super) struct TouchArgs {
    /// Change only vertices that this joint moves; may be given several times.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) only_joint: Vec<String>,

    /// Keep the weights of this joint to the bit; may be given several times.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) lock: Vec<String>,
}

/// Find weights from nothing but the mesh and its bones.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Any mesh will do: open, in parts, with flat or doubled triangles, with bones outside. The weights
that the mesh has are not looked at; what changes against them is measured.")]
pub(super) struct AutoArgs {
    #[command(flatten)]
    pub(super) file: WeightsFileArgs,

    /// How weights are found: heat, voxel or biharmonic.
    #[arg(long, default_value_t = AutoMethod::default(), value_name = "METHOD", value_parser = auto_method_parser())]
    pub(super) method: AutoMethod,

    /// The most influences of a vertex.
    #[arg(long, default_value_t = 4, value_name = "COUNT", value_parser = count)]
    pub(super) influences: usize,

    /// The power that weights are raised to: above 1 joints blend over a shorter stretch.
    #[arg(long, default_value_t = 1.5, value_name = "POWER", value_parser = number)]
    pub(super) sharpness: f32,

    /// How often weights are averaged with those of neighbours.
    #[arg(long, default_value_t = 1, value_name = "TIMES")]
    pub(super) smooth: u32,

    /// Cells along the diagonal of the mesh's box, for voxel and biharmonic.
    #[arg(long, default_value_t = 120, value_name = "CELLS")]
    pub(super) resolution: u32,
}

/// Even weights out along the skin.
#[derive(Debug, clap::Args)]
pub(super) struct SmoothArgs {
    #[command(flatten)]
    pub(super) file: WeightsFileArgs,
    #[command(flatten)]
    pub(super) touch: TouchArgs,

    /// How often.
    #[arg(long, default_value_t = 4, value_name = "TIMES")]
    pub(super) iterations: u32,

    /// How far each time towards the mean of the neighbours, 0 to 1.
    #[arg(long, default_value_t = 0.5, value_name = "PART", value_parser = number)]
    pub(super) step: f32,

    /// The most influences of a vertex; without it 4, or as many as the mesh has where it has more.
    #[arg(long, value_name = "COUNT", value_parser = count)]
    pub(super) influences: Option<usize>,
}

/// Let joints blend over a shorter stretch, or over a longer one.
#[derive(Debug, clap::Args)]
pub(super) struct SharpenArgs {
    #[command(flatten)]
    pub(super) file: WeightsFileArgs,
    #[command(flatten)]
    pub(super) touch: TouchArgs,

    /// The power that weights are raised to: above 1 sharpens, below 1 blurs.
    #[arg(long, default_value_t = 1.5, value_parser = number)]
    pub(super) power: f32,
}

/// Leave every vertex at most N influences.
#[derive(Debug, clap::Args)]
pub(super) struct LimitArgs {
    /// The most influences of a vertex.
    #[arg(value_name = "N", value_parser = count)]
    pub(super) most: usize,

    #[command(flatten)]
    pub(super) file: WeightsFileArgs,
    #[command(flatten)]
    pub(super) touch: TouchArgs,

    /// Fit the weights that stay, so that vertices move least; without it the largest are scaled up.
    #[arg(long)]
    pub(super) refit: bool,
}

/// Take away weak influences.
#[derive(Debug, clap::Args)]
pub(super) struct PruneArgs {
    #[command(flatten)]
    pub(super) file: WeightsFileArgs,
    #[command(flatten)]
    pub(super) touch: TouchArgs,

    /// Influences below this weight go, 0 to 1; the strongest of a vertex stays.
    #[arg(long, value_name = "WEIGHT", value_parser = number)]
    pub(super) below: f32,
}

/// Make all sums exactly one, and the two sides of every seam alike.
#[derive(Debug, clap::Args)]
pub(super) struct NormaliseArgs {
    #[command(flatten)]
    pub(super) file: WeightsFileArgs,
    #[command(flatten)]
    pub(super) touch: TouchArgs,
}

/// Give one side of the body the weights of the other.
#[derive(Debug, clap::Args)]
#[command(after_help = "Joints are paired by name (hand.L and hand.R), points by place.")]
pub(super) struct MirrorArgs {
    #[command(flatten)]
    pub(super) file: WeightsFileArgs,
    #[command(flatten)]
    pub(super) touch: TouchArgs,

    /// The axis across the plane of symmetry.
    #[arg(long, value_enum, default_value_t = AxisArg::X)]
    pub(super) axis: AxisArg,

    /// The side that is copied: that of larger or of smaller coordinates.
    #[arg(long, value_enum, default_value_t = SideArg::Positive)]
    pub(super) from: SideArg,

    /// Where the plane is on the axis, in metres.
    #[arg(long, default_value_t = 0.0, value_name = "METRES", value_parser = number, allow_negative_numbers = true)]
    pub(super) middle: f32,

    /// How far a point may be from the mirrored place of its partner, in metres.
    #[arg(long, default_value_t = 1e-3, value_name = "METRES", value_parser = number)]
    pub(super) tolerance: f32,
}

/// Give a mesh the weights of another that it lies on: clothes those of the body.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Both meshes must lie in the same space. Joints are paired by name; one that ONTO does not have gives
its weight to its nearest ancestor there. Where nothing of ONTO is skinned, it gets skeleton, skin
and clips of FROM.")]
pub(super) struct TransferArgs {
    /// Where weights come from: a file, or a built-in character.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) from: String,

    /// What gets them.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) onto: String,

    #[command(flatten)]
    pub(super) result: ResultArgs,
    #[command(flatten)]
    pub(super) touch: TouchArgs,

    /// The mesh of FROM, by name or by number from 0; without it the skinned one with the most vertices.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) from_mesh: Option<String>,

    /// How far the nearest place may be, in metres; what is further is filled in.
    #[arg(long, default_value_t = 0.05, value_name = "METRES", value_parser = number)]
    pub(super) distance: f32,

    /// How far the two surfaces may face apart, in degrees.
    #[arg(long, default_value_t = 60.0, value_name = "DEGREES", value_parser = number)]
    pub(super) angle: f32,

    /// The most influences of a vertex; without it 4, or as many as FROM has where it has more.
    #[arg(long, value_name = "COUNT", value_parser = count)]
    pub(super) influences: Option<usize>,
}

/// Round weights to the steps that 8 or 16 bits have, with sums of exactly one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The file that is written holds the rounded weights as bytes or pairs of bytes.")]
pub(super) struct QuantiseArgs {
    #[command(flatten)]
    pub(super) file: WeightsFileArgs,
    #[command(flatten)]
    pub(super) touch: TouchArgs,

    /// How many bits a weight has.
    #[arg(long, value_enum)]
    pub(super) bits: BitsArg,
}

/// Compare the weights of two files, mesh by mesh.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The sum of differences of a vertex (L1) is 0 for equal weights and 2 where no joint is common.")]
pub(super) struct DiffArgs {
    /// The weights before: a file, or a built-in character.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) a: String,

    /// The weights after, of the same meshes.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) b: String,

    /// Compare this mesh only, by name or by number from 0.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) mesh: Option<String>,

    /// Draw where the weights differ.
    #[arg(long, value_name = "PNG", value_hint = ValueHint::FilePath)]
    pub(super) heat: Option<PathBuf>,

    /// Print all figures as JSON, for programs.
    #[arg(long)]
    pub(super) json: bool,
}

/// Write weights as text that version control can compare.
#[derive(Debug, clap::Args)]
#[command(after_help = "One text holds one mesh: where there are several, choose with --mesh.")]
pub(super) struct ExportArgs {
    /// A file with a skinned mesh, or a built-in character.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) file: String,

    /// The text to write; without it the text is printed.
    #[arg(short, long, value_name = "TEXT", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,

    /// The mesh, by name or by number from 0.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) mesh: Option<String>,
}

/// Read weights from text and give them to a mesh.
#[derive(Debug, clap::Args)]
#[command(after_help = "One text holds one mesh: where there are several, choose with --mesh.")]
pub(super) struct ImportArgs {
    #[command(flatten)]
    pub(super) file: WeightsFileArgs,

    /// What `sinew weights export` wrote, edited or not.
    #[arg(value_name = "TEXT", value_hint = ValueHint::FilePath)]
    pub(super) text: PathBuf,
}

/// An axis of mesh space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum AxisArg {
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
pub(super) enum SideArg {
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

/// How a weight is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum BitsArg {
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

fn auto_method_parser() -> impl clap::builder::TypedValueParser<Value = AutoMethod> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(AutoMethod::ALL.map(AutoMethod::name))
        .map(|name| name.parse().unwrap_or_else(|_| unreachable!("the parser lists every method's own name")))
}

fn number(text: &str) -> Result<f32, String> {
    let number: f32 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if number.is_finite() { Ok(number) } else { Err(format!("{text} is not finite")) }
}

fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..) => Ok(count),
        _ => Err(format!("{text:?} is not a number from 1 on")),
    }
}
