//! `sinew rig`: skeletons for static meshes; roll joints and muscles, added and removed; properties of joints.

mod args;
mod axes;
mod humanoid;

pub(crate) use args::RigArgs;

use crate::{
    failure::{AttemptWithOptions, Failure},
    input, joint, json, output,
};
use args::{MuscleArgs, RemoveArgs, RigFileArgs, RigJob, RollsArgs, ScaleArgs};
use serde::Serialize;
use sinew::{Character, JointId, ScaleInheritance};
use sinew_author::helper_joints::{
    AddedHelper, BendEvidence, MuscleOptions, RollOptions, TwistEnd, add_muscle, add_rolls, bend_side,
    remove_helper,
};
use sinew_formats::joint_limits::solver_limits;

pub(crate) fn run(args: &RigArgs, quiet: bool) -> Result<(), Failure> {
    let RigFileArgs { output, write, .. } = args.job.file();
    output::require_gltf(output)?;
    let outcome = match &args.job {
        RigJob::Rolls(args) => rolls(args)?,
        RigJob::Muscle(args) => muscle(args)?,
        RigJob::Remove(args) => remove(args)?,
        RigJob::Scale(args) => scale(args)?,
        RigJob::Axes(args) => axes::run(args)?,
        RigJob::Humanoid(args) => humanoid::run(args)?,
    };
    let write = write.write(output, &outcome.character, quiet)?;
    if args.json {
        return json::print_written(&outcome.report, Some(&write));
    }
    if !quiet {
        tell!("{}", outcome.summary);
        tell!("wrote {}", output.display());
    }
    Ok(())
}

/// The character to write, and what was done to it.
struct RigOutcome {
    character: Character,
    summary: String,
    report: RigReport,
}

/// What was done, as JSON.
#[derive(Debug, Serialize)]
#[serde(tag = "operation", rename_all = "snake_case")]
enum RigReport {
    Rolls {
        added_joints: Vec<String>,
        changed_vertices: usize,
        max_influences: usize,
        held_points: usize,
    },
    Muscle {
        added_joints: Vec<String>,
        changed_vertices: usize,
        max_mm: f64,
        /// Around the bone, from the front.
        side_degrees: f64,
        side_from: SideFrom,
    },
    Remove {
        removed_helper: String,
        removed_joint_count: usize,
    },
    Scale {
        joints: Vec<String>,
        scale_inheritance: &'static str,
    },
    Humanoid {
        body: humanoid::BodyArg,
        height_m: f64,
        added_joints: Vec<String>,
        guessed_joints: Vec<String>,
    },
    Axes {
        meta_joint: String,
        meta_joint_count: usize,
    },
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
        names(&added).join(", "),
        added.report.changed,
        added.report.max_influences
    );
    if added.report.held_points > 0 {
        summary += &format!(
            "; {} points at the limit follow one roll joint instead of two",
            added.report.held_points
        );
    }
    let report = RigReport::Rolls {
        added_joints: names(&added),
        changed_vertices: added.report.changed,
        max_influences: added.report.max_influences,
        held_points: added.report.held_points,
    };
    Ok(RigOutcome { character: added.character, summary, report })
}

fn muscle(args: &MuscleArgs) -> Result<RigOutcome, Failure> {
    let character = input::open(&args.file.file)?.character;
    let (bone, bends) = (joint::find(&character, &args.bone)?, joint::find(&character, &args.bends)?);
    let side = MuscleSide::of(args, &character, bone, bends);
    let options = MuscleOptions {
        along: args.along,
        around_radians: side.degrees.to_radians(),
        reach: args.reach,
        strength: args.strength,
        swell: args.swell,
        slide: args.slide,
        full_bend_radians: args.full_bend.to_radians(),
    };
    let added = add_muscle(&character, bone, bends, &options)
        .attempt_with_options(|| format!("add a muscle to {}", args.file.file))?;
    let (joints, vertices, max_mm) = (names(&added), added.report.vertices, added.report.max_mm);
    let summary = format!(
        "{}: {vertices} vertices swell by up to {max_mm:.1} mm, at {:.0}° from the front ({})",
        joints.join(", "),
        // Not "-0".
        side.degrees.round() + 0.0,
        side.text()
    );
    let report = RigReport::Muscle {
        added_joints: joints,
        changed_vertices: vertices,
        max_mm: f64::from(max_mm),
        side_degrees: f64::from(side.degrees),
        side_from: side.from,
    };
    Ok(RigOutcome { character: added.character, summary, report })
}

/// The side of the bone on which a muscle lies, and what decided it.
struct MuscleSide {
    degrees: f32,
    from: SideFrom,
}

/// What decided the side of a muscle.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum SideFrom {
    Option,
    Limit,
    Clips,
    Default,
}

impl MuscleSide {
    fn of(args: &MuscleArgs, character: &Character, bone: JointId, bends: JointId) -> Self {
        if let Some(degrees) = args.side {
            return Self { degrees, from: SideFrom::Option };
        }
        let limits = solver_limits(character);
        let Some(found) = bend_side(character, bone, bends, None, limits.get(&bends)) else {
            return Self { degrees: 0.0, from: SideFrom::Default };
        };
        let from = match found.evidence {
            BendEvidence::Limit => SideFrom::Limit,
            BendEvidence::Pose | BendEvidence::Clips => SideFrom::Clips,
        };
        Self { degrees: found.around_radians.to_degrees(), from }
    }

    fn text(&self) -> &'static str {
        match self.from {
            SideFrom::Option => "as given",
            SideFrom::Limit => "the side to which the joint's limit opens",
            SideFrom::Clips => "the side to which the joint bends in the clips",
            SideFrom::Default => "neither a limit nor a clip shows a bend",
        }
    }
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
    let (removed_helper, removed_joint_count) = (helpers[helper].name.clone(), numbers.gone().len());
    let summary = format!("removed {removed_helper:?} with {removed_joint_count} joints");
    let report = RigReport::Remove { removed_helper, removed_joint_count };
    Ok(RigOutcome { character: without, summary, report })
}

fn scale(args: &ScaleArgs) -> Result<RigOutcome, Failure> {
    let mut character = input::open(&args.file.file)?.character;
    let inheritance = ScaleInheritance::find(&args.inherit).unwrap_or_default();
    let mut joints = Vec::with_capacity(args.joint.len());
    for name in &args.joint {
        let joint = joint::find(&character, name)?;
        character = character.with_scale_inheritance(joint, inheritance);
        joints.push(character.skeleton().name(joint).to_owned());
    }
    let scale_inheritance = inheritance.name();
    let summary = format!("{}: scale inheritance is {scale_inheritance}", joints.join(", "));
    Ok(RigOutcome { character, summary, report: RigReport::Scale { joints, scale_inheritance } })
}

fn names<R>(added: &AddedHelper<R>) -> Vec<String> {
    added.joints.iter().map(|&joint| added.character.skeleton().name(joint).to_owned()).collect()
}
