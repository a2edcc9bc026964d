//! `sinew rig`: roll joints and muscles, added and removed.

mod args;

pub(crate) use args::RigArgs;

use crate::{
    failure::{AttemptWithOptions, Failure},
    input, joint, output,
};
use args::{MuscleArgs, RemoveArgs, RigJob, RollsArgs};
use sinew::Character;
use sinew_author::helper_joints::{
    AddedHelper, MuscleOptions, RollOptions, TwistEnd, add_muscle, add_rolls, remove_helper,
};
use sinew_formats::write_file;

pub(crate) fn run(args: &RigArgs, quiet: bool) -> Result<(), Failure> {
    output::require_gltf(args.job.output())?;
    let outcome = match &args.job {
        RigJob::Rolls(args) => rolls(args)?,
        RigJob::Muscle(args) => muscle(args)?,
        RigJob::Remove(args) => remove(args)?,
    };
    let output = args.job.output();
    write_file(output, &outcome.character)?;
    if !quiet {
        eprintln!("{}\nwrote {}", outcome.summary, output.display());
    }
    Ok(())
}

/// The character to write, and what was done to it.
struct RigOutcome {
    character: Character,
    summary: String,
}

fn rolls(args: &RollsArgs) -> Result<RigOutcome, Failure> {
    let character = input::open(&args.file.file)?.character;
    let (from, to) = (joint::find(&character, &args.from)?, joint::find(&character, &args.to)?);
    let end = if args.at_start { TwistEnd::Near } else { TwistEnd::Far };
    let options = RollOptions { count: args.count, end, max_influences: args.influences };
    let added = add_rolls(&character, from, to, &options)
        .attempt_with_options(|| format!("add roll joints to {}", args.file.file))?;
    let mut summary = format!(
        "{}: {} influenced vertices, with at most {} influences",
        names(&added),
        added.report.changed,
        added.report.max_influences
    );
    if added.report.held_points > 0 {
        summary += &format!(
            "; {} points at the limit follow one roll joint instead of two",
            added.report.held_points
        );
    }
    Ok(RigOutcome { character: added.character, summary })
}

fn muscle(args: &MuscleArgs) -> Result<RigOutcome, Failure> {
    let character = input::open(&args.file.file)?.character;
    let (bone, bends) = (joint::find(&character, &args.bone)?, joint::find(&character, &args.bends)?);
    let options = MuscleOptions {
        along: args.along,
        around_radians: args.side.to_radians(),
        reach: args.reach,
        strength: args.strength,
        swell: args.swell,
        slide: args.slide,
        full_bend_radians: args.full_bend.to_radians(),
    };
    let added = add_muscle(&character, bone, bends, &options)
        .attempt_with_options(|| format!("add a muscle to {}", args.file.file))?;
    let report = added.report;
    let summary =
        format!("{}: {} vertices swell by up to {:.1} mm", names(&added), report.vertices, report.max_mm);
    Ok(RigOutcome { character: added.character, summary })
}

fn remove(args: &RemoveArgs) -> Result<RigOutcome, Failure> {
    let character = input::open(&args.file.file)?.character;
    let helpers = character.helpers();
    let by_name = helpers.iter().position(|helper| helper.name == args.helper);
    let found = by_name.or_else(|| args.helper.parse().ok().filter(|&place| place < helpers.len()));
    let helper = found.ok_or_else(|| {
        let names: Vec<String> = helpers.iter().map(|helper| format!("{:?}", helper.name)).collect();
        let known =
            if names.is_empty() { "there is none".into() } else { format!("there are {}", names.join(", ")) };
        Failure::usage(format!("there is no helper {:?}; {known}", args.helper))
    })?;
    let (without, numbers) = remove_helper(&character, helper)
        .attempt_with_options(|| format!("remove a helper from {}", args.file.file))?;
    let summary = format!("removed {:?} with {} joints", helpers[helper].name, numbers.gone().len());
    Ok(RigOutcome { character: without, summary })
}

fn names<R>(added: &AddedHelper<R>) -> String {
    let names = added.joints.iter().map(|&joint| added.character.skeleton().name(joint));
    names.collect::<Vec<_>>().join(", ")
}
