//! `sinew rig`: helpers added, listed and removed.

use super::{fail, succeed, succeed_json, text};
use serde_json::Value;
use tempfile::TempDir;

fn inspected(file: &str) -> Value {
    succeed_json(&["inspect", file, "--json"])
}

#[test]
fn helpers_are_added_listed_applied_and_removed() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let (rolled, both, without) = (path("rolled.glb"), path("both.glb"), path("without.glb"));
    succeed(&["rig", "rolls", "builtin:tube", "--from", "base", "--to", "middle", "-o", &rolled]);
    succeed(&["rig", "muscle", &rolled, "--bone", "base", "--bends", "middle", "--side", "-90", "-o", &both]);
    let page = inspected(&both);
    assert_eq!(page["helpers"][0]["kind"], "twist");
    assert_eq!(page["helpers"][0]["driven_joints"].as_array().unwrap().len(), 3);
    assert_eq!(page["helpers"][1]["name"], "base.muscle.1");
    assert!(page["findings"].as_array().unwrap().is_empty(), "{}", page["findings"]);
    let listed = succeed(&["inspect", &both]);
    assert!(listed.contains("Helpers: 2") && listed.contains("base.roll.3"), "{listed}");

    let baked = |file: &str, name: &str| {
        let out = path(name);
        succeed(&["bake", file, "--clip", "twist_90", "--times", "0", "--format", "obj", "-o", &out]);
        let written = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut written = written.filter(|p| p.extension().is_some_and(|e| e == "obj"));
        let own = written.find(|p| p.file_name().unwrap().to_string_lossy().starts_with(name)).unwrap();
        std::fs::read_to_string(own).unwrap()
    };
    assert_ne!(baked("builtin:tube", "plain"), baked(&rolled, "driven"), "the bake ignores helper joints");

    succeed(&["rig", "remove", &both, "--helper", "base twist", "-o", &without]);
    assert_eq!(inspected(&without)["helpers"].as_array().unwrap().len(), 1);
    assert!(
        fail(&["rig", "remove", &without, "--helper", "base twist", "-o", &both], 2)
            .contains("base.muscle.1")
    );
    let backwards = ["rig", "rolls", "builtin:tube", "--from", "middle", "--to", "base", "-o", &rolled];
    assert!(fail(&backwards, 2).contains("is not a descendant of"));
}

#[test]
fn scale_inheritance_is_set_shown_and_baked_for_other_programs() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let (local, plain) = (path("local.glb"), path("plain.glb"));
    succeed(&["rig", "scale", "builtin:arm", "--joint", "lower", "--inherit", "compensated", "-o", &local]);
    let page = inspected(&local);
    assert_eq!(page["joints"][1]["scale_inheritance"], "compensated");
    assert!(succeed(&["inspect", &local]).contains("scale compensated"));
    succeed(&["convert", &local, &plain, "--bake-scale"]);
    assert_eq!(inspected(&plain)["joints"][1]["scale_inheritance"], "full");
    fail(&["rig", "scale", "builtin:arm", "--joint", "lower", "--inherit", "some", "-o", &local], 2);
    fail(&["rig", "scale", "builtin:arm", "--joint", "nobody", "--inherit", "full", "-o", &local], 2);
}

#[test]
fn meta_joints_are_set_listed_and_removed() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| text(&folder.path().join(name)).to_owned();
    let (shoulder, without) = (path("shoulder.glb"), path("without.glb"));
    let set = |part: &str| {
        ["rig", "axes", "builtin:figure", "--name", "shoulder.L", "--part", part].map(String::from)
    };
    let run = |part: &str| {
        let arguments = set(part);
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.extend(["--part", "clavicle.L:y", "-o", &shoulder]);
        succeed(&arguments);
    };
    run("upper_arm.L:xz=-60..120,-45..90");
    let page = inspected(&shoulder);
    assert_eq!(page["meta_joints"][0]["parts"][0]["axes"], "xz");
    let listed = succeed(&["inspect", &shoulder]);
    assert!(listed.contains("Meta-joints: 1") && listed.contains("-60° to 120°, -45° to 90°"), "{listed}");
    succeed(&["rig", "axes", &shoulder, "--name", "shoulder.L", "--remove", "-o", &without]);
    assert!(inspected(&without)["meta_joints"].as_array().unwrap().is_empty());
    for (part, wanted) in [
        ("upper_arm.L", "JOINT:AXES"),
        ("upper_arm.L:xx", "no letter twice"),
        ("upper_arm.L:xz=-60..120", "ranges"),
        ("upper_arm.L:x=-60", "MIN..MAX"),
        ("upper_arm.L:x=-600..0", "range must be ordered"),
    ] {
        let arguments = set(part);
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        arguments.extend(["-o", &shoulder]);
        let error = fail(&arguments, 2);
        assert!(error.contains(wanted), "{part}: {error}");
    }
}
