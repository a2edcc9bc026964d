//! The command line of `sinew rig`.

use super::humanoid::BodyArg;
use crate::{
    input::{parse_count, parse_whole},
    write::WriteArgs,
};
use clap::{Subcommand, ValueHint};
use std::path::PathBuf;

/// Give a static mesh a skeleton; add and remove helper joints (roll joints that distribute twist, muscles that swell); set
/// properties of joints.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
#[command(after_help = "\
Helpers are stored in the file and applied by every command that poses. Joints are named as
`sinew inspect` lists them, or numbered from 0.

Examples:
  sinew rig humanoid statue.glb -o rigged.glb
  sinew rig rolls knight.glb --from forearm.L --to hand.L -o rolled.glb
  sinew rig rolls knight.glb --from thigh.L --to shin.L --at-start -o hips.glb
  sinew rig muscle knight.glb --bone upper_arm.L --bends forearm.L --swell 1.4 -o biceps.glb
  sinew rig remove biceps.glb --helper upper_arm.L.muscle.1 -o knight.glb
  sinew rig scale knight.glb --joint hand.L --inherit compensated -o local.glb
  sinew rig axes knight.glb --name shoulder.L --part upper_arm.L:xz=-60..120,-45..90 -o axes.glb")]
pub(crate) struct RigArgs {
    #[command(subcommand)]
    pub(super) job: RigJob,

    /// Print what was done as JSON.
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum RigJob {
    Rolls(RollsArgs),
    Muscle(MuscleArgs),
    Remove(RemoveArgs),
    Scale(ScaleArgs),
    Axes(AxesArgs),
    Humanoid(HumanoidArgs),
}

impl RigJob {
    /// The file to edit and the one to write.
    pub(super) fn file(&self) -> &RigFileArgs {
        match self {
            Self::Rolls(args) => &args.file,
            Self::Muscle(args) => &args.file,
            Self::Remove(args) => &args.file,
            Self::Scale(args) => &args.file,
            Self::Axes(args) => &args.file,
            Self::Humanoid(args) => &args.file,
        }
    }
}

/// The input and output files.
#[derive(Debug, clap::Args)]
pub(super) struct RigFileArgs {
    /// A file with a skinned mesh (for humanoid any mesh), or a built-in character such as builtin:figure.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) file: String,

    /// The file to write: .glb or .gltf.
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(super) output: PathBuf,

    #[command(flatten)]
    pub(super) write: WriteArgs,
}

/// Distribute the twist of a limb over roll joints along its bone.
#[derive(Debug, clap::Args)]
pub(super) struct RollsArgs {
    #[command(flatten)]
    pub(super) file: RigFileArgs,

    /// The joint at the start of the bone, such as a forearm.
    #[arg(long, value_name = "JOINT")]
    pub(super) from: String,

    /// The joint at the end of the bone, such as a hand.
    #[arg(long, value_name = "JOINT")]
    pub(super) to: String,

    /// The number of roll joints, 1 to 16.
    #[arg(long, default_value_t = 3, value_parser = parse_count)]
    pub(super) count: usize,

    /// The joint at the start of the bone twists, as a shoulder or a hip does.
    #[arg(long)]
    pub(super) at_start: bool,

    /// The maximum number of influences per vertex afterwards; 0 for no limit.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = parse_whole)]
    pub(super) influences: usize,
}

/// Add a muscle to a bone; it swells as a joint bends.
#[derive(Debug, clap::Args)]
pub(super) struct MuscleArgs {
    #[command(flatten)]
    pub(super) file: RigFileArgs,

    /// The joint whose bone carries the muscle, such as an upper arm.
    #[arg(long, value_name = "JOINT")]
    pub(super) bone: String,

    /// The joint whose bend drives the muscle, such as a forearm.
    #[arg(long, value_name = "JOINT")]
    pub(super) bends: String,

    /// The center of the muscle along the bone, 0 to 1.
    #[arg(long, default_value_t = 0.45)]
    pub(super) along: f32,

