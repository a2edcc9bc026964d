//! The blend graph: its parameters as controls, and its current states.

use super::{Dock, Panel, PanelContext};
use crate::{
    app::{actions::Action, player::Player, requests::Requests},
    command::Command,
    document::OpenGraph,
};
use sinew::{
    Character,
    blend::graph::{GraphDef, ParameterDef},
};
use std::sync::Arc;

/// The state of the panel: the parameters of the open graph, which building it tells.
#[derive(Debug, Default)]
pub(super) struct GraphPanel {
    built: Option<BuiltGraph>,
}

#[derive(Debug)]
struct BuiltGraph {
    def: Arc<GraphDef>,
    character: Arc<Character>,
    /// The parameters, or why the graph cannot be built.
    parameters: Result<Vec<(String, ParameterDef)>, String>,
}

impl BuiltGraph {
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

impl Panel for GraphPanel {
    fn dock(&self) -> Dock {
        Dock::Properties(None)
    }

    fn is_visible(&self, context: &PanelContext<'_>) -> bool {
        context.document().graph().is_some()
    }

    fn show(&mut self, ui: &mut egui::Ui, context: &mut PanelContext<'_>) {
        let document = context.document();
        let (Some(graph), character) = (document.graph(), document.character()) else { return };
        let built = self.built.take().filter(|built| built.is_of(graph, character));
        let built = self.built.insert(built.unwrap_or_else(|| BuiltGraph::new(graph, character)));
        section(ui, graph, built, context.player, context.requests);
    }
}

fn section(
    ui: &mut egui::Ui,
    graph: &OpenGraph,
    built: &BuiltGraph,
    player: &Player,
    requests: &mut Requests,
) {
    egui::CollapsingHeader::new("Graph").default_open(true).show(ui, |ui| {
        ui.horizontal(|ui| {
            ui.strong(&graph.name);
            if ui
                .small_button("Restart")
                .on_hover_text("Return every state machine and clip to its start")
                .clicked()
            {
                requests.act(Action::RestartGraph);
            }
            if ui.small_button("Close graph").on_hover_text(Command::CloseGraph.info().tooltip).clicked() {
                requests.command(Command::CloseGraph);
            }
        });
        match &built.parameters {
            Ok(all) => all.iter().for_each(|(name, def)| parameter(ui, graph, name, *def, requests)),
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
            ui.weak("Play to see its states.");
        }
    });
}

fn parameter(ui: &mut egui::Ui, graph: &OpenGraph, name: &str, def: ParameterDef, requests: &mut Requests) {
    let mut value = graph.value(name, def);
    let is_changed = match def {
        ParameterDef::Float(start) => {
            let default = 2.0 * start.abs().max(0.5);
            let [min, max] = graph.def.range_of(name).unwrap_or([-default, default]);
            let slider = egui::Slider::new(&mut value, min.min(start)..=max.max(start)).text(name);
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
