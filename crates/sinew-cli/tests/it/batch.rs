//! Many files at once, standard input and output, and clips of many files on one character.

use super::*;
use std::{io::Write as _, process::Stdio};

/// A folder with two characters, one of them in a folder below it, and a file that cannot be read.
fn characters(folder: &Path) -> PathBuf {
    let top = folder.join("in");
    fs::create_dir_all(top.join("below")).unwrap();
    succeed(&["-q", "convert", "builtin:arm", text(&top.join("arm.glb"))]);
    succeed(&["-q", "convert", "builtin:tube", text(&top.join("below/tube.gltf"))]);
    fs::write(top.join("broken.glb"), "glTF").unwrap();
    fs::write(top.join("notes.txt"), "not a character").unwrap();
    top
}

#[test]
fn a_folder_is_converted_and_one_bad_file_does_not_stop_the_others() {
    let folder = TempDir::new().unwrap();
    let (top, out) = (characters(folder.path()), folder.path().join("out"));
    let output = sinew(&["convert", text(&top), "--out-dir", text(&out), "--to", "glb"]);
    assert_eq!(output.status.code(), Some(3));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("broken.glb") && error.contains("2 of 3 files done, 1 failed"), "{error}");
    assert!(out.join("arm.glb").is_file() && out.join("below/tube.glb").is_file());
    assert!(!out.join("broken.glb").exists());
}

#[test]
fn every_verb_with_a_result_takes_folders() {
    let folder = TempDir::new().unwrap();
    let top = characters(folder.path());
    fs::remove_file(top.join("broken.glb")).unwrap();
    let out = |name: &str| folder.path().join(name);
    succeed(&["-q", "render", text(&top), "--size", "64x64", "--out-dir", text(&out("pictures"))]);
    assert!(out("pictures/arm.png").is_file() && out("pictures/below/tube.png").is_file());
    succeed(&["-q", "bake", text(&top), "--format", "npy", "--out-dir", text(&out("caches"))]);
    assert!(out("caches/arm.npy").is_file() && out("caches/below/tube.npy").is_file());
    succeed(&["-q", "weights", "limit", "2", text(&top), "--out-dir", text(&out("weights"))]);
    assert!(out("weights/arm.glb").is_file() && out("weights/below/tube.gltf").is_file());
    let pages = succeed(&["inspect", text(&top)]);
    assert!(pages.contains("arm.glb") && pages.contains("tube.gltf"), "{pages}");
    sinew(&["check", text(&top), "--fix", "--out-dir", text(&out("fixed"))]);
    assert!(out("fixed/arm.glb").is_file() && out("fixed/below/tube.gltf").is_file());
}

#[test]
fn results_with_the_same_name_are_refused_before_anything_is_written() {
    let folder = TempDir::new().unwrap();
    let top = characters(folder.path());
    let (one, out) = (top.join("arm.glb"), folder.path().join("out"));
    let error = fail(&["convert", text(&one), text(&top), "--out-dir", text(&out)], 2);
    assert!(error.contains("would both be written"), "{error}");
    let error = fail(&["convert", text(&one), text(&one), text(&one)], 2);
    assert!(error.contains("--out-dir"), "{error}");
    let error = fail(&["render", text(&top), "-o", "a.png"], 2);
    assert!(error.contains("--out-dir"), "{error}");
}

#[test]
fn a_pipe_of_two_commands_is_the_same_as_two_files() {
    let folder = TempDir::new().unwrap();
    let (one, two) = (folder.path().join("1.glb"), folder.path().join("2.glb"));
    succeed(&["-q", "convert", "builtin:arm", text(&one)]);
    let piped = sinew(&["-q", "convert", "builtin:arm", "-"]);
    assert!(piped.status.success());
    assert_eq!(piped.stdout, fs::read(&one).unwrap());
    let mut reader = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(["-q", "convert", "-", text(&two)])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    reader.stdin.take().unwrap().write_all(&piped.stdout).unwrap();
    assert!(reader.wait().unwrap().success());
    assert_eq!(fs::read(&two).unwrap(), piped.stdout);
}

#[test]
fn the_severity_that_fails_a_check_can_be_chosen() {
    let code =
        |severity: &str| sinew(&["-q", "check", "builtin:arm-rigid", "--fail-on", severity]).status.code();
    let found = succeed_json_of_check("builtin:arm-rigid");
    let severities: Vec<&str> = found.iter().map(String::as_str).collect();
    for (name, worse) in [
        ("error", &["error"][..]),
        ("warning", &["error", "warning"]),
        ("note", &["error", "warning", "note"]),
    ] {
        let fails = severities.iter().any(|severity| worse.contains(severity));
        assert_eq!(code(name), Some(i32::from(fails)), "{name}: {severities:?}");
    }
}

