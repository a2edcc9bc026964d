//! Reads the node tree, with parents before children.

use super::GltfReader;
use crate::{
    ReadError,
    gltf::json::{Node, Root},
    report::{FindingCode, ImportReport},
};
use sinew::glam::{Affine3A, Mat4, Quat, Vec3};
use sinew::{CharacterScene, ExtrasOwner, Joint, JointId, Mesh, MeshInstance, Skeleton, Transform};
use std::{cmp::Reverse, collections::BinaryHeap};

/// The mapping of nodes to joints.
#[derive(Debug)]
pub(super) struct NodeOrder {
    pub(super) node_of_joint: Vec<usize>,
    joint_of_node: Vec<JointId>,
    parent_of_node: Vec<Option<usize>>,
}

impl NodeOrder {
    /// Orders nodes with parents first, otherwise as in the file.
    pub(super) fn new(root: &Root, report: &mut ImportReport) -> Result<Self, ReadError> {
        let count = root.nodes.len();
        if count > Skeleton::MAX_JOINTS {
            let max = Skeleton::MAX_JOINTS;
            return Err(ReadError::invalid(
                "nodes",
                format!("there must be at most {max} nodes, got {count}"),
            ));
        }
        let parent_of_node = parents(root)?;
        let mut ready: BinaryHeap<_> =
            (0..count).filter(|&n| parent_of_node[n].is_none()).map(Reverse).collect();
        let mut node_of_joint = Vec::with_capacity(count);
        let mut joint_of_node = vec![JointId(0); count];
        while let Some(Reverse(node)) = ready.pop() {
            joint_of_node[node] = JointId(node_of_joint.len() as u16);
            node_of_joint.push(node);
            ready.extend(root.nodes[node].children.iter().map(|&child| Reverse(child)));
        }
        if node_of_joint.len() < count {
            let mut reached = vec![false; count];
            node_of_joint.iter().for_each(|&n| reached[n] = true);
            let lost = reached.iter().position(|r| !r).unwrap_or(0);
            return Err(ReadError::invalid(format!("nodes[{lost}]"), "is part of a cycle"));
        }
        if !node_of_joint.is_sorted() {
            report.add(FindingCode::NodesReordered, "nodes", "parents now precede their children");
        }
        Ok(Self { node_of_joint, joint_of_node, parent_of_node })
    }

    /// The joint of a node of the file, if it exists.
    pub(super) fn joint_of(&self, node: usize) -> Option<JointId> {
        self.joint_of_node.get(node).copied()
    }

    /// The joint of a node of the file, or an error that names `place`.
    pub(super) fn joint(&self, place: &str, node: usize) -> Result<JointId, ReadError> {
        self.joint_of(node).ok_or_else(|| {
            let count = self.joint_of_node.len();
            ReadError::invalid(place, format!("names node {node}, there are {count}"))
        })
    }
}

fn parents(root: &Root) -> Result<Vec<Option<usize>>, ReadError> {
    let count = root.nodes.len();
    let mut parents = vec![None; count];
    for (index, node) in root.nodes.iter().enumerate() {
        for &child in &node.children {
            let place = || format!("nodes[{index}].children");
            let Some(parent) = parents.get_mut(child) else {
                return Err(ReadError::invalid(place(), format!("names node {child}, there are {count}")));
            };
            if let Some(other) = parent.replace(index) {
                return Err(ReadError::invalid(
                    place(),
                    format!("node {child} is a child of node {other} too"),
                ));
            }
        }
    }
    Ok(parents)
}

