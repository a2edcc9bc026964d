//! TRC: markers as text, one line per frame, with columns separated by tabs.

use super::{MarkerFormat, MarkerImport, labels, meters_per_or_mm};
use crate::{Limits, ReadError, WriteError, budget::Budget};
use sinew::{
    MarkerCapture,
    glam::{DVec3, Vec3},
};
use std::fmt::Write as _;

/// The first word of every file.
const KEYWORD: &[u8] = b"PathFileType";
/// Lines before the frames: the path, the names and the values of the header, the labels, the axes.
const HEAD_LINES: usize = 5;

pub(super) fn is_trc(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    text.get(..KEYWORD.len()).is_some_and(|word| word.eq_ignore_ascii_case(KEYWORD))
}

/// Reads a TRC file. A marker is missing where its columns are empty, not a number, or all zero.
///
/// # Errors
/// When the header is incomplete, there are no labels, or a column of a frame is not a number.
pub fn read_trc(bytes: &[u8]) -> Result<MarkerImport, ReadError> {
    read(bytes, &Limits::default())
}

/// As [`read_trc`], within limits.
pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<MarkerImport, ReadError> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let head: Vec<&str> = lines.by_ref().take(HEAD_LINES).map(|(_, line)| line).collect();
    let &[_, keys, values, names, _] = &head[..] else {
        let what = format!("the header has {HEAD_LINES} lines, got {}", head.len());
        return Err(ReadError::invalid(format!("line {}", head.len()), what));
    };
    let mut notes = Vec::new();
    let value = |key: &str| {
        let at = cells(keys).iter().position(|k| k.eq_ignore_ascii_case(key))?;
        cells(values).get(at).map(|v| (*v).to_owned())
    };
    let meters = meters_per_or_mm(&value("Units").unwrap_or_default(), &mut notes);
    let labels = labels::unique(marker_names(names), &mut notes);
    if labels.is_empty() {
        return Err(ReadError::invalid("line 4", "there are no labels after Frame# and Time"));
    }
    let rows: Vec<(usize, &str)> = lines.filter(|(_, line)| !line.trim().is_empty()).collect();
    let budget = Budget::new(limits, bytes.len())?;
    budget.charge("frames", rows.len().saturating_mul(labels.len()), size_of::<Option<Vec3>>())?;
    let mut positions = Vec::with_capacity(rows.len() * labels.len());
    let mut times = Vec::with_capacity(rows.len());
    for (at, row) in rows {
        times.push(read_row(row, at + 1, labels.len(), meters, &mut positions)?);
    }
    note_counts(&value, labels.len(), times.len(), &mut notes);
    let rate = rate_hz(value("DataRate"), &times, &mut notes);
    let capture =
        MarkerCapture::new(labels, rate, positions).map_err(|error| ReadError::invalid("frames", error))?;
    Ok(MarkerImport { capture, format: MarkerFormat::Trc, up: None, notes, omissions: Vec::new() })
}

/// The columns of a line: between tabs, or between spaces if there are no tabs.
fn cells(line: &str) -> Vec<&str> {
    if line.contains('\t') {
        line.split('\t').map(str::trim).collect()
    } else {
        line.split_whitespace().collect()
    }
}

/// The labels: one in every third column after frame and time, or all that there are if they are not so spaced.
fn marker_names(line: &str) -> Vec<String> {
    let cells = cells(line);
    let names = cells.get(2..).unwrap_or_default();
    let used = names.iter().rposition(|name| !name.is_empty()).map_or(0, |last| last + 1);
    let names = &names[..used];
    let is_spaced = names.iter().enumerate().all(|(at, name)| at % 3 == 0 || name.is_empty());
    let owned = |name: &&str| (*name).to_owned();
    if is_spaced {
        names.iter().step_by(3).map(owned).collect()
    } else {
        names.iter().filter(|name| !name.is_empty()).map(owned).collect()
    }
}

