//! A valid document with up to eight changes to its JSON, and others to its buffer.
//!
//! The input is read as numbers of two bytes: how many changes of which kind, then what decides each.
#![no_main]

use sinew_fuzz::{Document, edit::edit, read};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut numbers = bytes.as_chunks::<2>().0.iter().map(|&b| u64::from(u16::from_le_bytes(b)));
    let mut next = || numbers.next().unwrap_or(0);
    let mut document = Document::everything();
    for _ in 0..next() % 9 {
        edit(&mut document.json, &mut next);
    }
    for _ in 0..next() % 9 {
        let at = next() as usize % document.bin.len();
        document.bin[at] = next() as u8;
    }
    read(&document.glb());
});
