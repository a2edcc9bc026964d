//! Joint angles from synthetic markers of real captures: `marker_accuracy FOLDER_OF_BVH... [--seeds N]` prints a table.
//!
//! Every marker has 2 mm of noise per coordinate. The columns are the RMS error of the joint angles about each axis, over all
//! joints with markers: all markers seen, with drop-outs and swapped labels, the same filtered at 15 Hz, and with attachments
//! calibrated from a guess that is 2 cm off.
#![allow(clippy::unwrap_used, reason = "an example that meets the unexpected stops")]

#[path = "../tests/it/markers/synthetic.rs"]
mod synthetic;

use sinew_author::{
    markers::{CalibrateOptions, MarkerAttachments, MarkerSolveOptions, calibrate_markers, solve_markers},
    uninterrupted,
};
use sinew_formats::bvh::Bvh;
use std::{path::PathBuf, time::Instant};
use synthetic::{Trial, angle_error, everything, noise, shaken, trial};

const REST_FRAMES: usize = 60;

fn main() {
    let mut folders: Vec<PathBuf> = Vec::new();
    let mut seeds = 2;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seeds" => seeds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(seeds),
            folder => folders.push(folder.into()),
        }
    }
    println!(
        "| capture | seed | frames | joints | markers | seen | faults | faults, 15 Hz | calibrated | frames/s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let mut paths: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.extension().is_some_and(|e| e == "bvh"))
        .collect();
    paths.sort();
    for path in paths {
        for seed in 1..=seeds {
            row(&path, seed);
        }
    }
}

fn row(path: &std::path::Path, seed: u64) {
    // One frame does not show a motion.
    if Bvh::parse(&std::fs::read(path).unwrap()).unwrap().frame_count() < 20 {
        return;
    }
    let raw = MarkerSolveOptions::default();
    let seen = trial(path, 1, 1200, REST_FRAMES, noise(seed));
    if seen.truth.len() < REST_FRAMES + 10 || seen.attachments.list().len() < 20 {
        return;
    }
    let faulty = trial(path, 1, 1200, REST_FRAMES, everything(seed + 100));
    let start = Instant::now();
    let plain = solved(&seen, &seen.attachments, &raw);
    let per_sec = seen.truth.len() as f64 / start.elapsed().as_secs_f64();
    let with_faults = solved(&faulty, &faulty.attachments, &raw);
    let smooth = solved(&faulty, &faulty.attachments, &raw.clone().with_smooth_hz(15.0));
    let calibrate = CalibrateOptions::default().with_rest_frames(0..REST_FRAMES);
    let (found, _) = calibrate_markers(
        &faulty.character,
        &faulty.capture,
        &shaken(&faulty, 0.02, seed),
        &raw,
        &calibrate,
        &mut uninterrupted,
    )
    .unwrap();
    let calibrated = solved(&faulty, &found, &raw.clone().with_smooth_hz(15.0));
    println!(
        "| {} | {seed} | {} | {} | {} | {plain:.2}° | {with_faults:.2}° | {smooth:.2}° | {calibrated:.2}° | {per_sec:.0} |",
        path.file_stem().unwrap().to_string_lossy(),
        seen.truth.len() - REST_FRAMES,
        seen.truth[0].joints.len(),
        seen.attachments.list().len(),
    );
}

fn solved(trial: &Trial, attachments: &MarkerAttachments, options: &MarkerSolveOptions) -> f32 {
    let (clip, _) =
        solve_markers(&trial.character, &trial.capture, attachments, "solved", options, &mut uninterrupted)
            .unwrap();
    angle_error(trial, &clip).axis_rms_degrees
}
