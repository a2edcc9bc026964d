//! Blocks of eight frames: transformed, quantized and packed.

use sinew::asset::compressed::{
    BLOCK_FRAMES, FRAME_FROM_COEFFICIENTS, WIDEST_PROFILE, profile_bits, profile_widths, relative_step,
};
use std::sync::LazyLock;

/// The whole numbers of the blocks of one number of a segment.
pub(super) type QuantizedBlocks = Vec<[i32; BLOCK_FRAMES]>;
/// The coefficients of the blocks of one number of a segment.
pub(super) type BlockCoefficients = Vec<[f64; BLOCK_FRAMES]>;

/// The transform of every block of `frames`, a whole number of blocks.
pub(super) fn coefficients(frames: &[f64]) -> BlockCoefficients {
    let coefficient = |block: &[f64], k: usize| {
        block.iter().zip(FRAME_FROM_COEFFICIENTS).map(|(value, row)| value * f64::from(row[k])).sum()
    };
    frames.chunks(BLOCK_FRAMES).map(|block| std::array::from_fn(|k| coefficient(block, k))).collect()
}

/// The nearest multiples of `step`, of at most 24 bits.
fn quantized(coefficients: &[[f64; BLOCK_FRAMES]], step: f64) -> QuantizedBlocks {
    const LARGEST: f64 = ((1 << 23) - 1) as f64;
    coefficients
        .iter()
        .map(|block| block.map(|c| (c / step).round().clamp(-LARGEST, LARGEST) as i32))
        .collect()
}

/// The frames that `blocks` stand for.
fn decoded(blocks: &[[i32; BLOCK_FRAMES]], step: f64) -> Vec<f64> {
    let value = |block: &[i32; BLOCK_FRAMES], row: [f32; BLOCK_FRAMES]| -> f64 {
        let sum: f64 = block.iter().zip(row).map(|(c, r)| f64::from(*c) * f64::from(r)).sum();
        sum * step
    };
    blocks.iter().flat_map(|block| FRAME_FROM_COEFFICIENTS.map(|row| value(block, row))).collect()
}

/// The bits of whole numbers from −2ⁿ⁻¹ to 2ⁿ⁻¹ − 1 that hold all of `values`.
fn bits_for(values: impl Iterator<Item = i32>) -> u8 {
    values.fold(0, |bits, value| {
        let size = if value < 0 { -(value + 1) } else { value };
        let needed = if value == 0 { 0 } else { 33 - size.leading_zeros() as u8 };
        bits.max(needed)
    })
}

/// The widths that the blocks of a number need.
pub(super) fn widths_needed(blocks: &[[i32; BLOCK_FRAMES]]) -> [u8; BLOCK_FRAMES] {
    std::array::from_fn(|k| bits_for(blocks.iter().map(|block| block[k])))
}

/// Widths as the bytes of one word.
fn packed_widths(widths: [u8; BLOCK_FRAMES]) -> u64 {
    u64::from_le_bytes(widths)
}

/// The top bit of every byte.
const TOPS: u64 = 0x8080_8080_8080_8080;

/// Every profile except the widest, the smallest first: its bits, its index and its widths.
static SMALLEST_FIRST: LazyLock<Vec<(u32, u8, u64)>> = LazyLock::new(|| {
    let profile = |index: u8| (profile_bits(index), index, packed_widths(profile_widths(index)));
    let mut all: Vec<_> = (0..WIDEST_PROFILE).map(profile).collect();
    all.sort_unstable();
    all
});

/// The smallest profile that holds these widths, and its bits.
pub(super) fn profile_for(needed: [u8; BLOCK_FRAMES]) -> (u8, u32) {
    let needed_bits = needed.iter().map(|w| u32::from(*w)).sum();
    let from = SMALLEST_FIRST.partition_point(|(bits, ..)| *bits < needed_bits);
    let needed = packed_widths(needed);
    // No byte of the difference borrows if every width is held.
    let holds = |widths: u64| ((widths | TOPS) - needed) & TOPS == TOPS;
    let found = SMALLEST_FIRST[from..].iter().find(|(.., widths)| holds(*widths));
    found.map_or((WIDEST_PROFILE, profile_bits(WIDEST_PROFILE)), |(bits, profile, _)| (*profile, *bits))
}

