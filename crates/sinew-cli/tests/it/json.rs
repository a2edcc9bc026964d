//! The JSON of every verb: snake_case keys that docs/json.md lists, and one schema number.

use super::{TestFolder, sinew};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The schema that this test and docs/json.md describe.
const SCHEMA: u64 = 1;

/// Runs a verb that prints JSON, whatever its exit code.
fn json(arguments: &[&str]) -> Value {
    let output = sinew(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {error}"))
}

/// The documents of all verbs, by the heading of docs/json.md that describes them.
fn documents() -> Vec<(&'static str, Value)> {
    let folder = TestFolder::new();
    let (rolled, stray, fixed) =
        (folder.name("rolled.glb"), folder.name("stray.glb"), folder.name("fixed.glb"));
    let rolls =
        json(&["rig", "rolls", "builtin:tube", "--from", "base", "--to", "middle", "-o", &rolled, "--json"]);
    let swollen = folder.name("swollen.glb");
    let muscle =
        ["rig", "muscle", "builtin:arm", "--bone", "upper", "--bends", "lower", "-o", &swollen, "--json"];
    let muscle = json(&muscle);
    let helper = muscle["added_joints"][0].as_str().expect("one joint").to_owned();
    let remove = json(&["rig", "remove", &swollen, "--helper", &helper, "-o", &swollen, "--json", "--force"]);
    let limited = folder.name("limited.glb");
    let scale = json(&[
        "rig",
        "scale",
        "builtin:arm",
        "--joint",
        "lower",
        "--inherit",
        "full",
        "-o",
        &limited,
        "--json",
    ]);
    let standing = ["rig", "humanoid", "builtin:figure", "-o", &limited, "--json", "--force"];
    let standing = json(&standing);
    let part = "lower:z=-10..90";
    let axes = json(&[
        "rig",
        "axes",
        "builtin:arm",
        "--name",
        "elbow",
        "--part",
        part,
        "-o",
        &limited,
        "--json",
        "--force",
    ]);
    super::succeed(&["weights", "smooth", "builtin:tube", "--only-joint", "middle", "-o", &stray, "-q"]);
    let waving = folder.name("waving.glb");
    let (walk, onto) = (folder.name("walk.bvh"), folder.name("onto.glb"));
    super::succeed(&["convert", "builtin:figure", &walk, "--clip", "walk", "-q"]);
    let (markers, solved) = (super::solve::walk(&folder), folder.name("solved.glb"));
    let solve =
        ["solve", "markers", &markers, "--onto", "builtin:figure", "-o", &solved, "--calibrate", "--json"];
    let fitted = folder.name("fitted.glb");
    let fit = ["fit", "builtin:tube", "--method", "dual-quat", "--helpers", "1", "-o", &fitted, "--json"];
    vec![
        ("sinew fit", json(&fit)),
        ("sinew bake", super::vat::description(&folder, "--vat")),
        ("sinew bake", super::vat::description(&folder, "--bone-texture")),
        ("sinew inspect", json(&["inspect", &markers, "--json"])),
        ("sinew solve", json(&solve)),
        ("sinew solve", solved_mesh(&folder)),
        ("sinew inspect", json(&["inspect", "builtin:figure", "--bounds", "--json"])),
        ("sinew inspect", json(&["inspect", &rolled, "--json"])),
        ("sinew check", json(&["check", "builtin:tube", "--json"])),
        ("sinew check", json(&["check", "builtin:figure", "--target", "custom:2,20", "--json"])),
        (
            "sinew check",
            json(&["check", "builtin:figure", "--target", "custom:2,99", "--json", "--fix", "-o", &fixed]),
        ),
        ("sinew weights", json(&["weights", "auto", "builtin:arm", "--json"])),
        ("sinew weights", json(&["weights", "mirror", "builtin:figure", "--json"])),
        ("sinew weights", json(&["weights", "quantize", "builtin:arm", "--bits", "8", "--json"])),
        ("sinew weights", json(&["weights", "transfer", "builtin:arm", "builtin:arm", "--json"])),
        ("sinew weights diff", json(&["weights", "diff", "builtin:tube", &stray, "--json"])),
        ("sinew clips", json(&["clips", "list", "builtin:figure", "--json"])),
        ("sinew clips", json(&["clips", "report", "builtin:arm", "--json"])),
        ("sinew clips", json(&["clips", "new", "builtin:arm", "--name", "wave", "-o", &waving, "--json"])),
        ("sinew cook", json(&["cook", "builtin:arm", "-o", &folder.name("arm.sinew"), "--json"])),
        ("sinew convert", json(&["convert", "builtin:arm", &waving, "--json", "--force"])),
        (
            "sinew merge",
            json(&["merge", "builtin:figure", "builtin:figure", "-o", &limited, "--json", "--force"]),
        ),
        ("sinew rig", rolls),
        ("sinew rig", muscle),
        ("sinew rig", remove),
        ("sinew rig", scale),
        ("sinew rig", axes),
        ("sinew rig", standing),
        ("sinew inspect", json(&["inspect", &limited, "--json"])),
        ("sinew compare", json(&["compare", "builtin:tube", "--methods", "linear", "--fps", "1", "--json"])),
        ("sinew bench", json(&["bench", "--small", "--seconds", "0.01", "--only", "baseline", "--json"])),
        ("sinew convert", json(&["convert", &walk, &onto, "--onto", "builtin:figure", "--json"])),
    ]
}

/// What is printed when the motion of the arm is solved from its vertices.
fn solved_mesh(folder: &TestFolder) -> Value {
    let (arm, cache, out) = (folder.name("arm.glb"), folder.name("arm"), folder.name("solved_arm.glb"));
    super::succeed(&["convert", "builtin:arm", &arm, "-q"]);
    super::succeed(&["bake", &arm, "-o", &cache, "--format", "pc2", "--clip", "0", "--fps", "4", "-q"]);
    json(&["solve", "mesh", &folder.name("arm.pc2"), "--mesh", &arm, "--bones", "3", "-o", &out, "--json"])
}

/// Every key of a document.
fn keys(value: &Value, out: &mut BTreeSet<String>) {
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                out.insert(key.clone());
                keys(value, out);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, out)),
        _ => {}
    }
}

