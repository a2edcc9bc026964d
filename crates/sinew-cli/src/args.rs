//! The command line as it is typed.

use crate::{
    clip::ClipArgs,
    render::{LayerArg, ViewArg},
    rig::RigArgs,
    script::ScriptArgs,
    weights::WeightsArgs,
};
use clap::{Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use sinew::Method;
use sinew_formats::export::ExportFormat;
use std::path::PathBuf;

/// Skeletal animation and skinning: look into characters, pose them, deform them, draw them, convert them.
#[derive(Debug, Parser)]
#[command(name = "sinew", version, about, max_term_width = 100, after_help = AFTER_HELP)]
#[command(propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Args {
    /// Print no progress and no summary.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    #[command(subcommand)]
    pub(crate) verb: Verb,
}

const AFTER_HELP: &str = "\
Every FILE can be a .glb, a .gltf or a built-in character:
  builtin:arm, builtin:arm-stitched, builtin:tube, builtin:figure

Examples:
  sinew demo                                     pictures of the built-in characters, on one page
  sinew inspect fox.glb                          what is in the file, and what is wrong with it
  sinew check fox.glb --target bevy              what will break, where, and what to do
  sinew weights limit 4 --refit fox.glb -o four.glb
  sinew render builtin:figure --clip walk -o walk.gif
  sinew bake fox.glb --clip Run --times 0,0.25,0.5 --format npy -o run
  sinew compare builtin:tube                     every method, measured
  sinew convert fox.gltf fox.glb

Exit codes: 0 done, 1 the work failed, 2 wrong command line, 3 an input cannot be read.";

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Demo(DemoArgs),
    Inspect(InspectArgs),
    Check(CheckArgs),
    Weights(WeightsArgs),
    Rig(RigArgs),
    Render(RenderArgs),
    Bake(BakeArgs),
    Bench(BenchArgs),
    Compare(CompareArgs),
    Convert(ConvertArgs),
    Studio(StudioArgs),
    Completions(CompletionsArgs),
}

/// Draw the built-in characters in every way, and put pictures and figures on one page.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  sinew demo -o pictures && open pictures/index.html")]
pub(crate) struct DemoArgs {
    /// The folder to write to; it is made where it is missing.
    #[arg(short, long, default_value = "demo", value_hint = ValueHint::DirPath)]
    pub(crate) output: PathBuf,

    /// A .bvh file, or another with a motion, to put onto the figure on the page.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) capture: Option<String>,
}

/// Show what is in a file: skeleton, meshes, skins, influences, clips, and what had to be repaired.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  sinew inspect fox.glb
  sinew inspect fox.glb --bounds
  sinew inspect builtin:figure --json | jq .clips")]
pub(crate) struct InspectArgs {
    /// A .glb or .gltf file, or a built-in character such as builtin:figure.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: String,

    /// Work out a box around every clip in which all of it stays, and how tight it is.
    #[arg(long)]
    pub(crate) bounds: bool,

    /// Print everything as JSON, for programs.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Find what is wrong with skins: weights, binds, seams, joints and clips; and mend what can be mended.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 nothing worse than notes, 1 something is wrong (with --fix: something is left), 2 wrong
command line, 3 a file cannot be read.

Examples:
  sinew check fox.glb knight.glb --target three
  sinew check knight.glb --fix -o mended.glb     says how far each fix moved vertices
  sinew check knight.glb --html report           a page with a picture of each finding
  sinew check *.glb --sarif > skins.sarif        for code-review tools")]
pub(crate) struct CheckArgs {
    /// Files to look at, or built-in characters.
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<String>,

    /// Where the characters go: bevy, three, godot, unity, or custom:INFLUENCES,JOINTS.
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Option<sinew_author::check::CheckTarget>,

    /// Mend what can be mended, and write it to OUT.
    #[arg(long, requires = "output")]
    pub(crate) fix: bool,

    /// The mended file: .glb or .gltf.
    #[arg(short, long, value_name = "OUT", requires = "fix", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,

    /// Print everything as JSON, for programs.
    #[arg(long, conflicts_with = "sarif")]
    pub(crate) json: bool,

