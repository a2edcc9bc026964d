use std::time::Duration;

use sinew::LocalPose;

use super::{Film, FilmError};
use crate::camera::Camera;
use crate::encode::{Animation, EncodeError, GifWriter};
use crate::picture::Picture;
use crate::raster::RenderOptions;

/// Upper limits on the size, length and rate of a film.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmLimits {
    /// Widest picture in pixels; the height keeps the view's aspect ratio.
    pub max_width: u32,
    /// Most frames; longer clips get a lower frame rate.
    pub max_frames: usize,
    /// Highest frame rate in frames per second.
    pub max_fps: f32,
}

impl Default for FilmLimits {
    fn default() -> Self {
        Self { max_width: 480, max_frames: 150, max_fps: 20.0 }
    }
}

impl FilmLimits {
    /// How many frames a film of `duration_secs` gets, at least one.
    pub fn frame_count(&self, duration_secs: f32) -> usize {
        (duration_secs * self.max_fps).round().clamp(1.0, self.max_frames.max(1) as f32) as usize
    }

    /// How long each of `count` frames of a film of `duration_secs` is shown, within what GIF viewers support.
    pub fn frame_time(&self, duration_secs: f32, count: usize) -> Duration {
        Duration::from_secs_f32((duration_secs / count.max(1) as f32).clamp(0.02, 10.0))
    }

    /// Render options for a view of `width` by `height` pixels, scaled down to [`FilmLimits::max_width`].
    pub fn render_options(&self, width: u32, height: u32) -> RenderOptions {
        let scale = (self.max_width as f32 / width.max(1) as f32).min(1.0);
        let side = |pixels: u32| (pixels as f32 * scale).round().max(1.0) as u32;
        RenderOptions::new(side(width), side(height))
    }
}

/// What a [`GifRecorder`] draws.
#[derive(Clone, Debug)]
pub struct FilmTake {
    /// One pose per frame.
    pub poses: Vec<LocalPose>,
    /// How long each frame is shown.
    pub frame_time: Duration,
    /// The camera of a pose without travel.
    pub camera: Camera,
    /// Size and quality of the pictures.
    pub options: RenderOptions,
}

/// The progress of a [`GifRecorder`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FilmProgress {
    /// The fraction of the work that is done, 0 to 1.
    Working(f32),
    /// [`GifRecorder::finish`] returns the file.
    Done,
}

/// Makes an animated GIF, one picture per [`GifRecorder::step`].
pub struct GifRecorder {
    film: Film,
    take: FilmTake,
    frames: Vec<Picture>,
    writer: Option<GifWriter>,
    encoded: usize,
}

impl GifRecorder {
    /// Starts a recording; nothing is drawn yet.
    pub fn new(film: Film, take: FilmTake) -> Self {
        Self { film, take, frames: Vec::new(), writer: None, encoded: 0 }
    }

    /// Draws or encodes one picture.
    ///
    /// # Errors
    /// If a picture cannot be drawn or encoded.
    pub fn step(&mut self) -> Result<FilmProgress, FilmError> {
        let count = self.take.poses.len();
        if let Some(pose) = self.take.poses.get(self.frames.len()) {
            self.film.pose(pose)?;
            self.frames.push(self.film.shoot(self.take.camera, &self.take.options)?);
        } else if let Some(writer) = &mut self.writer {
            if let Some(frame) = self.frames.get(self.encoded) {
                writer.push(frame)?;
                self.encoded += 1;
            }
        } else {
            let animation = Animation { frames: &self.frames, frame_time: self.take.frame_time };
            self.writer = Some(GifWriter::new(animation)?);
        }
        if self.encoded == count {
            return Ok(FilmProgress::Done);
        }
        // Drawing takes far longer than encoding.
        let (drawn, encoded) = (self.frames.len() as f32, self.encoded as f32);
        Ok(FilmProgress::Working((0.85 * drawn + 0.15 * encoded) / count as f32))
    }

    /// The bytes of the GIF.
    ///
    /// # Errors
    /// [`EncodeError::NoFrames`] before [`FilmProgress::Done`], or the encoder's own error.
    pub fn finish(self) -> Result<Vec<u8>, FilmError> {
        if self.encoded < self.take.poses.len() {
            return Err(EncodeError::NoFrames.into());
        }
        let writer = self.writer.ok_or(EncodeError::NoFrames)?;
        Ok(writer.finish()?)
    }
}
