//! The spaces that positions are quantized in: meshes and skins that must have the same.
//!
//! Positions become integers by a translation and a uniform scale, which their nodes or the inverse binds of their skins
//! undo. Meshes that share a skin therefore share a space, as do skins that share a mesh.

use super::{
    Grade,
    roles::{AccessorRoles, Role},
};
use crate::{
    gltf::{
        accessor::GltfBuffers,
        json::{Node, Root, component, extras::SINEW},
    },
    report::ImportReport,
};
use sinew::glam::Vec3;
use std::collections::HashSet;

/// The transform from quantized positions, from -1 to 1, to those of the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dequantization {
    pub(super) center: Vec3,
    pub(super) scale: f32,
}

/// Meshes and skins whose positions are quantized alike.
#[derive(Clone, Debug, Default)]
pub(super) struct PositionSpace {
    pub(super) meshes: Vec<usize>,
    pub(super) skins: Vec<usize>,
    /// The nodes that show a mesh without a skin.
    pub(super) nodes: Vec<usize>,
    /// `None` if the positions stay as they are.
    pub(super) transform: Option<Dequantization>,
    /// Why the positions stay as they are.
    pub(super) why_not: Option<&'static str>,
}

/// The spaces of a document.
pub(super) struct PositionSpaces {
    spaces: Vec<PositionSpace>,
    of_mesh: Vec<usize>,
    of_skin: Vec<usize>,
}

impl PositionSpaces {
    pub(super) fn of(root: &Root) -> Self {
        let (meshes, skins) = (root.meshes.len(), root.skins.len());
        let mut sets = DisjointSets((0..meshes + skins + root.accessors.len()).collect());
        let accessor = |index: usize| meshes + skins + index;
        let exists = |index: &&usize| **index < root.accessors.len();
        for (index, mesh) in root.meshes.iter().enumerate() {
            for primitive in &mesh.primitives {
                let targets = primitive.targets.iter().filter_map(|target| target.get("POSITION"));
                for &position in
                    primitive.attributes.get("POSITION").into_iter().chain(targets).filter(exists)
                {
                    sets.join(index, accessor(position));
                }
            }
        }
        for (index, skin) in root.skins.iter().enumerate() {
            skin.inverse_bind_matrices
                .iter()
                .filter(exists)
                .for_each(|&binds| sets.join(meshes + index, accessor(binds)));
        }
        for node in &root.nodes {
            if let (Some(mesh), Some(skin)) = (node.mesh, node.skin)
                && mesh < meshes
                && skin < skins
            {
                sets.join(mesh, meshes + skin);
            }
        }
        Self::from_sets(root, &mut sets)
    }

    fn from_sets(root: &Root, sets: &mut DisjointSets) -> Self {
        let mut numbers = std::collections::HashMap::new();
        let mut spaces: Vec<PositionSpace> = Vec::new();
        let mut number = |set: usize| {
            *numbers.entry(set).or_insert_with(|| {
                spaces.push(PositionSpace::default());
                spaces.len() - 1
            })
        };
        let meshes = root.meshes.len();
        let of_mesh: Vec<usize> = (0..meshes).map(|mesh| number(sets.first(mesh))).collect();
        let of_skin: Vec<usize> =
            (0..root.skins.len()).map(|skin| number(sets.first(meshes + skin))).collect();
        for (mesh, &space) in of_mesh.iter().enumerate() {
            spaces[space].meshes.push(mesh);
        }
        for (skin, &space) in of_skin.iter().enumerate() {
            spaces[space].skins.push(skin);
        }
        for (index, node) in root.nodes.iter().enumerate() {
            if let (Some(&space), None) = (node.mesh.and_then(|mesh| of_mesh.get(mesh)), node.skin) {
                spaces[space].nodes.push(index);
            }
        }
        Self { spaces, of_mesh, of_skin }
    }

    pub(super) fn of_mesh(&self, mesh: usize) -> usize {
        self.of_mesh[mesh]
    }

    pub(super) fn of_skin(&self, skin: usize) -> usize {
        self.of_skin[skin]
    }

    pub(super) fn all(&self) -> &[PositionSpace] {
        &self.spaces
    }

    /// Chooses the transform of every space that can have one.
    #[must_use]
    pub(super) fn with_transforms(
        mut self,
        buffers: &GltfBuffers<'_>,
        roles: &AccessorRoles,
        grade: Grade,
    ) -> Self {
        let nodes = FixedNodes::of(buffers.root);
        for (index, space) in self.spaces.iter_mut().enumerate() {
            if grade == Grade::Lossless || space.meshes.is_empty() {
                continue;
            }
            let found = match space.obstacle(buffers.root, &nodes) {
                Some(why) => Err(why),
                None => space.dequantization(index, buffers, roles),
            };
            (space.transform, space.why_not) = match found {
                Ok(transform) => (Some(transform), None),
                Err(why) => (None, Some(why)),
            };
        }
        self
    }
}

