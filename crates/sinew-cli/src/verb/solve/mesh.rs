//! `sinew solve mesh`: joints, weights and a clip from a mesh that moves.

mod frames;

use super::args::MeshArgs;
use crate::{
    failure::{AttemptWithOptions, Failure, OptionFault},
    json, limits, output, progress,
};
use frames::MovingMesh;
use serde::Serialize;
use sinew_author::decompose::{
    DecomposeError, DecomposeOptions, SolveSequenceOptions, SolvedCharacter, SolvedSkeleton,
    character_from_sequence,
};
use std::time::Instant;

/// The document that `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    inputs: &'a [String],
    output: String,
    vertex_count: usize,
    frame_count: usize,
    bone_count: usize,
    max_influences: u8,
    rms_mm: f64,
    max_mm: f64,
    max_frame: usize,
    max_vertex: usize,
    slip_mm: f64,
    round_count: usize,
    exchanged_bone_count: usize,
    solve_secs: f64,
}

pub(super) fn run(args: &MeshArgs, quiet: bool) -> Result<(), Failure> {
    if !args.fps.is_finite() || args.fps <= 0.0 {
        return Err(Failure::not_positive("--fps", args.fps));
    }
    let moving = MovingMesh::read(args, quiet)?;
    let bar = progress::bar(100, "solving", quiet);
    let start = Instant::now();
    let solved = character_from_sequence(&moving.topology, &moving.sequence, &options(args), &mut |done| {
        bar.set_position((done * 100.0) as u64);
        limits::go_on()
    })
    .attempt_with_options(|| format!("solve {}", args.inputs.join(" ")))?;
    let solve_secs = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let write = args.write.write(&args.output, &solved.character, quiet)?;
    let report = report(args, &moving, &solved, solve_secs);
    if args.json {
        return json::print_written(&report, Some(&write));
    }
    if !quiet {
        output::print_text(text(&report))?;
        tell!("wrote {}", args.output.display());
    }
    Ok(())
}

fn options(args: &MeshArgs) -> SolveSequenceOptions {
    SolveSequenceOptions {
        decompose: DecomposeOptions {
            bones: args.bones.into(),
            influences: args.influences.into(),
            rounds: args.rounds.into(),
            ..DecomposeOptions::default()
        },
        skeleton: match (&args.onto, args.tree) {
            (Some(_), _) => SolvedSkeleton::Kept,
            (None, true) => SolvedSkeleton::Tree,
            (None, false) => SolvedSkeleton::Flat,
        },
        keeps_weights: args.keep_weights,
        frames_per_sec: args.fps,
        clip_name: args.name.clone(),
    }
}

fn report<'a>(
    args: &'a MeshArgs,
    moving: &MovingMesh,
    solved: &SolvedCharacter,
    solve_secs: f64,
) -> Report<'a> {
    let reached = &solved.report;
    Report {
        inputs: &args.inputs,
        output: args.output.display().to_string(),
        vertex_count: moving.sequence.rest().len(),
        frame_count: moving.sequence.frames().len(),
        bone_count: reached.bones,
        max_influences: args.influences,
        rms_mm: reached.rms_meters * 1e3,
        max_mm: reached.max_meters * 1e3,
        max_frame: reached.max_at.0,
        max_vertex: reached.max_at.1,
        slip_mm: solved.slip_meters * 1e3,
        round_count: reached.rounds,
        exchanged_bone_count: reached.exchanged,
        solve_secs,
    }
}

fn text(report: &Report<'_>) -> String {
    format!(
        "{} vertices in {} frames: {} bones, up to {} influences, {} rounds in {:.1} s\n\
         distance: rms {:.3} mm, max {:.2} mm (vertex {} in frame {}); joints leave their parents by {:.2} mm at most\n",
        report.vertex_count,
        report.frame_count,
        report.bone_count,
        report.max_influences,
        report.round_count,
        report.solve_secs,
        report.rms_mm,
        report.max_mm,
        report.max_vertex,
        report.max_frame,
        report.slip_mm,
    )
}

impl OptionFault for DecomposeError {
    fn is_option_fault(&self) -> bool {
        match self {
            Self::WrongSkeleton(_) => true,
            Self::Author(error) => error.is_option_fault(),
            _ => false,
        }
    }
}
