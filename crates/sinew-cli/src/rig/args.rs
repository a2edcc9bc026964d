//! The command line of `sinew rig`, as it is typed.

use clap::{Subcommand, ValueHint};
use std::path::PathBuf;

/// Add joints that help a skin, and take them away: rolls against wrung limbs, muscles that swell.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
#[command(after_help = "\
Helpers travel in the file and are applied by every command that poses. Joints are named as
`sinew inspect` lists them, or numbered from 0.

Examples:
  sinew rig rolls knight.glb --from forearm.L --to hand.L -o rolled.glb
  sinew rig rolls knight.glb --from thigh.L --to shin.L --at-start -o hips.glb
  sinew rig muscle knight.glb --bone upper_arm.L --bends forearm.L --swell 1.4 -o biceps.glb
  sinew rig remove biceps.glb --helper upper_arm.L.muscle.1 -o knight.glb")]
pub(crate) struct RigArgs {
    #[command(subcommand)]
    pub(super) job: RigJob,
}

#[derive(Debug, Subcommand)]
pub(super) enum RigJob {
    Rolls(RollsArgs),
    Muscle(MuscleArgs),
    Remove(RemoveArgs),
}

/// What is read and written.
#[derive(Debug, clap::Args)]
pub(super) struct RigFileArgs {
    /// A file with a skinned mesh, or a built-in character such as builtin:figure.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) file: String,

    /// The file to write: .glb or .gltf.
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(super) output: PathBuf,
}

/// Spread the twist of a limb over roll joints along its bone.
#[derive(Debug, clap::Args)]
pub(super) struct RollsArgs {
    #[command(flatten)]
    pub(super) file: RigFileArgs,

    /// The joint at the bone's start, such as a forearm.
    #[arg(long, value_name = "JOINT")]
    pub(super) from: String,

    /// The joint at its end, such as a hand.
    #[arg(long, value_name = "JOINT")]
    pub(super) to: String,

    /// How many roll joints, 1 to 16.
    #[arg(long, default_value_t = 3)]
    pub(super) count: usize,

    /// The joint at the bone's start twists, as a shoulder or a hip does.
    #[arg(long)]
    pub(super) at_start: bool,

    /// The most influences that a vertex may have afterwards, 0 for any number.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) influences: usize,
}

/// Put a muscle on a bone that swells as a joint bends.
#[derive(Debug, clap::Args)]
#[command(allow_negative_numbers = true)]
pub(super) struct MuscleArgs {
    #[command(flatten)]
    pub(super) file: RigFileArgs,

    /// The joint whose bone it lies on, such as an upper arm.
    #[arg(long, value_name = "JOINT")]
    pub(super) bone: String,

    /// The joint whose bend swells it, such as a forearm.
    #[arg(long, value_name = "JOINT")]
    pub(super) bends: String,

    /// The middle of the muscle along the bone, 0 to 1.
    #[arg(long, default_value_t = 0.45)]
    pub(super) along: f32,

    /// On which side of the bone, in degrees about it from the front.
    #[arg(long, value_name = "DEGREES", default_value_t = 0.0)]
    pub(super) side: f32,

    /// Half its length as a part of the bone's.
    #[arg(long, default_value_t = 0.45)]
    pub(super) reach: f32,

    /// How much of its motion the skin follows, 0 to 2.
    #[arg(long, default_value_t = 1.0)]
    pub(super) strength: f32,

    /// How many times as thick it is when fully bent.
    #[arg(long, default_value_t = 1.35)]
    pub(super) swell: f32,

    /// How far it slides towards the bone's start when fully bent, as a part of the bone's length.
    #[arg(long, default_value_t = 0.05)]
    pub(super) slide: f32,

    /// The bend at which it has swollen fully.
    #[arg(long, value_name = "DEGREES", default_value_t = 115.0)]
    pub(super) full_bend: f32,
}

/// Take a helper away, with the joints that only it needed.
#[derive(Debug, clap::Args)]
pub(super) struct RemoveArgs {
    #[command(flatten)]
    pub(super) file: RigFileArgs,

    /// The helper, by name or by number from 0.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) helper: String,
}
