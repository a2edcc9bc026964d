//! The question what happens to unsaved edits.

use super::{Dock, Panel, PanelContext};
use crate::app::{actions::Action, saving::UnsavedAnswer};

/// Save, discard or cancel, before another file is opened or the window closes.
pub(super) struct UnsavedPanel;

impl Panel for UnsavedPanel {
    fn dock(&self) -> Dock {
        Dock::Floating
    }

    fn is_visible(&self, context: &PanelContext<'_>) -> bool {
        context.files.question().is_some()
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let Some(deferred) = context.files.question() else { return };
        let (name, unsaved) = (context.session.name(), context.session.unsaved());
        let mut answer = None;
        let modal = egui::Modal::new(egui::Id::unique("unsaved edits")).show(ui.ctx(), |ui| {
            ui.set_max_width(420.0);
            ui.heading(match unsaved.file {
                true => format!("Save the edits of {name}?"),
                false => format!("Keep the pose of {name}?"),
            });
            ui.add_space(6.0);
            if unsaved.file {
                ui.label("Weights, clips or joints have changed since the file was saved.");
            }
            if unsaved.pose {
                ui.label("The pose is not keyed. A file holds clips, but no pose beside them.");
            }
            ui.add_space(10.0);
            ui.horizontal(|ui| {
                let verb = deferred.verb();
                let answers = [
                    (unsaved.file, format!("Save and {verb}"), UnsavedAnswer::Save),
                    (unsaved.pose, format!("Key pose, save and {verb}"), UnsavedAnswer::KeyAndSave),
                    (true, "Discard edits".into(), UnsavedAnswer::Discard),
                    (true, "Cancel".into(), UnsavedAnswer::Cancel),
                ];
                for (is_offered, label, meaning) in answers {
                    if is_offered && ui.button(label).clicked() {
                        answer = Some(meaning);
                    }
                }
            });
        });
        if modal.should_close() {
            answer = answer.or(Some(UnsavedAnswer::Cancel));
        }
        if let Some(answer) = answer {
            context.requests.act(Action::Answer(answer));
        }
    }
}
