//! Real characters, deformed by Sinew and by independent programs.

use crate::corpus_folder::corpus;
use serde_json::Value;
use sinew::glam::Vec3;
use sinew::{Aabb, Frame, Method, Wrap};
use sinew_formats::{Import, read_file};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The tolerance for every file at every time, relative to the diagonal of the bounding box of the motion.
const BAR: f32 = 5e-6;

/// Files with quaternion keys that are not normalized, which Sinew repairs and the other programs do not.
const WIDER: [(&str, f32); 2] = [("SimpleSkin", 2.3e-4), ("Animation_SamplerType_01", 2.5e-3)];

fn bar(name: &str) -> f32 {
    WIDER.iter().find(|(n, _)| *n == name).map_or(BAR, |(_, bar)| *bar)
}

struct Expectation {
    /// The name of the corpus file without its extension.
    name: String,
    json: Value,
    positions: Vec<Vec3>,
    node_matrices: Option<Vec<f32>>,
}

fn floats(path: &Path) -> Option<Vec<f32>> {
    let bytes = fs::read(path).ok()?;
    Some(bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
}

/// Every linear blend skinning expectation of a glTF file.
fn expectations(corpus: &Path) -> Vec<Expectation> {
    let entries = fs::read_dir(corpus.join("expected")).unwrap();
    let mut stems: Vec<PathBuf> = entries
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "json"))
        .map(|p| p.with_extension(""))
        .filter(|p| {
            let stem = p.file_name().unwrap().to_string_lossy().into_owned();
            !stem.starts_with("bvh_") && !stem.ends_with(".dqs")
        })
        .collect();
    stems.sort();
    let load = |stem: PathBuf| {
        let beside = |ending: &str| PathBuf::from(format!("{}.{ending}", stem.display()));
        let file_name = stem.file_name().unwrap().to_string_lossy().into_owned();
        Expectation {
            name: file_name.split('.').next().unwrap().to_owned(),
            json: serde_json::from_slice(&fs::read(beside("json")).unwrap()).unwrap(),
            positions: floats(&beside("f32")).unwrap().as_chunks::<3>().0.iter().map(|&v| v.into()).collect(),
            node_matrices: floats(&beside("nodes.f32")),
        }
    };
    stems.into_iter().map(load).collect()
}

fn find(corpus: &Path, name: &str) -> PathBuf {
    let places = ["", "asset-generator/"];
    let candidates =
        places.iter().flat_map(|p| ["glb", "gltf"].map(|e| corpus.join(format!("{p}{name}.{e}"))));
    candidates.into_iter().find(|p| p.exists()).unwrap_or_else(|| panic!("no corpus file for {name}"))
}

/// The model-space positions of every visible primitive at one time, sorted by node and primitive.
fn deformed(import: &Import, frame: &Frame) -> Vec<Vec3> {
    let character = &import.character;
    let mut out = Vec::new();
    let mut instances: Vec<usize> = character.visible_instances().collect();
    instances.sort_by_key(|&i| import.node_of_joint[character.instances()[i].joint.index()]);
    for index in instances {
        out.extend_from_slice(&frame.deformed()[index].positions);
    }
    out
}

#[test]
fn every_character_agrees_with_the_independent_programs_at_every_time() {
    let Some(corpus) = corpus() else { return };
    let expectations = expectations(&corpus);
    assert!(expectations.len() >= 74, "only {} expectations", expectations.len());
    let mut worst: Vec<(f32, String)> = Vec::new();
    let mut failures = Vec::new();
    for expected in &expectations {
        let import = read_file(find(&corpus, &expected.name)).unwrap();
        let clip_index = expected.json["clipIndex"].as_i64().unwrap();
        let clip = usize::try_from(clip_index).ok().map(|i| import.character.clips()[i].clone());
        let mut frame = Frame::new(&import.character);
        let times: Vec<f32> =
            expected.json["times"].as_array().unwrap().iter().map(|t| t.as_f64().unwrap() as f32).collect();
        let vertices = expected.json["verts"].as_u64().unwrap() as usize;
        let diagonal = Aabb::of_points(&expected.positions).diagonal();
        let mut off = 0.0_f32;
        for (index, &time) in times.iter().enumerate() {
            if let Some(clip) = &clip {
                frame.sample(clip, time, Wrap::Clamp);
            }
            frame.deform(Method::Linear).unwrap();
            let got = deformed(&import, &frame);
            let want = &expected.positions[index * vertices..(index + 1) * vertices];
            assert_eq!(got.len(), want.len(), "{}: vertex count", expected.name);
            let distance = got.iter().zip(want).map(|(g, w)| g.distance(*w)).fold(0.0, f32::max);
            off = off.max(distance / diagonal);
        }
        if off.is_nan() || off > bar(&expected.name) {
            failures.push(format!("{} clip {clip_index}: off by {off:.2e}", expected.name));
        }
        worst.push((off, expected.name.clone()));
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("{} expectations; furthest off: {:?}", worst.len(), &worst[..8]);
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn every_node_agrees_with_the_independent_programs() {
    let Some(corpus) = corpus() else { return };
    let mut compared = 0;
    for expected in expectations(&corpus) {
        let Some(matrices) = &expected.node_matrices else { continue };
        let import = read_file(find(&corpus, &expected.name)).unwrap();
        let clip = usize::try_from(expected.json["clipIndex"].as_i64().unwrap()).ok();
        let nodes: Vec<usize> =
            expected.json["nodes"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
        let mut frame = Frame::new(&import.character);
        for (index, time) in expected.json["times"].as_array().unwrap().iter().enumerate() {
            if let Some(clip) = clip {
                frame.sample(&import.character.clips()[clip], time.as_f64().unwrap() as f32, Wrap::Clamp);
            }
            frame.update();
            let at = &matrices[index * nodes.len() * 16..(index + 1) * nodes.len() * 16];
            let origins: Vec<Vec3> =
                at.as_chunks::<16>().0.iter().map(|m| [m[12], m[13], m[14]].into()).collect();
            let size = Aabb::of_points(&origins).diagonal().max(1e-3);
            for (node, want) in nodes.iter().zip(&origins) {
                let joint = import.node_of_joint.iter().position(|n| n == node).unwrap();
                let got = Vec3::from(frame.model().joints()[joint].translation);
                let off = got.distance(*want) / size;
                assert!(
                    off <= bar(&expected.name).max(1e-5),
                    "{} node {node}: off by {off:.2e}",
                    expected.name
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 10_000, "only {compared} nodes compared");
}