    /// The side of the bone, in degrees around it from the front; without it, the side to which the joint bends by its limit
    /// or in the clips, or the front.
    #[arg(long, value_name = "DEGREES")]
    pub(super) side: Option<f32>,

    /// Half the length of the muscle, as a fraction of the bone's length.
    #[arg(long, default_value_t = 0.45)]
    pub(super) reach: f32,

    /// How much of the muscle's motion the skin follows, 0 to 2.
    #[arg(long, default_value_t = 1.0)]
    pub(super) strength: f32,

    /// The thickness of the fully bent muscle, relative to rest.
    #[arg(long, default_value_t = 1.35)]
    pub(super) swell: f32,

    /// How far the fully bent muscle slides towards the start of the bone, as a fraction of its length.
    #[arg(long, default_value_t = 0.05)]
    pub(super) slide: f32,

    /// The bend at which the muscle is fully swollen.
    #[arg(long, value_name = "DEGREES", default_value_t = 115.0)]
    pub(super) full_bend: f32,
}

/// Remove a helper, with the joints that only it needs.
#[derive(Debug, clap::Args)]
pub(super) struct RemoveArgs {
    #[command(flatten)]
    pub(super) file: RigFileArgs,

    /// The helper, by name or by number from 0.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(super) helper: String,
}

/// Set whether joints are scaled with their parents.
///
/// Compensated, the parent's own scale moves the joint but does not scale it, as with Maya's segment scale compensation. Other
/// programs need `sinew convert --bake-scale`.
#[derive(Debug, clap::Args)]
pub(super) struct ScaleArgs {
    #[command(flatten)]
    pub(super) file: RigFileArgs,

    /// The joint; repeat it for several.
    #[arg(long, value_name = "JOINT", required = true)]
    pub(super) joint: Vec<String>,

    /// What the joint inherits of its parent's scale.
    #[arg(long, value_parser = ["full", "compensated"])]
    pub(super) inherit: String,
}

/// Set or remove a meta-joint: one to three rotation axes with a name, on one joint or several.
///
/// Its pose is one angle per axis. In IK, a joint of one axis is a hinge and one of two axes a universal joint.
#[derive(Debug, clap::Args)]
pub(super) struct AxesArgs {
    #[command(flatten)]
    pub(super) file: RigFileArgs,

    /// The name of the meta-joint, such as shoulder.L; one with this name is replaced.
    #[arg(long)]
    pub(super) name: String,

    /// A joint with its axes, the outermost first, and optional ranges in degrees from rest, such as
    /// upper_arm.L:zx=-90..30,-45..45; repeat it for several joints.
    #[arg(long, value_name = "JOINT:AXES[=RANGES]", required_unless_present = "remove")]
    pub(super) part: Vec<String>,

    /// Remove the meta-joint with this name; its joints stay.
    #[arg(long, conflicts_with = "part")]
    pub(super) remove: bool,
}

/// Give a static mesh of a standing person or a four-legged animal a skeleton and weights.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The mesh stands upright (y up) in T- or A-pose and looks to +z. A skeleton and clips that the file has
are dropped. Joints are named by the bones of VRM, so clips can be transferred to the result; the front
legs of an animal are its arms.

Examples:
  sinew rig humanoid statue.glb -o rigged.glb
  sinew rig humanoid horse.glb --body four-legged -o rigged.glb
  sinew convert dancer.glb --onto rigged.glb -o dancing.glb")]
pub(super) struct HumanoidArgs {
    #[command(flatten)]
    pub(super) file: RigFileArgs,

    /// The kind of body.
    #[arg(long, value_enum, default_value_t = BodyArg::Auto, value_name = "KIND")]
    pub(super) body: BodyArg,

    /// The maximum number of influences per vertex.
    #[arg(long, default_value_t = 4, value_name = "COUNT", value_parser = parse_count)]
    pub(super) influences: usize,
}
