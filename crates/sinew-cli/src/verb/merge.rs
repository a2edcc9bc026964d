//! `sinew merge`: the clips of many files on one character.

use crate::{
    failure::{Attempt, Failure},
    input, json, losses, output, progress,
    write::WriteArgs,
};
use clap::ValueHint;
use serde::Serialize;
use sinew::{Character, Clip};
use sinew_author::merge::{MergeOptions, MergedBy, MergedClip, merge_clip, merged_name};
use sinew_formats::{Outcome, WriteReport};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Bring the clips of many files to one character.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A clip whose joints have the same names and rest poses as the character's is copied key by key.
Other clips are retargeted, by the humanoids of VRM files or by names, hierarchy and shape; clips of
bodies that do not match are refused. One file that cannot be merged does not stop the others.

Examples:
  sinew merge hero.glb run.fbx jump.fbx -o hero_all.glb
  sinew merge hero.vrm motions/*.bvh -o hero_all.vrm --json")]
pub(crate) struct MergeArgs {
    /// The character that gets the clips.
    #[arg(value_name = "BODY", value_hint = ValueHint::FilePath)]
    body: String,

    /// Files whose clips are merged, or folders of such files.
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<String>,

    /// The file to write: .glb, .gltf or .vrm.
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    output: PathBuf,

    /// Leave the clips of BODY out.
    #[arg(long)]
    only_new: bool,

    /// Retarget even if the joints hardly match.
    #[arg(long)]
    any_map: bool,

    /// Print what was merged as JSON, for programs.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    write: WriteArgs,
}

/// What was merged, as JSON.
#[derive(Serialize)]
struct MergeReport<'a> {
    body: &'a str,
    output: String,
    clips: Vec<ClipReport>,
    failed: Vec<FailedFile>,
}

#[derive(Serialize)]
struct ClipReport {
    file: String,
    clip: String,
    name: String,
    by: &'static str,
    duration_secs: f32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost_joints: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost_translations: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost_scales: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lost_metas: Vec<String>,
    #[serde(skip_serializing_if = "is_zero")]
    lost_morphs: usize,
}

#[derive(Serialize)]
struct FailedFile {
    file: String,
    error: String,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

pub(crate) fn run(args: &MergeArgs, quiet: bool) -> Result<(), Failure> {
    output::require_gltf(&args.output)?;
    let body = input::open_reporting(&args.body, quiet)?.character;
    let files: Vec<String> = input::batch(&args.files)?.into_iter().map(|file| file.name).collect();
    let mut clips: Vec<Arc<Clip>> = if args.only_new { Vec::new() } else { body.clips().to_vec() };
    let mut taken: BTreeSet<String> = clips.iter().map(|clip| clip.name().to_owned()).collect();
    let options = MergeOptions::default().with_force(args.any_map);
    let (mut merged, mut failed, mut lost) = (Vec::new(), Vec::new(), WriteReport::default());
    let bar = progress::bar(files.len() as u64, "merging", quiet);
    for file in &files {
        match merge_file(&body, file, &options) {
            Ok(found) => {
                for (original, outcome) in found {
                    let name = merged_name(&original, &stem(file), &taken);
                    taken.insert(name.clone());
                    losses::report_clip(&outcome.losses, &format!("clip {original:?} of {file}"), &mut lost);
                    merged.push(report(file, original, &name, &outcome));
                    clips.push(Arc::new(named(outcome.clip, name)?));
                }
            }
            Err(failure) => {
                let error = failure.to_string();
                lost.add(Outcome::Dropped, "file", file, 1, &error);
                failed.push(FailedFile { file: file.clone(), error });
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if merged.is_empty() {
        failed.iter().for_each(|file| tell!("sinew: {}", file.error));
        return Err(Failure::work(format!("merge clips into {}", args.body), "no file has a clip that fits"));
    }
    let mut parts = body.into_parts();
    parts.clips = clips;
    let character = Character::new(parts).attempt(|| format!("merge clips into {}", args.body))?;
    let write = args.write.write_after(lost, &args.output, &character, quiet)?;
    finish(args, merged, failed, &write, quiet)
}

fn finish(
    args: &MergeArgs,
    clips: Vec<ClipReport>,
    failed: Vec<FailedFile>,
    write: &WriteReport,
    quiet: bool,
) -> Result<(), Failure> {
    let failures = failed.len();
    let output = args.output.display().to_string();
    let report = MergeReport { body: &args.body, output, clips, failed };
    if args.json {
        json::print_written(&report, Some(write))?;
    } else if !quiet {
        for clip in &report.clips {
            tell!("{:?} of {} by {}", clip.name, clip.file, clip.by);
        }
        tell!("merged {} clips", report.clips.len());
        tell!("wrote {}", report.output);
    }
    if failures > 0 {
        return Err(Failure::work("merge every file", format!("{failures} could not be merged")));
    }
    Ok(())
}

/// Every clip of a file, brought to `body`.
fn merge_file(
    body: &Character,
    file: &str,
    options: &MergeOptions,
) -> Result<Vec<(String, MergedClip)>, Failure> {
    let source = input::open_motion(file, None)?.character;
    let attempt = || format!("merge {file}");
    if source.clips().is_empty() {
        return Err(Failure::work(attempt(), "it has no clips"));
    }
    let clip = |clip: &Arc<Clip>| {
        let merged = merge_clip(body, &source, clip, options).attempt(attempt)?;
        Ok((clip.name().to_owned(), merged))
    };
    source.clips().iter().map(clip).collect()
}

fn report(file: &str, clip: String, name: &str, merged: &MergedClip) -> ClipReport {
    let (by, losses): (MergedBy, _) = (merged.by, merged.losses.clone());
    ClipReport {
        file: file.to_owned(),
        clip,
        name: name.to_owned(),
        by: by.name(),
        duration_secs: merged.clip.duration_secs(),
        lost_joints: losses.joints,
        lost_translations: losses.translations,
        lost_scales: losses.scales,
        lost_metas: losses.metas,
        lost_morphs: losses.morphs,
    }
}

fn named(clip: Clip, name: String) -> Result<Clip, Failure> {
    let parts = sinew::ClipParts { name, ..clip.parts().clone() };
    Clip::from_parts(parts).attempt(|| "name a clip")
}

fn stem(file: &str) -> String {
    Path::new(file).file_stem().map_or_else(|| file.to_owned(), |stem| stem.to_string_lossy().into_owned())
}
