//! `sinew clips report`: how small the clips of files become, and with what error.

use super::acl::{self, AclReport};
use crate::{
    compression::CompressionArgs,
    failure::{Attempt, Failure},
    input, json, output,
    text::plain,
};
use clap::ValueHint;
use serde::Serialize;
use sinew_author::compress::{CompressReport, compress_clip};
use std::{fmt::Write as _, path::Path};

/// Compress clips with a bound on the error, and report size and error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The error is the largest distance in model space of points on a shell around every joint, at frames,
half frames and keys. Raw bytes are plain frames: 40 bytes for each joint and frame. Of a folder with
sizes of ACL (acl.tsv), each clip is also compressed at the error that ACL has; its captures have a unit
of 0.05644 m and a T-pose as first frame unless --unit and --skip say otherwise.

Examples:
  sinew clips report knight.glb
  sinew clips report characters/ --max-error 0.3mm --json
  sinew clips report captures/ --unit 0.05644 --skip 1 --fps 30")]
pub(super) struct ReportArgs {
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath, help = input::files_help())]
    files: Vec<String>,

    #[command(flatten)]
    compression: CompressionArgs,
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
    /// The clips of folders with sizes of ACL, at the error of ACL.
    acl: Vec<AclReport>,
}

pub(super) fn run(args: &ReportArgs, as_json: bool) -> Result<(), Failure> {
    let mut clips = Vec::new();
    for file in input::batch(&args.files)? {
        let (import, options) = args.compression.open(&file.name)?;
        let character = &import.character;
        for clip in character.clips() {
            let made = compress_clip(clip, character.skeleton(), &options)
                .attempt(|| format!("compress clip {:?} of {}", clip.name(), file.name))?;
            clips.push(SizeReport::new(&file.name, clip.name(), made.0.is_some(), &made.1));
        }
    }
    let folders = args.files.iter().map(|name| acl::compare(Path::new(name), &args.compression));
    let acl: Vec<AclReport> = folders.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    if as_json {
        return json::print(&SizeReports { clips, acl });
    }
    let against = if acl.is_empty() { String::new() } else { acl::table(&acl) };
    output::print_text(table(&clips) + &against)
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