impl PositionSpace {
    /// What speaks against another scale of the positions, if anything does.
    fn obstacle(&self, root: &Root, fixed: &FixedNodes) -> Option<&'static str> {
        let own = |mesh: &usize| {
            let mesh = &root.meshes[*mesh];
            let has_own = mesh.extras.as_ref().is_some_and(|extras| extras.get(SINEW).is_some());
            let is_own = |name: &String| name.starts_with("_SINEW");
            has_own || mesh.primitives.iter().any(|p| p.attributes.keys().any(is_own))
        };
        let is_shown = |node: &Node| node.mesh.is_some_and(|mesh| self.meshes.contains(&mesh));
        if self.meshes.iter().any(own) {
            Some("precomputed data has the scale of the positions")
        } else if self.nodes.iter().any(|node| fixed.has(*node)) {
            Some("a node that shows it is animated, has children or is used elsewhere")
        } else if self.nodes.is_empty() && !root.nodes.iter().any(is_shown) {
            Some("no node shows it")
        } else {
            None
        }
    }

    /// The smallest cube around all positions, which also holds every displacement.
    fn dequantization(
        &self,
        index: usize,
        buffers: &GltfBuffers<'_>,
        roles: &AccessorRoles,
    ) -> Result<Dequantization, &'static str> {
        const NOT_PLAIN: &str = "its positions are compressed, or used in several ways";
        let (mut min, mut max, mut displaced) = (Vec3::INFINITY, Vec3::NEG_INFINITY, 0.0_f32);
        let used = self.used_accessors(buffers.root);
        for accessor in used {
            let role = roles.role(accessor);
            let is_plain = buffers.root.accessors[accessor].component_type == component::F32;
            let rows = || {
                let elements = buffers.elements("POSITION", accessor, &mut ImportReport::default()).ok()?;
                elements.vectors::<3>("POSITION").ok()
            };
            match role {
                Role::InverseBinds { .. } if is_plain => {}
                Role::Positions { space } if space == index && is_plain => {
                    for row in rows().ok_or(NOT_PLAIN)? {
                        (min, max) = (min.min(row.into()), max.max(row.into()));
                    }
                }
                Role::MorphPositions { space } if space == index && is_plain => {
                    let rows = rows().ok_or(NOT_PLAIN)?;
                    displaced = rows.iter().flatten().fold(displaced, |most, d| most.max(d.abs()));
                }
                _ => return Err(NOT_PLAIN),
            }
        }
        let center = (min + max) * 0.5;
        // Rounding of the center must not push an end beyond one.
        let half = (max - center).max(center - min).max_element() * (1.0 + f32::EPSILON);
        let scale = half.max(displaced);
        let is_valid = scale.is_finite() && scale >= f32::MIN_POSITIVE && center.is_finite();
        if is_valid { Ok(Dequantization { center, scale }) } else { Err("its positions have no extent") }
    }

    /// The accessors of positions, displacements and inverse binds.
    fn used_accessors(&self, root: &Root) -> HashSet<usize> {
        let primitives = self.meshes.iter().flat_map(|&mesh| &root.meshes[mesh].primitives);
        let positions = primitives.flat_map(|primitive| {
            let targets = primitive.targets.iter().filter_map(|target| target.get("POSITION"));
            primitive.attributes.get("POSITION").into_iter().chain(targets)
        });
        let binds = self.skins.iter().filter_map(|&skin| root.skins[skin].inverse_bind_matrices);
        positions.copied().chain(binds).filter(|&accessor| accessor < root.accessors.len()).collect()
    }
}

/// The nodes whose transforms must stay.
struct FixedNodes {
    nodes: HashSet<usize>,
    all: bool,
}

impl FixedNodes {
    fn of(root: &Root) -> Self {
        let animated = root.animations.iter().flat_map(|a| &a.channels).filter_map(|c| c.target.node);
        let joints = root.skins.iter().flat_map(|skin| skin.joints.iter().copied().chain(skin.skeleton));
        let has_own = |node: &Node| node.extras.as_ref().is_some_and(|extras| extras.get(SINEW).is_some());
        let is_used = |node: &Node| {
            !node.children.is_empty() || node.camera.is_some() || !node.extensions.is_empty() || has_own(node)
        };
        let used = root.nodes.iter().enumerate().filter(|(_, node)| is_used(node)).map(|(index, _)| index);
        // Avatars name nodes in many places, and a pointer may animate any.
        let names_nodes = |name: &String| name.starts_with("VRM") || name == "KHR_animation_pointer";
        Self {
            nodes: animated.chain(joints).chain(used).collect(),
            all: root.extensions_used.iter().any(names_nodes),
        }
    }

    fn has(&self, node: usize) -> bool {
        self.all || self.nodes.contains(&node)
    }
}

/// Sets that are joined pair by pair.
struct DisjointSets(Vec<usize>);

impl DisjointSets {
    /// The element that stands for the set of `element`.
    fn first(&mut self, mut element: usize) -> usize {
        while self.0[element] != element {
            self.0[element] = self.0[self.0[element]];
            element = self.0[element];
        }
        element
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn spaces(document: serde_json::Value) -> PositionSpaces {
        PositionSpaces::of(&serde_json::from_value(document).unwrap())
    }

    #[test]
    fn meshes_of_one_skin_and_skins_of_one_mesh_share_a_space() {
        let accessor = json!({ "count": 3, "componentType": 5126, "type": "VEC3" });
        let mesh = |position: usize| json!({ "primitives": [{ "attributes": { "POSITION": position } }] });
        let found = spaces(json!({
            "accessors": [accessor, accessor, accessor, accessor],
            "meshes": [mesh(0), mesh(1), mesh(2), mesh(2)],
            "skins": [{ "joints": [4] }, { "joints": [4] }],
            "nodes": [{ "mesh": 0, "skin": 0 }, { "mesh": 1, "skin": 0 }, { "mesh": 1, "skin": 1 }, { "mesh": 2 }, {}],
        }));
        assert_eq!(found.of_mesh(0), found.of_mesh(1));
        assert_eq!(found.of_skin(0), found.of_skin(1));
        assert_eq!(found.of_mesh(2), found.of_mesh(3), "they share their positions");
        assert_ne!(found.of_mesh(0), found.of_mesh(2));
        assert_eq!(found.all()[found.of_mesh(2)].nodes, [3]);
    }
}
