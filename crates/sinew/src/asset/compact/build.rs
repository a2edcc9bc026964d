//! Compression of a clip.

use super::{
    CompactClip, CompactError, Frames,
    block::{LANES, TrackBlock, pack},
    measure::{CompactDeviation, channel_bytes, difference},
    rate::rates,
    tracks::{Allowance, FrameGrid, SortedTracks, sort},
};
use crate::{
    asset::{
        clip::{Channel, Clip},
        skeleton::Skeleton,
    },
    sample::SkinReach,
};

/// Options of the compression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompactOptions {
    /// Frames per second; `None` detects the rate of the keys, or tries 30, 60 and 120.
    pub rate_hz: Option<f32>,
    /// Largest error of a virtual vertex; `None` is 1/10000 of the skeleton's size (0.17 mm for a person).
    pub tolerance_meters: Option<f32>,
    /// Distance of virtual vertices from their joints; `None` is 3 % of the skeleton's size (5 cm for a person).
    pub vertex_distance_meters: Option<f32>,
    /// Largest error of a morph weight.
    pub morph_tolerance: f32,
}

impl Default for CompactOptions {
    fn default() -> Self {
        Self { rate_hz: None, tolerance_meters: None, vertex_distance_meters: None, morph_tolerance: 1e-3 }
    }
}

/// Size and error of a compressed clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CompactReport {
    /// Memory use of the source channels.
    pub raw_bytes: usize,
    /// Memory use of the compressed clip.
    pub compact_bytes: usize,
    /// Frames per second; 0 if nothing is stored in frames.
    pub rate_hz: f32,
    /// Number of constant joint properties and morph slots.
    pub constant: usize,
    /// Number of joint properties and morph slots stored in frames.
    pub framed: usize,
    /// Number of channels that remain keyed curves.
    pub keyed: usize,
    /// Largest error of a virtual vertex: measured through the hierarchy at keys, frames and seven times between them,
    /// plus a margin of 2 % for the times that are not measured.
    pub error_meters: f32,
    /// The tolerance that was asked for, in meters.
    pub tolerance_meters: f32,
    /// Largest error of a morph weight.
    pub morph_error: f32,
}

/// Frames may always use this many bytes.
const FREE_BYTES: usize = 1 << 20;
/// Beyond that, frames may use this many times the memory of the keys.
const MAX_GROWTH: usize = 8;
/// Longer clips are measured at a subset of their times.
const MAX_MOMENTS: usize = 1 << 17;
/// Where between two frames the error is measured. A chord lags behind its arc by t (1 − t) (1 − 2t), which is largest at
/// 1/2 ∓ 1/√12.
const PARTS: [f64; 8] = [0.0, 0.1, 0.211_325, 0.35, 0.5, 0.65, 0.788_675, 0.9];
/// More than the error ever rose between measured times.
const MARGIN: f32 = 1.02;

/// Builds the clip that [`CompactClip::new`] documents.
pub(super) fn build(
    clip: &Clip,
    skeleton: &Skeleton,
    options: &CompactOptions,
) -> Result<(CompactClip, CompactReport), CompactError> {
    let size = SkinReach::extent_meters(skeleton);
    let tolerance = positive("tolerance_meters", options.tolerance_meters.unwrap_or(size * 1e-4))?;
    let distance = positive("vertex_distance_meters", options.vertex_distance_meters.unwrap_or(size * 0.03))?;
    positive("morph_tolerance", options.morph_tolerance)?;
    options.rate_hz.map(|rate| positive("rate_hz", rate)).transpose()?;
    if clip.joint_count() > skeleton.len() {
        let (joints, skeleton) = (clip.joint_count(), skeleton.len());
        return Err(CompactError::TooFewJoints { clip: clip.name().into(), joints, skeleton });
    }
    let bounds = Bounds { clip, skeleton, tolerance, distance, weight: options.morph_tolerance };
    let mut best: Option<Candidate> = None;
    for rate in rates(clip, options.rate_hz) {
        let candidate = bounds.candidate(rate);
        let is_complete = candidate.misfits == 0;
        if best.as_ref().is_none_or(|b| candidate.misfits < b.misfits) {
            best = Some(candidate);
        }
        if is_complete {
            break;
        }
    }
    let Candidate { compact, error, .. } = best.unwrap_or_else(|| bounds.without_frames());
    let report = bounds.report(&compact, error);
    Ok((compact, report))
}

fn positive(option: &'static str, value: f32) -> Result<f32, CompactError> {
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err(CompactError::BadOption { option, value }) }
}

/// The source and the limits that a compressed clip is measured against.
struct Bounds<'a> {
    clip: &'a Clip,
    skeleton: &'a Skeleton,
    tolerance: f32,
    distance: f32,
    weight: f32,
}

struct Candidate {
    compact: CompactClip,
    misfits: usize,
    error: CompactDeviation,
}

impl SortedTracks {
    /// The tracks that are stored in frames, packed into blocks.
    pub(super) fn pack_frames(&self, grid: FrameGrid) -> Frames {
        let blocks = |tracks: usize| tracks.div_ceil(LANES);
        let stride = blocks(self.rotations.len()) * TrackBlock::<4>::STRIDE
            + blocks(self.translations.len()) * TrackBlock::<3>::STRIDE
            + blocks(self.scales.len()) * TrackBlock::<3>::STRIDE
            + blocks(self.morphs.len()) * TrackBlock::<1>::STRIDE;
        let mut frames = Frames::default();
        if stride > 0 {
            let mut data = vec![0; stride * grid.count];
            let mut place = 0;
            frames.rotations = pack(&self.rotations, stride, &mut data, &mut place);
            frames.translations = pack(&self.translations, stride, &mut data, &mut place);
            frames.scales = pack(&self.scales, stride, &mut data, &mut place);
            frames.morphs = pack(&self.morphs, stride, &mut data, &mut place);
            frames = Frames { rate_hz: grid.rate_hz, count: grid.count, stride, data, ..frames };
        }
        frames
    }
}

