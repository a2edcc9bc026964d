//! Trains the table of bit widths of compressed clips, and prints it as
//! `crates/sinew/src/asset/compressed/profile_table.rs`.
//!
//! `cargo run --release -p sinew-author --example train_profiles -- CORPUS`, where CORPUS is the folder with the files below.
//! None of them is a clip that tests or figures compress. With `--folds` it prints instead how a table that is trained on
//! all files but one does on that one, and on clips that no table has seen.

use sinew::asset::compressed::{BLOCK_FRAMES, MAX_LANE_BITS, MAX_LOAD_BITS};
use sinew_author::compress::{CompressOptions, needed_widths};
use sinew_formats::bvh::{Bvh, BvhOptions};
use std::{collections::BTreeMap, error::Error, path::Path};

/// The widths of the coefficients of a block.
type Widths = [u8; BLOCK_FRAMES];

/// The files, and how many frames at their start are a T-pose.
const FILES: [(&str, usize); 5] = [
    ("bvh/cmu_143_01.bvh", 1),
    ("bvh/cmu_49_06.bvh", 1),
    ("bvh/pirouette.bvh", 0),
    ("bvh/zombieWalk1.bvh", 0),
    ("bvh/Boxing_Toes.bvh", 0),
];
/// Clips that no table is trained on, in the folder `clips`.
const UNSEEN: [&str; 8] = ["07_10", "104_53", "132_30", "139_16", "141_09", "18_05", "35_04", "77_05"];
/// The errors of a person of 1.7 m, in meters.
const ERRORS_METERS: [f64; 2] = [1e-4, 3e-4];
const RATES_HZ: [f32; 2] = [30.0, 120.0];
/// The profiles that are trained: all but the empty, a wide and the widest one.
const TRAINED: usize = 253;
/// Rarer combinations are left to the profiles of others.
const MAX_COMBINATIONS: usize = 12_000;

fn main() -> Result<(), Box<dyn Error>> {
    let corpus = std::env::args().nth(1).ok_or("name the folder of the corpus")?;
    let corpus = Path::new(&corpus);
    let files: Vec<Counts> =
        FILES.iter().map(|(file, skip)| observed(&corpus.join(file), *skip)).collect::<Result<_, _>>()?;
    if std::env::args().nth(2).as_deref() == Some("--folds") {
        let unseen = UNSEEN.iter().map(|name| observed(&corpus.join(format!("clips/{name}.bvh")), 0));
        return cross_validate(&files, &sum(&unseen.collect::<Result<Vec<_>, _>>()?));
    }
    let profiles = table(&trained(&common(&sum(&files))));
    println!(
        "//! The bit widths of the profiles, printed by the example `train_profiles` of `sinew-author`.\n"
    );
    println!("/// The widths of the eight coefficients of every profile.");
    println!("pub(super) const WIDTHS: [[u8; 8]; 256] = [");
    profiles.iter().for_each(|widths| println!("    {widths:?},"));
    println!("];");
    Ok(())
}

/// The profiles in order, with the empty, a wide and the widest one.
fn table(trained: &[Widths]) -> Vec<Widths> {
    let mut profiles = trained.to_vec();
    profiles.sort_unstable_by_key(|widths| (bits(widths), *widths));
    profiles.insert(0, [0; BLOCK_FRAMES]);
    profiles.push([15; BLOCK_FRAMES]);
    profiles.push([24; BLOCK_FRAMES]);
    profiles
}

/// How often each combination of widths is needed.
type Counts = BTreeMap<Widths, f64>;

fn sum(all: &[Counts]) -> Counts {
    let mut sum = Counts::new();
    for (widths, count) in all.iter().flatten() {
        *sum.entry(*widths).or_default() += count;
    }
    sum
}

