//! Real FBX files, deformed by Sinew and by an evaluation of their curves.

use crate::corpus_folder::corpus;
use serde_json::Value;
use sinew::glam::Vec3;
use sinew::{Aabb, Frame, Wrap};
use sinew_formats::read_file;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The tolerance for every file at every time, relative to the diagonal of the bounding box of the motion.
const BAR: f32 = 1e-4;

/// The points of one take.
struct TakePoints {
    file: String,
    take: usize,
    json: Value,
    points: Vec<Vec3>,
}

fn takes(folder: &Path) -> Vec<TakePoints> {
    let entries = fs::read_dir(folder.join("expected")).unwrap().map(|e| e.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "json")).collect();
    paths.sort();
    let load = |path: PathBuf| {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let (file, take) = stem.split_once(".take").unwrap();
        let bytes = fs::read(path.with_extension("f32")).unwrap();
        let point = |b: &[u8; 12]| {
            let at = |k: usize| f32::from_le_bytes([b[k], b[k + 1], b[k + 2], b[k + 3]]);
            Vec3::new(at(0), at(4), at(8))
        };
        TakePoints {
            file: file.into(),
            take: take.parse().unwrap(),
            json: serde_json::from_slice(&fs::read(&path).unwrap()).unwrap(),
            points: bytes.as_chunks::<12>().0.iter().map(point).collect(),
        }
    };
    paths.into_iter().map(load).collect()
}

/// The largest distance from a point of `a` to the nearest point of `b`.
fn furthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    let nearest = |p: &Vec3| b.iter().map(|q| q.distance_squared(*p)).fold(f32::INFINITY, f32::min);
    a.iter().map(nearest).fold(0.0, f32::max).sqrt()
}

#[test]
fn every_take_agrees_with_the_evaluated_curves_at_the_files_own_frames() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("fbx");
    let takes = takes(&folder);
    assert!(takes.len() >= 27, "only {} takes", takes.len());
    let (mut worst, mut failures): (Vec<(f32, String)>, Vec<String>) = Default::default();
    for expected in &takes {
        let name = format!("{} take {}", expected.file, expected.take);
        let import = read_file(folder.join(&expected.file).with_extension("fbx")).unwrap();
        let Some(clip) = import.character.clips().get(expected.take) else {
            failures.push(format!("{name} is missing"));
            continue;
        };
        let number = |key: &str| expected.json[key].as_f64().unwrap();
        let (duration, want) = (f64::from(clip.duration_secs()), number("take_end") - number("take_begin"));
        // The expectation has nine digits.
        if (duration - want).abs() > 1e-6 * want.max(1.0) {
            failures.push(format!("{name}: lasts {duration} s instead of {want} s"));
        }
        assert_eq!(clip.name(), expected.json["take"].as_str().unwrap());
        let first_key = clip.channels().iter().map(|c| c.times_secs()[0]).fold(0.0, f32::min);
        assert_eq!(first_key, 0.0, "{name}");
        let method = import.character.method_or_recommended(None);
        let mut frame = Frame::new(&import.character);
        let diagonal = Aabb::of_points(&expected.points).diagonal();
        let mut off = 0.0_f32;
        let count = expected.json["points"].as_u64().unwrap() as usize;
        for (time, want) in
            expected.json["times"].as_array().unwrap().iter().zip(expected.points.chunks(count))
        {
            frame.sample(clip, time.as_f64().unwrap() as f32, Wrap::Clamp);
            frame.deform(method).unwrap();
            let got: Vec<Vec3> = frame.deformed().iter().flat_map(|s| s.positions.iter().copied()).collect();
            off = off.max(furthest(&got, want).max(furthest(want, &got)) / diagonal);
        }
        if off.is_nan() || off > BAR {
            failures.push(format!("{name}: off by {off:.2e}"));
        }
        worst.push((off, name));
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("{} takes; furthest off: {:?}", worst.len(), &worst[..worst.len().min(8)]);
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The world positions of all control points at a time, as ufbx evaluates them.
fn evaluated(scene: &ufbx::Scene, anim: &ufbx::Anim, time: f64) -> Vec<Vec3> {
    let options = ufbx::EvaluateOpts { evaluate_skinning: true, ..Default::default() };
    let at = ufbx::evaluate_scene(scene, anim, time, options).unwrap();
    let mut out = Vec::new();
    for node in &at.nodes {
        let Some(mesh) = &node.mesh else { continue };
        for &point in &mesh.skinned_position.values {
            let is_local = mesh.skinned_is_local;
            let p = if is_local { ufbx::transform_position(&node.geometry_to_world, point) } else { point };
            out.push(Vec3::new(p.x as f32, p.y as f32, p.z as f32));
        }
    }
    out
}

#[test]
fn takes_agree_between_frames_too() {
    let Some(corpus) = corpus() else { return };
    let mut worst = Vec::new();
    for entry in fs::read_dir(corpus.join("fbx")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "fbx") {
            continue;
        }
        let import = read_file(&path).unwrap();
        let target_axes = ufbx::CoordinateAxes {
            right: ufbx::CoordinateAxis::PositiveX,
            up: ufbx::CoordinateAxis::PositiveY,
            front: ufbx::CoordinateAxis::PositiveZ,
        };
        let options = ufbx::LoadOpts { target_axes, target_unit_meters: 1.0, ..Default::default() };
        let scene = ufbx::load_memory(&fs::read(&path).unwrap(), options).unwrap();
        let mut frame = Frame::new(&import.character);
        for (clip, stack) in import.character.clips().iter().zip(&scene.anim_stacks) {
            // Frames of takes that last for hours cannot be told apart in single precision.
            let duration = (stack.time_end - stack.time_begin).min(10.0);
            let (mut off, mut all) = (0.0_f32, Vec::new());
            for step in 0..40_u8 {
                let time = duration * (f64::from(step) + 0.37) / 40.0;
                let want = evaluated(&scene, &stack.anim, stack.time_begin + time);
                frame.sample(clip, time as f32, Wrap::Clamp);
                frame.deform(import.character.method_or_recommended(None)).unwrap();
                let got: Vec<Vec3> =
                    frame.deformed().iter().flat_map(|s| s.positions.iter().copied()).collect();
                off = off.max(furthest(&got, &want));
                all.extend(want);
            }
            let off = off / Aabb::of_points(&all).diagonal();
            worst.push((off, path.file_stem().unwrap().to_string_lossy().into_owned()));
        }
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("furthest off between frames: {:?}", &worst[..8]);
    assert!(worst[0].0 < 1e-5, "{worst:?}");
}
