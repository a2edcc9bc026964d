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
use sinew::Mesh;
use sinew_author::weights::auto::{AutoMethod, AutoOptions, AutoReport, auto_weights_together};
use std::collections::BTreeMap;

/// Compute weights from nothing but the mesh and its bones.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Any mesh works: open, in several parts, with degenerate or duplicate triangles, with bones outside.
Meshes of one skin that touch are solved together. Existing weights are ignored; the difference from
them is measured. Muscle weights stay. Muscles, controls such as targets of inverse kinematics, and
joints that only mark the tip of a bone get no skin to carry.

Examples:
  sinew weights auto knight.glb -o weighted.glb
  sinew weights auto knight.glb --method heat --influences 8 -o weighted.glb
  sinew weights auto builtin:figure --json")]
pub(super) struct AutoArgs {
    #[command(flatten)]
    pub(super) file: WeightsFileArgs,

    /// The algorithm: auto, heat, voxel, biharmonic or mixed. Auto measures several and takes the best.
    #[arg(long, default_value_t = AutoMethod::default(), value_name = "METHOD", value_parser = auto_method_parser())]
    pub(super) method: AutoMethod,

    /// The maximum number of influences per vertex.
    #[arg(long, default_value_t = 4, value_name = "COUNT", value_parser = count)]
    pub(super) influences: usize,

    /// The power that weights are raised to: above 1, joints blend over a shorter distance.
    #[arg(long, default_value_t = 2.0, value_name = "POWER", value_parser = number)]
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
    let mut done = 0;
    for together in by_skin(&meshes) {
        let bones = run.skins.bones(together[0]);
        let bodies: Vec<&Mesh> = together.iter().map(|mesh| mesh.mesh()).collect();
        let computed = auto_weights_together(&bodies, &bones, &options, &mut |fraction: f32| {
            bar.set_position(((done as f32 + fraction * bodies.len() as f32) * 1000.0) as u64);
            limits::go_on()
        });
        done += together.len();
        for (mesh, computed) in together.iter().zip(computed.attempt_with_options(|| run.attempt())?) {
            let facts = facts(mesh, &computed.report);
            let report = MeshReport::against_existing(mesh, &computed.weights, facts, &mut run.skins);
            run.add(mesh.mesh_index, computed.weights, report.attempt_with_options(|| run.attempt())?);
        }
    }
    bar.finish_and_clear();
    run.finish(&character, quiet)
}

/// The meshes in groups that share a skin, in the order of the file.
fn by_skin<'a, 'b>(meshes: &'b [MeshWithSkin<'a>]) -> Vec<Vec<&'b MeshWithSkin<'a>>> {
    let mut groups: Vec<Vec<&MeshWithSkin<'_>>> = Vec::new();
    let mut of_skin = BTreeMap::new();
    for mesh in meshes {
        let group = *of_skin.entry(mesh.skin_index).or_insert(groups.len());
        if group == groups.len() {
            groups.push(Vec::new());
        }
        groups[group].push(mesh);
    }
    groups
}

fn facts(mesh: &MeshWithSkin<'_>, report: &AutoReport) -> Vec<Fact> {
    use FactValue::{Count, Fraction, Text};
    let names = |slots: &[u16]| FactValue::Names(NameList::of(mesh, slots));
    vec![
        Fact::new("method", "method", Text(report.method.name())),
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
