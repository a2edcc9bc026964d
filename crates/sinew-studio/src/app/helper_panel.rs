//! Roll joints and muscles: added to the selected joint's bone, tuned, switched off to compare, taken away.

use super::requests::Requests;
use crate::{
    command::{Command, HelperEdit, MuscleData},
    document::Document,
};
use sinew::{
    JointId, Skeleton,
    constrain::{DrivenProperty, Driver, HelperJoint, HelperKind},
};
use sinew_author::helper_joints::bend_side;

/// What is asked of the next helper.
#[derive(Debug)]
pub(super) struct HelperPanel {
    count: usize,
    at_start: bool,
    muscle: MuscleData,
    /// The side of the next muscle where somebody chose one; otherwise it is the side of the bend.
    around_degrees: Option<f32>,
}

impl Default for HelperPanel {
    fn default() -> Self {
        Self { count: 3, at_start: false, muscle: MuscleData::default(), around_degrees: None }
    }
}

impl HelperPanel {
    pub(super) fn show(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        joint: JointId,
        requests: &mut Requests,
    ) {
        let helpers = document.character().helpers();
        let title = match helpers.len() {
            0 => "Helpers".to_owned(),
            count => format!("Helpers ({count})"),
        };
        egui::CollapsingHeader::new(title).id_salt("helpers").show(ui, |ui| {
            match end_of(document.character().skeleton(), joint) {
                Some(end) => {
                    self.rolls(ui, document, (joint, end), requests);
                    self.muscle(ui, document, (joint, end), requests);
                }
                None => {
                    ui.weak("This joint has no bone to help: nothing hangs below it.");
                }
            }
            for (place, helper) in helpers.iter().enumerate() {
                ui.push_id(place, |ui| row(ui, document, (place, helper), requests));
            }
        });
    }

    fn rolls(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        (joint, end): (JointId, JointId),
        requests: &mut Requests,
    ) {
        let skeleton = document.character().skeleton();
        ui.horizontal(|ui| {
            let hint = format!(
                "Spreads the twist between {} and {} over joints along the bone: the skin turns evenly and does not \
                 wring itself thin at one end",
                skeleton.name(joint),
                skeleton.name(end)
            );
            if ui.button("Add roll joints").on_hover_text(hint).clicked() {
                requests.command(Command::AddRolls {
                    joint: joint.0,
                    child: end.0,
                    count: self.count,
                    at_start: self.at_start,
                    most: 0,
                });
            }
            let count = egui::DragValue::new(&mut self.count).range(1..=8).speed(0.05);
            let response = ui.add(count).on_hover_text("How many");
            response.widget_info(|| {
                egui::WidgetInfo::labeled(egui::Role::SpinButton, true, "Number of roll joints")
            });
            ui.checkbox(&mut self.at_start, "at its start").on_hover_text(
                "The bone's own joint twists, as a shoulder or a hip does, and not the one at its end",
            );
        });
    }

    fn muscle(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        (joint, end): (JointId, JointId),
        requests: &mut Requests,
    ) {
        let skeleton = document.character().skeleton();
        egui::CollapsingHeader::new("New muscle").id_salt("muscle").show(ui, |ui| {
            let bent = bend_side(skeleton, joint, end, document.pose()).map_or(0.0, f32::to_degrees);
            let muscle = &mut self.muscle;
            muscle.around_degrees = self.around_degrees.unwrap_or(bent.round());
            ui.add(egui::Slider::new(&mut muscle.along, 0.0..=1.0).text("along").fixed_decimals(2))
                .on_hover_text("The middle of the muscle, from the bone's start to its end");
            let side = egui::Slider::new(&mut muscle.around_degrees, -180.0..=180.0).text("side").suffix("°");
            let side = ui.add(side.fixed_decimals(0)).on_hover_text(
                "About the bone, from the front. Bend the joint first, and the side of the bend is proposed",
            );
            if side.changed() {
                self.around_degrees = Some(muscle.around_degrees);
            }
            ui.add(egui::Slider::new(&mut muscle.reach, 0.1..=1.0).text("half length").fixed_decimals(2))
                .on_hover_text("As a part of the bone's length");
            ui.add(egui::Slider::new(&mut muscle.swell, 1.0..=3.0).text("swell").fixed_decimals(2));
            let hint = format!("It swells as {} bends", skeleton.name(end));
            if ui.button("Add muscle").on_hover_text(hint).clicked() {
                requests.command(Command::AddMuscle { bone: joint.0, source: end.0, muscle: *muscle });
                self.around_degrees = None;
            }
        });
    }
}

