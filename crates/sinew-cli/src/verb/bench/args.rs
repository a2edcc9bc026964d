//! The command line of `sinew bench`.

use std::path::PathBuf;

use crate::simd::SimdArgs;
use clap::ValueHint;

/// Measure this machine: every step, method and SIMD level, against plain loops and a memory copy.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Every case runs in every round and its best round counts, so ratios are stable even if times are not.
Names are step/method/streams/character/level; streams are p(ositions), n(ormals), t(angents). Loading is
load/form/character, in nanoseconds for a whole file in memory.

Examples:
  sinew bench                              the built-in characters and two large meshes
  sinew bench fox.glb --only deform/linear
  sinew bench knight.glb --only load/      GLB against .sinew
  sinew bench --json > figures.json")]
pub(crate) struct BenchArgs {
    /// Files to measure in addition to the built-in figure.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<String>,

    /// Measure only cases whose name contains this; baselines are always measured.
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Option<String>,

    /// The time for each character, in seconds.
    #[arg(long, default_value_t = 4.0)]
    pub(crate) seconds: f64,

    /// Skip the meshes of 100,000 and four million vertices.
    #[arg(long)]
    pub(crate) small: bool,

    /// Measure the GPU instead: kernels by its own clock, against a copy kernel.
    #[arg(long)]
    pub(crate) gpu: bool,

    /// With --gpu: compare workgroup sizes, vertices and poses per thread on batches of poses.
    #[arg(long, requires = "gpu")]
    pub(crate) tunings: bool,

    /// Draw the speed of linear blend skinning as a bar chart into this .png.
    #[arg(long, value_name = "PNG", value_hint = ValueHint::FilePath, conflicts_with = "gpu")]
    pub(crate) chart: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) simd: SimdArgs,

    /// Print the records as JSON, for programs.
    #[arg(long)]
    pub(crate) json: bool,
}
