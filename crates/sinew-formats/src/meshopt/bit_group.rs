//! Groups of 16 small numbers in 0, 1, 2, 4 or 8 bits each.
//!
//! A number with all bits set is a sentinel: its true value is a whole byte after the packed bits.

use super::MeshoptError;
use super::stream::StreamCursor;

/// The longest group: 16 numbers of 4 bits, all of them sentinels.
pub(super) const MAX_LEN: usize = 24;

/// Reads groups whose two-bit headers, four to a byte, choose from `widths`.
pub(super) fn read(
    cursor: &mut StreamCursor<'_>,
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
/// step through the set bits is faster than to compare 16 numbers, of which few are sentinels.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Unpacks one group of a width after its header byte, and says how many bytes it took.
    fn unpacked(width: u8, packed: &[u8]) -> ([u8; 16], usize) {
        let mut window = [0xee; MAX_LEN];
        window[..packed.len()].copy_from_slice(packed);
        let mut group = [0xdd; 16];
        let used = unpack(width, &window, &mut group);
        (group, used)
    }

    #[test]
    fn four_bits_follow_the_example_of_the_specification() {
        let packed = [0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5];
        let want = [1, 7, 5, 0x34, 0xb5, 0, 0xb, 0xc, 7, 7, 0xa, 9, 2, 1, 0, 0];
        assert_eq!(unpacked(4, &packed), (want, packed.len()));
    }

    #[test]
    fn two_bits_start_at_the_top_of_a_byte() {
        let packed = [0b00_01_10_11, 0, 0, 0b11_00_00_11, 200, 201, 202];
        assert_eq!(unpacked(2, &packed), ([0, 1, 2, 200, 0, 0, 0, 0, 0, 0, 0, 0, 201, 0, 0, 202], 7));
    }

    #[test]
    fn one_bit_starts_at_the_bottom_of_a_byte() {
        let packed = [0b0000_0101, 0b1000_0000, 7, 8, 9];
        assert_eq!(unpacked(1, &packed), ([7, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9], 5));
    }

    #[test]
    fn a_group_of_sentinels_is_as_long_as_can_be() {
        let bytes: [u8; 16] = std::array::from_fn(|i| i as u8 + 100);
        for width in [1, 2, 4_u8] {
            let mut packed = vec![0xff; 2 * usize::from(width)];
            packed.extend(bytes);
            assert_eq!(unpacked(width, &packed), (bytes, packed.len()), "{width} bits");
        }
    }

    #[test]
    fn no_bits_and_eight_bits_are_zeros_and_a_copy() {
        let bytes: [u8; 16] = std::array::from_fn(|i| i as u8 * 15);
        assert_eq!(unpacked(0, &bytes), ([0; 16], 0));
        assert_eq!(unpacked(8, &bytes), (bytes, 16));
    }
}
