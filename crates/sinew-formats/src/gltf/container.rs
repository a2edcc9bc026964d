//! GLB, the binary container: a header, a JSON chunk and a binary chunk.

use crate::{
    ReadError,
    shared_bytes::{FilePieces, SharedBytes},
};
use std::ops::Range;

pub(crate) const MAGIC: &[u8; 4] = b"glTF";
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BIN_CHUNK: u32 = 0x004E_4942;

/// The chunks of a GLB.
#[derive(Debug)]
pub(crate) struct Chunks<'a> {
    pub(crate) json: &'a [u8],
    /// The place of the buffer in the file.
    pub(crate) bin: Option<Range<usize>>,
    /// Chunks of other kinds, which programs skip and keep.
    pub(crate) others: Vec<OtherChunk>,
}

/// A chunk that is neither JSON nor the buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OtherChunk {
    pub(crate) kind: u32,
    pub(crate) bytes: Vec<u8>,
}

fn u32_at(bytes: &[u8], offset: usize, what: &str) -> Result<u32, ReadError> {
    let four = offset.checked_add(4).and_then(|end| bytes.get(offset..end)).and_then(|b| b.try_into().ok());
    four.map(u32::from_le_bytes)
        .ok_or_else(|| ReadError::Container { offset, what: format!("the file ends before {what}") })
}

/// Splits a GLB. Bytes after the declared length and chunks of other kinds are skipped, as the specification requires.
pub(crate) fn split(bytes: &[u8]) -> Result<Chunks<'_>, ReadError> {
    let fail = |offset, what: String| Err(ReadError::Container { offset, what });
    let version = u32_at(bytes, 4, "its version")?;
    if version == 1 {
        return fail(4, "glTF 1.0 is not supported; convert the file to glTF 2.0".into());
    }
    if version != 2 {
        return fail(4, format!("the GLB version must be 2, got {version}"));
    }
    let length = u32_at(bytes, 8, "its length")? as usize;
    if length > bytes.len() {
        return fail(8, format!("the header declares {length} bytes, the file has {}", bytes.len()));
    }
    let bytes = &bytes[..length];
    let mut offset = 12;
    let mut out: Option<Chunks<'_>> = None;
    while offset < bytes.len() {
        let size = u32_at(bytes, offset, "a chunk's length")? as usize;
        let kind = u32_at(bytes, offset + 4, "a chunk's type")?;
        let start = offset + 8;
        let Some(chunk) = start.checked_add(size).and_then(|end| bytes.get(start..end)) else {
            return fail(offset, format!("a chunk of {size} bytes reaches beyond the end at {length}"));
        };
        match (&mut out, kind) {
            (None, JSON_CHUNK) => out = Some(Chunks { json: chunk, bin: None, others: Vec::new() }),
            (None, _) => return fail(offset, format!("the first chunk must be JSON, got type {kind:#010x}")),
            (Some(chunks), BIN_CHUNK) if chunks.bin.is_none() => chunks.bin = Some(start..start + size),
            (Some(chunks), kind) => chunks.others.push(OtherChunk { kind, bytes: chunk.to_vec() }),
        }
        offset = start + size.next_multiple_of(4);
    }
    out.ok_or_else(|| ReadError::Container { offset: 12, what: "the JSON chunk is missing".into() })
}

/// A GLB of JSON, binary data and other chunks; `None` if it would exceed four gigabytes. The binary data is not copied.
pub(crate) fn join(json: &[u8], bin: SharedBytes, others: &[OtherChunk]) -> Option<FilePieces> {
    let size = |length: usize| length.checked_next_multiple_of(4)?.checked_add(8);
    let bin_size = if bin.is_empty() { Some(0) } else { size(bin.len()) };
    let lengths = others.iter().map(|chunk| chunk.bytes.len()).chain([json.len()]);
    let total = lengths.map(size).chain([bin_size]).try_fold(12_usize, |sum, next| sum.checked_add(next?))?;
    let mut head = Vec::with_capacity(json.len() + 32);
    head.extend_from_slice(MAGIC);
    word(&mut head, 2);
    word(&mut head, u32::try_from(total).ok()?);
    put_chunk(&mut head, JSON_CHUNK, json);
    let mut tail = Vec::new();
    if !bin.is_empty() {
        put_chunk_header(&mut head, BIN_CHUNK, bin.len());
        pad(&mut tail, BIN_CHUNK, bin.len());
    }
    others.iter().for_each(|chunk| put_chunk(&mut tail, chunk.kind, &chunk.bytes));
    Some(FilePieces::new([head.into(), bin, tail.into()]))
}

fn word(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn put_chunk(out: &mut Vec<u8>, kind: u32, bytes: &[u8]) {
    put_chunk_header(out, kind, bytes.len());
    out.extend_from_slice(bytes);
    pad(out, kind, bytes.len());
}

fn put_chunk_header(out: &mut Vec<u8>, kind: u32, length: usize) {
    word(out, length.next_multiple_of(4) as u32);
    word(out, kind);
}

/// Fills a chunk of `length` bytes up to a multiple of four.
fn pad(out: &mut Vec<u8>, kind: u32, length: usize) {
    let end = out.len() + length.next_multiple_of(4) - length;
    out.resize(end, if kind == JSON_CHUNK { b' ' } else { 0 });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glb(json: &[u8], bin: &[u8], others: &[OtherChunk]) -> Vec<u8> {
        join(json, bin.to_vec().into(), others).unwrap().into_vec()
    }

    #[test]
    fn joined_chunks_split_again() {
        for (json, bin) in [(&b"{}"[..], &b""[..]), (b"{ }x", b"abcde")] {
            let glb = glb(json, bin, &[]);
            assert_eq!(glb.len() % 4, 0);
            let chunks = split(&glb).unwrap();
            assert!(chunks.json.starts_with(json));
            assert_eq!(chunks.bin.is_some(), !bin.is_empty());
            assert!(chunks.bin.is_none_or(|place| glb[place].starts_with(bin)));
        }
    }

    #[test]
    fn other_chunks_are_kept() {
        let others = [OtherChunk { kind: 7, bytes: b"abcd".to_vec() }, OtherChunk { kind: 8, bytes: vec![] }];
        let glb = glb(b"{}", b"bin", &others);
        assert_eq!(split(&glb).unwrap().others, others);
    }

    #[test]
    fn the_buffer_is_not_copied() {
        let bin = SharedBytes::from(b"bytes".to_vec());
        let pieces = join(b"{}", bin.clone(), &[]).unwrap();
        assert!(pieces.iter().any(|piece| piece.as_ptr() == bin.as_ptr()));
    }

    #[test]
    fn every_truncation_is_an_error() {
        let glb = glb(b"{}", b"abcd", &[]);
        for length in 0..glb.len() {
            assert!(split(&glb[..length]).is_err(), "length {length}");
        }
    }

    #[test]
    fn an_oversized_chunk_is_refused_with_its_offset() {
        let mut glb = glb(b"{}", b"", &[]);
        glb[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        let message = split(&glb).unwrap_err().to_string();
        assert!(message.contains("4294967295") && message.contains("byte 12"), "{message}");
    }
}
