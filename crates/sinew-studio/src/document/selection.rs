//! What commands on "the selection" work on.

use sinew::JointId;
use std::collections::{BTreeMap, BTreeSet};

/// A joint, and vertices of mesh instances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentSelection {
    /// The selected joint.
    pub joint: Option<JointId>,
    /// The selected vertices of each instance; an instance without any has no entry.
    pub vertices: BTreeMap<usize, BTreeSet<u32>>,
}

impl DocumentSelection {
    /// The selected vertices of one instance.
    pub fn of_instance(&self, instance: usize) -> Option<&BTreeSet<u32>> {
        self.vertices.get(&instance)
    }

    /// How many vertices are selected.
    pub fn vertex_count(&self) -> usize {
        self.vertices.values().map(BTreeSet::len).sum()
    }
}
