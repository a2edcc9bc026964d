//! The largest quantization step whose error is within the bound.

use crate::compress::blocks::{BlockCoefficients, TrackSegment};
use sinew::asset::compressed::BLOCK_FRAMES;

/// The finest step byte whose whole numbers have at most 24 bits.
fn finest_step(numbers: &[BlockCoefficients], base: f64) -> u8 {
    let largest = numbers.iter().flatten().flatten().map(|c| c.abs()).fold(0.0, f64::max);
    let halvings = (f64::from((1 << 23) - 2) * base / largest.max(f64::MIN_POSITIVE)).log2();
    (8.0 * halvings).floor().clamp(0.0, 255.0) as u8
}

/// The segment with the largest step that fits, or the finest if none does.
pub(super) fn largest_step(
    numbers: &[BlockCoefficients],
    base: f64,
    fits: impl Fn(&TrackSegment) -> bool,
) -> TrackSegment {
    let of_step = |step: u8| TrackSegment::new(numbers, step, base);
    let (mut too_large, mut good) = (-1_i16, i16::from(finest_step(numbers, base)));
    while too_large + 1 < good {
        let middle = (too_large + good) / 2;
        if fits(&of_step(middle as u8)) { good = middle } else { too_large = middle }
    }
    // A coarser step may fit by luck and need fewer bits.
    let best = of_step(good as u8);
    let coarser = ((good - 6).max(0)..good).map(|step| of_step(step as u8));
    let best = coarser.into_iter().find(|other| other.bits() < best.bits() && fits(other)).unwrap_or(best);
    without_peaks(best, fits)
}

/// Limits single coefficients that would give all blocks of a segment another bit, where the error allows it.
fn without_peaks(mut segment: TrackSegment, fits: impl Fn(&TrackSegment) -> bool) -> TrackSegment {
    for n in 0..segment.numbers.len() {
        for k in (0..BLOCK_FRAMES).rev() {
            while let Some(smaller) = segment.limited(n, k).filter(&fits) {
                segment = smaller;
            }
        }
    }
    segment
}
