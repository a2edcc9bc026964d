//! Cooked files hold characters to the bit, and malformed ones give an error or a valid character.

use crate::{
    hostile::{document::HostileDocument, exercise::exercise, random::HostileRandom},
    samples::{all_corpus_files, built_ins, odd},
};
use sinew::{Character, CharacterGraph, Frame, Mesh, Method, Streams, Wrap, deform::blocks::VertexOrder};
use sinew_formats::{
    FileFormat, Import, Limits, ReadError, ReadOptions,
    cooked::{CookedOptions, VERSION, read_cooked, to_cooked, update_checksums},
    graph, read_bytes, read_bytes_with, read_file, write_file,
};

const BOTH_ORDERS: [VertexOrder; 2] = [VertexOrder::File, VertexOrder::Packed];

fn both_orders() -> CookedOptions {
    CookedOptions::default().with_vertex_orders(BOTH_ORDERS.to_vec())
}

/// One of everything that glTF holds, and a graph.
fn everything() -> Character {
    let mut parts =
        read_bytes(&HostileDocument::everything().glb(), "everything").unwrap().character.into_parts();
    let text = r#"(nodes: {"still": Clip(clip: "none")}, output: "still")"#;
    parts.graphs = vec![CharacterGraph { name: "still".into(), def: graph::parse(text).unwrap() }];
    Character::new(parts).unwrap()
}

/// Asserts that a cooked character is the same and deforms to the same bits without being packed.
fn assert_same(cooked: &Character, source: &Character, name: &str) {
    assert!(cooked == source, "{name} changed");
    for (index, (cooked, source)) in cooked.meshes().iter().zip(source.meshes()).enumerate() {
        for order in BOTH_ORDERS.into_iter().filter(|_| source.weights().is_some()) {
            assert!(cooked.is_packed(order), "{name}, mesh {index}: {order:?} is packed again");
            let (one, other) = (cooked.packed(order).unwrap(), source.packed(order).unwrap());
            assert_eq!(format!("{one:?}"), format!("{other:?}"), "{name}, mesh {index}, {order:?}");
        }
    }
}

#[test]
fn built_in_and_odd_characters_come_back_to_the_bit() {
    for source in built_ins().chain([odd(), everything(), sinew_samples::figure_with_springs()]) {
        let bytes = to_cooked(&source, &both_orders()).unwrap();
        assert_same(&read_cooked(&bytes).unwrap(), &source, source.name());
        assert_eq!(bytes, to_cooked(&read_cooked(&bytes).unwrap(), &both_orders()).unwrap());
    }
}

#[test]
fn every_character_of_the_corpus_comes_back_to_the_bit() {
    for path in all_corpus_files() {
        let source = read_file(&path).unwrap().character;
        let bytes = to_cooked(&source, &both_orders()).unwrap();
        assert_same(&read_cooked(&bytes).unwrap(), &source, &path.display().to_string());
    }
}

#[test]
fn a_cooked_mesh_deforms_to_the_bits_of_its_source() {
    let figure = sinew_samples::figure();
    let cooked = read_cooked(&to_cooked(&figure, &CookedOptions::default()).unwrap()).unwrap();
    let deformed = |character: &Character| -> Vec<Streams> {
        let mut frame = Frame::new(character);
        frame.sample(character.find_clip("walk").unwrap(), 0.3, Wrap::Loop);
        assert!(frame.deform(Method::Linear).unwrap().is_kernel());
        frame.deformed().to_vec()
    };
    assert_eq!(deformed(&cooked), deformed(&figure));
}

#[test]
fn files_are_written_and_read_by_their_extension() {
    let folder = tempfile::tempdir().unwrap();
    let (path, figure) = (folder.path().join("figure.sinew"), sinew_samples::figure());
    assert!(write_file(&path, &figure).unwrap().entries().is_empty());
    let import = read_file(&path).unwrap();
    assert_eq!(import.character, figure);
    assert!(import.report.findings().is_empty());
    assert_eq!(FileFormat::of_path(&path), Some(FileFormat::Cooked));
}

#[test]
fn a_file_of_a_newer_version_is_refused_with_both_versions() {
    let mut bytes = to_cooked(&sinew_samples::arm(), &CookedOptions::default()).unwrap();
    bytes[8..12].copy_from_slice(&(VERSION + 1).to_le_bytes());
    for bytes in [bytes.clone(), updated(bytes)] {
        let error = read_cooked(&bytes).unwrap_err();
        assert!(
            matches!(error, ReadError::NewerVersion { found, supported: VERSION } if found == VERSION + 1)
        );
        let text = error.to_string();
        assert!(
            text.contains(&format!("version {}", VERSION + 1)) && text.contains(&VERSION.to_string()),
            "{text}"
        );
    }
}

