//! What the clips of a file are, and what was done to them.

use super::{ClipsOutcome, args::ClipsFileArgs};
use crate::{failure::Failure, input, json, output, text::plain};
use serde::Serialize;
use sinew::{Channel, Clip, ClipKind};
use sinew_formats::WriteReport;
use std::fmt::Write as _;

/// One clip, as JSON.
#[derive(Debug, Serialize)]
pub(super) struct ClipReport {
    index: usize,
    name: String,
    duration_secs: f32,
    last_key_secs: f32,
    kind: &'static str,
    channel_count: usize,
    key_count: usize,
    event_count: usize,
    meta_channel_count: usize,
}

impl ClipReport {
    fn new(index: usize, clip: &Clip) -> Self {
        Self {
            index,
            name: clip.name().to_owned(),
            duration_secs: clip.duration_secs(),
            last_key_secs: clip.last_key_secs(),
            kind: match clip.kind() {
                ClipKind::Absolute => "absolute",
                ClipKind::Additive => "additive",
            },
            channel_count: clip.channels().len(),
            key_count: clip.channels().iter().map(Channel::key_count).sum(),
            event_count: clip.events().len(),
            meta_channel_count: clip.metas().len(),
        }
    }
}

#[derive(Debug, Serialize)]
struct ListReport<'a> {
    file: &'a str,
    clips: Vec<ClipReport>,
}

/// What a job did, as JSON.
#[derive(Debug, Serialize)]
struct EditReport<'a> {
    file: &'a str,
    output: String,
    operation: &'static str,
    /// The clips that were made or changed.
    clips: Vec<ClipReport>,
}

/// Prints the clips of a file.
pub(super) fn list(file: &str, as_json: bool) -> Result<(), Failure> {
    let character = input::open(file)?.character;
    let clips: Vec<ClipReport> =
        character.clips().iter().enumerate().map(|(index, clip)| ClipReport::new(index, clip)).collect();
    if as_json {
        return json::print(&ListReport { file, clips });
    }
    let mut text = String::new();
    if clips.is_empty() {
        text.push_str("no clips\n");
    }
    for clip in &clips {
        // Writing to a string cannot fail.
        let _ = write!(text, "{:>3}  {:<24} {:>8.3} s", clip.index, plain(&clip.name), clip.duration_secs);
        let _ = write!(text, "  {:>5} keys in {:>4} channels", clip.key_count, clip.channel_count);
        if clip.event_count > 0 {
            let _ = write!(text, ", {} events", clip.event_count);
        }
        if clip.meta_channel_count > 0 {
            let _ = write!(text, ", {} meta-channels", clip.meta_channel_count);
        }
        if clip.kind == "additive" {
            text.push_str(", additive");
        }
        text.push('\n');
    }
    output::print_text(text)
}

/// Prints what was done.
pub(super) fn print(
    file: &ClipsFileArgs,
    outcome: &ClipsOutcome,
    write: &WriteReport,
    as_json: bool,
    quiet: bool,
) -> Result<(), Failure> {
    let output = file.output.display().to_string();
    if as_json {
        let all = outcome.character.clips();
        let changed = outcome.changed.iter().filter_map(|&index| Some((index, all.get(index)?)));
        let clips = changed.map(|(index, clip)| ClipReport::new(index, clip)).collect();
        let report = EditReport { file: &file.file, output, operation: outcome.operation, clips };
        return json::print_written(&report, Some(write));
    }
    if !quiet {
        tell!("{}", outcome.summary);
        tell!("wrote {output}");
    }
    Ok(())
}
