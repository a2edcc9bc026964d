//! Buttons that select vertices by what they are.

use crate::{
    app::requests::Requests,
    command::{Command, How, SelectBy},
    document::Document,
};

pub(super) fn show(ui: &mut egui::Ui, document: &Document, most: usize, requests: &mut Requests) {
    let how = How::of(ui.input(|i| (i.modifiers.shift, i.modifiers.command)));
    let mut ask = |by| requests.command(Command::SelectBy { by, how });
    let selection = document.selection();
    let has_selected = selection.vertex_count() > 0;
    let mut is_cleared = false;
    ui.horizontal_wrapped(|ui| {
        ui.weak("Select");
        if ui.small_button("All").clicked() {
            ask(SelectBy::All);
        }
        is_cleared = ui.add_enabled(has_selected, egui::Button::new("None").small()).clicked();
        let changes = [
            ("Invert", SelectBy::Inverse, "What is not selected"),
            ("Grow", SelectBy::Grown, "One ring more"),
            ("Shrink", SelectBy::Shrunk, "One ring less"),
        ];
        for (name, by, hint) in changes {
            if ui.small_button(name).on_hover_text(hint).clicked() {
                ask(by);
            }
        }
    });
    ui.horizontal_wrapped(|ui| {
        let hint = "All that hangs together with the selection";
        if ui.small_button("Connected").on_hover_text(hint).clicked() {
            ask(SelectBy::Connected);
        }
        let of_joint = ui.add_enabled(selection.joint.is_some(), egui::Button::new("Of joint").small());
        let hint = "Vertices that the selected joint moves. Shift adds them, Ctrl takes them away";
        if let (true, Some(joint)) = (of_joint.on_hover_text(hint).clicked(), selection.joint) {
            ask(SelectBy::Joint(joint.0));
        }
        let over = ui.small_button("Over limit");
        if over.on_hover_text(format!("Vertices with more than {most} influences")).clicked() {
            ask(SelectBy::Over(most));
        }
        let hint = "Badly weighted: far limbs, loose parts, open seams, one side unlike the other";
        if ui.small_button("Bad").on_hover_text(hint).clicked() {
            ask(SelectBy::BadlyWeighted);
        }
    });
    if is_cleared {
        requests.command(Command::ClearVertices);
    }
}
