//! Skin weights: selection, operations, and the weights of the selected vertices.

mod more;
mod select;
mod table;

use super::{Dock, Panel, PanelContext};
use crate::{
    app::{
        requests::Requests, tool::ToolSubject, viewport::contributions::VertexContributions,
        window_commands::command_button,
    },
    command::{Command, CopiedWeights, WeightOp},
    document::Document,
};
use more::MoreOperations;

/// The state of the panel.
#[derive(Debug)]
pub(super) struct WeightsPanel {
    min_weight: f32,
    max_influences: usize,
    copied: CopiedWeights,
    more: MoreOperations,
}

impl Default for WeightsPanel {
    fn default() -> Self {
        let (copied, more) = (CopiedWeights::default(), MoreOperations::default());
        Self { min_weight: 0.01, max_influences: 4, copied, more }
    }
}

impl Panel for WeightsPanel {
    fn dock(&self) -> Dock {
        Dock::Properties(Some(ToolSubject::Weights))
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        egui::CollapsingHeader::new("Weights").default_open(true).show(ui, |ui| self.section(ui, context));
    }
}

impl WeightsPanel {
    fn section(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let document = context.document();
        let requests = &mut *context.requests;
        let instances = edited_instances(document);
        if instances.is_empty() {
            ui.weak("This character has no skin.");
            return;
        }
        // Narrow spacing, so that rows of short labels fit.
        ui.spacing_mut().button_padding.x = 5.0;
        ui.spacing_mut().item_spacing.x = 5.0;
        select::show(ui, document, self.max_influences, requests);
        ui.add_space(4.0);
        self.operations(ui, &instances, requests);
        self.more.show(ui, document, &instances, self.max_influences, requests);
        ui.add_space(4.0);
        let count = document.selection().vertex_count();
        if count == 0 {
            ui.weak(whole_skin_hint(instances.len()));
            return;
        }
        self.clipboard(ui, document, &instances, requests);
        weight_of_all(ui, document, requests);
        table::show(ui, document, requests);
        if let Some(contributions) = VertexContributions::of(document, &context.viewport.scene) {
            contributions.legend(ui);
        }
    }

    fn operations(&mut self, ui: &mut egui::Ui, instances: &[usize], requests: &mut Requests) {
        let weights = |op| Command::Weights { instances: instances.to_vec(), op };
        let max_influences = self.max_influences;
        ui.horizontal_wrapped(|ui| {
            for (label, op) in [
                ("Normalize", WeightOp::Normalize),
                ("Smooth", WeightOp::Smooth { iterations: 4, step: 0.5, max_influences }),
                ("Sharpen", WeightOp::Sharpen { power: 1.5 }),
                ("Mirror +X", WeightOp::Mirror { from_negative: false }),
            ] {
                command_button(ui, label, weights(op), requests);
            }
        });
        ui.horizontal_wrapped(|ui| {
            let op = WeightOp::Prune { min_weight: self.min_weight };
            let prune = command_button(ui, "Prune below", weights(op), requests);
            let number = egui::DragValue::new(&mut self.min_weight).range(0.0..=1.0).speed(0.002);
            ui.add(number).labelled_by(prune.id);
            let op = WeightOp::Limit { max_influences, is_refitted: false };
            let limit = command_button(ui, "Limit to", weights(op), requests);
            ui.add(egui::DragValue::new(&mut self.max_influences).range(1..=16)).labelled_by(limit.id);
        });
    }

