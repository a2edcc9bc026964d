//! The progress of a film export.

use super::{Dock, Panel, PanelContext};
use crate::app::actions::Action;

/// The progress of a film export.
pub(super) struct FilmPanel;

impl Panel for FilmPanel {
    fn dock(&self) -> Dock {
        Dock::Top("film")
    }

    fn is_visible(&self, context: &PanelContext<'_>) -> bool {
        context.jobs.film_progress().is_some()
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let Some(progress) = context.jobs.film_progress() else { return };
        ui.horizontal(|ui| {
            ui.label("Rendering the animated picture");
            ui.add(egui::ProgressBar::new(progress).desired_width(260.0).show_percentage());
            if ui.button("Cancel").clicked() {
                context.requests.act(Action::CancelFilm);
            }
        });
    }
}
