//! An animated picture of the clip, made step by step.

use crate::document::{Document, Evaluation, Mix};
use sinew::{DeformError, LocalPose, blend::PosePair};
use sinew_view::{
    camera::Camera,
    encode::{Animation, EncodeError, GifWriter},
    geometry::GeometryError,
    picture::Picture,
    raster::{RenderError, RenderOptions, render},
    stage::Stage,
};
use std::time::Duration;
use thiserror::Error;

/// How large and how long a film is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmOptions {
    /// Pixels across, at most; the height follows from the view.
    pub most_width: u32,
    /// Pictures, at most: of a long clip there are fewer a second.
    pub most_frames: usize,
    /// Pictures a second, at most.
    pub most_fps: f32,
}

impl Default for FilmOptions {
    fn default() -> Self {
        Self { most_width: 480, most_frames: 150, most_fps: 20.0 }
    }
}

/// Why there is no film.
#[derive(Debug, Error)]
pub enum FilmError {
    /// No clip is chosen.
    #[error("no clip is chosen")]
    NoClip,
    /// The character cannot be deformed.
    #[error(transparent)]
    Deform(#[from] DeformError),
    /// The character cannot be shown.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// A picture cannot be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The pictures make no file.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// What a film is at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FilmStage {
    /// Pictures are drawn and packed: how much of the work is done, 0 to 1.
    Working(f32),
    /// The file can be taken.
    Done,
}

/// A film of the document's clip as it was when the film was begun. Each [`ExportFilm::step`] is the work of one picture.
pub struct ExportFilm {
    document: Document,
    evaluation: Evaluation,
    stage: Stage,
    camera: Camera,
    options: RenderOptions,
    times_secs: Vec<f32>,
    frame_time: Duration,
    frames: Vec<Picture>,
    writer: Option<GifWriter>,
    packed: usize,
}

impl ExportFilm {
    /// Begins a film of the part of the clip that is played, seen by `camera` as `stage` shows it, in the shape `width` by `height`.
    ///
    /// # Errors
    /// Where no clip is chosen.
    pub fn new(
        document: &Document,
        (stage, camera): (Stage, Camera),
        (width, height): (u32, u32),
        options: FilmOptions,
    ) -> Result<Self, FilmError> {
        let clip = document.clip().ok_or(FilmError::NoClip)?;
        let range = document.playhead().range(clip.duration_secs());
        let length_secs = range.length_secs();
        // A mix in step lasts longer or shorter than its first clip.
        let mixed = |(pair, mix): (PosePair, Mix)| {
            let at = |secs: f32| pair.mixed_secs(secs, mix.share);
            at(range.end_secs()) - at(range.start_secs())
        };
        let lasts_secs = document.pair().zip(document.playhead().mix).map_or(length_secs, mixed);
        let count = (lasts_secs * options.most_fps).round().clamp(1.0, options.most_frames.max(1) as f32);
        let times_secs = (0..count as usize).map(|k| range.start_secs() + length_secs * k as f32 / count);
        let shrink = (options.most_width as f32 / width.max(1) as f32).min(1.0);
        let side = |pixels: u32| (pixels as f32 * shrink).round().max(1.0) as u32;
        Ok(Self {
            evaluation: Evaluation::new(document),
            document: document.clone(),
            stage,
            camera,
            options: RenderOptions::new(side(width), side(height)),
            times_secs: times_secs.collect(),
            frame_time: Duration::from_secs_f32((lasts_secs / count).clamp(0.02, 10.0)),
            frames: Vec::new(),
            writer: None,
            packed: 0,
        })
    }

    /// Does the work of one picture.
    ///
    /// # Errors
    /// Where a picture cannot be drawn or packed.
    pub fn step(&mut self) -> Result<FilmStage, FilmError> {
        let count = self.times_secs.len();
        if let Some(time_secs) = self.times_secs.get(self.frames.len()) {
            let picture = self.draw(*time_secs)?;
            self.frames.push(picture);
        } else if let Some(writer) = &mut self.writer {
            if let Some(frame) = self.frames.get(self.packed) {
                writer.push(frame)?;
                self.packed += 1;
            }
        } else {
            let animation = Animation { frames: &self.frames, frame_time: self.frame_time };
            self.writer = Some(GifWriter::new(animation)?);
        }
        if self.packed == count {
            return Ok(FilmStage::Done);
        }
        // Drawing takes far longer than packing.
        let (drawn, packed) = (self.frames.len() as f32, self.packed as f32);
        Ok(FilmStage::Working((0.85 * drawn + 0.15 * packed) / count as f32))
    }

    fn draw(&mut self, time_secs: f32) -> Result<Picture, FilmError> {
        let pose: LocalPose = self.document.pose_at(time_secs);
        self.evaluation.follow(&self.document, Some(&pose))?;
        let frame = self.evaluation.frame();
        let scene = self.stage.scene(self.document.character(), frame, self.camera)?;
        Ok(render(&scene, &self.options)?)
    }

    /// The file, where all is done.
    ///
    /// # Errors
    /// Where it is not done yet, or the encoder fails.
    pub fn finish(self) -> Result<Vec<u8>, FilmError> {
        let writer = self.writer.ok_or(EncodeError::NoFrames)?;
        Ok(writer.finish()?)
    }
}
