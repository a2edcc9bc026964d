//! `--onto`: the motion of one file, retargeted to the character of another.

use super::{ConvertArgs, chosen, report, several_clips, write};
use crate::{failure::Failure, input, json, limits, losses, output};
use sinew::{Character, Clip};
use sinew_author::retarget::{JointMap, MapConfidence, RetargetError, RetargetOptions, retarget};
use sinew_formats::{
    WriteReport,
    export::{ExportFormat, ExportInput},
    joint_limits::solver_limits,
};
use std::sync::Arc;

pub(super) fn run(args: &ConvertArgs, format: ExportFormat, quiet: bool) -> Result<(), Failure> {
    let source = input::open_motion(&args.input, args.fps)?;
    let target = input::open(args.onto.as_deref().unwrap_or_default())?;
    let (from, onto) = (source.character.skeleton(), target.character.skeleton());
    let map = match &args.map {
        Some(path) => {
            let text = limits::read_text(path)?;
            JointMap::parse(&text, from, onto)
                .map_err(|e| Failure::usage(format!("{}: {e}", path.display())))?
        }
        None => JointMap::guess(&source.character, &target.character),
    };
    if let Some(path) = &args.write_map {
        // Written first, so that a retarget that fails for its map leaves the map to edit.
        output::write(path, map.to_text(from, onto))?;
    }
    let clip = source_clip(args, &source.character)?;
    if args.map.is_none() && !args.any_map {
        let confidence = MapConfidence::of(&map, &source.character, &target.character);
        confidence.accept().map_err(|e| failure(&e, args))?;
    }
    let options =
        RetargetOptions::default().with_feet(!args.no_feet).with_limits(solver_limits(&target.character));
    let (clip, figures) = retarget(&source.character, &clip, &target.character, &map, &options)
        .map_err(|e| failure(&e, args))?;
    let mut lost = WriteReport::default();
    losses::report_clip(&figures.losses, &format!("clip {:?} of {}", clip.name(), args.input), &mut lost);
    let clip = Arc::new(clip);
    let write = if format.input() == ExportInput::Clip {
        write(args, format, target.character.clone(), Some(clip), lost, quiet)?
    } else {
        write(args, format, with_clip(&target.character, clip)?, None, lost, quiet)?
    };
    if args.json {
        return json::print_written(&report::json(args, &figures), Some(&write));
    }
    if !quiet {
        super::print_findings(&source);
        super::print_findings(&target);
        if let Some(warning) = report::warning(&figures.confidence) {
            tell!("warning: {warning}");
        }
        output::print_text(report::text(&figures))?;
        for path in args.write_map.iter().chain([&args.output]) {
            tell!("wrote {}", path.display());
        }
    }
    Ok(())
}

fn source_clip(args: &ConvertArgs, source: &Character) -> Result<Arc<Clip>, Failure> {
    if let Some(clip) = chosen(args, source)? {
        return Ok(clip);
    }
    match source.clips() {
        [clip] => Ok(clip.clone()),
        [] => Err(Failure::usage(format!("{} has no clips", args.input))),
        _ => Err(several_clips(source, "one clip is retargeted")),
    }
}

/// `character` with one more clip, which replaces one of the same name.
fn with_clip(character: &Character, clip: Arc<Clip>) -> Result<Character, Failure> {
    let mut parts = character.clone().into_parts();
    parts.clips.retain(|c| c.name() != clip.name());
    parts.clips.push(clip);
    Character::new(parts).map_err(|e| Failure::usage(e.to_string()))
}

fn failure(error: &RetargetError, args: &ConvertArgs) -> Failure {
    let onto = args.onto.as_deref().unwrap_or_default();
    let hint = match error {
        RetargetError::NothingMapped if args.write_map.is_none() => {
            "; --write-map FILE writes a map to complete, --map FILE uses it"
        }
        RetargetError::HopelessMap { .. } => {
            "; --write-map FILE writes the map to correct, --map FILE uses it, --any-map retargets anyway"
        }
        _ => "",
    };
    Failure::usage(format!("cannot retarget {} to {onto}: {error}{hint}", args.input))
}
