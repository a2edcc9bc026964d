//! Weights of the selected vertices, and operations on them.

mod more;
mod selecting;
mod table;

use super::{requests::Requests, shown::ShownScene, vertex_story::Story};
use crate::{
    command::{Command, CopiedWeights, WeightOp},
    document::Document,
};
use more::MoreOperations;

/// What the panel keeps.
#[derive(Debug)]
pub(super) struct WeightsPanel {
    least: f32,
    most: usize,
    copied: CopiedWeights,
    more: MoreOperations,
}

impl Default for WeightsPanel {
    fn default() -> Self {
        Self { least: 0.01, most: 4, copied: CopiedWeights::default(), more: MoreOperations::default() }
    }
}

impl WeightsPanel {
    pub(super) fn show(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        shown: &ShownScene,
        requests: &mut Requests,
    ) {
        let Some(instance) = subject(document) else {
            ui.weak("This character has no skin.");
            return;
        };
        // Rows of short words: closer together they fit beside each other.
        ui.spacing_mut().button_padding.x = 5.0;
        ui.spacing_mut().item_spacing.x = 5.0;
        selecting::show(ui, document, self.most, requests);
        ui.add_space(4.0);
        self.operations(ui, instance, requests);
        self.more.show(ui, document, instance, self.most, requests);
        ui.add_space(4.0);
        let count = document.selection().vertex_count();
        if count == 0 {
            ui.weak("Operations work on the whole skin. Select vertices to see their weights.");
            return;
        }
        self.clipboard(ui, document, instance, count, requests);
        weight_of_all(ui, document, requests);
        table::show(ui, document, requests);
        if let Some(story) = Story::of(document, shown) {
            story.legend(ui);
        }
    }

    fn operations(&mut self, ui: &mut egui::Ui, instance: usize, requests: &mut Requests) {
        let mut run = |op| requests.command(Command::Weights { instance, op });
        ui.horizontal_wrapped(|ui| {
            if ui.button("Normalise").on_hover_text("Copies of one point get the same weights").clicked() {
                run(WeightOp::Normalise);
            }
            if ui.button("Smooth").on_hover_text("Even weights out along the skin").clicked() {
                run(WeightOp::Smooth { iterations: 4, step: 0.5, most: self.most });
            }
            if ui.button("Sharpen").on_hover_text("Blend over a shorter stretch").clicked() {
                run(WeightOp::Sharpen { power: 1.5 });
            }
            if ui.button("Mirror +x").on_hover_text("Copy the side of positive x to the other").clicked() {
                run(WeightOp::Mirror { from_negative: false });
            }
        });
        ui.horizontal_wrapped(|ui| {
            let prune = ui.button("Prune below").on_hover_text("Take weaker influences away");
            let least = egui::DragValue::new(&mut self.least).range(0.0..=1.0).speed(0.002);
            ui.add(least).labelled_by(prune.id);
            let limit = ui.button("Limit to").on_hover_text("Keep the largest influences of each vertex");
            ui.add(egui::DragValue::new(&mut self.most).range(1..=16)).labelled_by(limit.id);
            if prune.clicked() {
                run(WeightOp::Prune { least: self.least });
            }
            if limit.clicked() {
                run(WeightOp::Limit { most: self.most, is_refitted: false });
            }
        });
    }

    /// Copying and pasting the weights of vertices.
    fn clipboard(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        instance: usize,
        count: usize,
        requests: &mut Requests,
    ) {
        ui.strong(if count == 1 { "1 vertex selected".into() } else { format!("{count} vertices selected") });
        ui.horizontal_wrapped(|ui| {
            ui.weak("Weights");
            if named(ui, true, "Copy", "Copy weights").clicked() {
                self.copied = CopiedWeights::of_selection(document, instance);
            }
            let copied = self.copied.0.len();
            let mut paste = |button: egui::Response, hint: String, is_mean: bool| {
                if button.on_hover_text(hint).clicked() {
                    let copied = self.copied.clone();
                    requests.command(Command::PasteWeights { instance, copied, is_mean });
                }
            };
            let button = named(ui, copied > 0, "Paste", "Paste weights");
            paste(button, format!("The weights of {copied} vertices in their order; one is for all"), false);
            let button = named(ui, copied > 0, "Paste mean", "Paste mean of weights");
            paste(button, format!("The mean of the weights of {copied} vertices to all"), true);
        });
    }
}

/// A small button whose full name says what its place makes plain.
fn named(ui: &mut egui::Ui, is_enabled: bool, text: &str, name: &str) -> egui::Response {
    let button = ui.add_enabled(is_enabled, egui::Button::new(text).small());
    button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, is_enabled, name));
    button
}

/// One slider for the selected joint in all selected vertices; it shows their mean.
fn weight_of_all(ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
    let (character, Some(joint)) = (document.character(), document.selection().joint) else { return };
    let slot_in = |instance: usize| character.skin_of(character.instances().get(instance)?)?.slot_of(joint);
    let (mut sum, mut count) = (0.0, 0_usize);
    for (instance, vertices) in &document.selection().vertices {
        let (Some(weights), Some(slot)) = (document.weights(*instance), slot_in(*instance)) else { continue };
        sum += vertices.iter().map(|v| weights.weight_of(*v as usize, slot)).sum::<f32>();
        count += vertices.len();
    }
    if count == 0 {
        return;
    }
    let mut weight = sum / count as f32;
    let name = format!("{} in all", character.skeleton().name(joint));
    let slider = egui::Slider::new(&mut weight, 0.0..=1.0).text(name).update_while_editing(false);
    if ui.add(slider).changed() {
        for (instance, vertices) in &document.selection().vertices {
            if slot_in(*instance).is_some() {
                let (instance, vertices) = (*instance, vertices.iter().copied().collect());
                requests.command(Command::SetWeight { instance, vertices, joint: joint.0, weight });
            }
        }
    }
}

/// The instance that operations work on: the first with selected vertices, or the first with a skin.
fn subject(document: &Document) -> Option<usize> {
    let selected = document.selection().vertices.keys().copied();
    selected.chain(0..document.character().instances().len()).find(|i| document.weights(*i).is_some())
}
