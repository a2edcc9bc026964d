//! What became of motion on another character, for people and for programs.

use crate::args::ConvertArgs;
use serde_json::{Value, json};
use sinew_author::retarget::{BodySide, FootReport, RetargetReport, Slide};
use std::fmt::Write as _;

pub(super) fn text(report: &RetargetReport) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "{} frames{}, {} joints mapped, the way scaled by {:.4}",
        report.frames,
        if report.dropped_rest_frame { " (the rest pose in front left out)" } else { "" },
        report.mapped.len(),
        report.root_scale
    );
    for (what, names) in [
        ("source joints without a pair", &report.unmapped_source),
        ("joints that stay at rest", &report.unmapped_target),
    ] {
        if !names.is_empty() {
            let _ = writeln!(out, "{what} ({}): {}", names.len(), names.join(", "));
        }
    }
    if !report.feet.is_empty() {
        out.push_str("\nfoot   contacts  seconds   slide before: mean  worst  drift   after: mean  worst  drift   reach error: mean  worst\n");
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
            "slide in mm/s, drift and reach in mm; the body sinks by up to {:.1} mm, the lowest sole is {:.1} mm over the ground",
            millis(sink),
            millis(low)
        );
    }
    out
}

fn slide(slide: Slide, width: usize) -> String {
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

pub(super) fn json(args: &ConvertArgs, report: &RetargetReport) -> String {
    let mapped: Vec<Value> =
        report.mapped.iter().map(|(from, to)| json!({ "source": from, "target": to })).collect();
    let value = json!({
        "input": args.input,
        "onto": args.onto,
        "output": args.output.display().to_string(),
        "frames": report.frames,
        "dropped_rest_frame": report.dropped_rest_frame,
        "root_scale": report.root_scale,
        "mapped": mapped,
        "unmapped_source": report.unmapped_source,
        "unmapped_target": report.unmapped_target,
        "feet": report.feet.iter().map(foot_json).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

fn foot_json(foot: &FootReport) -> Value {
    json!({
        "side": name(foot.side),
        "contacts": foot.contacts,
        "contact_secs": foot.contact_secs,
        "slide_before": slide_json(foot.before),
        "slide_after": foot.after.map(slide_json),
        "mean_reach_error_meters": foot.mean_reach_error_meters,
        "worst_reach_error_meters": foot.worst_reach_error_meters,
        "worst_sink_meters": foot.worst_sink_meters,
        "lowest_sole_meters": foot.lowest_sole_meters,
    })
}

fn slide_json(slide: Slide) -> Value {
    json!({
        "mean_meters_per_sec": slide.mean_meters_per_sec,
        "worst_meters_per_sec": slide.worst_meters_per_sec,
        "worst_drift_meters": slide.worst_drift_meters,
    })
}
