//! Edits spring bones and node constraints.

use super::Patcher;
use crate::{
    gltf::{
        vrm::{self, node_constraints::NODE_CONSTRAINT, springs::SPRINGS},
        write::{Writer, constraints_used},
    },
    write_report::Outcome,
};
use serde_json::{Map, Value};
use sinew::JointId;
use std::collections::BTreeMap;

impl Patcher<'_> {
    /// Replaces the lists of springs if they differ, in the form of VRM 1.0. A document of VRM 0.x keeps its form: there,
    /// springs can only follow joints that are removed.
    pub(super) fn edit_springs(&mut self) {
        let json = |writer: &Writer<'_>| {
            vrm::springs::to_json(&writer.character.parts().springs, |joint| writer.layout.node(joint))
        };
        let (old, new) = (json(&self.old), json(&self.new));
        if old == new {
            return;
        }
        if vrm::has_secondary_animation(&self.root) {
            if !self.springs_only_follow() {
                let place = "extensions.VRM.secondaryAnimation";
                let detail = "VRM 0.x has no place for these springs; those of the file stay";
                self.report.add(Outcome::Dropped, "springs", place, 1, detail);
            }
            return;
        }
        self.put_springs(new.as_ref());
        self.declare(constraints_used(self.new.character));
        self.report.add(Outcome::Changed, "springs", "extensions", 1, "");
    }

    fn put_springs(&mut self, new: Option<&Map<String, Value>>) {
        let mut extensions = self.document.root().object("extensions");
        let mut extension = extensions.object(SPRINGS);
        for key in ["specVersion", "colliders", "colliderGroups", "springs"] {
            extension.set_or_remove(key, new.and_then(|new| new.get(key)));
        }
        extensions.set_or_remove(SPRINGS, new.map(|_| &extension));
        let root = self.document.root_mut();
        root.set_or_remove("extensions", Some(&extensions).filter(|extensions| !extensions.is_empty()));
    }

    /// True if the springs are those of the file, without the joints that are gone.
    fn springs_only_follow(&self) -> bool {
        let mut new_of = BTreeMap::new();
        for new in self.new.character.skeleton().joints() {
            new_of.extend(self.joints.old_of(new).map(|old| (old, new)));
        }
        let old = &self.old.character.parts().springs;
        let follows = old.remapped(|joint: JointId| new_of.get(&joint).copied());
        follows.chains == self.new.character.parts().springs.chains
    }

    /// Replaces the constraints of nodes where they differ.
    pub(super) fn edit_node_constraints(&mut self) {
        let (old, new) = (constraint_nodes(&self.old), constraint_nodes(&self.new));
        if old == new {
            return;
        }
        let removed: Vec<usize> =
            self.joints.removed().map(|joint| self.source.map.node_of_joint[joint.index()]).collect();
        let mut changed = 0;
        for &node in old.keys().chain(new.keys().filter(|node| !old.contains_key(node))) {
            if old.get(&node) == new.get(&node) || removed.contains(&node) {
                continue;
            }
            changed += 1;
            self.document.edit("nodes", node, |raw| {
                let mut extensions = raw.object("extensions");
                extensions.set_or_remove(NODE_CONSTRAINT, new.get(&node));
                raw.set_or_remove("extensions", Some(&extensions).filter(|all| !all.is_empty()));
            });
        }
        self.declare(constraints_used(self.new.character));
        self.report.add(Outcome::Changed, "node-constraint", "nodes", changed, "");
    }
}

/// The constraint of each node.
fn constraint_nodes(writer: &Writer<'_>) -> BTreeMap<usize, Value> {
    let constraints = writer.character.node_constraints().iter();
    let node = |joint| writer.layout.node(joint);
    constraints.map(|one| (node(one.joint), vrm::node_constraints::to_json(one, node(one.source)))).collect()
}
