//! Buttons that select vertices by what they are.

use crate::{
    app::requests::Requests,
    command::{Command, How, SelectBy},
    document::Document,
};

pub(super) fn show(ui: &mut egui::Ui, document: &Document, most: usize, requests: &mut Requests) {
    let modifiers = ui.input(|i| i.modifiers);
    let how = how(modifiers);
    let mut ask = |by| requests.command(Command::SelectBy { by, how });
    ui.horizontal_wrapped(|ui| {
        ui.weak("Select");
        if ui.small_button("All").clicked() {
            ask(SelectBy::All);
        }
        let changes = [
            ("Invert", SelectBy::Inverse, "What is not selected"),
            ("Connected", SelectBy::Connected, "All that hangs together with the selection"),
            ("Grow", SelectBy::Grown, "One ring more"),
            ("Shrink", SelectBy::Shrunk, "One ring less"),
        ];
        for (name, by, hint) in changes {
            if ui.small_button(name).on_hover_text(hint).clicked() {
                ask(by);
            }
        }
    });
    let joint = document.selection().joint;
    let has_selected = document.selection().vertex_count() > 0;
    let mut is_cleared = false;
    ui.horizontal_wrapped(|ui| {
        let none = ui.add_enabled(has_selected, egui::Button::new("Select none").small());
        is_cleared = none.clicked();
        let of_joint = ui.add_enabled(joint.is_some(), egui::Button::new("Of joint").small());
        let hint = "Vertices that the selected joint moves. Shift adds them, Ctrl takes them away";
        if let (true, Some(joint)) = (of_joint.on_hover_text(hint).clicked(), joint) {
            ask(SelectBy::Joint(joint.0));
        }
        let over = ui.small_button("Over limit");
        if over.on_hover_text(format!("Vertices with more than {most} influences")).clicked() {
            ask(SelectBy::Over(most));
        }
        let bad = ui
            .small_button("Bad")
            .on_hover_text("Badly weighted: far limbs, loose parts, open seams, one side unlike the other");
        if bad.clicked() {
            ask(SelectBy::BadlyWeighted);
        }
    });
    if is_cleared {
        requests.command(Command::ClearVertices);
    }
}

/// Shift adds, Ctrl takes away.
pub(in crate::app) fn how(modifiers: egui::Modifiers) -> How {
    if modifiers.shift {
        How::Add
    } else if modifiers.command {
        How::Remove
    } else {
        How::Replace
    }
}
