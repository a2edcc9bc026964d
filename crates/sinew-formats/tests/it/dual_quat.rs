//! Dual quaternion skinning against Blender's "preserve volume", on real characters.

use crate::corpus_folder::corpus;
use serde_json::Value;
use sinew::{Aabb, Frame, Method, Wrap, glam::Vec3};
use sinew_formats::{Import, read_file};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The tolerance for every file at key times, relative to the diagonal of the bounding box of the motion.
const BAR: f32 = 1e-5;

/// Between keys the programs differ: Blender interpolates rotations per component.
fn is_comparable(kind: &Value) -> bool {
    !kind.as_str().unwrap().starts_with("off-key")
}

#[test]
fn every_character_agrees_with_blender_at_key_times() {
    let Some(corpus) = corpus() else { return };
    let stems = stems(&corpus);
    assert!(stems.len() >= 25, "only {} expectations", stems.len());
    let (mut worst, mut stretched, mut compared) = ((0.0_f32, String::new()), 0, 0);
    for stem in stems {
        let (json, positions) = load(&stem);
        let label = stem.file_name().unwrap().to_string_lossy().into_owned();
        let import = read_file(find(&corpus, label.split('.').next().unwrap())).unwrap();
        let clip = usize::try_from(json["clipIndex"].as_i64().unwrap()).ok();
        let vertices = json["verts"].as_u64().unwrap() as usize;
        let diagonal = Aabb::of_points(&positions).diagonal();
        let mut frame = Frame::new(&import.character);
        let times = json["times"].as_array().unwrap().iter().zip(json["kinds"].as_array().unwrap());
        for (index, (time, _)) in times.enumerate().filter(|(_, (_, kind))| is_comparable(kind)) {
            if let Some(clip) = clip {
                frame.sample(&import.character.clips()[clip], time.as_f64().unwrap() as f32, Wrap::Clamp);
            }
            frame.deform(Method::DualQuat).unwrap();
            let got = deformed(&import, &frame);
            let want = &positions[index * vertices..(index + 1) * vertices];
            assert_eq!(got.len(), want.len(), "{label}: vertex count");
            let off = got.iter().zip(want).map(|(g, w)| g.distance(*w) / diagonal).fold(0.0, f32::max);
            assert!(off <= BAR, "{label} at {time} s: off by {off:.2e} of the diagonal");
            if off > worst.0 {
                worst = (off, label.clone());
            }
            compared += 1;
        }
        stretched += usize::from(frame.dual_quats().iter().any(sinew::DualQuatPalette::has_stretch));
    }
    assert!(compared >= 121 && stretched >= 8, "{compared} times, {stretched} files with scale");
    println!("{compared} times compared; furthest off: {worst:?}");
}

fn stems(corpus: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(corpus.join("expected")).unwrap().map(|e| e.unwrap().path());
    let mut stems: Vec<PathBuf> = entries
        .filter(|p| p.to_string_lossy().ends_with(".dqs.json"))
        .map(|p| p.with_extension(""))
        .collect();
    stems.sort();
    stems
}

fn load(stem: &Path) -> (Value, Vec<Vec3>) {
    let beside = |ending: &str| fs::read(format!("{}.{ending}", stem.display())).unwrap();
    let floats: Vec<f32> = beside("f32").as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    let positions = floats.as_chunks::<3>().0.iter().map(|&v| v.into()).collect();
    (serde_json::from_slice(&beside("json")).unwrap(), positions)
}

fn find(corpus: &Path, name: &str) -> PathBuf {
    let candidates = ["glb", "gltf"].map(|e| corpus.join(format!("{name}.{e}")));
    candidates.into_iter().find(|p| p.exists()).unwrap_or_else(|| panic!("no corpus file for {name}"))
}

/// The model-space positions of every visible primitive at one time, sorted by node and primitive.
fn deformed(import: &Import, frame: &Frame) -> Vec<Vec3> {
    let character = &import.character;
    let mut instances: Vec<usize> = character.visible_instances().collect();
    instances.sort_by_key(|&i| import.node_of_joint[character.instances()[i].joint.index()]);
    instances.iter().flat_map(|&i| frame.deformed()[i].positions.iter().copied()).collect()
}
