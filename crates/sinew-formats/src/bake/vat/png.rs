//! PNG with 8 bits for red, green and blue.

use flate2::{Compression, Crc, write::ZlibEncoder};
use std::io::{self, Write as _};

/// A file of `size` columns and rows of `texels`.
pub(super) fn bytes(size: [u32; 2], texels: &[[u8; 3]]) -> io::Result<Vec<u8>> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    size.iter().for_each(|n| header.extend_from_slice(&n.to_be_bytes()));
    // Eight bits, RGB; compression, filters and interlacing have no choice.
    header.extend_from_slice(&[8, 2, 0, 0, 0]);
    chunk(&mut out, *b"IHDR", &header);
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    for line in texels.chunks((size[0] as usize).max(1)) {
        // The filter that stores bytes as they are.
        encoder.write_all(&[0])?;
        encoder.write_all(line.as_flattened())?;
    }
    chunk(&mut out, *b"IDAT", &encoder.finish()?);
    chunk(&mut out, *b"IEND", &[]);
    Ok(out)
}

fn chunk(out: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    out.extend_from_slice(&(data.len() as u32).to_be_bytes());
    out.extend_from_slice(&kind);
    out.extend_from_slice(data);
    let mut crc = Crc::new();
    crc.update(&kind);
    crc.update(data);
    out.extend_from_slice(&crc.sum().to_be_bytes());
}
