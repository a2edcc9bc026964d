//! Joint angles from synthetic markers of real captures: `marker_accuracy FOLDER_OF_BVH... [--seeds N] [--joints]` prints tables.
//!
//! Every marker has 2 mm of noise per coordinate. Figures are the RMS of the whole angle between known and solved rotations, over
//! all joints with markers and all frames.
#![allow(clippy::unwrap_used, reason = "an example that meets the unexpected stops")]

#[path = "../tests/it/markers/synthetic.rs"]
mod synthetic;

use sinew::Clip;
use sinew_author::{
    markers::{
        CalibrateOptions, MarkerAttachments, MarkerSmoothing, MarkerSolveOptions, MarkerSolveReport,
        calibrate_markers, solve_markers,
    },
    uninterrupted,
};
use sinew_formats::bvh::Bvh;
use std::{path::PathBuf, time::Instant};
use synthetic::{Trial, angle_error, everything, joint_errors, noise, position_error_mm, shaken, trial};

const REST_FRAMES: usize = 60;
/// Speeds of joints, in degrees per second.
const SPEEDS: [(f32, &str); 4] =
    [(30.0, "below 30°/s"), (120.0, "to 120°/s"), (400.0, "to 400°/s"), (f32::INFINITY, "faster")];

fn main() {
    let mut folders: Vec<PathBuf> = Vec::new();
    let (mut seeds, mut with_joints) = (2, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seeds" => seeds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(seeds),
            "--joints" => with_joints = true,
            folder => folders.push(folder.into()),
        }
    }
    let mut paths: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.extension().is_some_and(|e| e == "bvh"))
        // One frame does not show a motion.
        .filter(|path| Bvh::parse(&std::fs::read(path).unwrap()).unwrap().frame_count() >= 20)
        .collect();
    paths.sort();
    let trials = |rest| {
        let seeds =
            move |path: &PathBuf| (1..=seeds).map(move |seed| (path.clone(), seed)).collect::<Vec<_>>();
        paths
            .iter()
            .flat_map(seeds)
            .map(move |(path, seed)| Case::new(path, seed, rest))
            .filter(Case::is_enough)
    };
    println!(
        "| capture | frames | Hz | markers | bound, one frame | one by one | default | faults | calibrated | positions, one by one | positions, default | frames/s |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    trials(0).for_each(|case| case.print_row());
    println!("\n| capture | {} |", SPEEDS.map(|(_, name)| name).join(" | "));
    println!("| --- | --- | --- | --- | --- |");
    trials(0).for_each(|case| case.print_speeds());
    if with_joints {
        trials(0).for_each(|case| case.print_joints());
    }
}

/// A capture without faults.
struct Case {
    path: PathBuf,
    seed: u64,
    seen: Trial,
}

impl Case {
    fn new(path: PathBuf, seed: u64, rest_frames: usize) -> Self {
        let seen = trial(&path, 1, 1200, rest_frames, noise(seed));
        Self { path, seed, seen }
    }

    fn is_enough(&self) -> bool {
        self.seen.truth.len() >= 10 && self.seen.attachments.list().len() >= 20
    }