impl Bounds<'_> {
    /// The clip with frames at `rate_hz` that keeps the tolerance.
    fn candidate(&self, rate_hz: f64) -> Candidate {
        let grid = FrameGrid::new(rate_hz, self.clip.duration_secs());
        if !self.is_affordable(grid) {
            return self.without_frames();
        }
        let reaches = SkinReach::of_joints(self.skeleton, self.distance);
        // Errors add up along a chain by an amount that must be measured, so try ever smaller tolerances.
        for fraction in [1.0, 0.5, 0.25, 0.125, 0.0625] {
            let meters = self.tolerance * fraction;
            let allowance =
                Allowance { meters, weight: self.weight, reaches: &reaches, skeleton: self.skeleton };
            let sorted = sort(self.clip, Some(grid), &allowance);
            let misfits = sorted.misfits;
            let compact = self.assemble(sorted, grid);
            let error = self.measure(&compact, grid);
            if error.meters <= self.tolerance && error.morph_weight <= self.weight {
                return Candidate { compact, misfits, error };
            }
        }
        self.without_frames()
    }

    /// All curves with their keys: larger and slower, but exact.
    fn without_frames(&self) -> Candidate {
        let allowance = Allowance { meters: 0.0, weight: 0.0, reaches: &[], skeleton: self.skeleton };
        let grid = FrameGrid { rate_hz: 1.0, count: 2 };
        let compact = self.assemble(sort(self.clip, None, &allowance), grid);
        Candidate { compact, misfits: usize::MAX, error: CompactDeviation::default() }
    }

    fn raw_bytes(&self) -> usize {
        self.clip.channels().iter().map(channel_bytes).sum()
    }

    /// Two keys that are a year apart must not become a year of frames.
    fn is_affordable(&self, grid: FrameGrid) -> bool {
        let numbers = self.clip.channels().iter().map(|channel| match channel {
            Channel::Rotation { .. } => 4,
            Channel::Translation { .. } | Channel::Scale { .. } => 3,
            Channel::Morphs { curve, .. } => curve.width(),
        });
        let bytes = numbers.sum::<usize>().saturating_mul(2).saturating_mul(grid.count);
        bytes <= FREE_BYTES.max(self.raw_bytes().saturating_mul(MAX_GROWTH))
    }

    fn assemble(&self, sorted: SortedTracks, grid: FrameGrid) -> CompactClip {
        let frames = sorted.pack_frames(grid);
        let clip = self.clip;
        CompactClip {
            name: clip.name().into(),
            kind: clip.kind(),
            duration_secs: clip.duration_secs(),
            joint_count: clip.joint_count(),
            morph_slot_count: clip.morph_slot_count(),
            home: clip.home(),
            events: clip.events().to_vec(),
            metas: clip.metas().to_vec(),
            constants: sorted.constants,
            frames,
            keyed: sorted.keyed,
        }
    }

    /// The error at keys, frames and seven times between frames, margin included.
    fn measure(&self, compact: &CompactClip, grid: FrameGrid) -> CompactDeviation {
        let frames = (0..grid.count).flat_map(|frame| PARTS.map(|part| frame as f64 + part));
        let mut times: Vec<f32> = frames.map(|frame| grid.time_secs(frame)).collect();
        times.extend(self.clip.channels().iter().flat_map(Channel::times_secs));
        times.sort_by(f32::total_cmp);
        times.dedup();
        let stride = times.len().div_ceil(MAX_MOMENTS).max(1);
        let times: Vec<f32> = times.into_iter().step_by(stride).collect();
        let error = difference(self.clip, compact, self.skeleton, self.distance, &times);
        CompactDeviation { meters: error.meters * MARGIN, ..error }
    }

    fn report(&self, compact: &CompactClip, error: CompactDeviation) -> CompactReport {
        let (constants, frames) = (&compact.constants, &compact.frames);
        let constant = constants.rotations.len() + constants.translations.len();
        let targets = |blocks: &mut dyn Iterator<Item = &[u32; LANES]>| {
            // A block that is not full repeats its last track.
            let mut all: Vec<u32> = blocks.flatten().copied().collect();
            all.sort_unstable();
            all.dedup();
            all.len()
        };
        let framed = targets(&mut frames.rotations.iter().map(|b| &b.targets))
            + targets(&mut frames.translations.iter().map(|b| &b.targets))
            + targets(&mut frames.scales.iter().map(|b| &b.targets))
            + targets(&mut frames.morphs.iter().map(|b| &b.targets));
        CompactReport {
            raw_bytes: self.raw_bytes(),
            compact_bytes: compact.byte_count(),
            rate_hz: compact.rate_hz(),
            constant: constant + constants.scales.len() + constants.morphs.len(),
            framed,
            keyed: compact.keyed.len(),
            error_meters: error.meters,
            tolerance_meters: self.tolerance,
            morph_error: error.morph_weight,
        }
    }
}
