//! The update of state machines.

use super::{
    Graph, TransitionKind,
    flat::{Condition, NodeKind, NodeValue, Transition},
    state::{GraphState, PreviousState},
};
use crate::blend::Crossfade;

impl Graph {
    /// Advances a state machine and takes the first transition whose conditions hold.
    pub(super) fn update_machine(&self, index: usize, state: &mut GraphState, dt_secs: f32) {
        let machine = &self.machines[index];
        let it = &mut state.machines[index];
        it.since_secs += dt_secs;
        it.fade.advance(dt_secs);
        if it.fade.is_over() {
            it.previous = PreviousState::None;
        }
        let current = it.current;
        let can = |t: &&Transition| self.can_take(index, t, current, state);
        let Some(transition) = machine.transitions.iter().find(can) else { return };
        self.take_transition(index, transition, state);
        for condition in &transition.when {
            if let Condition::Fired(NodeValue::Parameter(trigger)) = condition {
                state.parameters[usize::from(*trigger)] = 0.0;
            }
        }
    }

    fn can_take(&self, index: usize, transition: &Transition, current: u16, state: &GraphState) -> bool {
        let leaves = if transition.from.is_empty() {
            transition.to != current
        } else {
            transition.from.contains(&current)
        };
        leaves && transition.when.iter().all(|condition| self.holds(index, condition, state))
    }

    fn holds(&self, index: usize, condition: &Condition, state: &GraphState) -> bool {
        match *condition {
            Condition::Above(value, limit) => state.value(value) > limit,
            Condition::Below(value, limit) => state.value(value) < limit,
            Condition::On(value) | Condition::Fired(value) => value.is_on(&state.parameters),
            Condition::Off(value) => !value.is_on(&state.parameters),
            Condition::After(secs) => state.machines[index].since_secs >= secs,
            Condition::Ending(secs) => {
                let current = usize::from(state.machines[index].current);
                let ending = &self.machines[index].states[current].ending;
                !ending.is_empty() && ending.iter().all(|&clip| self.left_secs(clip, state) <= secs)
            }
        }
    }

    /// The remaining time of a clip that ends, in seconds.
    fn left_secs(&self, clip: u16, state: &GraphState) -> f32 {
        let speed = state.value(self.clips[usize::from(clip)].speed);
        let playback = &state.clips[usize::from(clip)].playback;
        let (range, time) = (playback.range(), playback.clip_time_secs());
        let left = if speed < 0.0 { time - range.start_secs() } else { range.end_secs() - time };
        // A clip that stands still never ends, unless it has already ended.
        if left <= 0.0 { 0.0 } else { left / speed.abs() }
    }

    fn take_transition(&self, index: usize, transition: &Transition, state: &mut GraphState) {
        let machine = &self.machines[index];
        let it = &mut state.machines[index];
        let (from, to) = (it.current, transition.to);
        let is_under_way = it.previous != PreviousState::None;
        // A state has only one time, so its current pose is frozen.
        let comes_back = to == from || it.previous == PreviousState::Running(to);
        let is_known = it.history.known > 0;
        it.begins_inertia = None;
        it.previous = match transition.by {
            TransitionKind::Smooth if !is_under_way && !comes_back => PreviousState::Running(from),
            TransitionKind::Smooth | TransitionKind::Frozen if is_known => PreviousState::Frozen,
            TransitionKind::Inertial if is_known => {
                it.begins_inertia = Some(transition.secs);
                PreviousState::None
            }
            _ => PreviousState::None,
        };
        it.fade = match it.previous {
            PreviousState::None => Crossfade::over(),
            _ => Crossfade::new(transition.secs, transition.easing),
        };
        if it.fade.is_over() {
            it.previous = PreviousState::None;
        }
        (it.current, it.since_secs) = (to, 0.0);
        let old = &machine.states[usize::from(from)].reach;
        for &node in &machine.states[usize::from(to)].reach {
            // Clips that both states use keep running.
            if comes_back || !old.contains(&node) {
                self.restart_node(node, state);
            }
        }
    }

    fn restart_node(&self, node: u16, state: &mut GraphState) {
        match self.nodes[usize::from(node)].kind {
            NodeKind::Clip(clip) => {
                let speed = state.value(self.clips[usize::from(clip)].speed);
                let playback = &mut state.clips[usize::from(clip)].playback;
                playback.set_speed(speed);
                playback.restart();
            }
            NodeKind::StateMachine(machine) => {
                let initial = self.machines[usize::from(machine)].initial;
                state.machines[usize::from(machine)].restart(initial);
            }
            _ => {}
        }
    }
}
