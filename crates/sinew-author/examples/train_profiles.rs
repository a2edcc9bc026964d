//! Trains the table of bit widths of compressed clips, and prints it as
//! `crates/sinew/src/asset/compressed/profile_table.rs`.
//!
//! `cargo run --release -p sinew-author --example train_profiles -- CORPUS`, where CORPUS is the folder with the files below.
//! None of them is a clip that tests or figures compress.

use sinew::asset::compressed::MAX_LOAD_BITS;
use sinew_author::compress::{CompressOptions, needed_widths};
use sinew_formats::read_file;
use std::{collections::BTreeMap, error::Error, path::Path};

/// The widths of the four coefficients of a block.
type Widths = [u8; 4];

const FILES: [&str; 11] = [
    "bvh/cmu_143_01.bvh",
    "bvh/cmu_49_06.bvh",
    "bvh/pirouette.bvh",
    "bvh/zombieWalk1.bvh",
    "bvh/Boxing_Toes.bvh",
    "KayKit_Knight.glb",
    "RobotExpressive.glb",
    "gdbot.glb",
    "Fox.glb",
    "CesiumMan.glb",
    "greenman.glb",
];
/// The errors of a person of 1.7 m, in meters.
const ERRORS_METERS: [f64; 4] = [3e-5, 1e-4, 3e-4, 1e-3];
const RATES_HZ: [f32; 3] = [30.0, 60.0, 120.0];
/// The profiles that are trained: all but the empty, a wide and the widest one.
const TRAINED: usize = 253;

fn main() -> Result<(), Box<dyn Error>> {
    let corpus = std::env::args().nth(1).ok_or("name the folder of the corpus")?;
    let counts = observed(Path::new(&corpus))?;
    let mut profiles = trained(&counts);
    profiles.sort_unstable_by_key(|widths| (bits(widths), *widths));
    profiles.insert(0, [0; 4]);
    profiles.push([15, 14, 14, 14]);
    profiles.push([24; 4]);
    println!(
        "//! The bit widths of the profiles, printed by the example `train_profiles` of `sinew-author`.\n"
    );
    println!("/// The widths of the four coefficients of every profile.");
    println!("pub(super) const WIDTHS: [[u8; 4]; 256] = [");
    for row in profiles.chunks(8) {
        let row: Vec<String> = row.iter().map(|widths| format!("{widths:?}")).collect();
        println!("    {},", row.join(", "));
    }
    println!("];");
    Ok(())
}

fn bits(widths: &Widths) -> u64 {
    widths.iter().map(|w| u64::from(*w)).sum()
}

fn holds(has: &Widths, needs: &Widths) -> bool {
    has.iter().zip(needs).all(|(has, needs)| has >= needs)
}

/// How often each combination of widths is needed. Every clip counts the same at every error and rate.
fn observed(corpus: &Path) -> Result<Vec<(Widths, f64)>, Box<dyn Error>> {
    let mut counts: BTreeMap<Widths, f64> = BTreeMap::new();
    for file in FILES {
        let import = read_file(corpus.join(file))?;
        let skeleton = import.character.skeleton();
        let size = f64::from(sinew::sample::SkinReach::extent_meters(skeleton)) / 1.7;
        let clips = import.character.clips().iter().step_by(import.character.clips().len().div_ceil(12));
        for clip in clips {
            for (error, rate) in ERRORS_METERS.into_iter().flat_map(|e| RATES_HZ.map(|r| (e, r))) {
                let (max_error_meters, shell_meters) = (error * size, 0.03 * size);
                let options = CompressOptions {
                    max_error_meters,
                    shell_meters,
                    rate_hz: Some(rate),
                    ..CompressOptions::default()
                };
                let needed = needed_widths(clip, skeleton, &options)?;
                let weight = 1.0 / needed.len().max(1) as f64;
                needed.into_iter().for_each(|widths| *counts.entry(widths).or_default() += weight);
            }
        }
        eprintln!("{file}: {} combinations so far", counts.len());
    }
    let fits = |widths: &Widths| bits(widths) > 0 && bits(widths) <= u64::from(MAX_LOAD_BITS);
    Ok(counts.into_iter().filter(|(widths, _)| fits(widths)).collect())
}

