//! The question before a file is saved that would lack something of the opened one.

use super::{Dock, Panel, PanelContext};
use crate::app::{actions::Action, saving::SaveRequest};

/// What saving would drop, with the choice to save anyway.
pub(super) struct SaveLossesPanel;

impl Panel for SaveLossesPanel {
    fn dock(&self) -> Dock {
        Dock::Top("save losses")
    }

    fn is_visible(&self, context: &PanelContext<'_>) -> bool {
        context.files.unconfirmed_save().is_some()
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        const SHOWN: usize = 6;
        let Some(unconfirmed) = context.files.unconfirmed_save() else { return };
        let (losses, request) = (&unconfirmed.losses, &unconfirmed.request);
        let count = losses.lines.len();
        ui.label(format!("{} would lack some of the opened file:", losses.path.display()));
        losses.lines.iter().take(SHOWN).for_each(|line| drop(ui.weak(line)));
        if count > SHOWN {
            ui.weak(format!("and {} more", count - SHOWN));
        }
        ui.horizontal(|ui| {
            if ui.button("Save anyway").on_hover_text("Write the file without them").clicked() {
                let request = SaveRequest { is_confirmed: true, ..request.clone() };
                context.requests.act(Action::Save(request));
            }
            if ui.button("Cancel").on_hover_text("Write nothing").clicked() {
                context.requests.act(Action::CancelSave);
            }
        });
    }
}
