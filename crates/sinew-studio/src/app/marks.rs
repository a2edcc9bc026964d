//! What the page tells its tests: the studio's state and where widgets are, in attributes of the document's body.

use super::Studio;
use crate::{document::Document, platform::publish};
use egui::accesskit::{Node, NodeId};
use serde_json::{Value, json};
use sinew::Influence;
use std::collections::HashMap;

/// What is published of the studio itself.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// `BrowserWebGpu` or `Gl`.
    renderer: String,
    published: String,
}

impl Marks {
    pub(super) fn of(creation: &eframe::CreationContext<'_>) -> Self {
        let backend = creation.wgpu_render_state.as_ref().map(|state| state.adapter.get_info().backend);
        Self {
            renderer: backend.map_or_else(String::new, |backend| format!("{backend:?}")),
            published: String::new(),
        }
    }
}

impl Studio {
    /// The same with names and places of all widgets in an attribute of the page.
    #[must_use]
    pub fn with_test_marks(self, ctx: &egui::Context) -> Self {
        ctx.add_plugin(Places::default());
        self
    }

    /// Publishes what changed since the last frame.
    pub(super) fn publish_state(&mut self) {
        let state = self.state();
        if state != self.marks.published {
            publish("data-state", &state);
            self.marks.published = state;
        }
    }

    fn state(&self) -> String {
        let document = self.session.document();
        let joint = document.selection().joint;
        let name = joint.map(|joint| document.character().skeleton().name(joint));
        let rotation =
            joint.and_then(|j| document.pose().joints.get(j.index())).map(|j| j.rotation.to_array());
        json!({
            "source": document.source().to_string(),
            "joint": name,
            "rotation": rotation,
            "vertices": document.selection().vertex_count(),
            "picked": picked(document),
            "clip": document.clip().map(|clip| clip.name()),
            "playing": self.is_playing(),
            "undo": self.session.history().undo_name(),
            "message": self.message(),
            "renderer": self.marks.renderer,
        })
        .to_string()
    }
}

/// The first selected vertex and its weights by the names of joints.
fn picked(document: &Document) -> Option<Value> {
    let (instance, vertices) = document.selection().vertices.first_key_value()?;
    let (vertex, character) = (*vertices.first()?, document.character());
    let skin = character.skin_of(character.instances().get(*instance)?)?;
    let influences = document.weights(*instance)?.influences(vertex as usize);
    let named = influences.filter_map(|Influence { slot, weight }| {
        let joint = skin.joints().get(usize::from(slot))?;
        Some((character.skeleton().name(*joint).to_owned(), Value::from(weight)))
    });
    Some(json!({ "vertex": vertex, "weights": named.collect::<serde_json::Map<_, _>>() }))
}

/// Publishes every widget that has a name: what a screen reader would be told.
#[derive(Debug, Default)]
struct Places {
    published: String,
}

impl egui::Plugin for Places {
    fn debug_name(&self) -> &'static str {
        "places"
    }

    fn setup(&mut self, ctx: &egui::Context) {
        ctx.enable_accesskit();
        // A press is a click however slowly a browser without a card draws.
        ctx.options_mut(|options| options.input_options.max_click_duration = 60.0);
    }

    fn output_hook(&mut self, _: &egui::Context, output: &mut egui::FullOutput) {
        let Some(update) = &output.platform_output.accesskit_update else { return };
        let nodes: HashMap<NodeId, &Node> = update.nodes.iter().map(|(id, node)| (*id, node)).collect();
        let places: Vec<Value> = update.nodes.iter().filter_map(|(_, node)| place(node, &nodes)).collect();
        let text = Value::from(places).to_string();
        if text != self.published {
            publish("data-widgets", &text);
            self.published = text;
        }
    }
}

fn place(node: &Node, nodes: &HashMap<NodeId, &Node>) -> Option<Value> {
    let own = node.label().or_else(|| node.value());
    let label = node.labelled_by().iter().find_map(|id| nodes.get(id)?.value().or(nodes.get(id)?.label()));
    let (name, area) = (label.or(own)?, node.bounds()?);
    let role = format!("{:?}", node.role());
    Some(json!({ "name": name, "role": role, "rect": [area.x0, area.y0, area.x1, area.y1] }))
}
