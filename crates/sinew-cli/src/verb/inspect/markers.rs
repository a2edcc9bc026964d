//! What is in a file of markers.

use super::table::{ColumnAlign, TextTable};
use crate::{failure::Failure, json};
use ColumnAlign::{Left, Right};
use serde::Serialize;
use sinew_formats::markers::MarkerImport;

/// Everything that `sinew inspect` tells of a capture.
#[derive(Debug, Serialize)]
struct MarkersSummary {
    file: String,
    format: &'static str,
    frame_count: usize,
    rate_hz: f32,
    duration_secs: f32,
    up: &'static str,
    up_source: &'static str,
    markers: Vec<MarkerSummary>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct MarkerSummary {
    label: String,
    seen_count: usize,
    missing_count: usize,
    gap_count: usize,
    longest_gap_secs: f32,
}

/// The markers of `file`, as text or as JSON.
pub(super) fn page(file: &str, as_json: bool) -> Result<String, Failure> {
    let summary = summary(file, &crate::input::open_markers(file)?);
    if as_json { json::text(&summary) } else { Ok(text(&summary)) }
}

fn summary(file: &str, import: &MarkerImport) -> MarkersSummary {
    let capture = &import.capture;
    let marker = |(column, label): (usize, &String)| {
        let gaps = capture.gaps(column);
        let missing: usize = gaps.iter().map(ExactSizeIterator::len).sum();
        let longest = gaps.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        MarkerSummary {
            label: label.clone(),
            seen_count: capture.frame_count() - missing,
            missing_count: missing,
            gap_count: gaps.len(),
            longest_gap_secs: longest as f32 / capture.rate_hz(),
        }
    };
    MarkersSummary {
        file: file.to_owned(),
        format: import.format.name(),
        frame_count: capture.frame_count(),
        rate_hz: capture.rate_hz(),
        duration_secs: capture.duration_secs(),
        up: import.up_or_guess().name(),
        up_source: if import.up.is_some() { "file" } else { "guessed" },
        markers: capture.labels().iter().enumerate().map(marker).collect(),
        notes: import.notes.clone(),
    }
}

fn text(summary: &MarkersSummary) -> String {
    let mut lines = vec![
        summary.file.clone(),
        format!(
            "  {}: {} markers, {} frames at {} Hz, {:.2} s, {} up ({})",
            summary.format,
            summary.markers.len(),
            summary.frame_count,
            summary.rate_hz,
            summary.duration_secs,
            summary.up,
            summary.up_source,
        ),
    ];
    lines.extend(summary.notes.iter().map(|note| format!("  note: {note}")));
    lines.push(String::new());
    let mut table = TextTable::new(&[
        ("marker", Left),
        ("seen", Right),
        ("missing", Right),
        ("gaps", Right),
        ("longest gap s", Right),
    ]);
    for marker in &summary.markers {
        table.row(vec![
            marker.label.clone(),
            marker.seen_count.to_string(),
            marker.missing_count.to_string(),
            marker.gap_count.to_string(),
            format!("{:.3}", marker.longest_gap_secs),
        ]);
    }
    lines.extend(table.lines());
    lines.join("\n") + "\n"
}
