//! The state of one instance of a graph.

use super::{
    Graph, ParameterDef, ParameterId, TransitionKind,
    flat::{NodeKind, NodeValue, StateMachine},
};
use crate::{
    blend::{Crossfade, Inertializer},
    identity::Identity,
    pose::LocalPose,
    sample::{ClipCursor, Playback, PlaybackStep},
};

/// The state of one instance of a graph: parameters, clip times and states. Created by [`Graph::new_state`].
#[derive(Clone, Debug, PartialEq)]
pub struct GraphState {
    graph: Identity,
    pub(super) parameters: Vec<f32>,
    pub(super) clips: Vec<ClipState>,
    pub(super) machines: Vec<MachineState>,
    pub(super) groups: Vec<GroupState>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClipState {
    pub(super) playback: Playback,
    pub(super) cursor: ClipCursor,
    /// The latest playback step.
    pub(super) passage: PlaybackStep,
}

/// The position of a sync group, in markers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct GroupState {
    pub(super) from: f64,
    pub(super) position: f64,
    /// True if one of its clips was active in the latest step.
    pub(super) is_active: bool,
}

/// The source of the current transition of a state machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PreviousState {
    None,
    /// A state that keeps running.
    Running(u16),
    /// The pose at the start of the transition.
    Frozen,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct MachineState {
    pub(super) current: u16,
    pub(super) since_secs: f32,
    pub(super) previous: PreviousState,
    pub(super) fade: Crossfade,
    /// Duration of the inertialization that starts in this step, in seconds.
    pub(super) begins_inertia: Option<f32>,
    /// The results of the latest steps; empty if no transition needs them.
    pub(super) history: StateHistory,
    /// The decaying offset of earlier states; `None` if no transition needs it.
    pub(super) inertia: Option<Inertializer>,
}

/// The latest poses of a state machine.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StateHistory {
    /// The pose of the latest step and of the one before.
    pub(super) last: LocalPose,
    pub(super) before: LocalPose,
    /// The time between the two poses, in seconds.
    pub(super) step_secs: f32,
    /// How many of the two poses are known.
    pub(super) known: u8,
}

impl MachineState {
    fn new(machine: &StateMachine, still: &LocalPose) -> Self {
        let is_inertial = machine.has(TransitionKind::Inertial);
        let kept = |is_needed: bool| if is_needed { still.clone() } else { LocalPose::default() };
        Self {
            current: machine.initial,
            since_secs: 0.0,
            previous: PreviousState::None,
            fade: Crossfade::over(),
            begins_inertia: None,
            history: StateHistory {
                last: kept(!machine.transitions.is_empty()),
                before: kept(is_inertial),
                step_secs: 0.0,
                known: 0,
            },
            inertia: is_inertial.then(|| Inertializer::new(still)),
        }
    }

    /// Resets to the initial state; the history is kept.
    pub(super) fn restart(&mut self, initial: u16) {
        (self.current, self.since_secs) = (initial, 0.0);
        (self.previous, self.fade, self.begins_inertia) = (PreviousState::None, Crossfade::over(), None);
        self.history.known = 0;
        if let Some(inertia) = &mut self.inertia {
            inertia.stop();
        }
    }
}

impl GraphState {
    pub(super) fn new(graph: &Graph) -> Self {
        let start = |def: &ParameterDef| match def {
            ParameterDef::Float(number) => *number,
            ParameterDef::Bool(is_on) => f32::from(u8::from(*is_on)),
            ParameterDef::Trigger => 0.0,
        };
        let parameters: Vec<f32> = graph.parameters.iter().map(|p| start(&p.def)).collect();
        let clip = |node: &super::ClipNode| {
            let mut playback = Playback::new(node.range).with_wrap(node.wrap);
            playback.set_speed(node.speed.get(&parameters));
            playback.restart();
            ClipState { playback, cursor: node.motion.new_cursor(), passage: playback.clone().advance(0.0) }
        };
        let clips = graph.clips.iter().map(clip).collect();
        let mut machines = Vec::new();
        // State machines are in the order of their nodes.
        for (index, node) in graph.nodes.iter().enumerate() {
            if let NodeKind::StateMachine(machine) = node.kind {
                let machine = &graph.machines[usize::from(machine)];
                machines.push(MachineState::new(machine, graph.still(index)));
            }
        }
        let groups = vec![GroupState::default(); graph.groups.len()];
        Self { graph: graph.identity(), parameters, clips, machines, groups }
    }

    /// Panics for another graph than the one that the state was made for.
    #[track_caller]
    pub(super) fn check(&self, graph: &Graph) {
        assert!(
            self.graph == graph.identity(),
            "the state was made for graph {} with {} parameters and {} clips, not for {} with {} and {}",
            self.graph,
            self.parameters.len(),
            self.clips.len(),
            graph.identity(),
            graph.parameters.len(),
            graph.clips.len()
        );
    }

    #[track_caller]
    fn index_of(&self, parameter: ParameterId) -> usize {
        assert!(
            parameter.graph == self.graph,
            "parameter {} is of graph {}, not of {}, which has {} parameters",
            parameter.index,
            parameter.graph,
            self.graph,
            self.parameters.len()
        );
        usize::from(parameter.index)
    }

    /// Sets the value of a parameter. A value that is not finite is 0.
    ///
    /// # Panics
    /// If the parameter is of another graph.
    #[track_caller]
    pub fn set(&mut self, parameter: ParameterId, value: f32) {
        let index = self.index_of(parameter);
        self.parameters[index] = if value.is_finite() { value } else { 0.0 };
    }

    /// Sets a boolean parameter.
    ///
    /// # Panics
    /// As [`GraphState::set`].
    #[track_caller]
    pub fn switch(&mut self, parameter: ParameterId, is_on: bool) {
        self.set(parameter, f32::from(u8::from(is_on)));
    }

    /// Sets a trigger. It stays set until a transition consumes it.
    ///
    /// # Panics
    /// As [`GraphState::set`].
    #[track_caller]
    pub fn fire(&mut self, parameter: ParameterId) {
        self.switch(parameter, true);
    }

    /// The value of a parameter; booleans are 1 and 0.
    ///
    /// # Panics
    /// As [`GraphState::set`].
    #[track_caller]
    pub fn get(&self, parameter: ParameterId) -> f32 {
        self.parameters[self.index_of(parameter)]
    }

    /// The name of the state that the state machine `node` is in or in transition to; `None` if there is no such state
    /// machine.
    ///
    /// # Panics
    /// If the state was made for another graph.
    #[track_caller]
    pub fn state_of<'g>(&self, graph: &'g Graph, node: &str) -> Option<&'g str> {
        self.check(graph);
        let node = graph.nodes.iter().find(|n| n.name == node)?;
        let NodeKind::StateMachine(index) = node.kind else { return None };
        let states = &graph.machines[usize::from(index)].states;
        let current = self.machines.get(usize::from(index))?.current;
        states.get(usize::from(current)).map(|state| state.name.as_str())
    }

    /// The clip time of the clip node `node`; `None` if there is no such clip node.
    ///
    /// # Panics
    /// If the state was made for another graph.
    #[track_caller]
    pub fn clip_time_secs(&self, graph: &Graph, node: &str) -> Option<f32> {
        self.check(graph);
        let node = graph.nodes.iter().find(|n| n.name == node)?;
        let NodeKind::Clip(index) = node.kind else { return None };
        self.clips.get(usize::from(index)).map(|clip| clip.playback.clip_time_secs())
    }

    pub(super) fn value(&self, value: NodeValue) -> f32 {
        value.get(&self.parameters)
    }
}
