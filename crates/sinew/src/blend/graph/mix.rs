//! Poses, root motion and meta-channels, from the clips up.

use super::{
    Graph, MAX_INPUTS,
    flat::{ClipNode, NodeInput, NodeKind},
    pool::{GraphScratch, MetaSlot, PoolSlot},
    state::{GraphState, PreviousState},
};
use crate::{
    blend::{PoseLayer, REST_THRESHOLD, RecentMotion, add, blend, difference, layer_over, subtract},
    pose::LocalPose,
    sample::sample_meta,
    transform::Transform,
};
use glam::{Quat, Vec3, Vec4};

/// One part of a mix: a node, how much it counts and where.
type WeightedInput = (u16, f32, Option<u16>);

impl Graph {
    /// Computes every node that is needed, in order.
    pub(super) fn mix(&self, state: &mut GraphState, work: &mut GraphScratch, dt_secs: f32) {
        for index in 0..self.nodes.len() {
            if work.is_active[index] {
                self.mix_node(index, state, work, dt_secs);
            }
        }
    }

    fn mix_node(&self, index: usize, state: &mut GraphState, work: &mut GraphScratch, dt_secs: f32) {
        match &self.nodes[index].kind {
            NodeKind::Rest => self.fill(index, work, |out, _| out.pose.copy_from(self.still(index))),
            NodeKind::Clip(clip) => self.fill(index, work, |out, _| {
                out.pose.copy_from(self.still(index));
                self.sample(usize::from(*clip), state, out);
            }),
            NodeKind::Blend(inputs) => {
                let parts = inputs.iter().map(|i| (i.node, state.value(i.weight), i.mask));
                self.mix_parts(index, parts, work);
            }
            NodeKind::Layer { base, over } => self.mix_layer(index, *base, over, (state, work)),
            NodeKind::Add { base, delta, is_subtracted } => {
                self.mix_sum(index, *base, delta, *is_subtracted, (state, work));
            }
            NodeKind::Difference { of, from } => {
                self.fill(index, work, |out, work| {
                    difference(&work.of_node(*of).pose, &work.of_node(*from).pose, &mut out.pose);
                    out.metas.copy_from_slice(&work.of_node(*of).metas);
                });
                [*of, *from].into_iter().for_each(|node| work.release(node));
            }
            NodeKind::BlendSpace1d { nodes, .. } | NodeKind::BlendSpace2d { nodes, .. } => {
                let shares = self.space_weights(index, state);
                self.mix_parts(index, shares.iter().map(|(place, share)| (nodes[place], share, None)), work);
            }
            NodeKind::StateMachine(machine) => {
                self.mix_machine(index, usize::from(*machine), state, work, dt_secs)
            }
        }
    }

    /// Gives `node` a slot of its own, to be read as often as something needs it, and lets `work_out` fill it.
    fn fill(
        &self,
        node: usize,
        work: &mut GraphScratch,
        work_out: impl FnOnce(&mut PoolSlot, &GraphScratch),
    ) {
        let index = work.take();
        let mut slot = std::mem::replace(&mut work.slots[usize::from(index)], PoolSlot::empty());
        slot.reads = work.uses[node];
        work_out(&mut slot, work);
        work.slots[usize::from(index)] = slot;
        work.slot_of[node] = index;
    }

    /// Hands the result of `input` on as that of `node`.
    fn pass(&self, node: usize, input: u16, work: &mut GraphScratch) {
        let slot = work.slot_of[usize::from(input)];
        work.slot_of[node] = slot;
        work.slots[usize::from(slot)].reads += work.uses[node];
        work.release(input);
    }

    fn sample(&self, clip: usize, state: &mut GraphState, out: &mut PoolSlot) {
        let ClipNode { motion, root, metas, .. } = &self.clips[clip];
        let it = &mut state.clips[clip];
        let time_secs = it.playback.clip_time_secs();
        motion.sample(time_secs, &mut it.cursor, &mut out.pose);
        out.root = root.as_ref().map_or(Transform::IDENTITY, |root| root.delta(&it.passage));
        for (meta, &place) in motion.metas().iter().zip(metas) {
            out.metas[usize::from(place)] = MetaSlot { value: sample_meta(meta, time_secs), weight: 1.0 };
        }
    }

