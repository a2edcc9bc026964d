//! Files that exist, names that are hostile.

use super::{TestFolder, fail, files_below, sinew, succeed, text};
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
};

#[test]
fn a_file_that_exists_is_replaced_only_by_force_or_if_it_stays_the_same() {
    let folder = TestFolder::new();
    let out = folder.path("out.glb");
    succeed(&["convert", "builtin:arm", text(&out)]);
    // The same command again changes nothing.
    succeed(&["convert", "builtin:arm", text(&out)]);
    let arm = fs::read(&out).unwrap();
    let error = fail(&["convert", "builtin:tube", text(&out)], 1);
    assert!(error.contains("out.glb: it exists; give --force"), "{error}");
    assert_eq!(fs::read(&out).unwrap(), arm);
    succeed(&["convert", "builtin:tube", text(&out), "--force"]);
    assert_ne!(fs::read(&out).unwrap(), arm);
}

#[test]
fn files_next_to_a_gltf_are_not_replaced_either() {
    let folder = TestFolder::new();
    fs::write(folder.path("a.bin"), "a file of somebody").unwrap();
    let error = fail(&["convert", "builtin:arm", text(&folder.path("a.gltf"))], 1);
    assert!(error.contains("a.bin: it exists"), "{error}");
    assert!(!folder.path("a.gltf").exists());
}

/// A document with its buffer, and with an image that ends with these bytes, in a folder.
fn pictured(folder: &TestFolder, name: &str, picture: &[u8]) -> PathBuf {
    let path = folder.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    succeed(&["-q", "convert", "builtin:arm", text(&path), "--force"]);
    let mut document: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    document["images"] = json!([{ "uri": "skin.png" }]);
    fs::write(&path, document.to_string()).unwrap();
    fs::write(path.with_file_name("skin.png"), [b"\x89PNG\r\n\x1a\n", picture].concat()).unwrap();
    path
}

#[test]
fn files_that_are_replaced_next_to_a_gltf_are_named_even_if_quiet() {
    let folder = TestFolder::new();
    let input = pictured(&folder, "in/arm.gltf", b"one");
    let output = pictured(&folder, "out/arm.gltf", b"another");
    let before = files_below(folder.0.path());
    let arguments = ["-q", "convert", text(&input), text(&output)];
    let error = fail(&arguments, 1);
    assert!(error.contains("skin.png: it exists; give --force"), "{error}");
    assert!(files_below(folder.0.path()) == before);
    let forced = sinew(&[&arguments[..], &["--force"]].concat());
    assert!(forced.status.success());
    let said = String::from_utf8(forced.stderr).unwrap();
    assert!(said.contains("replacing ") && said.contains("skin.png, which "), "{said}");
    assert!(fs::read(folder.path("out/skin.png")).unwrap().ends_with(b"one"));
    // Edited in place, only its buffer changes, under its own name.
    let edit = ["-q", "weights", "limit", "1", text(&input), "-o", text(&input), "--force"];
    let said = String::from_utf8(sinew(&edit).stderr).unwrap();
    assert!(said.contains("replacing ") && said.contains("arm.bin, which "), "{said}");
    succeed(&["inspect", text(&input)]);
}

#[test]
fn files_of_one_run_that_name_different_files_alike_are_refused_and_equal_ones_are_shared() {
    let folder = TestFolder::new();
    let (one, two) = (pictured(&folder, "a/one.gltf", b"same"), pictured(&folder, "b/two.gltf", b"same"));
    let out = folder.path("out");
    let convert = |out: &Path, extra: &[&str]| {
        let known = ["-q", "convert", text(&one), text(&two), "--out-dir", text(out), "--to", "gltf"];
        sinew(&[&known[..], extra].concat())
    };
    assert!(convert(&out, &[]).status.success());
    pictured(&folder, "b/two.gltf", b"other");
    let fresh = folder.path("fresh");
    // Not even --force lets one of them have the image of the other.
    let output = convert(&fresh, &["--force"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("has the same name and other content"), "{said}");
    let written = ["one.gltf", "two.gltf"].map(|name| fresh.join(name).exists());
    assert_eq!(written.iter().filter(|exists| **exists).count(), 1);
}

#[test]
fn replacing_the_input_is_said_even_if_quiet() {
    let folder = TestFolder::new();
    let file = folder.path("arm.glb");
    succeed(&["convert", "builtin:arm", text(&file)]);
    let smooth = ["weights", "smooth", text(&file), "-o", text(&file), "-q"];
    let error = fail(&smooth, 1);
    assert!(error.contains("arm.glb: it is the input; give --force"), "{error}");
    let output = sinew(&[&smooth[..], &["--force"]].concat());
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("replacing the input") && said.contains("arm.glb"), "{said}");
}

