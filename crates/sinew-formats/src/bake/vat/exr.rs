//! OpenEXR: scan lines of 16- or 32-bit floats with ZIP compression.
//!
//! A file has one part, in blocks of sixteen lines. Bytes of even and odd index are separated and replaced by differences
//! before they are compressed (OpenEXR file layout, "ZIP compression").

use flate2::{Compression, write::ZlibEncoder};
use std::io::{self, Write as _};

/// The names of red, green, blue and alpha.
const NAMES: [&[u8]; 4] = [b"R", b"G", b"B", b"A"];
const LINES_PER_BLOCK: usize = 16;

/// A number that OpenEXR stores.
pub(super) trait ExrNumber: Copy {
    /// 1 for half, 2 for float.
    const PIXEL_TYPE: i32;

    fn push(self, out: &mut Vec<u8>);
}

impl ExrNumber for u16 {
    const PIXEL_TYPE: i32 = 1;

    fn push(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }
}

impl ExrNumber for f32 {
    const PIXEL_TYPE: i32 = 2;

    fn push(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }
}

/// A file of `size` columns and rows. `channels` are indices into each texel, in the alphabetical order of their names.
pub(super) fn bytes<T: ExrNumber>(
    size: [u32; 2],
    channels: &[usize],
    texels: &[[T; 4]],
) -> io::Result<Vec<u8>> {
    let mut out = header::<T>(size, channels);
    let blocks = (size[1] as usize).div_ceil(LINES_PER_BLOCK);
    let table = out.len();
    out.resize(table + 8 * blocks, 0);
    let lines_of = LINES_PER_BLOCK * size[0] as usize;
    let mut raw = Vec::new();
    for (block, texels) in texels.chunks(lines_of.max(1)).enumerate() {
        let start = out.len() as u64;
        out[table + 8 * block..][..8].copy_from_slice(&start.to_le_bytes());
        raw.clear();
        for line in texels.chunks(size[0] as usize) {
            for &channel in channels {
                line.iter().for_each(|texel| texel[channel].push(&mut raw));
            }
        }
        let packed = compressed(&raw)?;
        // What does not become smaller is stored as it is.
        let data = if packed.len() < raw.len() { &packed } else { &raw };
        out.extend_from_slice(&((block * LINES_PER_BLOCK) as u32).to_le_bytes());
        out.extend_from_slice(&(data.len() as u32).to_le_bytes());
        out.extend_from_slice(data);
    }
    Ok(out)
}

fn header<T: ExrNumber>(size: [u32; 2], channels: &[usize]) -> Vec<u8> {
    let mut out = vec![0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0];
    let mut list = Vec::new();
    for &channel in channels {
        list.extend_from_slice(NAMES[channel]);
        list.push(0);
        list.extend_from_slice(&T::PIXEL_TYPE.to_le_bytes());
        // Not perceptual, three reserved bytes, every column and row.
        list.extend_from_slice(&[0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    }
    list.push(0);
    let window: Vec<u8> =
        [0, 0, size[0].max(1) - 1, size[1].max(1) - 1].iter().flat_map(|n| n.to_le_bytes()).collect();
    let one = 1.0_f32.to_le_bytes();
    attribute(&mut out, "channels", "chlist", &list);
    attribute(&mut out, "compression", "compression", &[3]);
    attribute(&mut out, "dataWindow", "box2i", &window);
    attribute(&mut out, "displayWindow", "box2i", &window);
    attribute(&mut out, "lineOrder", "lineOrder", &[0]);
    attribute(&mut out, "pixelAspectRatio", "float", &one);
    attribute(&mut out, "screenWindowCenter", "v2f", &[0; 8]);
    attribute(&mut out, "screenWindowWidth", "float", &one);
    out.push(0);
    out
}

fn attribute(out: &mut Vec<u8>, name: &str, kind: &str, value: &[u8]) {
    for text in [name, kind] {
        out.extend_from_slice(text.as_bytes());
        out.push(0);
    }
    out.extend_from_slice(&(value.len() as u32).to_le_bytes());
    out.extend_from_slice(value);
}

fn compressed(raw: &[u8]) -> io::Result<Vec<u8>> {
    let (even, odd) = (raw.iter().step_by(2), raw.iter().skip(1).step_by(2));
    let mut bytes: Vec<u8> = even.chain(odd).copied().collect();
    for at in (1..bytes.len()).rev() {
        bytes[at] = bytes[at].wrapping_sub(bytes[at - 1]).wrapping_add(128);
    }
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&bytes)?;
    encoder.finish()
}
