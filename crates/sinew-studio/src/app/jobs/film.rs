//! A film export: one frame of the film per frame of the window.

use sinew_view::film::{FilmError, FilmProgress, GifRecorder};
use std::path::PathBuf;

/// A film export in progress.
pub(in crate::app) struct FilmExport {
    film: GifRecorder,
    path: PathBuf,
    progress: f32,
}

/// A finished film with the path that it is saved to.
pub(in crate::app) struct FinishedFilm {
    pub(in crate::app) bytes: Vec<u8>,
    pub(in crate::app) path: PathBuf,
}

/// The state of an export after a step.
pub(in crate::app) enum FilmStep {
    Working(Box<FilmExport>),
    Done(FinishedFilm),
}

impl FilmExport {
    pub(in crate::app) fn new(film: GifRecorder, path: PathBuf) -> Self {
        Self { film, path, progress: 0.0 }
    }

    /// The completed fraction, 0 to 1.
    pub(in crate::app) fn progress(&self) -> f32 {
        self.progress
    }

    /// Renders or encodes one frame.
    pub(in crate::app) fn step(mut self) -> Result<FilmStep, FilmError> {
        match self.film.step()? {
            FilmProgress::Working(progress) => Ok(FilmStep::Working(Box::new(Self { progress, ..self }))),
            FilmProgress::Done => {
                Ok(FilmStep::Done(FinishedFilm { bytes: self.film.finish()?, path: self.path }))
            }
        }
    }
}
