//! Compresses clips with a bound on the error in model space.
//!
//! ```
//! use sinew_author::compress::{CompressOptions, compress_clip};
//!
//! let figure = sinew_samples::figure();
//! let walk = figure.find_clip("walk").unwrap();
//! let (clip, report) = compress_clip(walk, figure.skeleton(), &CompressOptions::default())?;
//! assert!(clip.is_some() && report.max_error_meters <= 1e-4);
//! # Ok::<(), sinew_author::compress::CompressError>(())
//! ```

mod blocks;
mod chart;
mod encode;
mod kinds;
mod measure;
mod shells;
mod source;

pub use kinds::CompressedSizes;
pub use measure::{CompressionError, ErrorSpread};
pub use shells::skin_shells;

use encode::{EncodeBounds, encode, widths};
use measure::{Moments, measure};
use sinew::{
    Channel, Character, Clip, CompressedClip, CompressedError, CompressedParts, Skeleton,
    asset::{compact::frame_rates, compressed::BLOCK_FRAMES},
};
use sinew::{
    blend::graph::Motion,
    instance::{Archetype, ArchetypeError},
};
use source::{SourceFrames, source_frames};
use std::sync::Arc;
use thiserror::Error;

/// Options of the compression.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressOptions {
    /// The largest error of a point on the shell of a joint in model space, in meters.
    pub max_error_meters: f64,
    /// The radius of the shell around every joint, in meters.
    pub shell_meters: f64,
    /// The radius of each joint's own shell, instead of `shell_meters`; joints beyond the end have the common one.
    /// [`skin_shells`] takes it from the vertices of a character.
    pub joint_shells_meters: Vec<f64>,
    /// The largest error of a morph weight.
    pub max_morph_error: f64,
    /// Frames per second; `None` detects the rate of the keys, or tries 30, 60 and 120.
    pub rate_hz: Option<f32>,
}

impl Default for CompressOptions {
    fn default() -> Self {
        Self {
            max_error_meters: 1e-4,
            shell_meters: 0.03,
            joint_shells_meters: Vec::new(),
            max_morph_error: 1e-3,
            rate_hz: None,
        }
    }
}

/// Size and error of a compressed clip.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompressReport {
    /// The number of frames that are played.
    pub frames: usize,
    /// Frames per second; 0 if nothing is stored in frames.
    pub rate_hz: f64,
    /// The number of joints of the skeleton.
    pub joints: usize,
    /// What plain frames take: 40 bytes a joint and frame, and 4 a morph weight.
    pub raw_bytes: usize,
    /// The size of the keys of the clip.
    pub key_bytes: usize,
    /// The size of the compressed clip in a file.
    pub bytes: usize,
    /// The same size by what the bytes are for.
    pub sizes: CompressedSizes,
    /// The largest error at frames, half frames and keys, in meters.
    pub max_error_meters: f64,
    /// The error that 99 % of joints and times stay below, in meters.
    pub p99_error_meters: f64,
    /// The largest error of a morph weight.
    pub max_morph_error: f64,
    /// The error at frames.
    pub at_frames: ErrorSpread,
    /// The error halfway between frames.
    pub at_half_frames: ErrorSpread,
}

