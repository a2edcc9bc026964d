//! The limits of the selected joint.

use crate::{
    app::requests::Requests,
    command::Command,
    document::{Document, JointLimit, LimitAxis},
};
use sinew::JointId;

/// The initial limit of a joint about every axis, in degrees to either side.
const INITIAL_DEGREES: f32 = 90.0;

pub(super) fn show(ui: &mut egui::Ui, document: &Document, joint: JointId, requests: &mut Requests) {
    let limits = document.limits();
    let limit = limits.joints.get(&joint).copied();
    let title = if limit.is_some() { "Limits (set)" } else { "Limits" };
    egui::CollapsingHeader::new(title).id_salt("limits").show(ui, |ui| {
        let mut are_enforced = limits.are_enforced;
        let hint = Command::EnforceLimits(true).info().tooltip;
        if ui.checkbox(&mut are_enforced, "Enforce limits").on_hover_text(hint).changed() {
            requests.command(Command::EnforceLimits(are_enforced));
        }
        let mut is_limited = limit.is_some();
        if ui.checkbox(&mut is_limited, "Limit this joint").changed() {
            let free = JointLimit::free(document.character().skeleton(), joint);
            let initial = JointLimit { degrees: [[-INITIAL_DEGREES, INITIAL_DEGREES]; 3], ..free };
            requests.command(Command::SetLimit { joint: joint.0, limit: is_limited.then_some(initial) });
        }
        if let Some(limit) = limit {
            ranges(ui, joint, limit, requests);
        }
    });
}

/// The minimum and maximum about each axis.
fn ranges(ui: &mut egui::Ui, joint: JointId, limit: JointLimit, requests: &mut Requests) {
    let mut edited = limit;
    egui::Grid::new("ranges").num_columns(3).spacing([10.0, 4.0]).show(ui, |ui| {
        for (axis, name) in LimitAxis::ALL.into_iter().zip(["X", "Y", "Z"]) {
            let is_twist = limit.twist == axis;
            let label = ui.label(if is_twist { format!("{name} (twist)") } else { name.into() });
            let [min, max] = &mut edited.degrees[axis.index()];
            let number = |value, range| {
                egui::DragValue::new(value).update_while_editing(false).range(range).speed(0.5).suffix("°")
            };
            ui.add(number(min, -180.0..=0.0)).labelled_by(label.id);
            ui.add(number(max, 0.0..=180.0)).labelled_by(label.id);
            ui.end_row();
        }
        let label = ui.label("Along the bone");
        ui.horizontal(|ui| {
            for (axis, name) in LimitAxis::ALL.into_iter().zip(["x", "y", "z"]) {
                ui.selectable_value(&mut edited.twist, axis, name).labelled_by(label.id);
            }
        });
        ui.end_row();
    });
    if edited != limit {
        requests.command(Command::SetLimit { joint: joint.0, limit: Some(edited) });
    }
}
