//! The retarget report, as text and as JSON.

use super::ConvertArgs;
use serde::Serialize;
use sinew::BodySide;
use sinew_author::retarget::{FootReport, FootSlide, RetargetReport};
use std::fmt::Write as _;

pub(super) fn text(report: &RetargetReport) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{} frames{}, {} joints mapped, root motion scaled by {:.4}",
        report.frames,
        if report.dropped_rest_frame { " (without the rest pose at the start)" } else { "" },
        report.mapped.len(),
        report.root_scale
    );
    for (what, names) in [
        ("unmapped source joints", &report.unmapped_source),
        ("unmapped target joints, left at rest", &report.unmapped_target),
    ] {
        if !names.is_empty() {
            let _ = writeln!(out, "{what} ({}): {}", names.len(), names.join(", "));
        }
    }
    if !report.feet.is_empty() {
        out.push_str("\nfoot   contacts  seconds   slide before: mean    max  drift   after: mean    max  drift   reach error: mean    max\n");
    }
    for foot in &report.feet {
        let after = foot.after.map_or_else(|| format!("{:>11}{:>7}{:>7}", "-", "-", "-"), |s| slide(s, 11));
        let _ = writeln!(
            out,
            "{:<7}{:>8}{:>9.2}{}{after}{:>18.2}{:>7.2}",
            name(foot.side),
            foot.contacts,
            foot.contact_secs,
            slide(foot.before, 20),
            millis(foot.mean_reach_error_meters),
            millis(foot.worst_reach_error_meters),
        );
    }
    if let Some(sink) = report.feet.iter().map(|f| f.worst_sink_meters).reduce(f32::max) {
        let low = report.feet.iter().map(|f| f.lowest_sole_meters).fold(f32::INFINITY, f32::min);
        let _ = writeln!(
            out,
            "slide in mm/s, drift and reach error in mm; the body sinks by up to {:.1} mm, the lowest sole is {:.1} mm above the ground",
            millis(sink),
            millis(low)
        );
    }
    out
}

fn slide(slide: FootSlide, width: usize) -> String {
    format!(
        "{:>width$.1}{:>7.0}{:>7.1}",
        millis(slide.mean_meters_per_sec),
        millis(slide.worst_meters_per_sec),
        millis(slide.worst_drift_meters)
    )
}

fn millis(meters: f32) -> f32 {
    meters * 1000.0
}

fn name(side: BodySide) -> &'static str {
    match side {
        BodySide::Left => "left",
        BodySide::Right => "right",
    }
}

/// Everything that `--json` prints.
#[derive(Debug, Serialize)]
pub(super) struct RetargetJson {
    file: String,
    onto: Option<String>,
    output: String,
    frame_count: usize,
    dropped_rest_frame: bool,
    root_scale: f32,
    joint_map: Vec<JointPair>,
    unmapped_source_joints: Vec<String>,
    unmapped_target_joints: Vec<String>,
    feet: Vec<FootJson>,
}

#[derive(Debug, Serialize)]
struct JointPair {
    source: String,
    target: String,
}

#[derive(Debug, Serialize)]
struct FootJson {
    side: &'static str,
    contact_count: usize,
    contact_secs: f32,
    slide_before: SlideJson,
    /// `None` if feet were not planted.
    slide_after: Option<SlideJson>,
    mean_reach_error_meters: f32,
    max_reach_error_meters: f32,
    max_sink_meters: f32,
    min_sole_height_meters: f32,
}

#[derive(Debug, Serialize)]
struct SlideJson {
    mean_meters_per_sec: f32,
    max_meters_per_sec: f32,
    max_drift_meters: f32,
}

pub(super) fn json(args: &ConvertArgs, report: &RetargetReport) -> RetargetJson {
    let pair =
        |(source, target): &(String, String)| JointPair { source: source.clone(), target: target.clone() };
    RetargetJson {
        file: args.input.clone(),
        onto: args.onto.clone(),
        output: args.output.display().to_string(),
        frame_count: report.frames,
        dropped_rest_frame: report.dropped_rest_frame,
        root_scale: report.root_scale,
        joint_map: report.mapped.iter().map(pair).collect(),
        unmapped_source_joints: report.unmapped_source.clone(),
        unmapped_target_joints: report.unmapped_target.clone(),
        feet: report.feet.iter().map(foot_json).collect(),
    }
}

fn foot_json(foot: &FootReport) -> FootJson {
    FootJson {
        side: name(foot.side),
        contact_count: foot.contacts,
        contact_secs: foot.contact_secs,
        slide_before: slide_json(foot.before),
        slide_after: foot.after.map(slide_json),
        mean_reach_error_meters: foot.mean_reach_error_meters,
        max_reach_error_meters: foot.worst_reach_error_meters,
        max_sink_meters: foot.worst_sink_meters,
        min_sole_height_meters: foot.lowest_sole_meters,
    }
}

fn slide_json(slide: FootSlide) -> SlideJson {
    SlideJson {
        mean_meters_per_sec: slide.mean_meters_per_sec,
        max_meters_per_sec: slide.worst_meters_per_sec,
        max_drift_meters: slide.worst_drift_meters,
    }
}