/// Why a clip cannot be compressed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum CompressError {
    /// The clip animates joints that the skeleton does not have.
    #[error("clip {clip:?} animates {joints} joints, the skeleton has {skeleton}")]
    TooFewJoints {
        /// The name of the clip.
        clip: String,
        /// The number of joints that the clip needs.
        joints: usize,
        /// The number of joints of the skeleton.
        skeleton: usize,
    },
    /// An option is not positive.
    #[error("{option} must be positive, got {value}")]
    BadOption {
        /// The name of the option.
        option: &'static str,
        /// The value that was given.
        value: f64,
    },
    /// A clip does not fit the character.
    #[error(transparent)]
    Archetype(#[from] ArchetypeError),
    /// The result is not valid, which is a bug and not caused by data.
    #[error(transparent)]
    Invalid(#[from] CompressedError),
}

/// Attempts with ever smaller bounds, because the error between frames and through keyed joints shows only afterwards.
const ATTEMPTS: usize = 6;

/// The lengths of segments that are tried: long ones have fewer bytes about themselves, short ones follow the motion.
const SEGMENT_BLOCKS: [usize; 4] = [2, 3, 4, 6];

/// Compresses `clip` for characters with `skeleton`; `None` if it would grow or cannot hold the bound: then keep it raw.
///
/// # Errors
/// If the clip animates joints that the skeleton does not have, or an option is not positive.
pub fn compress_clip(
    clip: &Clip,
    skeleton: &Skeleton,
    options: &CompressOptions,
) -> Result<(Option<CompressedClip>, CompressReport), CompressError> {
    check(clip, skeleton, options)?;
    let shell =
        |joint: usize| options.joint_shells_meters.get(joint).copied().unwrap_or(options.shell_meters);
    let shells: Vec<f64> = (0..skeleton.len()).map(shell).collect();
    let key_bytes = clip.channels().iter().map(channel_bytes).sum();
    let mut best: Option<(CompressedClip, CompressReport)> = None;
    for rate in frame_rates(clip, options.rate_hz) {
        let Some(source) = source_frames(clip, skeleton, rate) else { continue };
        for segment_blocks in SEGMENT_BLOCKS {
            let made = compressed(clip, skeleton, &source, &shells, options, segment_blocks)?;
            let Some((made, error)) = made else { continue };
            let report = report(clip, skeleton, &made, error, key_bytes);
            if best.as_ref().is_none_or(|(_, best)| report.bytes < best.bytes) {
                best = Some((made, report));
            }
        }
        if best.is_some() {
            break;
        }
    }
    Ok(match best {
        Some((made, report)) if report.bytes < key_bytes => (Some(made.of_skeleton(skeleton)), report),
        other => {
            let report = other.map(|(_, report)| report).unwrap_or_default();
            (None, CompressReport { key_bytes, joints: skeleton.len(), ..report })
        }
    })
}

/// An archetype that plays compressed copies of the clips of `character`, and a report of each clip. Clips that would grow
/// stay raw.
///
/// # Errors
/// If an option is not positive, or a clip does not fit the character.
pub fn compressed_archetype(
    character: impl Into<Arc<Character>>,
    options: &CompressOptions,
) -> Result<(Archetype, Vec<CompressReport>), CompressError> {
    let character = character.into();
    let mut reports = Vec::new();
    let mut motions = Vec::new();
    for clip in character.clips() {
        let (made, report) = compress_clip(clip, character.skeleton(), options)?;
        motions
            .push(made.map_or_else(|| Motion::Raw(clip.clone()), |made| Motion::Compressed(Arc::new(made))));
        reports.push(report);
    }
    Ok((Archetype::with_motions(character, motions)?, reports))
}

/// The bit widths that the numbers of `clip` need, one entry per number and segment: what the table of profiles is trained on.
///
/// # Errors
/// As [`compress_clip`].
pub fn needed_widths(
    clip: &Clip,
    skeleton: &Skeleton,
    options: &CompressOptions,
) -> Result<Vec<[u8; BLOCK_FRAMES]>, CompressError> {
    check(clip, skeleton, options)?;
    let shells = vec![options.shell_meters; skeleton.len()];
    let bounds = EncodeBounds {
        meters: options.max_error_meters,
        shells: &shells,
        morph_weight: options.max_morph_error,
        segment_blocks: SEGMENT_BLOCKS[1],
    };
    let sources = frame_rates(clip, options.rate_hz).into_iter().take(1);
    let sources = sources.filter_map(|rate| source_frames(clip, skeleton, rate));
    Ok(sources.flat_map(|source| widths(&source, skeleton, clip.kind(), bounds)).collect())
}

fn check(clip: &Clip, skeleton: &Skeleton, options: &CompressOptions) -> Result<(), CompressError> {
    if clip.joint_count() > skeleton.len() {
        let (joints, skeleton) = (clip.joint_count(), skeleton.len());
        return Err(CompressError::TooFewJoints { clip: clip.name().into(), joints, skeleton });
    }
    let shells = options.joint_shells_meters.iter().map(|value| ("joint_shells_meters", *value));
    let all = [
        ("max_error_meters", options.max_error_meters),
        ("shell_meters", options.shell_meters),
        ("max_morph_error", options.max_morph_error),
        ("rate_hz", options.rate_hz.map_or(1.0, f64::from)),
    ];
    match all.into_iter().chain(shells).find(|(_, value)| !(*value > 0.0 && value.is_finite())) {
        Some((option, value)) => Err(CompressError::BadOption { option, value }),
        None => Ok(()),
    }
}

/// The clip within the bound, and its error; `None` if no attempt holds it.
fn compressed(
    clip: &Clip,
    skeleton: &Skeleton,
    source: &SourceFrames,
    shells: &[f64],
    options: &CompressOptions,
    segment_blocks: usize,
) -> Result<Option<(CompressedClip, CompressionError)>, CompressError> {
    let mut meters = options.max_error_meters * 0.995;
    let moments = Moments::new(clip, source);
    for _ in 0..ATTEMPTS {
        let bounds = EncodeBounds { meters, shells, morph_weight: options.max_morph_error, segment_blocks };
        let frames = encode(source, skeleton, clip.kind(), bounds);
        let has_frames =
            !(frames.rotations.is_empty() && frames.vectors.is_empty() && frames.morphs.is_empty());
        let mut keyed = clip.clone().into_parts();
        keyed.channels.clone_from(&source.keyed);
        keyed.duration_secs = None;
        let frames = if has_frames { frames } else { Default::default() };
        let parts = CompressedParts { keyed, frames, duration_secs: clip.duration_secs() };
        let made = CompressedClip::new(parts)?;
        let error = measure(clip, &made, skeleton, shells, &moments);
        if error.all.max_meters <= options.max_error_meters && error.max_morph <= options.max_morph_error {
            return Ok(Some((made, error)));
        }
        let overshoot = (error.all.max_meters / options.max_error_meters).max(1.0);
        meters *= 0.99 / overshoot.min(4.0);
    }
    Ok(None)
}

fn report(
    clip: &Clip,
    skeleton: &Skeleton,
    made: &CompressedClip,
    error: CompressionError,
    key_bytes: usize,
) -> CompressReport {
    let frames = &made.parts().frames;
    let bytes = made.stored_bytes();
    let played = if frames.frame_count == 0 { 1 } else { frames.played_count() };
    CompressReport {
        frames: played,
        rate_hz: frames.rate_hz,
        joints: skeleton.len(),
        raw_bytes: played * (40 * skeleton.len() + 4 * clip.morph_slot_count()),
        key_bytes,
        bytes,
        sizes: kinds::sizes(made, bytes),
        max_error_meters: error.all.max_meters,
        p99_error_meters: error.all.p99_meters,
        max_morph_error: error.max_morph,
        at_frames: error.frames,
        at_half_frames: error.half_frames,
    }
}

/// The size of the keys of `channel`, in bytes.
fn channel_bytes(channel: &Channel) -> usize {
    let elements = match channel {
        Channel::Translation { curve, .. } | Channel::Scale { curve, .. } => curve.elements().len() * 12,
        Channel::Rotation { curve, .. } => curve.elements().len() * 16,
        Channel::Morphs { curve, .. } => curve.elements().len() * 4,
    };
    elements + channel.key_count() * 4
}
