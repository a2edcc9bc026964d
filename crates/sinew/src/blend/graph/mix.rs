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

/// One input of a blend: node, weight and mask.
type WeightedInput = (u16, f32, Option<u16>);

impl Graph {
    /// Computes every active node, inputs first.
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
            NodeKind::Layer { base, over } => self.mix_layer(index, *base, over, state, work),
            NodeKind::Add { base, delta, is_subtracted } => {
                self.mix_sum(index, *base, delta, *is_subtracted, state, work);
            }
            NodeKind::Difference { of, from } => {
                self.fill(index, work, |out, work| {
                    difference(&work.of_node(*of).pose, &work.of_node(*from).pose, &mut out.pose);
                    out.metas.copy_from_slice(&work.of_node(*of).metas);
                });
                [*of, *from].into_iter().for_each(|node| work.release(node));
            }
            NodeKind::BlendSpace1d { nodes, .. } | NodeKind::BlendSpace2d { nodes, .. } => {
                let points = self.space_weights(index, state);
                self.mix_parts(
                    index,
                    points.iter().map(|(place, weight)| (nodes[place], weight, None)),
                    work,
                );
            }
            NodeKind::StateMachine(machine) => {
                self.mix_machine(index, usize::from(*machine), state, work, dt_secs);
            }
        }
    }

    /// Gives `node` a slot of its own, which is released after its last reader, and fills it with `write`.
    fn fill(&self, node: usize, work: &mut GraphScratch, write: impl FnOnce(&mut PoolSlot, &GraphScratch)) {
        let index = work.take();
        let mut slot = std::mem::replace(&mut work.slots[usize::from(index)], PoolSlot::empty());
        slot.reads = work.uses[node];
        write(&mut slot, work);
        work.slots[usize::from(index)] = slot;
        work.slot_of[node] = index;
    }

    /// Passes the result of `input` on as the result of `node`.
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

    /// The weighted mean of the nodes with positive weight, at most [`MAX_INPUTS`].
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
        state: &GraphState,
        work: &mut GraphScratch,
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
            let root_weight = weight * self.root_weight(over.mask);
            out.root = mixed_root([(below.root, 1.0 - root_weight), (above.root, root_weight)].into_iter());
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
        state: &GraphState,
        work: &mut GraphScratch,
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
            // The additive node provides the meta-channels that the base does not have.
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

    /// Adds the remaining inertialization offset to the result of a state machine.
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
        // Other nodes may read the same result without the offset.
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

/// Stores the result of a state machine if a transition may need it.
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

/// The weighted mean of root motions. If the weights sum to less than [`REST_THRESHOLD`], no motion fills the gap.
fn mixed_root(roots: impl Iterator<Item = (Transform, f32)>) -> Transform {
    let (mut way, mut turn, mut sum) = (Vec3::ZERO, Vec4::ZERO, 0.0);
    for (root, weight) in roots.filter(|(_, weight)| *weight > 0.0) {
        // Steps are small rotations, so the hemisphere of the identity is the right one to sum in.
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

/// The weighted means of meta-channels, each over the poses that have it.
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
