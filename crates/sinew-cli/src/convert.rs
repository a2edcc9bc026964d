//! `sinew convert`.

mod onto;
mod report;

use crate::{args::ConvertArgs, clip::ClipArgs, failure::Failure, input, output};
use sinew::{Character, Clip};
use sinew_formats::{
    Import,
    bvh::{Bvh, BvhExport},
    write_file,
};
use std::sync::Arc;

pub(crate) fn run(args: &ConvertArgs, quiet: bool) -> Result<(), Failure> {
    let ending = args.output.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if !["glb", "gltf", "bvh"].contains(&ending.as_str()) {
        let what = format!("{} ends in neither .glb, .gltf nor .bvh", args.output.display());
        return Err(Failure::usage(what));
    }
    if args.onto.is_some() {
        return onto::run(args, &ending, quiet);
    }
    let import = input::open(&args.input)?;
    let clip = chosen(args, &import.character)?;
    write(args, &ending, import.character.clone(), clip)?;
    if !quiet {
        print_findings(&import);
        eprintln!("wrote {}", args.output.display());
    }
    Ok(())
}

/// The clip that was asked for by name.
fn chosen(args: &ConvertArgs, character: &Character) -> Result<Option<Arc<Clip>>, Failure> {
    ClipArgs { clip: args.clip.clone() }.choose(character)
}

/// Writes `character`, with nothing but `clip` to move it where one is given.
fn write(
    args: &ConvertArgs,
    ending: &str,
    character: Character,
    clip: Option<Arc<Clip>>,
) -> Result<(), Failure> {
    if ending == "bvh" {
        if let Some(clip) = clip {
            let bvh = Bvh::from_clip(&character, &clip, &BvhExport::default())?;
            return output::write(&args.output, bvh.to_text());
        }
        if character.clips().len() > 1 {
            return Err(several_clips(&character, "a .bvh holds one"));
        }
    }
    let Some(clip) = clip else { return Ok(write_file(&args.output, &character)?) };
    let mut parts = character.into_parts();
    parts.clips = vec![clip];
    let character = Character::new(parts).map_err(|e| Failure::usage(e.to_string()))?;
    Ok(write_file(&args.output, &character)?)
}

/// A clip has to be chosen.
fn several_clips(character: &Character, why: &str) -> Failure {
    let names: Vec<String> = character.clips().iter().map(|c| format!("{:?}", c.name())).collect();
    Failure::usage(format!("{why}: choose with --clip from {}", names.join(", ")))
}

fn print_findings(import: &Import) {
    for line in import.report.lines() {
        eprintln!("{line}");
    }
}
