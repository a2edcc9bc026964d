//! `sinew solve markers`, and the other verbs on files of markers.

use super::{TestFolder, fail, succeed, succeed_json};
use serde_json::Value;
use sinew::{UpAxis, glam::Vec3};
use sinew_author::markers::{MarkerFaults, record_markers, rotation_error, skin_markers};
use sinew_formats::{markers::write_markers_file, read_file};
use sinew_view::film::clip_poses;
use std::fs;

/// A C3D file of the figure's walk with 2 mm of noise, Z up.
pub(crate) fn walk(folder: &TestFolder) -> String {
    let figure = sinew_samples::figure();
    let attachments = skin_markers(&figure, 3, 0.1).unwrap();
    fs::write(folder.path("set.txt"), attachments.to_text(figure.skeleton())).unwrap();
    let capture = record_markers(&figure, figure.find_clip("walk").unwrap(), &attachments, 60.0).unwrap();
    let faults = MarkerFaults { seed: 2, noise_meters: 0.002, missing: 0.05, swapped: 0.05 };
    let z_up = faults.apply(&capture).unwrap().mapped(|p: Vec3| UpAxis::Z.from_y_up(p)).unwrap();
    write_markers_file(folder.path("walk.c3d"), &z_up, Some(UpAxis::Z)).unwrap();
    folder.name("walk.c3d")
}

#[test]
fn a_walk_is_solved_from_its_markers() {
    let folder = TestFolder::new();
    let (walk, set, out) = (walk(&folder), folder.name("set.txt"), folder.name("out.glb"));
    let solve = ["solve", "markers", &walk, "--onto", "builtin:figure", "-o", &out, "--attach", &set];
    let report = succeed_json(&[&solve[..], &["--json"]].concat());
    assert_eq!((report["up"].as_str(), report["up_source"].as_str()), (Some("z"), Some("file")));
    let rms = report["residual"]["rms_mm"].as_f64().unwrap();
    assert!((1.0..4.5).contains(&rms), "{rms}");
    let noise = report["noise_mm"].as_f64().unwrap();
    assert!((1.8..2.4).contains(&noise), "{noise}");
    assert!(
        report["joints"].as_array().unwrap().iter().all(|j| j["frame_bound_degrees"].as_f64() > Some(0.1))
    );
    let figure = sinew_samples::figure();
    let solved = read_file(&out).unwrap().character;
    let attachments = skin_markers(&figure, 3, 0.1).unwrap();
    let markers = report["markers"].as_array().unwrap();
    assert_eq!(markers.len(), attachments.list().len());
    for marker in markers {
        let rms = marker["residual"]["rms_mm"].as_f64().unwrap();
        assert!((1.0..6.0).contains(&rms) && marker["missing_count"].as_u64() < Some(60), "{marker}");
    }
    let missing: u64 = markers.iter().filter_map(|marker| marker["missing_count"].as_u64()).sum();
    assert!(missing > 0, "markers are missing, and told");
    // The solved clip has the name of the file and so replaces the walk that it was made from.
    let clip = solved.find_clip("walk").unwrap();
    let times: Vec<f32> = (0..60_u8).map(|frame| f32::from(frame) / 60.0).collect();
    let truth = clip_poses(&figure, figure.find_clip("walk").unwrap(), &times);
    let error = rotation_error(figure.skeleton(), &attachments, &truth, &clip_poses(&figure, clip, &times));
    assert!(error.rms_degrees < 1.2, "{error:?}");
    let text = succeed(&solve);
    assert!(text.contains("z up (file)") && text.contains("thigh.L_1"), "{text}");
}

#[test]
fn attachments_can_be_written_and_the_motion_exported_as_bvh() {
    let folder = TestFolder::new();
    let (walk, out, set) = (walk(&folder), folder.name("out.bvh"), folder.name("guess.txt"));
    let args = ["solve", "markers", &walk, "--onto", "builtin:figure", "-o", &out, "--write-attach", &set];
    let report = succeed_json(&[&args[..], &["--calibrate", "--rest", "0", "--json"]].concat());
    assert!(
        report["calibration"]["after"]["rms_mm"].as_f64()
            < report["calibration"]["before"]["rms_mm"].as_f64()
    );
    assert!(fs::read_to_string(&set).unwrap().contains("thigh.L_1 thigh.L "));
    assert_eq!(read_file(&out).unwrap().character.clips().len(), 1);
}

