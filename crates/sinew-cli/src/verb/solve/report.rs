//! The report of `sinew solve markers`, as text and as JSON.

use super::{args::MarkersArgs, markers::SolvedMarkers};
use crate::text::list;
use serde::Serialize;
use sinew_author::markers::{
    AttachmentGuess, CalibrationReport, GuessedBy, JointGapReport, MarkerJointReport, MarkerReport,
    MarkerResidual,
};
use std::fmt::Write as _;

pub(super) fn text(args: &MarkersArgs, solved: &SolvedMarkers) -> String {
    let report = &solved.report;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{} frames of {} markers at {} Hz, {} up ({}): {} joints from {} down, {:.0} frames per second",
        report.frames,
        report.markers.len(),
        solved.import.capture.rate_hz(),
        solved.up,
        up_source(args, solved),
        report.solved_joints,
        report.root,
        per_sec(solved),
    );
    for note in &solved.import.notes {
        let _ = writeln!(out, "note: {note}");
    }
    let guessed = solved.guesses.iter().filter(|guess| guess.by == GuessedBy::Distance).count();
    if !solved.guesses.is_empty() {
        let _ = writeln!(
            out,
            "attached {} markers by label and {guessed} by distance; --write-attach FILE lists them",
            solved.guesses.len() - guessed
        );
    }
    if let Some(calibration) = &solved.calibration {
        calibrated(&mut out, calibration);
    }
    let all = report.residual;
    let _ = writeln!(
        out,
        "residual: mean {:.2} mm, rms {:.2} mm, max {:.1} mm; noise of each coordinate {:.2} mm\n",
        all.mean_mm, all.rms_mm, all.max_mm, report.noise_mm
    );
    markers(&mut out, &report.markers);
    weakest(&mut out, &report.joints);
    for (what, names) in [
        ("markers that are not attached", &report.unattached),
        ("attached markers that are never seen", &report.unseen),
        ("joints that markers do not determine about every axis", &report.undetermined),
    ] {
        if !names.is_empty() {
            let _ = writeln!(out, "{what} ({}): {}", names.len(), list(names));
        }
    }
    gaps(&mut out, &report.gaps);
    out
}

fn per_sec(solved: &SolvedMarkers) -> f64 {
    solved.report.frames as f64 / solved.solve_secs.max(1e-9)
}

fn up_source(args: &MarkersArgs, solved: &SolvedMarkers) -> &'static str {
    match (args.up, solved.import.up) {
        (Some(_), _) => "given",
        (None, Some(_)) => "file",
        (None, None) => "guessed",
    }
}

fn calibrated(out: &mut String, calibration: &CalibrationReport) {
    let _ = writeln!(
        out,
        "calibrated with {} frames: rms {:.2} mm before, {:.2} mm after; markers moved {:.1} mm in the mean, {:.1} mm at most; \
         the subject is {:.4} times the size of the character",
        calibration.frames,
        calibration.before.rms_mm,
        calibration.after.rms_mm,
        calibration.mean_move_mm,
        calibration.max_move_mm,
        calibration.scale,
    );
}

fn markers(out: &mut String, markers: &[MarkerReport]) {
    let width = |name: fn(&MarkerReport) -> &str| {
        markers.iter().map(|m| name(m).chars().count()).max().unwrap_or(0).max(6)
    };
    let (label, joint) = (width(|m| &m.label), width(|m| &m.joint));
    let _ = writeln!(
        out,
        "{:<label$}  {:<joint$}  {:>7}  {:>7}  {:>7}  {:>8}  {:>5}  {:>9}",
        "marker", "joint", "mean mm", "rms mm", "max mm", "missing", "gaps", "outliers"
    );
    for marker in markers {
        let residual = marker.residual;
        let _ = writeln!(
            out,
            "{:<label$}  {:<joint$}  {:>7.2}  {:>7.2}  {:>7.1}  {:>8}  {:>5}  {:>9}",
            marker.label,
            marker.joint,
            residual.mean_mm,
            residual.rms_mm,
            residual.max_mm,
            marker.missing_frames,
            marker.gap_count,
            marker.outlier_frames,
        );
    }
}

/// The joints whose angles a single frame tells least.
fn weakest(out: &mut String, joints: &[MarkerJointReport]) {
    const SHOWN: usize = 5;
    let mut sorted: Vec<&MarkerJointReport> = joints.iter().collect();
    sorted.sort_by(|a, b| b.frame_bound_degrees.total_cmp(&a.frame_bound_degrees));
    let names: Vec<String> = sorted
        .iter()
        .take(SHOWN)
        .map(|joint| format!("{} {:.2}°", joint.joint, joint.frame_bound_degrees))
        .collect();
    if !names.is_empty() {
        let _ = writeln!(out, "least error of a single frame, worst joints: {}", names.join(", "));
    }
}