/// The mean bits of a number and block with the profiles of `table`, or with widths of its own.
fn mean_bits(counts: &Counts, table: Option<&[Widths]>) -> f64 {
    let size = |needs: &Widths| {
        let Some(table) = table else { return bits(needs) };
        table.iter().find(|has| holds(word(**has), word(*needs))).map_or(ESCAPE_BITS, bits)
    };
    let total: f64 = counts.values().sum();
    counts.iter().map(|(widths, count)| size(widths) as f64 * count).sum::<f64>() / total
}

/// Trains on all files but one, and measures that one and the clips that no table has seen.
fn cross_validate(files: &[Counts], unseen: &Counts) -> Result<(), Box<dyn Error>> {
    let whole = table(&trained(&common(&sum(files))));
    println!("{:<24} {:>9} {:>9} {:>9} {:>12}", "left out", "trained", "with it", "own", "unseen clips");
    for (held, (file, _)) in FILES.iter().enumerate() {
        let others: Vec<Counts> =
            (0..files.len()).filter(|at| *at != held).map(|at| files[at].clone()).collect();
        let fold = table(&trained(&common(&sum(&others))));
        let of_held = |table| mean_bits(&files[held], table);
        let (without, with, own) = (of_held(Some(&fold[..])), of_held(Some(&whole[..])), of_held(None));
        let of_unseen = mean_bits(unseen, Some(&fold));
        println!("{file:<24} {without:>9.3} {with:>9.3} {own:>9.3} {of_unseen:>12.3}");
    }
    let (all, own) = (mean_bits(unseen, Some(&whole)), mean_bits(unseen, None));
    println!("{:<24} {:>9} {:>9} {own:>9.3} {all:>12.3}", "none", "", "");
    Ok(())
}

fn bits(widths: &Widths) -> u64 {
    widths.iter().map(|w| u64::from(*w)).sum()
}

/// The widths as the bytes of one word, so that all are compared at once.
fn word(widths: Widths) -> u64 {
    u64::from_le_bytes(widths)
}

fn holds(has: u64, needs: u64) -> bool {
    const TOPS: u64 = 0x8080_8080_8080_8080;
    ((has | TOPS) - needs) & TOPS == TOPS
}

