//! The retarget report, as text and as JSON.

mod json;

pub(super) use json::json;

use crate::text::list;
use sinew::BodySide;
use sinew_author::retarget::{
    ContactPart, ContactReport, GroundFigures, MapConfidence, MapVerdict, PairConfidence, RegionConfidence,
    RetargetReport,
};
use std::fmt::Write as _;

/// How many doubtful pairs are listed.
const LISTED: usize = 12;

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
    let _ = writeln!(out, "confidence in the map: {}", confidence(&report.confidence));
    for (what, names) in [
        ("unmapped source joints", &report.unmapped_source),
        ("unmapped target joints, left at rest", &report.unmapped_target),
    ] {
        if !names.is_empty() {
            let _ = writeln!(out, "{what} ({}): {}", names.len(), list(names));
        }
    }
    if !report.contacts.is_empty() {
        contacts(report, &mut out);
    }
    for limit in &report.limits {
        let _ = writeln!(
            out,
            "{} leaves its limits by up to {:.1}° in {} frames, which moves vertices by {}",
            limit.joint,
            limit.worst_degrees,
            limit.frames,
            length(limit.worst_meters, report)
        );
    }
    out
}

/// The confidence as one line.
fn confidence(map: &MapConfidence) -> String {
    let region = |r: &RegionConfidence| format!("{} {}", r.region.name(), percent(r.confidence));
    let regions: Vec<String> = map.regions.iter().map(region).collect();
    format!("{} ({}), {}", percent(map.overall), regions.join(", "), map.verdict().name())
}

/// A warning about a map that is not good, with its doubtful pairs; `None` if there is nothing to say.
pub(super) fn warning(map: &MapConfidence) -> Option<String> {
    let doubtful = map.doubtful();
    if map.verdict() == MapVerdict::Good && doubtful.is_empty() {
        return None;
    }
    let mut out = match map.verdict() {
        MapVerdict::Good => format!("{} doubtful pairs", doubtful.len()),
        MapVerdict::Poor | MapVerdict::Hopeless => format!("the joint map is {}", map.verdict().name()),
    };
    let pair = |pair: &&PairConfidence| {
        let doubt = pair.doubt().unwrap_or_default();
        format!("\n  {} -> {}, {}: {doubt}", pair.names[0], pair.names[1], percent(pair.confidence))
    };
    out.extend(doubtful.iter().take(LISTED).map(pair));
    if doubtful.len() > LISTED {
        let _ = write!(out, "\n  and {} more", doubtful.len() - LISTED);
    }
    Some(out)
}

fn percent(part: f32) -> String {
    format!("{:.0} %", part * 100.0)
}

fn contacts(report: &RetargetReport, out: &mut String) {
    let _ = writeln!(
        out,
        "\n{:<12}{:>9}{:>9}{:>10}{:>22}{:>12}{:>20}{:>20}{:>10}",
        "",
        "vertices",
        "contacts",
        "seconds",
        "slide mm/s mean, max",
        "drift mm",
        "below ground",
        "above ground",
        "reach mm"
    );
    for contact in &report.contacts {
        let name = format!("{} {}", side(contact.side), part(contact.part));
        let counts = format!("{:>9}{:>9}{:>10.2}", contact.vertices, contact.contacts, contact.contact_secs);
        if contact.after.is_some() {
            let _ = writeln!(out, "{name:<12}{counts}{} before", figures(&contact.before, report));
            let _ = writeln!(out, "{:<12}{:28}{}{}", "", "", figures(contact.result(), report), end(contact));
        } else {
            let _ = writeln!(out, "{name:<12}{counts}{}", figures(&contact.before, report));
        }
    }
    let _ = writeln!(
        out,
        "measured on vertices; the character is {:.3} m high, the body sinks by up to {}, and its lowest vertex is {} below the ground",
        report.height_meters,
        length(report.worst_sink_meters, report),
        length(report.body_penetration_meters, report),
    );
    for contact in report.contacts.iter().filter(|c| c.overbend_degrees > 0.0) {
        let joint = match contact.part {
            ContactPart::Foot => "knee",
            ContactPart::Hand => "elbow",
        };
        let _ = writeln!(
            out,
            "the {} {joint} bends the wrong way by up to {:.0}°, which moves vertices by {}",
            side(contact.side),
            contact.overbend_degrees,
            length(contact.overbend_meters, report)
        );
    }
}

fn figures(figures: &GroundFigures, report: &RetargetReport) -> String {
    let slide = &figures.slide;
    let speeds =
        format!("{:.1}, {:.0}", slide.mean_meters_per_sec * 1000.0, slide.worst_meters_per_sec * 1000.0);
    format!(
        "{speeds:>22}{:>12.1}{:>20}{:>20}",
        slide.worst_drift_meters * 1000.0,
        length(figures.penetration_meters, report),
        length(figures.hover_meters, report)
    )
}

fn end(contact: &ContactReport) -> String {
    format!("{:>10.2} after", contact.worst_reach_error_meters * 1000.0)
}

/// A length in millimeters and in percent of the height of the character.
fn length(meters: f32, report: &RetargetReport) -> String {
    format!(
        "{:.1} mm ({:.2} %)",
        meters * 1000.0,
        100.0 * meters / report.height_meters.max(f32::MIN_POSITIVE)
    )
}

pub(super) fn side(side: BodySide) -> &'static str {
    match side {
        BodySide::Left => "left",
        BodySide::Right => "right",
    }
}

fn part(part: ContactPart) -> &'static str {
    match part {
        ContactPart::Foot => "foot",
        ContactPart::Hand => "hand",
    }
}
