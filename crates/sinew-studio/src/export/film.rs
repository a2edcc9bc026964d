//! The clip as an animated GIF from the viewport's camera.

use super::DocumentExportError;
use crate::document::{Document, Mix};
use sinew::{LocalPose, Method, ModelPose, blend::PosePair, glam::Vec3};
use sinew_view::{
    camera::{Camera, CameraFollow},
    film::{Film, FilmLimits, FilmTake, GifRecorder, loop_times},
    stage::Stage,
};
use std::sync::Arc;

/// The viewport that a film is recorded from.
#[derive(Clone, Debug)]
pub struct FilmView {
    /// How the character is shown.
    pub stage: Stage,
    /// The viewport's camera as it is now.
    pub camera: Camera,
    /// Width of the viewport in pixels.
    pub width: u32,
    /// Height of the viewport in pixels.
    pub height: u32,
    /// Where the character stands that the camera follows; `None` keeps the camera still.
    pub followed_travel: Option<Vec3>,
}

/// Starts a film of the part of the clip that is played.
///
/// # Errors
/// [`DocumentExportError::NoClip`] if no clip is selected.
pub fn record_film(
    document: &Document,
    view: FilmView,
    limits: FilmLimits,
) -> Result<GifRecorder, DocumentExportError> {
    let clip = document.clip().ok_or(DocumentExportError::NoClip)?;
    let range = document.playhead().range(clip.duration_secs());
    // A synchronized blend lasts longer or shorter than its first clip.
    let mixed = |(pair, mix): (PosePair, Mix)| {
        let at = |secs: f32| pair.mixed_secs(secs, mix.weight);
        at(range.end_secs()) - at(range.start_secs())
    };
    let duration_secs = document.pair().zip(document.playhead().mix).map_or(range.length_secs(), mixed);
    let count = limits.frame_count(duration_secs);
    let poses = loop_times(range, count).into_iter().map(|secs| document.pose_at(secs)).collect();
    let method = if document.is_ready(document.method()) { document.method() } else { Method::Linear };
    let follow = view.followed_travel.and_then(|_| camera_follow(document));
    let film =
        Film::new(Arc::clone(document.character()), view.stage).with_method(method).with_follow(follow);
    let take = FilmTake {
        poses,
        frame_time: limits.frame_time(duration_secs, count),
        camera: view.camera.moved_by(-view.followed_travel.unwrap_or_default()),
        options: limits.render_options(view.width, view.height),
    };
    Ok(GifRecorder::new(film, take))
}

/// How far `pose` has carried the document's character over the ground, in meters; zero for a pose of another
/// skeleton.
pub(crate) fn travel(document: &Document, pose: &LocalPose) -> Vec3 {
    let skeleton = document.character().skeleton();
    let follow = camera_follow(document).filter(|_| pose.joints.len() == skeleton.len());
    follow.map_or(Vec3::ZERO, |follow| {
        let mut model = ModelPose::new(skeleton);
        model.update(skeleton, pose);
        follow.travel(&model)
    })
}

/// Follows what the selected clips move, or what any clip moves while a graph or nothing is selected.
fn camera_follow(document: &Document) -> Option<CameraFollow> {
    let character = document.character();
    let playhead = document.playhead();
    let selected = [playhead.clip, playhead.mix.map(|mix| mix.clip)].into_iter().flatten();
    let clips = || character.clips().iter().map(|clip| &**clip);
    if document.graph().is_some() || playhead.clip.is_none() {
        return CameraFollow::of_clips(character, clips());
    }
    CameraFollow::of_clips(character, selected.filter_map(|index| clips().nth(index)))
}
