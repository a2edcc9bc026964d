//! The meta-joints panel: the angles of each meta-joint.

use super::{Dock, Panel, PanelContext, pose::degrees_text};
use crate::{
    app::{requests::Requests, tool::ToolSubject, window_commands::command_button},
    command::Command,
    document::Document,
};
use sinew::{
    LocalPose,
    constrain::{AxisAngles, MetaJoint},
};
use std::{collections::BTreeMap, f32::consts::PI};

/// A rotation outside the axes below this angle is rounding.
const MIN_RESIDUAL_DEGREES: f32 = 0.1;

/// The state of the panel: the angles that were last shown, in radians, by the name of the meta-joint.
///
/// Different angles give the same rotations; those closest to the last ones do not jump while a slider is dragged.
#[derive(Debug, Default)]
pub(super) struct MetaJointsPanel {
    shown: BTreeMap<String, [f32; 3]>,
}

impl Panel for MetaJointsPanel {
    fn dock(&self) -> Dock {
        Dock::Properties(Some(ToolSubject::Joints))
    }

    fn is_visible(&self, context: &PanelContext<'_>) -> bool {
        !context.document().meta_joints().is_empty()
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let document = context.document();
        let title = format!("Meta-joints ({})", document.meta_joints().len());
        egui::CollapsingHeader::new(title).id_salt("meta-joints").default_open(true).show(ui, |ui| {
            for (index, meta) in document.meta_joints().iter().enumerate() {
                ui.push_id(index, |ui| self.meta_joint(ui, document, meta, context.requests));
            }
        });
    }
}

impl MetaJointsPanel {
    fn meta_joint(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        meta: &MetaJoint,
        requests: &mut Requests,
    ) {
        let found = angles_near(meta, document.pose(), self.shown.get(meta.name()));
        self.shown.insert(meta.name().to_owned(), found.radians);
        ui.horizontal_wrapped(|ui| {
            ui.strong(meta.name()).on_hover_text(joint_names(document, meta));
            command_button(ui, "Key angles", Command::KeyMetaJoint(meta.name().into()), requests);
            let reset = ui.small_button("Reset angles").on_hover_text("Set every angle to 0");
            if reset.clicked() {
                requests.command(set_angles(meta, [0.0; 3]));
            }
        });
        let mut degrees = found.radians.map(f32::to_degrees);
        if sliders(ui, meta, document.limits().are_enforced, &mut degrees) {
            // The next frame starts from the angles of the sliders.
            self.shown.insert(meta.name().to_owned(), degrees.map(f32::to_radians));
            requests.command(set_angles(meta, degrees));
        }
        let residual = found.residual_radians.to_degrees();
        if residual > MIN_RESIDUAL_DEGREES {
            let text = format!("{} outside its axes", degrees_text(f64::from(residual)));
            ui.weak(text).on_hover_text("The joints are rotated about other axes; a slider removes it.");
        }
    }
}

/// A slider for each angle; true if one was moved.
fn sliders(ui: &mut egui::Ui, meta: &MetaJoint, are_limits_enforced: bool, degrees: &mut [f32; 3]) -> bool {
    let mut is_changed = false;
    let names = meta.angle_names();
    for ((value, name), range) in degrees.iter_mut().zip(names).zip(meta.ranges_radians()) {
        let [min, max] = if are_limits_enforced { range.map(f32::to_degrees) } else { [-180.0, 180.0] };
        // A locked axis has an empty range.
        let (is_free, range) = if min < max { (true, min..=max) } else { (false, -180.0..=180.0) };
        let slider = egui::Slider::new(value, range)
            .text(name)
            .clamping(egui::SliderClamping::Edits)
            .custom_formatter(|degrees, _| degrees_text(degrees));
        is_changed |= ui.add_enabled(is_free, slider).changed();
    }
    is_changed
}

fn set_angles(meta: &MetaJoint, degrees: [f32; 3]) -> Command {
    let degrees = degrees[..meta.axis_count()].to_vec();
    Command::SetAngles { meta_joint: meta.name().into(), degrees }
}

/// The angles of `pose`, of all with the same rotations those closest to the last ones, within half a turn.
fn angles_near(meta: &MetaJoint, pose: &LocalPose, last: Option<&[f32; 3]>) -> AxisAngles {
    let near = last.map(|last| meta.angles_near(pose, *last));
    let is_in_range = |angles: &AxisAngles| angles.radians.iter().all(|angle| angle.abs() <= PI + 1e-4);
    near.filter(is_in_range).unwrap_or_else(|| meta.angles(pose))
}

/// The joints of a meta-joint with their axes: `clavicle.L (zy), upper_arm.L (x)`.
fn joint_names(document: &Document, meta: &MetaJoint) -> String {
    let skeleton = document.character().skeleton();
    let part =
        |part: &sinew::constrain::MetaJointPart| format!("{} ({})", skeleton.name(part.joint), part.axes);
    meta.parts().iter().map(part).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::constrain::MetaJointPart;

    #[test]
    fn shown_angles_continue_the_last_ones_but_stay_within_half_a_turn() {
        let arm = sinew_samples::arm();
        let lower = arm.skeleton().find("lower").unwrap();
        let part = MetaJointPart::new(lower, "xyz".parse().unwrap());
        let meta = MetaJoint::new(arm.skeleton(), "elbow", vec![part]).unwrap();
        let mut pose = arm.rest_pose();
        let last = [0.3, 2.0, -0.4];
        meta.set_angles(&mut pose, last);
        assert!((meta.angles(&pose).radians[1] - 2.0).abs() > 0.1, "the shortest angles are others");
        let shown = angles_near(&meta, &pose, Some(&last)).radians;
        assert!(shown.iter().zip(last).all(|(a, b)| (a - b).abs() < 1e-4), "{shown:?}");
        let far = angles_near(&meta, &pose, Some(&[0.3 + 2.0 * PI, 2.0, -0.4])).radians;
        assert!(far.iter().all(|angle| angle.abs() <= PI + 1e-4), "{far:?}");
    }
}
