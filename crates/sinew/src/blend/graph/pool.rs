//! Pooled buffers for the results of nodes.

use super::Graph;
use crate::{pose::LocalPose, sample::MetaValue, transform::Transform};

/// The result of a node: a pose, root motion and the values of meta-channels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PoolSlot {
    pub(super) pose: LocalPose,
    pub(super) root: Transform,
    /// Values in the order of the meta-channels of the graph.
    pub(super) metas: Vec<MetaSlot>,
    /// The number of remaining reads.
    pub(super) reads: u32,
}

impl PoolSlot {
    /// A placeholder for a slot while it is filled.
    pub(super) fn empty() -> Self {
        Self { pose: LocalPose::default(), root: Transform::IDENTITY, metas: Vec::new(), reads: 0 }
    }
}

/// The value of a meta-channel, and the weight of the poses that have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MetaSlot {
    pub(super) value: MetaValue,
    pub(super) weight: f32,
}

impl MetaSlot {
    pub(super) const NONE: Self = Self { value: MetaValue::Scalar(0.0), weight: 0.0 };
}

/// The buffers of an evaluation, which are reused.
///
/// They hold the latest result but no state, so one scratch serves any number of states in turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphScratch {
    pub(super) slots: Vec<PoolSlot>,
    pub(super) free: Vec<u16>,
    /// The slot of the result of each node.
    pub(super) slot_of: Vec<u16>,
    /// For each node: whether it is active, its weight, and how often it is read.
    pub(super) is_active: Vec<bool>,
    pub(super) weights: Vec<f32>,
    pub(super) uses: Vec<u32>,
}

impl GraphScratch {
    /// Buffers with room for `graph`.
    pub fn new(graph: &Graph) -> Self {
        let mut out = Self::default();
        out.prepare(graph);
        out
    }

    /// Grows the buffers to have room for `graph`.
    pub fn reserve(&mut self, graph: &Graph) {
        self.prepare(graph);
    }

    /// Frees all slots, and grows the buffers if `graph` needs more.
    pub(super) fn prepare(&mut self, graph: &Graph) {
        let nodes = graph.nodes.len();
        self.slot_of.resize(nodes, 0);
        self.is_active.clear();
        self.is_active.resize(nodes, false);
        self.weights.clear();
        self.weights.resize(nodes, 0.0);
        self.uses.clear();
        self.uses.resize(nodes, 0);
        if self.slots.len() < graph.slots {
            self.slots.resize_with(graph.slots, PoolSlot::empty);
        }
        for slot in &mut self.slots {
            slot.pose.joints.resize(graph.rest.joints.len(), Transform::IDENTITY);
            slot.pose.morphs.resize(graph.rest.morphs.len(), 0.0);
            slot.metas.resize(graph.metas.len(), MetaSlot::NONE);
        }
        self.free.clear();
        self.free.extend((0..self.slots.len() as u16).rev());
    }

    /// Takes a free slot without root motion and meta-channels; its pose is unspecified.
    pub(super) fn take(&mut self) -> u16 {
        let Some(index) = self.free.pop() else {
            // `Graph::slots` bounds the number of slots; one more would be slower but correct.
            debug_assert!(false, "a graph needs more than its {} slots", self.slots.len());
            self.slots.push(self.slots[0].clone());
            return (self.slots.len() - 1) as u16;
        };
        let slot = &mut self.slots[usize::from(index)];
        slot.root = Transform::IDENTITY;
        slot.metas.fill(MetaSlot::NONE);
        index
    }

    /// The result of a computed node.
    pub(super) fn of_node(&self, node: u16) -> &PoolSlot {
        &self.slots[usize::from(self.slot_of[usize::from(node)])]
    }

    /// Releases one read of `node`.
    pub(super) fn release(&mut self, node: u16) {
        let index = self.slot_of[usize::from(node)];
        let slot = &mut self.slots[usize::from(index)];
        slot.reads = slot.reads.saturating_sub(1);
        if slot.reads == 0 {
            self.free.push(index);
        }
    }

    /// Adds a reader of `node` with the given weight.
    pub(super) fn need(&mut self, node: u16, weight: f32) {
        let node = usize::from(node);
        self.is_active[node] = true;
        self.weights[node] += weight;
        self.uses[node] += 1;
    }
}
