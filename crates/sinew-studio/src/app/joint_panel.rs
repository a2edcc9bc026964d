//! The selected joint: sliders for its rotation, numbers for the rest.

use super::{
    helper_panel::HelperPanel,
    limits_panel,
    requests::{Action, Requests},
};
use crate::{command::Command, document::Document};
use sinew::{
    JointId, Transform,
    glam::{EulerRot, Quat},
};

/// What the panel keeps: angles that the sliders show, for the rotation that they gave.
///
/// Different angles give the same rotation; worked out anew each frame they would jump while a slider is dragged.
#[derive(Debug, Default)]
pub(super) struct JointPanel {
    shown: Option<(JointId, Quat, [f32; 3])>,
    helpers: HelperPanel,
}

impl JointPanel {
    /// `is_posing` says that the tool in hand poses: then there is room for what changes the rig.
    pub(super) fn show(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        is_posing: bool,
        requests: &mut Requests,
    ) {
        pose_buttons(ui, requests);
        let Some(joint) = document.selection().joint else {
            ui.weak("Select a joint in the list or click a bone.");
            return;
        };
        let skeleton = document.character().skeleton();
        let Some(&transform) = document.pose().joints.get(joint.index()) else { return };
        ui.horizontal(|ui| {
            ui.strong(skeleton.name(joint));
            if ui.small_button("Reset joint").clicked() {
                requests.command(Command::ResetJoint(joint.0));
            }
            let mut is_locked = document.locks().contains(&joint);
            if ui.checkbox(&mut is_locked, "Lock weights").changed() {
                requests.command(Command::Lock { joint: joint.0, is_locked });
            }
        });
        self.rotation(ui, document, (joint, transform.rotation), requests);
        place(ui, joint, &transform, requests);
        limits_panel::show(ui, document, joint, requests);
        if is_posing {
            self.helpers.show(ui, document, joint, requests);
        }
    }

    fn rotation(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        (joint, rotation): (JointId, Quat),
        requests: &mut Requests,
    ) {
        let rest = document.character().skeleton().rest(joint).rotation;
        let limit = document.limits().joints.get(&joint).filter(|_| document.limits().are_kept);
        let ranges = limit.map_or([[-180.0, 180.0]; 3], |limit| limit.degrees);
        let mut degrees = match self.shown {
            Some((of, given, degrees)) if of == joint && given == rotation => degrees,
            _ => {
                let (x, y, z) = (rest.conjugate() * rotation).to_euler(EulerRot::XYZ);
                [x, y, z].map(f32::to_degrees)
            }
        };
        let mut is_changed = false;
        let names = ["Rotate X", "Rotate Y", "Rotate Z"];
        for ((value, name), [least, most]) in degrees.iter_mut().zip(names).zip(ranges) {
            // An axis that is locked has no room for a slider.
            let (is_free, range) = if least < most { (true, least..=most) } else { (false, -180.0..=180.0) };
            let slider = egui::Slider::new(value, range)
                .text(name)
                .clamping(egui::SliderClamping::Edits)
                .custom_formatter(|v, _| degrees_text(v));
            is_changed |= ui.add_enabled(is_free, slider).changed();
        }
        let mut given = rotation;
        if is_changed {
            let [x, y, z] = degrees.map(f32::to_radians);
            given = (rest * Quat::from_euler(EulerRot::XYZ, x, y, z)).normalize();
            given = document.limits().clamp(document.character().skeleton(), joint, given);
            requests.command(Command::Rotate { joint: joint.0, rotation: given.to_array() });
        }
        self.shown = Some((joint, given, degrees));
    }
}

/// One decimal; what rounds to zero has no sign.
fn degrees_text(degrees: f64) -> String {
    format!("{:.1}°", (degrees * 10.0).round() / 10.0 + 0.0)
}

fn pose_buttons(ui: &mut egui::Ui, requests: &mut Requests) {
    ui.horizontal_wrapped(|ui| {
        for (name, hint, action) in [
            ("Copy", "Copy the pose", Action::CopyPose),
            ("Paste", "Take the copied pose over", Action::PastePose),
        ] {
            if ui.button(name).on_hover_text(hint).clicked() {
                requests.act(action);
            }
        }
        for (name, hint, command) in [
            ("Mirror", "What the left side does, the right side does", Command::MirrorPose),
            ("Reset", "Everything at rest", Command::ResetPose),
            ("Key", "Put the pose into the clip at this time (K)", Command::KeyPose),
        ] {
            if ui.button(name).on_hover_text(hint).clicked() {
                requests.command(command);
            }
        }
    });
}

fn place(ui: &mut egui::Ui, joint: JointId, transform: &Transform, requests: &mut Requests) {
    let mut translation = transform.translation.to_array();
    let mut scale = transform.scale.to_array();
    egui::Grid::new("place").num_columns(4).show(ui, |ui| {
        if numbers(ui, "Move", &mut translation, 0.002) {
            requests.command(Command::Translate { joint: joint.0, translation });
        }
        if numbers(ui, "Scale", &mut scale, 0.005) {
            requests.command(Command::Scale { joint: joint.0, scale });
        }
    });
}

fn numbers(ui: &mut egui::Ui, name: &str, values: &mut [f32; 3], speed: f64) -> bool {
    let label = ui.label(name);
    let mut is_changed = false;
    for (value, axis) in values.iter_mut().zip(["x ", "y ", "z "]) {
        let number =
            egui::DragValue::new(value).update_while_editing(false).speed(speed).max_decimals(4).prefix(axis);
        is_changed |= ui.add(number).labelled_by(label.id).changed();
    }
    ui.end_row();
    is_changed
}
