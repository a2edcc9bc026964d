//! Dropped files, recent files, and the import report.

use crate::harness::{Dropped, picture, studio};
use egui_kittest::kittest::Queryable as _;
use std::{path::Path, sync::Arc};

#[test]
fn recent_files_open_from_the_menu() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut harness) = studio("figure") else { return };
    for (name, character) in [("one.glb", sinew_samples::arm()), ("two.glb", sinew_samples::tube())] {
        let path = folder.path().join(name);
        sinew_formats::write_file(&path, &character).unwrap();
        harness.input_mut().dropped_files.push(Arc::new(Dropped(path)));
        harness.run();
        assert_eq!(harness.state().session().document().source().to_string(), name);
    }
    harness.get_by_label("Open").click();
    harness.run();
    harness.get_by_label_contains("Recent files").click();
    harness.run();
    picture(&mut harness, "recent-files");
    harness.get_by_label("one.glb").click();
    harness.run();
    assert_eq!(harness.state().session().document().source().to_string(), "one.glb");

    harness.get_by_label("Undo").click();
    harness.run();
    assert_eq!(harness.state().session().document().source().to_string(), "two.glb", "opening can be undone");
}

/// The arm with a rotation that is not normalized and an unknown extension.
fn write_faulty(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("faulty.gltf");
    sinew_formats::write_file(&path, &sinew_samples::arm()).unwrap();
    let mut json: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    json["nodes"][0]["rotation"] = serde_json::json!([0.0, 0.0, 0.0, 2.0]);
    json["extensionsUsed"] = serde_json::json!(["EXT_of_nobody"]);
    std::fs::write(&path, json.to_string()).unwrap();
    path
}

#[test]
fn repairs_are_listed_in_the_import_report() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_faulty(folder.path());
    let Some(mut harness) = studio("figure") else { return };
    harness.input_mut().dropped_files.push(Arc::new(Dropped(path)));
    harness.run();
    assert!(harness.state().message().unwrap().contains("import report"));
    harness.get_by_label_contains("Import report (").click();
    harness.run();
    // The section may start below the visible part of the panel.
    harness.get_by_label("quaternion-not-unit").scroll_to_me();
    harness.run();
    assert!(harness.query_by_label_contains("1 repair").is_some());
    picture(&mut harness, "import-report");
}
