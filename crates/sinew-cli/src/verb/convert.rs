//! `sinew convert`: characters and motions in another format.

mod args;
mod markers;
mod onto;
mod report;

pub(crate) use args::ConvertArgs;

use crate::{
    batch::{self, BatchArgs, BatchFile, BatchJob, BatchResults},
    clip::ClipArgs,
    failure::{Attempt, Failure},
    input, json, output,
};
use serde::Serialize;
use sinew::{Character, Clip};
use sinew_author::{ScaleBakeOptions, bake_scale};
use sinew_formats::{
    Import, WriteReport,
    export::{ExportFormat, ExportInput},
};
use std::{path::PathBuf, process::ExitCode, sync::Arc};

pub(crate) fn run(args: &ConvertArgs, quiet: bool) -> Result<ExitCode, Failure> {
    let jobs = match (&args.files[..], &args.batch.out_dir) {
        ([input, output], None) => {
            vec![BatchJob { file: BatchFile::named(input), output: PathBuf::from(output) }]
        }
        (files, Some(_)) => batch::jobs(files, None, &args.batch, |_| args.to.clone())?,
        (_, None) => return Err(Failure::usage("give IN and OUT, or several files with --out-dir DIR")),
    };
    let batch = BatchArgs { is_json: args.json, ..args.batch.clone() };
    BatchResults::run(&jobs, &batch, quiet, |job| {
        let args = ConvertArgs { input: job.file.name.clone(), output: job.output.clone(), ..args.clone() };
        convert(&args, quiet)
    })
}

fn convert(args: &ConvertArgs, quiet: bool) -> Result<(), Failure> {
    if markers::run(args, quiet)? {
        return Ok(());
    }
    let standard = output::is_standard(&args.output).then_some(ExportFormat::Glb);
    let Some(format) = ExportFormat::of_path(&args.output).or(standard) else {
        let list = ExportFormat::character_list("or");
        return Err(Failure::usage(format!("OUT must end in {list}, got {}", args.output.display())));
    };
    if args.onto.is_some() {
        return onto::run(args, format, quiet);
    }
    let import = input::open_at(&args.input, args.fps)?;
    let clip = chosen(args, &import.character)?;
    let baked = args.bake_scale.then(|| baked_scale(args, &import.character)).transpose()?;
    let (character, note) = match baked {
        Some((character, note)) => (character, Some(note)),
        None => (import.character.clone(), None),
    };
    // Baked clips keep their places.
    let place = clip.and_then(|clip| import.character.clips().iter().position(|c| Arc::ptr_eq(c, &clip)));
    let clip = place.map(|place| Arc::clone(&character.clips()[place]));
    let write = write(args, format, character, clip, WriteReport::default(), quiet)?;
    if args.json {
        let report = ConvertReport { file: &args.input, output: args.output.display().to_string() };
        return json::print_written(&report, Some(&write));
    }
    if !quiet {
        print_findings(&import);
        note.iter().for_each(|note| tell!("{note}"));
        output::tell_written(&args.output);
    }
    Ok(())
}

/// What a conversion did, as JSON.
#[derive(Serialize)]
struct ConvertReport<'a> {
    file: &'a str,
    output: String,
}

/// The character with all scale inherited, and a line about what was lost.
fn baked_scale(args: &ConvertArgs, character: &Character) -> Result<(Character, String), Failure> {
    let (baked, report) = bake_scale(character, &ScaleBakeOptions::default())
        .attempt(|| format!("bake the scale of {}", args.input))?;
    let mut note = format!(
        "baked the scale of {} joints into {} keys; the largest error is {:.3} mm",
        report.compensated_joints.len(),
        report.keys,
        report.error_meters * 1000.0
    );
    if let Some(joint) = report.worst_joint {
        note += &format!(", at {:?}, where an uneven scale leaves shear", character.skeleton().name(joint));
    }
    if !report.skipped_clips.is_empty() {
        note += &format!("; additive clips stay as they are: {}", report.skipped_clips.join(", "));
    }
    Ok((baked, note))
}

/// The clip that `--clip` names.
fn chosen(args: &ConvertArgs, character: &Character) -> Result<Option<Arc<Clip>>, Failure> {
    ClipArgs { clip: args.clip.clone() }.choose(character)
}

/// Writes `character`; if a clip is given, with that clip alone. `lost` is what is lost already.
fn write(
    args: &ConvertArgs,
    format: ExportFormat,
    character: Character,
    clip: Option<Arc<Clip>>,
    lost: WriteReport,
    quiet: bool,
) -> Result<WriteReport, Failure> {
    if format.input() == ExportInput::Clip && clip.is_none() && character.clips().len() > 1 {
        return Err(several_clips(&character, &format!("a .{} holds one clip", format.extension())));
    }
    let Some(clip) = clip else { return args.write.write_after(lost, &args.output, &character, quiet) };
    let mut parts = character.into_parts();
    parts.clips = vec![clip];
    let character = Character::new(parts).map_err(|e| Failure::usage(e.to_string()))?;
    args.write.write_after(lost, &args.output, &character, quiet)
}

/// The failure that asks for `--clip`, with the clips to choose from.
fn several_clips(character: &Character, why: &str) -> Failure {
    let names: Vec<String> = character.clips().iter().map(|c| format!("{:?}", c.name())).collect();
    Failure::usage(format!("{why}: choose with --clip from {}", names.join(", ")))
}

fn print_findings(import: &Import) {
    for line in import.report.lines() {
        tell!("{line}");
    }
}
