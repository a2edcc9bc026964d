//! Automatic weights, computed from a mesh and its bones.

use super::{
    WeightsRun,
    args::{WeightsFileArgs, count, number},
    open,
    report::{Fact, FactValue, MeshReport, NameList},
    skinned::MeshWithSkin,
};
use crate::{
    failure::{AttemptWithOptions, Failure},
    limits, progress,
};
use sinew_author::weights::auto::{AutoMethod, AutoOptions, AutoReport, auto_weights};

/// Compute weights from nothing but the mesh and its bones.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Any mesh works: open, in several parts, with degenerate or duplicate triangles, with bones outside.
Existing weights are ignored; the difference from them is measured. Muscle weights stay, and muscles
get no skin to carry.")]
pub(super) struct AutoArgs {
    #[command(flatten)]
    pub(super) file: WeightsFileArgs,

    /// The algorithm: heat, voxel or biharmonic.
    #[arg(long, default_value_t = AutoMethod::default(), value_name = "METHOD", value_parser = auto_method_parser())]
    pub(super) method: AutoMethod,

    /// The maximum number of influences per vertex.
    #[arg(long, default_value_t = 4, value_name = "COUNT", value_parser = count)]
    pub(super) influences: usize,

    /// The power that weights are raised to: above 1, joints blend over a shorter distance.
    #[arg(long, default_value_t = 1.5, value_name = "POWER", value_parser = number)]
    pub(super) sharpness: f32,

    /// How many times weights are averaged with those of neighboring vertices.
    #[arg(long, default_value_t = 1, value_name = "TIMES")]
    pub(super) smooth: u32,

    /// Grid cells along the diagonal of the mesh's bounds, for voxel and biharmonic.
    #[arg(long, default_value_t = 120, value_name = "CELLS")]
    pub(super) resolution: u32,
}

fn auto_method_parser() -> impl clap::builder::TypedValueParser<Value = AutoMethod> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(AutoMethod::ALL.map(AutoMethod::name))
        .map(|name| name.parse().unwrap_or_else(|_| unreachable!("the parser lists every method's own name")))
}

pub(super) fn run(args: &AutoArgs, quiet: bool) -> Result<(), Failure> {
    let WeightsFileArgs { file, result, .. } = &args.file;
    let character = open(file, quiet)?;
    let meshes = MeshWithSkin::all(&character, file, result.mesh.as_deref())?;
    let options = AutoOptions {
        method: args.method,
        influences: args.influences,
        sharpness: args.sharpness.into(),
        smooth: args.smooth,
        resolution: args.resolution,
        ..AutoOptions::default()
    };
    let mut run = WeightsRun::new(format!("auto {}", args.method), file, result);
    let bar = progress::bar(1000 * meshes.len() as u64, "weighting", quiet);
    for (done, mesh) in meshes.iter().enumerate() {
        let bones = run.skins.bones(mesh);
        let computed = auto_weights(mesh.mesh(), &bones, &options, &mut |fraction: f32| {
            bar.set_position(((done as f32 + fraction) * 1000.0) as u64);
            limits::go_on()
        });
        let computed = computed.attempt_with_options(|| run.attempt())?;
        let facts = facts(mesh, &computed.report);
        let report = MeshReport::against_existing(mesh, &computed.weights, facts, &mut run.skins);
        run.add(mesh.mesh_index, computed.weights, report.attempt_with_options(|| run.attempt())?);
    }
    bar.finish_and_clear();
    run.finish(&character, quiet)
}

fn facts(mesh: &MeshWithSkin<'_>, report: &AutoReport) -> Vec<Fact> {
    use FactValue::{Count, Fraction};
    let names = |slots: &[u16]| FactValue::Names(NameList::of(mesh, slots));
    vec![
        Fact::new("point_count", "points", Count(report.points)),
        Fact::new("part_count", "parts", Count(report.parts)),
        Fact::new("bone_count", "bones", Count(report.bones)),
        Fact::new("guessed_bone_count", "bones with a guessed end", Count(report.guessed_tails)),
        Fact::new("unreached_part_count", "parts that no bone reaches", Count(report.parts_without_source)),
        Fact::new("nearest_bone_point_count", "points on the nearest bone only", Count(report.by_nearest)),
        Fact::new("mean_dropped_weight", "mean weight dropped by the limit", Fraction(report.mean_dropped)),
        Fact::new("max_dropped_weight", "max weight dropped by the limit", Fraction(report.max_dropped)),
        Fact::new("outside_joints", "joints outside the mesh", names(&report.outside)),
        Fact::new("unweighted_joints", "joints without weight", names(&report.unused)),
    ]
}
