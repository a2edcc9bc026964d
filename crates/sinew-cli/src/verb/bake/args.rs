//! The command line of `sinew bake`.

use super::textures::TextureArgs;
use crate::{
    batch::BatchArgs,
    clip::ClipArgs,
    input,
    method::{NormalArgs, method_parser},
    pose::PoseArgs,
    simd::SimdArgs,
};
use clap::{ValueEnum, ValueHint};
use sinew::Method;
use sinew_formats::export::ExportFormat;
use std::path::PathBuf;

/// Write deformed vertices over time, one pose as a static mesh, or textures that play clips on a GPU.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Without --clip the rest pose is written. Without --times the clip is written at --fps.

Formats:
  raw   PREFIX.json and PREFIX.f32: little-endian floats [times][vertices][3], world space
  npy   PREFIX.npy for NumPy, of the same shape
  obj   PREFIX_0000.obj and so on, one per time
  pc2   PREFIX.pc2, a point cache that 3D programs read
  glb   PREFIX.glb, one pose as a mesh without a skeleton

Textures for crowds (see docs/vat.md):
  --vat           PREFIX.positions.exr, PREFIX.normals.exr, PREFIX.glb and PREFIX.json
  --bone-texture  PREFIX.bones.exr, PREFIX.glb and PREFIX.json

Examples:
  sinew bake fox.glb --clip Run --times 0,0.25,0.5 --format raw -o run
  sinew bake builtin:figure --clip walk --fps 30 --format pc2 -o walk
  sinew bake builtin:arm --clip bend_90 --format glb -o bent_arm
  sinew bake builtin:figure --pose spine_upper:ry=40,forearm.L:rz=-90 --format obj -o posed
  sinew bake characters/ --format pc2 --out-dir caches
  sinew bake walk.bvh --joints --positions replace --format raw -o walk
  sinew bake builtin:figure --vat --clips walk,run --fps 30 -o crowd
  sinew bake builtin:figure --bone-texture --texture raw -o crowd")]
pub(crate) struct BakeArgs {
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath, help = input::files_help())]
    pub(super) files: Vec<String>,

    #[command(flatten)]
    pub(super) batch: BatchArgs,

    /// The file that is read.
    #[arg(skip)]
    pub(super) file: String,

    #[command(flatten)]
    pub(super) clip: ClipArgs,

    #[command(flatten)]
    pub(super) pose: PoseArgs,

    /// The times to write, in seconds, separated by commas.
    #[arg(long, value_delimiter = ',', value_name = "SECONDS")]
    pub(super) times: Vec<f32>,

    /// Samples per second if --times is not given.
    #[arg(long, default_value_t = 30.0, conflicts_with = "times")]
    pub(super) fps: f32,

    /// The deformation method that moves the skin; without it the one that the file recommends, or linear.
    #[arg(long, value_name = "METHOD", value_parser = method_parser())]
    pub(super) method: Option<Method>,

    #[command(flatten)]
    pub(super) normals: NormalArgs,

    #[command(flatten)]
    pub(super) simd: SimdArgs,

    /// The format to write.
    #[arg(long, default_value = "raw", value_name = "FORMAT", value_parser = super::format_parser())]
    pub(super) format: ExportFormat,

    /// Write the positions of joints instead of vertices: x, y, z of each joint at each time.
    #[arg(long)]
    pub(super) joints: bool,

    /// What position channels of a BVH file do to a joint's offset.
    #[arg(long, value_enum, default_value_t = PositionsArg::Replace)]
    pub(super) positions: PositionsArg,

    #[command(flatten)]
    pub(super) textures: TextureArgs,

    /// The path to write to, without an ending.
    #[arg(short, long, value_name = "PREFIX", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,

    /// The path that is written to, without an ending.
    #[arg(skip)]
    pub(super) prefix: PathBuf,
}

/// What position channels of a BVH file do to a joint's offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PositionsArg {
    /// They replace the joint's offset.
    Replace,
    /// They are added to it.
    Add,
}