/// The profile that each combination uses, and the bits of all.
fn assign(counts: &[(Widths, f64)], profiles: &[Widths]) -> (Vec<usize>, f64) {
    let mut total = 0.0;
    let mut order: Vec<usize> = (0..profiles.len()).collect();
    order.sort_by_key(|k| bits(&profiles[*k]));
    let users = counts.iter().map(|(needs, count)| {
        let found = order.iter().copied().find(|k| holds(&profiles[*k], needs));
        total += count * found.map_or(96.0, |k| bits(&profiles[k]) as f64);
        found.unwrap_or(usize::MAX)
    });
    let users = users.collect();
    (users, total)
}

/// Adds the profile that saves most bits, again and again; then moves the least useful ones to where most is lost.
fn trained(counts: &[(Widths, f64)]) -> Vec<Widths> {
    let mut profiles = Vec::new();
    while profiles.len() < TRAINED {
        let Some(split) = best_split(counts, &profiles) else { break };
        profiles.push(split);
    }
    let (_, mut total) = assign(counts, &profiles);
    for round in 0..400 {
        let Some(split) = best_split(counts, &profiles) else { break };
        let mut others: Vec<(f64, usize)> = removal_costs(counts, &profiles);
        others.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut next = profiles.clone();
        next[others[round % 3].1] = split;
        let (users, _) = assign(counts, &next);
        // Every profile shrinks to what its users need.
        for (k, profile) in next.iter_mut().enumerate() {
            let used = counts.iter().zip(&users).filter(|(_, user)| **user == k).map(|((w, _), _)| *w);
            if let Some(max) = used.reduce(|a, b| std::array::from_fn(|n| a[n].max(b[n]))) {
                *profile = max;
            }
        }
        let (_, cost) = assign(counts, &next);
        if cost < total {
            (profiles, total) = (next, cost);
        }
    }
    let weight: f64 = counts.iter().map(|(_, count)| count).sum();
    let ideal: f64 = counts.iter().map(|(w, count)| bits(w) as f64 * count).sum();
    eprintln!("{:.2} bits a number and block, {:.2} with widths of its own", total / weight, ideal / weight);
    profiles
}

/// The combination that saves most bits if it becomes a profile.
fn best_split(counts: &[(Widths, f64)], profiles: &[Widths]) -> Option<Widths> {
    let (users, _) = assign(counts, profiles);
    let used = |at: usize| if users[at] == usize::MAX { 96 } else { bits(&profiles[users[at]]) };
    let gain = |candidate: &Widths| -> f64 {
        let size = bits(candidate);
        let saved =
            counts.iter().enumerate().filter(|(at, (needs, _))| used(*at) > size && holds(candidate, needs));
        saved.map(|(at, (_, count))| count * (used(at) - size) as f64).sum()
    };
    let gains = counts.iter().map(|(widths, _)| (gain(widths), *widths));
    gains.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(gain, _)| *gain > 0.0).map(|(_, widths)| widths)
}

/// The bits that are lost without each profile.
fn removal_costs(counts: &[(Widths, f64)], profiles: &[Widths]) -> Vec<(f64, usize)> {
    let (users, total) = assign(counts, profiles);
    (0..profiles.len())
        .filter(|k| bits(&profiles[*k]) < u64::from(MAX_LOAD_BITS))
        .map(|k| {
            let without: Vec<Widths> =
                profiles.iter().enumerate().map(|(n, w)| if n == k { [57, 0, 0, 0] } else { *w }).collect();
            let is_used = users.contains(&k);
            (if is_used { assign(counts, &without).1 - total } else { 0.0 }, k)
        })
        .collect()
}