fn gaps(out: &mut String, gaps: &[JointGapReport]) {
    const SHOWN: usize = 20;
    for gap in gaps.iter().take(SHOWN) {
        let how = if gap.is_filled { "interpolated" } else { "held" };
        let last = gap.first_frame + gap.frames - 1;
        let _ = writeln!(out, "gap: {} is {how} in frames {}..{last}", gap.joint, gap.first_frame);
    }
    if gaps.len() > SHOWN {
        let _ = writeln!(out, "and {} more gaps", gaps.len() - SHOWN);
    }
}

/// Everything that `--json` prints.
#[derive(Debug, Serialize)]
pub(super) struct SolveJson {
    file: String,
    onto: String,
    output: String,
    frame_count: usize,
    rate_hz: f32,
    frames_per_sec: f64,
    up: &'static str,
    up_source: &'static str,
    scale: f32,
    root_joint: String,
    solved_joint_count: usize,
    residual: ResidualJson,
    noise_mm: f32,
    markers: Vec<MarkerJson>,
    joints: Vec<JointJson>,
    unattached_markers: Vec<String>,
    unseen_markers: Vec<String>,
    undetermined_joints: Vec<String>,
    gaps: Vec<GapJson>,
    guesses: Vec<GuessJson>,
    calibration: Option<CalibrationJson>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ResidualJson {
    mean_mm: f32,
    rms_mm: f32,
    max_mm: f32,
}

impl From<MarkerResidual> for ResidualJson {
    fn from(residual: MarkerResidual) -> Self {
        Self { mean_mm: residual.mean_mm, rms_mm: residual.rms_mm, max_mm: residual.max_mm }
    }
}

#[derive(Debug, Serialize)]
struct MarkerJson {
    label: String,
    joint_name: String,
    residual: ResidualJson,
    seen_count: usize,
    missing_count: usize,
    gap_count: usize,
    outlier_count: usize,
}

#[derive(Debug, Serialize)]
struct JointJson {
    joint_name: String,
    frame_bound_degrees: f32,
}

#[derive(Debug, Serialize)]
struct GapJson {
    joint_name: String,
    first_frame: usize,
    frame_count: usize,
    filled: bool,
}

#[derive(Debug, Serialize)]
struct GuessJson {
    label: String,
    joint_name: String,
    by: &'static str,
    distance_mm: f32,
}

#[derive(Debug, Serialize)]
struct CalibrationJson {
    frame_count: usize,
    before: ResidualJson,
    after: ResidualJson,
    mean_move_mm: f32,
    max_move_mm: f32,
}

pub(super) fn json(args: &MarkersArgs, solved: &SolvedMarkers) -> SolveJson {
    let report = &solved.report;
    SolveJson {
        file: args.input.display().to_string(),
        onto: args.onto.clone(),
        output: args.output.display().to_string(),
        frame_count: report.frames,
        rate_hz: solved.import.capture.rate_hz(),
        frames_per_sec: per_sec(solved),
        up: solved.up.name(),
        up_source: up_source(args, solved),
        scale: solved.scale,
        root_joint: report.root.clone(),
        solved_joint_count: report.solved_joints,
        residual: report.residual.into(),
        noise_mm: report.noise_mm,
        markers: report.markers.iter().map(marker_json).collect(),
        joints: report.joints.iter().map(joint_json).collect(),
        unattached_markers: report.unattached.clone(),
        unseen_markers: report.unseen.clone(),
        undetermined_joints: report.undetermined.clone(),
        gaps: report.gaps.iter().map(gap_json).collect(),
        guesses: solved.guesses.iter().map(guess_json).collect(),
        calibration: solved.calibration.as_ref().map(calibration_json),
        notes: solved.import.notes.clone(),
    }
}

fn marker_json(marker: &MarkerReport) -> MarkerJson {
    MarkerJson {
        label: marker.label.clone(),
        joint_name: marker.joint.clone(),
        residual: marker.residual.into(),
        seen_count: marker.seen_frames,
        missing_count: marker.missing_frames,
        gap_count: marker.gap_count,
        outlier_count: marker.outlier_frames,
    }
}

fn joint_json(joint: &MarkerJointReport) -> JointJson {
    JointJson { joint_name: joint.joint.clone(), frame_bound_degrees: joint.frame_bound_degrees }
}

fn gap_json(gap: &JointGapReport) -> GapJson {
    GapJson {
        joint_name: gap.joint.clone(),
        first_frame: gap.first_frame,
        frame_count: gap.frames,
        filled: gap.is_filled,
    }
}

fn guess_json(guess: &AttachmentGuess) -> GuessJson {
    let by = if guess.by == GuessedBy::Label { "label" } else { "distance" };
    GuessJson {
        label: guess.label.clone(),
        joint_name: guess.joint.clone(),
        by,
        distance_mm: guess.distance_mm,
    }
}

fn calibration_json(calibration: &CalibrationReport) -> CalibrationJson {
    CalibrationJson {
        frame_count: calibration.frames,
        before: calibration.before.into(),
        after: calibration.after.into(),
        mean_move_mm: calibration.mean_move_mm,
        max_move_mm: calibration.max_move_mm,
    }
}