    /// The weighted mean of nodes, those that do not count left out: at most [`MAX_INPUTS`].
    fn mix_parts(&self, index: usize, all: impl Iterator<Item = WeightedInput>, work: &mut GraphScratch) {
        let mut parts: [WeightedInput; MAX_INPUTS] = [(0, 0.0, None); MAX_INPUTS];
        let mut count = 0;
        for part in all.filter(|(_, weight, _)| *weight > 0.0).take(MAX_INPUTS) {
            parts[count] = part;
            count += 1;
        }
        let parts = &parts[..count];
        match *parts {
            [(node, weight, None)] if weight >= REST_THRESHOLD => self.pass(index, node, work),
            _ => {
                self.fill(index, work, |out, work| {
                    let first = PoseLayer::new(self.still(index), 0.0);
                    let mut layers = [first; MAX_INPUTS];
                    for (layer, &(node, weight, mask)) in layers.iter_mut().zip(parts) {
                        *layer = PoseLayer { pose: &work.of_node(node).pose, weight, mask: self.mask(mask) };
                    }
                    blend(&layers[..count], self.still(index), &mut out.pose);
                    let roots = parts.iter().map(|&(node, weight, mask)| {
                        (work.of_node(node).root, weight * self.root_weight(mask))
                    });
                    out.root = mixed_root(roots);
                    let metas =
                        parts.iter().map(|&(node, weight, _)| (&work.of_node(node).metas[..], weight));
                    mix_metas(metas, &mut out.metas);
                });
                parts.iter().for_each(|&(node, ..)| work.release(node));
            }
        }
    }

    fn mix_layer(
        &self,
        index: usize,
        base: u16,
        over: &NodeInput,
        (state, work): (&GraphState, &mut GraphScratch),
    ) {
        let weight = state.value(over.weight).clamp(0.0, 1.0);
        if over.mask.is_none() {
            let parts = [(base, 1.0 - weight, None), (over.node, weight, None)];
            return self.mix_parts(index, parts.into_iter(), work);
        }
        if weight <= 0.0 {
            return self.pass(index, base, work);
        }
        self.fill(index, work, |out, work| {
            let (below, above) = (work.of_node(base), work.of_node(over.node));
            out.pose.copy_from(&below.pose);
            layer_over(&mut out.pose, &above.pose, weight, self.mask(over.mask));
            let share = weight * self.root_weight(over.mask);
            out.root = mixed_root([(below.root, 1.0 - share), (above.root, share)].into_iter());
            let metas = [(&below.metas[..], 1.0 - weight), (&above.metas[..], weight)];
            mix_metas(metas.into_iter(), &mut out.metas);
        });
        [base, over.node].into_iter().for_each(|node| work.release(node));
    }

    fn mix_sum(
        &self,
        index: usize,
        base: u16,
        delta: &NodeInput,
        is_subtracted: bool,
        (state, work): (&GraphState, &mut GraphScratch),
    ) {
        let weight = state.value(delta.weight);
        if weight == 0.0 {
            return self.pass(index, base, work);
        }
        self.fill(index, work, |out, work| {
            let (below, change) = (work.of_node(base), work.of_node(delta.node));
            out.pose.copy_from(&below.pose);
            let apply = if is_subtracted { subtract } else { add };
            apply(&mut out.pose, &change.pose, weight, self.mask(delta.mask));
            out.root = below.root;
            // What the pose below has no value for, the difference may bring along.
            for (out, (below, change)) in out.metas.iter_mut().zip(below.metas.iter().zip(&change.metas)) {
                let brought = MetaSlot { weight: change.weight * weight.abs().min(1.0), ..*change };
                *out = if below.weight > 0.0 { *below } else { brought };
            }
        });
        [base, delta.node].into_iter().for_each(|node| work.release(node));
    }

