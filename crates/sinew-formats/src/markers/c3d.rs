//! C3D: points of optical motion capture in binary, with parameters that describe them.
//!
//! A file has a header of 512 bytes, a section of parameters in groups, and frames of points and analog samples, each in blocks
//! of 512 bytes. Numbers are those of Intel, DEC or MIPS machines, as the parameter section says. Only points are read.

mod number;
mod parameters;
mod write;

pub use write::to_c3d;

use super::{MarkerFormat, MarkerImport, labels, meters_per_or_mm};
use crate::{Limits, ReadError, budget::Budget, names::shortened};
use number::NumberFormat;
use parameters::Parameters;
use sinew::{MarkerCapture, UpAxis, glam::DVec3};

const BLOCK: usize = 512;
/// The second byte of every file.
const KEY: u8 = 0x50;
/// Points with a coordinate beyond this, in units of the file, are invalid.
const FURTHEST: f64 = 1e8;

/// True if the first two bytes are those of a C3D file: a block number and the key.
pub(super) fn is_c3d(bytes: &[u8]) -> bool {
    matches!(bytes, [1..=31, KEY, ..])
}

/// Reads a C3D file.
///
/// # Errors
/// When the file is truncated before its points, has no points, or a number in it is invalid.
pub fn read_c3d(bytes: &[u8]) -> Result<MarkerImport, ReadError> {
    read(bytes, &Limits::default())
}

/// As [`read_c3d`], within limits.
pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<MarkerImport, ReadError> {
    let header = Header::read(bytes)?;
    let parameters = Parameters::read(bytes, header.parameter_start, header.numbers)?;
    let mut notes = Vec::new();
    let layout = FrameLayout::new(&header, &parameters)?;
    let frames = layout.frame_count(bytes, &header, &parameters, &mut notes);
    let unit = parameters.text("POINT", "UNITS").unwrap_or_default();
    let meters = meters_per_or_mm(&unit, &mut notes);
    let budget = Budget::new(limits, bytes.len())?;
    budget.charge("points", frames * layout.points, size_of::<Option<DVec3>>())?;
    let mut positions = Vec::with_capacity(frames * layout.points);
    for frame in 0..frames {
        let start = layout.data_start + frame * layout.frame_bytes;
        for point in 0..layout.points {
            let at = start + point * layout.point_bytes();
            positions.push(layout.point(bytes, at, header.numbers).map(|p| (p * meters).as_vec3()));
        }
    }
    let labels = labels::unique(point_labels(&parameters, layout.points), &mut notes);
    let rate = parameters.number("POINT", "RATE").filter(|rate| *rate > 0.0).unwrap_or(header.rate_hz);
    let capture = MarkerCapture::new(labels, rate as f32, positions)
        .map_err(|error| ReadError::invalid("points", error))?;
    let omissions = omissions(bytes, &header, &parameters, &layout, frames);
    notes.extend_from_slice(&omissions);
    Ok(MarkerImport { capture, format: MarkerFormat::C3d, up: stated_up(&parameters), notes, omissions })
}

/// The first block of a file.
struct Header {
    numbers: NumberFormat,
    parameter_start: usize,
    points: usize,
    /// Analog samples in a frame, over all channels.
    analog: usize,
    first_frame: usize,
    last_frame: usize,
    /// Units per step of integer points; negative if points are floats.
    scale: f64,
    data_start: usize,
    rate_hz: f64,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let fault = |offset: usize, what: String| ReadError::Container { offset, what };
        if bytes.len() < BLOCK {
            let what = format!("a C3D file has a header of {BLOCK} bytes, this file has {}", bytes.len());
            return Err(fault(bytes.len(), what));
        }
        let parameter_start = usize::from(bytes[0]).saturating_sub(1) * BLOCK;
        let machine = bytes.get(parameter_start + 3).copied();
        let machine = machine.ok_or_else(|| {
            fault(0, format!("the parameters are in block {}, beyond the end of the file", bytes[0]))
        })?;
        let numbers = NumberFormat::of_byte(machine).ok_or_else(|| {
            fault(
                parameter_start + 3,
                format!("the number format must be 84 (Intel), 85 (DEC) or 86 (MIPS), got {machine}"),
            )
        })?;
        let word = |index: usize| usize::from(numbers.u16_at(bytes, 2 * (index - 1)).unwrap_or(0));
        let float = |index: usize| f64::from(numbers.f32_at(bytes, 2 * (index - 1)).unwrap_or(0.0));
        Ok(Self {
            numbers,
            parameter_start,
            points: word(2),
            analog: word(3),
            first_frame: word(4),
            last_frame: word(5),
            scale: float(7),
            data_start: word(9).saturating_sub(1) * BLOCK,
            rate_hz: float(11),
        })
    }
}

