//! `sinew rig`: roll joints and muscles, added and taken away.

mod args;

pub(crate) use args::RigArgs;

use crate::{failure::Failure, input, joint};
use args::{MuscleArgs, RemoveArgs, RigJob, RollsArgs};
use sinew::Character;
use sinew_author::helper_joints::{
    Added, HelperJointError, MuscleOptions, RollOptions, TwistEnd, add_muscle, add_rolls, remove_helper,
};
use sinew_formats::write_file;
use std::path::Path;

pub(crate) fn run(args: &RigArgs, quiet: bool) -> Result<(), Failure> {
    let (character, said, output) = match &args.job {
        RigJob::Rolls(args) => rolls(args)?,
        RigJob::Muscle(args) => muscle(args)?,
        RigJob::Remove(args) => remove(args)?,
    };
    write_file(output, &character)?;
    if !quiet {
        eprintln!("{said}\nwrote {}", output.display());
    }
    Ok(())
}

/// The character to write, what was done, and where to.
type RigOutcome<'a> = Result<(Character, String, &'a Path), Failure>;

fn rolls(args: &RollsArgs) -> RigOutcome<'_> {
    let character = input::open(&args.file.file)?.character;
    let (from, to) = (joint::find(&character, &args.from)?, joint::find(&character, &args.to)?);
    let end = if args.at_start { TwistEnd::Near } else { TwistEnd::Far };
    let options = RollOptions { count: args.count, end, most: args.influences };
    let added = add_rolls(&character, from, to, &options).map_err(refused)?;
    let mut said = format!(
        "{}: {} vertices follow them, with at most {} influences",
        names(&added),
        added.report.changed,
        added.report.max_influences
    );
    if added.report.held_points > 0 {
        said += &format!("; {} points at the limit follow one where two should", added.report.held_points);
    }
    Ok((added.character, said, &args.file.output))
}

fn muscle(args: &MuscleArgs) -> RigOutcome<'_> {
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
    let added = add_muscle(&character, bone, bends, &options).map_err(refused)?;
    let report = added.report;
    let said =
        format!("{}: {} vertices swell by up to {:.1} mm", names(&added), report.vertices, report.most_mm);
    Ok((added.character, said, &args.file.output))
}

fn remove(args: &RemoveArgs) -> RigOutcome<'_> {
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
    let (without, numbers) = remove_helper(&character, helper).map_err(refused)?;
    let said = format!("{:?} is gone, with {} joints", helpers[helper].name, numbers.gone().len());
    Ok((without, said, &args.file.output))
}

fn names<R>(added: &Added<R>) -> String {
    let names = added.joints.iter().map(|&joint| added.character.skeleton().name(joint));
    names.collect::<Vec<_>>().join(", ")
}

/// A wrong number is the command line's fault, all else the file's.
fn refused(error: HelperJointError) -> Failure {
    match error {
        HelperJointError::BadOption { .. } | HelperJointError::NotBelow { .. } => {
            Failure::usage(error.to_string())
        }
        _ => Failure::Work(error.to_string()),
    }
}
