//! The selection of a document.

use sinew::JointId;
use std::collections::{BTreeMap, BTreeSet};

/// The selected joint, and the selected vertices of mesh instances.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentSelection {
    /// The selected joint of the skeleton, at most one.
    pub joint: Option<JointId>,
    /// The selected vertices by instance; an instance without selected vertices has no entry.
    pub vertices: BTreeMap<usize, BTreeSet<u32>>,
}

impl DocumentSelection {
    /// The selected vertices of one instance.
    pub fn of_instance(&self, instance: usize) -> Option<&BTreeSet<u32>> {
        self.vertices.get(&instance)
    }

    /// The number of selected vertices.
    pub fn vertex_count(&self) -> usize {
        self.vertices.values().map(BTreeSet::len).sum()
    }
}
