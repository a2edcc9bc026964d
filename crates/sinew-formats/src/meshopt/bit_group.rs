//! Groups of 16 small numbers in 0, 1, 2, 4 or 8 bits each.
//!
//! A number with all bits set is a sentinel: its true value is a whole byte after the packed bits.

use super::MeshoptError;
use super::stream::Cursor;

/// The longest group: 16 numbers of 4 bits, all of them sentinels.
pub(super) const MAX_LEN: usize = 24;

/// Reads groups whose two-bit headers, four to a byte, choose from `widths`.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    widths: [u8; 4],
    groups: &mut [[u8; 16]],
) -> Result<(), MeshoptError> {
    let headers = cursor.take(groups.len().div_ceil(4))?;
    for (groups, header) in groups.chunks_mut(4).zip(headers) {
        for (position, group) in groups.iter_mut().enumerate() {
            let width = widths[usize::from(header >> (2 * position)) & 3];
            // The tail is at least this long, so in a sound stream the last group can be peeked at too.
            let used = unpack(width, cursor.peek()?, group);
            cursor.skip(used);
        }
    }
    Ok(())
}

/// Unpacks one group and returns the bytes it took.
fn unpack(width: u8, from: &[u8; MAX_LEN], group: &mut [u8; 16]) -> usize {
    match width {
        0 => {
            *group = [0; 16];
            0
        }
        1 => unpack_1(from, group),
        2 => unpack_2(from, group),
        4 => unpack_4(from, group),
        _ => {
            group.copy_from_slice(&from[..16]);
            16
        }
    }
}

fn unpack_1(from: &[u8; MAX_LEN], group: &mut [u8; 16]) -> usize {
    *group = [0; 16];
    // Alone among the widths, this one has its first number in the lowest bit.
    let packed = u16::from_le_bytes([from[0], from[1]]).reverse_bits();
    place_sentinels::<1>(u64::from(packed) << 48, &from[2..], group)
}

fn unpack_2(from: &[u8; MAX_LEN], group: &mut [u8; 16]) -> usize {
    let bytes = [from[0], from[1], from[2], from[3]];
    for (numbers, packed) in group.as_chunks_mut().0.iter_mut().zip(bytes) {
        *numbers = [packed >> 6, (packed >> 4) & 3, (packed >> 2) & 3, packed & 3];
    }
    let packed = u64::from(u32::from_be_bytes(bytes)) << 32;
    let sentinels = packed & (packed >> 1) & 0x5555_5555_5555_5555;
    place_sentinels::<2>(sentinels, &from[4..], group)
}

fn unpack_4(from: &[u8; MAX_LEN], group: &mut [u8; 16]) -> usize {
    let bytes = from.as_chunks().0[0];
    for (numbers, packed) in group.as_chunks_mut().0.iter_mut().zip(bytes) {
        *numbers = [packed >> 4, packed & 15];
    }
    let packed = u64::from_be_bytes(bytes);
    let pairs = packed & (packed >> 1);
    let sentinels = pairs & (pairs >> 2) & 0x1111_1111_1111_1111;
    place_sentinels::<4>(sentinels, &from[8..], group)
}

/// Replaces sentinels by the bytes `from` after the packed numbers, and returns the length of both.
///
/// `sentinels` has the lowest bit of each sentinel set; the first number is at the top of the word. To
/// step through the set bits is faster than to compare 16 numbers, which mostly are no sentinels.
fn place_sentinels<const WIDTH: u32>(mut sentinels: u64, from: &[u8], group: &mut [u8; 16]) -> usize {
    let mut used = 0;
    while sentinels != 0 {
        let zeros = sentinels.leading_zeros();
        group[(zeros / WIDTH) as usize] = from[used];
        sentinels ^= (1 << 63) >> zeros;
        used += 1;
    }
    2 * WIDTH as usize + used
}