/// The keys that docs/json.md lists, by heading; those under "Shared objects" belong to every verb.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut heading = String::new();
    for line in fs::read_to_string(path).unwrap().lines() {
        if let Some(title) = line.strip_prefix("## ") {
            heading = title.replace('`', "");
        }
        let Some(first) = line.strip_prefix("| `").and_then(|rest| rest.split(" |").next()) else { continue };
        let names = first.split(['`', ',', ' ']).filter(|name| !name.is_empty());
        out.entry(heading.clone()).or_default().extend(names.map(str::to_owned));
    }
    out
}

#[test]
fn every_key_is_snake_case_and_documented() {
    let documented = documented();
    let shared = &documented["Shared objects"];
    let is_snake_case = |key: &str| {
        let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        key.starts_with(|c: char| c.is_ascii_lowercase()) && key.chars().all(is_allowed)
    };
    let mut used: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (heading, document) in documents() {
        assert_eq!(document["schema"], SCHEMA, "{heading}");
        keys(&document, used.entry(heading).or_default());
    }
    for (heading, keys) in used {
        let own = documented.get(heading).unwrap_or_else(|| panic!("docs/json.md has no {heading:?}"));
        for key in keys {
            assert!(is_snake_case(&key), "{heading}: {key:?} is not snake_case");
            assert!(own.contains(&key) || shared.contains(&key), "{heading}: docs/json.md lacks {key:?}");
        }
    }
}

/// A key that no source names is printed by none: it was renamed or removed.
#[test]
fn every_documented_key_is_in_the_sources() {
    let mut words = BTreeSet::new();
    for folder in ["sinew", "sinew-author", "sinew-cli", "sinew-formats"] {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder).join("src");
        add_words(&sources, &mut words);
    }
    let documented = documented();
    let keys: BTreeSet<&String> = documented.values().flatten().collect();
    assert!(keys.len() > 200, "{} keys", keys.len());
    let gone: Vec<_> = keys.into_iter().filter(|key| !words.contains(key.as_str())).collect();
    assert!(gone.is_empty(), "docs/json.md describes what nothing prints: {gone:?}");
}

/// Adds every word of the Rust files below `folder`.
fn add_words(folder: &Path, words: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_words(&path, words);
        } else {
            let text = fs::read_to_string(&path).unwrap();
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            words.extend(text.split(|c| !is_part(c)).map(str::to_owned));
        }
    }
}
