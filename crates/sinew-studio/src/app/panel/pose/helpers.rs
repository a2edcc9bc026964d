//! Helper joints of the selected bone: add, tune, disable and remove roll joints and muscles.

use crate::{
    app::requests::Requests,
    command::{Command, HelperEdit, MuscleData},
    document::Document,
};
use sinew::{
    JointId, Skeleton,
    constrain::{DrivenProperty, Driver, HelperJoint, HelperKind},
};
use sinew_author::helper_joints::bend_side;

/// The options of the next helper.
#[derive(Debug)]
pub(super) struct HelperSection {
    count: usize,
    at_start: bool,
    muscle: MuscleData,
    /// The side of the next muscle if the user chose one; otherwise it is the side of the bend.
    around_degrees: Option<f32>,
}

impl Default for HelperSection {
    fn default() -> Self {
        Self { count: 3, at_start: false, muscle: MuscleData::default(), around_degrees: None }
    }
}

impl HelperSection {
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
            match Bone::of(document.character().skeleton(), joint) {
                Some(bone) => {
                    self.rolls(ui, document, bone, requests);
                    self.muscle(ui, document, bone, requests);
                }
                None => {
                    ui.weak("This joint has no bone: it has no children.");
                }
            }
            for (index, helper) in helpers.iter().enumerate() {
                ui.push_id(index, |ui| HelperRow { index, helper }.show(ui, document, requests));
            }
        });
    }

    fn rolls(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        Bone { start, end }: Bone,
        requests: &mut Requests,
    ) {
        let skeleton = document.character().skeleton();
        ui.horizontal(|ui| {
            let hint = format!(
                "Distributes the twist between {} and {} over joints along the bone, so that the skin does not collapse \
                 at one end",
                skeleton.name(start),
                skeleton.name(end)
            );
            if ui.button("Add roll joints").on_hover_text(hint).clicked() {
                requests.command(Command::AddRolls {
                    joint: start.0,
                    child: end.0,
                    count: self.count,
                    at_start: self.at_start,
                    max_influences: 0,
                });
            }
            let count = egui::DragValue::new(&mut self.count).range(1..=8).speed(0.05);
            let response = ui.add(count).on_hover_text("Number of roll joints");
            response.widget_info(|| {
                egui::WidgetInfo::labeled(egui::Role::SpinButton, true, "Number of roll joints")
            });
            ui.checkbox(&mut self.at_start, "at start").on_hover_text(
                "The joint at the start of the bone twists, as in a shoulder or a hip, not the one at its end",
            );
        });
    }

    fn muscle(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        Bone { start, end }: Bone,
        requests: &mut Requests,
    ) {
        let skeleton = document.character().skeleton();
        egui::CollapsingHeader::new("New muscle").id_salt("muscle").show(ui, |ui| {
            let limit = document.limits().enforced(skeleton, end);
            let bent = bend_side(document.character(), start, end, Some(document.pose()), limit.as_ref());
            let bent = bent.map_or(0.0, |side| side.around_radians.to_degrees());
            let muscle = &mut self.muscle;
            muscle.around_degrees = self.around_degrees.unwrap_or(bent.round());
            ui.add(egui::Slider::new(&mut muscle.along, 0.0..=1.0).text("along").fixed_decimals(2))
                .on_hover_text("The center of the muscle, from the start to the end of the bone");
            let side = egui::Slider::new(&mut muscle.around_degrees, -180.0..=180.0).text("side").suffix("°");
            let side = ui.add(side.fixed_decimals(0)).on_hover_text(
                "Around the bone, from the front. The side to which the joint bends is proposed: in this pose, by its limit \
                 or in the clips",
            );
            if side.changed() {
                self.around_degrees = Some(muscle.around_degrees);
            }
            ui.add(egui::Slider::new(&mut muscle.reach, 0.1..=1.0).text("half length").fixed_decimals(2))
                .on_hover_text("As a fraction of the bone's length");
            ui.add(egui::Slider::new(&mut muscle.swell, 1.0..=3.0).text("bulge").fixed_decimals(2));
            let hint = format!("Bulges as {} bends", skeleton.name(end));
            if ui.button("Add muscle").on_hover_text(hint).clicked() {
                requests.command(Command::AddMuscle { bone: start.0, source: end.0, muscle: *muscle });
                self.around_degrees = None;
            }
        });
    }
}

