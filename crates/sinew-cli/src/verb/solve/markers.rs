//! `sinew solve markers`: joint rotations from the markers of a capture.

use super::{args::MarkersArgs, report};
use crate::{
    failure::{AttemptWithOptions, Failure, OptionFault},
    input, json, limits, output, progress,
};
use sinew::{Character, Clip, MarkerCapture, UpAxis};
use sinew_author::markers::{
    AttachmentGuess, CalibrateOptions, CalibrationReport, MarkerAttachments, MarkerSolveError,
    MarkerSolveOptions, MarkerSolveReport, calibrate_markers, guess_attachments, guess_scale, solve_markers,
};
use sinew_formats::{
    export::{ExportFormat, ExportInput},
    joint_limits::solver_limits,
    markers::MarkerImport,
};
use std::{sync::Arc, time::Instant};

/// Everything that the report tells.
pub(super) struct SolvedMarkers {
    pub(super) import: MarkerImport,
    pub(super) up: UpAxis,
    pub(super) guesses: Vec<AttachmentGuess>,
    pub(super) calibration: Option<CalibrationReport>,
    pub(super) scale: f32,
    pub(super) report: MarkerSolveReport,
    pub(super) solve_secs: f64,
}

pub(super) fn run(args: &MarkersArgs, quiet: bool) -> Result<(), Failure> {
    let Some(format) = ExportFormat::of_path(&args.output) else {
        let list = ExportFormat::character_list("or");
        return Err(Failure::usage(format!("OUT must end in {list}, got {}", args.output.display())));
    };
    let import = input::open_markers(&args.input)?;
    let character = input::open_reporting(&args.onto, quiet)?.character;
    let up = args.up.unwrap_or_else(|| import.up_or_guess());
    let capture = import.capture.turned_to_y_up(up);
    let mut options = options(args, &character, &capture);
    let (mut attachments, guesses) = attachments(args, &character, &capture, &options)?;
    let calibration = if args.calibrate {
        let (found, report) = calibrated(args, &character, &capture, &attachments, &options, quiet)?;
        options.scale = report.scale;
        attachments = found;
        Some(report)
    } else {
        None
    };
    if let Some(path) = &args.write_attach {
        // Written first, so that a solve that fails leaves attachments to edit.
        output::write(path, attachments.to_text(character.skeleton()))?;
    }
    let bar = progress::bar(100, "solving", quiet);
    let start = Instant::now();
    let (clip, report) =
        solve_markers(&character, &capture, &attachments, &name(args), &options, &mut |done| {
            bar.set_position((done * 100.0) as u64);
            limits::go_on()
        })
        .attempt_with_options(|| attempt(args))?;
    let solve_secs = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let write = args.write.write(&args.output, &with_clip(&character, clip, format)?, quiet)?;
    let solved = SolvedMarkers { import, up, guesses, calibration, scale: options.scale, report, solve_secs };
    if args.json {
        return json::print_written(&report::json(args, &solved), Some(&write));
    }
    if !quiet {
        output::print_text(report::text(args, &solved))?;
        for path in args.write_attach.iter().chain([&args.output]) {
            tell!("wrote {}", path.display());
        }
    }
    Ok(())
}

fn attempt(args: &MarkersArgs) -> String {
    format!("solve {} onto {}", args.input.display(), args.onto)
}

fn name(args: &MarkersArgs) -> String {
    let stem = || args.input.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    args.name.clone().unwrap_or_else(stem)
}

/// The frame in which the subject stands in the rest pose.
fn rest_frame(args: &MarkersArgs) -> usize {
    args.rest.as_ref().map_or(0, |rest| rest.0.start)
}

fn options(args: &MarkersArgs, character: &Character, capture: &MarkerCapture) -> MarkerSolveOptions {
    let guess = || if args.fit_scale { guess_scale(character, capture, rest_frame(args)) } else { 1.0 };
    let options = MarkerSolveOptions::default()
        .with_outlier_meters(args.outlier / 1000.0)
        .with_max_gap_secs(args.max_gap)
        .with_scale(args.scale.unwrap_or_else(guess));
    let options = options.with_smoothing(args.smooth);
    if args.no_limits { options } else { options.with_limits(solver_limits(character)) }
}

/// The attachments of --attach, or a guess.
fn attachments(
    args: &MarkersArgs,
    character: &Character,
    capture: &MarkerCapture,
    options: &MarkerSolveOptions,
) -> Result<(MarkerAttachments, Vec<AttachmentGuess>), Failure> {
    if let Some(path) = &args.attach {
        let text = limits::read_text(path)?;
        let read = MarkerAttachments::parse(&text, character.skeleton())
            .map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
        return Ok((read, vec![]));
    }
    let scale = options.scale;
    let sized = capture.mapped(|p| p / scale).map_err(|_| Failure::not_positive("--scale", scale))?;
    guess_attachments(character, &sized, rest_frame(args)).attempt_with_options(|| attempt(args))
}

fn calibrated(
    args: &MarkersArgs,
    character: &Character,
    capture: &MarkerCapture,
    attachments: &MarkerAttachments,
    options: &MarkerSolveOptions,
    quiet: bool,
) -> Result<(MarkerAttachments, CalibrationReport), Failure> {
    let rest = args.rest.as_ref().map_or(0..0, |rest| rest.0.clone());
    let calibrate = CalibrateOptions::default().with_rest_frames(rest).with_fit_scale(args.fit_scale);
    let bar = progress::bar(100, "calibrating", quiet);
    let found = calibrate_markers(character, capture, attachments, options, &calibrate, &mut |done| {
        bar.set_position((done * 100.0) as u64);
        limits::go_on()
    });
    bar.finish_and_clear();
    found.attempt_with_options(|| attempt(args))
}

/// `character` with one more clip, which replaces one of the same name; for a format of one clip, with that clip alone.
fn with_clip(character: &Character, clip: Clip, format: ExportFormat) -> Result<Character, Failure> {
    let mut parts = character.clone().into_parts();
    let takes_one = format.input() == ExportInput::Clip;
    parts.clips.retain(|other| !takes_one && other.name() != clip.name());
    parts.clips.push(Arc::new(clip));
    Character::new(parts).map_err(|error| Failure::work("add the clip", error))
}

impl OptionFault for MarkerSolveError {
    fn is_option_fault(&self) -> bool {
        matches!(self, Self::BadOption { .. } | Self::TooFewSeen { .. } | Self::NothingAttached)
    }
}
