//! Restores elements from the differences between neighbors, four bytes at a time.

/// How the four bytes of a channel were differenced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delta {
    /// Four bytes, each subtracted on its own; the sign is the lowest bit.
    Bytes,
    /// Two 16-bit numbers, each subtracted on its own; the sign is the lowest bit.
    Halves,
    /// Exclusive or of 32 bits, then rotated left by this many.
    Xor { rotated_left: u32 },
}

/// The lowest bit of each lane of a word.
const BYTE_LANES: u32 = 0x0101_0101;
const HALF_LANES: u32 = 0x0001_0001;

impl Delta {
    /// The differencing that a channel's mode byte names, if it is defined.
    pub(super) fn new(mode: u8) -> Option<Self> {
        match (mode & 15, mode >> 4) {
            (0, 0) => Some(Self::Bytes),
            (1, 0) => Some(Self::Halves),
            (2, rotation) => Some(Self::Xor { rotated_left: u32::from(rotation) }),
            _ => None,
        }
    }

    /// Writes the elements behind `differences` to bytes `offset..offset + 4` of each `stride` bytes of
    /// `block`, starting from the element `previous`, and returns the last one.
    pub(super) fn integrate(
        self,
        differences: &mut [u32],
        previous: u32,
        block: &mut [u8],
        stride: usize,
        offset: usize,
    ) -> u32 {
        // Undoing the signs is a pass of its own, since only it can run on many elements at once.
        match self {
            Self::Bytes => {
                differences.iter_mut().for_each(|d| *d = unzigzag_lanes::<BYTE_LANES>(*d));
                write_running(differences, previous, block, stride, offset, add_lanes::<BYTE_LANES>)
            }
            Self::Halves => {
                differences.iter_mut().for_each(|d| *d = unzigzag_lanes::<HALF_LANES>(*d));
                write_running(differences, previous, block, stride, offset, add_lanes::<HALF_LANES>)
            }
            Self::Xor { rotated_left } => {
                differences.iter_mut().for_each(|d| *d = d.rotate_right(rotated_left));
                write_running(differences, previous, block, stride, offset, |a, b| a ^ b)
            }
        }
    }
}

/// Writes the running total of `differences` from `previous` on, and returns the last.
fn write_running(
    differences: &[u32],
    previous: u32,
    block: &mut [u8],
    stride: usize,
    offset: usize,
    add: impl Fn(u32, u32) -> u32,
) -> u32 {
    let mut value = previous;
    for (element, difference) in block.chunks_exact_mut(stride).zip(differences) {
        value = add(value, *difference);
        element[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    }
    value
}

/// The highest bit of each lane, given the lowest.
const fn tops(lowest: u32) -> u32 {
    // A lane's top bit stands just under the next lane's lowest bit.
    lowest.rotate_right(1)
}

/// Moves the sign of each lane from its lowest bit to two's complement.
fn unzigzag_lanes<const LOWEST: u32>(lanes: u32) -> u32 {
    // Times the lane's largest number, a sign of 1 becomes all bits of its lane.
    let inverted = (lanes & LOWEST) * (u32::MAX / LOWEST);
    ((lanes >> 1) & !tops(LOWEST)) ^ inverted
}

/// Adds each lane with wraparound, without a carry into the next lane.
fn add_lanes<const LOWEST: u32>(a: u32, b: u32) -> u32 {
    let tops = tops(LOWEST);
    // Without their top bits two lanes cannot overflow; the top bit of a sum is an exclusive or.
    ((a & !tops) + (b & !tops)) ^ ((a ^ b) & tops)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unzigzag_8(v: u8) -> u8 {
        if v & 1 == 0 { v >> 1 } else { !(v >> 1) }
    }

    fn unzigzag_16(v: u16) -> u16 {
        if v & 1 == 0 { v >> 1 } else { !(v >> 1) }
    }

    fn halves(word: u32) -> [u16; 2] {
        [word as u16, (word >> 16) as u16]
    }

    /// Words in which every pair of neighboring lanes takes many values, including carries.
    fn words() -> impl Iterator<Item = u32> {
        (0..20_000_u32).map(|i| i.wrapping_mul(0x9e37_79b9)).chain([0, u32::MAX, 0x80ff_7f01, 0x8000_ffff])
    }

    #[test]
    fn lanes_of_bytes_do_not_mix() {
        let mut total = 0;
        for word in words() {
            let signed = unzigzag_lanes::<BYTE_LANES>(word);
            assert_eq!(signed.to_le_bytes(), word.to_le_bytes().map(unzigzag_8), "{word:#x}");
            let sum = add_lanes::<BYTE_LANES>(total, signed).to_le_bytes();
            let pairs = total.to_le_bytes().into_iter().zip(signed.to_le_bytes());
            assert!(pairs.map(|(a, b)| a.wrapping_add(b)).eq(sum), "{total:#x} + {signed:#x}");
            total = u32::from_le_bytes(sum);
        }
    }

    #[test]
    fn lanes_of_halves_do_not_mix() {
        let mut total = 0;
        for word in words() {
            let signed = unzigzag_lanes::<HALF_LANES>(word);
            assert_eq!(halves(signed), halves(word).map(unzigzag_16), "{word:#x}");
            let sum = add_lanes::<HALF_LANES>(total, signed);
            let pairs = halves(total).into_iter().zip(halves(signed));
            assert!(pairs.map(|(a, b)| a.wrapping_add(b)).eq(halves(sum)), "{total:#x} + {signed:#x}");
            total = sum;
        }
    }

    #[test]
    fn integrating_writes_one_channel_of_each_element_and_returns_the_last() {
        let mut block = [0xcc; 24];
        let delta = Delta::Xor { rotated_left: 4 };
        // Stored differences are rotated left by 4: these flip bit 0, then bit 31.
        let last = delta.integrate(&mut [0x10, 0x8], 0xff, &mut block, 12, 4);
        assert_eq!(last, 0x8000_00fe);
        let mut want = [0xcc; 24];
        want[4..8].copy_from_slice(&[0xfe, 0, 0, 0]);
        want[16..20].copy_from_slice(&[0xfe, 0, 0, 0x80]);
        assert_eq!(block, want);
    }
}
