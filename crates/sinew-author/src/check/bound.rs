//! A mesh with the skin that deforms it: the input of most detectors.

use super::FindingPlace;
use crate::{
    topology::WeldedTopology,
    weights::{BoneSet, ops::JointPairs},
};
use sinew::{
    Character, JointId, Mesh, ModelPose, Skeleton, Skin, Weights,
    glam::{Affine3A, Vec3},
};
use std::{cell::OnceCell, collections::HashSet, rc::Rc};

/// A mesh and its skin, with the first instance that combines them.
pub(super) struct BoundMesh<'a> {
    pub(super) character: &'a Character,
    pub(super) instance: usize,
    pub(super) mesh_index: usize,
    pub(super) skin_index: usize,
    pub(super) mesh: &'a Mesh,
    pub(super) skin: &'a Skin,
    pub(super) weights: &'a Weights,
    of_skin: Rc<SkinParts>,
}

/// What all meshes of a skin share, made when it is first needed.
#[derive(Default)]
struct SkinParts {
    bones: OnceCell<BonesOfSlots>,
    pairs: OnceCell<JointPairs>,
    /// The skinning matrices at rest.
    rest: OnceCell<Vec<Affine3A>>,
}

/// The bones of each slot of a skin, by their ends in mesh space.
pub(super) type BonesOfSlots = Vec<Vec<[Vec3; 2]>>;

/// Every pair of a mesh and a skin that deforms it, once each.
pub(super) fn bound_meshes(character: &Character) -> Vec<BoundMesh<'_>> {
    let mut out: Vec<BoundMesh<'_>> = Vec::new();
    let mut known = HashSet::new();
    let of_skins: Vec<Rc<SkinParts>> = character.skins().iter().map(|_| Rc::default()).collect();
    for (instance, it) in character.instances().iter().enumerate() {
        let mesh = character.mesh_of(it);
        let (Some(skin_index), Some(skin), Some(weights)) = (it.skin, character.skin_of(it), mesh.weights())
        else {
            continue;
        };
        if !known.insert((it.mesh, skin_index)) {
            continue;
        }
        let of_skin = Rc::clone(&of_skins[skin_index]);
        let mesh_index = it.mesh;
        out.push(BoundMesh { character, instance, mesh_index, skin_index, mesh, skin, weights, of_skin });
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

    /// The joints of the skin with their partners on the other side.
    pub(super) fn pairs(&self) -> &JointPairs {
        self.of_skin.pairs.get_or_init(|| JointPairs::by_name(self.skeleton(), self.skin))
    }

    /// The bones of the skin.
    pub(super) fn bones(&self) -> &BonesOfSlots {
        self.of_skin.bones.get_or_init(|| {
            let bones = BoneSet::of_character(self.character, self.skin_index);
            let mut of_slot = vec![Vec::new(); bones.slot_count()];
            bones.bones().iter().for_each(|b| of_slot[usize::from(b.slot)].push([b.head, b.tail]));
            of_slot
        })
    }

    /// The skinning matrix of the joint at `slot` at rest.
    pub(super) fn model_from_mesh(&self, slot: u16) -> Affine3A {
        let rest = self.of_skin.rest.get_or_init(|| {
            let mut rest = ModelPose::new(self.skeleton());
            rest.update(self.skeleton(), &self.skeleton().rest_pose());
            let palette = self.skin.joints().iter().zip(self.skin.joint_from_mesh());
            palette.map(|(joint, bind)| rest.joint(*joint) * *bind).collect()
        });
        rest[usize::from(slot)]
    }

    /// The length in model space of what is 1 long in the mesh space of the joint at `slot`, at rest.
    pub(super) fn model_scale(&self, slot: u16) -> f32 {
        let scale = self.model_from_mesh(slot).matrix3.determinant().abs().cbrt();
        if scale.is_finite() { scale } else { 1.0 }
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

    /// The connected components of all points.
    pub(super) fn parts(&self) -> Vec<Vec<u32>> {
        let all: Vec<u32> = (0..self.first.len() as u32 - 1).collect();
        PointRegion::new(all.len()).parts(self, &all)
    }
}

/// Some points of a graph, in memory that is used for one set of points after the other.
pub(super) struct PointRegion {
    /// True for points that were given and that no part has yet.
    is_open: Vec<bool>,
}

impl PointRegion {
    pub(super) fn new(points: usize) -> Self {
        Self { is_open: vec![false; points] }
    }

    /// The connected components of `members`, in time proportional to the edges of these points.
    pub(super) fn parts(&mut self, graph: &VertexGraph, members: &[u32]) -> Vec<Vec<u32>> {
        members.iter().for_each(|&point| self.is_open[point as usize] = true);
        let mut out = Vec::new();
        for &start in members {
            if !std::mem::replace(&mut self.is_open[start as usize], false) {
                continue;
            }
            let mut part = vec![start];
            let mut next = 0;
            while let Some(&point) = part.get(next) {
                next += 1;
                for &other in graph.ring(point as usize) {
                    if std::mem::replace(&mut self.is_open[other as usize], false) {
                        part.push(other);
                    }
                }
            }
            out.push(part);
        }
        out
    }
}
