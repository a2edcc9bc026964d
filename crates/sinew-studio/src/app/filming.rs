//! A film in the making: some work every frame, a bar that says how far it is, and a way out.

use super::{Message, Studio};
use crate::{
    export::{FilmView, record_film},
    platform,
};
use sinew_view::film::{FilmError, FilmLimits, FilmProgress, GifRecorder};
use std::path::PathBuf;

/// A film and where it goes.
pub(super) struct Filming {
    film: GifRecorder,
    path: PathBuf,
    share: f32,
}

impl Studio {
    /// Begins an animated picture of the clip from where the camera is.
    pub(super) fn begin_film(&mut self, path: PathBuf) {
        let size = self.viewport.rect.size();
        let view = FilmView {
            stage: self.shown.stage().clone(),
            camera: self.viewport.camera,
            width: size.x.max(1.0) as u32,
            height: size.y.max(1.0) as u32,
            followed_travel: self.look.follow.then_some(self.followed.0),
        };
        match record_film(self.session.document(), view, FilmLimits::default()) {
            Ok(film) => self.filming = Some(Filming { film, path, share: 0.0 }),
            Err(error) => self.message = Some(Message::Failed(error.to_string())),
        }
    }

    /// The work of one picture, so that the window goes on; true while there is more.
    pub(super) fn go_on_filming(&mut self) -> bool {
        let Some(mut filming) = self.filming.take() else { return false };
        match filming.film.step() {
            Ok(FilmProgress::Working(share)) => {
                filming.share = share;
                self.filming = Some(filming);
                return true;
            }
            Ok(FilmProgress::Done) => {
                let Filming { film, path, .. } = filming;
                self.save_film(film.finish(), &path);
            }
            Err(error) => self.message = Some(Message::Failed(error.to_string())),
        }
        false
    }

    fn save_film(&mut self, bytes: Result<Vec<u8>, FilmError>, path: &std::path::Path) {
        let bytes = bytes.map_err(|e| e.to_string());
        self.tell(bytes.and_then(|bytes| platform::keep(path, &bytes)));
    }

    pub(super) fn film_bar(&mut self, ui: &mut egui::Ui) {
        let Some(filming) = &self.filming else { return };
        let share = filming.share;
        let is_cancelled = ui.horizontal(|ui| {
            ui.label("Drawing the animated picture");
            ui.add(egui::ProgressBar::new(share).desired_width(260.0).show_percentage());
            ui.button("Cancel").clicked()
        });
        if is_cancelled.inner {
            self.filming = None;
        }
    }
}
