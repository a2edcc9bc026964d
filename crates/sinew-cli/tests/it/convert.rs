//! `sinew convert --onto`: motion retargeted to characters.

use super::{corpus, fail, sinew, succeed, succeed_json, text};
use serde_json::Value;
use std::{fs, path::Path};
use tempfile::TempDir;

fn onto(input: &Path, output: &Path, character: &str) -> Value {
    succeed_json(&["convert", text(input), text(output), "--onto", character, "--json", "--force"])
}

#[test]
fn retargeted_motion_keeps_feet_planted() {
    let Some(corpus) = corpus() else { return };
    let folder = TempDir::new().unwrap();
    let (human, knight) = (corpus.join("human_53.glb"), corpus.join("KayKit_Knight.glb"));
    for (bvh, character, contacts, dropped) in [
        ("cmu_143_01", "builtin:figure", 1, true),
        ("cmu_143_01", text(&human), 1, true),
        ("cmu_143_01", text(&knight), 1, true),
        ("pirouette", "builtin:figure", 2, true),
        ("Boxing_Toes", "builtin:figure", 10, false),
    ] {
        let out = folder.path().join("out.glb");
        let report = onto(&corpus.join(format!("bvh/{bvh}.bvh")), &out, character);
        assert_eq!(report["dropped_rest_frame"], dropped, "{bvh}");
        let feet = report["feet"].as_array().unwrap();
        assert_eq!(feet.len(), 2, "{bvh} on {character}");
        for foot in feet {
            let number = |pointer: &str| foot.pointer(pointer).unwrap().as_f64().unwrap();
            assert!(number("/contact_count") >= f64::from(contacts), "{bvh} on {character}: {foot}");
            assert!(number("/before/mean_meters_per_sec") > 0.01, "{foot}");
            assert!(number("/after/mean_meters_per_sec") < 0.05, "{bvh} on {character}: {foot}");
            assert!(number("/max_reach_error/meters") < 2e-3, "{bvh} on {character}: {foot}");
            assert!(number("/after/max_penetration/percent") < 0.1, "{bvh} on {character}: {foot}");
        }
        assert_eq!(report["map_confidence"]["verdict"], "good", "{bvh} on {character}");
        let clips = succeed_json(&["inspect", text(&out), "--json"]);
        let names: Vec<&str> =
            clips["clips"].as_array().unwrap().iter().filter_map(|c| c["name"].as_str()).collect();
        assert!(names.contains(&bvh), "{names:?}");
    }
}

#[test]
fn a_joint_map_can_be_written_edited_and_read() {
    let folder = TempDir::new().unwrap();
    let (walk, map, out) =
        (folder.path().join("walk.bvh"), folder.path().join("walk.map"), folder.path().join("o.glb"));
    succeed(&["convert", "builtin:figure", text(&walk), "--clip", "walk"]);
    let convert = |extra: &[&str]| {
        let mut arguments = vec!["convert", text(&walk), text(&out), "--onto", "builtin:figure", "--force"];
        arguments.extend(extra);
        sinew(&arguments)
    };
    assert!(convert(&["--write-map", text(&map)]).status.success());
    let written = fs::read_to_string(&map).unwrap();
    assert!(written.contains("\nhand.L -> hand.L\n"), "{written}");
    fs::write(&map, written.replace("hand.L -> hand.L", "hand.L -> -  # let it hang")).unwrap();
    let output = convert(&["--map", text(&map), "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names =
        |key: &str| report[key].as_array().unwrap().iter().filter_map(Value::as_str).collect::<Vec<_>>();
    assert!(names("unmapped_target_joints").contains(&"hand.L"), "{report}");
    fs::write(&map, "hips -> hips\nhips -> nobody\n").unwrap();
    let output = convert(&["--map", text(&map)]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(2) && error.contains("line 2") && error.contains("nobody"),
        "{error}"
    );
}

#[test]
fn a_clip_has_to_be_chosen_where_there_are_several() {
    let folder = TempDir::new().unwrap();
    let bvh = folder.path().join("x.bvh");
    assert!(fail(&["convert", "builtin:figure", text(&bvh)], 2).contains("\"walk\""));
    let out = folder.path().join("x.glb");
    let error = fail(&["convert", "builtin:figure", text(&out), "--onto", "builtin:figure"], 2);
    assert!(error.contains("--clip"), "{error}");
    let arguments =
        ["convert", "builtin:figure", text(&bvh), "--onto", "builtin:figure", "--clip", "run", "--no-feet"];
    assert!(succeed(&arguments).contains("53 joints mapped"));
    assert!(fs::read_to_string(&bvh).unwrap().starts_with("HIERARCHY"));
    let one = folder.path().join("one.glb");
    succeed(&["convert", "builtin:figure", text(&one), "--clip", "run"]);
    let clips = succeed_json(&["inspect", text(&one), "--json"]);
    assert_eq!(clips["clips"].as_array().unwrap().len(), 1);
    let report = succeed_json(&["convert", "builtin:figure", text(&out), "--json"]);
    assert_eq!((&report["file"], &report["write"]), (&"builtin:figure".into(), &Value::Array(vec![])));
}

#[test]
fn characters_without_common_joints_get_a_hint() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("x.glb");
    let error = fail(&["convert", "builtin:tube", text(&out), "--onto", "builtin:figure", "--clip", "0"], 2);
    assert!(error.contains("--write-map"), "{error}");
    assert!(!out.exists());
}

#[test]
fn a_human_walk_on_a_fox_is_refused_unless_any_map_will_do() {
    let Some(corpus) = corpus() else { return };
    let folder = TempDir::new().unwrap();
    let (out, map) = (folder.path().join("x.glb"), folder.path().join("x.map"));
    let (fox, walk) = (corpus.join("Fox.glb"), corpus.join("clips/35_04.bvh"));
    let arguments = ["convert", text(&walk), text(&out), "--onto", text(&fox), "--write-map", text(&map)];
    let error = fail(&arguments, 2);
    for part in ["do not match", "torso", "--map FILE", "--any-map"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(!out.exists() && map.exists(), "the map is there to correct");
    let forced = sinew(&["convert", text(&walk), text(&out), "--onto", text(&fox), "--any-map"]);
    let warning = String::from_utf8(forced.stderr).unwrap();
    assert!(forced.status.success() && warning.contains("the joint map is hopeless"), "{warning}");
    // A map that someone wrote is used as it is, and a fox's own clip fits a fox.
    succeed(&["convert", text(&walk), text(&out), "--onto", text(&fox), "--map", text(&map), "--force"]);
    let own =
        ["convert", text(&fox), text(&out), "--onto", text(&fox), "--clip", "Walk", "--json", "--force"];
    let own = succeed_json(&own);
    assert!(own["map_confidence"]["overall"].as_f64().unwrap() > 0.99, "{own}");
}
