//! The pose panel: copy, paste and mirror the pose, and the transform of the selected joint.

mod helpers;
mod limits;

use super::{Dock, Panel, PanelContext};
use crate::{
    app::{
        requests::Requests,
        tool::ToolSubject,
        window_commands::{self, command_button},
    },
    command::Command,
    document::Document,
    session::Session,
};
use helpers::HelperSection;
use sinew::{
    JointId, ScaleInheritance, Transform,
    glam::{EulerRot, Quat, Vec3},
};

/// The state of the panel: the angles of the sliders.
///
/// Different Euler angles give the same rotation; recomputed every frame, they would jump while a slider is dragged.
#[derive(Debug, Default)]
pub(super) struct PosePanel {
    sliders: Option<RotationSliders>,
    helpers: HelperSection,
}

/// The angles of the sliders and the rotation that they stand for.
#[derive(Clone, Copy, Debug)]
struct RotationSliders {
    joint: JointId,
    rotation: Quat,
    degrees: [f32; 3],
}

impl Panel for PosePanel {
    fn dock(&self) -> Dock {
        Dock::Properties(Some(ToolSubject::Joints))
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        egui::CollapsingHeader::new("Pose").default_open(true).show(ui, |ui| {
            pose_buttons(ui, context.session, context.requests);
            // The helpers need room, which the weights take while vertices are edited.
            let shows_helpers = context.viewport.toolbox.subject() == ToolSubject::Joints;
            self.selected_joint(ui, context.document(), shows_helpers, context.requests);
        });
    }
}

impl PosePanel {
    fn selected_joint(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        shows_helpers: bool,
        requests: &mut Requests,
    ) {
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
        self.rotation(ui, document, joint, transform.rotation, requests);
        translation_and_scale(ui, joint, &transform, requests);
        scale_inheritance(ui, document, joint, requests);
        limits::show(ui, document, joint, requests);
        if shows_helpers {
            self.helpers.show(ui, document, joint, requests);
        }
    }

    fn rotation(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        joint: JointId,
        rotation: Quat,
        requests: &mut Requests,
    ) {
        let rest = document.character().skeleton().rest(joint).rotation;
        let limit = document.limits().joints.get(&joint).filter(|_| document.limits().are_enforced);
        let ranges = limit.map_or([[-180.0, 180.0]; 3], |limit| limit.degrees);
        let mut degrees = match self.sliders {
            Some(shown) if shown.joint == joint && shown.rotation == rotation => shown.degrees,
            _ => {
                let (x, y, z) = (rest.conjugate() * rotation).to_euler(EulerRot::XYZ);
                [x, y, z].map(f32::to_degrees)
            }
        };
        let mut is_changed = false;
        let names = ["Rotate X", "Rotate Y", "Rotate Z"];
        for ((value, name), [min, max]) in degrees.iter_mut().zip(names).zip(ranges) {
            // A locked axis has an empty range.
            let (is_free, range) = if min < max { (true, min..=max) } else { (false, -180.0..=180.0) };
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
        self.sliders = Some(RotationSliders { joint, rotation: given, degrees });
    }
}

/// One decimal, without a sign for zero.
pub(super) fn degrees_text(degrees: f64) -> String {
    format!("{:.1}°", (degrees * 10.0).round() / 10.0 + 0.0)
}

fn pose_buttons(ui: &mut egui::Ui, session: &Session, requests: &mut Requests) {
    ui.horizontal_wrapped(|ui| {
        window_commands::COPY_POSE.add(ui, egui::Button::new("Copy"), session, requests);
        window_commands::PASTE_POSE.add(ui, egui::Button::new("Paste"), session, requests);
        command_button(ui, "Mirror", Command::MirrorPose, requests);
        command_button(ui, "Reset", Command::ResetPose, requests);
        window_commands::KEY_POSE.add(ui, egui::Button::new("Key"), session, requests);
    });
}

fn translation_and_scale(ui: &mut egui::Ui, joint: JointId, transform: &Transform, requests: &mut Requests) {
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

/// Whether the joint is scaled with its parent, where it matters: the parent is scaled, or the joint does not inherit it.
fn scale_inheritance(ui: &mut egui::Ui, document: &Document, joint: JointId, requests: &mut Requests) {
    let skeleton = document.character().skeleton();
    let Some(parent) = skeleton.parent(joint) else { return };
    let mut inherits = skeleton.scale_inheritance(joint) == ScaleInheritance::Full;
    if inherits && document.pose().joints[parent.index()].scale == Vec3::ONE {
        return;
    }
    let hint =
        "Off: the parent's own scale moves this joint but does not scale it (segment scale compensation)";
    if ui.checkbox(&mut inherits, "Inherit the parent's scale").on_hover_text(hint).changed() {
        requests.command(Command::CompensateScale { joint: joint.0, is_compensated: !inherits });
    }
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