    /// Print a SARIF log, for code-review tools.
    #[arg(long)]
    pub(crate) sarif: bool,

    /// Write a page with a picture of each finding to this folder.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) html: Option<PathBuf>,
}

/// Draw a character: one picture, a contact sheet, or an animation.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The ending of OUT says what is made: .png is a picture (or, with --sheet, a contact sheet), .gif and
.apng are animations of the clip.

Examples:
  sinew render fox.glb -o fox.png                          the rest pose
  sinew render fox.glb --clip Run --time 0.3 --bones -o fox.png
  sinew render fox.glb --clip Run --sheet 8 -o sheet.png   eight moments of the clip
  sinew render fox.glb --clip Run -o fox.gif               the whole clip
  sinew render builtin:figure --blend walk:0.5,run:0.5 --follow -o jog.gif
  sinew render builtin:figure --graph moves.ron --set speed=3@1.5 --seconds 4 -o moves.gif
  sinew render builtin:figure --clip walk --ik hand.L=0.3,1.3,0.3 -o reach.gif
  sinew render builtin:figure --layer heat --joint upper_arm.L -o heat.png
  sinew render builtin:arm --clip bend_120 --method stitch --layer wireframe -o arm.png")]
pub(crate) struct RenderArgs {
    /// A .glb or .gltf file, or a built-in character such as builtin:figure.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: String,

    /// The picture to write: .png, .gif or .apng.
    #[arg(short, long, value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) script: ScriptArgs,

    /// The moment to draw, in seconds.
    #[arg(long, default_value_t = 0.0, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) time: f32,

    /// How the skin follows the joints.
    #[arg(long, default_value_t = Method::Linear, value_name = "METHOD", value_parser = method_parser())]
    pub(crate) method: Method,

    /// What is drawn of the mesh.
    #[arg(long, value_enum, default_value_t = LayerArg::Shaded)]
    pub(crate) layer: LayerArg,

    /// The joint whose weights the heat map shows, and whose bone is bright.
    #[arg(long, value_name = "NAME|NUMBER")]
    pub(crate) joint: Option<String>,

    /// Draw the bones, seen through the mesh.
    #[arg(long)]
    pub(crate) bones: bool,

    /// Draw the axes of every joint.
    #[arg(long)]
    pub(crate) axes: bool,

    /// From where: front, back, left, right, top, three-quarter, or YAW,PITCH in degrees.
    #[arg(long, default_value = "three-quarter", value_name = "VIEW", allow_hyphen_values = true)]
    pub(crate) view: ViewArg,

    /// Width and height of the picture, or of one picture of a sheet, in pixels.
    #[arg(long, default_value = "800x800", value_name = "WxH", value_parser = parse_size)]
    pub(crate) size: (u32, u32),

    /// Draw this many moments of the clip side by side.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=400))]
    pub(crate) sheet: Option<u32>,

    /// Pictures a second of an animation.
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..=60))]
    pub(crate) fps: u32,

    /// Draw on a dark ground.
    #[arg(long)]
    pub(crate) dark: bool,

    /// Leave out the ground and its grid.
    #[arg(long)]
    pub(crate) no_ground: bool,

    /// Keep the camera on the character as it travels.
    #[arg(long)]
    pub(crate) follow: bool,

    /// Draw on the graphics card, with four samples a pixel.
    #[arg(long)]
    pub(crate) gpu: bool,
}

/// Write deformed vertices over time, or one pose as a static mesh.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without --clip the rest pose is written. Without --times the clip is written at --fps.

Formats:
  raw   PREFIX.json and PREFIX.f32: little-endian floats [times][vertices][3], world space
  npy   PREFIX.npy for NumPy, of the same shape
  obj   PREFIX_0000.obj and so on, one a time
  pc2   PREFIX.pc2, a point cache that 3D programs read
  glb   PREFIX.glb, one pose as a mesh without a skeleton

