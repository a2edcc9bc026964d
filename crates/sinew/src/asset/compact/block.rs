//! Blocks of eight tracks, quantized to 16 bits.

/// Number of tracks in a block.
pub(crate) const LANES: usize = 8;

/// Up to eight tracks of `N` numbers each. For each of the `N` numbers a frame holds eight 16-bit values.
///
/// A number is `min + step · bits`. A block that is not full repeats its last track.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TrackBlock<const N: usize> {
    /// The joint or morph slot of each track.
    pub(crate) targets: [u32; LANES],
    pub(crate) min: [[f32; LANES]; N],
    pub(crate) step: [[f32; LANES]; N],
}

impl<const N: usize> TrackBlock<N> {
    /// Numbers of the block in one frame.
    pub(crate) const STRIDE: usize = N * LANES;
}

/// Wider ranges would overflow when they are dequantized.
const WIDEST: f32 = 1e30;

/// The frames of one track before they are packed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PackedTrack<const N: usize> {
    pub(super) target: u32,
    min: [f32; N],
    step: [f32; N],
    bits: Vec<[u16; N]>,
}

impl<const N: usize> PackedTrack<N> {
    /// `values` quantized to 16 bits within their range, or `None` if the range is too wide.
    pub(super) fn new(target: u32, values: &[[f32; N]]) -> Option<Self> {
        let (mut min, mut max) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
        for value in values {
            for n in 0..N {
                min[n] = min[n].min(value[n]);
                max[n] = max[n].max(value[n]);
            }
        }
        let is_narrow = |n| (0.0..=WIDEST).contains(&(max[n] - min[n]));
        if !(0..N).all(is_narrow) {
            return None;
        }
        let step: [f32; N] = std::array::from_fn(|n| (max[n] - min[n]) / 65535.0);
        let bits = |value: &[f32; N]| {
            std::array::from_fn(|n| {
                let steps = (f64::from(value[n]) - f64::from(min[n])) / f64::from(step[n]);
                // An empty range divides by zero; its only value is the minimum. The cast saturates.
                if steps.is_finite() { steps.round() as u16 } else { 0 }
            })
        };
        Some(Self { target, min, step, bits: values.iter().map(bits).collect() })
    }

    /// The dequantized value between two frames.
    pub(super) fn value(&self, frame: usize, next: usize, fraction: f32) -> [f32; N] {
        std::array::from_fn(|n| {
            let (a, b) = (f32::from(self.bits[frame][n]), f32::from(self.bits[next][n]));
            (a + (b - a) * fraction) * self.step[n] + self.min[n]
        })
    }
}

/// Packs `tracks` into blocks that start at `*place` in each frame of `data`, and advances `place`.
pub(super) fn pack<const N: usize>(
    tracks: &[PackedTrack<N>],
    stride: usize,
    data: &mut [u16],
    place: &mut usize,
) -> Vec<TrackBlock<N>> {
    let blocks = tracks.chunks(LANES).map(|some| {
        let track = |lane: usize| &some[lane.min(some.len() - 1)];
        for (frame, numbers) in data.chunks_exact_mut(stride).enumerate() {
            for n in 0..N {
                for lane in 0..LANES {
                    numbers[*place + n * LANES + lane] = track(lane).bits[frame][n];
                }
            }
        }
        *place += TrackBlock::<N>::STRIDE;
        TrackBlock {
            targets: std::array::from_fn(|lane| track(lane).target),
            min: std::array::from_fn(|n| std::array::from_fn(|lane| track(lane).min[n])),
            step: std::array::from_fn(|n| std::array::from_fn(|lane| track(lane).step[n])),
        }
    });
    blocks.collect()
}

/// The tracks of `blocks`, which start at `*place` in each frame of `data`; advances `place`. The inverse of [`pack`].
pub(super) fn unpack<const N: usize>(
    blocks: &[TrackBlock<N>],
    stride: usize,
    data: &[u16],
    place: &mut usize,
) -> Vec<PackedTrack<N>> {
    let mut tracks = Vec::new();
    for block in blocks {
        // A block that is not full repeats its last track.
        let is_new = |lane: &usize| *lane == 0 || block.targets[*lane] != block.targets[*lane - 1];
        tracks.extend((0..LANES).filter(is_new).map(|lane| {
            PackedTrack {
                target: block.targets[lane],
                min: std::array::from_fn(|n| block.min[n][lane]),
                step: std::array::from_fn(|n| block.step[n][lane]),
                bits: data
                    .chunks_exact(stride)
                    .map(|numbers| std::array::from_fn(|n| numbers[*place + n * LANES + lane]))
                    .collect(),
            }
        }));
        *place += TrackBlock::<N>::STRIDE;
    }
    tracks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_within_half_a_step() {
        let values: Vec<[f32; 2]> = (0..50).map(|k| [(k as f32 * 0.7).sin() * 3.0, 5.0]).collect();
        let track = PackedTrack::new(3, &values).unwrap();
        for (frame, value) in values.iter().enumerate() {
            let got = track.value(frame, frame, 0.0);
            assert!((got[0] - value[0]).abs() <= 6.0 / 65535.0 * 0.51, "{got:?} {value:?}");
            assert_eq!(got[1], 5.0);
        }
    }

    #[test]
    fn ranges_wider_than_a_float_are_refused() {
        assert_eq!(PackedTrack::new(0, &[[f32::MAX], [-f32::MAX], [0.0]]), None);
        assert_eq!(PackedTrack::new(0, &[[f32::NAN]]), None);
        let wide = PackedTrack::new(0, &[[4e29], [-4e29]]).unwrap();
        assert!(wide.value(0, 1, 0.5)[0].is_finite());
    }
}
