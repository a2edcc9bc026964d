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