Examples:
  sinew bake fox.glb --clip Run --times 0,0.25,0.5 --format raw -o run
  sinew bake builtin:figure --clip walk --fps 30 --format pc2 -o walk
  sinew bake builtin:arm --clip bend_90 --format glb -o bent_arm
  sinew bake walk.bvh --joints --positions replace --format raw -o walk")]
pub(crate) struct BakeArgs {
    /// A .glb or .gltf file, or a built-in character such as builtin:figure.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: String,

    #[command(flatten)]
    pub(crate) clip: ClipArgs,

    /// The moments to write, in seconds, with commas between them.
    #[arg(long, value_delimiter = ',', value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) times: Vec<f32>,

    /// Moments a second where --times is not given.
    #[arg(long, default_value_t = 30.0, conflicts_with = "times")]
    pub(crate) fps: f32,

    /// How the skin follows the joints.
    #[arg(long, default_value_t = Method::Linear, value_name = "METHOD", value_parser = method_parser())]
    pub(crate) method: Method,

    /// The format to write.
    #[arg(long, default_value = "raw", value_name = "FORMAT", value_parser = crate::bake::format_parser())]
    pub(crate) format: ExportFormat,

    /// Write where the joints are instead of the vertices: x, y, z of each joint at each time.
    #[arg(long)]
    pub(crate) joints: bool,

    /// What position channels of a BVH file do to a joint's offset.
    #[arg(long, value_enum, default_value_t = PositionsArg::Replace)]
    pub(crate) positions: PositionsArg,

    /// The path to write to, without an ending.
    #[arg(short, long, value_name = "PREFIX", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
}

/// What position channels of a BVH file do to a joint's offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PositionsArg {
    /// They stand in its place.
    Replace,
    /// They are added to it.
    Add,
}

/// Measure this machine: every stage, method and SIMD level, against plain loops and a copy of memory.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Figures are the best of many rounds in which all candidates take turns, so ratios hold even where times do not.
Names are step/method/streams/character/level; streams are p(ositions), n(ormals), t(angents).

Examples:
  sinew bench                              the built-in characters and two large meshes
  sinew bench fox.glb --only deform/linear
  sinew bench --json > figures.json")]
pub(crate) struct BenchArgs {
    /// Files to measure beside the built-in figure.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<String>,

    /// Measure only what has this in its name; baselines are always measured.
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Option<String>,

    /// Seconds that each character may take.
    #[arg(long, default_value_t = 4.0)]
    pub(crate) seconds: f64,

    /// Leave out the meshes of 100,000 and four million vertices.
    #[arg(long)]
    pub(crate) small: bool,

    /// Measure the graphics card instead: kernels by its own clock, beside a copy kernel.
    #[arg(long)]
    pub(crate) gpu: bool,

    /// Print one array of records and nothing else.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Deform by every method side by side, measure what each does to the skin, and show where.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without --clip the first clip is played; a file without clips is measured at rest. builtin:tube is bent and
twisted to the angles of the quality table.

Examples:
  sinew compare builtin:tube                     volume, radius and pictures of every method
  sinew compare fox.glb --clip Run -o fox_run    a page with figures, plots and maps
  sinew compare builtin:figure --clip range_of_motion --methods linear,dual-quat,cor --json")]
pub(crate) struct CompareArgs {
    /// A .glb or .gltf file, or a built-in character such as builtin:figure.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: String,

    #[command(flatten)]
    pub(crate) clip: ClipArgs,

    /// The methods to compare, with commas between them.
    #[arg(long, value_delimiter = ',', value_name = "METHODS", value_parser = method_parser(),
          default_values_t = Method::ALL)]
    pub(crate) methods: Vec<Method>,

    /// Moments of the clip that are measured a second.
    #[arg(long, default_value_t = 10.0)]
    pub(crate) fps: f32,

    /// The folder to write the page to; without it `compare`, or nothing where --json is given.
    #[arg(short, long, value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,

    /// Print all figures as JSON, for programs.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write a character in another format, or the motion of one file onto the character of another.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The ending of OUT says what is written: .glb, .gltf with a .bin beside it, or .bvh with one clip.