/// How often a file needs each combination of widths. It counts the same at every error and rate.
fn observed(path: &Path, skip: usize) -> Result<Counts, Box<dyn Error>> {
    let mut counts = Counts::new();
    let bvh = Bvh::parse(&std::fs::read(path)?)?;
    let values = (skip..bvh.frame_count()).flat_map(|frame| bvh.frame(frame).to_vec()).collect();
    let bvh = Bvh::new(bvh.joints().to_vec(), bvh.frame_secs(), values)?;
    let character = bvh.to_character("training", &BvhOptions::default())?;
    let skeleton = character.skeleton();
    let size = f64::from(sinew::sample::SkinReach::extent_meters(skeleton)) / 1.7;
    for clip in character.clips() {
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
    eprintln!("{}: {} combinations", path.display(), counts.len());
    Ok(counts)
}

/// The combinations that a lane holds and that are not too rare, the most frequent first.
fn common(counts: &Counts) -> Vec<(Widths, f64)> {
    let fits = |widths: &Widths| {
        bits(widths) > 0
            && bits(widths) <= u64::from(MAX_LOAD_BITS)
            && widths.iter().all(|width| *width <= MAX_LANE_BITS)
    };
    let mut counts: Vec<_> =
        counts.iter().filter(|(widths, _)| fits(widths)).map(|(w, count)| (*w, *count)).collect();
    counts.sort_by(|a, b| b.1.total_cmp(&a.1));
    counts.truncate(MAX_COMBINATIONS);
    counts
}

/// What a combination costs that no profile holds.
const ESCAPE_BITS: u64 = 24 * BLOCK_FRAMES as u64;

/// The state of the training.
struct Training {
    needs: Vec<u64>,
    sizes: Vec<u64>,
    counts: Vec<f64>,
    /// The bits that each combination takes with the profiles so far.
    used: Vec<u64>,
}

impl Training {
    fn new(counts: &[(Widths, f64)]) -> Self {
        Self {
            needs: counts.iter().map(|(widths, _)| word(*widths)).collect(),
            sizes: counts.iter().map(|(widths, _)| bits(widths)).collect(),
            counts: counts.iter().map(|(_, count)| *count).collect(),
            used: vec![ESCAPE_BITS; counts.len()],
        }
    }

    /// The bits that a profile with the widths of combination `at` saves.
    fn gain(&self, at: usize) -> f64 {
        let (has, size) = (self.needs[at], self.sizes[at]);
        let each = self.needs.iter().zip(&self.used).zip(&self.counts);
        let saved = each.filter(|((needs, used), _)| **used > size && holds(has, **needs));
        saved.map(|((_, used), count)| count * (used - size) as f64).sum()
    }

    fn add(&mut self, has: u64, size: u64) {
        for (used, needs) in self.used.iter_mut().zip(&self.needs) {
            if *used > size && holds(has, *needs) {
                *used = size;
            }
        }
    }

    fn total(&self) -> f64 {
        self.used.iter().zip(&self.counts).map(|(used, count)| *used as f64 * count).sum()
    }

    /// Adds the combinations that save most bits until there are `TRAINED` profiles. What one saves never grows.
    fn fill(&mut self, profiles: &mut Vec<Widths>) {
        self.used.fill(ESCAPE_BITS);
        profiles.iter().for_each(|widths| self.add(word(*widths), bits(widths)));
        let mut gains: Vec<(f64, usize)> = (0..self.needs.len()).map(|at| (self.gain(at), at)).collect();
        gains.sort_by(|a, b| a.0.total_cmp(&b.0));
        while profiles.len() < TRAINED {
            let Some((_, at)) = gains.pop() else { break };
            let gain = self.gain(at);
            if gains.last().is_some_and(|next| gain < next.0) {
                let place = gains.partition_point(|other| other.0 < gain);
                gains.insert(place, (gain, at));
                continue;
            }
            self.add(self.needs[at], self.sizes[at]);
            profiles.push(self.needs[at].to_le_bytes());
        }
    }

    /// Shrinks every profile to what its users need, and drops those that save least.
    fn shrink(&self, profiles: &[Widths], dropped: usize) -> Vec<Widths> {
        let mut sorted = profiles.to_vec();
        sorted.sort_by_key(bits);
        let mut needed = vec![([0; BLOCK_FRAMES], 0.0); sorted.len()];
        for (needs, count) in self.needs.iter().zip(&self.counts) {
            if let Some(at) = sorted.iter().position(|has| holds(word(*has), *needs)) {
                let widths: Widths = needs.to_le_bytes();
                let next = sorted[at + 1..].iter().find(|has| holds(word(**has), *needs));
                let loss = next.map_or(ESCAPE_BITS, bits) - bits(&sorted[at]);
                needed[at].0 = std::array::from_fn(|k| needed[at].0[k].max(widths[k]));
                needed[at].1 += count * loss as f64;
            }
        }
        needed.sort_by(|a, b| b.1.total_cmp(&a.1));
        needed.truncate(profiles.len() - dropped);
        needed.into_iter().map(|(widths, _)| widths).collect()
    }
}

/// Adds the profile that saves most bits, again and again; then moves the least useful ones to where most is lost.
fn trained(counts: &[(Widths, f64)]) -> Vec<Widths> {
    let mut training = Training::new(counts);
    let mut profiles = Vec::new();
    training.fill(&mut profiles);
    let mut total = training.total();
    for dropped in [48, 32, 24, 16, 12, 8, 6, 4] {
        let mut next = training.shrink(&profiles, dropped);
        training.fill(&mut next);
        if training.total() < total {
            (profiles, total) = (next, training.total());
        }
    }
    let weight: f64 = counts.iter().map(|(_, count)| count).sum();
    let ideal: f64 = counts.iter().map(|(w, count)| bits(w) as f64 * count).sum();
    eprintln!("{:.2} bits a number and block, {:.2} with widths of its own", total / weight, ideal / weight);
    profiles
}
