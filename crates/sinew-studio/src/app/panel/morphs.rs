//! The morph targets panel: the weight of each morph target in the pose.

use super::{Dock, Panel, PanelContext};
use crate::{
    app::{requests::Requests, tool::ToolSubject},
    command::Command,
    document::Document,
};

/// With more morph targets, as a face has them, the panel starts folded.
const MAX_OPEN: usize = 12;

/// Sliders of the morph weights. It has no state: the pose has the weights.
#[derive(Debug)]
pub(super) struct MorphsPanel;

impl Panel for MorphsPanel {
    fn dock(&self) -> Dock {
        Dock::Properties(Some(ToolSubject::Joints))
    }

    fn is_visible(&self, context: &PanelContext<'_>) -> bool {
        context.document().character().morph_slot_count() > 0
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let document = context.document();
        let count = document.character().morph_slot_count();
        let header = egui::CollapsingHeader::new(format!("Morph targets ({count})")).id_salt("morphs");
        header.default_open(count <= MAX_OPEN).show(ui, |ui| {
            for instance in 0..document.character().instances().len() {
                ui.push_id(instance, |ui| show_instance(ui, document, instance, context.requests));
            }
        });
    }
}

/// The sliders of one mesh instance, below the name of its mesh if there are several with morph targets.
fn show_instance(ui: &mut egui::Ui, document: &Document, instance: usize, requests: &mut Requests) {
    let character = document.character();
    let slots = character.morph_slots(instance);
    if slots.is_empty() {
        return;
    }
    let mesh = character.mesh_of(&character.instances()[instance]);
    if slots.len() < character.morph_slot_count() {
        ui.weak(mesh.name());
    }
    for ((number, target), slot) in mesh.morphs().targets().iter().enumerate().zip(slots) {
        let Some(&weight) = document.pose().morphs.get(slot) else { return };
        let name = if target.name.is_empty() { format!("morph {number}") } else { target.name.clone() };
        let mut edited = weight;
        // Weights beyond 0 and 1 exaggerate a target; they can be typed.
        let slider = egui::Slider::new(&mut edited, 0.0..=1.0).text(name).fixed_decimals(2);
        let slider = slider.clamping(egui::SliderClamping::Never);
        if ui.push_id(slot, |ui| ui.add(slider)).inner.changed() {
            requests.command(Command::SetMorph { slot, weight: edited });
        }
    }
}
