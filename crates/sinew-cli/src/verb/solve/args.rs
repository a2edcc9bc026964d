//! The command line of `sinew solve`.

use crate::{clip::ClipArgs, input::parse_whole, method::method_parser, write::WriteArgs};
use clap::{Subcommand, ValueHint};
use sinew::{Method, UpAxis};
use sinew_author::markers::MarkerSmoothing;
use std::{ops::Range, path::PathBuf, str::FromStr};

/// Find the motion of a character from measured points, or its joints and weights from a mesh that moves.
#[derive(Debug, clap::Args)]
pub(crate) struct SolveArgs {
    #[command(subcommand)]
    pub(super) job: SolveJob,
}

#[derive(Debug, Subcommand)]
pub(super) enum SolveJob {
    Markers(Box<MarkersArgs>),
    Mesh(Box<MeshArgs>),
}

/// Find the joint rotations of a character from the markers of a motion capture.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every frame is solved by least squares over the whole skeleton. Joint limits of the character hold,
outliers lose their weight, gaps are interpolated, and a report lists residuals in mm per marker.

Without --attach, markers are attached by their labels and, where those say nothing, to the nearest
joint. For that the subject stands in the rest pose of the character in the first frame of --rest.

Examples:
  sinew solve markers walk.c3d --onto hero.glb -o hero_walk.glb
  sinew solve markers walk.c3d --onto hero.glb -o out.glb --rest 0..59 --calibrate --fit-scale
  sinew solve markers walk.trc --onto hero.glb -o out.bvh --write-attach set.txt   then edit set.txt, and
  sinew solve markers walk.trc --onto hero.glb -o out.bvh --attach set.txt")]
pub(super) struct MarkersArgs {
    /// The capture: a .c3d or .trc file.
    #[arg(value_name = "IN", value_hint = ValueHint::FilePath)]
    pub(super) input: PathBuf,

    /// The character to solve: a file, or a built-in character.
    #[arg(long, value_name = "CHARACTER", value_hint = ValueHint::FilePath)]
    pub(super) onto: String,

    /// The file to write: .glb or .gltf with one more clip, or .bvh with the clip.
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(super) output: PathBuf,

    /// Where the markers are, as lines `LABEL JOINT x y z`: the position in joint space, in meters.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) attach: Option<PathBuf>,

    /// Write the attachments in use, to edit them and pass them back with --attach.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) write_attach: Option<PathBuf>,

    /// The axis that is up in the capture: x, y or z; without it what the file says, or a guess from the motion.
    #[arg(long, value_name = "AXIS")]
    pub(super) up: Option<UpAxis>,

    /// Frames from 0 in which the subject stands in the rest pose of the character: FIRST..LAST, or one frame.
    #[arg(long, value_name = "FRAMES")]
    pub(super) rest: Option<FrameRange>,

    /// Refine where the markers are from the motion, and from the frames of --rest.
    #[arg(long)]
    pub(super) calibrate: bool,

    /// Find the size of the subject relative to the character as well.
    #[arg(long, requires = "calibrate")]
    pub(super) fit_scale: bool,

    /// The size of the subject relative to the character; with --fit-scale the first guess.
    #[arg(long, value_name = "FACTOR")]
    pub(super) scale: Option<f32>,

    /// Interpolate a joint that markers do not determine for up to this time; for longer it holds.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.5)]
    pub(super) max_gap: f32,

    /// How noise is removed: `auto` smooths each joint as far as the noise of its markers explains, a frequency in hertz
    /// removes all motion that is faster, `off` keeps every frame as it was solved.
    #[arg(long, value_name = "auto|HZ|off", default_value = "auto", value_parser = smoothing)]
    pub(super) smooth: MarkerSmoothing,

    /// A marker this far from the character counts a quarter, one much further away nothing.
    #[arg(long, value_name = "MM", default_value_t = 30.0)]
    pub(super) outlier: f32,

    /// Ignore the joint limits of the character.
    #[arg(long)]
    pub(super) no_limits: bool,

    /// The name of the clip; without it the name of the file.
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,

    /// Print the report as JSON, for programs.
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) write: WriteArgs,
}

/// Find joints, weights and a clip that show a mesh sequence by linear blend skinning.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
IN is one .pc2 or .npy file, a sequence of .obj files or the folder that holds them, or a character, whose
clip is played: with morph targets, with any deformation method. A .pc2 or .npy file has no triangles, so
it needs --mesh. The vertices are those of all meshes, one after the other, as `sinew bake` writes them.

