//! `sinew weights`, each job once.

use super::{TestFolder, fail, succeed, succeed_json, text};
use serde_json::Value;
use std::{fs, path::PathBuf};

/// Runs `sinew weights` and returns its JSON output.
fn json(arguments: &[&str]) -> Value {
    succeed_json(&[&["weights"], arguments, &["--json", "--quiet"]].concat())
}

/// The only mesh of a report.
fn mesh(report: &Value) -> &Value {
    assert_eq!(report["meshes"].as_array().unwrap().len(), 1);
    &report["meshes"][0]
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not a count"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// The largest number of influences of any mesh, as `sinew inspect` reads the file.
fn max_influences(file: &str) -> usize {
    let page = succeed_json(&["inspect", file, "--json"]);
    assert!(page["findings"].as_array().is_none_or(Vec::is_empty), "{}", page["findings"]);
    let histograms =
        page["meshes"].as_array().unwrap().iter().filter_map(|m| m["influence_histogram"].as_array());
    histograms.map(|h| h.iter().len()).max().unwrap()
}

#[test]
fn every_automatic_method_weights_the_arm_and_is_measured() {
    let folder = TestFolder::new();
    for method in ["auto", "heat", "voxel", "biharmonic", "mixed"] {
        let out = folder.name(&format!("{method}.glb"));
        let report = json(&["auto", "builtin:arm", "--method", method, "--influences", "2", "-o", &out]);
        assert_eq!(report["operation"], format!("auto {method}"));
        let arm = mesh(&report);
        assert_eq!(arm["max_influences"]["after"], 2);
        assert_eq!(arm["facts"]["nearest_bone_point_count"], 0);
        assert!(number(&arm["facts"]["mean_l1"]) < 0.5, "{arm}");
        assert!(number(&arm["displacement"]["clips"]["rms_mm"]) > 0.0);
        assert_eq!(max_influences(&out), 2);
    }
    assert!(fail(&["weights", "auto", "builtin:arm", "--sharpness", "99"], 2).contains("sharpness"));
}

#[test]
fn a_refitted_limit_moves_vertices_less() {
    let folder = TestFolder::new();
    let out = folder.name("one.glb");
    let base = ["limit", "2", "builtin:figure"];
    let sized = json(&base);
    let fitted = json(&[&base[..], &["--refit", "-o", &out]].concat());
    let rms = |report: &Value| number(&mesh(report)["displacement"]["clips"]["rms_mm"]);
    assert!(rms(&fitted) < 0.5 * rms(&sized) && rms(&fitted) > 0.0, "{} and {}", rms(&fitted), rms(&sized));
    assert!(count(&mesh(&fitted)["max_influences"]["before"]) > 2, "nothing to limit");
    assert!(sized["output"].is_null() && fitted["output"] == out[..]);
    assert_eq!(max_influences(&out), 2);
}

#[test]
fn smooth_and_sharpen_undo_each_other_in_part() {
    let folder = TestFolder::new();
    let out = folder.name("smooth.glb");
    let smoothed = json(&["smooth", "builtin:figure", "--iterations", "3", "-o", &out]);
    assert!(count(&mesh(&smoothed)["changed_vertex_count"]) > 100);
    assert!(max_influences(&out) <= 4);
    let off = |file: &str| number(&mesh(&json(&["diff", "builtin:figure", file]))["mean_l1"]);
    let sharp = folder.name("sharp.glb");
    json(&["sharpen", &out, "--power", "1.3", "-o", &sharp]);
    assert!(off(&sharp) < off(&out), "{} and {}", off(&sharp), off(&out));
}

#[test]
fn locks_hold_and_a_selection_is_limited_to_its_joint() {
    let folder = TestFolder::new();
    let out = folder.name("some.glb");
    let all = json(&["smooth", "builtin:figure"]);
    let some =
        json(&["smooth", "builtin:figure", "--only-joint", "hand.L", "--lock", "upper_arm.L", "-o", &out]);
    let changed = |report: &Value| count(&mesh(report)["changed_vertex_count"]);
    assert!(changed(&some) > 0 && changed(&some) < changed(&all) / 4);
    let diff = json(&["diff", "builtin:figure", &out]);
    let joints = mesh(&diff)["joints"].as_array().unwrap();
    assert!(joints.iter().any(|j| j["joint"] == "hand.L"));
    assert!(joints.iter().all(|j| j["joint"] != "upper_arm.L" && j["joint"] != "foot.R"), "{joints:?}");
    assert!(fail(&["weights", "smooth", "builtin:figure", "--lock", "tail"], 2).contains("tail"));
}

#[test]
fn prune_keeps_the_strongest_joint() {
    let folder = TestFolder::new();
    let out = folder.name("hard.glb");
    let report = json(&["prune", "builtin:figure", "--below", "0.6", "-o", &out]);
    assert!(count(&mesh(&report)["changed_vertex_count"]) > 0);
    assert_eq!(max_influences(&out), 1);
    assert!(fail(&["weights", "prune", "builtin:figure", "--below", "2"], 2).contains("2"));
}

#[test]
fn normalize_closes_seams_and_keeps_normalized_weights() {
    let folder = TestFolder::new();
    let (weights, torn, closed) =
        (folder.path("torn.weights"), folder.name("torn.glb"), folder.name("fixed.glb"));
    assert_eq!(mesh(&json(&["normalize", "builtin:figure"]))["changed_vertex_count"], 0);
    // Every other vertex alone, whatever its copies along seams have.
    let tear = |(line, text): (usize, &str)| match text.split_once(": ") {
        Some((vertex, _)) if line % 2 == 0 => format!("{vertex}: \"hand.L\" 1\n"),
        _ => format!("{text}\n"),
    };
    let whole = succeed(&["weights", "export", "builtin:figure"]);
    fs::write(&weights, whole.lines().enumerate().map(tear).collect::<String>()).unwrap();
    json(&["import", "builtin:figure", text(&weights), "-o", &torn]);
    let report = json(&["normalize", &torn, "-o", &closed]);
    assert!(count(&mesh(&report)["changed_vertex_count"]) > 0);
    let diff = json(&["diff", &torn, &closed]);
    assert!(number(&mesh(&diff)["max_l1"]) >= 0.5, "{diff}");
    assert_eq!(mesh(&json(&["normalize", &closed]))["changed_vertex_count"], 0);
    max_influences(&closed);
}

#[test]
fn mirror_restores_a_side_that_was_smoothed_alone() {
    let folder = TestFolder::new();
    let (lopsided, fixed) = (folder.name("lopsided.glb"), folder.name("fixed.glb"));
    json(&["smooth", "builtin:figure", "--only-joint", "upper_arm.R", "-o", &lopsided]);
    let report = json(&["mirror", &lopsided, "-o", &fixed]);
    let mesh_report = mesh(&report);
    assert!(count(&mesh_report["changed_vertex_count"]) > 0);
    assert_eq!(mesh_report["facts"]["unmatched_point_count"], 0);
    assert!(count(&mesh_report["facts"]["mirrored_point_count"]) > 100);
    let off = |file: &str| number(&mesh(&json(&["diff", "builtin:figure", file]))["mean_l1"]);
    assert!(off(&fixed) < 0.1 * off(&lopsided), "{} and {}", off(&fixed), off(&lopsided));
    assert_eq!(mesh(&json(&["mirror", &fixed]))["changed_vertex_count"], 0, "what is symmetric stays");
}

#[test]
fn the_joint_map_of_mirror_is_printed_edited_and_obeyed() {
    let folder = TestFolder::new();
    let printed = succeed(&["weights", "mirror", "builtin:figure", "--show-map"]);
    assert!(printed.contains("hand.L <-> hand.R\n") && printed.contains("head <-> head\n"), "{printed}");
    let map = folder.path("joints.txt");
    fs::write(&map, printed).unwrap();
    let report = json(&["mirror", "builtin:figure", "--map", text(&map)]);
    assert_eq!(mesh(&report)["changed_vertex_count"], 0);
    fs::write(&map, "hand.L <-> -\n").unwrap();
    let refused = fail(&["weights", "mirror", "builtin:figure", "--map", text(&map)], 1);
    assert!(refused.contains("without a partner: hand.L"), "{refused}");
    fs::write(&map, "hand.L <-> hnad.R\n").unwrap();
    let unknown = fail(&["weights", "mirror", "builtin:figure", "--map", text(&map)], 2);
    assert!(unknown.contains("line 1") && unknown.contains("hnad.R"), "{unknown}");
}

#[test]
fn mirror_reaches_joints_that_had_no_weight() {
    let folder = TestFolder::new();
    let (weights, left) = (folder.path("left.weights"), folder.name("left.glb"));
    let to_left = |line: &str| match line.split_once(": ") {
        Some((vertex, _)) => format!("{vertex}: \"hand.L\" 1\n"),
        None => format!("{line}\n"),
    };
    let whole = succeed(&["weights", "export", "builtin:figure"]);
    fs::write(&weights, whole.lines().map(to_left).collect::<String>()).unwrap();
    json(&["import", "builtin:figure", text(&weights), "-o", &left]);
    for (from, both) in [("positive", "both_p.glb"), ("negative", "both_n.glb")] {
        let out = folder.name(both);
        json(&["mirror", &left, "--from", from, "-o", &out]);
        let diff = json(&["diff", &left, &out]);
        assert!(mesh(&diff)["joints"].as_array().unwrap().iter().any(|j| j["joint"] == "hand.R"), "{diff}");
    }
}

#[test]
fn transfer_gives_a_mesh_its_weights_back() {
    let folder = TestFolder::new();
    let (ruined, fixed) = (folder.name("ruined.glb"), folder.name("fixed.glb"));
    json(&["prune", "builtin:figure", "--below", "0.9", "-o", &ruined]);
    let report = json(&["transfer", "builtin:figure", &ruined, "-o", &fixed]);
    let facts = &mesh(&report)["facts"];
    assert!(count(&facts["matched_point_count"]) > 1000);
    let off = |file: &str| number(&mesh(&json(&["diff", "builtin:figure", file]))["mean_l1"]);
    assert!(off(&fixed) < 0.1 * off(&ruined), "{} and {}", off(&fixed), off(&ruined));
    assert!(fail(&["weights", "transfer", "builtin:arm", "builtin:figure"], 2).contains("namesake"));
}

#[test]
fn clothes_without_a_skin_get_the_skeleton_weights_and_clips_of_the_body() {
    let folder = TestFolder::new();
    let (bare, bound) = (folder.name("bare.glb"), folder.name("bound.glb"));
    let mut parts = sinew_samples::figure().parts().clone();
    let mesh_parts = sinew::MeshParts {
        weights: None,
        precomputed: sinew::Precomputed::default(),
        ..parts.meshes[0].parts().clone()
    };
    parts.meshes = vec![std::sync::Arc::new(sinew::Mesh::new(mesh_parts).unwrap())];
    parts.instances.iter_mut().for_each(|i| i.skin = None);
    (parts.skins, parts.clips) = (Vec::new(), Vec::new());
    sinew_formats::write_file(&bare, &sinew::Character::new(parts).unwrap()).unwrap();

    let report = json(&["transfer", "builtin:figure", &bare, "-o", &bound]);
    assert!(count(&mesh(&report)["facts"]["matched_point_count"]) > 1000);
    assert!(number(&mesh(&json(&["diff", "builtin:figure", &bound]))["mean_l1"]) < 0.02);
    let page = succeed_json(&["inspect", &bound, "--json"]);
    assert_eq!(page["clips"].as_array().unwrap().len(), 5);
}

#[test]
fn quantizing_twice_changes_nothing() {
    let folder = TestFolder::new();
    let out = folder.name("bytes.glb");
    let first = json(&["quantize", "builtin:figure", "--bits", "8", "-o", &out]);
    assert!(count(&mesh(&first)["changed_vertex_count"]) > 0);
    assert!(number(&mesh(&first)["displacement"]["clips"]["max_mm"]) < 2.0);
    assert_eq!(mesh(&json(&["quantize", &out, "--bits", "8"]))["changed_vertex_count"], 0);
    let fine = json(&["quantize", "builtin:figure", "--bits", "16"]);
    let rms = |report: &Value| number(&mesh(report)["displacement"]["range_of_motion"]["rms_mm"]);
    assert!(rms(&fine) < 0.02 * rms(&first));
    fail(&["weights", "quantize", "builtin:figure", "--bits", "12"], 2);
}

#[test]
fn a_diff_measures_and_draws_a_difference_map() {
    let folder = TestFolder::new();
    let (out, heat, none) = (folder.name("two.glb"), folder.path("heat.png"), folder.path("none.png"));
    json(&["smooth", "builtin:figure", "--only-joint", "hand.L", "-o", &out]);
    let page = succeed(&["weights", "diff", "builtin:figure", &out, "--heat", text(&heat)]);
    for part in ["vertices differ", "hand.L", "mm RMS over", "a range of motion", "wrote "] {
        assert!(page.contains(part), "{part:?} is missing from\n{page}");
    }
    json(&["diff", "builtin:figure", "builtin:figure", "--heat", text(&none)]);
    let hot = |path: &PathBuf| {
        let picture = image::open(path).unwrap().to_rgb8();
        assert_eq!((picture.width(), picture.height()), (800, 860));
        // Below the legend.
        picture.enumerate_pixels().filter(|(_, y, p)| *y > 80 && p[0] > 150 && p[2] < 60).count()
    };
    assert!(hot(&heat) > hot(&none) + 20, "{} and {}", hot(&heat), hot(&none));
    assert!(fail(&["weights", "diff", "builtin:arm", "builtin:figure"], 2).contains("vertices"));
}

#[test]
fn weights_survive_a_round_trip_through_text_and_an_edit_arrives() {
    let folder = TestFolder::new();
    let (weights, out) = (folder.path("arm.weights"), folder.name("arm.glb"));
    succeed(&["weights", "export", "builtin:arm", "-o", text(&weights), "--quiet"]);
    let before = fs::read_to_string(&weights).unwrap();
    assert_eq!(succeed(&["weights", "export", "builtin:arm"]), before, "printed and written text differ");
    assert_eq!(mesh(&json(&["import", "builtin:arm", text(&weights)]))["changed_vertex_count"], 0);
    let last = before.trim_end().rsplit('\n').next().unwrap();
    let (vertex, joints) = last.split_once(": ").unwrap();
    let other = if joints.starts_with("\"upper\"") { "\"lower\" 1" } else { "\"upper\" 1" };
    fs::write(&weights, before.replace(last, &format!("{vertex}: {other}"))).unwrap();
    let report = json(&["import", "builtin:arm", text(&weights), "-o", &out]);
    assert_eq!(mesh(&report)["changed_vertex_count"], 1, "{report}");
    assert_eq!(succeed(&["weights", "export", &out]), fs::read_to_string(&weights).unwrap());
    max_influences(&out);
}

#[test]
fn unreadable_and_unwritable_files_have_their_own_exit_codes() {
    let folder = TestFolder::new();
    let bad = folder.path("bad.weights");
    fs::write(&bad, "sinew-weights 1\nmesh \"arm\"\nvertices 1\n0: \"nobody\" 1\n").unwrap();
    let error = fail(&["weights", "import", "builtin:arm", text(&bad)], 3);
    assert!(error.contains("line 4") && error.contains("nobody"), "{error}");
    fail(&["weights", "import", "builtin:arm", &folder.name("missing.weights")], 3);
    fail(&["weights", "smooth", &folder.name("missing.glb")], 3);
    fail(&["weights", "smooth", "builtin:arm", "-o", &folder.name("arm.obj")], 2);
    fail(&["weights", "smooth", "builtin:arm", "--mesh", "leg"], 2);
    fail(&["weights", "smooth", "builtin:arm", "--step", "nan"], 2);
    assert!(!folder.path("arm.obj").exists());
}
