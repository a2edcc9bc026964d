//! Exports of the document for other programs: the pose as a mesh, the clip as a vertex cache, the clip as a film.

mod film;

pub(crate) use film::travel;
pub use film::{FilmView, record_film};

use crate::document::Document;
use sinew::{Method, sample::TimeRange};
use sinew_author::motion::{MotionError, blended};
use sinew_formats::{
    bake::BakeMotion,
    export::{self as formats, ExportFormat, ExportInput, ExportSource},
};
use thiserror::Error;

/// Samples per second of a vertex cache.
const FPS: f32 = 30.0;
/// The maximum number of vertices over all times in one file: half a gigabyte of positions.
const MAX_VERTICES: usize = 40_000_000;

/// Why an export failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DocumentExportError {
    /// The format holds a clip, and none is chosen.
    #[error("no clip is chosen")]
    NoClip,
    /// The file would be too large.
    #[error("{vertices} vertices at {times} times exceed the {MAX_VERTICES} that one file may hold")]
    TooLarge {
        /// The number of the character's vertices.
        vertices: usize,
        /// The number of times.
        times: usize,
    },
    /// The two clips cannot be blended.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// The format cannot hold the document's pose or clip.
    #[error(transparent)]
    Format(#[from] formats::ExportError),
}

/// The formats that the studio offers, those of one pose first. Each export is one file, as a browser downloads it.
pub fn offered_formats() -> impl Iterator<Item = ExportFormat> {
    let offered = || ExportFormat::OF_VERTICES.into_iter().filter(|format| format.is_one_file());
    offered().filter(|format| holds_pose(*format)).chain(offered().filter(|format| !holds_pose(*format)))
}

/// True when the format holds the document's pose, false when it holds the chosen clip.
pub fn holds_pose(format: ExportFormat) -> bool {
    matches!(format.input(), ExportInput::OnePose | ExportInput::EachPose)
}

/// The text of a menu entry, for instance `Pose as mesh (.obj)`.
pub fn label(format: ExportFormat) -> String {
    let source = if holds_pose(format) { "Pose" } else { "Clip" };
    format!("{source} as {} (.{})", format.noun(), format.extension())
}

/// The content of one file.
///
/// # Errors
/// When no clip is chosen for a format of clips, the file would be too large, or the format cannot hold the data.
pub fn export(document: &Document, format: ExportFormat) -> Result<Vec<u8>, DocumentExportError> {
    if holds_pose(format) {
        let pose = std::slice::from_ref(document.pose());
        return exported(document, format, BakeMotion::Poses(pose), &[0.0]);
    }
    let clip = document.clip().ok_or(DocumentExportError::NoClip)?;
    let (clip, range) = match (document.pair(), document.playhead().mix) {
        (Some(pair), Some(mix)) => {
            let mixed = blended("mix", document.character(), &pair, mix.weight, FPS)?;
            let whole = TimeRange::whole(mixed.duration_secs());
            (mixed, whole)
        }
        _ => (sinew::Clip::clone(clip), document.playhead().range(clip.duration_secs())),
    };
    let count = (range.length_secs() * FPS).round().clamp(1.0, 1e7) as usize;
    let at = |k: usize| range.start_secs() + range.length_secs() * k as f32 / count as f32;
    let times: Vec<f32> = (0..=count.min(MAX_VERTICES)).map(at).collect();
    exported(document, format, BakeMotion::Clip(&clip), &times)
}

fn exported(
    document: &Document,
    format: ExportFormat,
    motion: BakeMotion<'_>,
    times_secs: &[f32],
) -> Result<Vec<u8>, DocumentExportError> {
    let character = document.character();
    let vertices: usize = character.instances().iter().map(|i| character.mesh_of(i).vertex_count()).sum();
    let times = times_secs.len();
    if vertices.checked_mul(times).is_none_or(|all| all > MAX_VERTICES) {
        return Err(DocumentExportError::TooLarge { vertices, times });
    }
    let method = if document.is_ready(document.method()) { document.method() } else { Method::Linear };
    let source = ExportSource { motion, times_secs, ..ExportSource::new(character, method) };
    let files = formats::export(format, &source, &mut |_| {})?;
    Ok(files.into_iter().next().map(|file| file.bytes).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_menu_offers_every_vertex_format_of_one_file() {
        let labels: Vec<String> = offered_formats().map(label).collect();
        let expected = [
            "Pose as mesh (.obj)",
            "Pose as mesh (.glb)",
            "Clip as NumPy array (.npy)",
            "Clip as point cache (.pc2)",
        ];
        assert_eq!(labels, expected);
    }
}