    /// Copies and pastes the weights of the selected vertices.
    fn clipboard(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        instances: &[usize],
        requests: &mut Requests,
    ) {
        ui.strong(selected_text(document.selection().vertex_count(), instances.len()));
        ui.horizontal_wrapped(|ui| {
            ui.weak("Weights");
            if named(ui, true, "Copy", "Copy weights").clicked() {
                self.copied = CopiedWeights::of_selection(document);
            }
            let copied = self.copied.0.len();
            let mut paste = |button: egui::Response, hint: String, is_mean: bool| {
                if button.on_hover_text(hint).clicked() {
                    let (instances, copied) = (instances.to_vec(), self.copied.clone());
                    requests.command(Command::PasteWeights { instances, copied, is_mean });
                }
            };
            let button = named(ui, copied > 0, "Paste", "Paste weights");
            paste(
                button,
                format!("Paste the weights of {copied} vertices in order; a single one applies to all"),
                false,
            );
            let button = named(ui, copied > 0, "Paste mean", "Paste mean of weights");
            paste(button, format!("Apply the mean weights of {copied} vertices to all"), true);
        });
    }
}

/// A small button whose accessible name is longer than its label.
fn named(ui: &mut egui::Ui, is_enabled: bool, text: &str, name: &str) -> egui::Response {
    let button = ui.add_enabled(is_enabled, egui::Button::new(text).small());
    button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, is_enabled, name));
    button
}

/// The muscle weights that a slider offers; others can be typed.
const MUSCLE_RANGE: std::ops::RangeInclusive<f32> = 0.0..=2.0;
/// What a muscle weight is.
const MUSCLE_HINT: &str =
    "A muscle weight: how far the skin follows the muscle. It does not count toward the sum of one";

/// A slider for the weight of the selected joint in all selected vertices; it shows their mean.
fn weight_of_all(ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
    let (character, Some(joint)) = (document.character(), document.selection().joint) else { return };
    let slot_in = |instance: usize| character.skin_of(character.instances().get(instance)?)?.slot_of(joint);
    let is_muscle = document.is_muscle(joint);
    let (mut sum, mut count) = (0.0, 0_usize);
    for (instance, vertices) in &document.selection().vertices {
        let (Some(weights), Some(slot)) = (document.weights(*instance), slot_in(*instance)) else { continue };
        let of =
            |v: usize| if is_muscle { weights.muscle_weight_of(v, slot) } else { weights.weight_of(v, slot) };
        sum += vertices.iter().map(|v| of(*v as usize)).sum::<f32>();
        count += vertices.len();
    }
    if count == 0 {
        return;
    }
    let mut weight = sum / count as f32;
    let name = format!("{} in all", character.skeleton().name(joint));
    let range = if is_muscle { MUSCLE_RANGE } else { 0.0..=1.0 };
    let slider = egui::Slider::new(&mut weight, range).text(name).update_while_editing(false);
    // A muscle weight outside the slider's range can be typed.
    let slider = if is_muscle { slider.clamping(egui::SliderClamping::Never) } else { slider };
    let mut slider = ui.add(slider);
    if is_muscle {
        slider = slider.on_hover_text(MUSCLE_HINT);
    }
    if slider.changed() {
        for (instance, vertices) in &document.selection().vertices {
            if slot_in(*instance).is_some() {
                let (instance, vertices) = (*instance, vertices.iter().copied().collect());
                requests.command(Command::SetWeight { instance, vertices, joint: joint.0, weight });
            }
        }
    }
}

/// The instances that operations edit: those with selected vertices, or all with a skin.
fn edited_instances(document: &Document) -> Vec<usize> {
    let has_weights = |index: &usize| document.weights(*index).is_some();
    let selected: Vec<usize> = document.selection().vertices.keys().copied().filter(has_weights).collect();
    if !selected.is_empty() {
        return selected;
    }
    (0..document.character().instances().len()).filter(has_weights).collect()
}

fn whole_skin_hint(meshes: usize) -> String {
    let all =
        if meshes == 1 { "the whole skin".into() } else { format!("the whole skin of {meshes} meshes") };
    format!("Operations apply to {all}. Select vertices to see their weights.")
}

/// `12 vertices selected`, with the number of meshes if there are several.
fn selected_text(vertices: usize, meshes: usize) -> String {
    let vertices = if vertices == 1 { "1 vertex".into() } else { format!("{vertices} vertices") };
    if meshes == 1 {
        format!("{vertices} selected")
    } else {
        format!("{vertices} of {meshes} meshes selected")
    }
}