#[test]
fn graphs_are_lost_in_other_formats_with_an_entry() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.glb", "a.gltf"] {
        let report = write_file(folder.path().join(name), &everything()).unwrap();
        let lines: Vec<String> = report.lines().collect();
        assert!(lines.iter().any(|line| line.contains("dropped: graph")), "{name}: {lines:?}");
    }
    assert!(!write_file(folder.path().join("a.sinew"), &everything()).unwrap().has_losses());
}

fn updated(mut bytes: Vec<u8>) -> Vec<u8> {
    update_checksums(&mut bytes);
    bytes
}

#[test]
fn every_truncation_is_refused() {
    let bytes = to_cooked(&everything(), &both_orders()).unwrap();
    for length in 0..bytes.len() {
        assert!(read_bytes(&bytes[..length], "t").is_err(), "{length}");
        // A file that says that it is as short as it is.
        let mut short = bytes[..length].to_vec();
        if length >= 24 {
            short[16..24].copy_from_slice(&(length as u64).to_le_bytes());
        }
        assert!(read_bytes(&updated(short), "t").is_err(), "{length}");
    }
}

#[test]
fn every_flip_of_a_byte_is_found_by_a_checksum() {
    let mut bytes = to_cooked(&everything(), &both_orders()).unwrap();
    for at in 0..bytes.len() {
        for change in [0x01, 0x80, 0xff] {
            bytes[at] ^= change;
            assert!(read_cooked(&bytes).is_err(), "byte {at}, {change:#x}");
            bytes[at] ^= change;
        }
    }
}

#[test]
fn flips_with_right_checksums_give_an_error_or_a_valid_character() {
    let bytes = to_cooked(&everything(), &both_orders()).unwrap();
    let mut read = 0;
    for at in 8..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= [0x01, 0x80, 0xff, 0x10][at % 4];
        read += usize::from(is_used(&updated(flipped)));
    }
    println!("{read} of {} flips could be read", bytes.len());
    // Names, colors and positions may be anything.
    assert!((bytes.len() / 50..bytes.len() * 49 / 50).contains(&read), "{read} of {}", bytes.len());
}

#[test]
fn numbers_at_the_ends_of_their_ranges_give_an_error_or_a_valid_character() {
    let bytes = to_cooked(&everything(), &both_orders()).unwrap();
    for number in 0..20_000 {
        let mut random = HostileRandom::new(number);
        let mut mutant = bytes.clone();
        for _ in 0..=random.below(3) {
            let at = 8 + random.below(bytes.len() - 16);
            let extremes: [&[u8]; 7] = [
                &u32::MAX.to_le_bytes(),
                &u64::MAX.to_le_bytes(),
                &[0; 8],
                &f32::NAN.to_le_bytes(),
                &f32::INFINITY.to_le_bytes(),
                &1e30_f32.to_le_bytes(),
                &(1_u64 << 40).to_le_bytes(),
            ];
            let extreme = extremes[random.below(extremes.len())];
            let at = if random.below(2) == 0 { at } else { at.next_multiple_of(8).min(bytes.len() - 8) };
            mutant[at..at + extreme.len()].copy_from_slice(extreme);
        }
        is_used(&updated(mutant));
    }
}

/// True if the bytes are read; then they are used, too.
fn is_used(bytes: &[u8]) -> bool {
    let import: Result<Import, ReadError> = read_bytes(bytes, "mutant");
    import.as_ref().map(exercise).is_ok()
}

#[test]
fn limits_hold_for_cooked_files_too() {
    let bytes = to_cooked(&sinew_samples::figure(), &CookedOptions::default()).unwrap();
    let options = ReadOptions::default().with_limits(Limits::default().with_max_memory(bytes.len() - 1));
    assert!(read_bytes_with(&bytes, "f", &options).unwrap_err().is_limit());
}

#[test]
fn weights_that_meshes_share_are_stored_once() {
    let figure = sinew_samples::figure();
    let mut parts = figure.clone().into_parts();
    parts.meshes.push(std::sync::Arc::new(Mesh::clone(&figure.meshes()[0])));
    let twice = Character::new(parts).unwrap();
    let cooked = read_cooked(&to_cooked(&twice, &CookedOptions::default()).unwrap()).unwrap();
    let weights = |at: usize| cooked.meshes()[at].weights().unwrap();
    let last = cooked.meshes().len() - 1;
    assert!(std::sync::Arc::ptr_eq(weights(0), weights(last)));
}
