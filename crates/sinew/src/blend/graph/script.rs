//! Parameters that change at given times, and a graph that is evaluated under them.

use super::{Graph, GraphScratch, GraphState, ParameterDef, ParameterId};
use crate::{pose::LocalPose, transform::Transform};
use thiserror::Error;

/// A value of a parameter, of the kind that its [`ParameterDef`] asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterValue {
    /// The value of a number.
    Float(f32),
    /// The value of a boolean.
    Bool(bool),
    /// Sets a trigger until a transition consumes it.
    Trigger,
}

/// The value that a parameter takes at some time.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterChange {
    /// Name of the parameter.
    pub name: String,
    /// The value from then on.
    pub value: ParameterValue,
    /// Time from the start of the run.
    pub at_secs: f32,
}

/// Why changes do not fit the parameters of a graph.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ScriptError {
    /// The graph has no parameter of that name.
    #[error("there is no parameter {name:?}; there are {known}")]
    NoSuchParameter {
        /// The name that was given.
        name: String,
        /// The names of all parameters, separated by commas.
        known: String,
    },
    /// The value is of another kind than the parameter.
    #[error("parameter {name:?} takes {wanted}")]
    WrongKind {
        /// Name of the parameter.
        name: String,
        /// The kind of value that the parameter takes.
        wanted: &'static str,
    },
}

/// A graph that is evaluated from time 0 on, in the steps of a game, while its parameters change at given times.
#[derive(Debug)]
pub struct GraphRun<'a> {
    graph: &'a Graph,
    /// The changes that are yet to come, the next one last.
    changes: Vec<(f32, ParameterId, ParameterValue)>,
    state: GraphState,
    scratch: GraphScratch,
    world_from_model: Transform,
    now_secs: f32,
}

impl<'a> GraphRun<'a> {
    /// The longest step, in seconds.
    pub const STEP_SECS: f32 = 1.0 / 60.0;

    /// A run of `graph` at time 0, with `changes` in any order.
    ///
    /// # Errors
    /// If a change names a parameter that does not exist or gives it a value of another kind.
    pub fn new(graph: &'a Graph, changes: &[ParameterChange]) -> Result<Self, ScriptError> {
        let mut resolved = Vec::with_capacity(changes.len());
        for change in changes {
            resolved.push((change.at_secs, resolve(graph, change)?, change.value));
        }
        resolved.sort_by(|a, b| a.0.total_cmp(&b.0));
        resolved.reverse();
        Ok(Self {
            graph,
            changes: resolved,
            state: graph.new_state(),
            scratch: GraphScratch::new(graph),
            world_from_model: Transform::IDENTITY,
            now_secs: 0.0,
        })
    }

    /// Advances to `time_secs` and returns the pose there, with root motion applied to the first joint. An earlier time
    /// than the last evaluates the last again.
    pub fn pose_at(&mut self, time_secs: f32) -> LocalPose {
        let mut pose = self.step(0.0);
        while self.now_secs < time_secs {
            let dt_secs = (time_secs - self.now_secs).min(Self::STEP_SECS);
            self.now_secs += dt_secs;
            pose = self.step(dt_secs);
        }
        pose
    }

    fn step(&mut self, dt_secs: f32) -> LocalPose {
        while let Some((_, id, value)) = self.changes.pop_if(|(at_secs, ..)| *at_secs <= self.now_secs) {
            match value {
                ParameterValue::Float(number) => self.state.set(id, number),
                ParameterValue::Bool(is_on) => self.state.switch(id, is_on),
                ParameterValue::Trigger => self.state.fire(id),
            }
        }
        let now = self.graph.evaluate(&mut self.state, &mut self.scratch, dt_secs);
        let root = now.root_motion();
        let mut pose = now.pose().clone();
        let moved = &mut self.world_from_model;
        moved.translation += moved.rotation * root.translation;
        moved.rotation = (moved.rotation * root.rotation).normalize();
        if let Some(first) = pose.joints.first_mut() {
            first.translation = moved.translation + moved.rotation * first.translation;
            first.rotation = moved.rotation * first.rotation;
        }
        pose
    }
}

fn resolve(graph: &Graph, change: &ParameterChange) -> Result<ParameterId, ScriptError> {
    let def = graph.parameters().find(|(name, _)| *name == change.name).map(|(_, def)| def);
    let (Some(def), Some(id)) = (def, graph.find_parameter(&change.name)) else {
        let known: Vec<&str> = graph.parameters().map(|(name, _)| name).collect();
        return Err(ScriptError::NoSuchParameter { name: change.name.clone(), known: known.join(", ") });
    };
    let wanted = match (def, change.value) {
        (ParameterDef::Float(_), ParameterValue::Float(_))
        | (ParameterDef::Bool(_), ParameterValue::Bool(_))
        | (ParameterDef::Trigger, ParameterValue::Trigger) => return Ok(id),
        (ParameterDef::Float(_), _) => "a number",
        (ParameterDef::Bool(_), _) => "on or off",
        (ParameterDef::Trigger, _) => "fire",
    };
    Err(ScriptError::WrongKind { name: change.name.clone(), wanted })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Wrap,
        blend::graph::{GraphDef, NodeDef, ValueDef},
        sinew_samples,
    };

    fn walk_at_a_speed() -> Graph {
        let walk = NodeDef::Clip {
            clip: "walk".into(),
            speed: ValueDef::Parameter("speed".into()),
            wrap: Wrap::Loop,
            range: None,
            sync: None,
        };
        let def = GraphDef {
            parameters: vec![("speed".into(), ParameterDef::Float(0.0))],
            nodes: vec![("walk".into(), walk)],
            output: "walk".into(),
            ..GraphDef::default()
        };
        Graph::of_character(&def, &sinew_samples::figure()).unwrap()
    }

    fn speed(value: ParameterValue, at_secs: f32) -> ParameterChange {
        ParameterChange { name: "speed".into(), value, at_secs }
    }

    #[test]
    fn a_change_takes_effect_at_its_time_and_not_before() {
        let graph = walk_at_a_speed();
        let mut run = GraphRun::new(&graph, &[speed(ParameterValue::Float(1.0), 0.5)]).unwrap();
        let start = run.pose_at(0.0);
        assert_eq!(run.pose_at(0.45), start);
        assert_ne!(run.pose_at(0.7), start);
    }

    #[test]
    fn changes_that_do_not_fit_are_refused_by_name() {
        let graph = walk_at_a_speed();
        let error = |change| GraphRun::new(&graph, &[change]).unwrap_err();
        let unknown = ParameterChange { name: "haste".into(), ..speed(ParameterValue::Trigger, 0.0) };
        assert_eq!(error(unknown).to_string(), "there is no parameter \"haste\"; there are speed");
        assert_eq!(
            error(speed(ParameterValue::Trigger, 0.0)).to_string(),
            "parameter \"speed\" takes a number"
        );
    }
}
