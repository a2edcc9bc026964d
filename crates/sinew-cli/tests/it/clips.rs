//! Clips made, edited and exchanged on the command line.

use super::{TestFolder, fail, floats, succeed, succeed_json};
use serde_json::Value;
use std::fs;

/// The clip of this name in a file, as `clips list` reports it.
fn listed(file: &str, name: &str) -> Value {
    let json = succeed_json(&["clips", "list", file, "--json"]);
    let found = json["clips"].as_array().unwrap().iter().find(|clip| clip["name"] == name).cloned();
    found.unwrap_or_else(|| panic!("{file} has no clip {name}: {json}"))
}

/// The positions of the joints of the arm at these times of a clip.
fn joints(folder: &TestFolder, file: &str, clip: &str, times: &str) -> Vec<f32> {
    let prefix = folder.name("joints");
    succeed(&["bake", file, "--clip", clip, "--times", times, "--joints", "-q", "--force", "-o", &prefix]);
    floats((prefix + ".f32").as_ref())
}

fn edit(job: &str, file: &str, options: &[&str]) {
    succeed(&[&["clips", job, file, "-o", file, "-q", "--force"], options].concat());
}

/// An arm with a clip `wave` of two seconds that is keyed at 0, 0.5 and 1 s.
fn waving(folder: &TestFolder) -> String {
    let file = folder.name("wave.glb");
    succeed(&["clips", "new", "builtin:arm", "--name", "wave", "--seconds", "2", "-o", &file, "-q"]);
    let empty = listed(&file, "wave");
    assert_eq!((&empty["duration_secs"], &empty["key_count"]), (&2.0.into(), &0.into()), "an empty clip");
    for (at, pose) in [("0", "lower:rz=0"), ("0.5", "lower:rz=90"), ("1", "lower:rz=0")] {
        edit("key", &file, &["--clip", "wave", "--at", at, "--pose", pose]);
    }
    file
}

#[test]
fn a_clip_is_keyed_from_nothing_and_plays() {
    let folder = TestFolder::new();
    let file = waving(&folder);
    let clip = listed(&file, "wave");
    assert_eq!((&clip["duration_secs"], &clip["last_key_secs"]), (&2.0.into(), &1.0.into()));
    assert_eq!((&clip["channel_count"], &clip["key_count"]), (&1.into(), &3.into()));
    let wave = joints(&folder, &file, "wave", "0.5");
    let bent = joints(&folder, "builtin:arm", "bend_90", "0");
    let off = wave.iter().zip(&bent).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(off < 1e-5, "{off}");
    // A key beyond the end makes the clip longer.
    edit("key", &file, &["--clip", "wave", "--at", "3.5", "--all", "--pose", "upper:ry=10"]);
    assert_eq!(listed(&file, "wave")["duration_secs"], 3.5);
}

#[test]
fn keys_are_measured_from_rest_or_from_the_clip() {
    let folder = TestFolder::new();
    let file = waving(&folder);
    let place = |file: &str| joints(&folder, file, "wave", "0.5");
    let before = place(&file);
    edit("key", &file, &["--clip", "wave", "--at", "0.5", "--pose", "lower:rz=90"]);
    assert_eq!(place(&file), before, "the same text gives the same key");
    edit("key", &file, &["--clip", "wave", "--at", "0.5", "--on-top", "--pose", "lower:rz=-90"]);
    let straight = joints(&folder, &file, "wave", "0");
    let off = place(&file).iter().zip(&straight).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(off < 1e-5, "{off}");
}