/// Where the points of a frame are.
struct FrameLayout {
    points: usize,
    is_float: bool,
    /// Units per step of an integer point.
    scale: f64,
    data_start: usize,
    frame_bytes: usize,
}

impl FrameLayout {
    fn new(header: &Header, parameters: &Parameters<'_>) -> Result<Self, ReadError> {
        let points = parameters.count("POINT", "USED").unwrap_or(header.points);
        if points == 0 {
            return Err(ReadError::invalid("POINT:USED", "the file has no points"));
        }
        let usable = |scale: &f64| scale.is_finite() && *scale != 0.0;
        let stated = parameters.number("POINT", "SCALE").filter(usable);
        let scale = stated.or(Some(header.scale).filter(usable));
        let scale = scale.ok_or_else(|| {
            ReadError::invalid("POINT:SCALE", format!("must not be 0, got {}", header.scale))
        })?;
        // The header decides between floats and integers; some programs write a positive parameter for floats.
        let is_float = if usable(&header.scale) { header.scale < 0.0 } else { scale < 0.0 };
        let data_start = match header.data_start {
            0 => parameters.count("POINT", "DATA_START").unwrap_or(0).saturating_sub(1) * BLOCK,
            start => start,
        };
        if data_start < BLOCK {
            return Err(ReadError::invalid("POINT:DATA_START", "the points must not be in the first block"));
        }
        let bytes_per_number = if is_float { 4 } else { 2 };
        let frame_bytes = (4 * points + header.analog) * bytes_per_number;
        Ok(Self { points, is_float, scale: scale.abs(), data_start, frame_bytes })
    }

    fn point_bytes(&self) -> usize {
        if self.is_float { 16 } else { 8 }
    }

    /// The number of frames that the file states and contains.
    fn frame_count(
        &self,
        bytes: &[u8],
        header: &Header,
        parameters: &Parameters<'_>,
        notes: &mut Vec<String>,
    ) -> usize {
        let contained = bytes.len().saturating_sub(self.data_start) / self.frame_bytes;
        let stated = stated_frames(header, parameters).unwrap_or(contained);
        if stated > contained {
            notes.push(format!("the file ends after {contained} of {stated} frames"));
        }
        stated.min(contained)
    }

    /// True if the point at byte `at` has a residual or a mask of cameras.
    fn has_residual(&self, bytes: &[u8], at: usize, numbers: NumberFormat) -> bool {
        let residual = if self.is_float {
            numbers.f32_at(bytes, at + 12)
        } else {
            numbers.u16_at(bytes, at + 6).map(|n| f32::from(n.cast_signed()))
        };
        residual.is_some_and(|residual| residual > 0.0)
    }