/// Continues `values` to a whole number of blocks. What is added is never seen, so it may be what needs few bits.
pub(super) fn padded(mut values: Vec<f64>) -> Vec<f64> {
    let speed = match values[..] {
        [.., before, last] => last - before,
        _ => 0.0,
    };
    let wide = values.iter().fold(0.0_f64, |wide, value| wide.max(value.abs()));
    // A jump is not continued.
    let speed = if speed.abs() * 4.0 > wide { 0.0 } else { speed };
    while !values.len().is_multiple_of(BLOCK_FRAMES) {
        values.push(values.last().copied().unwrap_or(0.0) + speed);
    }
    values
}

/// One track of a segment: its step and the blocks of its numbers.
#[derive(Clone, Debug)]
pub(super) struct TrackSegment {
    pub(super) step: u8,
    /// Three numbers for a rotation or a vector, one for a morph weight.
    pub(super) numbers: Vec<QuantizedBlocks>,
}

impl TrackSegment {
    /// The numbers of `coefficients` at `step` times `base`.
    pub(super) fn new(coefficients: &[BlockCoefficients], step: u8, base: f64) -> Self {
        let size = f64::from(relative_step(step)) * base;
        Self { step, numbers: coefficients.iter().map(|c| quantized(c, size)).collect() }
    }

    /// The values of every number in every frame.
    pub(super) fn frames(&self, base: f64) -> Vec<Vec<f64>> {
        let size = f64::from(relative_step(self.step)) * base;
        self.numbers.iter().map(|blocks| decoded(blocks, size)).collect()
    }

    /// The same numbers with coefficient `k` of number `n` limited to one bit less; `None` if that saves nothing.
    pub(super) fn limited(&self, n: usize, k: usize) -> Option<Self> {
        let mut widths = widths_needed(&self.numbers[n]);
        let before = profile_for(widths).1;
        widths[k] = widths[k].checked_sub(1)?;
        if profile_for(widths).1 >= before {
            return None;
        }
        let half = if widths[k] == 0 { 0 } else { 1 << (widths[k] - 1) };
        let mut out = self.clone();
        for block in &mut out.numbers[n] {
            block[k] = if half == 0 { 0 } else { block[k].clamp(-half, half - 1) };
        }
        Some(out)
    }

    /// The bits of each block.
    pub(super) fn bits(&self) -> u32 {
        self.numbers.iter().map(|blocks| profile_for(widths_needed(blocks)).1).sum()
    }
}

/// Bits in a row, the lowest first.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    used: usize,
}

impl BitWriter {
    /// Adds the lowest `width` bits of `value`.
    fn put(&mut self, value: i32, width: u8) {
        for bit in 0..usize::from(width) {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((value >> bit & 1) as u8) << (self.used % 8);
            }
            self.used += 1;
        }
    }

    /// Adds the coefficients of a block with the widths of a profile, in two's complement.
    pub(super) fn put_block(&mut self, block: [i32; BLOCK_FRAMES], profile: u8) {
        block.into_iter().zip(profile_widths(profile)).for_each(|(value, width)| self.put(value, width));
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_within_a_step() {
        let frames: Vec<f64> = (0..16).map(|n| (f64::from(n) * 0.4).sin()).collect();
        let step = 1e-3;
        let back = decoded(&quantized(&coefficients(&frames), step), step);
        assert!(frames.iter().zip(back).all(|(a, b)| (a - b).abs() < step));
    }

    #[test]
    fn widths_hold_both_ends_of_the_range() {
        for (value, bits) in [(0, 0), (-1, 1), (1, 2), (-2, 2), (2, 3), (-4, 3), (7, 4), (-8, 4), (8, 5)] {
            assert_eq!(bits_for([value].into_iter()), bits, "{value}");
        }
    }

    #[test]
    fn a_profile_holds_what_it_is_chosen_for() {
        let wide = [[24, 24, 0, 0, 0, 0, 0, 0], [20; 8], [17, 2, 9, 1, 0, 4, 0, 1]];
        for needed in [[0; 8], [9, 4, 2, 0, 0, 0, 0, 0], [3; 8]].into_iter().chain(wide) {
            let widths = profile_widths(profile_for(needed).0);
            assert!(widths.iter().zip(needed).all(|(has, needs)| *has >= needs), "{needed:?} {widths:?}");
        }
    }
}
