//! A blend graph that plays in place of a clip.

use sinew::{
    Character,
    blend::graph::{Graph, GraphDef, GraphError, ParameterDef},
};
use std::{collections::BTreeMap, sync::Arc};

/// A graph as its file says it, and what its parameters are set to.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenGraph {
    /// What the file is called.
    pub name: String,
    /// What it says.
    pub def: Arc<GraphDef>,
    /// Parameters that were set, by name; the others are as the file says. On and off are 1 and 0.
    pub values: BTreeMap<String, f32>,
}

impl OpenGraph {
    /// The graph over the clips of `character`, ready to run.
    ///
    /// # Errors
    /// Where it does not fit the character, or makes no sense: the error says which node and field.
    pub fn build(&self, character: &Character) -> Result<Graph, GraphError> {
        Graph::of_character(&self.def, character)
    }

    /// The value of a parameter of its graph.
    pub fn value(&self, name: &str, def: ParameterDef) -> f32 {
        let start = match def {
            ParameterDef::Float(value) => value,
            ParameterDef::Bool(is_on) => f32::from(u8::from(is_on)),
            ParameterDef::Trigger => 0.0,
        };
        self.values.get(name).copied().unwrap_or(start)
    }
}
