//! A mesh with the skin that deforms it: the input of most detectors.

use super::FindingPlace;
use crate::topology::WeldedTopology;
use sinew::{Character, JointId, Mesh, Skeleton, Skin, Weights, glam::Vec3};
use std::collections::HashSet;

/// A mesh and its skin, with the first instance that combines them.
pub(super) struct BoundMesh<'a> {
    pub(super) character: &'a Character,
    pub(super) instance: usize,
    pub(super) mesh_index: usize,
    pub(super) skin_index: usize,
    pub(super) mesh: &'a Mesh,
    pub(super) skin: &'a Skin,
    pub(super) weights: &'a Weights,
}

/// Every pair of a mesh and a skin that deforms it, once each.
pub(super) fn bound_meshes(character: &Character) -> Vec<BoundMesh<'_>> {
    let mut out: Vec<BoundMesh<'_>> = Vec::new();
    let mut known = HashSet::new();
    for (instance, it) in character.instances().iter().enumerate() {
        let mesh = character.mesh_of(it);
        let (Some(skin_index), Some(skin), Some(weights)) = (it.skin, character.skin_of(it), mesh.weights())
        else {
            continue;
        };
        if !known.insert((it.mesh, skin_index)) {
            continue;
        }
        out.push(BoundMesh { character, instance, mesh_index: it.mesh, skin_index, mesh, skin, weights });
    }
    out
}

impl<'a> BoundMesh<'a> {
    pub(super) fn skeleton(&self) -> &'a Skeleton {
        self.character.skeleton()
    }

    pub(super) fn joint(&self, slot: u16) -> JointId {
        self.skin.joints()[usize::from(slot)]
    }

    /// The quoted name of the joint at `slot`, or its index if it has no name.
    pub(super) fn joint_name(&self, slot: u16) -> String {
        joint_name(self.skeleton(), self.joint(slot))
    }

    pub(super) fn place(&self, vertices: Vec<u32>) -> FindingPlace {
        FindingPlace {
            text: format!("mesh {}", mesh_name(self.mesh, self.mesh_index)),
            instance: Some(self.instance),
            vertices,
            skin: Some(self.skin_index),
            ..FindingPlace::default()
        }
    }

    /// The length of the diagonal of the mesh's bounding box, in mesh space.
    pub(super) fn diagonal(&self) -> f32 {
        let start = (Vec3::splat(f32::INFINITY), Vec3::splat(f32::NEG_INFINITY));
        let (low, high) = self.mesh.positions().iter().fold(start, |(l, h), p| (l.min(*p), h.max(*p)));
        if low.is_finite() && high.is_finite() { low.distance(high) } else { 0.0 }
    }

    /// The edge graph of the mesh's points; `None` if the mesh has no usable triangles.
    pub(super) fn graph(&self) -> Option<VertexGraph> {
        let topology = WeldedTopology::new(self.mesh).ok()?;
        let (first, neighbors) = topology.rings();
        Some(VertexGraph::new(first, neighbors))
    }
}

/// The start of a name, for messages: a long name would be in each of thousands of findings.
pub(super) fn shortened(name: &str) -> &str {
    const MAX_CHARS: usize = 120;
    name.char_indices().nth(MAX_CHARS).map_or(name, |(end, _)| &name[..end])
}

pub(super) fn mesh_name(mesh: &Mesh, index: usize) -> String {
    if mesh.name().is_empty() { format!("{index}") } else { format!("{:?}", shortened(mesh.name())) }
}

pub(super) fn joint_name(skeleton: &Skeleton, joint: JointId) -> String {
    match skeleton.name(joint) {
        "" => format!("joint {}", joint.0),
        name => format!("{:?}", shortened(name)),
    }
}

/// For each point, the points that share an edge with it.
pub(super) struct VertexGraph {
    first: Vec<u32>,
    neighbors: Vec<u32>,
}

impl VertexGraph {
    fn new(first: Vec<u32>, neighbors: Vec<u32>) -> Self {
        Self { first, neighbors }
    }

    pub(super) fn ring(&self, point: usize) -> &[u32] {
        &self.neighbors[self.first[point] as usize..self.first[point + 1] as usize]
    }

    /// The connected components of the points for which `is_in` is true.
    pub(super) fn parts(&self, is_in: impl Fn(usize) -> bool) -> Vec<Vec<u32>> {
        let count = self.first.len() - 1;
        let mut seen = vec![false; count];
        let mut out = Vec::new();
        for start in 0..count {
            if seen[start] || !is_in(start) {
                continue;
            }
            seen[start] = true;
            let mut part = vec![start as u32];
            let mut next = 0;
            while let Some(&point) = part.get(next) {
                next += 1;
                for &other in self.ring(point as usize) {
                    if !seen[other as usize] && is_in(other as usize) {
                        seen[other as usize] = true;
                        part.push(other);
                    }
                }
            }
            out.push(part);
        }
        out
    }
}
