//! The message line: the outcome of the last action.

use super::{Dock, Panel, PanelContext};
use crate::app::{Message, actions::Action};

/// The line with the outcome of the last action.
pub(super) struct MessagePanel;

impl Panel for MessagePanel {
    fn dock(&self) -> Dock {
        Dock::Top("message")
    }

    fn is_visible(&self, context: &PanelContext<'_>) -> bool {
        context.message.is_some()
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let Some(message) = context.message else { return };
        ui.horizontal(|ui| {
            match message {
                Message::Done(text) => ui.label(text),
                Message::Failed(text) => ui.colored_label(ui.visuals().error_fg_color, text),
            };
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if ui.small_button("Dismiss").clicked() {
                    context.requests.act(Action::DismissMessage);
                }
            });
        });
    }
}