    fn name(&self) -> std::borrow::Cow<'_, str> {
        self.path.file_stem().unwrap().to_string_lossy()
    }

    fn print_row(&self) {
        let seen = &self.seen;
        let options = MarkerSolveOptions::default();
        let off = options.clone().with_smoothing(MarkerSmoothing::Off);
        let (raw, _) = solved(seen, &seen.attachments, &off);
        let start = Instant::now();
        let (smooth, report) = solved(seen, &seen.attachments, &options);
        let per_sec = seen.truth.len() as f64 / start.elapsed().as_secs_f64();
        let squares = report.joints.iter().map(|joint| f64::from(joint.frame_bound_degrees).powi(2));
        let bound = (squares.sum::<f64>() / report.joints.len() as f64).sqrt();
        let angle = |trial: &Trial, clip: &Clip| angle_error(trial, clip).rms_degrees;
        let faulty = trial(&self.path, 1, 1200, 0, everything(self.seed + 100));
        let with_faults = angle(&faulty, &solved(&faulty, &faulty.attachments, &options).0);
        println!(
            "| {} | {} | {:.0} | {} | {bound:.2}° | {:.2}° | {:.2}° | {with_faults:.2}° | {:.2}° | {:.2} mm | {:.2} mm | {per_sec:.0} |",
            self.name(),
            seen.truth.len(),
            seen.capture.rate_hz(),
            seen.attachments.list().len(),
            angle(seen, &raw),
            angle(seen, &smooth),
            self.calibrated(&options),
            position_error_mm(seen, &raw),
            position_error_mm(seen, &smooth),
        );
    }

    /// The error with faults and attachments that are calibrated from a guess 2 cm off, with a stand in the rest pose.
    fn calibrated(&self, options: &MarkerSolveOptions) -> f32 {
        let faulty = trial(&self.path, 1, 1200, REST_FRAMES, everything(self.seed + 100));
        let calibrate = CalibrateOptions::default().with_rest_frames(0..REST_FRAMES);
        let (found, _) = calibrate_markers(
            &faulty.character,
            &faulty.capture,
            &shaken(&faulty, 0.02, self.seed),
            options,
            &calibrate,
            &mut uninterrupted,
        )
        .unwrap();
        angle_error(&faulty, &solved(&faulty, &found, options).0).rms_degrees
    }

    /// The errors of all joints by how fast they turn: one by one, and as solved by default.
    fn print_speeds(&self) {
        let options = MarkerSolveOptions::default();
        let off = options.clone().with_smoothing(MarkerSmoothing::Off);
        let clips = [off, options].map(|options| solved(&self.seen, &self.seen.attachments, &options).0);
        let [raw, smooth] = clips.map(|clip| by_speed(&self.seen, &clip));
        let cell = |(raw, smooth): (&Option<f64>, &Option<f64>)| match raw.zip(*smooth) {
            Some((raw, smooth)) => format!("{raw:.2}° → {smooth:.2}°"),
            None => String::new(),
        };
        let cells: Vec<String> = raw.iter().zip(&smooth).map(cell).collect();
        println!("| {} | {} |", self.name(), cells.join(" | "));
    }

    fn print_joints(&self) {
        let options = MarkerSolveOptions::default();
        let off = options.clone().with_smoothing(MarkerSmoothing::Off);
        let (raw, _) = solved(&self.seen, &self.seen.attachments, &off);
        let (smooth, report) = solved(&self.seen, &self.seen.attachments, &options);
        println!("\n| {}: joint | markers | bound, one frame | one by one | default |", self.name());
        println!("| --- | --- | --- | --- | --- |");
        let rms = |degrees: &[f32]| {
            (degrees.iter().map(|d| f64::from(*d).powi(2)).sum::<f64>() / degrees.len() as f64).sqrt()
        };
        for (raw, smooth) in joint_errors(&self.seen, &raw).iter().zip(joint_errors(&self.seen, &smooth)) {
            let name = self.seen.character.skeleton().name(raw.joint);
            let markers = self.seen.attachments.list().iter().filter(|one| one.joint == raw.joint).count();
            let bound = report.joints.iter().find(|joint| joint.joint == name).unwrap().frame_bound_degrees;
            println!(
                "| {name} | {markers} | {bound:.2}° | {:.2}° | {:.2}° |",
                rms(&raw.degrees),
                rms(&smooth.degrees)
            );
        }
    }
}

/// The RMS error within each range of speeds; `None` without a frame.
fn by_speed(trial: &Trial, clip: &Clip) -> [Option<f64>; 4] {
    let rate = trial.capture.rate_hz();
    let mut sums = [(0.0, 0_u32); 4];
    for joint in joint_errors(trial, clip) {
        for (degrees, step) in joint.degrees.iter().zip(&joint.step_degrees) {
            let range = SPEEDS.iter().position(|(limit, _)| step * rate < *limit).unwrap_or(3);
            sums[range].0 += f64::from(*degrees).powi(2);
            sums[range].1 += 1;
        }
    }
    sums.map(|(sum, count)| (count > 0).then(|| (sum / f64::from(count)).sqrt()))
}

fn solved(
    trial: &Trial,
    attachments: &MarkerAttachments,
    options: &MarkerSolveOptions,
) -> (Clip, MarkerSolveReport) {
    solve_markers(&trial.character, &trial.capture, attachments, "solved", options, &mut uninterrupted)
        .unwrap()
}
