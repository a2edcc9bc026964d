//! Makes the clips of a character ready for a cooked file.
//!
//! ```
//! use sinew_author::{compress::CompressOptions, cook::cook_clips, uninterrupted};
//!
//! let figure = sinew_samples::figure();
//! let (cooked, reports) = cook_clips(&figure, &CompressOptions::default(), &mut uninterrupted)?;
//! assert!(cooked.clips().iter().all(|clip| clip.compressed().is_some()));
//! assert!(reports.iter().all(|clip| clip.size.max_error_meters <= 1e-4));
//! # Ok::<(), sinew_author::cook::CookError>(())
//! ```

use crate::{
    Progress,
    compress::{CompressError, CompressOptions, CompressReport, compress_clip},
};
use rayon::prelude::*;
use sinew::{Character, CharacterError, Clip};
use std::{ops::ControlFlow, sync::Arc};
use thiserror::Error;

/// What became of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CookedClip {
    /// It is stored in compressed frames now.
    Compressed,
    /// It keeps its keys, because it would grow or cannot hold the bound.
    Raw,
    /// It was stored in compressed frames before, and is as it was: compressing again would add to the error.
    Kept,
}

/// A clip of a character that was cooked.
#[derive(Clone, Debug, PartialEq)]
pub struct CookedClipReport {
    /// The name of the clip.
    pub name: String,
    /// What became of it.
    pub outcome: CookedClip,
    /// Size and error; without an error for a clip that is kept.
    pub size: CompressReport,
}

impl CookedClipReport {
    /// The size of the clip as it is stored, in bytes.
    #[must_use]
    pub fn stored_bytes(&self) -> usize {
        match self.outcome {
            CookedClip::Compressed | CookedClip::Kept => self.size.bytes,
            CookedClip::Raw => self.size.key_bytes,
        }
    }
}

/// Why a character cannot be cooked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CookError {
    /// A clip cannot be compressed.
    #[error(transparent)]
    Compress(#[from] CompressError),
    /// The clips do not fit the character, which is a bug and not caused by data.
    #[error(transparent)]
    Character(#[from] CharacterError),
    /// The caller stopped the work.
    #[error("stopped")]
    Stopped,
}

/// Compresses every clip of `character` that becomes smaller within the bound. The others keep their keys.
///
/// # Errors
/// If an option is not positive, or `progress` stops the work.
pub fn cook_clips(
    character: &Character,
    options: &CompressOptions,
    progress: Progress<'_>,
) -> Result<(Character, Vec<CookedClipReport>), CookError> {
    let clips = character.clips();
    let (mut made, mut reports) = (Vec::with_capacity(clips.len()), Vec::with_capacity(clips.len()));
    // As many at once as there are threads: the work can be stopped between them.
    let at_once = rayon::current_num_threads().max(1);
    for some in clips.chunks(at_once) {
        let cooked: Result<Vec<_>, _> =
            some.par_iter().map(|clip| cook_clip(clip, character, options)).collect();
        let (some, about): (Vec<_>, Vec<_>) = cooked?.into_iter().unzip();
        made.extend(some);
        reports.extend(about);
        if progress(made.len() as f32 / clips.len() as f32) == ControlFlow::Break(()) {
            return Err(CookError::Stopped);
        }
    }
    let mut parts = character.parts().clone();
    parts.clips = made;
    Ok((Character::new(parts)?, reports))
}

fn cook_clip(
    clip: &Arc<Clip>,
    character: &Character,
    options: &CompressOptions,
) -> Result<(Arc<Clip>, CookedClipReport), CompressError> {
    let name = clip.name().to_owned();
    if clip.compressed().is_some() {
        let size = size_of_kept(clip, character);
        return Ok((clip.clone(), CookedClipReport { name, outcome: CookedClip::Kept, size }));
    }
    Ok(match compress_clip(clip, character.skeleton(), options)? {
        (Some(made), size) => {
            let report = CookedClipReport { name, outcome: CookedClip::Compressed, size };
            (Arc::new(Clip::of_compressed(made)), report)
        }
        (None, size) => (clip.clone(), CookedClipReport { name, outcome: CookedClip::Raw, size }),
    })
}

/// The size of a clip that is in compressed frames already.
fn size_of_kept(clip: &Clip, character: &Character) -> CompressReport {
    let Some(compressed) = clip.compressed() else { return CompressReport::default() };
    let (frames, joints) = (&compressed.parts().frames, character.skeleton().len());
    let played = if frames.frame_count == 0 { 1 } else { frames.played_count() };
    CompressReport {
        frames: played,
        rate_hz: frames.rate_hz,
        joints,
        raw_bytes: played * (40 * joints + 4 * clip.morph_slot_count()),
        bytes: compressed.stored_bytes(),
        ..CompressReport::default()
    }
}
