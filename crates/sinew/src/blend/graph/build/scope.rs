//! The names that are visible to a node.

use super::super::{NodeDef, ParameterDef, ValueDef, flat::NodeValue};
use super::{Builder, Checked, LARGEST, number, unknown};
use crate::blend::graph::{GraphError, GraphFault};
use std::collections::HashMap;

/// One use of a graph: its nodes, and the values that its parameters are bound to.
pub(super) struct Scope<'a> {
    /// Prefix of the names of its nodes.
    pub(super) prefix: String,
    pub(super) nodes: &'a [(String, NodeDef)],
    parameters: Vec<(&'a str, NodeValue, ParameterDef)>,
    pub(super) done: HashMap<&'a str, u16>,
    /// The nodes that are being built, the outermost first.
    pub(super) way: Vec<&'a str>,
    /// The enclosing graphs, the outermost first.
    pub(super) inside: Vec<String>,
    /// Its depth below the output, in nodes.
    pub(super) depth: usize,
}

/// The type that a field expects of a parameter.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ExpectedValue {
    /// A number; a boolean is accepted.
    Number,
    OnOff,
    Trigger,
}

impl<'a> Scope<'a> {
    pub(super) fn new(prefix: String, nodes: &'a [(String, NodeDef)]) -> Self {
        let (parameters, done) = (Vec::new(), HashMap::new());
        Self { prefix, nodes, parameters, done, way: Vec::new(), inside: Vec::new(), depth: 0 }
    }

    pub(super) fn bind(&mut self, name: &'a str, value: NodeValue, def: ParameterDef) {
        self.parameters.push((name, value, def));
    }

    /// The name of a node in errors.
    pub(super) fn place(&self, name: &str) -> String {
        format!("node {:?}", format!("{}{name}", self.prefix))
    }

    /// The parameter called `name`, if it has the expected type.
    pub(super) fn parameter(
        &self,
        place: &str,
        field: &str,
        name: &str,
        wanted: ExpectedValue,
    ) -> Checked<NodeValue> {
        let Some((_, value, def)) = self.parameters.iter().find(|(n, ..)| *n == name) else {
            let known = self.parameters.iter().map(|(n, ..)| *n);
            return Err(GraphError::new(place, field, unknown("parameter", name, known)));
        };
        let fits = matches!(
            (wanted, def),
            (ExpectedValue::Number, ParameterDef::Float(_) | ParameterDef::Bool(_))
                | (ExpectedValue::OnOff, ParameterDef::Bool(_))
                | (ExpectedValue::Trigger, ParameterDef::Trigger)
        );
        let is = match def {
            ParameterDef::Float(_) => "Float",
            ParameterDef::Bool(_) => "Bool",
            ParameterDef::Trigger => "Trigger",
        };
        let wanted = match wanted {
            ExpectedValue::Number => "Float",
            ExpectedValue::OnOff => "Bool",
            ExpectedValue::Trigger => "Trigger",
        };
        let fault = GraphFault::ParameterKind { name: name.into(), is, wanted };
        if fits { Ok(*value) } else { Err(GraphError::new(place, field, fault)) }
    }

    pub(super) fn value(&self, place: &str, field: &str, def: &ValueDef) -> Checked<NodeValue> {
        match def {
            ValueDef::Constant(fixed) => {
                number(place, field, *fixed, -LARGEST..=LARGEST).map(NodeValue::Constant)
            }
            ValueDef::Parameter(name) => self.parameter(place, field, name, ExpectedValue::Number),
        }
    }
}

impl<'a> Builder<'a> {
    /// The value that a node of `scope` binds to the parameter `name` of an inner graph.
    pub(super) fn bound(
        &mut self,
        scope: &Scope<'a>,
        node: &str,
        name: &str,
        def: ParameterDef,
        given: Option<&ValueDef>,
    ) -> Checked<NodeValue> {
        let (place, field) = (scope.place(node), format!("parameters[{name:?}]"));
        let wanted = match def {
            ParameterDef::Float(_) => ExpectedValue::Number,
            ParameterDef::Bool(_) => ExpectedValue::OnOff,
            ParameterDef::Trigger => ExpectedValue::Trigger,
        };
        match given {
            None => self.new_parameter(format!("{}{node}/{name}", scope.prefix), def, &place, "parameters"),
            Some(ValueDef::Parameter(outer)) => scope.parameter(&place, &field, outer, wanted),
            Some(ValueDef::Constant(_)) if wanted == ExpectedValue::Trigger => {
                let fault = GraphFault::ParameterKind { name: name.into(), is: "Trigger", wanted: "Float" };
                Err(GraphError::new(place, field, fault))
            }
            Some(fixed) => scope.value(&place, &field, fixed),
        }
    }
}