/// The joint at the end of the joint's bone: the farthest child. Helper joints lie on the bone, so they are nearer.
fn end_of(skeleton: &Skeleton, joint: JointId) -> Option<JointId> {
    let length = |j: &JointId| skeleton.rest(*j).translation.length_squared();
    let farthest = skeleton.children(joint).max_by(|a, b| length(a).total_cmp(&length(b)))?;
    (length(&farthest) > 1e-10).then_some(farthest)
}

/// One helper: on or off, what can be tuned, and gone.
fn row(
    ui: &mut egui::Ui,
    document: &Document,
    (place, helper): (usize, &HelperJoint),
    requests: &mut Requests,
) {
    let mut ask = |edit| requests.command(Command::EditHelper { helper: place, edit });
    ui.horizontal(|ui| {
        let mut is_on = helper.is_enabled;
        let hint = "Off shows the skin without it, to compare";
        if ui.checkbox(&mut is_on, &helper.name).on_hover_text(hint).changed() {
            ask(HelperEdit::On(is_on));
        }
    });
    ui.indent("numbers", |ui| match &helper.kind {
        HelperKind::Twist { rolls, .. } => {
            for (roll, it) in rolls.iter().enumerate() {
                let mut share = it.fraction;
                let name = short_name(document.character().skeleton().name(it.joint));
                let range = if share < 0.0 { -1.0..=0.0 } else { 0.0..=1.0 };
                let slider = egui::Slider::new(&mut share, range).text(name).fixed_decimals(2);
                if ui.add(slider).on_hover_text("Its part of the twist").changed() {
                    ask(HelperEdit::Share { roll, share });
                }
            }
        }
        HelperKind::Drive(drivers) => {
            for (driver, it) in drivers.iter().enumerate() {
                drive(ui, (driver, it), &mut ask);
            }
        }
    });
    ui.indent("removal", |ui| {
        if ui.small_button("Remove").on_hover_text("Takes it away with its joints").clicked() {
            requests.command(Command::RemoveHelper(place));
        }
    });
}

/// The last point of a driver's curve: how much at the full bend, and for the first driver where that is.
fn drive(ui: &mut egui::Ui, (driver, it): (usize, &Driver), ask: &mut impl FnMut(HelperEdit)) {
    let Some(point) = it.curve.points().len().checked_sub(1) else { return };
    let Some([input, value]) = it.curve.points().last() else { return };
    let (name, range, speed) = match it.property {
        DrivenProperty::Scale { .. } => ("swells to", 0.5..=3.0, 2),
        DrivenProperty::Translation { .. } => ("slides (m)", -0.1..=0.1, 3),
        DrivenProperty::Rotation { .. } => ("turns (rad)", -3.0..=3.0, 2),
    };
    let mut edited = [input, value];
    let slider = egui::Slider::new(&mut edited[1], range).text(name).fixed_decimals(speed);
    let mut is_changed = ui.add(slider).changed();
    if driver == 0 {
        let mut degrees = input.to_degrees();
        let slider =
            egui::Slider::new(&mut degrees, 10.0..=170.0).text("full bend").suffix("°").fixed_decimals(0);
        if ui.add(slider).on_hover_text("The bend at which it has swollen fully").changed() {
            edited[0] = degrees.to_radians();
            is_changed = true;
        }
    }
    if is_changed {
        ask(HelperEdit::Point { driver, point, at: edited });
    }
}

/// The end of a joint's name: what tells the rolls of one bone apart.
fn short_name(name: &str) -> String {
    name.rsplit_once("roll.").map_or_else(|| name.to_owned(), |(_, number)| format!("roll {number}"))
}
