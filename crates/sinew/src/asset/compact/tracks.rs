//! Sorts channels into constants, frames and keyed curves.

use super::{Constants, block::PackedTrack};
use crate::{
    asset::{
        clip::{Channel, Clip},
        curve::{Curve, Interpolation},
        skeleton::Skeleton,
    },
    sample::{Interpolate, SkinReach, sample_curve_from},
};
use glam::{Quat, Vec3, Vec4};
use std::collections::HashSet;

/// The frame times onto which channels are resampled.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameGrid {
    pub(super) rate_hz: f64,
    pub(super) count: usize,
}

impl FrameGrid {
    /// Enough frames for `duration_secs`, at least two.
    pub(super) fn new(rate_hz: f64, duration_secs: f32) -> Self {
        // A duration that rounding puts just above a whole number of frames needs no extra frame.
        let steps = (f64::from(duration_secs) * rate_hz - 1e-2).ceil().max(1.0);
        Self { rate_hz, count: (steps as usize).saturating_add(1) }
    }

    pub(super) fn time_secs(self, frame: f64) -> f32 {
        (frame / self.rate_hz) as f32
    }

    /// The frame before a time, and the fraction of the way to the next.
    fn place(self, time_secs: f32) -> (usize, f32) {
        let at = f64::from(time_secs) * self.rate_hz;
        let first = (at as usize).min(self.count - 2);
        (first, ((at - first as f64) as f32).min(1.0))
    }
}

/// The error that a channel may introduce.
pub(super) struct Allowance<'a> {
    /// Error at a virtual vertex, in meters.
    pub(super) meters: f32,
    /// Error of a morph weight.
    pub(super) weight: f32,
    pub(super) reaches: &'a [SkinReach],
    pub(super) skeleton: &'a Skeleton,
}

/// The channels by kind of storage.
#[derive(Clone, Debug, Default)]
pub(super) struct SortedTracks {
    pub(super) constants: Constants,
    pub(super) rotations: Vec<PackedTrack<4>>,
    pub(super) translations: Vec<PackedTrack<3>>,
    pub(super) scales: Vec<PackedTrack<3>>,
    pub(super) morphs: Vec<PackedTrack<1>>,
    pub(super) keyed: Vec<Channel>,
    /// Number of smooth channels that remain keyed because frames cannot represent them.
    pub(super) misfits: usize,
}

/// Sorts the channels of `clip`. Without a grid no channel is stored in frames.
pub(super) fn sort(clip: &Clip, grid: Option<FrameGrid>, allowance: &Allowance<'_>) -> SortedTracks {
    let mut out = SortedTracks::default();
    let morphs_overlap = morphs_overlap(clip);
    for channel in effective(clip) {
        let is_kept = match channel {
            Channel::Morphs { .. } if morphs_overlap => false,
            _ => out.keep_constant(channel) || grid.is_some_and(|grid| out.frame(channel, grid, allowance)),
        };
        if !is_kept {
            out.misfits += usize::from(grid.is_some() && is_smooth(channel));
            out.keyed.push(channel.clone());
        }
    }
    out
}

/// The effective channels: of several for the same property of one joint, the last.
fn effective(clip: &Clip) -> Vec<&Channel> {
    let mut taken = HashSet::new();
    let mut out: Vec<&Channel> = clip
        .channels()
        .iter()
        .rev()
        .filter(|c| c.joint().is_none_or(|joint| taken.insert((joint, c.property()))))
        .collect();
    out.reverse();
    out
}

/// True if two channels write one morph slot: then their order matters, and they remain keyed.
fn morphs_overlap(clip: &Clip) -> bool {
    let mut ranges: Vec<(usize, usize)> = clip
        .channels()
        .iter()
        .filter_map(|c| match c {
            Channel::Morphs { first_slot, curve } => Some((*first_slot, first_slot + curve.width())),
            _ => None,
        })
        .collect();
    ranges.sort_unstable();
    ranges.windows(2).any(|pair| pair[1].0 < pair[0].1)
}

/// True if a channel has no steps or jumps.
fn is_smooth(channel: &Channel) -> bool {
    channel.interpolation() != Interpolation::Step
        && channel.times_secs().windows(2).all(|pair| pair[0] < pair[1])
}

/// True if a curve has the value of its first key at every time.
fn is_constant<T: Copy + PartialEq>(curve: &Curve<T>, zero: T, same: impl Fn(T, T) -> bool) -> bool {
    let is_cubic = curve.interpolation() == Interpolation::Cubic;
    let flat = !is_cubic
        || curve.key_count() == 1
        || (0..curve.key_count())
            .all(|k| [0, 2].into_iter().all(|p| curve.part(k, p).iter().all(|&t| t == zero)));
    let keys =
        (1..curve.key_count()).all(|k| curve.key(0).iter().zip(curve.key(k)).all(|(a, b)| same(*a, *b)));
    flat && keys
}

impl SortedTracks {
    fn keep_constant(&mut self, channel: &Channel) -> bool {
        let no_turn = Quat::from_array([0.0; 4]);
        let is_kept = match channel {
            Channel::Translation { curve, .. } | Channel::Scale { curve, .. } => {
                is_constant(curve, Vec3::ZERO, |a, b| a == b)
            }
            Channel::Rotation { curve, .. } => is_constant(curve, no_turn, |a, b| a == b || a == -b),
            Channel::Morphs { curve, .. } => is_constant(curve, 0.0, |a, b| a.total_cmp(&b).is_eq()),
        };
        match channel {
            _ if !is_kept => {}
            Channel::Translation { joint, curve } => {
                self.constants.translations.push((*joint, curve.key(0)[0]));
            }
            Channel::Rotation { joint, curve } => self.constants.rotations.push((*joint, curve.key(0)[0])),
            Channel::Scale { joint, curve } => self.constants.scales.push((*joint, curve.key(0)[0])),
            Channel::Morphs { first_slot, curve } => {
                let weights = curve.key(0).iter().enumerate().map(|(n, &weight)| (first_slot + n, weight));
                self.constants.morphs.extend(weights);
            }
        }
        is_kept
    }