With --onto the clip of IN moves the character: joints are paired by name and structure, the difference of the rest
poses is taken out, the way is scaled by the length of the legs, and feet stay where they stand. Which joints were
paired, how feet slide and what legs do not reach is printed. OUT is the character with one clip more.

Examples:
  sinew convert fox.gltf fox.glb
  sinew convert builtin:figure walk.bvh --clip walk
  sinew convert run.bvh knight_run.glb --onto knight.glb
  sinew convert run.bvh out.glb --onto knight.glb --write-map run.map   then edit run.map, and
  sinew convert run.bvh out.glb --onto knight.glb --map run.map")]
pub(crate) struct ConvertArgs {
    /// A .glb, .gltf, .bvh or .fbx file, or a built-in character such as builtin:figure.
    #[arg(value_name = "IN", value_hint = ValueHint::FilePath)]
    pub(crate) input: String,

    /// The file to write: .glb, .gltf or .bvh.
    #[arg(value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,

    /// The character that IN's clip is to move: a file, or a built-in character.
    #[arg(long, value_name = "CHARACTER", value_hint = ValueHint::FilePath)]
    pub(crate) onto: Option<String>,

    /// Which joint moves which, as lines `source -> target`; without it joints are paired by name and structure.
    #[arg(long, value_name = "FILE", requires = "onto", value_hint = ValueHint::FilePath)]
    pub(crate) map: Option<PathBuf>,

    /// Write the joint map that is used, to be edited and given back with --map.
    #[arg(long, value_name = "FILE", requires = "onto", value_hint = ValueHint::FilePath)]
    pub(crate) write_map: Option<PathBuf>,

    /// The clip of IN that is meant, by name or by number from 0; without --onto the only one that is written.
    #[arg(long, value_name = "NAME|INDEX")]
    pub(crate) clip: Option<String>,

    /// Leave feet where the turns of the legs put them.
    #[arg(long, requires = "onto")]
    pub(crate) no_feet: bool,

    /// Print the report of --onto as JSON, for programs.
    #[arg(long, requires = "onto")]
    pub(crate) json: bool,
}

/// Open the window: see the skeleton and the skin, pose joints, play clips, edit and paint weights.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The studio is a program of its own, so that this one stays small: `cargo install --path crates/sinew-studio`.

Example:
  sinew studio fox.glb")]
pub(crate) struct StudioArgs {
    /// What to open: a .glb, .gltf, .bvh or .fbx file, or a built-in character; builtin:figure if nothing is named.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<String>,

    /// Serve the studio as a page for browsers on this machine, in place of a window.
    #[arg(long, conflicts_with = "file")]
    pub(crate) web: bool,

    /// The port of the page; 0 takes any that is free.
    #[arg(long, default_value_t = 8017, requires = "web")]
    pub(crate) port: u16,

    /// The folder with the page, as `cargo xtask web` makes it.
    #[arg(long, value_name = "DIR", requires = "web", value_hint = ValueHint::DirPath)]
    pub(crate) page: Option<PathBuf>,
}

/// Print a script that completes Sinew's commands in a shell.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  sinew completions bash > ~/.local/share/bash-completion/completions/sinew"
)]
pub(crate) struct CompletionsArgs {
    /// Which shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

fn method_parser() -> impl clap::builder::TypedValueParser<Value = Method> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(Method::ALL.map(Method::name))
        .map(|name| name.parse().unwrap_or_else(|_| unreachable!("the parser lists every method's own name")))
}

fn parse_size(text: &str) -> Result<(u32, u32), String> {
    let fail = || format!("{text:?} is not WIDTHxHEIGHT, for instance 800x600");
    let (width, height) = text.split_once('x').ok_or_else(fail)?;
    let size = (width.parse().map_err(|_| fail())?, height.parse().map_err(|_| fail())?);
    match size {
        (1..=8192, 1..=8192) => Ok(size),
        _ => Err(format!("{text} is outside 1x1 to 8192x8192")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn sizes_are_parsed_and_bounded() {
        assert_eq!(parse_size("640x480"), Ok((640, 480)));
        for bad in ["640", "x", "0x10", "10x9000", "-1x5", "ax5"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }
}
