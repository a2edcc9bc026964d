//! Playback of the document's graph.

use crate::document::{Document, OpenGraph};
use sinew::{
    Character, LocalPose,
    blend::graph::{Graph, GraphDef, GraphScratch, GraphState, ParameterDef},
};
use std::sync::Arc;

/// A graph built for a character, with its state.
#[derive(Debug)]
pub(super) struct GraphPlayer {
    def: Arc<GraphDef>,
    character: Arc<Character>,
    graph: Graph,
    state: GraphState,
    workspace: GraphScratch,
}

impl GraphPlayer {
    /// `None` if no graph is open or its clips no longer exist.
    pub(super) fn new(document: &Document) -> Option<Self> {
        let OpenGraph { def, .. } = document.graph()?;
        let graph = document.graph()?.build(document.character()).ok()?;
        let (state, workspace) = (graph.new_state(), GraphScratch::new(&graph));
        let character = Arc::clone(document.character());
        let mut player = Self { def: Arc::clone(def), character, graph, state, workspace };
        player.set_parameters(document);
        Some(player)
    }

    /// True if the document still has the graph and the character that this was built from.
    pub(super) fn is_of(&self, document: &Document) -> bool {
        Arc::ptr_eq(&self.character, document.character())
            && document.graph().is_some_and(|graph| Arc::ptr_eq(&graph.def, &self.def))
    }

    pub(super) fn set_parameters(&mut self, document: &Document) {
        let Some(open) = document.graph() else { return };
        for (name, def) in self.graph.parameters().filter(|(_, def)| *def != ParameterDef::Trigger) {
            if let Some(parameter) = self.graph.find_parameter(name) {
                self.state.set(parameter, open.value(name, def));
            }
        }
    }

    pub(super) fn fire(&mut self, trigger: &str) {
        if let Some(parameter) = self.graph.find_parameter(trigger) {
            self.state.fire(parameter);
        }
    }

    pub(super) fn evaluate(&mut self, passed_secs: f32, out: &mut LocalPose) {
        let now = self.graph.evaluate(&mut self.state, &mut self.workspace, passed_secs);
        out.copy_from(now.pose());
    }

    /// Every state machine with its current state.
    pub(super) fn states(&self) -> Vec<(String, String)> {
        let state = |node: &str| {
            let state = self.state.state_of(&self.graph, node)?;
            Some((node.to_owned(), state.to_owned()))
        };
        self.graph.nodes().filter_map(state).collect()
    }
}