    /// Stores a channel in frames if its error is small enough.
    fn frame(&mut self, channel: &Channel, grid: FrameGrid, allowance: &Allowance<'_>) -> bool {
        if !is_smooth(channel) {
            return false;
        }
        let target = channel.joint().map_or(0, |j| u32::from(j.0));
        let reach = channel.joint().map(|j| allowance.reaches[j.index()]).unwrap_or_default();
        match channel {
            Channel::Rotation { curve, .. } => {
                let Some(track) = PackedTrack::new(target, &one_sided(framed(curve, grid))) else {
                    return false;
                };
                let radians = worst(curve, grid, |time, want| {
                    let got = Vec4::from(at(&track, grid, time)).normalize_or(Vec4::W);
                    let want = Vec4::from(want);
                    2.0 * (got - want).length().min((got + want).length())
                });
                push_if(radians * reach.below <= allowance.meters, &mut self.rotations, track)
            }
            Channel::Translation { curve, .. } => {
                let Some((track, off)) = vector_track(target, curve, grid) else { return false };
                push_if(off * reach.parent <= allowance.meters, &mut self.translations, track)
            }
            Channel::Scale { joint, curve } => {
                let Some((track, off)) = vector_track(target, curve, grid) else { return false };
                let size = allowance.skeleton.rest(*joint).scale.abs().min_element().max(1e-6);
                push_if(off / size * reach.below <= allowance.meters, &mut self.scales, track)
            }
            Channel::Morphs { first_slot, curve } => self.frame_morphs(*first_slot, curve, grid, allowance),
        }
    }

    fn frame_morphs(
        &mut self,
        first_slot: usize,
        curve: &Curve<f32>,
        grid: FrameGrid,
        allowance: &Allowance<'_>,
    ) -> bool {
        let mut tracks = Vec::new();
        for n in 0..curve.width() {
            let Some(one) = nth(curve, n) else { return false };
            let Ok(target) = u32::try_from(first_slot + n) else { return false };
            let values: Vec<[f32; 1]> = framed(&one, grid).map(|value| [value]).collect();
            let Some(track) = PackedTrack::new(target, &values) else { return false };
            let off = worst(&one, grid, |time, want| (at(&track, grid, time)[0] - want).abs());
            if off > allowance.weight {
                return false;
            }
            tracks.push(track);
        }
        self.morphs.extend(tracks);
        true
    }
}

fn push_if<T>(fits: bool, list: &mut Vec<T>, it: T) -> bool {
    if fits {
        list.push(it);
    }
    fits
}

/// The curve of the `n`-th value alone.
fn nth(curve: &Curve<f32>, n: usize) -> Option<Curve<f32>> {
    let values = curve.elements().iter().skip(n).step_by(curve.width()).copied().collect();
    Curve::new(curve.times_secs().to_vec(), values, curve.interpolation()).ok()
}

fn vector_track(target: u32, curve: &Curve<Vec3>, grid: FrameGrid) -> Option<(PackedTrack<3>, f32)> {
    let values: Vec<[f32; 3]> = framed(curve, grid).map(|v| v.to_array()).collect();
    let track = PackedTrack::new(target, &values)?;
    let off = worst(curve, grid, |time, want| (Vec3::from(at(&track, grid, time)) - want).length());
    Some((track, off))
}

/// The value of `curve` at every frame.
fn framed<T: Interpolate>(curve: &Curve<T>, grid: FrameGrid) -> impl Iterator<Item = T> + use<'_, T> {
    let mut hint = 0;
    (0..grid.count).map(move |frame| sample_curve_from(curve, grid.time_secs(frame as f64), &mut hint))
}

/// Rotations with signs such that neighbors lie in one hemisphere.
fn one_sided(rotations: impl Iterator<Item = Quat>) -> Vec<[f32; 4]> {
    let mut before = Quat::IDENTITY;
    rotations
        .map(|q| {
            before = if q.dot(before) < 0.0 { -q } else { q };
            before.to_array()
        })
        .collect()
}

fn at<const N: usize>(track: &PackedTrack<N>, grid: FrameGrid, time_secs: f32) -> [f32; N] {
    let (frame, fraction) = grid.place(time_secs);
    track.value(frame, frame + 1, fraction)
}

/// The largest error that `off` returns for the times and values of the curve: at keys, frames and between them.
fn worst<T: Interpolate>(curve: &Curve<T>, grid: FrameGrid, off: impl Fn(f32, T) -> f32) -> f32 {
    let mut hint = 0;
    let keys = curve.times_secs().iter().copied();
    let between = (0..(grid.count - 1) * 4 + 1).map(|quarter| grid.time_secs(quarter as f64 * 0.25));
    // Time before the start is never played.
    keys.chain(between)
        .filter(|time| *time >= 0.0)
        .map(|time| off(time, sample_curve_from(curve, time, &mut hint)))
        .fold(0.0, f32::max)
}
