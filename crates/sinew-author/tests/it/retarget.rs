//! Retargeting between real characters and captures.

use sinew::Character;
use sinew_author::retarget::{
    ContactPart, JointMap, MapConfidence, MapVerdict, RetargetOptions, RetargetReport, retarget,
};
use sinew_formats::{FileFormat, ReadOptions, bvh::BvhOptions, read_file_with};
use std::path::{Path, PathBuf};

/// The characters next to the checkout, or `None` after printing one line. In CI they must exist.
fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var_os("CI").is_none(), "the corpus is missing at {}", path.display());
    println!("skipped: there is no corpus at {}", path.display());
    None
}

fn open(corpus: &Path, name: &str) -> Character {
    if name == "figure" {
        return sinew_samples::figure();
    }
    let mut options = ReadOptions::default();
    if FileFormat::of_path(name) == Some(FileFormat::Bvh) {
        options = options.with_bvh(BvhOptions::default().with_end_sites(true));
    }
    read_file_with(corpus.join(name).to_str().unwrap(), &options).unwrap().character
}

fn confidence(source: &Character, target: &Character) -> MapConfidence {
    MapConfidence::of(&JointMap::guess(source, target), source, target)
}

/// Files with human motions, or characters that could have one.
const HUMANS: [&str; 8] = [
    "bvh/cmu_143_01.bvh",
    "bvh/Boxing_Toes.bvh",
    "bvh/pirouette.bvh",
    "bvh/zombieWalk1.bvh",
    "bvh/mh_tpose.bvh",
    "RobotExpressive.glb",
    "KayKit_Knight.glb",
    "figure",
];
/// Characters that walk upright on two legs and have two arms.
const UPRIGHT: [&str; 13] = [
    "figure",
    "human_53.glb",
    "human_163.glb",
    "KayKit_Knight.glb",
    "CesiumMan.glb",
    "RobotExpressive.glb",
    "gdbot.glb",
    "lumberjack.glb",
    "yeti_nomat.glb",
    "GhostArmature.glb",
    "characters/004_Xenguin_Art.glb",
    "characters/008_Vguy_Art.glb",
    "characters/058_Symbbit_Art.glb",
];
/// Animals on four, six or eight legs, and creatures without legs.
const OTHERS: [&str; 13] = [
    "Fox.glb",
    "characters/002_Squaresquid_Art.glb",
    "characters/013_Octogecko_Art.glb",
    "characters/014_Penturtlen_Art.glb",
    "characters/019_Boargram_Art.glb",
    "characters/027_Rombophant_Art.glb",
    "characters/028_Hexowl_Art.glb",
    "characters/029_Monkeylon_Art.glb",
    "characters/037_Octospider_Art.glb",
    "characters/038_Giraffaxon_Art.glb",
    "characters/043_Firellama_Art.glb",
    "characters/060_Polypug_Art.glb",
    "characters/Owl.glb",
];
/// Bipeds that lean forward or lack limbs: a matter of taste.
const BETWEEN: [&str; 9] = [
    "characters/005_Pentachick_Art.glb",
    "characters/010_Rhombolion_Art.glb",
    "characters/016_Raptorous_Art.glb",
    "characters/017_Sauris_Art.glb",
    "characters/022_Triplicoon_Art.glb",
    "characters/026_Tribird_Art.glb",
    "characters/039_Mousylon_Art.glb",
    "characters/053_Penguiton_Art.glb",
    "greenman.glb",
];

