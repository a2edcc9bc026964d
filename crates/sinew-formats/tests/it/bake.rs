//! Baked files have the layout of files that independent programs wrote.

use crate::corpus_folder::corpus;
use serde_json::Value;
use sinew::{Aabb, Method, glam::Vec3};
use sinew_formats::{
    bake::{Bake, BakeMotion, BakeTake, raw},
    read_file,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// Every linear blend skinning expectation of a glTF file, without its extension.
fn expectations(corpus: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(corpus.join("expected")).unwrap().map(|e| e.unwrap().path());
    let documents = entries.filter(|p| p.extension().is_some_and(|e| e == "json"));
    let stems = documents.map(|p| p.with_extension(""));
    let is_other = |name: &str| name.starts_with("bvh_") || name.ends_with(".dqs");
    let mut stems: Vec<PathBuf> =
        stems.filter(|p| !is_other(&p.file_name().unwrap().to_string_lossy())).collect();
    stems.sort();
    stems
}

fn beside(stem: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}.{ending}", stem.display()))
}

fn character_file(corpus: &Path, stem: &Path) -> PathBuf {
    let file_name = stem.file_name().unwrap().to_string_lossy().into_owned();
    let name = file_name.split('.').next().unwrap();
    let candidates = ["", "asset-generator/"]
        .into_iter()
        .flat_map(|p| ["glb", "gltf"].map(|e| corpus.join(format!("{p}{name}.{e}"))));
    candidates.into_iter().find(|p| p.exists()).unwrap_or_else(|| panic!("no corpus file for {name}"))
}

fn bake(file: &Path, wanted: &Value) -> Bake {
    let import = read_file(file).unwrap();
    let clip = usize::try_from(wanted["clipIndex"].as_i64().unwrap()).ok();
    let times: Vec<f32> =
        wanted["times"].as_array().unwrap().iter().map(|t| t.as_f64().unwrap() as f32).collect();
    let motion = BakeMotion::from_clip(clip.map(|i| &*import.character.clips()[i]));
    let take = BakeTake::new(motion, &times, Method::Linear);
    Bake::record(&import.character, &import.node_of_joint, &take, &mut |_| {}).unwrap()
}

#[test]
fn raw_bakes_have_the_parts_nodes_and_sizes_of_the_expected_files() {
    let Some(corpus) = corpus() else { return };
    for stem in expectations(&corpus) {
        let name = stem.file_name().unwrap().to_string_lossy().into_owned();
        let wanted: Value = serde_json::from_slice(&fs::read(beside(&stem, "json")).unwrap()).unwrap();
        let bake = bake(&character_file(&corpus, &stem), &wanted);
        let (mut json, mut positions, mut nodes) = (Vec::new(), Vec::new(), Vec::new());
        raw::write_json(&bake, &mut json).unwrap();
        raw::write_positions(&bake, &mut positions).unwrap();
        raw::write_nodes(&bake, &mut nodes).unwrap();
        let json: Value = serde_json::from_slice(&json).unwrap();
        for key in ["clipIndex", "verts", "nodes"] {
            assert_eq!(json[key], wanted[key], "{name}: {key}");
        }
        assert_eq!(
            json["prims"].as_array().unwrap().len(),
            wanted["prims"].as_array().unwrap().len(),
            "{name}"
        );
        for (got, want) in json["prims"].as_array().unwrap().iter().zip(wanted["prims"].as_array().unwrap()) {
            for key in ["node", "mesh", "prim", "skinned", "first", "count"] {
                assert_eq!(got[key], want[key], "{name}: {key} of {want}");
            }
        }
        let expected = fs::read(beside(&stem, "f32")).unwrap();
        assert_eq!(positions.len(), expected.len(), "{name}: bytes of positions");
        assert_eq!(
            nodes.len(),
            fs::read(beside(&stem, "nodes.f32")).unwrap().len(),
            "{name}: bytes of matrices"
        );
        let floats = expected.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect::<Vec<_>>();
        let expected: Vec<Vec3> = floats.as_chunks::<3>().0.iter().map(|&v| v.into()).collect();
        let diagonal = Aabb::of_points(&expected).diagonal();
        let off = bake.positions.iter().zip(&expected).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        // This checks the order only; `corpus.rs` has the tight tolerance.
        assert!(off <= 3e-3 * diagonal, "{name}: off by {off}");
    }
}
