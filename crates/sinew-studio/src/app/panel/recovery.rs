//! The offer to continue a session that was not closed.

use super::{Dock, Panel, PanelContext};
use crate::app::actions::Action;

/// The offer to recover a session.
pub(super) struct RecoveryPanel;

impl Panel for RecoveryPanel {
    fn dock(&self) -> Dock {
        Dock::Top("recovery")
    }

    fn is_visible(&self, context: &PanelContext<'_>) -> bool {
        context.files.unclosed_session().is_some()
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let Some(unclosed) = context.files.unclosed_session() else { return };
        let steps =
            if unclosed.steps() == 1 { "1 step".into() } else { format!("{} steps", unclosed.steps()) };
        ui.horizontal(|ui| {
            ui.label(format!("The last session was not closed: {steps} can be recovered."));
            if ui.button("Recover").on_hover_text("Continue where that session stopped").clicked() {
                context.requests.act(Action::Recover);
            }
            if ui.button("Discard").on_hover_text("Delete the recovery journal").clicked() {
                context.requests.act(Action::DiscardRecovery);
            }
        });
    }
}
