//! Weights of the selected vertices, and operations on them.

use super::requests::Requests;
use crate::{
    command::{Command, How, WeightOp},
    document::Document,
};
use sinew::{Influence, JointId};

/// The most rows of the table; the rest of a large selection is counted.
const MOST_ROWS: usize = 60;

/// What the panel keeps.
#[derive(Debug)]
pub(super) struct WeightsPanel {
    least: f32,
    most: usize,
}

impl Default for WeightsPanel {
    fn default() -> Self {
        Self { least: 0.01, most: 4 }
    }
}

impl WeightsPanel {
    pub(super) fn show(&mut self, ui: &mut egui::Ui, document: &Document, requests: &mut Requests) {
        let count = document.selection().vertex_count();
        let Some(instance) = subject(document) else {
            ui.weak("This character has no skin.");
            return;
        };
        self.operations(ui, instance, requests);
        self.selections(ui, document, instance, requests);
        if count == 0 {
            ui.weak("Operations work on the whole skin. Select vertices to see their weights.");
            return;
        }
        ui.horizontal(|ui| {
            ui.label(if count == 1 {
                "1 vertex selected".into()
            } else {
                format!("{count} vertices selected")
            });
            if ui.small_button("Select none").clicked() {
                requests.command(Command::ClearVertices);
            }
        });
        weight_of_all(ui, document, requests);
        for (instance, vertices) in &document.selection().vertices {
            for vertex in vertices.iter().take(MOST_ROWS) {
                vertex_rows(ui, document, *instance, *vertex, requests);
            }
            if vertices.len() > MOST_ROWS {
                ui.weak(format!("and {} more", vertices.len() - MOST_ROWS));
            }
        }
    }

    fn selections(&self, ui: &mut egui::Ui, document: &Document, instance: usize, requests: &mut Requests) {
        let Some(weights) = document.weights(instance) else { return };
        let mut select = |wanted: &dyn Fn(usize) -> bool| {
            let vertices = (0..weights.vertex_count()).filter(|v| wanted(*v)).map(|v| v as u32).collect();
            requests.command(Command::SelectVertices { instance, vertices, how: How::Replace });
        };
        let character = document.character();
        let skin = character.skin_of(&character.instances()[instance]);
        let slot = document.selection().joint.and_then(|joint| skin?.slot_of(joint));
        ui.horizontal_wrapped(|ui| {
            let of_joint = ui.add_enabled(slot.is_some(), egui::Button::new("Select of joint"));
            if let (true, Some(slot)) = (of_joint.clicked(), slot) {
                select(&|vertex| weights.weight_of(vertex, slot) > 0.0);
            }
            let over = ui.button("Select over limit");
            if over.on_hover_text(format!("Vertices with more than {} influences", self.most)).clicked() {
                select(&|vertex| weights.of(vertex).0.len() > self.most);
            }
        });
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
            let prune = ui.button("Prune below");
            let least = egui::DragValue::new(&mut self.least).range(0.0..=1.0).speed(0.002);
            ui.add(least).labelled_by(prune.id);
            let limit = ui.button("Limit to");
            ui.add(egui::DragValue::new(&mut self.most).range(1..=16)).labelled_by(limit.id);
            if prune.clicked() {
                run(WeightOp::Prune { least: self.least });
            }
            if limit.clicked() {
                run(WeightOp::Limit { most: self.most });
            }
        });
    }
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

fn vertex_rows(
    ui: &mut egui::Ui,
    document: &Document,
    instance: usize,
    vertex: u32,
    requests: &mut Requests,
) {
    let character = document.character();
    let place = &character.instances()[instance];
    let (Some(weights), Some(skin)) = (document.weights(instance), character.skin_of(place)) else { return };
    if vertex as usize >= weights.vertex_count() {
        return;
    }
    ui.push_id((instance, vertex), |ui| {
        ui.horizontal(|ui| {
            ui.monospace(format!("v{vertex}"));
            add_joint(ui, document, instance, vertex, requests);
        });
        egui::Grid::new("influences").num_columns(2).striped(true).min_col_width(90.0).show(ui, |ui| {
            for Influence { slot, weight } in weights.influences(vertex as usize) {
                let joint = skin.joints().get(usize::from(slot)).copied().unwrap_or(JointId(0));
                let name = character.skeleton().name(joint);
                let label = ui.label(if document.locks().contains(&joint) {
                    format!("{name} (locked)")
                } else {
                    name.into()
                });
                let mut edited = weight;
                let cell = egui::DragValue::new(&mut edited)
                    .update_while_editing(false)
                    .range(0.0..=1.0)
                    .speed(0.004)
                    .fixed_decimals(4);
                if ui.add(cell).labelled_by(label.id).changed() && edited != weight {
                    let (vertices, weight) = (vec![vertex], edited);
                    requests.command(Command::SetWeight { instance, vertices, joint: joint.0, weight });
                }
                ui.end_row();
            }
        });
    });
}

/// Offers the selected joint to a vertex that it does not move yet.
fn add_joint(ui: &mut egui::Ui, document: &Document, instance: usize, vertex: u32, requests: &mut Requests) {
    let character = document.character();
    let slot_of = |joint| character.skin_of(&character.instances()[instance])?.slot_of(joint);
    let Some((joint, slot)) = document.selection().joint.and_then(|j| Some((j, slot_of(j)?))) else { return };
    let has_it = document.weights(instance).is_none_or(|w| w.weight_of(vertex as usize, slot) > 0.0);
    if !has_it && ui.small_button(format!("+ {}", character.skeleton().name(joint))).clicked() {
        let vertices = vec![vertex];
        requests.command(Command::SetWeight { instance, vertices, joint: joint.0, weight: 0.25 });
    }
}