#[test]
fn timing_names_and_keys_are_edited() {
    let folder = TestFolder::new();
    let file = waving(&folder);
    let length = |name: &str| listed(&file, name)["duration_secs"].as_f64().unwrap();
    edit("duration", &file, &["--clip", "wave", "--seconds", "4"]);
    assert_eq!(length("wave"), 4.0);
    edit("retime", &file, &["--clip", "wave", "--seconds", "8"]);
    assert_eq!((length("wave"), listed(&file, "wave")["last_key_secs"].as_f64()), (8.0, Some(2.0)));
    edit("unkey", &file, &["--clip", "wave", "--at", "2", "--joint", "lower"]);
    assert_eq!((length("wave"), listed(&file, "wave")["last_key_secs"].as_f64()), (8.0, Some(1.0)));
    edit("shift", &file, &["--clip", "wave", "--by", "0.5"]);
    assert_eq!(listed(&file, "wave")["last_key_secs"], 1.5);
    edit("trim", &file, &["--clip", "wave", "--from", "0.5", "--to", "1.5"]);
    assert_eq!(length("wave"), 1.0);
    edit("rename", &file, &["--clip", "wave", "--name", "nod"]);
    assert_eq!(length("nod"), 1.0);
    edit("remove", &file, &["--clip", "nod"]);
    assert!(!succeed(&["clips", "list", &file]).contains("nod"));
}

#[test]
fn exported_text_reads_back_exactly_and_degrees_can_be_edited() {
    let folder = TestFolder::new();
    let (text, file) = (folder.name("walk.clips"), folder.name("walk.glb"));
    succeed(&["clips", "export", "builtin:figure", "--clip", "walk", "-o", &text, "-q"]);
    let taken = fail(&["clips", "import", "builtin:figure", &text, "-o", &file, "-q"], 2);
    assert!(taken.contains("there is already a clip \"walk\""), "{taken}");
    succeed(&["clips", "import", "builtin:figure", &text, "--replace", "-o", &file, "-q"]);
    let again = succeed(&["clips", "export", &file, "--clip", "walk"]);
    assert_eq!(again, fs::read_to_string(&text).unwrap());

    let waving = waving(&folder);
    let degrees = succeed(&["clips", "export", &waving, "--clip", "wave", "--degrees"]);
    assert!(degrees.contains("joint \"lower\" degrees linear\n0 0 0 0\n0.5 0 0 90\n1 0 0 0\n"), "{degrees}");
    fs::write(&text, degrees.replace("0.5 0 0 90", "0.25 0 0 45\n0.5 0 0 90")).unwrap();
    succeed(&["clips", "import", &waving, &text, "--replace", "-o", &waving, "-q", "--force"]);
    assert_eq!(listed(&waving, "wave")["key_count"], 4);
    fs::write(&text, "sinew-clips 1\nclip \"c\"\njoint \"elbow\" scale linear").unwrap();
    let error = fail(&["clips", "import", &waving, &text, "-o", &waving, "-q"], 3);
    assert!(error.contains("line 3: there is no joint \"elbow\"; there are upper, lower, tip"), "{error}");
}

#[test]
fn impossible_edits_say_why() {
    let folder = TestFolder::new();
    let file = waving(&folder);
    let refuse =
        |job: &str, options: &[&str]| fail(&[&["clips", job, &file, "-o", &file, "-q"], options].concat(), 2);
    assert!(refuse("new", &["--name", "wave"]).contains("there is already a clip \"wave\""));
    assert!(refuse("new", &["--name", "x", "--seconds", "-1"]).contains("must not be negative, got -1"));
    assert!(refuse("key", &["--clip", "wave", "--at", "0.5"]).contains("nothing to key"));
    assert!(
        refuse("key", &["--clip", "wave", "--at", "-1", "--all"])
            .contains("--at must be a time from 0 s on, got -1")
    );
    assert!(refuse("key", &["--clip", "nod", "--at", "0", "--all"]).contains("no clip \"nod\""));
    assert!(refuse("unkey", &["--clip", "wave", "--at", "0.7"]).contains("the nearest is at 0.5 s"));
    let short = refuse("duration", &["--clip", "wave", "--seconds", "0.5"]);
    assert!(short.contains("a key or an event at 1 s and cannot end at 0.5 s; trim or retime it"), "{short}");
    assert!(refuse("retime", &["--clip", "wave", "--seconds", "0"]).contains("must be positive, got 0"));
    assert!(refuse("shift", &["--clip", "wave", "--by", "-1"]).contains("cannot move by -1 s"));
    assert!(refuse("trim", &["--clip", "wave", "--from", "3", "--to", "1"]).contains("--from 3 --to 1"));
}
