//! The binary, run as a person or a script runs it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets the unexpected fails")]

#[path = "cli/card.rs"]
mod card;
#[path = "cli/convert.rs"]
mod convert;
#[path = "cli/motion.rs"]
mod motion;
#[path = "cli/rig.rs"]
mod rig;
#[path = "cli/weights.rs"]
mod weights;

use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use tempfile::TempDir;

fn sinew(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sinew")).args(arguments).output().unwrap()
}

/// Runs a command that must succeed, and gives what it printed.
fn succeed(arguments: &[&str]) -> String {
    let output = sinew(arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?} failed: {error}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must fail with `code`, and gives its one line of error.
fn fail(arguments: &[&str], code: i32) -> String {
    let output = sinew(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    assert!(output.stdout.is_empty(), "{arguments:?} printed to standard output");
    String::from_utf8(output.stderr).unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "the corpus is missing at {}", path.display());
    println!("skipped: there is no corpus at {}", path.display());
    None
}

fn floats(path: &Path) -> Vec<f32> {
    fs::read(path).unwrap().as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

#[test]
fn the_demo_makes_pictures_and_one_page_that_needs_no_other_file() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("new/demo");
    succeed(&["demo", "-o", text(&out)]);
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    let inline = page.matches("src=\"data:").count();
    assert_eq!(page.matches("src=").count(), inline, "the page refers to other files");
    assert!(!page.contains("href=") && !page.contains("url("), "the page refers to other files");
    let names: Vec<String> =
        fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    for wanted in ["arm_stitched_45.png", "arm_linear_120.png", "tube_bend_90.png", "tube_twist_180.png"] {
        assert!(names.iter().any(|n| n == wanted), "{wanted} is missing from {names:?}");
    }
    for wanted in ["figure_walk.gif", "figure_heat.png", "figure_influence.png"] {
        assert!(names.iter().any(|n| n == wanted), "{wanted} is missing from {names:?}");
    }
    for name in names.iter().filter(|n| n.ends_with(".png")) {
        let picture = image::open(out.join(name)).unwrap().to_rgb8();
        let first = *picture.get_pixel(0, 0);
        assert!(picture.pixels().any(|p| *p != first), "{name} is blank");
    }
    assert_eq!(page.matches("<img ").count(), names.len() - 1, "every picture is on the page");
}

#[test]
fn inspect_shows_a_tree_and_tables_and_the_same_as_json() {
    let page = succeed(&["inspect", "builtin:figure"]);
    for part in ["Skeleton:", "└─", "Meshes:", "Influences a vertex", "walk", "footfall.left"] {
        assert!(page.contains(part), "{part:?} is missing from\n{page}");
    }
    let json: Value = serde_json::from_str(&succeed(&["inspect", "builtin:figure", "--json"])).unwrap();
    let joints = json["joints"].as_array().unwrap();
    assert!((30..=60).contains(&joints.len()));
    assert!(json["vertices"].as_u64().unwrap() >= 3000);
    assert!(json["clips"].as_array().unwrap().iter().any(|c| c["name"] == "range_of_motion"));
}

#[test]
fn render_makes_what_the_ending_says() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let base = ["render", "builtin:arm", "--size", "120x90", "--quiet"];
    let run = |rest: &[&str]| succeed(&[&base[..], rest].concat());
    run(&["-o", text(&path("rest.png"))]);
    let rest = image::open(path("rest.png")).unwrap();
    assert_eq!((rest.width(), rest.height()), (120, 90));
    run(&[
        "--clip",
        "bend",
        "--time",
        "1",
        "--layer",
        "heat",
        "--joint",
        "lower",
        "-o",
        text(&path("heat.png")),
    ]);
    assert_ne!(fs::read(path("heat.png")).unwrap(), fs::read(path("rest.png")).unwrap());
    run(&["--clip", "bend", "--sheet", "6", "--bones", "-o", text(&path("sheet.png"))]);
    assert!(image::open(path("sheet.png")).unwrap().width() > 240);
    run(&["--clip", "bend", "--fps", "5", "-o", text(&path("bend.gif"))]);
    assert!(fs::read(path("bend.gif")).unwrap().starts_with(b"GIF89a"));
    run(&["--clip", "bend", "--fps", "5", "--layer", "wireframe", "-o", text(&path("bend.apng"))]);
    let apng = fs::read(path("bend.apng")).unwrap();
    assert!(apng.windows(4).any(|w| w == b"acTL"), "the .apng is not animated");
}

