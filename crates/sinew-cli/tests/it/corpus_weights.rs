//! Automatic weights and edits of weights, compared with real characters and their artists.

use super::{corpus, floats};
use serde_json::Value;
use sinew::{Character, Mesh, MeshParts, Primitive, Skin, Topology, Weights, glam::Vec3};
use sinew_author::{
    uninterrupted,
    weights::{
        BoneSet, Edit, Effect, EffectPoses, PoseOptions, SkinBone,
        auto::{AutoMethod, AutoOptions, AutoReport, auto_weights},
        diff::WeightDiff,
        effect::BoundVertices,
        ops, text,
    },
};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

fn read(path: &Path) -> Character {
    sinew_formats::read_file(path).unwrap().character
}

/// The mesh and skin of every skinned instance, each pair once.
fn skinned(character: &Character) -> Vec<(&Mesh, &Skin)> {
    let instances = character.instances().iter().filter_map(|i| Some((i.mesh, i.skin?)));
    let pairs: BTreeSet<(usize, usize)> =
        instances.filter(|(mesh, _)| character.meshes()[*mesh].weights().is_some()).collect();
    pairs.into_iter().map(|(m, s)| (&*character.meshes()[m], &*character.skins()[s])).collect()
}

fn auto(character: &Character, mesh: &Mesh, skin: &Skin, options: &AutoOptions) -> (Weights, AutoReport) {
    let bones = BoneSet::of_skin(character.skeleton(), skin);
    let made = auto_weights(mesh, &bones, options, &mut uninterrupted).unwrap();
    (made.weights, made.report)
}

#[test]
fn every_skinned_mesh_of_the_corpus_is_weighted_by_every_method() {
    let Some(corpus) = corpus() else { return };
    let folders = [corpus.clone(), corpus.join("asset-generator")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|e| e.unwrap().path());
    let is_gltf = |p: &PathBuf| p.extension().is_some_and(|e| e == "glb" || e == "gltf");
    let mut files: Vec<PathBuf> = entries.filter(is_gltf).collect();
    files.sort();
    let mut meshes = 0;
    for file in files {
        let character = read(&file);
        // A file may show one mesh a hundred times with a skin each.
        for (mesh, skin) in skinned(&character).into_iter().take(8) {
            meshes += 1;
            for method in AutoMethod::ALL {
                let options = AutoOptions { method, resolution: 56, ..AutoOptions::default() };
                let (weights, report) = auto(&character, mesh, skin, &options);
                let what = format!("{}, {:?}, {method}", file.display(), mesh.name());
                assert_eq!(weights.vertex_count(), mesh.vertex_count(), "{what}");
                assert!(weights.max_influences() <= 4, "{what}");
                assert_eq!(report.by_nearest, 0, "{what}: {report:?}");
                for (vertex, &point) in mesh.points().of_vertex().iter().enumerate() {
                    let first = mesh.points().first_vertex()[point as usize] as usize;
                    assert_eq!(weights.of(vertex), weights.of(first), "{what}: a seam at {vertex}");
                    assert_eq!(weights.of(vertex).1.iter().sum::<f32>(), 1.0, "{what}");
                }
            }
        }
    }
    println!("{meshes} meshes");
    assert!(meshes >= 60);
}

/// The mean L1 distance over points, and the mean distance over the poses of the clip as a fraction of the height.
fn against_artist(character: &Character, weights: &Weights) -> (f64, f64) {
    let instance = &character.instances()[0];
    let mesh = character.mesh_of(instance);
    let artist = mesh.weights().unwrap();
    let diff = WeightDiff::new(artist, weights).unwrap();
    let first = mesh.points().first_vertex();
    let l1 = first.iter().map(|&v| f64::from(diff.l1[v as usize])).sum::<f64>() / first.len() as f64;
    let options = PoseOptions { per_clip: 61, angle_radians: 0.0, ..PoseOptions::default() };
    let poses = EffectPoses::of_character(character, instance.skin.unwrap(), &options);
    let bound = |weights| BoundVertices { positions: mesh.positions(), weights, poses: &poses };
    let effect = Effect::between(&bound(artist), &bound(weights));
    let heights = mesh.positions().iter().map(|p| p.y);
    let height = heights.clone().fold(f32::MIN, f32::max) - heights.fold(f32::MAX, f32::min);
    (l1, effect.clips.mean_mm / 1000.0 / f64::from(height))
}

