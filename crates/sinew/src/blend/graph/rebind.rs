//! The state of a graph that was replaced by a changed version of itself.

use super::{
    ClipNode, Graph,
    flat::{NodeKind, StateMachine},
    state::{ClipState, GraphState, MachineState, PreviousState},
};
use crate::{
    blend::Crossfade,
    sample::{Playback, SeekEvents},
};
use std::mem::discriminant;

impl GraphState {
    /// This state of the graph `old` as a state of `new`, a changed version of it.
    ///
    /// Everything is found by name: the values of parameters of the same kind, the times of clip nodes, and the states of
    /// state machines with the transitions that run. What `new` does not have is dropped, and what it adds is at its start.
    /// A clip of another length keeps its time, wrapped into the clip.
    ///
    /// # Panics
    /// If the state was made for another graph than `old`.
    #[must_use]
    #[track_caller]
    pub fn rebound(&self, old: &Graph, new: &Graph) -> Self {
        self.check(old);
        let mut out = new.new_state();
        for (parameter, value) in new.parameters.iter().zip(&mut out.parameters) {
            let is_same = |other: &super::flat::Parameter| {
                other.name == parameter.name && discriminant(&other.def) == discriminant(&parameter.def)
            };
            if let Some(at) = old.parameters.iter().position(is_same) {
                *value = self.parameters[at];
            }
        }
        for (clip, state) in new.clips.iter().zip(&mut out.clips) {
            if let Some(NodeKind::Clip(at)) = old.kind_of(&new.nodes[usize::from(clip.node)].name) {
                carry_clip(&self.clips[usize::from(*at)], clip, state);
            }
        }
        for node in &new.nodes {
            let NodeKind::StateMachine(index) = node.kind else { continue };
            let Some(NodeKind::StateMachine(at)) = old.kind_of(&node.name) else { continue };
            let (index, at) = (usize::from(index), usize::from(*at));
            carry_machine(
                &self.machines[at],
                &old.machines[at],
                &new.machines[index],
                &mut out.machines[index],
            );
        }
        for (group, state) in new.groups.iter().zip(&mut out.groups) {
            if let Some(at) = old.groups.iter().position(|other| other.markers == group.markers) {
                *state = self.groups[at];
            }
        }
        out
    }
}

impl Graph {
    /// What the node called `name` does.
    fn kind_of(&self, name: &str) -> Option<&NodeKind> {
        self.nodes.iter().find(|node| node.name == name).map(|node| &node.kind)
    }
}

fn carry_clip(from: &ClipState, node: &ClipNode, to: &mut ClipState) {
    to.playback = from.playback.carried_to(Playback::new(node.range).with_wrap(node.wrap));
    to.passage = to.playback.clone().advance(0.0);
}

fn carry_machine(from: &MachineState, old: &StateMachine, new: &StateMachine, to: &mut MachineState) {
    let place = |state: u16| {
        let name = &old.states[usize::from(state)].name;
        new.states.iter().position(|other| other.name == *name).map(|at| at as u16)
    };
    let Some(current) = place(from.current) else { return };
    (to.current, to.since_secs) = (current, from.since_secs);
    // Poses are kept where the machine keeps them, which depends on its transitions.
    let has_history = to.history.last.joints.len() == from.history.last.joints.len();
    if has_history && to.history.before.joints.len() == from.history.before.joints.len() {
        to.history = from.history.clone();
    }
    if let (Some(to), Some(from)) = (&mut to.inertia, &from.inertia) {
        to.clone_from(from);
    }
    to.previous = match from.previous {
        PreviousState::Running(state) => place(state).map_or(PreviousState::None, PreviousState::Running),
        PreviousState::Frozen if to.history.known > 0 => PreviousState::Frozen,
        PreviousState::Frozen | PreviousState::None => PreviousState::None,
    };
    to.fade = match to.previous {
        PreviousState::None => Crossfade::over(),
        PreviousState::Running(_) | PreviousState::Frozen => from.fade,
    };
}

impl Playback {
    /// `to` at this position and speed: at the same unwrapped time in a range that did not change, else at the same clip
    /// time.
    pub(crate) fn carried_to(&self, to: Self) -> Self {
        let mut to = to.with_speed(self.speed());
        let is_same = to.range() == self.range() && to.wrap() == self.wrap();
        let time_secs = if is_same { self.time_secs() } else { f64::from(self.clip_time_secs()) };
        to.seek(time_secs, SeekEvents::Skip);
        to
    }
}
