//! The open blend graph.

use sinew::{
    Character,
    blend::graph::{Graph, GraphDef, GraphError, ParameterDef},
};
use std::{collections::BTreeMap, sync::Arc};

/// A blend graph and the values of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenGraph {
    /// The name of the graph file.
    pub name: String,
    /// The graph as parsed from the file.
    pub def: Arc<GraphDef>,
    /// Parameters that were set, by name; the others have the values of the file. Booleans are 1 and 0.
    pub values: BTreeMap<String, f32>,
}

impl OpenGraph {
    /// The graph over the clips of `character`, ready to run.
    ///
    /// # Errors
    /// If the graph is invalid or does not fit the character; the error names the node and the field.
    pub fn build(&self, character: &Character) -> Result<Graph, GraphError> {
        Graph::of_character(&self.def, character)
    }

    /// The current value of a parameter.
    pub fn value(&self, name: &str, def: ParameterDef) -> f32 {
        let start = match def {
            ParameterDef::Float(value) => value,
            ParameterDef::Bool(is_on) => f32::from(u8::from(is_on)),
            ParameterDef::Trigger => 0.0,
        };
        self.values.get(name).copied().unwrap_or(start)
    }
}