#[test]
fn automatic_weights_of_the_body_are_close_to_the_artists() {
    let Some(corpus) = corpus() else { return };
    let human = read(&corpus.join("human_53.glb"));
    let (mesh, skin) = skinned(&human)[0];
    // What the methods reach, with a small margin: the goals are 0.48 for heat, 0.36 for the default, and 0.32 % of the
    // height.
    for (method, max_l1, max_error) in [
        (AutoMethod::Auto, 0.31, 0.0021),
        (AutoMethod::Heat, 0.37, 0.0021),
        (AutoMethod::VoxelGeodesic, 0.51, 0.0036),
        (AutoMethod::Biharmonic, 0.31, 0.0025),
    ] {
        for influences in [4, 8] {
            let started = Instant::now();
            let options = AutoOptions { method, influences, ..AutoOptions::default() };
            let (weights, report) = auto(&human, mesh, skin, &options);
            let took = started.elapsed();
            let (l1, error) = against_artist(&human, &weights);
            let percent = error * 100.0;
            println!(
                "{method}, {influences} influences: L1 {l1:.3}, poses {percent:.3} % of the height, {took:.0?}"
            );
            assert!(l1 <= max_l1 && error <= max_error, "{method}: {l1} and {error}");
            assert_eq!((report.outside, report.parts), (vec![0], 1));
        }
    }
}

