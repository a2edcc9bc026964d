//! The top bar: menus, undo and redo, theme, shortcuts.

use super::{Dock, Panel, PanelContext};
use crate::{
    app::{
        actions::Action,
        files::Preferences,
        requests::Requests,
        saving::marked_name,
        window_commands::{self, Menu, menu_entries},
    },
    document::{Document, DocumentSource},
    export::{holds_pose, label, offered_formats},
    platform,
    session::Session,
};
use sinew_formats::export::ExportFormat;
use std::path::{Path, PathBuf};

/// The state of the bar: the paths in its text fields.
#[derive(Debug, Default)]
pub(super) struct TopBar {
    open_path: String,
    save_path: String,
    /// The source that `save_path` was proposed for.
    proposed_for: Option<DocumentSource>,
}

impl Panel for TopBar {
    fn dock(&self) -> Dock {
        Dock::Top("top")
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let PanelContext { session, files, requests, .. } = context;
        ui.add_space(3.0);
        ui.horizontal(|ui| {
            ui.strong("Sinew");
            ui.separator();
            self.open_menu(ui, files.preferences(), requests);
            self.save_menu(ui, session.document(), requests);
            ui.menu_button("View", |ui| menu_entries(ui, Menu::View, Path::new(""), requests));
            ui.separator();
            history_buttons(ui, session, requests);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                window_commands::SHORTCUTS.add(ui, egui::Button::new("?"), session, requests);
                let theme = if ui.visuals().dark_mode { "Light" } else { "Dark" };
                window_commands::THEME.add(ui, egui::Button::new(theme), session, requests);
                let document = session.document();
                ui.weak(describe(document));
                if session.unsaved().any() {
                    ui.strong(marked_name(session)).on_hover_text("Unsaved edits; Ctrl+S saves them");
                } else {
                    ui.label(session.name());
                }
            });
        });
        ui.add_space(3.0);
    }
}

impl TopBar {
    fn open_menu(&mut self, ui: &mut egui::Ui, preferences: &Preferences, requests: &mut Requests) {
        ui.menu_button("Open", |ui| {
            menu_entries(ui, Menu::Open, Path::new(""), requests);
            ui.weak(format!("{}; or drop a file on the window", platform::readable_extensions().join(", ")));
            recent_files(ui, preferences, requests);
            ui.separator();
            for name in sinew_samples::NAMES {
                if ui.button(name).clicked() {
                    requests.act(Action::Open(DocumentSource::Builtin(name.into())));
                    ui.close();
                }
            }
            if platform::HAS_PATHS {
                ui.separator();
                self.open_by_path(ui, requests);
            }
        });
    }

    /// A text field for desktops without file dialogs.
    fn open_by_path(&mut self, ui: &mut egui::Ui, requests: &mut Requests) {
        let label = ui.label("Or by path");
        let field = egui::TextEdit::singleline(&mut self.open_path).desired_width(320.0);
        let field = ui.add(field).labelled_by(label.id);
        let entered = field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
        if (ui.button("Open file").clicked() || entered) && !self.open_path.is_empty() {
            requests.act(Action::Open(DocumentSource::File(PathBuf::from(&self.open_path))));
            ui.close();
        }
    }

    fn save_menu(&mut self, ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
        if self.proposed_for.as_ref() != Some(document.source()) {
            self.proposed_for = Some(document.source().clone());
            self.save_path = document.source().save_path().display().to_string();
        }
        ui.menu_button("Save", |ui| {
            let label = ui.label(if platform::HAS_PATHS {
                "Weights and clips as .glb or .gltf"
            } else {
                "Name of the download"
            });
            let field = egui::TextEdit::singleline(&mut self.save_path).desired_width(320.0);
            ui.add(field).labelled_by(label.id);
            let path = PathBuf::from(&self.save_path);
            menu_entries(ui, Menu::Save, &path, requests);
            export_menu(ui, document, &path, requests);
        });
    }
}

fn recent_files(ui: &mut egui::Ui, preferences: &Preferences, requests: &mut Requests) {
    if preferences.recent().is_empty() {
        return;
    }
    ui.menu_button("Recent files", |ui| {
        for path in preferences.recent() {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            if ui.button(name).on_hover_text(path.display().to_string()).clicked() {
                requests.act(Action::OpenRecent(path.clone()));
                ui.close();
            }
        }
    });
}

/// The menu of the formats that the document can be exported to.
fn export_menu(ui: &mut egui::Ui, document: &Document, path: &Path, requests: &mut Requests) {
    ui.menu_button("Export", |ui| {
        for format in offered_formats() {
            let is_enabled = holds_pose(format) || document.clip().is_some();
            if ui.add_enabled(is_enabled, egui::Button::new(label(format))).clicked() {
                let stem = path.with_extension("");
                // A mesh with the character's own extension must not replace the character.
                let suffix = if format == ExportFormat::MeshGlb { "-pose" } else { "" };
                let name = format!("{}{suffix}.{}", stem.display(), format.extension());
                requests.act(Action::Export(format, name.into()));
                ui.close();
            }
        }
        let film = egui::Button::new("Clip as animated picture (.gif)");
        if ui.add_enabled(document.clip().is_some(), film).clicked() {
            requests.act(Action::Film(path.with_extension("gif")));
            ui.close();
        }
    });
}

fn history_buttons(ui: &mut egui::Ui, session: &Session, requests: &mut Requests) {
    let history = session.history();
    for (label, command, step) in [
        ("Undo", window_commands::UNDO, history.undo_name()),
        ("Redo", window_commands::REDO, history.redo_name()),
    ] {
        let tooltip = match step {
            Some(step) => format!("{step} ({})", command.shortcut_label()),
            None => command.shortcut_label(),
        };
        command.add_with_tooltip(ui, egui::Button::new(label), tooltip, session, requests);
    }
    ui.menu_button("History", |ui| {
        let steps: Vec<(&str, bool)> = history.steps().collect();
        if steps.is_empty() {
            ui.weak("No steps yet.");
        }
        let done = history.done_count();
        egui::ScrollArea::vertical().max_height(400.0).show(ui, |ui| {
            for (number, (name, is_done)) in steps.iter().enumerate() {
                let label = format!("{}. {name}", number + 1);
                if ui.selectable_label(number + 1 == done, label).clicked() {
                    // The clicked step becomes the last applied one.
                    (number + 1..done).for_each(|_| requests.undo());
                    (done..=number).filter(|_| !is_done).for_each(|_| requests.redo());
                }
            }
        });
    });
}

fn describe(document: &Document) -> String {
    let character = document.character();
    let vertices: usize = character.instances().iter().map(|i| character.mesh_of(i).vertex_count()).sum();
    let count =
        |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let joints = count(character.skeleton().len(), "joint", "joints");
    let clips = count(character.clips().len(), "clip", "clips");
    format!("{joints}, {vertices} vertices, {clips}")
}