/// The joints at both ends of a bone.
#[derive(Clone, Copy)]
struct Bone {
    start: JointId,
    end: JointId,
}

impl Bone {
    /// The bone from `start` to its farthest child. Helper joints lie on the bone, so they are nearer.
    fn of(skeleton: &Skeleton, start: JointId) -> Option<Self> {
        let length = |j: &JointId| skeleton.rest(*j).translation.length_squared();
        let end = skeleton.children(start).max_by(|a, b| length(a).total_cmp(&length(b)))?;
        (length(&end) > 1e-10).then_some(Self { start, end })
    }
}

/// One helper of the list.
struct HelperRow<'a> {
    index: usize,
    helper: &'a HelperJoint,
}

impl HelperRow<'_> {
    fn show(&self, ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
        let Self { index, helper } = *self;
        let mut edit = |edit| requests.command(Command::EditHelper { helper: index, edit });
        ui.horizontal(|ui| {
            let mut is_on = helper.is_enabled;
            let hint = "Disable it to compare the skin without it";
            if ui.checkbox(&mut is_on, &helper.name).on_hover_text(hint).changed() {
                edit(HelperEdit::On(is_on));
            }
        });
        ui.indent("numbers", |ui| match &helper.kind {
            HelperKind::Twist { rolls, .. } => {
                for (roll, it) in rolls.iter().enumerate() {
                    let mut fraction = it.fraction;
                    let name = short_name(document.character().skeleton().name(it.joint));
                    let range = if fraction < 0.0 { -1.0..=0.0 } else { 0.0..=1.0 };
                    let slider = egui::Slider::new(&mut fraction, range).text(name).fixed_decimals(2);
                    if ui.add(slider).on_hover_text("Fraction of the twist").changed() {
                        edit(HelperEdit::Twist { roll, fraction });
                    }
                }
            }
            HelperKind::Drive(drivers) => {
                for (driver, it) in drivers.iter().enumerate() {
                    driver_sliders(ui, driver, it, &mut edit);
                }
            }
            HelperKind::Correct(it) => {
                let name = |joint| short_name(document.character().skeleton().name(joint));
                ui.label(format!("follows {} relative to {}", name(it.source), name(it.base)));
            }
        });
        ui.indent("removal", |ui| {
            if ui.small_button("Remove").on_hover_text("Remove the helper and its joints").clicked() {
                requests.command(Command::RemoveHelper(index));
            }
        });
    }
}

/// Sliders of the last point of a driver's curve: its value, and for the first driver the angle of the full bend.
fn driver_sliders(ui: &mut egui::Ui, driver: usize, it: &Driver, edit: &mut impl FnMut(HelperEdit)) {
    let Some(point) = it.curve.points().len().checked_sub(1) else { return };
    let Some([input, value]) = it.curve.points().last() else { return };
    let (name, range, decimals) = match it.property {
        DrivenProperty::Scale { .. } => ("bulges to", 0.5..=3.0, 2),
        DrivenProperty::Translation { .. } => ("slides (m)", -0.1..=0.1, 3),
        DrivenProperty::Rotation { .. } => ("rotates (rad)", -3.0..=3.0, 2),
    };
    let mut edited = [input, value];
    let slider = egui::Slider::new(&mut edited[1], range).text(name).fixed_decimals(decimals);
    let mut is_changed = ui.add(slider).changed();
    if driver == 0 {
        let mut degrees = input.to_degrees();
        let slider =
            egui::Slider::new(&mut degrees, 10.0..=170.0).text("full bend").suffix("°").fixed_decimals(0);
        if ui.add(slider).on_hover_text("The bend angle of full thickness").changed() {
            edited[0] = degrees.to_radians();
            is_changed = true;
        }
    }
    if is_changed {
        edit(HelperEdit::Point { driver, point, at: edited });
    }
}

/// The number of a roll joint, from the end of its name.
fn short_name(name: &str) -> String {
    name.rsplit_once("roll.").map_or_else(|| name.to_owned(), |(_, number)| format!("roll {number}"))
}
