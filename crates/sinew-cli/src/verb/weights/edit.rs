//! Edits of existing weights.

mod args;
mod mirror;

pub(super) use args::{
    LimitArgs, MirrorArgs, NormalizeArgs, PruneArgs, QuantizeArgs, SharpenArgs, SmoothArgs,
};
pub(super) use mirror::mirror;

use super::{
    WeightsRun,
    args::{TouchArgs, WeightsFileArgs},
    open,
    report::{Fact, FactValue, MeshReport},
    skinned::MeshWithSkin,
};
use crate::failure::{AttemptWithOptions, Failure};
use sinew_author::weights::{
    Edit, EditOutcome, WeightError,
    ops::{self, LimitBy, SmoothOptions},
};

/// The outcome of an edit, with the facts that it reports besides its effect.
type Edited = Result<(EditOutcome, Vec<Fact>), WeightError>;

/// What an edit reads and which vertices and joints it may touch.
struct EditTarget<'a> {
    file: &'a WeightsFileArgs,
    touch: &'a TouchArgs,
    quiet: bool,
}

/// Edits every mesh that was asked for, writes the character and reports what was done.
fn edit(
    operation: &str,
    target: &EditTarget<'_>,
    apply: impl Fn(&Edit<'_>, &MeshWithSkin<'_>) -> Edited,
) -> Result<(), Failure> {
    let WeightsFileArgs { file, result, .. } = target.file;
    let character = open(file, target.quiet)?;
    let mut run = WeightsRun::new(operation, file, result);
    for mesh in MeshWithSkin::weighted(&character, file, result.mesh.as_deref())? {
        let poses = run.skins.poses(&mesh);
        let edit = Edit::new(mesh.mesh()).attempt_with_options(|| run.attempt())?.over(&poses);
        let (selection, locks) = mesh.touched(target.touch, edit.weights())?;
        let edited = apply(&edit.select(selection).lock(locks), &mesh);
        let (outcome, facts) = edited.attempt_with_options(|| run.attempt())?;
        let report = MeshReport::of(&mesh, &outcome, facts);
        run.add(mesh.mesh_index, outcome.weights, report);
    }
    run.finish(&character, target.quiet)
}

/// The maximum number of influences if the command line does not set it: 4, as most engines take, or what the mesh has.
pub(super) fn max_influences(wanted: Option<usize>, before: usize) -> usize {
    wanted.unwrap_or_else(|| before.max(4))
}

pub(super) fn smooth(args: &SmoothArgs, quiet: bool) -> Result<(), Failure> {
    let target = EditTarget { file: &args.file, touch: &args.touch, quiet };
    edit(&format!("smooth {} times", args.iterations), &target, |edit, _| {
        let max = max_influences(args.influences, edit.weights().max_influences());
        let options = SmoothOptions { iterations: args.iterations, step: args.step, max_influences: max };
        Ok((ops::smooth(edit, &options)?, Vec::new()))
    })
}

pub(super) fn sharpen(args: &SharpenArgs, quiet: bool) -> Result<(), Failure> {
    let target = EditTarget { file: &args.file, touch: &args.touch, quiet };
    edit(&format!("sharpen by {}", args.power), &target, |edit, _| {
        Ok((ops::sharpen(edit, args.power)?, Vec::new()))
    })
}

pub(super) fn limit(args: &LimitArgs, quiet: bool) -> Result<(), Failure> {
    let target = EditTarget { file: &args.file, touch: &args.touch, quiet };
    let (by, how) = if args.refit { (LimitBy::Refit, ", refitted") } else { (LimitBy::Size, "") };
    edit(&format!("limit to {}{how}", args.max), &target, |edit, _| {
        Ok((ops::limit(edit, args.max, by)?, Vec::new()))
    })
}

pub(super) fn prune(args: &PruneArgs, quiet: bool) -> Result<(), Failure> {
    let target = EditTarget { file: &args.file, touch: &args.touch, quiet };
    edit(&format!("prune below {}", args.below), &target, |edit, _| {
        Ok((ops::prune(edit, args.below)?, Vec::new()))
    })
}

pub(super) fn normalize(args: &NormalizeArgs, quiet: bool) -> Result<(), Failure> {
    let target = EditTarget { file: &args.file, touch: &args.touch, quiet };
    edit("normalize", &target, |edit, _| Ok((ops::normalize(edit)?, Vec::new())))
}

pub(super) fn quantize(args: &QuantizeArgs, quiet: bool) -> Result<(), Failure> {
    let target = EditTarget { file: &args.file, touch: &args.touch, quiet };
    edit("quantize", &target, |edit, _| {
        let quantized = ops::quantize(edit, args.bits.into())?;
        let steps = FactValue::Count(quantized.quantized.unorm().one().into());
        Ok((quantized.outcome, vec![Fact::new("step_count", "steps", steps)]))
    })
}