#[test]
fn confidence_tells_bodies_apart() {
    let Some(corpus) = corpus() else { return };
    let sources = HUMANS.map(|name| (name, open(&corpus, name)));
    let mut wrong = Vec::new();
    let groups = [(&UPRIGHT[..], Some(true)), (&OTHERS[..], Some(false)), (&BETWEEN[..], None)];
    for (group, is_human) in groups {
        for name in group {
            let target = open(&corpus, name);
            let mut line = format!("| {name} |");
            for (source_name, source) in &sources {
                let got = confidence(source, &target);
                line += &format!(" {:.0} ({}) |", got.overall * 100.0, got.pairs.len());
                let fits = match is_human {
                    Some(true) => got.verdict() == MapVerdict::Good,
                    Some(false) => got.verdict() == MapVerdict::Hopeless,
                    None => true,
                };
                if !fits {
                    let regions: Vec<String> = got
                        .regions
                        .iter()
                        .map(|r| format!("{} {:.2}", r.region.name(), r.confidence))
                        .collect();
                    let doubts: Vec<String> = got.doubtful().iter().filter_map(|p| p.doubt()).collect();
                    wrong.push(format!(
                        "{source_name} on {name}: {:.2}, {}; {}",
                        got.overall,
                        regions.join(", "),
                        doubts.join("; ")
                    ));
                }
            }
            println!("{line}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Retargets the first clip of `source`.
fn retargeted(source: &Character, target: &Character) -> RetargetReport {
    let map = JointMap::guess(source, target);
    retarget(source, &source.clips()[0], target, &map, &RetargetOptions::default()).unwrap().1
}

/// The worst penetration of feet and hands before and after pinning, and the worst mean slide, in percent of the height.
fn figures(report: &RetargetReport, part: ContactPart) -> [f32; 5] {
    let mut out = [0.0_f32; 5];
    for contact in report.contacts.iter().filter(|c| c.part == part && c.vertices > 0) {
        let after = contact.result();
        let all = [
            contact.before.penetration_meters,
            after.penetration_meters,
            after.hover_meters,
            contact.before.slide.mean_meters_per_sec,
            after.slide.mean_meters_per_sec,
        ];
        out.iter_mut().zip(all).for_each(|(worst, one)| *worst = worst.max(one));
    }
    out.map(|meters| 100.0 * meters / report.height_meters)
}

#[test]
fn soles_stand_on_the_ground_and_do_not_slide() {
    let Some(corpus) = corpus() else { return };
    let motions = [
        "clips/35_04.bvh",
        "clips/07_10.bvh",
        "clips/104_53.bvh",
        "clips/141_09.bvh",
        "clips/132_30.bvh",
        "bvh/cmu_143_01.bvh",
        "bvh/zombieWalk1.bvh",
        "bvh/pirouette.bvh",
        "bvh/cmu_49_06.bvh",
    ];
    let sources = motions.map(|name| (name, open(&corpus, name)));
    let targets = [
        "figure",
        "human_53.glb",
        "human_163.glb",
        "KayKit_Knight.glb",
        "CesiumMan.glb",
        "RobotExpressive.glb",
        "gdbot.glb",
        "lumberjack.glb",
        "yeti_nomat.glb",
    ];
    let mut wrong = Vec::new();
    for name in targets {
        let target = open(&corpus, name);
        for (motion, source) in &sources {
            let report = retargeted(source, &target);
            let contacts: usize =
                report.contacts.iter().filter(|c| c.part == ContactPart::Foot).map(|c| c.contacts).sum();
            let [under, sunk, hover, slid, slides] = figures(&report, ContactPart::Foot);
            println!(
                "| {motion} | {name} | {contacts} | {under:.2} | {sunk:.2} | {hover:.2} | {slid:.1} | {slides:.2} | {:.2} | {:.2} |",
                100.0 * report.body_penetration_meters / report.height_meters,
                100.0 * report.worst_sink_meters / report.height_meters,
            );
            // The short legs of the robot do not fold as far as those of a crouching human.
            let deepest = if name == "RobotExpressive.glb" { 2.0 } else { 0.1 };
            if sunk > deepest || hover > 1.5 || contacts == 0 || slides > 0.3 * slid {
                wrong.push(format!(
                    "{motion} on {name}: {sunk:.2} % below the ground, {slid:.1} -> {slides:.1}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn hands_stand_on_the_ground_in_a_cartwheel() {
    let Some(corpus) = corpus() else { return };
    let cartwheel = open(&corpus, "bvh/cmu_49_06.bvh");
    for name in ["figure", "human_53.glb", "human_163.glb", "CesiumMan.glb"] {
        let report = retargeted(&cartwheel, &open(&corpus, name));
        let hands: Vec<_> = report.contacts.iter().filter(|c| c.part == ContactPart::Hand).collect();
        assert!(hands.len() == 2 && hands.iter().all(|hand| hand.contacts == 1), "{name}: {hands:?}");
        let [_, sunk, hover, slid, slides] = figures(&report, ContactPart::Hand);
        println!("| {name} | {sunk:.2} | {hover:.2} | {slid:.1} | {slides:.2} |");
        assert!(sunk < 0.1 && hover < 0.2 && slides < 0.05 * slid, "{name}: {hands:?}");
    }
    let walk = retargeted(&open(&corpus, "clips/35_04.bvh"), &sinew_samples::figure());
    assert!(walk.contacts.iter().all(|c| c.part == ContactPart::Foot || c.contacts == 0));
}
