//! GLB, the binary container: a header, a JSON chunk and a binary chunk.

use crate::ReadError;

pub(crate) const MAGIC: &[u8; 4] = b"glTF";
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BIN_CHUNK: u32 = 0x004E_4942;

/// The chunks of a GLB.
#[derive(Debug)]
pub(crate) struct Chunks<'a> {
    pub(crate) json: &'a [u8],
    pub(crate) bin: Option<&'a [u8]>,
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
            (Some(chunks), BIN_CHUNK) if chunks.bin.is_none() => chunks.bin = Some(chunk),
            (Some(chunks), kind) => chunks.others.push(OtherChunk { kind, bytes: chunk.to_vec() }),
        }
        offset = start + size.next_multiple_of(4);
    }
    out.ok_or_else(|| ReadError::Container { offset: 12, what: "the JSON chunk is missing".into() })
}

/// Joins JSON, binary data and other chunks into a GLB; `None` if it would exceed four gigabytes.
pub(crate) fn join(json: &[u8], bin: &[u8], others: &[OtherChunk]) -> Option<Vec<u8>> {
    let size = |bytes: &[u8]| bytes.len().checked_next_multiple_of(4)?.checked_add(8);
    let bin_chunk = (!bin.is_empty()).then_some((BIN_CHUNK, bin));
    let others = others.iter().map(|chunk| (chunk.kind, &chunk.bytes[..]));
    let chunks: Vec<(u32, &[u8])> = [(JSON_CHUNK, json)].into_iter().chain(bin_chunk).chain(others).collect();
    let total = chunks.iter().try_fold(12_usize, |total, (_, bytes)| total.checked_add(size(bytes)?))?;
    let word = |out: &mut Vec<u8>, value: u32| out.extend_from_slice(&value.to_le_bytes());
    let mut out = Vec::with_capacity(total);
    out.extend_from_slice(MAGIC);
    word(&mut out, 2);
    word(&mut out, u32::try_from(total).ok()?);
    for (kind, bytes) in chunks {
        let padded = bytes.len().next_multiple_of(4);
        word(&mut out, padded as u32);
        word(&mut out, kind);
        out.extend_from_slice(bytes);
        let end = out.len() + padded - bytes.len();
        out.resize(end, if kind == JSON_CHUNK { b' ' } else { 0 });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_chunks_split_again() {
        for (json, bin) in [(&b"{}"[..], &b""[..]), (b"{ }x", b"abcde")] {
            let glb = join(json, bin, &[]).unwrap();
            assert_eq!(glb.len() % 4, 0);
            let chunks = split(&glb).unwrap();
            assert!(chunks.json.starts_with(json));
            assert_eq!(chunks.bin.map(|b| b.starts_with(bin)), (!bin.is_empty()).then_some(true));
        }
    }

    #[test]
    fn other_chunks_are_kept() {
        let others = [OtherChunk { kind: 7, bytes: b"abcd".to_vec() }, OtherChunk { kind: 8, bytes: vec![] }];
        let glb = join(b"{}", b"bin", &others).unwrap();
        assert_eq!(split(&glb).unwrap().others, others);
    }

    #[test]
    fn every_truncation_is_an_error() {
        let glb = join(b"{}", b"abcd", &[]).unwrap();
        for length in 0..glb.len() {
            assert!(split(&glb[..length]).is_err(), "length {length}");
        }
    }

    #[test]
    fn an_oversized_chunk_is_refused_with_its_offset() {
        let mut glb = join(b"{}", b"", &[]).unwrap();
        glb[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        let message = split(&glb).unwrap_err().to_string();
        assert!(message.contains("4294967295") && message.contains("byte 12"), "{message}");
    }
}
