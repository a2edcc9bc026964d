//! GLB, the binary container: a header, a JSON chunk and a binary chunk.

use crate::ReadError;

pub(crate) const MAGIC: &[u8; 4] = b"glTF";
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BIN_CHUNK: u32 = 0x004E_4942;

/// The two chunks of a GLB.
#[derive(Debug)]
pub(crate) struct Chunks<'a> {
    pub(crate) json: &'a [u8],
    pub(crate) bin: Option<&'a [u8]>,
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
            (None, JSON_CHUNK) => out = Some(Chunks { json: chunk, bin: None }),
            (None, _) => return fail(offset, format!("the first chunk must be JSON, got type {kind:#010x}")),
            (Some(chunks), BIN_CHUNK) if chunks.bin.is_none() => chunks.bin = Some(chunk),
            _ => {}
        }
        offset = start + size.next_multiple_of(4);
    }
    out.ok_or_else(|| ReadError::Container { offset: 12, what: "the JSON chunk is missing".into() })
}

/// Joins JSON and binary data into a GLB; `None` if it would exceed four gigabytes.
pub(crate) fn join(json: &[u8], bin: &[u8]) -> Option<Vec<u8>> {
    let json_size = json.len().checked_next_multiple_of(4)?;
    let bin_size = bin.len().checked_next_multiple_of(4)?;
    let bin_total = if bin.is_empty() { 0 } else { bin_size.checked_add(8)? };
    let total = json_size.checked_add(20)?.checked_add(bin_total)?;
    let total_u32 = u32::try_from(total).ok()?;
    let mut out = Vec::with_capacity(total);
    let word = |out: &mut Vec<u8>, value: u32| out.extend_from_slice(&value.to_le_bytes());
    out.extend_from_slice(MAGIC);
    word(&mut out, 2);
    word(&mut out, total_u32);
    word(&mut out, json_size as u32);
    word(&mut out, JSON_CHUNK);
    out.extend_from_slice(json);
    out.resize(20 + json_size, b' ');
    if !bin.is_empty() {
        word(&mut out, bin_size as u32);
        word(&mut out, BIN_CHUNK);
        out.extend_from_slice(bin);
        out.resize(total, 0);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_chunks_split_again() {
        for (json, bin) in [(&b"{}"[..], &b""[..]), (b"{ }x", b"abcde")] {
            let glb = join(json, bin).unwrap();
            assert_eq!(glb.len() % 4, 0);
            let chunks = split(&glb).unwrap();
            assert!(chunks.json.starts_with(json));
            assert_eq!(chunks.bin.map(|b| b.starts_with(bin)), (!bin.is_empty()).then_some(true));
        }
    }

    #[test]
    fn every_truncation_is_an_error() {
        let glb = join(b"{}", b"abcd").unwrap();
        for length in 0..glb.len() {
            assert!(split(&glb[..length]).is_err(), "length {length}");
        }
    }

    #[test]
    fn an_oversized_chunk_is_refused_with_its_offset() {
        let mut glb = join(b"{}", b"").unwrap();
        glb[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        let message = split(&glb).unwrap_err().to_string();
        assert!(message.contains("4294967295") && message.contains("byte 12"), "{message}");
    }
}