#[test]
fn a_baked_clip_equals_what_independent_programs_make_of_it() {
    let Some(corpus) = corpus() else { return };
    let folder = TempDir::new().unwrap();
    let prefix = folder.path().join("fox.walk");
    let expected: Value =
        serde_json::from_slice(&fs::read(corpus.join("expected/Fox.clip1.json")).unwrap()).unwrap();
    let times: Vec<String> =
        expected["times"].as_array().unwrap().iter().map(|t| t.as_f64().unwrap().to_string()).collect();
    let file = corpus.join("Fox.glb");
    let bake = ["bake", text(&file), "--clip", "Walk", "--times", &times.join(","), "-o", text(&prefix)];
    succeed(&bake);
    let beside = |ending: &str| folder.path().join(format!("fox.walk.{ending}"));
    let json: Value = serde_json::from_slice(&fs::read(beside("json")).unwrap()).unwrap();
    for key in ["verts", "nodes", "clip", "clipIndex"] {
        assert_eq!(json[key], expected[key], "{key}");
    }
    for (got, want) in json["prims"].as_array().unwrap().iter().zip(expected["prims"].as_array().unwrap()) {
        for key in ["node", "mesh", "prim", "skinned", "first", "count"] {
            assert_eq!(got[key], want[key], "{key}");
        }
    }
    let (got, want) = (floats(&beside("f32")), floats(&corpus.join("expected/Fox.clip1.f32")));
    assert_eq!(got.len(), want.len());
    // The fox is some 150 units long.
    let worst = got.iter().zip(&want).map(|(g, w)| (g - w).abs()).fold(0.0, f32::max);
    assert!(worst < 150.0 * 5e-6, "off by {worst}");
}

#[test]
fn every_bake_format_is_written() {
    let folder = TempDir::new().unwrap();
    let prefix = folder.path().join("arm");
    let run = |format: &str, rest: &[&str]| {
        let base = ["bake", "builtin:arm", "--clip", "bend", "--format", format, "-o", text(&prefix)];
        succeed(&[&base[..], rest].concat());
    };
    run("npy", &["--times", "0,1"]);
    run("pc2", &["--fps", "10"]);
    run("obj", &["--times", "0,0.5,1"]);
    run("glb", &["--times", "1"]);
    for name in ["arm.npy", "arm.pc2", "arm_0000.obj", "arm_0002.obj", "arm.glb"] {
        assert!(folder.path().join(name).exists(), "{name} is missing");
    }
    let still = succeed(&["inspect", text(&folder.path().join("arm.glb")), "--json"]);
    let still: Value = serde_json::from_str(&still).unwrap();
    assert_eq!(still["skins"].as_array().unwrap().len(), 0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6, "temporary files are left");
}

#[test]
fn a_converted_character_inspects_the_same() {
    let folder = TempDir::new().unwrap();
    let summary = |file: &str| {
        let mut json: Value = serde_json::from_str(&succeed(&["inspect", file, "--json"])).unwrap();
        for key in ["file", "name"] {
            json[key] = Value::Null;
        }
        json
    };
    for name in ["figure.glb", "figure.gltf"] {
        let path = folder.path().join(name);
        succeed(&["convert", "builtin:figure", text(&path)]);
        let (mut got, mut want) = (summary(text(&path)), summary("builtin:figure"));
        // A file always has a scene; a character made by code need not.
        (got["scenes"], want["scenes"]) = (Value::Null, Value::Null);
        assert_eq!(got, want, "{name}");
    }
}

#[test]
fn wrong_commands_exit_with_two_and_say_what_there_is() {
    assert!(fail(&["inspect", "builtin:nobody"], 2).contains("builtin:figure"));
    let error = fail(&["bake", "builtin:arm", "--clip", "fly", "-o", "x"], 2);
    assert!(error.contains("\"fly\"") && error.contains("\"bend\""), "{error}");
    assert!(fail(&["render", "builtin:arm", "-o", "x.bmp"], 2).contains(".png"));
    assert!(fail(&["render", "builtin:arm", "-o", "x.gif"], 2).contains("--clip"));
    assert!(fail(&["render", "builtin:arm", "--layer", "heat", "-o", "x.png"], 2).contains("--joint"));
    let error = fail(&["render", "builtin:figure", "--layer", "heat", "--joint", "thig", "-o", "x.png"], 2);
    assert!(error.contains("did you mean"), "{error}");
    assert!(fail(&["convert", "builtin:arm", "x.fbx"], 2).contains(".glb"));
    assert!(fail(&["bake", "builtin:arm", "--times", "nan", "-o", "x"], 2).contains("not a time"));
    fail(&["frobnicate"], 2);
}

#[test]
fn unreadable_input_exits_with_three_and_names_the_file() {
    let folder = TempDir::new().unwrap();
    let broken = folder.path().join("broken.glb");
    fs::write(&broken, b"glTF\x02\0\0\0\xff\xff\xff\xff").unwrap();
    let error = fail(&["inspect", text(&broken)], 3);
    assert!(error.contains("broken.glb") && error.contains("byte 8"), "{error}");
    assert!(fail(&["inspect", "no/such/file.glb"], 3).contains("no/such/file.glb"));
    fail(&["inspect", text(folder.path())], 3);
    let words = folder.path().join("words.txt");
    fs::write(&words, "hello").unwrap();
    assert!(fail(&["render", text(&words), "-o", "x.png"], 3).contains("words.txt"));
}

#[test]
fn output_that_cannot_be_written_exits_with_one() {
    assert!(fail(&["convert", "builtin:arm", "no/such/folder/x.glb"], 1).contains("no/such/folder"));
}

#[test]
fn completions_are_there_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(succeed(&["completions", shell]).contains("inspect"), "{shell}");
    }
}

#[test]
fn help_teaches_by_examples() {
    for verb in ["demo", "inspect", "render", "bake", "convert", "completions"] {
        let help = succeed(&[verb, "--help"]);
        assert!(help.contains("Example"), "{verb}");
    }
}
