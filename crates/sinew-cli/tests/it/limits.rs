//! Limits on memory and time, and documents that name files elsewhere.

use super::{TestFolder, fail, sinew, succeed, text};
use serde_json::{Value, json};
use std::fs;

/// A document with `count` zeros of three floats that are not stored.
fn zeros(count: usize) -> Value {
    json!({
        "asset": { "version": "2.0" },
        "accessors": [{ "componentType": 5126, "count": count, "type": "VEC3" }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "nodes": [{ "mesh": 0 }],
    })
}

#[test]
fn files_outside_the_folder_of_a_document_need_allow_outside() {
    let folder = TestFolder::new();
    fs::create_dir(folder.path("model")).unwrap();
    fs::write(folder.path("data.bin"), [0; 4]).unwrap();
    let document =
        json!({ "asset": { "version": "2.0" }, "buffers": [{ "uri": "../data.bin", "byteLength": 4 }] });
    let path = folder.path("model/a.gltf");
    fs::write(&path, document.to_string()).unwrap();
    let error = fail(&["inspect", text(&path)], 3);
    assert!(error.contains("../data.bin") && error.contains("--allow-outside"), "{error}");
    succeed(&["inspect", text(&path), "--allow-outside"]);
    succeed(&["--allow-outside", "inspect", text(&path)]);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_from_standard_input_only() {
    let folder = TestFolder::new();
    for name in ["pipe.glb", "pipe.bvh", "pipe.fbx"] {
        let pipe = folder.path(name);
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let error = fail(&["convert", text(&pipe), text(&folder.path("out.glb"))], 3);
        assert!(error.contains("not a regular file"), "{error}");
        let error = fail(&["bake", text(&pipe), "-o", text(&folder.path("out"))], 3);
        assert!(error.contains("not a regular file"), "{error}");
    }
}

#[test]
fn max_memory_raises_and_lowers_what_a_file_may_unpack() {
    let folder = TestFolder::new();
    let path = folder.path("zeros.gltf");
    fs::write(&path, zeros(3_000_000).to_string()).unwrap();
    let error = fail(&["inspect", text(&path)], 3);
    assert!(error.contains("unpacking needs more than the 67") && error.contains("--max-memory"), "{error}");
    succeed(&["inspect", text(&path), "--max-memory", "2GiB"]);
    let error = fail(&["inspect", text(&path), "--max-memory", "20MB"], 3);
    assert!(error.contains("20000000 bytes"), "{error}");
    assert!(fail(&["inspect", text(&path), "--max-memory", "1KB"], 2).contains("at least 16MiB"));
}

#[cfg(target_os = "linux")]
#[test]
fn max_memory_bounds_the_whole_process() {
    let folder = TestFolder::new();
    let out = folder.name("large.png");
    let render =
        |limit| sinew(&["render", "builtin:arm", "--size", "8192x8192", "-o", &out, "--max-memory", limit]);
    let output = render("100MiB");
    // The picture has 256 MiB. The process ends by its own check, or because the system refuses memory.
    let refused = String::from_utf8_lossy(&output.stderr).contains("memory allocation of");
    assert!(output.status.code() == Some(4) || refused, "{output:?}");
    assert!(!folder.path("large.png").exists());
}

#[test]
fn timeout_ends_work_that_does_not_look_at_the_clock() {
    let error = fail(&["bench", "builtin:arm", "--seconds", "1000", "--timeout", "0.1"], 4);
    assert!(error.ends_with("the command: stopped after 0.1 s, the limit of --timeout\n"), "{error}");
}

#[test]
fn timeout_is_the_time_of_each_file_of_a_batch() {
    let folder = TestFolder::new();
    let out = folder.name("out");
    // Both files have a minute of their own.
    succeed(&["render", "builtin:arm", "builtin:tube", "--out-dir", &out, "--timeout", "60", "--quiet"]);
    assert!(fail(&["inspect", "builtin:arm", "--timeout", "0"], 2).contains("positive"));
}

#[test]
fn a_chain_of_sixty_thousand_nodes_is_inspected_and_checked() {
    let folder = TestFolder::new();
    let node = |index: usize| match index {
        59_999 => json!({ "name": "end" }),
        _ => json!({ "children": [index + 1] }),
    };
    let mut document = zeros(3);
    document["nodes"] = (0..60_000).map(node).collect::<Vec<_>>().into();
    document["nodes"][0]["mesh"] = 0.into();
    let every: Vec<usize> = (0..60_000).collect();
    document["skins"] = json!([{ "joints": every, "skeleton": 0 }]);
    document["nodes"][0]["skin"] = 0.into();
    let path = folder.path("chain.gltf");
    fs::write(&path, document.to_string()).unwrap();
    let page = succeed(&["inspect", text(&path)]);
    assert!(page.contains("59999: end") && page.len() < 20_000_000, "{} bytes", page.len());
    // Comparing every joint with every other above it would take hours.
    let output = sinew(&["check", text(&path), "--quiet"]);
    assert!(output.status.code().is_some_and(|code| code < 3), "{output:?}");
}
