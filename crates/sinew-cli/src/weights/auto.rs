//! Weights from nothing but a mesh and its bones.

use super::{
    args::AutoArgs,
    report::{Fact, Facts, MeshReport},
    skinned::{Skinned, open},
    write,
};
use crate::{failure::Failure, progress};
use sinew_author::weights::{
    BoneSet,
    auto::{AutoOptions, AutoReport, auto_weights},
};
use std::ops::ControlFlow;

pub(super) fn run(args: &AutoArgs, quiet: bool) -> Result<(), Failure> {
    let character = open(&args.file.file, quiet)?;
    let subjects = Skinned::all(&character, &args.file.file, args.file.result.mesh.as_deref())?;
    let options = AutoOptions {
        method: args.method,
        influences: args.influences,
        sharpness: args.sharpness.into(),
        smooth: args.smooth,
        resolution: args.resolution,
        ..AutoOptions::default()
    };
    let bar = progress::bar(1000 * subjects.len() as u64, "weighting", quiet);
    let (mut changed, mut reports) = (Vec::new(), Vec::new());
    for (done, subject) in subjects.iter().enumerate() {
        let bones = BoneSet::of_skin(subject.skeleton(), subject.skin());
        let made = auto_weights(subject.mesh(), &bones, &options, &mut |share: f32| {
            bar.set_position(((done as f32 + share) * 1000.0) as u64);
            ControlFlow::Continue(())
        })?;
        reports.push(MeshReport::against_own(subject, &made.weights, facts(subject, &made.report))?);
        changed.push((subject.mesh_index, made.weights));
    }
    bar.finish_and_clear();
    let operation = format!("auto {}", args.method);
    write(&operation, &args.file.file, &args.file.result, &character, changed, &reports, quiet)
}

fn facts(subject: &Skinned<'_>, report: &AutoReport) -> Facts {
    let names = |slots: &[u16]| Fact::Names(slots.iter().map(|&slot| subject.joint_name(slot)).collect());
    vec![
        ("points", Fact::Count(report.points)),
        ("parts", Fact::Count(report.parts)),
        ("bones", Fact::Count(report.bones)),
        ("bones with a guessed end", Fact::Count(report.guessed_tails)),
        ("parts that no bone reaches", Fact::Count(report.parts_without_source)),
        ("points that follow the nearest bone", Fact::Count(report.by_nearest)),
        ("mean weight cut by the limit", Fact::Share(report.mean_dropped)),
        ("most weight cut by the limit", Fact::Share(report.most_dropped)),
        ("joints outside the mesh", names(&report.outside)),
        ("joints without weight", names(&report.unused)),
    ]
}
