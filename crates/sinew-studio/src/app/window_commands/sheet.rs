//! The shortcut sheet of the window and the key list of the documentation, generated from the command table and the tools.

use super::{ALL, WindowCommand};
use crate::app::{tool::Toolbox, viewport};

/// A key or mouse gesture and what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) struct KeyHelp {
    pub(in crate::app) keys: &'static str,
    pub(in crate::app) action: &'static str,
}

/// Every key with what it does: the viewport's, the tools', then those of the command table.
fn rows() -> Vec<(String, String)> {
    let gestures = viewport::KEYS.into_iter().chain(Toolbox::keys());
    let gestures = gestures.map(|help| (help.keys.to_owned(), help.action.to_owned()));
    let with_keys = ALL.into_iter().filter(|command| !command.shortcuts.is_empty());
    gestures.chain(with_keys.map(|command| (labels(command), command.tooltip.to_owned()))).collect()
}

/// All shortcuts of a command that read differently: `Ctrl+Y / Ctrl+Shift+Z`.
fn labels(command: &WindowCommand) -> String {
    let mut labels: Vec<String> = command.shortcuts.iter().map(super::Shortcut::label).collect();
    // Shift is part of typing a question mark.
    labels.retain(|label| label != "Shift+?");
    labels.join(" / ")
}

/// The sheet, while `is_open`.
pub(in crate::app) fn show_sheet(ctx: &egui::Context, is_open: &mut bool) {
    let window = egui::Window::new("Shortcuts").open(is_open).collapsible(false).resizable(false);
    window.anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0]).show(ctx, |ui| {
        egui::Grid::new("keys").num_columns(2).spacing([24.0, 4.0]).show(ui, |ui| {
            for (keys, action) in rows() {
                ui.strong(keys);
                ui.label(action);
                ui.end_row();
            }
        });
    });
}

/// The shortcuts as a Markdown table, as `docs/studio.md` lists them.
pub fn shortcut_table() -> String {
    let row = |(keys, action): (String, String)| format!("| {keys} | {action} |\n");
    let rows: String = rows().into_iter().map(row).collect();
    format!("| keys | action |\n|---|---|\n{rows}")
}