    /// The point at byte `at` in the file's units; `None` if it is missing or invalid.
    fn point(&self, bytes: &[u8], at: usize, numbers: NumberFormat) -> Option<DVec3> {
        let float = |k: usize| numbers.f32_at(bytes, at + 4 * k).map(f64::from);
        let integer = |k: usize| numbers.u16_at(bytes, at + 2 * k).map(|n| f64::from(n.cast_signed()));
        let (point, residual) = if self.is_float {
            (DVec3::new(float(0)?, float(1)?, float(2)?), float(3)?)
        } else {
            (DVec3::new(integer(0)?, integer(1)?, integer(2)?) * self.scale, integer(3)?)
        };
        let is_usable = residual >= 0.0 && point.is_finite() && point.abs().max_element() < FURTHEST;
        // Some programs write the origin for a missing point; no marker is there exactly.
        (is_usable && point != DVec3::ZERO).then_some(point)
    }
}

/// What a file has beside points, one sentence each.
fn omissions(
    bytes: &[u8],
    header: &Header,
    parameters: &Parameters<'_>,
    layout: &FrameLayout,
    frames: usize,
) -> Vec<String> {
    /// Groups that say how points are stored, or what the sentences before name.
    const KNOWN: [&str; 5] = ["POINT", "TRIAL", "ANALOG", "FORCE_PLATFORM", "EVENT"];
    let mut out = Vec::new();
    if header.analog > 0 {
        out.push(format!("{} analog samples of each frame are not read", header.analog));
    }
    let used = |group| parameters.count(group, "USED").is_some_and(|count| count > 0);
    for (group, what) in [("FORCE_PLATFORM", "force platforms"), ("EVENT", "events")] {
        if used(group) {
            out.push(format!("{what} are not read"));
        }
    }
    let points = (0..frames).flat_map(|frame| (0..layout.points).map(move |point| (frame, point)));
    let mut places = points
        .map(|(frame, point)| layout.data_start + frame * layout.frame_bytes + point * layout.point_bytes());
    if places.any(|at| layout.has_residual(bytes, at, header.numbers)) {
        out.push("the residuals of points, which say how well cameras agree, are not read".into());
    }
    let others: Vec<&str> = parameters.groups().filter(|group| !KNOWN.contains(group)).collect();
    if !others.is_empty() {
        out.push(format!("the parameters of {} are not read", shortened(&others.join(", "))));
    }
    out
}

/// The number of frames by the parameter that can hold it: the header ends at 65,535.
fn stated_frames(header: &Header, parameters: &Parameters<'_>) -> Option<usize> {
    let field = |name| parameters.words("TRIAL", name).filter(|w| w.len() >= 2).map(|w| w[0] + 65_536 * w[1]);
    let trial = field("ACTUAL_START_FIELD").zip(field("ACTUAL_END_FIELD"));
    if let Some((first, last)) = trial.filter(|(first, last)| last >= first && *last > 0) {
        return Some(last - first + 1);
    }
    if let Some(frames) = parameters.number("POINT", "LONG_FRAMES").filter(|frames| *frames >= 1.0) {
        return Some(frames as usize);
    }
    let in_header = (header.last_frame + 1).saturating_sub(header.first_frame);
    let in_parameter = parameters.count("POINT", "FRAMES").unwrap_or(0);
    let is_full = header.last_frame == 65_535 || in_parameter == 65_535;
    (!is_full).then_some(if in_header > 0 { in_header } else { in_parameter })
}

/// One label per point: those of LABELS, then of LABELS2 and so on, then none.
fn point_labels(parameters: &Parameters<'_>, points: usize) -> Vec<String> {
    let mut out = parameters.texts("POINT", "LABELS");
    for number in 2.. {
        let more = parameters.texts("POINT", &format!("LABELS{number}"));
        if out.len() >= points || more.is_empty() {
            break;
        }
        out.extend(more);
    }
    out.resize(points, String::new());
    out
}

/// The axis that is vertical on a screen, which is the one that is up.
fn stated_up(parameters: &Parameters<'_>) -> Option<UpAxis> {
    match parameters.text("POINT", "Y_SCREEN")?.trim().to_ascii_uppercase().as_str() {
        "+X" | "X" => Some(UpAxis::X),
        "+Y" | "Y" => Some(UpAxis::Y),
        "+Z" | "Z" => Some(UpAxis::Z),
        _ => None,
    }
}