#[test]
fn automatic_weights_of_stylized_characters_are_near_their_artists() {
    let Some(corpus) = corpus() else { return };
    let mut files: Vec<PathBuf> =
        fs::read_dir(corpus.join("characters")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let l1 = |file: &PathBuf| {
        let character = read(file);
        let (mesh, skin) = skinned(&character)[0];
        let options = AutoOptions { resolution: 80, ..AutoOptions::default() };
        against_artist(&character, &auto(&character, mesh, skin, &options).0).0
    };
    // Every third of 25; all of them have 0.48 with the default resolution, and had 0.68 with controls and tips taken for bones.
    let all: Vec<f64> = files.iter().step_by(3).map(l1).collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    println!("{} characters, mean L1 {mean:.3}", all.len());
    assert!(all.len() >= 8 && mean <= 0.6, "{all:?}");
}

#[test]
fn loose_parts_get_weights_like_the_body() {
    let Some(corpus) = corpus() else { return };
    let human = read(&corpus.join("human_parts_53.glb"));
    let (mesh, skin) = skinned(&human)[0];
    for (method, max) in [(AutoMethod::Heat, 0.6), (AutoMethod::Biharmonic, 0.5)] {
        let (weights, report) = auto(&human, mesh, skin, &AutoOptions { method, ..AutoOptions::default() });
        let (l1, _) = against_artist(&human, &weights);
        println!("{method}: {} parts, L1 {l1:.3}", report.parts);
        assert!(report.parts > 100 && report.by_nearest == 0);
        assert!(l1 < max, "{method}: {l1}");
    }
}

#[test]
fn quantizing_and_limiting_move_the_human_by_less_than_half_a_millimeter() {
    let Some(corpus) = corpus() else { return };
    for name in ["human_53", "human_163"] {
        let human = read(&corpus.join(format!("{name}.glb")));
        let instance = &human.instances()[0];
        let poses = EffectPoses::of_character(&human, instance.skin.unwrap(), &PoseOptions::default());
        let edit = Edit::new(human.mesh_of(instance)).unwrap().over(&poses);
        let byte = ops::quantize(&edit, ops::Unorm::Eight).unwrap();
        let sized = ops::limit(&edit, 4, ops::LimitBy::Size).unwrap().effect;
        let limited = ops::limit(&edit, 4, ops::LimitBy::Refit).unwrap();
        let fitted = limited.effect;
        println!("{name}: unorm8 {:.4} mm RMS in the clip", byte.outcome.effect.clips.rms_mm);
        for (what, effect) in [("largest four", sized), ("fitted four", fitted)] {
            let (clips, range) = (effect.clips, effect.range);
            println!(
                "  {what}: {:.4} mm RMS, {:.2} max in the clip; {:.4} and {:.2} over the range of motion",
                clips.rms_mm, clips.max_mm, range.rms_mm, range.max_mm
            );
        }
        assert!(byte.outcome.effect.clips.rms_mm <= 0.06);
        assert!(fitted.clips.rms_mm <= 0.47 && fitted.clips.rms_mm < 0.7 * sized.clips.rms_mm);
        assert_eq!(limited.weights.max_influences(), 4);
        for vertex in 0..byte.quantized.vertex_count() {
            assert_eq!(byte.quantized.of(vertex).1.iter().map(|v| u32::from(*v)).sum::<u32>(), 255);
        }
    }
}

#[test]
fn the_human_is_symmetric_and_its_weights_survive_a_round_trip_through_text() {
    let Some(corpus) = corpus() else { return };
    let human = read(&corpus.join("human_53.glb"));
    let (mesh, skin) = skinned(&human)[0];
    let options = ops::MirrorOptions::default();
    let map = ops::VertexMirrorMap::new(mesh, human.skeleton(), skin, &options);
    assert!(map.unpaired().is_empty() && map.unmatched() == 0);
    let edit = Edit::new(mesh).unwrap();
    let mirrored = ops::mirror(&edit, &map, &options).unwrap().outcome.weights;
    let again = ops::mirror(&Edit::with_weights(mesh, &mirrored).unwrap(), &map, &options).unwrap();
    assert_eq!(again.outcome.changed, 0, "what is symmetric stays");
    let written = text::to_text(mesh.name(), edit.weights(), human.skeleton(), skin);
    assert_eq!(&text::from_text(&written, human.skeleton(), skin, None).unwrap(), edit.weights());
}

/// The reference called `name`: its mesh, its bones and the weights that another program computes for them.
fn reference(folder: &Path, name: &str) -> (Mesh, BoneSet, Weights) {
    let beside = |ending: &str| folder.join(format!("{name}.{ending}"));
    let json: Value = serde_json::from_slice(&fs::read(beside("json")).unwrap()).unwrap();
    let vector = |v: &Value| Vec3::from_array(std::array::from_fn(|i| v[i].as_f64().unwrap() as f32));
    let bones = json["bones"].as_array().unwrap();
    let bone = |(slot, b): (usize, &Value)| SkinBone {
        slot: slot as u16,
        head: vector(&b["head"]),
        tail: vector(&b["tail"]),
        is_open: false,
    };
    let made = BoneSet::new(bones.len(), bones.iter().enumerate().map(bone));
    let positions: Vec<Vec3> =
        floats(&beside("verts.f32")).as_chunks::<3>().0.iter().map(|&v| v.into()).collect();
    let indices: Vec<u32> = floats(&beside("tris.u32")).iter().map(|f| f.to_bits()).collect();
    let part = Primitive {
        vertices: 0..positions.len() as u32,
        indices: 0..indices.len() as u32,
        topology: Topology::Triangles,
        material: None,
    };
    let stored = floats(&beside("weights.f32"));
    let vertex = |row: &[f32]| -> Vec<sinew::Influence> {
        let weights = row.iter().enumerate();
        weights.map(|(slot, &weight)| sinew::Influence { slot: slot as u16, weight }).collect()
    };
    let weights = Weights::new(bones.len(), stored.chunks_exact(bones.len()).map(vertex)).unwrap().0;
    let parts = MeshParts { positions, indices, primitives: vec![part], ..MeshParts::default() };
    (Mesh::new(parts).unwrap(), made, weights)
}

#[test]
fn heat_weights_are_close_to_those_of_another_program() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("expected/boneheat");
    for (name, max) in [
        ("CesiumMan", 0.06),
        ("Fox", 0.17),
        ("GhostArmature", 0.46),
        ("KayKit_Knight", 0.36),
        ("RiggedSimple", 0.04),
    ] {
        let (mesh, bones, theirs) = reference(&folder, name);
        // Unsharpened and unlimited, as the other program leaves them. It does not connect parts that touch, and two
        // of the characters have many parts.
        let options =
            AutoOptions { influences: 64, sharpness: 1.0, gap: 0.0, smooth: 0, ..AutoOptions::default() };
        let mut line = format!("{name}: L1 to the reference");
        for method in AutoMethod::ALL {
            let made =
                auto_weights(&mesh, &bones, &AutoOptions { method, ..options }, &mut uninterrupted).unwrap();
            let diff = WeightDiff::new(&theirs, &made.weights).unwrap();
            line += &format!(" {method} {:.3}", diff.mean_l1);
            assert!(method != AutoMethod::Heat || diff.mean_l1 <= max, "{line}");
        }
        println!("{line}");
    }
}
