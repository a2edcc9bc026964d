//! Every verb that writes says what it lost, and `--strict` forbids it.

use super::*;

/// A built-in character as a file with a camera and an extension that Sinew does not interpret.
fn foreign(folder: &Path) -> PathBuf {
    let plain = folder.join("plain.gltf");
    succeed(&["-q", "convert", "builtin:arm", text(&plain)]);
    let mut root: Value = serde_json::from_slice(&fs::read(&plain).unwrap()).unwrap();
    root["extensionsUsed"] = serde_json::json!(["ACME_stars"]);
    root["extensions"] = serde_json::json!({ "ACME_stars": { "count": 5.00 } });
    root["cameras"] =
        serde_json::json!([{ "type": "perspective", "perspective": { "yfov": 0.8, "znear": 0.1 } }]);
    fs::write(&plain, serde_json::to_vec(&root).unwrap()).unwrap();
    plain
}

fn entries<'a>(report: &'a Value, outcome: &str) -> Vec<&'a str> {
    let all = report["write"].as_array().unwrap().iter().filter(|entry| entry["outcome"] == outcome);
    all.map(|entry| entry["code"].as_str().unwrap()).collect()
}

#[test]
fn an_edit_reports_what_it_changed_and_carries_the_rest() {
    let folder = TempDir::new().unwrap();
    let (input, output, report) =
        (foreign(folder.path()), folder.path().join("out.glb"), folder.path().join("r.json"));
    let printed = succeed_json(&[
        "weights",
        "limit",
        "1",
        text(&input),
        "-o",
        text(&output),
        "--json",
        "--strict",
        "--report",
        text(&report),
    ]);
    assert!(entries(&printed, "changed").contains(&"influences"), "{printed}");
    assert!(entries(&printed, "carried").contains(&"extension-ignored"), "{printed}");
    let saved: Value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
    assert_eq!(saved["write"], printed["write"]);
    let inspected = succeed(&["inspect", text(&output), "--json"]);
    assert!(inspected.contains("ACME_stars"), "{inspected}");
}

#[test]
fn a_format_that_holds_less_says_so_even_when_quiet() {
    let folder = TempDir::new().unwrap();
    let output = folder.path().join("walk.bvh");
    let arguments = ["-q", "convert", "builtin:figure", text(&output), "--clip", "walk"];
    let quiet = sinew(&arguments);
    assert!(quiet.status.success());
    let error = String::from_utf8(quiet.stderr).unwrap();
    assert!(error.contains("dropped: mesh at the character"), "{error}");
}

#[test]
fn strict_writes_nothing_if_something_would_be_dropped() {
    let folder = TempDir::new().unwrap();
    let output = folder.path().join("walk.bvh");
    let error = fail(&["convert", "builtin:figure", text(&output), "--clip", "walk", "--strict"], 1);
    assert!(error.contains("--strict"), "{error}");
    assert!(!output.exists());
}

#[test]
fn compression_is_written_with_its_error_by_every_verb_that_writes_gltf() {
    let folder = TestFolder::new();
    let plain = folder.name("plain.glb");
    succeed(&["-q", "convert", "builtin:figure", &plain]);
    let size = |path: &str| fs::metadata(path).unwrap().len();
    for (name, arguments) in [
        ("converted", &["convert", &plain][..]),
        ("merged", &["merge", &plain, "builtin:figure"]),
        ("limited", &["weights", "limit", "2", &plain]),
        ("fixed", &["check", &plain, "--fix"]),
        ("trimmed", &["clips", "rename", &plain, "--clip", "walk", "--name", "stroll"]),
    ] {
        let (out, report) = (folder.name(&format!("{name}.glb")), folder.name(&format!("{name}.json")));
        let mut arguments = arguments.to_vec();
        let target: &[&str] = if name == "converted" { &[&out] } else { &["-o", &out] };
        arguments.extend_from_slice(target);
        arguments.extend(["--compress", "meshopt", "--report", &report, "-q"]);
        sinew(&arguments);
        assert!(size(&out) < size(&plain), "{name}: {} of {}", size(&out), size(&plain));
        let report: Value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
        let entries = report["write"].as_array().unwrap();
        let whole = entries.iter().find(|entry| entry["code"] == "compression").unwrap();
        assert_eq!(whole["outcome"], "encoded");
        assert!(whole["max_error_mm"].as_f64().unwrap() < 1.0, "{whole}");
        succeed(&["inspect", &out]);
    }
    let error =
        fail(&["convert", &plain, &folder.name("a.bvh"), "--clip", "walk", "--compress", "meshopt"], 2);
    assert!(error.contains("--compress is for"), "{error}");
    let error = fail(&["convert", &plain, &folder.name("a.glb"), "--compress", "zip"], 2);
    assert!(error.contains("quantize or meshopt"), "{error}");
}
