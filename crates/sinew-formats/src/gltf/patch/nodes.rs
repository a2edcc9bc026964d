//! Edits nodes, scenes and skins.

use super::{PatchError, Patcher, apply_difference};
use crate::{
    gltf::write::{Writer, named},
    write_report::Outcome,
};
use sinew::{CharacterScene, ExtrasOwner, Skin};

impl Patcher<'_> {
    pub(super) fn edit_nodes(&mut self) -> Result<(), PatchError> {
        let (old, new) = (self.old.nodes(), self.new.nodes());
        let (mut changed, mut added) = (0, 0);
        let removed: Vec<usize> =
            self.joints.removed().map(|joint| self.source.map.node_of_joint[joint.index()]).collect();
        for (index, node) in new.iter().enumerate() {
            let Some(before) = old.get(index) else {
                self.document.push("nodes", node);
                added += 1;
                continue;
            };
            let is_forced = self.forced.has(&format!("nodes[{index}]"));
            if (before == node && !is_forced) || removed.contains(&index) {
                continue;
            }
            let moves = is_forced
                || (before.translation, before.rotation, before.scale)
                    != (node.translation, node.rotation, node.scale);
            self.document.edit("nodes", index, |raw| {
                apply_difference(raw, before, node);
                if moves {
                    raw.remove("matrix");
                    raw.set_or_remove("translation", node.translation.as_ref());
                    raw.set_or_remove("rotation", node.rotation.as_ref());
                    raw.set_or_remove("scale", node.scale.as_ref());
                }
            });
            changed += 1;
        }
        self.report.add(Outcome::Changed, "node", "nodes", changed, "");
        self.report.add(Outcome::Changed, "node-added", "nodes", added, "");
        Ok(())
    }

    pub(super) fn edit_scenes(&mut self) -> Result<(), PatchError> {
        let nodes = |writer: &Writer<'_>| -> Vec<(String, Vec<usize>)> {
            let roots =
                |scene: &CharacterScene| scene.roots.iter().map(|joint| writer.layout.node(*joint)).collect();
            writer.character.scenes().iter().map(|scene| (scene.name.clone(), roots(scene))).collect()
        };
        let is_same = nodes(&self.old) == nodes(&self.new)
            && self.old.character.default_scene() == self.new.character.default_scene();
        let extras = |writer: &Writer<'_>| -> Vec<Option<Box<str>>> {
            let scenes = 0..writer.character.scenes().len();
            scenes.map(|s| writer.character.extras().get(&ExtrasOwner::Scene(s)).cloned()).collect()
        };
        if is_same && extras(&self.old) == extras(&self.new) {
            return Ok(());
        }
        let (old, new) = (self.old.scenes()?, self.new.scenes()?);
        let mut items = self.document.items("scenes");
        items.truncate(new.len());
        self.document.set_items("scenes", items);
        for (index, scene) in new.iter().enumerate() {
            match old.get(index).filter(|_| index < self.root.scenes.len()) {
                Some(before) => self.document.edit("scenes", index, |raw| {
                    apply_difference(raw, before, scene);
                }),
                None => {
                    self.document.push("scenes", scene);
                }
            }
        }
        let shown = self.new.character.default_scene();
        if self.root.scene != Some(shown) {
            self.document.root_mut().set("scene", &shown);
        }
        self.report.add(Outcome::Changed, "scene", "scenes", new.len(), "");
        Ok(())
    }

    pub(super) fn edit_skins(&mut self) {
        for index in 0..self.new.character.skins().len() {
            let place = format!("skins[{index}]");
            if index >= self.root.skins.len() {
                let skin = self.new.skin(index);
                self.document.push("skins", &skin);
                self.report.add(Outcome::Changed, "skin-added", place, 1, "");
            } else if self.edit_skin(index, self.forced.has(&place)) {
                self.report.add(Outcome::Changed, "skin", place, 1, "");
            }
        }
    }

    /// Applies the changes of a skin and returns whether there are any. With `is_forced` its matrices are written anew.
    fn edit_skin(&mut self, index: usize, is_forced: bool) -> bool {
        let (old, new) = (&self.source.original.skins()[index], &self.new.character.skins()[index]);
        let mut raw = self.document.item("skins", index);
        let mut is_changed = false;
        if old.name() != new.name() {
            raw.set_or_remove("name", named(new.name()).as_ref());
            is_changed = true;
        }
        let nodes = |skin: &Skin, writer: &Writer<'_>| -> Vec<usize> {
            skin.joints().iter().map(|joint| writer.layout.node(*joint)).collect()
        };
        if nodes(old, &self.old) != nodes(new, &self.new) {
            raw.set("joints", &nodes(new, &self.new));
            is_changed = true;
        }
        let root = |skin: &Skin, writer: &Writer<'_>| skin.root().map(|root| writer.layout.node(root));
        if root(old, &self.old) != root(new, &self.new) {
            raw.set_or_remove("skeleton", self.new.skin_root(index).as_ref());
            is_changed = true;
        }
        if old.joint_from_mesh() != new.joint_from_mesh() || is_forced {
            self.new.data.replace(self.root.skins[index].inverse_bind_matrices);
            raw.set("inverseBindMatrices", &self.new.inverse_binds(index));
            is_changed = true;
        }
        let owner = ExtrasOwner::Skin(index);
        let (before, after) = (self.old.extras.take(owner), self.new.extras.take(owner));
        if before != after {
            raw.set_or_remove("extras", after.as_ref());
            is_changed = true;
        }
        if is_changed {
            self.document.set_item("skins", index, &raw);
        }
        is_changed
    }
}
