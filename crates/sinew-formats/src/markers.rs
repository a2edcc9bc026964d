//! Marker captures: reads and writes C3D and TRC.
//!
//! ```
//! use sinew::{MarkerCapture, glam::Vec3};
//! use sinew_formats::markers::{MarkerFormat, read_markers, to_c3d};
//!
//! let capture = MarkerCapture::new(vec!["LKNE".into()], 120.0, vec![Some(Vec3::Y), None]).unwrap();
//! let file = to_c3d(&capture, None).unwrap();
//! let import = read_markers(&file).unwrap();
//! assert_eq!((import.format, import.capture), (MarkerFormat::C3d, capture));
//! ```
//!
//! Readers do not trust their input: for any bytes they return an error or a valid capture, in bounded time and memory.

mod c3d;
mod labels;
mod trc;

pub use c3d::{read_c3d, to_c3d};
pub use trc::{read_trc, to_trc};

use crate::{
    Limits, ReadError, ReadFileError, WriteError, fetch::read_regular_file, file_format::dotted_list,
    save_bytes,
};
use sinew::{MarkerCapture, UpAxis};
use std::path::Path;

/// A format of marker files.
///
/// A new format is a variant here and its row in each `match` below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MarkerFormat {
    /// Binary, from most optical systems.
    C3d,
    /// Text in columns, as OpenSim and Motion Analysis use it.
    Trc,
}

/// A capture and how it was read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MarkerImport {
    /// The markers in meters, in the axes of the file.
    pub capture: MarkerCapture,
    /// The format of the file.
    pub format: MarkerFormat,
    /// The axis that the file says is up; `None` if it does not say.
    pub up: Option<UpAxis>,
    /// What was repaired, assumed or left out, one sentence each.
    pub notes: Vec<String>,
    /// What of the file is not read: other files made of the capture lack it. These are notes too.
    pub omissions: Vec<String>,
}

impl MarkerImport {
    /// The axis that is up: what the file says, or a guess from the motion; Y if neither is possible.
    #[must_use]
    pub fn up_or_guess(&self) -> UpAxis {
        self.up.or_else(|| self.capture.guess_up()).unwrap_or_default()
    }
}

impl MarkerFormat {
    /// Every format, in the order in which lists name them.
    pub const ALL: [Self; 2] = [Self::C3d, Self::Trc];

    /// The name of the format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::C3d => "C3D",
            Self::Trc => "TRC",
        }
    }

    /// The extension of its files, lowercase and without a dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::C3d => "c3d",
            Self::Trc => "trc",
        }
    }

    /// The extensions of all formats as a list in English: `.c3d or .trc` with the conjunction `or`.
    #[must_use]
    pub fn list(conjunction: &str) -> String {
        dotted_list(Self::ALL.into_iter().map(Self::extension), conjunction)
    }

    /// The format that a path's extension stands for, in any case.
    #[must_use]
    pub fn of_path(path: impl AsRef<Path>) -> Option<Self> {
        let extension = path.as_ref().extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.extension() == extension)
    }

    /// The format that the first bytes of a file stand for.
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|format| match format {
            Self::C3d => c3d::is_c3d(bytes),
            Self::Trc => trc::is_trc(bytes),
        })
    }
}

/// Reads markers from memory. The format is recognized by content.
///
/// # Errors
/// When the content cannot be used.
pub fn read_markers(bytes: &[u8]) -> Result<MarkerImport, ReadError> {
    read_markers_with(bytes, &Limits::default())
}

/// As [`read_markers`], within limits.
///
/// # Errors
/// As [`read_markers`], and when a limit is exceeded.
pub fn read_markers_with(bytes: &[u8], limits: &Limits) -> Result<MarkerImport, ReadError> {
    match MarkerFormat::detect(bytes) {
        Some(MarkerFormat::C3d) => c3d::read(bytes, limits),
        Some(MarkerFormat::Trc) => trc::read(bytes, limits),
        None => Err(ReadError::UnknownFormat("not a C3D or TRC file".into())),
    }
}

/// Reads the markers in the file at `path`. The format is recognized by content.
///
/// # Errors
/// When the file cannot be read, or its content cannot be used.
pub fn read_markers_file(path: impl AsRef<Path>) -> Result<MarkerImport, ReadFileError> {
    read_markers_file_with(path, &Limits::default())
}

/// As [`read_markers_file`], within limits.
///
/// # Errors
/// As [`read_markers_file`], and when a limit is exceeded.
pub fn read_markers_file_with(
    path: impl AsRef<Path>,
    limits: &Limits,
) -> Result<MarkerImport, ReadFileError> {
    let path = path.as_ref();
    let bytes = read_regular_file(path, limits.max_read_bytes)
        .map_err(|source| ReadFileError::Io { path: path.into(), source })?;
    read_markers_with(&bytes, limits).map_err(|source| ReadFileError::Content { path: path.into(), source })
}

/// Writes `capture` to `path`, whose extension is the format; `up` is the axis that C3D states as up.
///
/// # Errors
/// When the extension is of no marker format, the format cannot hold the capture, or the file system fails.
pub fn write_markers_file(
    path: impl AsRef<Path>,
    capture: &MarkerCapture,
    up: Option<UpAxis>,
) -> Result<(), WriteError> {
    let path = path.as_ref();
    let Some(format) = MarkerFormat::of_path(path) else {
        let what = format!("the extension must be {}", MarkerFormat::list("or"));
        return Err(WriteError::Unrepresentable { place: path.display().to_string(), what });
    };
    save_bytes(path, &to_markers(format, capture, up)?)
}

/// The bytes of a file with `capture`; `up` is the axis that C3D states as up.
///
/// # Errors
/// When the format cannot hold the capture.
pub fn to_markers(
    format: MarkerFormat,
    capture: &MarkerCapture,
    up: Option<UpAxis>,
) -> Result<Vec<u8>, WriteError> {
    match format {
        MarkerFormat::C3d => to_c3d(capture, up),
        MarkerFormat::Trc => Ok(to_trc(capture)?.into_bytes()),
    }
}

/// Meters per unit of length; `None` for a unit that is not known.
fn meters_per(unit: &str) -> Option<f64> {
    match unit.trim().to_ascii_lowercase().as_str() {
        "mm" | "millimeter" | "millimeters" | "millimetre" | "millimetres" => Some(0.001),
        "cm" | "centimeter" | "centimeters" | "centimetre" | "centimetres" => Some(0.01),
        "m" | "meter" | "meters" | "metre" | "metres" => Some(1.0),
        "in" | "inch" | "inches" => Some(0.0254),
        "ft" | "foot" | "feet" => Some(0.3048),
        _ => None,
    }
}

/// [`meters_per`], with millimeters and a note for a unit that is not known.
fn meters_per_or_mm(unit: &str, notes: &mut Vec<String>) -> f64 {
    meters_per(unit).unwrap_or_else(|| {
        notes.push(match unit.trim() {
            "" => "the file states no unit: millimeters are assumed".to_owned(),
            odd => format!("the unit {odd:?} is unknown: millimeters are assumed"),
        });
        0.001
    })
}
