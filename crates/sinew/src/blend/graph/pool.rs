//! Poses that are handed from node to node.

use super::Graph;
use crate::{pose::LocalPose, sample::MetaValue, transform::Transform};

/// What a node gives: a pose, how the character moved, and the values of meta-channels.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PoolSlot {
    pub(super) pose: LocalPose,
    pub(super) root: Transform,
    /// By the graph's list.
    pub(super) metas: Vec<MetaSlot>,
    /// How often it will still be read.
    pub(super) reads: u32,
}

impl PoolSlot {
    /// What stands in for a slot while it is filled.
    pub(super) fn empty() -> Self {
        Self { pose: LocalPose::default(), root: Transform::IDENTITY, metas: Vec::new(), reads: 0 }
    }
}

/// A meta-channel's value, and how much of the pose has one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MetaSlot {
    pub(super) value: MetaValue,
    pub(super) weight: f32,
}

impl MetaSlot {
    pub(super) const NONE: Self = Self { value: MetaValue::Scalar(0.0), weight: 0.0 };
}

/// The poses and notes of one evaluation, in buffers that are used again.
///
/// It holds the latest result, but nothing that the next evaluation needs: one serves any number of states in turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphScratch {
    pub(super) slots: Vec<PoolSlot>,
    pub(super) free: Vec<u16>,
    /// By node: where its result lies.
    pub(super) slot_of: Vec<u16>,
    /// By node: whether anything needs it, how much it counts, and how often it will be read.
    pub(super) is_active: Vec<bool>,
    pub(super) weights: Vec<f32>,
    pub(super) uses: Vec<u32>,
}

impl GraphScratch {
    /// A workspace with room for `graph`.
    pub fn new(graph: &Graph) -> Self {
        let mut out = Self::default();
        out.prepare(graph);
        out
    }

    /// Makes room for `graph` too.
    pub fn reserve(&mut self, graph: &Graph) {
        self.prepare(graph);
    }

    /// Makes everything free, and room for `graph` where there is none.
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

    /// A free slot that moves nothing and has no metas; its pose is whatever was there.
    pub(super) fn take(&mut self) -> u16 {
        let Some(index) = self.free.pop() else {
            // `Graph::slots` counts what is needed at once; one more is slow, not wrong.
            debug_assert!(false, "a graph needs more than its {} slots", self.slots.len());
            self.slots.push(self.slots[0].clone());
            return (self.slots.len() - 1) as u16;
        };
        let slot = &mut self.slots[usize::from(index)];
        slot.root = Transform::IDENTITY;
        slot.metas.fill(MetaSlot::NONE);
        index
    }

    /// The result of a node that has been computed.
    pub(super) fn of_node(&self, node: u16) -> &PoolSlot {
        &self.slots[usize::from(self.slot_of[usize::from(node)])]
    }

    /// Notes that one reader of `node` is done.
    pub(super) fn release(&mut self, node: u16) {
        let index = self.slot_of[usize::from(node)];
        let slot = &mut self.slots[usize::from(index)];
        slot.reads = slot.reads.saturating_sub(1);
        if slot.reads == 0 {
            self.free.push(index);
        }
    }

    /// Notes that `node` counts `weight` for one more reader.
    pub(super) fn need(&mut self, node: u16, weight: f32) {
        let node = usize::from(node);
        self.is_active[node] = true;
        self.weights[node] += weight;
        self.uses[node] += 1;
    }
}
