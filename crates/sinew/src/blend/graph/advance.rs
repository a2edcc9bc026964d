//! Weights of the nodes, from the output down, and the advance of the clips.

use super::{
    Graph,
    flat::{NodeInput, NodeKind},
    pool::GraphScratch,
    state::{GraphState, GroupState, PreviousState},
};
use crate::{
    blend::{BlendWeights, Mask, sync},
    sample::{PlaybackStep, SeekEvents, Wrap},
};
use glam::Vec2;

impl Graph {
    /// Computes the weight of every node and updates the state machines.
    pub(super) fn weigh(&self, state: &mut GraphState, work: &mut GraphScratch, dt_secs: f32) {
        work.need((self.nodes.len() - 1) as u16, 1.0);
        // Users of a node come after it, so its weight is complete when it is visited.
        for index in (0..self.nodes.len()).rev() {
            if !work.is_active[index] {
                continue;
            }
            let weight = work.weights[index];
            match &self.nodes[index].kind {
                NodeKind::Rest | NodeKind::Clip(_) => {}
                NodeKind::Blend(inputs) => {
                    let (_, whole) = self.sum_of(inputs, state);
                    for input in inputs {
                        let part = positive(state.value(input.weight));
                        if part > 0.0 {
                            work.need(input.node, weight * part / whole);
                        }
                    }
                }
                NodeKind::Layer { base, over } => {
                    let part = positive(state.value(over.weight)).min(1.0);
                    if part < 1.0 || over.mask.is_some() {
                        work.need(*base, if over.mask.is_some() { weight } else { weight * (1.0 - part) });
                    }
                    if part > 0.0 {
                        work.need(over.node, weight * part);
                    }
                }
                NodeKind::Add { base, delta, .. } => {
                    work.need(*base, weight);
                    let part = state.value(delta.weight);
                    if part != 0.0 {
                        work.need(delta.node, weight * part.abs().min(1.0));
                    }
                }
                NodeKind::Difference { of, from } => {
                    work.need(*of, weight);
                    // The reference of a difference is not visible.
                    work.need(*from, 0.0);
                }
                NodeKind::BlendSpace1d { nodes, .. } | NodeKind::BlendSpace2d { nodes, .. } => {
                    for (place, part) in self.space_weights(index, state).iter() {
                        work.need(nodes[place], weight * part);
                    }
                }
                NodeKind::StateMachine(machine) => {
                    self.weigh_machine(usize::from(*machine), state, work, weight, dt_secs);
                }
            }
        }
    }

    fn weigh_machine(
        &self,
        index: usize,
        state: &mut GraphState,
        work: &mut GraphScratch,
        weight: f32,
        dt_secs: f32,
    ) {
        self.update_machine(index, state, dt_secs);
        let (machine, it) = (&self.machines[index], &state.machines[index]);
        let part = it.fade.weight();
        if part > 0.0 {
            work.need(machine.states[usize::from(it.current)].node, weight * part);
        }
        if let PreviousState::Running(from) = it.previous {
            work.need(machine.states[usize::from(from)].node, weight * (1.0 - part));
        }
    }

    /// The sum of the input weights, without and with the rest pose that fills the gap.
    pub(super) fn sum_of(&self, inputs: &[NodeInput], state: &GraphState) -> (f32, f32) {
        let sum: f32 = inputs.iter().map(|input| positive(state.value(input.weight))).sum();
        (sum, sum.max(crate::blend::REST_THRESHOLD))
    }

    /// The weights of the points of the blend space `node`.
    pub(super) fn space_weights(&self, node: usize, state: &GraphState) -> BlendWeights {
        match &self.nodes[node].kind {
            NodeKind::BlendSpace1d { space, x, .. } => space.weights(state.value(*x)),
            NodeKind::BlendSpace2d { space, at, .. } => {
                space.weights(Vec2::new(state.value(at[0]), state.value(at[1])))
            }
            _ => BlendWeights::default(),
        }
    }

    /// The weight of root motion under a mask: that of the first root joint.
    pub(super) fn root_weight(&self, mask: Option<u16>) -> f32 {
        mask.map_or(1.0, |mask| self.masks[usize::from(mask)].weight(crate::JointId(0)))
    }

    pub(super) fn mask(&self, mask: Option<u16>) -> Option<&Mask> {
        mask.map(|mask| &self.masks[usize::from(mask)])
    }

    /// Advances every active clip.
    pub(super) fn advance_clips(&self, state: &mut GraphState, work: &GraphScratch, dt_secs: f32) {
        for (clip, node) in self.clips.iter().enumerate() {
            if node.sync.is_none() && work.is_active[usize::from(node.node)] {
                let speed = state.value(node.speed);
                let it = &mut state.clips[clip];
                it.playback.set_speed(speed);
                it.passage = it.playback.advance(dt_secs);
            }
        }
        for group in 0..self.groups.len() {
            self.advance_group(group, state, work, f64::from(dt_secs));
        }
    }

    /// The active clips of a group with their weights.
    pub(super) fn running<'a>(
        &'a self,
        group: usize,
        work: &'a GraphScratch,
    ) -> impl Iterator<Item = (usize, f32)> + Clone + 'a {
        let clips = self.groups[group].clips.iter().map(|&clip| usize::from(clip));
        let node = |clip: usize| usize::from(self.clips[clip].node);
        clips
            .filter(move |&clip| work.is_active[node(clip)])
            .map(move |clip| (clip, work.weights[node(clip)]))
    }

    /// The clip of a group with the largest weight; the first of equals.
    pub(super) fn leader(&self, group: usize, work: &GraphScratch) -> Option<usize> {
        let heavier = |best: (usize, f32), next: (usize, f32)| if next.1 > best.1 { next } else { best };
        self.running(group, work).reduce(heavier).map(|(clip, _)| clip)
    }

    fn advance_group(&self, group: usize, state: &mut GraphState, work: &GraphScratch, dt_secs: f64) {
        let Some(leader) = self.leader(group, work) else {
            state.groups[group].is_active = false;
            return;
        };
        let from = if state.groups[group].is_active {
            state.groups[group].position
        } else {
            let time = state.clips[leader].playback.time_secs();
            self.clips[leader].sync.as_ref().map_or(0.0, |(_, track)| track.position(time))
        };
        // The time between two markers: the weighted mean over the clips, at their mean speed.
        let secs_of = |position: f64| {
            let (mut secs, mut speed) = (0.0, 0.0);
            for (clip, weight) in self.running(group, work) {
                let weight = f64::from(weight.max(1e-6));
                let node = &self.clips[clip];
                secs += weight * node.sync.as_ref().map_or(0.0, |(_, track)| track.interval_secs(position));
                speed += weight * f64::from(state.value(node.speed));
            }
            secs / speed
        };
        let position = sync::advanced(from, dt_secs, secs_of);
        state.groups[group] = GroupState { from, position, is_active: true };
        for (clip, _) in self.running(group, work) {
            let node = &self.clips[clip];
            let Some((_, track)) = &node.sync else { continue };
            let it = &mut state.clips[clip];
            it.passage =
                PlaybackStep::new(track.time_secs(from), track.time_secs(position), Wrap::Loop, node.range);
            it.playback.seek(it.passage.to_secs(), SeekEvents::Skip);
        }
    }
}

fn positive(weight: f32) -> f32 {
    weight.max(0.0)
}
