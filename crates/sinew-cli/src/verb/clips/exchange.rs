//! Clips as text, out and in.

use super::{ClipsOutcome, args::ClipsFileArgs};
use crate::{
    clip,
    failure::{AttemptWithOptions, Failure},
    input, limits, output,
};
use clap::ValueHint;
use sinew::Character;
use sinew_author::motion::{with_added_clip, with_replaced_clip};
use sinew_formats::clip_text::{self, ClipTextOptions};
use std::path::PathBuf;

/// Write the keys of clips as text that people can edit and version control can compare.
#[derive(Debug, clap::Args)]
pub(super) struct ExportArgs {
    #[arg(value_hint = ValueHint::FilePath, help = input::file_help())]
    pub(super) file: String,

    /// Write this clip only, by name or by number from 0; may be given several times.
    #[arg(long, value_name = "NAME|INDEX")]
    pub(super) clip: Vec<String>,

    /// Write rotations as degrees from rest about X, Y and Z, rounded to 1e-5; without it as exact quaternions.
    #[arg(long)]
    pub(super) degrees: bool,

    /// The text to write; without it the text is printed.
    #[arg(short, long, value_name = "TEXT", value_hint = ValueHint::FilePath)]
    pub(super) output: Option<PathBuf>,
}

/// Read clips from text and add them to a character.
#[derive(Debug, clap::Args)]
pub(super) struct ImportArgs {
    #[command(flatten)]
    pub(super) file: ClipsFileArgs,

    /// A text file that `sinew clips export` wrote or that has the same form.
    #[arg(value_name = "TEXT", value_hint = ValueHint::FilePath)]
    pub(super) text: PathBuf,

    /// Replace clips that have the same name.
    #[arg(long)]
    pub(super) replace: bool,
}

pub(super) fn export(args: &ExportArgs, quiet: bool) -> Result<(), Failure> {
    let character = input::open_reporting(&args.file, quiet)?.character;
    let chosen: Result<Vec<usize>, Failure> =
        args.clip.iter().map(|name| clip::find(&character, name)).collect();
    let chosen = if args.clip.is_empty() { (0..character.clips().len()).collect() } else { chosen? };
    let clips: Vec<_> = chosen.into_iter().map(|index| character.clips()[index].clone()).collect();
    let options = ClipTextOptions::default().with_degrees(args.degrees);
    let text = clip_text::to_text(&clips, &character, &options);
    let Some(path) = &args.output else { return output::print_data(text) };
    output::write(path, text)?;
    if !quiet {
        tell!("wrote {}", path.display());
    }
    Ok(())
}

pub(super) fn import(character: &Character, args: &ImportArgs) -> Result<ClipsOutcome, Failure> {
    let text = limits::read_text(&args.text)?;
    let clips = clip_text::parse(&text, character)
        .map_err(|source| Failure::ClipText { path: args.text.clone(), source })?;
    let (mut edited, mut changed) = (character.clone(), Vec::new());
    for clip in clips {
        let same = edited.clips().iter().position(|other| other.name() == clip.name());
        let (next, index) = match same.filter(|_| args.replace) {
            Some(index) => (with_replaced_clip(&edited, index, clip), index),
            None => (with_added_clip(&edited, clip), edited.clips().len()),
        };
        edited = next.attempt_with_options(|| format!("import {}", args.text.display()))?;
        changed.push(index);
    }
    let summary = format!("imported {} clips", changed.len());
    Ok(ClipsOutcome { operation: "import", character: edited, changed, summary })
}
