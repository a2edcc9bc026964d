//! `sinew cook` and `sinew clips compress`: cooked files, and what every verb does with them.

use super::{TestFolder, fail, sinew, succeed, succeed_json};
use std::fs;

/// The joint positions of the first clip of a file, in meters.
fn joints(folder: &TestFolder, file: &str, name: &str) -> Vec<f32> {
    let prefix = folder.name(name);
    succeed(&["bake", file, "--clip", "0", "--joints", "--fps", "97", "-o", &prefix, "-q"]);
    let entries = fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().path());
    let is_floats = |path: &std::path::PathBuf| {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        file.starts_with(&format!("{name}.")) && file.ends_with(".f32")
    };
    let path = entries.into_iter().find(is_floats).expect("joints are written as floats");
    let bytes = fs::read(path).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

#[test]
fn the_error_of_a_compressed_clip_can_be_measured_from_outside() {
    let folder = TestFolder::new();
    let out = folder.name("arm.sinew");
    let arguments = ["clips", "compress", "builtin:arm", "-o", &out, "--max-error", "1mm", "--json"];
    let records = succeed_json(&arguments);
    let record = &records[0];
    assert_eq!(record["is_compressed"], true, "{records}");
    assert!(record["bytes"].as_u64() < record["raw_bytes"].as_u64());
    let reported = record["max_error_mm"].as_f64().unwrap();
    assert!(reported > 0.0 && reported <= 1.0);
    let (source, cooked) = (joints(&folder, "builtin:arm", "source"), joints(&folder, &out, "cooked"));
    assert_eq!(source.len(), cooked.len());
    let distance =
        |(a, b): (&[f32; 3], &[f32; 3])| (0..3).map(|n| f64::from(a[n] - b[n]).powi(2)).sum::<f64>().sqrt();
    let pairs = source.as_chunks::<3>().0.iter().zip(cooked.as_chunks::<3>().0);
    let measured = pairs.map(distance).fold(0.0, f64::max) * 1e3;
    assert!(measured > 0.0 && measured <= 1.3, "{measured} mm");
}

#[test]
fn every_verb_reads_a_cooked_file() {
    let folder = TestFolder::new();
    let out = folder.name("tube.sinew");
    succeed(&["cook", "builtin:tube", "-o", &out, "--method", "cor", "--packed-order", "-q"]);
    let again = folder.name("again.glb");
    let runs: [&[&str]; 6] = [
        &["inspect", &out, "--json"],
        &["check", &out, "--fail-on", "error"],
        &["clips", "list", &out, "--json"],
        &["compare", &out, "--methods", "linear,cor", "--fps", "2", "--json"],
        &["render", &out, "-o", &folder.name("tube.png"), "-q"],
        &["convert", &out, &again, "-q"],
    ];
    for run in runs {
        let output = sinew(run);
        assert!(output.status.success(), "{run:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(succeed(&["inspect", &again]).contains("joints"));
}

#[test]
fn keys_that_another_format_needs_are_decoded_and_told() {
    let folder = TestFolder::new();
    let (out, glb) = (folder.name("arm.sinew"), folder.name("arm.glb"));
    succeed(&["cook", "builtin:arm", "-o", &out, "-q"]);
    let output = sinew(&["convert", &out, &glb]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && told.contains("decoded: clip at clips[0]"), "{told}");
    let raw = folder.name("raw.sinew");
    succeed(&["cook", "builtin:arm", "-o", &raw, "--raw-clips", "-q"]);
    let output = sinew(&["convert", &raw, &glb, "--force"]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("decoded"));
}

#[test]
fn graphs_are_cooked_under_the_name_of_their_file_and_must_fit() {
    let folder = TestFolder::new();
    let (out, graph) = (folder.name("arm.sinew"), folder.name("sway.graph.ron"));
    let clip = succeed_json(&["clips", "list", "builtin:arm", "--json"])["clips"][0]["name"].clone();
    let text = format!("(nodes: {{\"a\": Clip(clip: {clip})}}, output: \"a\")");
    fs::write(&graph, &text).unwrap();
    succeed(&["cook", "builtin:arm", "-o", &out, "--graph", &graph, "-q"]);
    let output = sinew(&["convert", &out, &folder.name("arm.glb")]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("dropped: graph"));
    fs::write(&graph, text.replace(clip.as_str().unwrap(), "no such clip")).unwrap();
    let error = fail(&["cook", "builtin:arm", "-o", &folder.name("b.sinew"), "--graph", &graph], 3);
    assert!(error.contains("no such clip"), "{error}");
}

#[test]
fn cooked_files_have_their_ending_and_replace_nothing_without_force() {
    let folder = TestFolder::new();
    let out = folder.name("arm.sinew");
    assert!(fail(&["cook", "builtin:arm", "-o", &folder.name("arm.glb")], 2).contains(".sinew"));
    assert!(fail(&["clips", "compress", "builtin:arm", "-o", &folder.name("arm.glb")], 2).contains(".sinew"));
    fs::write(&out, "something else").unwrap();
    assert!(fail(&["cook", "builtin:arm", "-o", &out, "-q"], 1).contains("--force"));
    succeed(&["cook", "builtin:arm", "-o", &out, "--force", "-q"]);
    fs::write(&out, &fs::read(&out).unwrap()[..1000]).unwrap();
    assert!(fail(&["inspect", &out], 3).contains("bytes"));
}
