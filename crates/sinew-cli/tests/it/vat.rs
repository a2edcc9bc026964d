//! Animation textures from the command line.

use super::{TestFolder, fail, succeed, text};
use serde_json::Value;
use std::fs;

/// The description beside a texture of the arm.
pub(super) fn description(folder: &TestFolder, kind: &str) -> Value {
    let prefix = folder.name(kind.trim_start_matches('-'));
    succeed(&["bake", "builtin:arm", kind, "--clips", "bend_90", "--fps", "4", "-q", "-o", &prefix]);
    serde_json::from_slice(&fs::read(format!("{prefix}.json")).unwrap()).unwrap()
}

#[test]
fn all_files_of_a_texture_are_written_and_named_by_the_description() {
    let folder = TestFolder::new();
    let prefix = folder.name("crowd");
    let command =
        ["bake", "builtin:figure", "--vat", "--clips", "walk,idle", "--fps", "5", "-q", "-o", &prefix];
    succeed(&command);
    let json: Value = serde_json::from_slice(&fs::read(folder.path("crowd.json")).unwrap()).unwrap();
    for file in [&json["mesh"], &json["positions"]["file"], &json["normals"]["file"]] {
        assert!(folder.path(file.as_str().unwrap()).is_file(), "{file}");
    }
    let names: Vec<&str> =
        json["clips"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["walk", "idle"]);
    // Equal input gives equal files, and others are not replaced.
    succeed(&command);
    let other = ["bake", "builtin:figure", "--vat", "--clips", "idle", "--fps", "5", "-q", "-o", &prefix];
    assert!(fail(&other, 1).contains("--force"));
    succeed(&["inspect", text(&folder.path("crowd.glb")), "-q"]);
}

#[test]
fn textures_can_be_raw_in_single_precision_with_normals_in_a_png() {
    let folder = TestFolder::new();
    let prefix = folder.name("arm");
    let raw = ["--texture", "raw", "--precision", "float", "--normals", "png", "--max-width", "64"];
    let bake = ["bake", "builtin:arm", "--vat", "--clip", "bend_90", "-q", "-o", &prefix];
    succeed(&[&bake[..], &raw].concat());
    let json: Value = serde_json::from_slice(&fs::read(folder.path("arm.json")).unwrap()).unwrap();
    let texels = json["layout"]["width"].as_u64().unwrap() * json["layout"]["height"].as_u64().unwrap();
    assert_eq!(fs::metadata(folder.path("arm.positions.bin")).unwrap().len(), texels * 16);
    assert_eq!(json["normals"]["format"], "rgb8unorm");
    assert!(folder.path("arm.normals.png").is_file());
}

#[test]
fn texture_options_that_do_not_fit_are_refused() {
    let folder = TestFolder::new();
    let prefix = folder.name("arm");
    let refused = |options: &[&str]| fail(&[&["bake", "builtin:arm", "-o", &prefix], options].concat(), 2);
    assert!(refused(&["--clips", "bend_90"]).contains("--vat"));
    assert!(refused(&["--vat", "--bone-texture"]).contains("cannot be used with"));
    assert!(refused(&["--vat", "--max-width", "0"]).contains("texels wide"));
    assert!(refused(&["--vat", "--fps", "0"]).contains("frames per second"));
    assert!(refused(&["--vat", "--clips", "no such clip"]).contains("there is no clip"));
    assert!(refused(&["--bone-texture", "--method", "linear"]).contains("cannot be used with"));
}
