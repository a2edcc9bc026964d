//! The top bar: open, save, undo, and what went wrong.

use super::{
    remembered::Remembered,
    requests::{Action, Requests},
};
use crate::{
    command::Command,
    document::{Document, DocumentSource},
    export::{holds_pose, label, offered_formats},
    platform,
    session::Session,
};
use sinew_formats::export::ExportFormat;
use sinew_view::camera::Orbit;
use std::path::{Path, PathBuf};

/// What the bar keeps: the paths that are being typed.
#[derive(Debug, Default)]
pub(super) struct TopBar {
    open_path: String,
    save_path: String,
    /// The source that the path to save is a proposal for.
    proposed_for: Option<DocumentSource>,
}

impl TopBar {
    pub(super) fn show(
        &mut self,
        ui: &mut egui::Ui,
        session: &Session,
        remembered: &Remembered,
        requests: &mut Requests,
    ) {
        ui.add_space(3.0);
        ui.horizontal(|ui| {
            ui.strong("Sinew");
            ui.separator();
            self.open_menu(ui, remembered, requests);
            self.save_menu(ui, session.document(), requests);
            view_menu(ui, requests);
            ui.separator();
            history_buttons(ui, session, requests);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                if ui.button("?").on_hover_text("Keys").clicked() {
                    requests.act(Action::ToggleHelp);
                }
                let theme = if ui.visuals().dark_mode { "Light" } else { "Dark" };
                if ui.button(theme).on_hover_text("Change the colours of the window").clicked() {
                    requests.act(Action::ToggleTheme);
                }
                let document = session.document();
                ui.weak(describe(document));
                ui.label(document.source().to_string());
            });
        });
        ui.add_space(3.0);
    }

    fn open_menu(&mut self, ui: &mut egui::Ui, remembered: &Remembered, requests: &mut Requests) {
        ui.menu_button("Open", |ui| {
            let hint =
                format!("{}; or drop a file on the window", platform::readable_extensions().join(", "));
            if ui.button("Choose a file…").on_hover_text(hint).clicked() {
                requests.act(Action::AskFile);
                ui.close();
            }
            recent_files(ui, remembered, requests);
            ui.separator();
            for name in sinew_samples::NAMES {
                if ui.button(name).clicked() {
                    requests.command(Command::Open(DocumentSource::Builtin(name.into())));
                    ui.close();
                }
            }
            if platform::HAS_PATHS {
                ui.separator();
                self.open_by_path(ui, requests);
            }
        });
    }

    /// For desktops that have no dialog to show.
    fn open_by_path(&mut self, ui: &mut egui::Ui, requests: &mut Requests) {
        let label = ui.label("Or by its path");
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
            self.save_path = document.source().proposal().display().to_string();
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
            if platform::HAS_PATHS && ui.button("Choose where to save…").clicked() {
                requests.act(Action::AskPlace { proposed: path.clone(), then: Action::Save });
                ui.close();
            }
            if ui.button("Save character").clicked() {
                requests.act(Action::Save(path.clone()));
                ui.close();
            }
            export_menu(ui, document, &path, requests);
            if ui.button("Save picture of the view").clicked() {
                requests.act(Action::Picture(path.with_extension("png")));
                ui.close();
            }
        });
    }
}

fn recent_files(ui: &mut egui::Ui, remembered: &Remembered, requests: &mut Requests) {
    if remembered.recent().is_empty() {
        return;
    }
    ui.menu_button("Recent files", |ui| {
        for path in remembered.recent() {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            if ui.button(name).on_hover_text(path.display().to_string()).clicked() {
                requests.act(Action::OpenRecent(path.clone()));
                ui.close();
            }
        }
    });
}

/// What other programs read.
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

fn view_menu(ui: &mut egui::Ui, requests: &mut Requests) {
    ui.menu_button("View", |ui| {
        let views = [
            ("Front", Orbit::FRONT),
            ("Side", Orbit::SIDE),
            ("Top", Orbit::degrees(0.0, 90.0)),
            ("Three quarters", Orbit::THREE_QUARTER),
        ];
        for (name, orbit) in views {
            if ui.button(name).clicked() {
                requests.act(Action::View(orbit));
                ui.close();
            }
        }
        if ui.button("Frame all").clicked() {
            requests.act(Action::FrameAll);
            ui.close();
        }
        if ui.button("Frame selection").clicked() {
            requests.act(Action::FrameSelection);
            ui.close();
        }
    });
}

fn history_buttons(ui: &mut egui::Ui, session: &Session, requests: &mut Requests) {
    let history = session.history();
    let hint = |name: Option<&str>, keys: &str| name.map_or_else(|| keys.into(), |n| format!("{n} ({keys})"));
    let undo = ui.add_enabled(history.undo_name().is_some(), egui::Button::new("Undo"));
    if undo.on_hover_text(hint(history.undo_name(), "Ctrl+Z")).clicked() {
        requests.undo();
    }
    let redo = ui.add_enabled(history.redo_name().is_some(), egui::Button::new("Redo"));
    if redo.on_hover_text(hint(history.redo_name(), "Ctrl+Y")).clicked() {
        requests.redo();
    }
    ui.menu_button("History", |ui| {
        let steps: Vec<(&str, bool)> = history.steps().collect();
        if steps.is_empty() {
            ui.weak("Nothing was done yet.");
        }
        let done = history.done_count();
        egui::ScrollArea::vertical().max_height(400.0).show(ui, |ui| {
            for (number, (name, is_done)) in steps.iter().enumerate() {
                let label = format!("{}. {name}", number + 1);
                if ui.selectable_label(number + 1 == done, label).clicked() {
                    // The step that was clicked becomes the last that is done.
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
