//! The document in files that other programs read: a pose as a mesh, a clip as moving vertices, a clip as a film.

mod film;

pub use film::{ExportFilm, FilmError, FilmOptions, FilmStage};

use crate::document::Document;
use sinew::{DeformError, Method, sample::TimeRange};
use sinew_author::motion::{MotionError, baked, blended};
use sinew_formats::{
    WriteError,
    bake::{Bake, BakeTake, obj, pc2, static_character},
    to_glb,
};
use std::io;
use thiserror::Error;

/// Samples a second of moving vertices.
const FPS: f32 = 30.0;
/// The most vertices over all times that one file gets: half a gigabyte of positions.
const MOST_VERTICES: usize = 40_000_000;

/// What can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// The pose as a plain mesh in a .glb.
    Mesh,
    /// The pose as an .obj.
    Obj,
    /// The vertices of the chosen clip, or of its mix, as a .pc2.
    PointCache,
}

impl Export {
    /// Everything.
    pub const ALL: [Self; 3] = [Self::Mesh, Self::Obj, Self::PointCache];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mesh => "Pose as mesh (.glb)",
            Self::Obj => "Pose as mesh (.obj)",
            Self::PointCache => "Clip as point cache (.pc2)",
        }
    }

    /// How its file's name ends.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Mesh => "glb",
            Self::Obj => "obj",
            Self::PointCache => "pc2",
        }
    }
}

/// Why nothing was exported.
#[derive(Debug, Error)]
pub enum ExportError {
    /// No clip is chosen.
    #[error("no clip is chosen")]
    NoClip,
    /// The file would be too large.
    #[error("{vertices} vertices at {times} times are too many for one file")]
    TooLarge {
        /// Vertices of the character.
        vertices: usize,
        /// Times.
        times: usize,
    },
    /// The character cannot be deformed so.
    #[error(transparent)]
    Deform(#[from] DeformError),
    /// The pose or the mix makes no clip.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// The mesh cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The bytes of a file.
///
/// # Errors
/// Where there is nothing to export, it would be too large, or it cannot be written in that format.
pub fn export(document: &Document, what: Export) -> Result<Vec<u8>, ExportError> {
    match what {
        Export::Mesh => {
            let mut evaluation = crate::document::Evaluation::new(document);
            evaluation.follow(document, None)?;
            Ok(to_glb(&static_character(document.character(), evaluation.frame())?)?)
        }
        Export::Obj => {
            let pose = std::slice::from_ref(document.pose());
            let clip = baked("pose", document.character(), &[0.0], pose)?;
            let bake = record(document, &clip, &[0.0], true)?;
            let mut bytes = Vec::new();
            obj::write(&bake, 0, &mut bytes)?;
            Ok(bytes)
        }
        Export::PointCache => {
            let clip = document.clip().ok_or(ExportError::NoClip)?;
            let (clip, range) = match (document.pair(), document.playhead().mix) {
                (Some(pair), Some(mix)) => {
                    let mixed = blended("mix", document.character(), &pair, mix.share, FPS)?;
                    let whole = TimeRange::whole(mixed.duration_secs());
                    (mixed, whole)
                }
                _ => (sinew::Clip::clone(clip), document.playhead().range(clip.duration_secs())),
            };
            let count = (range.length_secs() * FPS).round().clamp(1.0, 1e7) as usize;
            let at = |k: usize| range.start_secs() + range.length_secs() * k as f32 / count as f32;
            let times: Vec<f32> = (0..=count.min(MOST_VERTICES)).map(at).collect();
            let bake = record(document, &clip, &times, false)?;
            let mut bytes = Vec::new();
            pc2::write(&bake, pc2::Pc2Times { start_frame: 0.0, frames_per_sample: 1.0 }, &mut bytes)?;
            Ok(bytes)
        }
    }
}

fn record(
    document: &Document,
    clip: &sinew::Clip,
    times_secs: &[f32],
    normals: bool,
) -> Result<Bake, ExportError> {
    let character = document.character();
    let vertices: usize = character.instances().iter().map(|i| character.mesh_of(i).vertex_count()).sum();
    let times = times_secs.len();
    if vertices.checked_mul(times).is_none_or(|all| all > MOST_VERTICES) {
        return Err(ExportError::TooLarge { vertices, times });
    }
    let method = if document.is_ready(document.method()) { document.method() } else { Method::Linear };
    let take = BakeTake { clip: Some(clip), times_secs, method, normals };
    Ok(Bake::record(character, &[], &take, &mut |_| {})?)
}
