//! Every verb, run once.

use super::{TestFolder, corpus, fail, floats, succeed, succeed_json, text};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

#[test]
fn the_demo_writes_pictures_and_one_self_contained_page() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("new/demo");
    succeed(&["demo", "-o", text(&out)]);
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    let inline = page.matches("src=\"data:").count();
    assert_eq!(page.matches("src=").count(), inline, "the page refers to other files");
    assert!(!page.contains("href=") && !page.contains("url("), "the page refers to other files");
    let names: Vec<String> =
        fs::read_dir(&out).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    for wanted in ["arm_rigid_45.png", "arm_linear_120.png", "tube_bend_90.png", "tube_twist_180.png"] {
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
fn inspect_prints_a_tree_and_tables_and_the_same_as_json() {
    let page = succeed(&["inspect", "builtin:figure"]);
    for part in ["Skeleton:", "└─", "Meshes:", "Influences per vertex", "walk", "footfall.left"] {
        assert!(page.contains(part), "{part:?} is missing from\n{page}");
    }
    let json = succeed_json(&["inspect", "builtin:figure", "--json"]);
    let joints = json["joints"].as_array().unwrap();
    assert!((30..=60).contains(&joints.len()));
    assert!(json["vertex_count"].as_u64().unwrap() >= 3000);
    assert!(json["clips"].as_array().unwrap().iter().any(|c| c["name"] == "range_of_motion"));
}

#[test]
fn render_writes_the_format_of_the_ending() {
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
fn a_baked_clip_equals_the_result_of_independent_programs() {
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
    let still = succeed_json(&["inspect", text(&folder.path().join("arm.glb")), "--json"]);
    assert_eq!(still["skins"].as_array().unwrap().len(), 0);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6, "temporary files are left");
}

#[test]
fn a_converted_character_inspects_the_same() {
    let folder = TempDir::new().unwrap();
    let summary = |file: &str| {
        let mut json = succeed_json(&["inspect", file, "--json"]);
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
fn wrong_commands_exit_with_two_and_list_what_exists() {
    assert!(fail(&["inspect", "builtin:nobody"], 2).contains("builtin:figure"));
    let error = fail(&["bake", "builtin:arm", "--clip", "fly", "-o", "x"], 2);
    assert!(error.contains("\"fly\"") && error.contains("\"bend\""), "{error}");
    assert!(fail(&["render", "builtin:arm", "-o", "x.bmp"], 2).contains(".png"));
    assert!(fail(&["render", "builtin:arm", "-o", "x.gif"], 2).contains("--clip"));
    assert!(fail(&["render", "builtin:arm", "--layer", "heat", "-o", "x.png"], 2).contains("--joint"));
    let error = fail(&["render", "builtin:figure", "--layer", "heat", "--joint", "thig", "-o", "x.png"], 2);
    assert!(error.contains("did you mean"), "{error}");
    assert!(fail(&["convert", "builtin:arm", "x.fbx"], 2).contains(".glb"));
    assert!(fail(&["bake", "builtin:arm", "--times", "nan", "-o", "x"], 2).contains("must be finite"));
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
fn every_shell_has_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(succeed(&["completions", shell]).contains("inspect"), "{shell}");
    }
}

#[test]
fn help_has_examples() {
    for verb in ["demo", "inspect", "render", "bake", "convert", "completions"] {
        let help = succeed(&[verb, "--help"]);
        assert!(help.contains("Example"), "{verb}");
    }
}

#[test]
fn help_names_every_format_that_is_read_and_every_built_in_character() {
    for verb in [&["--help"][..], &["inspect", "--help"], &["bake", "--help"], &["convert", "--help"]] {
        let help = succeed(verb);
        for ending in [".glb", ".gltf", ".bvh"] {
            assert!(help.contains(ending), "{verb:?} lacks {ending}");
        }
        assert_eq!(help.contains(".fbx"), cfg!(feature = "fbx"), "{verb:?}");
    }
    let help = succeed(&["--help"]);
    for name in sinew_samples::NAMES {
        assert!(help.contains(&format!("builtin:{name}")), "{name}");
    }
}

#[test]
fn older_names_are_still_accepted() {
    let folder = TestFolder::new();
    let draw = |file: &str, method: &str| {
        let out = folder.name("arm.png");
        let clip = ["--clip", "bend", "--time", "1", "--size", "60x60", "-q"];
        succeed(&[&["render", file, "--method", method, "-o", &out], &clip[..]].concat());
        fs::read(out).unwrap()
    };
    assert_eq!(draw("builtin:arm-rigid", "rigid"), draw("builtin:arm-stitched", "stitch"));
    assert!(succeed(&["weights", "normalise", "builtin:arm"]).starts_with("normalize"));
    assert!(succeed(&["weights", "quantise", "--bits", "8", "builtin:arm"]).starts_with("quantize"));
    let help = succeed(&["weights", "--help"]);
    assert!(help.contains("normalize") && !help.contains("normalise"), "{help}");
}
