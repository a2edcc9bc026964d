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

#[test]
fn the_report_of_several_files_is_one_list_in_their_order() {
    let folder = TestFolder::new();
    let (top, out, report) = (folder.path("in"), folder.path("out"), folder.path("report.json"));
    fs::create_dir(&top).unwrap();
    for (name, character) in [("a.glb", "builtin:arm"), ("c.glb", "builtin:tube"), ("d.glb", "builtin:arm")] {
        succeed(&["-q", "convert", character, text(&top.join(name))]);
    }
    fs::write(top.join("b.glb"), "glTF").unwrap();
    let verbs: [&[&str]; 3] = [&["convert"], &["weights", "limit", "1"], &["check", "--fix"]];
    for verb in verbs {
        let done = sinew(
            &[verb, &[text(&top), "-q", "--out-dir", text(&out), "--report", text(&report), "--force"]]
                .concat(),
        );
        assert_eq!(done.status.code(), Some(3), "{done:?}");
        let list: Vec<Value> = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
        let outputs: Vec<&str> = list.iter().filter_map(|document| document["output"].as_str()).collect();
        assert_eq!(outputs, ["a.glb", "c.glb", "d.glb"].map(|name| text(&out.join(name)).to_owned()));
        assert!(list[1]["file"].as_str().is_some_and(|file| file.ends_with("b.glb")), "{}", list[1]);
        assert!(list[1]["error"].as_str().is_some_and(|error| error.contains("b.glb")), "{}", list[1]);
        assert!(list.iter().all(|document| document["schema"] == 1));
    }
}

/// The built-in figure whose walk also turns a joint of its own, stretches an arm and scales the head.
fn stretching(folder: &TestFolder) -> PathBuf {
    let path = folder.path("stretching.gltf");
    succeed(&["-q", "convert", "builtin:figure", text(&path), "--clip", "walk"]);
    let mut root: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let node = |root: &Value, name: &str| {
        root["nodes"].as_array().unwrap().iter().position(|node| node["name"] == name).unwrap()
    };
    let [head, hand, hips, thigh] = ["head", "hand.L", "hips", "thigh.L"].map(|name| node(&root, name));
    let nodes = root["nodes"].as_array_mut().unwrap();
    nodes.push(serde_json::json!({ "name": "antenna" }));
    let antenna = nodes.len() - 1;
    match root["nodes"][head]["children"].as_array_mut() {
        Some(children) => children.push(antenna.into()),
        None => root["nodes"][head]["children"] = serde_json::json!([antenna]),
    }
    let channels = root["animations"][0]["channels"].as_array_mut().unwrap();
    let sampler = |node: usize, path: &str| {
        let target = serde_json::json!({ "node": node, "path": path });
        channels.iter().find(|channel| channel["target"] == target).unwrap()["sampler"].clone()
    };
    let (turning, moving) = (sampler(thigh, "rotation"), sampler(hips, "translation"));
    for (sampler, node, path) in
        [(&turning, antenna, "rotation"), (&moving, hand, "translation"), (&moving, head, "scale")]
    {
        channels.push(serde_json::json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }
    fs::write(&path, root.to_string()).unwrap();
    path
}

#[test]
fn what_a_motion_loses_on_its_way_to_another_character_is_reported_and_forbidden_by_strict() {
    let folder = TestFolder::new();
    let input = stretching(&folder);
    let (onto, merged, report) = (folder.name("onto.glb"), folder.name("merged.glb"), folder.name("r.json"));
    let runs: [(&[&str], &str, &[&str]); 2] = [
        (
            &["convert", text(&input), &onto, "--onto", "builtin:figure"],
            &onto,
            &["joint-channel", "translation-channel", "scale-channel"],
        ),
        // The other joints are the same, so their keys are copied.
        (&["merge", "builtin:figure", text(&input), "-o", &merged], &merged, &["joint-channel"]),
    ];
    for (run, output, lost) in runs {
        let error = fail(&[run, &["-q", "--strict"]].concat(), 1);
        assert!(error.contains("--strict") && !Path::new(output).exists(), "{error}");
        let done = sinew(&[run, &["-q", "--force", "--report", &report]].concat());
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(done.status.success() && said.contains("antenna"), "{said}");
        let report: Value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
        assert_eq!(entries(&report, "dropped"), lost, "{report}");
    }
}

#[test]
fn a_file_that_cannot_be_merged_is_a_loss() {
    let folder = TestFolder::new();
    let (broken, out) = (folder.path("broken.glb"), folder.path("out.glb"));
    fs::write(&broken, "glTF").unwrap();
    let merge = ["merge", "builtin:figure", "builtin:figure", text(&broken), "-o", text(&out)];
    let error = fail(&[&merge[..], &["--strict"]].concat(), 1);
    assert!(error.contains("dropped: file at ") && error.contains("broken.glb"), "{error}");
    assert!(!out.exists());
}
