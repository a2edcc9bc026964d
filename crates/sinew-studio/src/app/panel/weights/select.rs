//! Buttons that select vertices by a rule.

use crate::{
    app::requests::Requests,
    command::{Command, SelectBy, SelectMode},
    document::Document,
};

pub(super) fn show(ui: &mut egui::Ui, document: &Document, max_influences: usize, requests: &mut Requests) {
    let modifiers = ui.input(|i| i.modifiers);
    let mode = SelectMode::from_modifiers(modifiers.shift, modifiers.command);
    let selection = document.selection();
    let mut rule = |ui: &mut egui::Ui, label: &str, is_enabled: bool, by: SelectBy| {
        let button = ui.add_enabled(is_enabled, egui::Button::new(label).small());
        if button.on_hover_text(by.info().tooltip).clicked() {
            requests.command(Command::SelectBy { by, mode });
        }
    };
    let mut is_cleared = false;
    ui.horizontal_wrapped(|ui| {
        ui.weak("Select");
        rule(ui, "All", true, SelectBy::All);
        let has_selected = selection.vertex_count() > 0;
        is_cleared = ui.add_enabled(has_selected, egui::Button::new("None").small()).clicked();
        rule(ui, "Invert", true, SelectBy::Inverse);
        rule(ui, "Grow", true, SelectBy::Grown);
        rule(ui, "Shrink", true, SelectBy::Shrunk);
    });
    ui.horizontal_wrapped(|ui| {
        rule(ui, "Connected", true, SelectBy::Connected);
        let joint = selection.joint.map_or(0, |joint| joint.0);
        rule(ui, "Of joint", selection.joint.is_some(), SelectBy::Joint(joint));
        rule(ui, "Over limit", true, SelectBy::Over(max_influences));
        rule(ui, "Bad", true, SelectBy::BadlyWeighted);
    });
    if is_cleared {
        requests.command(Command::ClearVertices);
    }
}