/// Reads one frame into `positions`; returns its time in seconds, if it has one.
fn read_row(
    row: &str,
    line: usize,
    markers: usize,
    meters: f64,
    positions: &mut Vec<Option<Vec3>>,
) -> Result<Option<f64>, ReadError> {
    let cells = cells(row);
    let number = |column: usize| -> Result<f64, ReadError> {
        match cells.get(column).copied().unwrap_or_default() {
            "" => Ok(f64::NAN),
            text => text.parse().map_err(|_| {
                ReadError::invalid(
                    format!("line {line}, column {}", column + 1),
                    format!("{text:?} is not a number"),
                )
            }),
        }
    };
    for marker in 0..markers {
        let first = 2 + 3 * marker;
        let point = DVec3::new(number(first)?, number(first + 1)?, number(first + 2)?);
        let position = (point * meters).as_vec3();
        let is_seen = position.is_finite() && point != DVec3::ZERO;
        positions.push(is_seen.then_some(position));
    }
    Ok(Some(number(1)?).filter(|time| time.is_finite()))
}

/// Notes where the header counts something else than the file contains.
fn note_counts(
    value: &dyn Fn(&str) -> Option<String>,
    markers: usize,
    frames: usize,
    notes: &mut Vec<String>,
) {
    for (key, what, count) in [("NumMarkers", "markers", markers), ("NumFrames", "frames", frames)] {
        let stated = value(key).and_then(|text| text.parse::<usize>().ok());
        if let Some(stated) = stated.filter(|stated| *stated != count) {
            notes.push(format!("{key} is {stated}, but the file has {count} {what}"));
        }
    }
}

/// The stated rate, or the one that the times of the frames give.
fn rate_hz(stated: Option<String>, times: &[Option<f64>], notes: &mut Vec<String>) -> f32 {
    let usable = |rate: &f32| rate.is_finite() && *rate > 0.0;
    if let Some(rate) = stated.and_then(|text| text.parse().ok()).filter(usable) {
        return rate;
    }
    let known: Vec<f64> = times.iter().copied().flatten().collect();
    let span = known.last().zip(known.first()).map_or(0.0, |(last, first)| last - first);
    let rate = Some((known.len().saturating_sub(1) as f64 / span) as f32).filter(usable);
    notes.push("DataRate is missing or not positive: the times of the frames are used".into());
    rate.unwrap_or_else(|| {
        notes.push("the times of the frames give no rate: 100 frames per second are assumed".into());
        100.0
    })
}

/// The text of a TRC file in millimeters, in the axes of `capture`. Positions read back bit-identical.
///
/// # Errors
/// When a label contains a tab, a line break, or space at its ends.
pub fn to_trc(capture: &MarkerCapture) -> Result<String, WriteError> {
    let (labels, rate, frames) = (capture.labels(), capture.rate_hz(), capture.frame_count());
    if let Some(label) = labels.iter().find(|l| l.trim() != **l || l.contains(char::is_control)) {
        let what = format!("the label {label:?} has a tab, a line break or space at its ends");
        return Err(WriteError::Unrepresentable { place: "labels".into(), what });
    }
    let mut out = String::from("PathFileType\t4\t(X/Y/Z)\tmarkers.trc\n");
    out.push_str("DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n");
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{rate}\t{rate}\t{frames}\t{}\tmm\t{rate}\t1\t{frames}", labels.len());
    let _ = writeln!(out, "Frame#\tTime\t{}", labels.join("\t\t\t"));
    out.push('\t');
    for number in 1..=labels.len() {
        let _ = write!(out, "\tX{number}\tY{number}\tZ{number}");
    }
    out.push_str("\n\n");
    for (frame, points) in capture.frames().enumerate() {
        let _ = write!(out, "{}\t{}", frame + 1, frame as f64 / f64::from(rate));
        for point in points {
            match point.map(|p| p.as_dvec3() * 1000.0) {
                Some(p) => {
                    let _ = write!(out, "\t{}\t{}\t{}", p.x, p.y, p.z);
                }
                None => out.push_str("\t\t\t"),
            }
        }
        out.push('\n');
    }
    Ok(out)
}
