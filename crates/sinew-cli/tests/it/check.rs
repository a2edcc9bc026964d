//! `sinew check` finds the fault that was planted in each file, nothing in clean files, and fixes what it says it fixes.

mod clips;
#[path = "../../../sinew-author/tests/it/doctor/faults.rs"]
#[allow(dead_code, reason = "the tests of the library plant with options")]
mod faults;
mod patch;
mod rigs;
mod weights;

use super::{sinew, text};
use serde_json::Value;
use sinew::Character;
use sinew_author::check::FindingCode;
use sinew_formats::to_glb;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use tempfile::TempDir;

/// A file with one fault in it.
pub(super) struct Bad {
    name: String,
    code: FindingCode,
    target: Option<&'static str>,
    bytes: Vec<u8>,
    /// Whether `--fix` removes the fault.
    is_fixable: bool,
}

impl Bad {
    pub(super) fn new(name: &str, code: FindingCode, character: &Character) -> Self {
        Self::of_bytes(name, code, to_glb(character).unwrap())
    }

    pub(super) fn of_bytes(name: &str, code: FindingCode, bytes: Vec<u8>) -> Self {
        Self { name: format!("{code} {name}"), code, target: None, bytes, is_fixable: true }
    }

    pub(super) fn for_target(self, target: &'static str) -> Self {
        Self { target: Some(target), ..self }
    }

    pub(super) fn unfixable(self) -> Self {
        Self { is_fixable: false, ..self }
    }
}

/// Every file with a planted fault.
fn all() -> Vec<Bad> {
    [patch::bad(), weights::bad(), rigs::bad(), clips::bad(), planted()].into_iter().flatten().collect()
}

/// The figure with faults that the library's own tests plant.
fn planted() -> Vec<Bad> {
    let figure = sinew_samples::figure();
    let codes = [
        FindingCode::SideSwapped,
        FindingCode::LimbFrozen,
        FindingCode::BodyNotMoved,
        FindingCode::ClipPop,
        FindingCode::ClipJump,
    ];
    let kinds = faults::KINDS.into_iter().filter(|kind| codes.contains(&kind.code));
    let bad = kinds.map(|kind| {
        let character = (0..9).find_map(|seed| kind.plant(&figure, seed)).unwrap();
        let bad = Bad::new(kind.name, kind.code, &character);
        if kind.code.can_be_fixed() { bad } else { bad.unfixable() }
    });
    bad.collect()
}

