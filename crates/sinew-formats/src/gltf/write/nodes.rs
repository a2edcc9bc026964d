//! Writes nodes, scenes and skins.

use super::{Writer, data::ViewUse, named, unrepresentable};
use crate::{WriteError, gltf::json};
use sinew::glam::Affine3A;
use sinew::{CharacterScene, ExtrasOwner, JointId, Skeleton, Skin, Transform};
use std::collections::HashSet;

impl Writer<'_> {
    /// The nodes of joints and of further instances, each at its index in the document.
    pub(in crate::gltf) fn nodes(&mut self) -> Vec<json::Node> {
        let skeleton = self.character.skeleton();
        let mut nodes = vec![json::Node::default(); self.layout.node_count()];
        if let Some(root) = self.layout.common_root() {
            nodes[root] = common_root_node();
        }
        for joint in skeleton.joints() {
            let extras = self.extras.take(ExtrasOwner::Joint(joint.index()));
            let name = named(skeleton.name(joint));
            nodes[self.layout.node(joint)] = json::Node { name, extras, ..rest_node(&skeleton.rest(joint)) };
        }
        for &instance in self.layout.extra_instances() {
            let joint = self.character.instances()[instance].joint;
            let Some(own) = self.layout.node_of_instance(instance) else { continue };
            nodes[self.layout.node(joint)].children.push(own);
            nodes[own] = json::Node { name: named(skeleton.name(joint)), ..json::Node::default() };
        }
        self.link_children(&mut nodes);
        self.hang_meshes(&mut nodes);
        nodes
    }

    fn link_children(&self, nodes: &mut [json::Node]) {
        let skeleton = self.character.skeleton();
        for joint in skeleton.joints() {
            let parent = match (skeleton.parent(joint), self.layout.common_root()) {
                (Some(parent), _) => self.layout.node(parent),
                (None, Some(root)) if self.layout.is_gathered(joint) => root,
                _ => continue,
            };
            nodes[parent].children.push(self.layout.node(joint));
        }
        // Children of joints and the nodes of further instances were added alternately.
        nodes.iter_mut().for_each(|n| n.children.sort_unstable());
    }

    fn hang_meshes(&self, nodes: &mut [json::Node]) {
        for (index, instance) in self.character.instances().iter().enumerate() {
            let Some(node) = self.layout.node_of_instance(index) else { continue };
            nodes[node].mesh = self.layout.mesh(instance.mesh);
            // A skin on a mesh without weights is an error in glTF, and does nothing in a character.
            nodes[node].skin = instance.skin.filter(|_| self.character.skin_of(instance).is_some());
            nodes[node].weights = instance.morph_weights.clone();
        }
    }

    pub(in crate::gltf) fn scenes(&mut self) -> Result<Vec<json::Scene>, WriteError> {
        let skeleton = self.character.skeleton();
        let everything = [CharacterScene { name: String::new(), roots: skeleton.roots().collect() }];
        let scenes = match self.character.scenes() {
            [] if skeleton.is_empty() => &[],
            [] => &everything[..],
            scenes => scenes,
        };
        let mut out = Vec::with_capacity(scenes.len());
        for (index, scene) in scenes.iter().enumerate() {
            out.push(json::Scene {
                name: named(&scene.name),
                nodes: self.scene_nodes(index, scene)?,
                extras: self.extras.take(ExtrasOwner::Scene(index)),
            });
        }
        Ok(out)
    }

    fn scene_nodes(&self, index: usize, scene: &CharacterScene) -> Result<Vec<usize>, WriteError> {
        let skeleton = self.character.skeleton();
        let mut nodes = Vec::with_capacity(scene.roots.len());
        let mut listed = HashSet::with_capacity(scene.roots.len());
        for &joint in &scene.roots {
            if let Some(parent) = skeleton.parent(joint) {
                let (name, parent) = (skeleton.name(joint), skeleton.name(parent));
                let what = format!("starts at {name:?}, a child of {parent:?}; scenes must start at roots");
                return Err(unrepresentable(format!("scene {index}"), what));
            }
            let gathered = self.layout.is_gathered(joint);
            let node = self.layout.common_root().filter(|_| gathered).unwrap_or(self.layout.node(joint));
            if listed.insert(node) {
                nodes.push(node);
            }
        }
        Ok(nodes)
    }

    pub(in crate::gltf) fn skins(&mut self) -> Vec<json::Skin> {
        let skins = 0..self.character.skins().len();
        skins.map(|index| self.skin(index)).collect()
    }

    /// The skin at `index`.
    pub(in crate::gltf) fn skin(&mut self, index: usize) -> json::Skin {
        let skin = &self.character.skins()[index];
        json::Skin {
            name: named(skin.name()),
            joints: skin.joints().iter().map(|&j| self.layout.node(j)).collect(),
            inverse_bind_matrices: Some(self.inverse_binds(index)),
            skeleton: self.skin_root(index),
            extras: self.extras.take(ExtrasOwner::Skin(index)),
        }
    }

    /// The accessor with the matrices of the skin at `index`.
    pub(in crate::gltf) fn inverse_binds(&mut self, index: usize) -> usize {
        let binds: Vec<[f32; 16]> =
            self.character.skins()[index].joint_from_mesh().iter().map(columns).collect();
        self.data.floats(ViewUse::InverseBinds, &binds, false)
    }

    /// The node that the skin at `index` names as its root; `None` if it is not above the joints.
    pub(in crate::gltf) fn skin_root(&self, index: usize) -> Option<usize> {
        let skin = &self.character.skins()[index];
        let root = skin.root().filter(|&root| stands_above(self.character.skeleton(), root, skin));
        root.map(|root| self.layout.node(root))
    }
}

fn common_root_node() -> json::Node {
    json::Node { name: Some("skin root".into()), ..json::Node::default() }
}

fn rest_node(rest: &Transform) -> json::Node {
    let default = Transform::IDENTITY;
    json::Node {
        translation: unless(rest.translation.to_array(), default.translation.to_array()),
        rotation: unless(rest.rotation.to_array(), default.rotation.to_array()),
        scale: unless(rest.scale.to_array(), default.scale.to_array()),
        ..json::Node::default()
    }
}

/// `value`; `None` if it is bit-identical to `default`.
fn unless<const N: usize>(value: [f32; N], default: [f32; N]) -> Option<[f32; N]> {
    (value.map(f32::to_bits) != default.map(f32::to_bits)).then_some(value)
}

/// An affine matrix as a 4×4 matrix in column-major order.
fn columns(matrix: &Affine3A) -> [f32; 16] {
    let [x, y, z] = [matrix.matrix3.x_axis, matrix.matrix3.y_axis, matrix.matrix3.z_axis];
    let t = matrix.translation;
    [x.x, x.y, x.z, 0.0, y.x, y.y, y.z, 0.0, z.x, z.y, z.z, 0.0, t.x, t.y, t.z, 1.0]
}

/// True when every joint of `skin` is `root` or a descendant of it, as glTF requires of a skin's skeleton.
fn stands_above(skeleton: &Skeleton, root: JointId, skin: &Skin) -> bool {
    let mut under = vec![false; skeleton.len()];
    for joint in skeleton.joints() {
        let parent_under = skeleton.parent(joint).is_some_and(|p| under[p.index()]);
        under[joint.index()] = joint == root || parent_under;
    }
    skin.joints().iter().all(|j| under[j.index()])
}
