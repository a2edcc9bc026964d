//! What is known of tracks before their frames are read, in groups of eight lanes.

use super::{CompressedFrames, base_step, unpack_rotation};

/// The number of tracks whose numbers are stored together and read at once.
pub const GROUP_TRACKS: usize = 8;

/// One number of each track of a group; tracks that are not there have 0.
pub(crate) type TrackLanes = [f32; GROUP_TRACKS];

/// The means and the axes of a group of rotations: x, y, z and w of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ChartLanes {
    pub(crate) mean: [TrackLanes; 4],
    pub(crate) axes: [TrackLanes; 4],
}

/// The means and base steps of a group of vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct VectorLanes {
    pub(crate) mean: [TrackLanes; 3],
    pub(crate) base: TrackLanes,
}

/// The means and base steps of a group of morph weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MorphLanes {
    pub(crate) mean: TrackLanes,
    pub(crate) base: TrackLanes,
}

/// The groups of all tracks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FrameLanes {
    pub(crate) charts: Vec<ChartLanes>,
    pub(crate) vectors: Vec<VectorLanes>,
    pub(crate) morphs: Vec<MorphLanes>,
}

impl FrameLanes {
    pub(super) fn of(frames: &CompressedFrames) -> Self {
        let charts = frames.rotations.chunks(GROUP_TRACKS).map(|group| {
            let mut lanes = ChartLanes { mean: [[0.0; GROUP_TRACKS]; 4], axes: [[0.0; GROUP_TRACKS]; 4] };
            for (lane, track) in group.iter().enumerate() {
                put(&mut lanes.mean, lane, unpack_rotation(track.mean).to_array());
                put(&mut lanes.axes, lane, unpack_rotation(track.axes).to_array());
            }
            lanes
        });
        let vectors = frames.vectors.chunks(GROUP_TRACKS).map(|group| {
            let mut lanes = VectorLanes { mean: [[0.0; GROUP_TRACKS]; 3], base: [0.0; GROUP_TRACKS] };
            for (lane, track) in group.iter().enumerate() {
                put(&mut lanes.mean, lane, track.mean.to_array());
                lanes.base[lane] = base_step(track.base_exponent);
            }
            lanes
        });
        let morphs = frames.morphs.chunks(GROUP_TRACKS).map(|group| {
            let mut lanes = MorphLanes { mean: [0.0; GROUP_TRACKS], base: [0.0; GROUP_TRACKS] };
            for (lane, track) in group.iter().enumerate() {
                lanes.mean[lane] = track.mean;
                lanes.base[lane] = base_step(track.base_exponent);
            }
            lanes
        });
        Self { charts: charts.collect(), vectors: vectors.collect(), morphs: morphs.collect() }
    }
}

fn put<const N: usize>(lanes: &mut [TrackLanes; N], lane: usize, numbers: [f32; N]) {
    for (of_number, number) in lanes.iter_mut().zip(numbers) {
        of_number[lane] = number;
    }
}