    fn mix_machine(
        &self,
        index: usize,
        machine: usize,
        state: &mut GraphState,
        work: &mut GraphScratch,
        dt_secs: f32,
    ) {
        let it = &mut state.machines[machine];
        let node_of = |state: u16| self.machines[machine].states[usize::from(state)].node;
        let (weight, current) = (it.fade.weight(), node_of(it.current));
        match it.previous {
            PreviousState::None => self.pass(index, current, work),
            PreviousState::Running(from) => {
                let parts = [(node_of(from), 1.0 - weight, None), (current, weight, None)];
                self.mix_parts(index, parts.into_iter(), work);
            }
            PreviousState::Frozen => {
                let kept = &it.history.last;
                self.fill(index, work, |out, work| {
                    if weight <= 0.0 {
                        return out.pose.copy_from(kept);
                    }
                    let new = work.of_node(current);
                    let layers = [PoseLayer::new(kept, 1.0 - weight), PoseLayer::new(&new.pose, weight)];
                    blend(&layers, self.still(index), &mut out.pose);
                    let roots = [(Transform::IDENTITY, 1.0 - weight), (new.root, weight)];
                    out.root = mixed_root(roots.into_iter());
                    out.metas.copy_from_slice(&new.metas);
                });
                if weight > 0.0 {
                    work.release(current);
                }
            }
        }
        self.run_out(index, machine, state, work, dt_secs);
        remember(&mut state.machines[machine].history, &work.of_node(index as u16).pose, dt_secs);
    }

    /// Lays what is left of earlier states on the result of a machine's node.
    fn run_out(
        &self,
        index: usize,
        machine: usize,
        state: &mut GraphState,
        work: &mut GraphScratch,
        dt_secs: f32,
    ) {
        let it = &mut state.machines[machine];
        let (Some(inertia), begins) = (&mut it.inertia, it.begins_inertia.take()) else { return };
        if begins.is_none() && inertia.is_over() {
            return;
        }
        // Others may read the same result without inertia.
        let slot = usize::from(work.slot_of[index]);
        if work.slots[slot].reads > work.uses[index] {
            work.slots[slot].reads -= work.uses[index];
            self.fill(index, work, |out, work| {
                let shared = &work.slots[slot];
                out.pose.copy_from(&shared.pose);
                out.root = shared.root;
                out.metas.copy_from_slice(&shared.metas);
            });
        }
        let pose = &mut work.slots[usize::from(work.slot_of[index])].pose;
        if let Some(secs) = begins {
            let past = &it.history;
            let before = if past.known > 1 { &past.before } else { &past.last };
            let source = RecentMotion { now: &past.last, before, step_secs: past.step_secs };
            inertia.begin(source, pose, secs);
        }
        inertia.apply(dt_secs, pose);
    }
}

/// Notes what a machine has given, where a transition may need it.
fn remember(history: &mut super::state::StateHistory, pose: &LocalPose, dt_secs: f32) {
    if history.last.joints.len() != pose.joints.len() || history.last.morphs.len() != pose.morphs.len() {
        return;
    }
    if history.before.joints.len() == history.last.joints.len() {
        std::mem::swap(&mut history.before, &mut history.last);
    }
    history.last.copy_from(pose);
    history.step_secs = dt_secs;
    history.known = (history.known + 1).min(2);
}

/// The mean of motions; where they count less than [`REST_THRESHOLD`] together the character stands for the rest.
fn mixed_root(roots: impl Iterator<Item = (Transform, f32)>) -> Transform {
    let (mut way, mut turn, mut sum) = (Vec3::ZERO, Vec4::ZERO, 0.0);
    for (root, weight) in roots.filter(|(_, weight)| *weight > 0.0) {
        // Steps are small turns: those on the identity's side of the sphere add up.
        let q = if root.rotation.w < 0.0 { -root.rotation } else { root.rotation };
        way += root.translation * weight;
        turn += Vec4::from(q) * weight;
        sum += weight;
    }
    let gap = (REST_THRESHOLD - sum).max(0.0);
    turn.w += gap;
    let rotation = Quat::from_vec4(turn.normalize_or(Vec4::W));
    Transform::from_rotation_translation(rotation, way / (sum + gap))
}

/// The means of meta-channels; a pose that has none of a name leaves it to the others.
fn mix_metas<'a>(parts: impl Iterator<Item = (&'a [MetaSlot], f32)> + Clone, out: &mut [MetaSlot]) {
    let whole: f32 = parts.clone().map(|(_, weight)| weight).sum::<f32>().max(REST_THRESHOLD);
    for (metas, weight) in parts {
        for (out, meta) in out.iter_mut().zip(metas) {
            let part = meta.weight * weight / whole;
            if part > 0.0 {
                let sum = out.weight + part;
                let value =
                    if out.weight > 0.0 { out.value.blend(meta.value, part / sum) } else { meta.value };
                *out = MetaSlot { value, weight: sum };
            }
        }
    }
}
