//! The checksum of sections: 64 bits, eight words at a time.
//!
//! Each of eight lanes takes every eighth word: `lane = rotate((lane ^ word) · odd)`. Every step is invertible, so a change of
//! bits in one word always changes the result; other changes go unnoticed with a probability of 2⁻⁶⁴. It finds damage and
//! does not authenticate.

const LANES: usize = 8;
const BLOCK: usize = LANES * size_of::<u64>();
/// Odd, with about as many ones as zeros.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The checksum of `bytes`.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    let mut lanes: [u64; LANES] = std::array::from_fn(|lane| FACTOR.rotate_left(7 * lane as u32 + 1));
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    blocks.iter().for_each(|block| mix(&mut lanes, block));
    if !rest.is_empty() {
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        mix(&mut lanes, &last);
    }
    let start = step(FACTOR, bytes.len() as u64);
    let joined = lanes.into_iter().fold(start, step);
    joined ^ (joined >> 32)
}

#[inline(always)]
fn mix(lanes: &mut [u64; LANES], block: &[u8; BLOCK]) {
    let (words, _) = block.as_chunks::<8>();
    for (lane, word) in lanes.iter_mut().zip(words) {
        *lane = step(*lane, u64::from_le_bytes(*word));
    }
}

#[inline(always)]
fn step(lane: u64, word: u64) -> u64 {
    (lane ^ word).wrapping_mul(FACTOR).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_exist_keep_their_checksums() {
        let bytes: Vec<u8> = (0..200).collect();
        let got = [checksum(b""), checksum(b"sinew"), checksum(&bytes)];
        assert_eq!(
            got,
            [0x6ba9_c379_4969_812f, 0x5562_2423_e717_ca23, 0x4f10_f45a_53db_4d00],
            "{got:#018x?}"
        );
    }

    #[test]
    fn every_flipped_bit_and_every_zero_at_the_end_changes_it() {
        let mut bytes: Vec<u8> = (0..150_u32).map(|n| (n * 37 % 251) as u8).collect();
        let whole = checksum(&bytes);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum(&bytes), whole, "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        bytes.push(0);
        assert_ne!(checksum(&bytes), whole);
    }
}
