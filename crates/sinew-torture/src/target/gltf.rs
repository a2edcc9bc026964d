//! glTF documents in containers, as text, and with files beside them.

use super::used;
use crate::{HostileDocument, document::glb as glb_of, edit::edit, subject::Verdict};
use sinew_formats::{ReadOptions, embedded, read_bytes, read_gltf};
use std::io;

/// Any bytes as a file.
pub fn gltf(bytes: &[u8]) -> Verdict {
    used(&read_bytes(bytes, "fuzz"))
}

/// Any JSON over any buffer in a valid container, so that the fuzzer gets past it.
///
/// The input is a JSON text, a zero byte, and the buffer.
pub fn glb(bytes: &[u8]) -> Verdict {
    let (json, bin) = halves(bytes);
    gltf(&glb_of(json, bin))
}

/// A document and the files beside it: every name that it fetches is the same buffer, cut to a length that the name decides.
///
/// The input is a JSON text, a zero byte, and the buffer.
pub fn gltf_files(bytes: &[u8]) -> Verdict {
    let (json, bin) = halves(bytes);
    let file = |name: &str| (!name.contains("missing")).then(|| bin[..cut(name, bin)].to_vec());
    let fetch = |name: &str| file(name).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound));
    let import = read_gltf(json, "fuzz", &fetch, &ReadOptions::default());
    if let Ok(whole) = embedded(json, file) {
        _ = read_bytes(&whole, "fuzz");
    }
    used(&import)
}

/// The length of the file called `name`: everything for most.
fn cut(name: &str, bin: &[u8]) -> usize {
    if name.contains("short") { bin.len() / 2 } else { bin.len() }
}

fn halves(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    (&bytes[..end], bytes.get(end + 1..).unwrap_or(&[]))
}

/// A valid document with up to eight changes to its JSON, and others to its buffer.
pub fn gltf_structured(bytes: &[u8]) -> Verdict {
    gltf(&changed_document(bytes))
}

/// A valid GLB with changes that `bytes` decide, read as numbers of two bytes.
pub(super) fn changed_document(bytes: &[u8]) -> Vec<u8> {
    let mut numbers = bytes.as_chunks::<2>().0.iter().map(|&b| u64::from(u16::from_le_bytes(b)));
    let mut next = || numbers.next().unwrap_or(0);
    let mut document = HostileDocument::everything();
    for _ in 0..next() % 9 {
        edit(&mut document.json, &mut next);
    }
    for _ in 0..next() % 9 {
        let at = next() as usize % document.bin.len();
        document.bin[at] = next() as u8;
    }
    document.glb()
}
