//! Joints of fitted skeletons against those of the artists: `autorig_accuracy FILE_OR_FOLDER... [--joints] [--out FOLDER]` prints a table.
//!
//! Each character loses its skeleton and gets a new one. Joints are paired by [`JointMap::guess`], as for retargeting; the error is
//! the distance between two joints of a pair at rest, in percent of the body's height.
#![allow(clippy::unwrap_used, reason = "an example that meets the unexpected stops")]

use sinew::{Character, JointId, ModelPose, glam::Vec3A};
use sinew_author::{
    autorig::{AutorigOptions, rig_body},
    retarget::JointMap,
    uninterrupted,
};
use std::{path::PathBuf, time::Instant};

fn main() {
    let (mut paths, mut with_joints, mut out): (Vec<PathBuf>, _, _) = (Vec::new(), false, None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--joints" => with_joints = true,
            "--out" => out = arguments.next().map(PathBuf::from),
            path => paths.extend(files(path.into())),
        }
    }
    println!(
        "| character | kind | joints compared | median % | mean % | max % | s |\n| --- | --- | --- | --- | --- | --- | --- |"
    );
    let (mut all, mut medians): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
    for path in &paths {
        let artist = sinew_formats::read_file(path).unwrap().character;
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let started = Instant::now();
        let rigged = match rig_body(&artist, &AutorigOptions::default(), &mut uninterrupted) {
            Ok(rigged) => rigged,
            Err(error) => {
                println!("| {name} | failed: {error} |");
                continue;
            }
        };
        let secs = started.elapsed().as_secs_f64();
        let map = JointMap::guess(&rigged.character, &artist);
        let mut errors: Vec<(String, f64)> = Vec::new();
        for pair in map.pairs() {
            let off = place(&rigged.character, pair.source).distance(place(&artist, pair.target));
            let percent = f64::from(off) / rigged.report.height * 100.0;
            errors.push((rigged.character.skeleton().name(pair.source).to_owned(), percent));
        }
        if with_joints {
            for (pair, (name, percent)) in map.pairs().iter().zip(&errors) {
                let [a, b] = [place(&rigged.character, pair.source), place(&artist, pair.target)];
                println!(
                    "  {name:20} {percent:6.2} {a:.2} {:20} {b:.2}",
                    artist.skeleton().name(pair.target)
                );
            }
        }
        let mut sorted: Vec<f64> = errors.iter().map(|e| e.1).collect();
        sorted.sort_by(f64::total_cmp);
        let mean = sorted.iter().sum::<f64>() / sorted.len().max(1) as f64;
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN);
        let max = sorted.last().copied().unwrap_or(f64::NAN);
        println!(
            "| {name} | {:?} | {} | {median:.2} | {mean:.2} | {max:.2} | {secs:.2} |",
            rigged.report.kind,
            sorted.len()
        );
        medians.push(median);
        all.extend(sorted);
        if let Some(folder) = &out {
            let path = folder.join(format!("{name}.glb"));
            sinew_formats::write_file(&path, &rigged.character).unwrap();
        }
    }
    all.sort_by(f64::total_cmp);
    medians.retain(|m| m.is_finite());
    medians.sort_by(f64::total_cmp);
    let middle = |list: &[f64]| list.get(list.len() / 2).copied().unwrap_or(f64::NAN);
    println!(
        "median of all {} joints: {:.2} %, median of {} characters: {:.2} %",
        all.len(),
        middle(&all),
        medians.len(),
        middle(&medians)
    );
}

fn place(character: &Character, joint: JointId) -> Vec3A {
    let mut model = ModelPose::new(character.skeleton());
    model.update(character.skeleton(), &character.rest_pose());
    model.joint(joint).translation
}

fn files(path: PathBuf) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path];
    }
    let mut out: Vec<PathBuf> = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    out.retain(|path| path.extension().is_some_and(|e| e == "glb" || e == "gltf"));
    out.sort();
    out
}