/// The tube without the clips that twist it: those collapse it on purpose.
pub(super) fn tube() -> Character {
    let mut parts = sinew_samples::tube().into_parts();
    parts.clips.retain(|clip| !clip.name().starts_with("twist"));
    Character::new(parts).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn codes(findings: &Value) -> BTreeSet<String> {
    findings.as_array().unwrap().iter().map(|f| f["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_planted_fault_is_found_and_fixed_if_fixable() {
    let folder = TempDir::new().unwrap();
    let bad = all();
    assert!(bad.len() >= 40, "{} files", bad.len());
    let covered: BTreeSet<&str> = bad.iter().map(|b| b.code.as_str()).collect();
    let missing: Vec<FindingCode> = FindingCode::of_check()
        .filter(|c| !covered.contains(c.as_str()) && *c != FindingCode::RestNotBind)
        // A file that takes minutes to measure is too large for a test.
        .filter(|c| *c != FindingCode::ClipsNotMeasured)
        .collect();
    assert!(missing.is_empty(), "no bad file for {missing:?}");
    let mut faults = Vec::new();
    let mut written = Vec::new();
    for (index, one) in bad.iter().enumerate() {
        let (path, out) =
            (folder.path().join(format!("{index}.glb")), folder.path().join(format!("{index}_fixed.glb")));
        fs::write(&path, &one.bytes).unwrap();
        let mut arguments = vec!["check", text(&path), "--json"];
        arguments.extend(one.target.iter().flat_map(|t| ["--target", t]));
        let found = json(&sinew(&arguments));
        if !codes(&found["files"][0]["findings"]).contains(one.code.as_str()) {
            faults.push(format!("{}: not found among {:?}", one.name, codes(&found["files"][0]["findings"])));
            continue;
        }
        if !one.is_fixable {
            continue;
        }
        arguments.extend(["--fix", "-o", text(&out)]);
        let fixed = json(&sinew(&arguments));
        let fixed = &fixed["files"][0];
        if codes(&fixed["remaining"]).contains(one.code.as_str()) {
            faults.push(format!("{}: still there after {:?}", one.name, fixed["fixes"]));
        }
        if !codes(&fixed["fixes"]).contains(one.code.as_str()) {
            faults.push(format!("{}: no fix is stated", one.name));
        }
        faults.extend(moved_too_far(one, &fixed["fixes"]));
        written.push(out);
    }
    println!("{} bad files, {} of them fixed", bad.len(), written.len());
    assert!(faults.is_empty(), "{} of {}:\n{}", faults.len(), bad.len(), faults.join("\n"));
    validate(&written);
}

/// Fixes that must not move a vertex in any clip.
const EXACT: [FindingCode; 6] = [
    FindingCode::ScaleNegative,
    FindingCode::ScaleNonUniform,
    FindingCode::UnusedJoint,
    FindingCode::RootUnreachable,
    FindingCode::JointsNotInScene,
    FindingCode::ClipFlip,
];

fn moved_too_far(bad: &Bad, fixes: &Value) -> Option<String> {
    let of = |f: &&Value| f["code"] == bad.code.as_str();
    let far = |f: &Value| f["displacement"]["clips"]["max_mm"].as_f64().unwrap();
    let max = fixes.as_array().unwrap().iter().filter(of).map(far).fold(0.0, f64::max);
    // The tube is ten meters long: f32 has steps of a thousandth of a millimeter there.
    let is_exact = !EXACT.contains(&bad.code) || max < 0.02;
    (!is_exact).then(|| format!("{}: moved vertices by {max} mm", bad.name))
}

/// Runs the Khronos validator on the files, if it is installed.
fn validate(files: &[PathBuf]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::var_os("SINEW_VALIDATOR").map_or(root.join("target/validator"), PathBuf::from);
    if !folder.join("node_modules/gltf-validator").is_dir() {
        assert!(std::env::var_os("CI").is_none(), "the validator is missing at {}", folder.display());
        println!("skipped: there is no validator at {}", folder.display());
        return;
    }
    let script = root.join("crates/sinew-formats/tests/validator/validate.mjs");
    let output = Command::new("node").arg(script).arg(folder).args(files).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let findings: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(findings.len(), files.len());
    let errors = |f: &Value| {
        f["messages"].as_array().unwrap().iter().filter(|m| m["error"] == true).cloned().collect::<Vec<_>>()
    };
    let bad: Vec<_> = findings
        .iter()
        .filter(|f| !errors(f).is_empty())
        .map(|f| format!("{}: {:?}", f["file"], errors(f)))
        .collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    println!("the validator finds no error in {} fixed files", files.len());
}

#[test]
fn clean_characters_have_no_finding() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("tube.glb");
    fs::write(&path, to_glb(&tube()).unwrap()).unwrap();
    let files = ["builtin:figure", "builtin:arm", "builtin:arm-rigid", text(&path)];
    for target in ["bevy", "three", "godot", "unity"] {
        let output = sinew(&[&["check", "--json", "--target", target], &files[..]].concat());
        let report = json(&output);
        for file in report["files"].as_array().unwrap() {
            assert!(file["findings"].as_array().unwrap().is_empty(), "{file}");
        }
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn exit_codes_distinguish_clean_bad_and_unreadable_files() {
    let code = |arguments: &[&str]| sinew(arguments).status.code();
    assert_eq!(code(&["check", "builtin:figure"]), Some(0));
    assert_eq!(code(&["check", "builtin:tube"]), Some(1), "the tube's twist collapses it");
    assert_eq!(code(&["check"]), Some(2));
    assert_eq!(code(&["check", "builtin:tube", "--target", "abacus"]), Some(2));
    assert_eq!(code(&["check", "builtin:tube", "--fix"]), Some(2));
    assert_eq!(code(&["check", "builtin:tube", "--fix", "-o", "out.txt"]), Some(2));
    assert_eq!(code(&["check", "no such file.glb"]), Some(3));
    assert_eq!(code(&["check", "builtin:figure", "no such file.glb"]), Some(3));
}

#[test]
fn sarif_names_every_rule_and_places_every_result() {
    let output = sinew(&["check", "builtin:tube", "--sarif"]);
    let log = json(&output);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(rules.len(), FindingCode::of_check().count());
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "builtin:tube");
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
    }
}

#[test]
fn the_page_has_a_picture_of_every_finding() {
    let folder = TempDir::new().unwrap();
    let output = sinew(&["check", "builtin:tube", "--html", text(folder.path()), "--json"]);
    let count = json(&output)["files"][0]["findings"].as_array().unwrap().len();
    let page = fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(count > 0 && page.matches("data:image/png").count() == count, "{count} findings");
    assert!(page.contains("candy-wrap"));
}

#[test]
fn a_fix_reports_how_far_it_moved_vertices() {
    let folder = TempDir::new().unwrap();
    let (path, out) = (folder.path().join("bad.glb"), folder.path().join("good.glb"));
    let bad = weights::bad().into_iter().find(|b| b.code == FindingCode::StrayWeights).unwrap();
    fs::write(&path, &bad.bytes).unwrap();
    let output = sinew(&["check", text(&path), "--fix", "-o", text(&out)]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        printed.contains("fixed stray-weights") && printed.contains("mm RMS over the clips"),
        "{printed}"
    );
    let report = json(&sinew(&["check", text(&path), "--fix", "-o", text(&out), "--json"]));
    let fixes = report["files"][0]["fixes"].as_array().unwrap();
    let moved = &fixes.iter().find(|f| f["code"] == "stray-weights").unwrap()["displacement"];
    assert!(moved["clips"]["max_mm"].as_f64().unwrap() > 1.0, "{moved}");
    assert!(moved["range_of_motion"]["rms_mm"].as_f64().unwrap() > 0.0, "{moved}");
}
