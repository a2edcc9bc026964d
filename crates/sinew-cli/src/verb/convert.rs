//! `sinew convert`: characters and motions in another format.

mod args;
mod onto;
mod report;

pub(crate) use args::ConvertArgs;

use crate::{clip::ClipArgs, failure::Failure, input};
use sinew::{Character, Clip};
use sinew_formats::{
    Import,
    export::{ExportFormat, ExportInput},
    write_file,
};
use std::sync::Arc;

pub(crate) fn run(args: &ConvertArgs, quiet: bool) -> Result<(), Failure> {
    let Some(format) = ExportFormat::of_path(&args.output) else {
        let list = ExportFormat::character_list("or");
        return Err(Failure::usage(format!("OUT must end in {list}, got {}", args.output.display())));
    };
    if args.onto.is_some() {
        return onto::run(args, format, quiet);
    }
    let import = input::open(&args.input)?;
    let clip = chosen(args, &import.character)?;
    write(args, format, import.character.clone(), clip)?;
    if !quiet {
        print_findings(&import);
        eprintln!("wrote {}", args.output.display());
    }
    Ok(())
}

/// The clip that `--clip` names.
fn chosen(args: &ConvertArgs, character: &Character) -> Result<Option<Arc<Clip>>, Failure> {
    ClipArgs { clip: args.clip.clone() }.choose(character)
}

/// Writes `character`; if a clip is given, with that clip alone.
fn write(
    args: &ConvertArgs,
    format: ExportFormat,
    character: Character,
    clip: Option<Arc<Clip>>,
) -> Result<(), Failure> {
    if format.input() == ExportInput::Clip && clip.is_none() && character.clips().len() > 1 {
        return Err(several_clips(&character, &format!("a .{} holds one clip", format.extension())));
    }
    let Some(clip) = clip else { return Ok(write_file(&args.output, &character)?) };
    let mut parts = character.into_parts();
    parts.clips = vec![clip];
    let character = Character::new(parts).map_err(|e| Failure::usage(e.to_string()))?;
    Ok(write_file(&args.output, &character)?)
}

/// The failure that asks for `--clip`, with the clips to choose from.
fn several_clips(character: &Character, why: &str) -> Failure {
    let names: Vec<String> = character.clips().iter().map(|c| format!("{:?}", c.name())).collect();
    Failure::usage(format!("{why}: choose with --clip from {}", names.join(", ")))
}

fn print_findings(import: &Import) {
    for line in import.report.lines() {
        eprintln!("{line}");
    }
}
