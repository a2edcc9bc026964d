//! The state that the page publishes for its tests: the studio and the places of widgets, in attributes of the body.

use super::{Studio, viewport::look::Compared};
use crate::{document::Document, platform::publish};
use egui::accesskit::{Node, NodeId};
use serde_json::{Value, json};
use sinew::{Influence, JointId};
use std::collections::HashMap;

/// The published state of the studio.
#[derive(Debug, Default)]
pub(super) struct PageState {
    /// The backend of the renderer, `BrowserWebGpu` or `Gl`.
    renderer: String,
    is_test: bool,
    published: String,
    /// A hash of the document, with the revision it was computed for.
    fingerprint: Option<(u64, String)>,
}

impl PageState {
    pub(super) fn of(creation: &eframe::CreationContext<'_>) -> Self {
        let backend = creation.wgpu_render_state.as_ref().map(|state| state.adapter.get_info().backend);
        let renderer = backend.map_or_else(String::new, |backend| format!("{backend:?}"));
        Self { renderer, ..Self::default() }
    }
}

impl Studio {
    /// Publishes the state, and the names and places of all widgets, in attributes of the page.
    #[must_use]
    pub fn with_test_state(mut self, ctx: &egui::Context) -> Self {
        ctx.add_plugin(WidgetPlaces::default());
        self.page_state.is_test = true;
        self
    }

    /// Publishes what changed since the last frame; outside tests only what the page itself reads.
    pub(super) fn publish_state(&mut self) {
        let mut state = json!({
            "undo": self.session.history().undo_name(),
            "journal": self.has_journal(),
            "unsaved": self.has_unsaved_edits(),
        });
        if self.page_state.is_test {
            let revision = self.session.revision();
            if self.page_state.fingerprint.as_ref().is_none_or(|(of, _)| *of != revision) {
                self.page_state.fingerprint = Some((revision, fingerprint(self.session.document())));
            }
            for part in [self.document_state(), self.window_state()] {
                if let (Value::Object(state), Value::Object(part)) = (&mut state, part) {
                    state.extend(part);
                }
            }
        }
        let state = state.to_string();
        if state != self.page_state.published {
            publish("data-state", &state);
            self.page_state.published = state;
        }
    }

    fn document_state(&self) -> Value {
        let document = self.session.document();
        let joint = document.selection().joint;
        let pose = joint.and_then(|j| document.pose().joints.get(j.index()));
        let mix = document.playhead().mix;
        json!({
            "source": document.source().to_string(),
            "joints": document.character().skeleton().len(),
            "joint": joint.map(|joint| document.character().skeleton().name(joint)),
            "rotation": pose.map(|pose| pose.rotation.to_array()),
            "translation": pose.map(|pose| pose.translation.to_array()),
            "scale": pose.map(|pose| pose.scale.to_array()),
            "vertices": document.selection().vertex_count(),
            "picked": picked(document),
            "clip": document.clip().map(|clip| clip.name()),
            "clips": document.character().clips().len(),
            "time_secs": document.playhead().time_secs,
            "blend_weight": mix.map(|mix| mix.weight),
            "method": document.method().name(),
            "graph": document.graph().map(|graph| &graph.name),
            "redo": self.session.history().redo_name(),
            "steps": self.session.history().done_count(),
            "fingerprint": self.page_state.fingerprint.as_ref().map(|(_, hash)| hash),
        })
    }

    fn window_state(&self) -> Value {
        let scene = &self.viewport.scene;
        let projected = |joint: JointId| {
            let position = scene.evaluation().frame().model().joint(joint).translation;
            self.project(position.into()).map(|at| [at.x, at.y])
        };
        json!({
            "joint_at": self.session.document().selection().joint.and_then(projected),
            "playing": self.is_playing(),
            "states": self.player.states(),
            "look": self.viewport.look.look.name(),
            "compared": self.viewport.look.compared.map(Compared::name),
            "on_gpu": scene.gpu_deformation().is_some(),
            "working": self.is_working(),
            "findings": self.findings().map(<[_]>::len),
            "question": self.files.question().is_some(),
            "unclosed": self.files.unclosed_session().is_some(),
            "message": self.message(),
            "renderer": self.page_state.renderer,
        })
    }
}

/// A hash of everything in the document that an edit can change.
fn fingerprint(document: &Document) -> String {
    let character = document.character();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |number: u64| hash = (hash ^ number).wrapping_mul(0x0000_0100_0000_01b3);
    for joint in &document.pose().joints {
        let parts = [&joint.translation.to_array()[..], &joint.rotation.to_array(), &joint.scale.to_array()];
        parts.concat().iter().for_each(|number| add(u64::from(number.to_bits())));
    }
    for weights in (0..character.instances().len()).filter_map(|instance| document.weights(instance)) {
        let all = |v: usize| weights.influences(v).chain(weights.muscle_influences(v));
        for Influence { slot, weight } in (0..weights.vertex_count()).flat_map(all) {
            add(u64::from(slot) << 32 | u64::from(weight.to_bits()));
        }
    }
    let rest = (document.selection(), document.playhead(), document.locks(), document.limits());
    format!("{rest:?}{}", document.method()).bytes().for_each(|byte| add(u64::from(byte)));
    format!("{hash:016x}")
}

/// The first selected vertex with its weights by joint name.
fn picked(document: &Document) -> Option<Value> {
    let (instance, vertices) = document.selection().vertices.first_key_value()?;
    let (vertex, character) = (*vertices.first()?, document.character());
    let skin = character.skin_of(character.instances().get(*instance)?)?;
    let weights = document.weights(*instance)?;
    let influences = weights.influences(vertex as usize).chain(weights.muscle_influences(vertex as usize));
    let named = influences.filter_map(|Influence { slot, weight }| {
        let joint = skin.joints().get(usize::from(slot))?;
        Some((character.skeleton().name(*joint).to_owned(), Value::from(weight)))
    });
    Some(json!({ "vertex": vertex, "weights": named.collect::<serde_json::Map<_, _>>() }))
}

/// Publishes every named widget, as a screen reader would see it.
#[derive(Debug, Default)]
struct WidgetPlaces {
    published: String,
}

impl egui::Plugin for WidgetPlaces {
    fn debug_name(&self) -> &'static str {
        "places"
    }

    fn setup(&mut self, ctx: &egui::Context) {
        ctx.enable_accesskit();
        // A press counts as a click however slowly a software renderer draws.
        ctx.options_mut(|options| options.input_options.max_click_duration = 60.0);
        // Animations would take seconds there.
        ctx.all_styles_mut(|style| {
            style.animation_time = 0.0;
            style.interaction.tooltip_delay = 60.0;
        });
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