impl GltfReader<'_> {
    pub(super) fn skeleton(&mut self, order: &NodeOrder) -> Result<Skeleton, ReadError> {
        let root = self.root;
        let mut joints = Vec::with_capacity(root.nodes.len());
        for (joint, &index) in order.node_of_joint.iter().enumerate() {
            let node = &root.nodes[index];
            let place = format!("nodes[{index}]");
            self.note_extensions(&place, &node.extensions);
            self.keep_extras(ExtrasOwner::Joint(joint), node.extras.as_ref());
            joints.push(Joint {
                name: node.name.clone().unwrap_or_default(),
                parent: order.parent_of_node[index].map(|p| order.joint_of_node[p]),
                rest: self.rest(&place, node)?,
            });
        }
        let skeleton = Skeleton::new(joints).map_err(|e| ReadError::invalid("nodes", e))?;
        let kinds = self.scale_inheritance(order);
        Ok(skeleton.with_scale_inheritance(kinds))
    }

    fn rest(&mut self, place: &str, node: &Node) -> Result<Transform, ReadError> {
        let Some(matrix) = node.matrix else {
            let rotation = Quat::from_array(node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
            let transform = Transform {
                translation: Vec3::from_array(node.translation.unwrap_or_default()),
                rotation: self.unit_rotation(&format!("{place}.rotation"), rotation),
                scale: Vec3::from_array(node.scale.unwrap_or([1.0; 3])),
            };
            return finite(place, transform);
        };
        let matrix = Mat4::from_cols_array(&matrix);
        let (transform, residual) = Transform::from_affine(&Affine3A::from_mat4(matrix));
        // Matrices in files are rounded; below this no vertex moves visibly.
        if residual > 1e-4 {
            let detail =
                format!("translation, rotation and scale miss the matrix by {residual:.1e} of its size");
            self.report.add(FindingCode::MatrixSheared, format!("{place}.matrix"), detail);
        }
        finite(place, transform)
    }

    /// The rotation, normalized and reported if needed.
    fn unit_rotation(&mut self, place: &str, rotation: Quat) -> Quat {
        let length = rotation.length();
        if (length - 1.0).abs() <= UNIT_TOLERANCE || !rotation.is_finite() {
            return rotation;
        }
        self.report.add(FindingCode::QuaternionNotUnit, place, format!("length {length}"));
        unit_or_identity(rotation)
    }

    /// The mesh instances of all nodes. `meshes` are those of the file, and nodes name existing ones.
    pub(super) fn instances(
        &mut self,
        order: &NodeOrder,
        meshes: &[Mesh],
    ) -> Result<Vec<MeshInstance>, ReadError> {
        let mut out = Vec::new();
        for (joint, &index) in order.node_of_joint.iter().enumerate() {
            let node = &self.root.nodes[index];
            let Some(mesh) = node.mesh else { continue };
            let place = format!("nodes[{index}]");
            let targets = meshes[mesh].morphs().len();
            let weighted = meshes[mesh].weights().is_some();
            // Ten bytes of JSON instance a mesh on another node, and every instance has its own vertices and weights.
            self.buffers.budget.charge(&place, targets, 4 * size_of::<f32>())?;
            let copies = if targets > 0 { 2 } else { 1 };
            self.buffers.budget.charge(
                &place,
                meshes[mesh].vertex_count(),
                copies * INSTANCE_VERTEX_BYTES,
            )?;
            if node.skin.is_some() != weighted {
                let detail = if weighted { "weights without a skin" } else { "a skin without weights" };
                self.report.add(FindingCode::SkinUnused, &place, format!("{detail}: the mesh moves rigidly"));
            }
            let mut morph_weights = node.weights.clone();
            if !morph_weights.is_empty() && morph_weights.len() != targets {
                let detail = format!("{} weights for {targets} targets", morph_weights.len());
                self.report.add(FindingCode::MorphListLength, format!("{place}.weights"), detail);
                morph_weights.resize(targets, 0.0);
            }
            out.push(MeshInstance { joint: JointId(joint as u16), mesh, skin: node.skin, morph_weights });
        }
        Ok(out)
    }

    pub(super) fn scenes(&mut self, order: &NodeOrder) -> Result<(Vec<CharacterScene>, usize), ReadError> {
        let root = self.root;
        let mut scenes = Vec::with_capacity(root.scenes.len());
        for (index, scene) in root.scenes.iter().enumerate() {
            self.keep_extras(ExtrasOwner::Scene(index), scene.extras.as_ref());
            let place = format!("scenes[{index}].nodes");
            let roots = scene.nodes.iter().map(|&n| order.joint(&place, n)).collect::<Result<_, _>>()?;
            scenes.push(CharacterScene { name: scene.name.clone().unwrap_or_default(), roots });
        }
        // Without scenes everything is shown, whatever `scene` says.
        let shown = root.scene.filter(|_| !scenes.is_empty()).unwrap_or(0);
        if shown >= scenes.len().max(1) {
            return Err(ReadError::invalid(
                "scene",
                format!("names scene {shown}, there are {}", scenes.len()),
            ));
        }
        if scenes.len() > 1 {
            let detail = format!("{} scenes, number {shown} is shown", scenes.len());
            self.report.add(FindingCode::SeveralScenes, "scenes", detail);
        }
        Ok((scenes, shown))
    }
}

/// The maximum size of a deformed vertex: position, normal and tangent.
const INSTANCE_VERTEX_BYTES: usize = size_of::<[f32; 10]>();

/// The maximum deviation of a quaternion's length from one that is not repaired.
///
/// Rotations stored as 16-bit integers, which glTF allows, deviate by up to 3e-5.
pub(super) const UNIT_TOLERANCE: f32 = 1e-4;

pub(super) fn unit_or_identity(rotation: Quat) -> Quat {
    // In double precision, because the square of 1e-30 underflows in single precision.
    let unit = rotation.as_dquat().normalize().as_quat();
    if unit.is_finite() { unit } else { Quat::IDENTITY }
}

fn finite(place: &str, transform: Transform) -> Result<Transform, ReadError> {
    if transform.is_finite() {
        return Ok(transform);
    }
    Err(ReadError::invalid(place, format!("the transform must be finite, got {transform:?}")))
}