/// The severities of all findings.
fn succeed_json_of_check(file: &str) -> Vec<String> {
    let output = sinew(&["check", file, "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = report["files"][0]["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["severity"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn clips_of_other_files_come_to_a_character_by_name() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    succeed(&["-q", "convert", "builtin:figure", text(&at("walk.glb")), "--clip", "walk"]);
    succeed(&["-q", "convert", "builtin:figure", text(&at("run.glb")), "--clip", "run"]);
    succeed(&["-q", "clips", "remove", text(&at("walk.glb")), "--clip", "walk", "-o", text(&at("body.glb"))]);
    let report = succeed_json(&[
        "merge",
        text(&at("body.glb")),
        text(&at("walk.glb")),
        text(&at("run.glb")),
        "-o",
        text(&at("all.glb")),
        "--json",
    ]);
    let clips = report["clips"].as_array().unwrap();
    assert_eq!(clips.len(), 2, "{report}");
    assert!(clips.iter().all(|clip| clip["by"] == "names"), "{report}");
    assert!(!report["write"].as_array().unwrap().iter().any(|entry| entry["outcome"] == "dropped"));
    let list = succeed_json(&["clips", "list", text(&at("all.glb")), "--json"]);
    let names: Vec<&str> =
        list["clips"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["walk", "run"]);
    let bvh = at("walk.bvh");
    succeed(&["-q", "convert", text(&at("walk.glb")), text(&bvh)]);
    fs::write(at("empty.glb"), "glTF").unwrap();
    let output = sinew(&[
        "merge",
        text(&at("body.glb")),
        text(&bvh),
        text(&at("empty.glb")),
        "-o",
        text(&at("two.glb")),
    ]);
    assert_eq!(output.status.code(), Some(1), "a file that cannot be merged is told");
    assert!(at("two.glb").is_file(), "and does not stop the others");
}

#[test]
fn every_method_draws_and_bakes_without_preparation() {
    let folder = TempDir::new().unwrap();
    for method in ["rigid", "linear", "slerp", "dual-quat", "cor", "delta-mush", "ddm"] {
        let picture = folder.path().join(format!("{method}.png"));
        succeed(&[
            "-q",
            "render",
            "builtin:arm",
            "--clip",
            "bend_90",
            "--time",
            "1",
            "--method",
            method,
            "--size",
            "48x48",
            "-o",
            text(&picture),
        ]);
        let cache = folder.path().join(method);
        succeed(&[
            "-q",
            "bake",
            "builtin:arm",
            "--clip",
            "bend_90",
            "--times",
            "0.5",
            "--method",
            method,
            "--format",
            "npy",
            "-o",
            text(&cache),
        ]);
    }
}

#[test]
fn zoom_shows_the_surroundings_of_a_joint() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    succeed(&["-q", "render", "builtin:figure", "--size", "64x64", "-o", text(&at("all.png"))]);
    succeed(&[
        "-q",
        "render",
        "builtin:figure",
        "--size",
        "64x64",
        "--zoom",
        "hand.L",
        "-o",
        text(&at("hand.png")),
    ]);
    assert_ne!(fs::read(at("all.png")).unwrap(), fs::read(at("hand.png")).unwrap());
    let error = fail(&["render", "builtin:figure", "--zoom", "tail", "-o", text(&at("x.png"))], 2);
    assert!(error.contains("there is no joint \"tail\""), "{error}");
}

#[test]
fn the_json_of_several_files_is_one_list_in_the_order_of_the_files() {
    let folder = TempDir::new().unwrap();
    let (top, out) = (characters(folder.path()), folder.path().join("out"));
    for arguments in [
        &["inspect", text(&top), "--json"][..],
        &["-q", "convert", text(&top), "--out-dir", text(&out), "--to", "glb", "--json"],
        &["weights", "limit", "2", text(&top), "--json"],
    ] {
        let output = sinew(arguments);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}");
        let list: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        let files: Vec<&str> = list.iter().map(|document| document["file"].as_str().unwrap()).collect();
        let ends = ["arm.glb", "below/tube.gltf", "broken.glb"].map(|name| text(&top.join(name)).to_owned());
        assert_eq!(files, ends, "{arguments:?}");
        assert!(list.iter().all(|document| document["schema"] == 1));
        assert!(list[2]["error"].as_str().unwrap().contains("broken.glb"), "{}", list[2]);
        assert!(list[0].get("error").is_none());
    }
    // A folder is a list, however many files it has; a file is one document.
    let below = sinew(&["inspect", text(&top.join("below")), "--json"]);
    assert!(serde_json::from_slice::<Vec<Value>>(&below.stdout).is_ok_and(|list| list.len() == 1));
    let one = sinew(&["inspect", text(&top.join("arm.glb")), "--json"]);
    assert!(serde_json::from_slice::<Value>(&one.stdout).unwrap().is_object());
}
