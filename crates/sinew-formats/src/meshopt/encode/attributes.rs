//! Mode ATTRIBUTES, version 0: columns of differences in groups of 16.

use super::super::{MeshoptMode, attributes::max_block_elements};

/// Elements in a group, which share the width of their differences.
const GROUP: usize = 16;

/// The tail is at least this long, so that decoders can read ahead.
const MIN_TAIL_LEN: usize = 32;

/// Packs elements of `stride` bytes; the caller checked the layout.
pub(super) fn encode(elements: &[u8], stride: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(elements.len() / 2 + stride + MIN_TAIL_LEN);
    out.push(MeshoptMode::Attributes.header());
    let baseline = elements.get(..stride).map_or_else(|| vec![0; stride], <[u8]>::to_vec);
    let mut previous = baseline.clone();
    for block in elements.chunks(max_block_elements(stride) * stride) {
        for (byte, previous) in previous.iter_mut().enumerate() {
            *previous = put_column(&mut out, block, stride, byte, *previous);
        }
    }
    out.resize(out.len() + MIN_TAIL_LEN.saturating_sub(stride), 0);
    out.extend_from_slice(&baseline);
    out
}

/// Writes one byte of every element of a block, and returns that of the last.
fn put_column(out: &mut Vec<u8>, block: &[u8], stride: usize, byte: usize, mut previous: u8) -> u8 {
    let count = block.len() / stride;
    let headers = out.len();
    out.resize(headers + count.div_ceil(GROUP).div_ceil(4), 0);
    for (number, group) in block.chunks(GROUP * stride).enumerate() {
        let mut differences = [0; GROUP];
        for (difference, element) in differences.iter_mut().zip(group.chunks_exact(stride)) {
            *difference = zigzag_byte(element[byte].wrapping_sub(previous));
            previous = element[byte];
        }
        let width = put_group(out, &differences);
        out[headers + number / 4] |= width << (2 * (number % 4));
    }
    previous
}

fn zigzag_byte(difference: u8) -> u8 {
    (difference << 1) ^ (difference.cast_signed() >> 7).cast_unsigned()
}

/// Writes a group in the width that takes the fewest bytes, and returns the code of that width.
fn put_group(out: &mut Vec<u8>, differences: &[u8; GROUP]) -> u8 {
    let beyond = |limit: u8| differences.iter().filter(|&&d| d >= limit).count();
    let lengths = [if beyond(1) == 0 { 0 } else { usize::MAX }, 4 + beyond(3), 8 + beyond(15), GROUP];
    let shortest = lengths.iter().enumerate().min_by_key(|(_, length)| **length);
    let code = shortest.map_or(3, |(code, _)| code as u8);
    match code {
        0 => {}
        1 => put_packed::<2>(out, differences),
        2 => put_packed::<4>(out, differences),
        _ => out.extend_from_slice(differences),
    }
    code
}

/// Writes differences in `WIDTH` bits each, the first at the top of its byte. Those that do not fit follow as bytes.
fn put_packed<const WIDTH: usize>(out: &mut Vec<u8>, differences: &[u8; GROUP]) {
    let sentinel = (1 << WIDTH) - 1;
    for numbers in differences.chunks_exact(8 / WIDTH) {
        out.push(numbers.iter().fold(0, |byte, &d| (byte << WIDTH) | d.min(sentinel)));
    }
    out.extend(differences.iter().filter(|&&d| d >= sentinel));
}
