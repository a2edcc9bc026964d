//! Options of verbs that compress clips, and the files that they read.

use crate::{
    failure::{Attempt, Failure},
    input, output,
};
use clap::ValueHint;
use serde::Serialize;
use sinew::Character;
use sinew_author::{
    compress::CompressOptions,
    cook::{CookedClip, CookedClipReport},
};
use sinew_formats::{
    Import,
    bvh::{Bvh, BvhOptions},
};
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use crate::text::plain;

/// The bound of the compression, and how BVH files are read.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CompressionArgs {
    /// The largest error, such as 0.1mm or 0.01cm.
    #[arg(long, default_value = "0.1mm", value_name = "LENGTH", value_parser = length)]
    pub(crate) max_error: f64,

    /// The radius of the shell around every joint.
    #[arg(long, default_value = "30mm", value_name = "LENGTH", value_parser = length)]
    pub(crate) shell: f64,

    /// Meters per unit of BVH files [default: 1].
    #[arg(long, value_name = "METERS")]
    pub(crate) unit: Option<f32>,

    /// How many frames at the start of BVH files to leave out, such as a T-pose [default: 0].
    #[arg(long, value_name = "FRAMES", value_parser = input::parse_whole)]
    pub(crate) skip: Option<usize>,

    /// Frames per second to store; without it the rate of the keys. Of BVH files every so many frames are taken.
    #[arg(long, value_parser = input::parse_fps)]
    pub(crate) fps: Option<f64>,
}

/// The file whose clips are compressed, and the cooked file to write.
#[derive(Debug, clap::Args)]
pub(crate) struct CookedFiles {
    #[arg(value_hint = ValueHint::FilePath, help = input::file_help())]
    pub(crate) file: String,

    /// The file to write: .sinew.
    #[arg(short, long, value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    compression: CompressionArgs,
}

impl CookedFiles {
    /// The character to cook, and the options to compress its clips with.
    pub(crate) fn open(&self) -> Result<(Import, CompressOptions), Failure> {
        output::require_cooked(&self.output)?;
        self.compression.open(&self.file)
    }
}

impl CompressionArgs {
    /// The options for a file; a BVH file has its rate already.
    pub(crate) fn options(&self, is_bvh: bool) -> CompressOptions {
        CompressOptions {
            max_error_meters: self.max_error,
            shell_meters: self.shell,
            rate_hz: self.fps.filter(|_| !is_bvh).map(|rate| rate as f32),
            ..CompressOptions::default()
        }
    }

    /// A character with the clips to compress, and the options to compress them with.
    pub(crate) fn open(&self, file: &str) -> Result<(Import, CompressOptions), Failure> {
        let Some(bvh) = input::open_bvh(file)? else {
            return Ok((input::open(file)?, self.options(false)));
        };
        Ok((Import::without_findings(self.taken(file, &bvh)?), self.options(true)))
    }

    /// The frames of a BVH file that are compressed.
    fn taken(&self, file: &str, bvh: &Bvh) -> Result<Character, Failure> {
        let stride = self.fps.map_or(1, |fps| (1.0 / (bvh.frame_secs() * fps)).round().max(1.0) as usize);
        let frames = (self.skip.unwrap_or(0).min(bvh.frame_count())..bvh.frame_count()).step_by(stride);
        let values = frames.flat_map(|frame| bvh.frame(frame).iter().copied()).collect();
        let attempt = || format!("read the frames of {file}");
        let taken =
            Bvh::new(bvh.joints().to_vec(), bvh.frame_secs() * stride as f64, values).attempt(attempt)?;
        let name = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
        let options = BvhOptions::default().with_scale(self.unit.unwrap_or(1.0));
        taken.to_character(&name, &options).attempt(attempt)
    }
}

/// One compressed clip, as JSON.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ClipRecord {
    pub(crate) clip: String,
    pub(crate) is_compressed: bool,
    pub(crate) frames: usize,
    pub(crate) rate_hz: f64,
    pub(crate) joints: usize,
    pub(crate) raw_bytes: usize,
    pub(crate) bytes: usize,
    /// `None` for a clip that was compressed before: its source is not known.
    pub(crate) max_error_mm: Option<f64>,
    pub(crate) p99_error_mm: Option<f64>,
}

impl From<&CookedClipReport> for ClipRecord {
    fn from(report: &CookedClipReport) -> Self {
        let error = |meters: f64| match report.outcome {
            CookedClip::Compressed => Some(meters * 1e3),
            CookedClip::Raw => Some(0.0),
            CookedClip::Kept => None,
        };
        let size = &report.size;
        Self {
            clip: report.name.clone(),
            is_compressed: report.outcome != CookedClip::Raw,
            frames: size.frames,
            rate_hz: size.rate_hz,
            joints: size.joints,
            raw_bytes: size.raw_bytes,
            bytes: report.stored_bytes(),
            max_error_mm: error(size.max_error_meters),
            p99_error_mm: error(size.p99_error_meters),
        }
    }
}

/// Clips as a table for people.
pub(crate) fn table(clips: &[ClipRecord]) -> String {
    let mut out = format!(
        "{:<32} {:>7} {:>8} {:>10} {:>9} {:>7} {:>10} {:>10}\n",
        "clip", "frames", "rate", "raw bytes", "bytes", "ratio", "max error", "99 %"
    );
    let ratio = |raw: usize, bytes: usize| raw as f64 / bytes.max(1) as f64;
    for clip in clips {
        // Writing to a string cannot fail.
        let _ = write!(out, "{:<32} {:>7} {:>5.0} Hz", plain(&clip.clip), clip.frames, clip.rate_hz);
        let _ = write!(out, " {:>10} {:>9}", clip.raw_bytes, clip.bytes);
        let _ = match (clip.is_compressed, clip.max_error_mm, clip.p99_error_mm) {
            (true, Some(max), Some(p99)) => {
                writeln!(out, " {:>7.1} {max:>7.4} mm {p99:>7.4} mm", ratio(clip.raw_bytes, clip.bytes))
            }
            (true, _, _) => {
                writeln!(out, " {:>7.1}   was compressed before", ratio(clip.raw_bytes, clip.bytes))
            }
            (false, _, _) => writeln!(out, "   stays raw"),
        };
    }
    let (raw, bytes) = clips.iter().fold((0, 0), |sum, c| (sum.0 + c.raw_bytes, sum.1 + c.bytes));
    let _ = writeln!(out, "{:<48} {raw:>10} {bytes:>9} {:>7.1}", "all", ratio(raw, bytes));
    out
}

/// Parses a length such as `0.1mm`, `3cm` or `0.03`, in meters.
fn length(text: &str) -> Result<f64, String> {
    let units = [("mm", 1e-3), ("cm", 1e-2), ("m", 1.0)];
    let (number, scale) = units
        .into_iter()
        .find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)))
        .unwrap_or((text, 1.0));
    let meters = number.trim().parse::<f64>().ok().map(|number| number * scale);
    meters
        .filter(|meters| *meters > 0.0 && meters.is_finite())
        .ok_or_else(|| "must be a positive length such as 0.1mm, 3cm or 0.03".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units() {
        for (text, meters) in [("0.1mm", 1e-4), ("3cm", 0.03), ("0.5 m", 0.5), ("2", 2.0)] {
            assert!((length(text).unwrap() - meters).abs() < 1e-12, "{text}");
        }
        for text in ["", "mm", "-1mm", "0", "NaN", "3 inches"] {
            assert!(length(text).is_err(), "{text}");
        }
    }
}
