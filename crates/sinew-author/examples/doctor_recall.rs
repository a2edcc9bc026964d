//! What the skin doctor finds: `doctor_recall [FILE|FOLDER]... [--seeds N] [--list]` plants every kind of fault into the built-in
//! characters and those of the files, and prints how many are found, and what is found in the characters as they are.
#![allow(clippy::unwrap_used, reason = "an example that meets the unexpected stops")]

#[path = "../tests/it/doctor/faults.rs"]
mod faults;

use faults::{FaultKind, KINDS};
use sinew::{Character, finding::Severity};
use sinew_author::check::{CheckOptions, Finding, FindingCode, check};
use std::path::{Path, PathBuf};

fn main() {
    let (mut paths, mut seeds, mut lists) = (Vec::new(), 2, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seeds" => seeds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(seeds),
            "--list" => lists = true,
            path => paths.extend(files(Path::new(path))),
        }
    }
    let mut characters: Vec<(String, Character, Vec<Finding>)> = Vec::new();
    for name in ["figure", "arm", "tube"] {
        characters.extend(sinew_samples::find(name).map(|c| (format!("builtin:{name}"), c, Vec::new())));
    }
    for path in paths {
        let Ok(import) = sinew_formats::read_file(&path) else { continue };
        let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        characters.push((name, import.character, import.report.findings().to_vec()));
    }
    let mut warnings = 0;
    for (name, character, imported) in &characters {
        let found = check(character, imported, &CheckOptions::default());
        let bad: Vec<&Finding> =
            found.iter().filter(|f| lists || f.severity() >= Severity::Warning).collect();
        warnings += found.iter().filter(|f| f.severity() >= Severity::Warning).count();
        println!("{name}: {} findings, {} of them shown", found.len(), bad.len());
        bad.iter().for_each(|finding| println!("  {finding}"));
    }
    println!("{warnings} warnings and errors in {} characters as they are", characters.len());
    if seeds > 0 {
        println!("\n| fault | planted | found | as a warning or error |\n| --- | --- | --- | --- |");
        let (planted, found) = KINDS.iter().map(|kind| recall(kind, &characters, seeds)).fold((0, 0), add);
        println!(
            "\n{found} of {planted} found: {:.1} %",
            100.0 * f64::from(found) / f64::from(planted.max(1))
        );
    }
}

fn add(one: (u32, u32), other: (u32, u32)) -> (u32, u32) {
    (one.0 + other.0, one.1 + other.1)
}

/// Plants one kind of fault into every character, and prints and returns how many were planted and found.
fn recall(kind: &FaultKind, characters: &[(String, Character, Vec<Finding>)], seeds: u64) -> (u32, u32) {
    let (mut planted, mut found, mut warned) = (0, 0, 0);
    let mut missed = Vec::new();
    for (name, character, _) in characters {
        for seed in 0..seeds {
            let Some(bad) = kind.plant(character, seed) else { continue };
            planted += 1;
            let before = check(character, &[], &kind.options(character));
            let after = check(&bad, &[], &kind.options(&bad));
            // A character may have had the fault before: it must have one more, or a larger one.
            let of = |found: &[Finding]| -> Vec<String> {
                found.iter().filter(|f| f.code == kind.code).map(ToString::to_string).collect()
            };
            let (before, new) = (of(&before), of(&after));
            let fresh: Vec<&Finding> =
                after.iter().filter(|f| f.code == kind.code && !before.contains(&f.to_string())).collect();
            let is_found =
                !fresh.is_empty() || (kind.code == FindingCode::JointsOverTarget && !new.is_empty());
            found += u32::from(is_found);
            warned += u32::from(fresh.iter().any(|f| f.severity() >= Severity::Warning));
            if !is_found {
                missed.push(format!("{name} #{seed}"));
            }
        }
    }
    let missed = if missed.is_empty() { String::new() } else { format!("; missed in {}", missed.join(", ")) };
    println!("| `{}`: {}{missed} | {planted} | {found} | {warned} |", kind.code, kind.name);
    (planted, found)
}

/// The glTF files of a folder, or the file.
fn files(path: &Path) -> Vec<PathBuf> {
    let Ok(folder) = std::fs::read_dir(path) else { return vec![path.to_owned()] };
    let is_gltf = |p: &PathBuf| p.extension().is_some_and(|e| e == "glb" || e == "gltf");
    let mut out: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).filter(is_gltf).collect();
    out.sort();
    out
}
