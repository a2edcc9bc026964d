//! The command line of `sinew convert`.

use crate::{batch::BatchArgs, input, write::WriteArgs};
use clap::ValueHint;
use std::path::PathBuf;

/// Write a character in another format, or retarget the motion of one file to the character of another.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
The ending of OUT selects the format: .glb, .gltf with its files, .vrm for a character with a
humanoid, .bvh with one clip, or .sinew (see `sinew cook`). Markers convert between .c3d and .trc.

A glTF or VRM file is edited in place: everything that is not converted stays as it is.

With --onto the clip of IN is retargeted: joints are paired by name and structure, the difference of
the rest poses is removed, root motion is scaled by leg length, and planted feet and hands stay in
place. A report tells how much the pairs can be trusted, and how vertices slide over and sink into the
ground. Bodies that do not match are refused. OUT is the character with one more clip.

Examples:
  sinew convert fox.gltf fox.glb
  sinew convert fbx/ more.fbx --out-dir glb      every file, several at once
  sinew convert fox.glb - | other_program -      standard output is always .glb
  sinew convert maya.fbx plain.glb --bake-scale
  sinew convert builtin:figure walk.bvh --clip walk
  sinew convert run.bvh knight_run.glb --onto knight.glb
  sinew convert run.bvh out.glb --onto knight.glb --write-map run.map   then edit run.map, and
  sinew convert run.bvh out.glb --onto knight.glb --map run.map")]
pub(crate) struct ConvertArgs {
    /// The file to read and the file to write: IN OUT. With --out-dir any number of files and folders to read.
    #[arg(required = true, value_name = "IN OUT", value_hint = ValueHint::FilePath)]
    pub(super) files: Vec<String>,

    /// The format of files in --out-dir: glb, gltf, vrm, bvh or sinew.
    #[arg(long, value_name = "FORMAT", default_value = "glb", requires = "out_dir",
        value_parser = ["glb", "gltf", "vrm", "bvh", "sinew"])]
    pub(super) to: String,

    #[command(flatten)]
    pub(super) batch: BatchArgs,

    /// The file that is read.
    #[arg(skip)]
    pub(super) input: String,

    /// The file that is written.
    #[arg(skip)]
    pub(super) output: PathBuf,

    /// The character to retarget IN's clip to: a file, or a built-in character.
    #[arg(long, value_name = "CHARACTER", value_hint = ValueHint::FilePath)]
    pub(super) onto: Option<String>,

    /// The joint map, as lines `source -> target`; without it joints are paired by name and structure.
    #[arg(long, value_name = "FILE", requires = "onto", value_hint = ValueHint::FilePath)]
    pub(super) map: Option<PathBuf>,

    /// Write the joint map in use, to edit it and pass it back with --map.
    #[arg(long, value_name = "FILE", requires = "onto", value_hint = ValueHint::FilePath)]
    pub(super) write_map: Option<PathBuf>,

    /// Retarget even if the bodies do not match.
    #[arg(long, requires = "onto")]
    pub(super) any_map: bool,

    /// The clip of IN, by name or by number from 0; without --onto only this clip is written.
    #[arg(long, value_name = "NAME|INDEX")]
    pub(super) clip: Option<String>,

    /// The frames per second at which the curves of an FBX file are sampled; without it at its own frames and keys, and
    /// between them where the motion bends.
    #[arg(long, value_name = "N", value_parser = input::parse_fps)]
    pub(super) fps: Option<f64>,

    /// Bake scale that is not inherited into keys, for programs that do not support it.
    #[arg(long, conflicts_with = "onto")]
    pub(super) bake_scale: bool,

    /// Do not plant feet and hands.
    #[arg(long, requires = "onto")]
    pub(super) no_feet: bool,

    /// Print what was done as JSON, for programs.
    #[arg(long)]
    pub(super) json: bool,

    #[command(flatten)]
    pub(super) write: WriteArgs,
}
