//! `sinew clips report`: how small the clips of files become, and with what error.

use crate::{
    failure::{Attempt, Failure},
    input, json, output,
    text::plain,
};
use clap::ValueHint;
use serde::Serialize;
use sinew::Character;
use sinew_author::compress::{CompressOptions, CompressReport, compress_clip};
use sinew_formats::bvh::{Bvh, BvhOptions};
use std::fmt::Write as _;

/// Compress clips with a bound on the error, and report size and error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The error is the largest distance in model space of points on a shell around every joint, at frames,
half frames and keys. Raw bytes are plain frames: 40 bytes for each joint and frame.

Examples:
  sinew clips report knight.glb
  sinew clips report characters/ --max-error 0.3mm --json
  sinew clips report captures/ --unit 0.05644 --skip 1 --fps 30")]
pub(super) struct ReportArgs {
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath, help = input::files_help())]
    files: Vec<String>,

    /// The largest error, such as 0.1mm or 0.01cm.
    #[arg(long, default_value = "0.1mm", value_name = "LENGTH", value_parser = length)]
    max_error: f64,

    /// The radius of the shell around every joint.
    #[arg(long, default_value = "30mm", value_name = "LENGTH", value_parser = length)]
    shell: f64,

    /// Meters per unit of BVH files.
    #[arg(long, default_value_t = 1.0, value_name = "METERS")]
    unit: f32,

    /// How many frames at the start of BVH files to leave out, such as a T-pose.
    #[arg(long, default_value_t = 0, value_name = "FRAMES")]
    skip: usize,

    /// Frames per second to store; without it the rate of the keys. Of BVH files every so many frames are taken.
    #[arg(long, value_parser = input::parse_fps)]
    fps: Option<f64>,
}

/// One clip, as JSON.
#[derive(Debug, Serialize)]
struct SizeReport {
    file: String,
    clip: String,
    is_compressed: bool,
    frame_count: usize,
    rate_hz: f64,
    joint_count: usize,
    raw_bytes: usize,
    key_bytes: usize,
    bytes: usize,
    max_error_mm: f64,
    p99_error_mm: f64,
}

#[derive(Debug, Serialize)]
struct SizeReports {
    clips: Vec<SizeReport>,
}

pub(super) fn run(args: &ReportArgs, as_json: bool) -> Result<(), Failure> {
    let mut clips = Vec::new();
    for file in input::batch(&args.files)? {
        let (character, rate) = open(&file.name, args)?;
        for clip in character.clips() {
            let options = CompressOptions {
                max_error_meters: args.max_error,
                shell_meters: args.shell,
                rate_hz: rate.map(|rate| rate as f32),
                ..CompressOptions::default()
            };
            let made = compress_clip(clip, character.skeleton(), &options)
                .attempt(|| format!("compress clip {:?} of {}", clip.name(), file.name))?;
            clips.push(SizeReport::new(&file.name, clip.name(), made.0.is_some(), &made.1));
        }
    }
    if as_json {
        return json::print(&SizeReports { clips });
    }
    output::print_text(table(&clips))
}

/// A character with the clips to compress, and the rate to store them at.
fn open(file: &str, args: &ReportArgs) -> Result<(Character, Option<f64>), Failure> {
    let Some(bvh) = input::open_bvh(file)? else {
        return Ok((input::open(file)?.character, args.fps));
    };
    let stride = args.fps.map_or(1, |fps| (1.0 / (bvh.frame_secs() * fps)).round().max(1.0) as usize);
    let frames = (args.skip.min(bvh.frame_count())..bvh.frame_count()).step_by(stride);
    let values = frames.flat_map(|frame| bvh.frame(frame).iter().copied()).collect();
    let attempt = || format!("read the frames of {file}");
    let taken = Bvh::new(bvh.joints().to_vec(), bvh.frame_secs() * stride as f64, values).attempt(attempt)?;
    let character =
        taken.to_character(file, &BvhOptions::default().with_scale(args.unit)).attempt(attempt)?;
    Ok((character, None))
}

impl SizeReport {
    fn new(file: &str, clip: &str, is_compressed: bool, report: &CompressReport) -> Self {
        Self {
            file: file.into(),
            clip: clip.into(),
            is_compressed,
            frame_count: report.frames,
            rate_hz: report.rate_hz,
            joint_count: report.joints,
            raw_bytes: report.raw_bytes,
            key_bytes: report.key_bytes,
            bytes: if is_compressed { report.bytes } else { report.key_bytes },
            max_error_mm: if is_compressed { report.max_error_meters * 1e3 } else { 0.0 },
            p99_error_mm: if is_compressed { report.p99_error_meters * 1e3 } else { 0.0 },
        }
    }
}

fn table(clips: &[SizeReport]) -> String {
    let mut out = format!(
        "{:<32} {:>7} {:>8} {:>10} {:>9} {:>7} {:>10} {:>10}\n",
        "clip", "frames", "rate", "raw bytes", "bytes", "ratio", "max error", "99 %"
    );
    let ratio = |raw: usize, bytes: usize| raw as f64 / bytes.max(1) as f64;
    for clip in clips {
        let name = if clip.clip.is_empty() { &clip.file } else { &clip.clip };
        // Writing to a string cannot fail.
        let _ = write!(out, "{:<32} {:>7} {:>5.0} Hz", plain(name), clip.frame_count, clip.rate_hz);
        let _ = write!(out, " {:>10} {:>9}", clip.raw_bytes, clip.bytes);
        let _ = if clip.is_compressed {
            let ratio = ratio(clip.raw_bytes, clip.bytes);
            writeln!(out, " {ratio:>7.1} {:>7.4} mm {:>7.4} mm", clip.max_error_mm, clip.p99_error_mm)
        } else {
            writeln!(out, "   stays raw")
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