#[test]
fn a_page_that_sinew_made_is_made_again() {
    let folder = TestFolder::new();
    let page = folder.path("page");
    let check = |extra: &[&str]| {
        let known = ["check", "builtin:tube", "--html", text(&page), "-q", "--fail-on", "error"];
        sinew(&[&known[..], extra].concat())
    };
    assert!(check(&[]).status.success());
    let index = page.join("index.html");
    fs::write(&index, fs::read_to_string(&index).unwrap() + "<!-- older -->").unwrap();
    assert!(check(&[]).status.success());
    fs::write(&index, "<html>mine</html>").unwrap();
    assert_eq!(check(&[]).status.code(), Some(1));
    assert_eq!(fs::read_to_string(&index).unwrap(), "<html>mine</html>");
}

/// A document whose names contain everything that a terminal obeys.
fn hostile_names(folder: &TestFolder) -> PathBuf {
    let name = "arm\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}\r\u{9b}31m";
    let document = json!({
        "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": [
            { "name": name, "children": [1, 2] }, { "name": format!("{name}\nsinew: done") },
            { "name": "long".repeat(10_000) },
        ],
        "animations": [{ "name": name, "channels": [], "samplers": [] }],
        "extensionsUsed": [name],
    });
    let path = folder.path("hostile.gltf");
    fs::write(&path, document.to_string()).unwrap();
    path
}

#[test]
fn no_verb_prints_control_characters_of_a_file() {
    let folder = TestFolder::new();
    let file = hostile_names(&folder);
    let file = text(&file);
    let (copy, again, baked) = (folder.path("copy.glb"), folder.name("again.glb"), folder.name("baked"));
    let (cooked, motion) = (folder.name("cooked.sinew"), folder.name("motion.bvh"));
    let runs: [&[&str]; 20] = [
        &["inspect", file],
        &["inspect", file, "--json"],
        &["check", file],
        &["check", file, "--json"],
        &["check", file, "--sarif"],
        &["clips", "list", file],
        &["convert", file, text(&copy)],
        &["convert", file, &motion],
        &["render", file, "--clip", "missing", "-o", "never.png"],
        &["render", file, "--pose", "missing:rx=1", "-o", "never.png"],
        &["render", file, "--zoom", "missing", "-o", "never.png"],
        &["bake", file, "-o", &baked],
        &["cook", file, "-o", &cooked],
        &["merge", file, "builtin:figure", "-o", &again],
        &["merge", "builtin:figure", file, "-o", &again],
        &["weights", "auto", file],
        &["weights", "diff", file, file],
        &["rig", "scale", file, "--joint", "missing", "--inherit", "full", "-o", &again],
        &["clips", "rename", file, "--clip", "missing", "--name", "a", "-o", &again],
        &["solve", "markers", file, "--onto", file, "-o", &again],
    ];
    for run in runs {
        let output = sinew(run);
        for printed in [output.stdout, output.stderr] {
            let printed = String::from_utf8(printed).unwrap();
            let bad = printed.chars().find(|&c| (c.is_control() && c != '\n') || c == '\u{202e}');
            assert_eq!(bad, None, "{run:?}: {printed:?}");
            assert!(!printed.lines().any(|line| line.starts_with("sinew: done")), "{run:?}: {printed}");
        }
    }
    let shown = succeed(&["inspect", file]);
    assert!(shown.contains(r"arm\u{1b}]0;owned\u{7}") && shown.len() < 20_000, "{shown}");
    let whole = succeed(&["inspect", file, "--json"]);
    assert!(whole.contains(&"long".repeat(10_000)), "JSON has the whole name");
}