#[test]
fn markers_are_inspected_and_converted() {
    let folder = TestFolder::new();
    let (walk, trc) = (walk(&folder), folder.name("walk.trc"));
    let text = succeed(&["inspect", &walk]);
    assert!(text.contains("C3D: ") && text.contains("z up (file)") && text.contains("head_1"), "{text}");
    succeed(&["convert", &walk, &trc, "-q"]);
    let (c3d, trc) =
        (succeed_json(&["inspect", &walk, "--json"]), succeed_json(&["inspect", &trc, "--json"]));
    assert_eq!(c3d["markers"], trc["markers"]);
    assert_eq!((trc["format"].as_str(), trc["up_source"].as_str()), (Some("TRC"), Some("guessed")));
    assert_eq!(trc["up"], "z", "the guess agrees with what the C3D states");
    let (set, out) = (folder.name("set.txt"), folder.name("out.bvh"));
    let noise = |file: &str| {
        let solve = ["solve", "markers", file, "--onto", "builtin:figure", "-o", &out, "--attach", &set];
        succeed_json(&[&solve[..], &["--json", "--force"]].concat())["noise_mm"].as_f64().unwrap()
    };
    let (binary, text) = (noise(&walk), noise(&folder.name("walk.trc")));
    assert!((binary - text).abs() < 0.01, "solved alike from both formats: {binary} {text}");
}

#[test]
fn markers_replace_no_file_and_report_what_is_not_read() {
    let folder = TestFolder::new();
    let (walk, trc, report) = (walk(&folder), folder.name("walk.trc"), folder.name("report.json"));
    fs::write(&trc, "a file of somebody").unwrap();
    assert!(fail(&["convert", &walk, &trc], 1).contains("walk.trc: it exists; give --force"));
    assert_eq!(fs::read(&trc).unwrap(), b"a file of somebody");
    // The residual of the first point, which is missing in TRC files.
    let mut bytes = fs::read(&walk).unwrap();
    let start = (usize::from(u16::from_le_bytes([bytes[16], bytes[17]])) - 1) * 512;
    bytes[start + 12..start + 16].copy_from_slice(&1.5_f32.to_le_bytes());
    fs::write(&walk, bytes).unwrap();
    let convert = ["convert", &walk, &trc, "-q", "--force", "--report", &report];
    let error = fail(&[&convert[..], &["--strict"]].concat(), 1);
    assert!(error.contains("--strict") && fs::read(&trc).unwrap() == b"a file of somebody", "{error}");
    succeed(&convert);
    let report: Value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
    let entry = &report["write"][0];
    assert_eq!((entry["outcome"].as_str(), entry["code"].as_str()), (Some("dropped"), Some("capture-data")));
    assert!(entry["detail"].as_str().is_some_and(|detail| detail.contains("residuals")), "{entry}");
}

#[test]
fn faults_of_the_command_line_and_of_files_have_their_exit_codes() {
    let folder = TestFolder::new();
    let (walk, out) = (walk(&folder), folder.name("out.glb"));
    let solve = |input: &str, extra: &[&str], code| {
        fail(&[&["solve", "markers", input, "--onto", "builtin:figure", "-q"][..], extra].concat(), code)
    };
    assert!(solve(&walk, &["-o", "out.obj"], 2).contains("OUT must end in"));
    assert!(solve(&walk, &["-o", &out, "--max-gap", "-1"], 2).contains("got -1"));
    assert!(solve(&walk, &["-o", &out, "--rest", "999999"], 2).contains("at least 3 markers"));
    assert!(solve(&folder.name("none.c3d"), &["-o", &out], 3).contains("none.c3d"));
    fs::write(folder.path("bad.c3d"), b"\x02P").unwrap();
    assert!(solve(&folder.name("bad.c3d"), &["-o", &out], 3).contains("header"));
    fs::write(folder.path("bad.txt"), "LKNE knee 0 0 0\n").unwrap();
    let bad = folder.name("bad.txt");
    assert!(solve(&walk, &["-o", &out, "--attach", &bad], 2).contains("there is no joint \"knee\""));
    assert!(fail(&["convert", &walk, &out], 2).contains("sinew solve markers"));
    assert!(
        fail(&["render", &walk, "-o", &folder.name("a.png")], 3).contains("has markers and no character")
    );
}
