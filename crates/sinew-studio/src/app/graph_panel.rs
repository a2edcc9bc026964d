//! The blend graph: its parameters as controls, its states in words.

use super::{
    player::Player,
    requests::{Action, Requests},
};
use crate::{
    command::Command,
    document::{Document, OpenGraph},
};
use sinew::{
    Character,
    blend::graph::{GraphDef, ParameterDef},
};
use std::sync::Arc;

/// What the panel keeps: the parameters of the graph it last saw, which are known once it is built.
#[derive(Debug, Default)]
pub(super) struct GraphPanel {
    known: Option<Known>,
}

#[derive(Debug)]
struct Known {
    def: Arc<GraphDef>,
    character: Arc<Character>,
    /// Or why there are none.
    parameters: Result<Vec<(String, ParameterDef)>, String>,
}

impl Known {
    fn new(graph: &OpenGraph, character: &Arc<Character>) -> Self {
        let owned = |(name, def): (&str, ParameterDef)| (name.to_owned(), def);
        let parameters = match graph.build(character) {
            Ok(built) => Ok(built.parameters().map(owned).collect()),
            Err(error) => Err(error.to_string()),
        };
        Self { def: Arc::clone(&graph.def), character: Arc::clone(character), parameters }
    }

    fn is_of(&self, graph: &OpenGraph, character: &Arc<Character>) -> bool {
        Arc::ptr_eq(&self.def, &graph.def) && Arc::ptr_eq(&self.character, character)
    }
}

impl GraphPanel {
    pub(super) fn show(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        player: &Player,
        requests: &mut Requests,
    ) {
        let (Some(graph), character) = (document.graph(), document.character()) else { return };
        let known = self.known.take().filter(|known| known.is_of(graph, character));
        let known = self.known.insert(known.unwrap_or_else(|| Known::new(graph, character)));
        section(ui, (graph, known), player, requests);
    }
}

fn section(
    ui: &mut egui::Ui,
    (graph, known): (&OpenGraph, &Known),
    player: &Player,
    requests: &mut Requests,
) {
    egui::CollapsingHeader::new("Graph").default_open(true).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.strong(&graph.name);
            if ui.small_button("Restart").on_hover_text("Every state and clip at its start").clicked() {
                requests.act(Action::RestartGraph);
            }
            if ui.small_button("Close graph").on_hover_text("Clips play again").clicked() {
                requests.command(Command::CloseGraph);
            }
        });
        match &known.parameters {
            Ok(all) => all.iter().for_each(|(name, def)| parameter(ui, graph, (name, *def), requests)),
            Err(error) => {
                ui.colored_label(ui.visuals().warn_fg_color, error);
            }
        }
        for (machine, state) in player.states() {
            ui.horizontal(|ui| {
                ui.weak(machine);
                ui.strong(state);
            });
        }
        if player.states().is_empty() {
            ui.weak("Play to see it move.");
        }
    });
}

fn parameter(
    ui: &mut egui::Ui,
    graph: &OpenGraph,
    (name, def): (&str, ParameterDef),
    requests: &mut Requests,
) {
    let mut value = graph.value(name, def);
    let is_changed = match def {
        ParameterDef::Float(start) => {
            let far = 2.0 * start.abs().max(0.5);
            let [least, most] = graph.def.range_of(name).unwrap_or([-far, far]);
            let slider = egui::Slider::new(&mut value, least.min(start)..=most.max(start)).text(name);
            ui.add(slider.clamping(egui::SliderClamping::Never).max_decimals(2)).changed()
        }
        ParameterDef::Bool(_) => {
            let mut is_on = value != 0.0;
            let is_changed = ui.checkbox(&mut is_on, name).changed();
            value = f32::from(u8::from(is_on));
            is_changed
        }
        ParameterDef::Trigger => {
            if ui.button(name).on_hover_text("Fire this trigger").clicked() {
                requests.act(Action::Fire(name.into()));
            }
            false
        }
    };
    if is_changed {
        requests.command(Command::SetParameter { name: name.into(), value });
    }
}
