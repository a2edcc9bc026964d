//! Operations on the weights that meshes have.

use super::{
    args::{
        LimitArgs, MirrorArgs, NormaliseArgs, PruneArgs, QuantiseArgs, SharpenArgs, SmoothArgs, TouchArgs,
        WeightsFileArgs,
    },
    report::{Fact, Facts, MeshReport},
    skinned::{Skinned, open},
    write,
};
use crate::failure::Failure;
use sinew_author::weights::{
    Edit, EditOutcome, WeightError,
    ops::{self, LimitBy, MirrorOptions, SmoothOptions, VertexMirrorMap},
};

/// Weights after an operation, and what it says beside their effect.
type Changed = Result<(EditOutcome, Facts), WeightError>;

/// Changes every mesh that is meant, writes the character and says what was done.
fn change(
    operation: &str,
    file: &WeightsFileArgs,
    touch: &TouchArgs,
    quiet: bool,
    apply: impl Fn(&Edit<'_>, &Skinned<'_>) -> Changed,
) -> Result<(), Failure> {
    let character = open(&file.file, quiet)?;
    let mut changed = Vec::new();
    let mut reports = Vec::new();
    for subject in Skinned::weighted(&character, &file.file, file.result.mesh.as_deref())? {
        let poses = subject.poses();
        let edit = Edit::new(subject.mesh())?.over(&poses);
        let (selection, locks) = subject.touched(touch, edit.weights())?;
        let (outcome, facts) = apply(&edit.select(selection).lock(locks), &subject)?;
        let report = MeshReport::of(&subject, &outcome, facts);
        if report.is_changed() {
            changed.push((subject.mesh_index, outcome.weights));
        }
        reports.push(report);
    }
    write(operation, &file.file, &file.result, &character, changed, &reports, quiet)
}

/// The most influences where the command line does not say: what engines take, or what the mesh has.
pub(super) fn max_influences(wanted: Option<usize>, before: usize) -> usize {
    wanted.unwrap_or_else(|| before.max(4))
}

pub(super) fn smooth(args: &SmoothArgs, quiet: bool) -> Result<(), Failure> {
    change(&format!("smooth {} times", args.iterations), &args.file, &args.touch, quiet, |edit, _| {
        let most = max_influences(args.influences, edit.weights().max_influences());
        let options = SmoothOptions { iterations: args.iterations, step: args.step, most };
        Ok((ops::smooth(edit, &options)?, Vec::new()))
    })
}

pub(super) fn sharpen(args: &SharpenArgs, quiet: bool) -> Result<(), Failure> {
    change(&format!("sharpen by {}", args.power), &args.file, &args.touch, quiet, |edit, _| {
        Ok((ops::sharpen(edit, args.power)?, Vec::new()))
    })
}

pub(super) fn limit(args: &LimitArgs, quiet: bool) -> Result<(), Failure> {
    let (by, how) = if args.refit { (LimitBy::Refit, ", refitted") } else { (LimitBy::Size, "") };
    let operation = format!("limit to {}{how}", args.most);
    change(&operation, &args.file, &args.touch, quiet, |edit, _| {
        Ok((ops::limit(edit, args.most, by)?, Vec::new()))
    })
}

pub(super) fn prune(args: &PruneArgs, quiet: bool) -> Result<(), Failure> {
    change(&format!("prune below {}", args.below), &args.file, &args.touch, quiet, |edit, _| {
        Ok((ops::prune(edit, args.below)?, Vec::new()))
    })
}

pub(super) fn normalise(args: &NormaliseArgs, quiet: bool) -> Result<(), Failure> {
    change("normalise", &args.file, &args.touch, quiet, |edit, _| Ok((ops::normalise(edit)?, Vec::new())))
}

pub(super) fn quantise(args: &QuantiseArgs, quiet: bool) -> Result<(), Failure> {
    change("quantise", &args.file, &args.touch, quiet, |edit, _| {
        let made = ops::quantise(edit, args.bits.into())?;
        Ok((made.outcome, vec![("steps", Fact::Count(made.quantised.unorm().one().into()))]))
    })
}

pub(super) fn mirror(args: &MirrorArgs, quiet: bool) -> Result<(), Failure> {
    let options = MirrorOptions {
        axis: args.axis.into(),
        middle: args.middle,
        from: args.from.into(),
        tolerance: args.tolerance,
    };
    change("mirror", &args.file, &args.touch, quiet, |edit, subject| {
        let map = VertexMirrorMap::new(subject.mesh(), subject.skeleton(), subject.skin(), &options);
        let made = ops::mirror(edit, &map, &options)?;
        let unpaired = map.unpaired().iter().map(|&slot| subject.joint_name(slot)).collect();
        let facts = vec![
            ("points mirrored", Fact::Count(made.mirrored)),
            ("points in the middle", Fact::Count(made.centered)),
            ("points without a partner", Fact::Count(made.unmatched.len())),
            ("joints without a partner", Fact::Names(unpaired)),
        ];
        Ok((made.outcome, facts))
    })
}
