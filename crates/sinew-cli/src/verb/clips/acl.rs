//! The table against ACL: clips of a folder, each at the error that ACL was measured to have.
//!
//! The folder has a file `acl.tsv` with the columns clip, frames per second, frames, joints, plain bytes, bytes of ACL, and
//! its largest error in centimeters. `clip` is the name of a BVH file of the folder.

use crate::{
    compression::CompressionArgs,
    failure::{Attempt, Failure},
    limits,
};
use serde::Serialize;
use sinew_author::compress::{CompressOptions, compress_clip};
use sinew_formats::read_regular_text;
use std::{fmt::Write as _, path::Path};

/// The name of the file with ACL's sizes.
const FILE: &str = "acl.tsv";
/// What the captures of that file were measured with: their unit of 1/0.45 inch, and a T-pose as their first frame.
const UNIT: f32 = 0.0254 / 0.45;
const SKIP: usize = 1;

/// A clip at one rate, as JSON.
#[derive(Debug, Serialize)]
pub(super) struct AclReport {
    clip: String,
    rate_hz: f64,
    frame_count: usize,
    raw_bytes: usize,
    acl_bytes: usize,
    bytes: usize,
    max_error_mm: f64,
}

/// A row of the file.
struct AclRow<'a> {
    clip: &'a str,
    rate_hz: f64,
    frames: usize,
    bytes: usize,
    max_error_meters: f64,
}

impl<'a> AclRow<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let columns: Vec<&str> = line.split('\t').collect();
        let [clip, rate, frames, _, _, bytes, error] = columns[..] else { return None };
        let max_error_meters = error.trim().parse::<f64>().ok()? * 0.01;
        let (rate_hz, frames) = (rate.parse().ok()?, frames.parse().ok()?);
        Some(Self { clip, rate_hz, frames, bytes: bytes.parse().ok()?, max_error_meters })
    }
}

/// The clips of a folder against ACL; empty if the folder has no sizes of ACL.
pub(super) fn compare(folder: &Path, args: &CompressionArgs) -> Result<Vec<AclReport>, Failure> {
    let path = folder.join(FILE);
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let attempt = || format!("read {}", path.display());
    let text = read_regular_text(&path, limits::read_options().limits.max_read_bytes).attempt(attempt)?;
    let row = |line: &str| match AclRow::parse(line) {
        Some(row) => one(folder, &row, args),
        None => Err(Failure::work(attempt(), format!("{line:?} does not have its seven columns"))),
    };
    text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(row).collect()
}

fn one(folder: &Path, row: &AclRow<'_>, args: &CompressionArgs) -> Result<AclReport, Failure> {
    let file = folder.join(format!("{}.bvh", row.clip)).to_string_lossy().into_owned();
    let taken = CompressionArgs {
        unit: args.unit.or(Some(UNIT)),
        skip: args.skip.or(Some(SKIP)),
        fps: Some(row.rate_hz),
        ..args.clone()
    };
    let (import, options) = taken.open(&file)?;
    let (character, attempt) = (&import.character, || format!("compress {file}"));
    let clip = character.clips().first().ok_or_else(|| Failure::work(attempt(), "it has no clip"))?;
    let options = CompressOptions { max_error_meters: row.max_error_meters, ..options };
    let (made, size) = compress_clip(clip, character.skeleton(), &options).attempt(attempt)?;
    if made.is_some() && size.frames != row.frames {
        let what = format!("{FILE} has {} frames, the file {}: see --skip", row.frames, size.frames);
        return Err(Failure::work(attempt(), what));
    }
    Ok(AclReport {
        clip: row.clip.into(),
        rate_hz: row.rate_hz,
        frame_count: size.frames,
        raw_bytes: size.raw_bytes,
        acl_bytes: row.bytes,
        bytes: if made.is_some() { size.bytes } else { size.key_bytes },
        max_error_mm: size.max_error_meters * 1e3,
    })
}

/// The table for people, with the sums of each rate.
pub(super) fn table(clips: &[AclReport]) -> String {
    let mut out = format!(
        "\nat the error of ACL\n{:<32} {:>7} {:>8} {:>10} {:>9} {:>9} {:>7} {:>10}\n",
        "clip", "frames", "rate", "raw bytes", "ACL", "bytes", "ratio", "max error"
    );
    let ratio = |acl: usize, bytes: usize| acl as f64 / bytes.max(1) as f64;
    for clip in clips {
        // Writing to a string cannot fail.
        let _ = write!(out, "{:<32} {:>7} {:>5.0} Hz", clip.clip, clip.frame_count, clip.rate_hz);
        let _ = write!(out, " {:>10} {:>9} {:>9}", clip.raw_bytes, clip.acl_bytes, clip.bytes);
        let _ = writeln!(out, " {:>7.2} {:>7.4} mm", ratio(clip.acl_bytes, clip.bytes), clip.max_error_mm);
    }
    let mut rates: Vec<f64> = clips.iter().map(|clip| clip.rate_hz).collect();
    rates.sort_by(f64::total_cmp);
    rates.dedup();
    for rate in rates {
        let of_rate = clips.iter().filter(|clip| clip.rate_hz.total_cmp(&rate).is_eq());
        let (raw, acl, bytes) =
            of_rate.fold((0, 0, 0), |sum, c| (sum.0 + c.raw_bytes, sum.1 + c.acl_bytes, sum.2 + c.bytes));
        let _ = writeln!(
            out,
            "{:<40} {rate:>5.0} Hz {raw:>10} {acl:>9} {bytes:>9} {:>7.2}",
            "all",
            ratio(acl, bytes)
        );
    }
    out
}
