//! Dual quaternions against Blender's "preserve volume", on real characters.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected fails")]

mod shared;

use serde_json::Value;
use shared::corpus;
use sinew::{Aabb, Frame, Method, Wrap, glam::Vec3};
use sinew_formats::{Import, read_file};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Within this part of the diagonal of the box around the whole motion every file must agree, at key times.
const BAR: f32 = 1e-5;

#[test]
fn show() {
    let Some(corpus) = corpus() else { return };
    for stem in stems(&corpus) {
        let (json, positions) = load(&stem);
        let name = stem.file_name().unwrap().to_string_lossy().split('.').next().unwrap().to_owned();
        let import = read_file(&find(&corpus, &name)).unwrap();
        let clip = usize::try_from(json["clipIndex"].as_i64().unwrap()).ok();
        let vertices = json["verts"].as_u64().unwrap() as usize;
        let diagonal = Aabb::of_points(&positions).diagonal();
        let mut frame = Frame::new(&import.character);
        let mut offs = vec![];
        for (index, time) in json["times"].as_array().unwrap().iter().enumerate() {
            if let Some(clip) = clip {
                frame.sample(&import.character.clips()[clip], time.as_f64().unwrap() as f32, Wrap::Clamp);
            }
            frame.update(&import.character);
            frame.deform(&import.character, Method::DualQuat).unwrap();
            let got = deformed(&import, &frame);
            let want = &positions[index * vertices..(index + 1) * vertices];
            let distance = got.iter().zip(want).map(|(g, w)| g.distance(*w)).fold(0.0, f32::max);
            let mut ds: Vec<f32> = got.iter().zip(want).map(|(g, w)| g.distance(*w)).collect();
            ds.sort_by(f32::total_cmp);
            offs.push(format!("{:.1e}/{:.1e}", distance / diagonal, ds[ds.len()/2]/diagonal));
        }
        println!("{:30} stretch {:?} {offs:?}", stem.file_name().unwrap().to_string_lossy(), frame.dual_quats().iter().any(|d| d.has_stretch()));
    }
}

fn stems(corpus: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(corpus.join("expected")).unwrap().map(|e| e.unwrap().path());
    let mut stems: Vec<PathBuf> =
        entries.filter(|p| p.to_string_lossy().ends_with(".dqs.json")).map(|p| p.with_extension("")).collect();
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

/// Model-space positions of every visible primitive at one time, sorted by node and primitive.
fn deformed(import: &Import, frame: &Frame) -> Vec<Vec3> {
    let character = &import.character;
    let mut instances: Vec<usize> = character.visible_instances().collect();
    instances.sort_by_key(|&i| import.node_of_joint[character.instances()[i].joint.index()]);
    instances.iter().flat_map(|&i| frame.deformed()[i].positions.iter().copied()).collect()
}
