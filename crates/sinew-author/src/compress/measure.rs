//! The error of a compressed clip, measured through what is played.

use super::source::{SourceFrames, onto_rest, rest_of};
use sinew::{
    Clip, ClipCursor, CompressedClip, ModelPose, Skeleton, Wrap,
    glam::{Affine3A, Vec3},
    sample_clip_from, sample_compressed,
};

/// The largest and the usual error at some times, in meters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorSpread {
    /// The largest error of a point on a shell in model space, in meters.
    pub max_meters: f64,
    /// The error that 99 % of joints and times stay below, in meters.
    pub p99_meters: f64,
}

/// The error of a compressed clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CompressionError {
    /// The error at the times of frames.
    pub frames: ErrorSpread,
    /// The error halfway between two frames.
    pub half_frames: ErrorSpread,
    /// At frames, half frames and keys.
    pub all: ErrorSpread,
    /// The largest error of a morph weight.
    pub max_morph: f64,
}

/// What is at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MomentKind {
    Frame,
    HalfFrame,
    Key,
}

/// The times at which the error is measured.
pub(super) struct Moments(Vec<(f32, MomentKind)>);

/// Longer clips are measured at a subset of their times.
const MAX_MOMENTS: usize = 1 << 16;

impl Moments {
    /// Frames, half frames and keys.
    pub(super) fn new(clip: &Clip, source: &SourceFrames) -> Self {
        let halves = 2 * (source.frame_count() + 1);
        let kind =
            |half: usize| if half.is_multiple_of(2) { MomentKind::Frame } else { MomentKind::HalfFrame };
        let time = |half: usize| (half as f64 * 0.5 / source.rate_hz) as f32;
        let mut moments: Vec<(f32, MomentKind)> = (0..halves).map(|half| (time(half), kind(half))).collect();
        let keys = clip.channels().iter().flat_map(|c| c.times_secs().iter().copied());
        moments.extend(keys.map(|time| (time, MomentKind::Key)));
        moments.retain(|(time, _)| (0.0..=clip.duration_secs()).contains(time));
        moments.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        moments.dedup_by_key(|(time, _)| *time);
        // An odd stride, so that frames and half frames both remain.
        let stride = moments.len().div_ceil(MAX_MOMENTS).max(1) | 1;
        Self(moments.into_iter().step_by(stride).collect())
    }
}

/// The error of `made` at `moments`, on the shells of all joints.
pub(super) fn measure(
    clip: &Clip,
    made: &CompressedClip,
    skeleton: &Skeleton,
    shells: &[f64],
    moments: &Moments,
) -> CompressionError {
    let rest = rest_of(clip, skeleton);
    let (mut want, mut got) = (rest.clone(), rest.clone());
    let (mut want_model, mut got_model) = (ModelPose::new(skeleton), ModelPose::new(skeleton));
    let (mut raw_cursor, mut cursor) = (ClipCursor::default(), ClipCursor::default());
    let mut errors: Vec<(MomentKind, f32)> = Vec::with_capacity(moments.0.len() * skeleton.len());
    let mut max_morph: f64 = 0.0;
    for &(time, kind) in &moments.0 {
        want.copy_from(&rest);
        got.copy_from(&rest);
        sample_clip_from(clip, time, Wrap::Clamp, &mut raw_cursor, &mut want);
        sample_compressed(made, time, &mut cursor, &mut got);
        let weights = want.morphs.iter().zip(&got.morphs).map(|(a, b)| f64::from((a - b).abs()));
        max_morph = weights.fold(max_morph, f64::max);
        onto_rest(clip, skeleton, &mut want);
        onto_rest(clip, skeleton, &mut got);
        want_model.update(skeleton, &want);
        got_model.update(skeleton, &got);
        let models = want_model.joints().iter().zip(got_model.joints()).zip(shells);
        errors.extend(models.map(|((a, b), radius)| (kind, shell_distance(a, b, *radius as f32))));
    }
    let of = |kind: MomentKind| spread(errors.iter().filter(|one| one.0 == kind).map(|one| one.1).collect());
    CompressionError {
        frames: of(MomentKind::Frame),
        half_frames: of(MomentKind::HalfFrame),
        all: spread(errors.iter().map(|one| one.1).collect()),
        max_morph,
    }
}

fn spread(mut errors: Vec<f32>) -> ErrorSpread {
    if errors.is_empty() {
        return ErrorSpread::default();
    }
    let max = errors.iter().copied().fold(0.0, f32::max);
    let nth = errors.len() * 99 / 100;
    let p99 = *errors.select_nth_unstable_by(nth, f32::total_cmp).1;
    ErrorSpread { max_meters: f64::from(max), p99_meters: f64::from(p99) }
}

/// The largest distance between six points of two shells.
fn shell_distance(a: &Affine3A, b: &Affine3A, radius: f32) -> f32 {
    let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let off = |axis: Vec3| a.transform_point3(axis * radius).distance(b.transform_point3(axis * radius));
    // NaN, which a comparison would leave out, is infinite.
    axes.into_iter().map(off).fold(0.0, |most, off| if off.is_nan() { f32::INFINITY } else { most.max(off) })
}
