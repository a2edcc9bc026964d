//! `sinew solve mesh`: joints, weights and a clip from a mesh that moves.

use super::{TestFolder, fail, succeed, succeed_json};
use sinew::{Frame, Method, Wrap, glam::Vec3};
use sinew_formats::read_file;
use std::fs;

/// The vertices of the first clip of a file at frames of 24 Hz.
fn frames(file: &str, clip: Option<&str>, count: usize) -> Vec<Vec<Vec3>> {
    let character = read_file(file).unwrap().character;
    let clip = clip.map_or(&character.clips()[0], |name| character.find_clip(name).unwrap()).clone();
    let mut frame = Frame::new(&character);
    (0..count)
        .map(|number| {
            frame.sample(&*clip, number as f32 / 24.0, Wrap::Clamp);
            frame.deform(Method::Linear).unwrap();
            frame.deformed().iter().flat_map(|streams| streams.positions.clone()).collect()
        })
        .collect()
}

fn rms_mm(a: &[Vec<Vec3>], b: &[Vec<Vec3>]) -> f64 {
    let squares =
        a.concat().iter().zip(&b.concat()).map(|(a, b)| f64::from(a.distance_squared(*b))).sum::<f64>();
    (squares / a.concat().len() as f64).sqrt() * 1e3
}

#[test]
fn the_arm_is_recovered_from_its_own_vertices() {
    let folder = TestFolder::new();
    let (arm, out, cache) = (folder.name("arm.glb"), folder.name("out.glb"), folder.name("arm"));
    succeed(&["convert", "builtin:arm", &arm, "-q"]);
    succeed(&["bake", &arm, "-o", &cache, "--format", "pc2", "--clip", "0", "--fps", "24", "-q"]);
    let solve = ["solve", "mesh", &folder.name("arm.pc2"), "--mesh", &arm, "--bones", "3", "-o", &out];
    let report = succeed_json(&[&solve[..], &["--json"]].concat());
    assert!(report["rms_mm"].as_f64().unwrap() < 1.0, "{report}");
    let count = report["frame_count"].as_u64().unwrap() as usize;
    let solved = read_file(&out).unwrap().character;
    assert_eq!(solved.skins()[0].joints().len(), report["bone_count"].as_u64().unwrap() as usize);
    assert!(solved.meshes()[0].weights().unwrap().max_influences() <= 4);
    // What the file shows is as near to the cache as the report says.
    let shown = frames(&out, Some("solved"), count);
    let wanted = sinew_formats::vertex_cache::read_pc2(&fs::read(folder.path("arm.pc2")).unwrap()).unwrap();
    let rms = rms_mm(&shown, &wanted.frames);
    assert!((rms - report["rms_mm"].as_f64().unwrap()).abs() < 0.01, "{rms} and {report}");
    assert!(succeed(&[&solve[..], &["--force"]].concat()).contains("3 bones"));
}

#[test]
fn kept_joints_get_their_motion_back() {
    let folder = TestFolder::new();
    let (arm, out, cache) = (folder.name("arm.glb"), folder.name("out.glb"), folder.name("arm"));
    succeed(&["convert", "builtin:arm", &arm, "-q"]);
    succeed(&["bake", &arm, "-o", &cache, "--format", "npy", "--clip", "0", "--fps", "24", "-q"]);
    let npy = folder.name("arm.npy");
    let report =
        succeed_json(&["solve", "mesh", &npy, "--onto", &arm, "--keep-weights", "-o", &out, "--json"]);
    assert!(report["rms_mm"].as_f64().unwrap() < 0.1, "{report}");
    let (before, after) = (read_file(&arm).unwrap().character, read_file(&out).unwrap().character);
    assert_eq!(before.skeleton().len(), after.skeleton().len());
    assert_eq!(before.meshes()[0].weights(), after.meshes()[0].weights());
}

#[test]
fn a_sequence_of_obj_files_is_solved_in_the_order_of_its_numbers() {
    let folder = TestFolder::new();
    let (out, prefix) = (folder.name("out.glb"), folder.name("frames/f"));
    fs::create_dir(folder.path("frames")).unwrap();
    for frame in 0..12 {
        let (name, time) = (format!("{prefix}{frame}"), format!("{}", f64::from(frame) / 24.0));
        succeed(&[
            "bake",
            "builtin:arm",
            "-o",
            &name,
            "--format",
            "obj",
            "--clip",
            "0",
            "--times",
            &time,
            "-q",
        ]);
    }
    let solve = ["solve", "mesh", &folder.name("frames"), "--bones", "3", "--tree", "-o", &out, "--json"];
    let report = succeed_json(&solve);
    assert_eq!(report["frame_count"], 12);
    assert!(report["rms_mm"].as_f64().unwrap() < 1.0, "{report}");
    let clip = read_file(&out).unwrap().character.clips()[0].duration_secs();
    assert!((clip - 11.0 / 24.0).abs() < 1e-6);
}

#[test]
fn faults_say_what_to_do() {
    let folder = TestFolder::new();
    let out = folder.name("out.glb");
    fs::write(folder.path("a.npy"), b"\x93NUMPY").unwrap();
    fs::write(folder.path("a.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    fs::write(folder.path("b.obj"), "v 0 0 0\n").unwrap();
    let (npy, a, b) = (folder.name("a.npy"), folder.name("a.obj"), folder.name("b.obj"));
    assert!(fail(&["solve", "mesh", &npy, "-o", &out], 2).contains("--mesh"));
    assert!(fail(&["solve", "mesh", &npy, "--mesh", &a, "-o", &out], 3).contains("a.npy"));
    assert!(fail(&["solve", "mesh", &a, &b, "-o", &out], 2).contains("1 positions"));
    assert!(fail(&["solve", "mesh", &a, "--rest", "7", "-o", &out], 2).contains("1 frames"));
    assert!(fail(&["solve", "mesh", &a, "--fps", "0", "-o", &out], 2).contains("--fps"));
    assert!(fail(&["solve", "mesh", &a, "--onto", &a, "-o", &out], 2).contains("no skin"));
    assert!(
        fail(&["solve", "mesh", "builtin:arm", "builtin:figure", "-o", &out], 2).contains("one character")
    );
}