With --onto the joints of a character are kept: its skin gives their number, their places and the first
weights, and their motion is found.

Examples:
  sinew solve mesh cloth.pc2 --mesh cloth.obj --bones 40 -o cloth.glb
  sinew solve mesh frames/ --bones 60 --tree -o creature.glb
  sinew solve mesh face.glb --clip talk --bones 30 -o face_joints.glb
  sinew solve mesh hero.glb --clip run --method delta-mush --bones 80 -o hero_lbs.glb
  sinew solve mesh sim.npy --onto hero.glb --keep-weights -o hero_sim.glb")]
pub(super) struct MeshArgs {
    /// A .pc2 or .npy file, .obj files or their folder, or a character.
    #[arg(value_name = "IN", required = true, value_hint = ValueHint::FilePath)]
    pub(super) inputs: Vec<String>,

    /// The mesh that moves, at rest: a character or an .obj file. Without it the character of IN, or the first .obj file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) mesh: Option<String>,

    /// The character whose mesh moves and whose joints are kept.
    #[arg(long, value_name = "CHARACTER", value_hint = ValueHint::FilePath, conflicts_with_all = ["mesh", "bones", "tree"])]
    pub(super) onto: Option<String>,

    /// Keep the weights of --onto as well and find the motion alone.
    #[arg(long, requires = "onto")]
    pub(super) keep_weights: bool,

    /// The file to write: .glb, .gltf or .sinew.
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(super) output: PathBuf,

    /// The number of bones.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) bones: u16,

    /// The most bones that influence a vertex.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(super) influences: u8,

    /// Order the bones in a tree whose joints hold together as well as they can; without it each moves freely below one root.
    #[arg(long)]
    pub(super) tree: bool,

    /// Frames per second: of the files, or at which the clip is sampled.
    #[arg(long, value_name = "FPS", default_value_t = 24.0)]
    pub(super) fps: f32,

    /// The method that deforms the character of IN.
    #[arg(long, value_name = "METHOD", value_parser = method_parser())]
    pub(super) method: Option<Method>,

    #[command(flatten)]
    pub(super) clip: ClipArgs,

    /// The frame that is the rest shape, from 0; without it the shape of the mesh.
    #[arg(long, value_name = "FRAME", conflicts_with = "onto", value_parser = parse_whole)]
    pub(super) rest: Option<usize>,

    /// How often weights and motions take turns at most.
    #[arg(long, value_name = "N", default_value_t = 80, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) rounds: u16,

    /// The name of the clip.
    #[arg(long, value_name = "NAME", default_value = "solved")]
    pub(super) name: String,

    /// Print the report as JSON, for programs.
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) write: WriteArgs,
}

/// Frames by number from 0, the last one included: `0..59`, or `7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameRange(pub(super) Range<usize>);

impl FromStr for FrameRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let number = |part: &str| part.trim().parse::<usize>().ok().filter(|n| *n < usize::MAX);
        match number(first).zip(number(last)) {
            Some((first, last)) if first <= last => Ok(Self(first..last + 1)),
            _ => Err(format!("frames must be FIRST..LAST or one number, got {text:?}")),
        }
    }
}

/// `auto`, `off` or a frequency.
fn smoothing(text: &str) -> Result<MarkerSmoothing, String> {
    match text {
        "auto" => Ok(MarkerSmoothing::Adaptive),
        "off" => Ok(MarkerSmoothing::Off),
        number => match number.parse::<f32>() {
            Ok(cutoff_hz) if cutoff_hz > 0.0 && cutoff_hz.is_finite() => {
                Ok(MarkerSmoothing::LowPass { cutoff_hz })
            }
            _ => Err("must be auto, off or a positive number".into()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_removed_automatically_by_frequency_or_not_at_all() {
        assert_eq!(smoothing("auto"), Ok(MarkerSmoothing::Adaptive));
        assert_eq!(smoothing("12.5"), Ok(MarkerSmoothing::LowPass { cutoff_hz: 12.5 }));
        assert_eq!(smoothing("off"), Ok(MarkerSmoothing::Off));
        for bad in ["", "0", "-3", "nan", "inf", "fast"] {
            assert!(smoothing(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn frame_ranges_include_their_last_frame() {
        assert_eq!("0..59".parse(), Ok(FrameRange(0..60)));
        assert_eq!("7".parse(), Ok(FrameRange(7..8)));
        for bad in ["", "9..3", "-1", "a..b", "18446744073709551615"] {
            assert!(bad.parse::<FrameRange>().is_err(), "{bad}");
        }
    }
}
