//! Files with random changes.

use super::{
    document::{HostileDocument, glb},
    edit::edit,
    exercise::exercise,
    random::HostileRandom,
    truncations::inlined,
};
use crate::corpus_folder::corpus;
use serde_json::Value;
use sinew_formats::read_bytes;
use std::{fs, panic};

/// The number of mutants of each file.
const MUTANTS: u64 = 5_000;

/// A file and the number of its mutants.
struct Seed {
    name: String,
    bytes: Vec<u8>,
    copies: usize,
}

#[test]
fn no_mutant_of_small_documents_causes_a_panic() {
    let document = HostileDocument::everything();
    let seeds = [("everything.glb", document.glb()), ("everything.gltf", document.gltf())];
    try_mutants(&seeds.map(|(name, bytes)| Seed { name: name.into(), bytes, copies: 1 }), 1);
}

#[test]
fn no_mutant_of_real_files_causes_a_panic() {
    let Some(corpus) = corpus() else { return };
    let mut seeds = Vec::new();
    for folder in [corpus.clone(), corpus.join("asset-generator")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let size = fs::metadata(&path).unwrap().len();
            // Large files take long and break in the same places as small ones.
            let copies = match size {
                0..20_000 => 60,
                20_000..130_000 => 3,
                130_000..600_000 => 1,
                _ => continue,
            };
            let bytes = match path.extension().and_then(|e| e.to_str()) {
                Some("glb") => fs::read(&path).unwrap(),
                Some("gltf") => inlined(&path),
                _ => continue,
            };
            seeds.push(Seed {
                name: path.file_name().unwrap().to_string_lossy().into_owned(),
                bytes,
                copies,
            });
        }
    }
    // The order of entries depends on the file system.
    seeds.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(seeds.len() > 40, "only {} files", seeds.len());
    try_mutants(&seeds, 2);
}

/// Reads and uses mutants. A panic is reported with the file and the number that reproduce it.
fn try_mutants(seeds: &[Seed], stream: u64) {
    let tickets: Vec<&Seed> = seeds.iter().flat_map(|s| std::iter::repeat_n(s, s.copies)).collect();
    let mut read = 0;
    for number in 0..MUTANTS {
        let mut random = HostileRandom::new(stream << 32 | number);
        let seed = tickets[random.below(tickets.len())];
        let mutant = mutate(&seed.bytes, &mut random);
        let outcome = panic::catch_unwind(|| {
            let import = read_bytes(&mutant, "mutant");
            import.map(|import| exercise(&import)).is_ok()
        });
        match outcome {
            Ok(good) => read += u64::from(good),
            Err(_) => panic!("mutant {number} of {} panicked", seed.name),
        }
    }
    println!("{read} of {MUTANTS} mutants could be read");
    // If all or none were refused, the changes would not test the reader.
    assert!((MUTANTS / 50..MUTANTS * 49 / 50).contains(&read), "{read} of {MUTANTS} could be read");
}

fn mutate(whole: &[u8], random: &mut HostileRandom) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    match random.below(6) {
        0 => change_json(whole, random).unwrap_or(bytes),
        1 => {
            // A chunk's length, the header's length or its version.
            let at = [4, 8, 12, 16][random.below(4)];
            let value = [0, 1, u32::MAX, 1 << 31, random.next() as u32][random.below(5)];
            bytes.splice(at..at + 4, value.to_le_bytes());
            bytes
        }
        2 => {
            // A part of the file over another.
            let length = 1 + random.below(64.min(bytes.len() - 1));
            let from = random.below(bytes.len() - length);
            let to = random.below(bytes.len() - length);
            bytes.copy_within(from..from + length, to);
            bytes
        }
        3 => {
            // A float or an index that is out of every range, aligned as most are.
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len() / 4) * 4;
                let value =
                    [f32::NAN.to_bits(), f32::MAX.to_bits(), u32::MAX, 0x0001_0000, 0][random.below(5)];
                bytes.splice(at..at + 4, value.to_le_bytes());
            }
            bytes
        }
        _ => {
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            bytes
        }
    }
}

/// The same file with one to three changes to its JSON.
fn change_json(whole: &[u8], random: &mut HostileRandom) -> Option<Vec<u8>> {
    let (text, bin) = match whole.strip_prefix(b"glTF") {
        None => (whole, None),
        Some(_) => {
            let length = u32::from_le_bytes(whole[12..16].try_into().ok()?) as usize;
            (&whole[20..20 + length], Some(whole.get(28 + length..).unwrap_or(&[])))
        }
    };
    let mut json: Value = serde_json::from_slice(text).ok()?;
    for _ in 0..=random.below(3) {
        edit(&mut json, &mut || random.next());
    }
    let text = json.to_string().into_bytes();
    Some(bin.map_or(text.clone(), |bin| glb(&text, bin)))
}
