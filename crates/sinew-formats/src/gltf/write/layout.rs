//! Assigns nodes, meshes and images of the file to the parts of the character.

use sinew::{Character, JointId, Mesh, Primitive, Skeleton};

/// Indices in the file, known before anything is written.
#[derive(Debug)]
pub(in crate::gltf) struct NodeLayout {
    /// For each joint, its node.
    node_of_joint: Vec<usize>,
    /// The node above the roots of skins without a common root.
    common_root: Option<usize>,
    /// For each joint, true for roots of a skin without a common root.
    gathered: Vec<bool>,
    /// For each mesh, its index in the file; `None` if it has nothing to draw.
    meshes: Vec<Option<usize>>,
    /// For each image, its index in the file; `None` if it has no bytes.
    images: Vec<Option<usize>>,
    /// For each instance, its node; `None` if its mesh has nothing to draw.
    node_of_instance: Vec<Option<usize>>,
    /// The instances with their own nodes, in the order of those nodes.
    extra_instances: Vec<usize>,
}

/// What a document has before it is edited.
#[derive(Clone, Copy, Debug)]
pub(in crate::gltf) struct OwnCounts {
    pub(in crate::gltf) meshes: usize,
    pub(in crate::gltf) images: usize,
    /// The index of the first node that is not a joint's.
    pub(in crate::gltf) next_node: usize,
}

/// True when a primitive has something to draw.
pub(in crate::gltf) fn draws(primitive: &Primitive) -> bool {
    !primitive.vertices.is_empty() && !primitive.indices.is_empty()
}

impl NodeLayout {
    pub(in crate::gltf) fn new(character: &Character) -> Self {
        let gathered = gathered_roots(character);
        let draws_any = |mesh: &Mesh| mesh.primitives().iter().any(draws);
        let common_root = gathered.contains(&true).then_some(0);
        let first = usize::from(common_root.is_some());
        let mut out = Self {
            node_of_joint: (first..first + gathered.len()).collect(),
            common_root,
            gathered,
            meshes: numbered(character.meshes().iter().map(|m| draws_any(m))),
            images: numbered(character.images().iter().map(|i| !i.bytes.is_empty())),
            node_of_instance: Vec::new(),
            extra_instances: Vec::new(),
        };
        out.place_instances(character, first + character.skeleton().len());
        out
    }

    /// The layout of a document in which the nodes of joints are known, and whose own meshes and images keep their
    /// indices. The nodes of further instances begin at `next_node`.
    pub(in crate::gltf) fn in_document(
        character: &Character,
        node_of_joint: Vec<usize>,
        own: OwnCounts,
    ) -> Self {
        let draws_any = |mesh: &Mesh| mesh.primitives().iter().any(draws);
        let meshes = character.meshes().iter().enumerate();
        let images = character.images().iter().enumerate();
        let mut out = Self {
            gathered: vec![false; node_of_joint.len()],
            node_of_joint,
            common_root: None,
            meshes: numbered(meshes.map(|(index, mesh)| index < own.meshes || draws_any(mesh))),
            images: numbered(images.map(|(index, image)| index < own.images || !image.bytes.is_empty())),
            node_of_instance: Vec::new(),
            extra_instances: Vec::new(),
        };
        out.place_instances(character, own.next_node);
        out
    }

    fn place_instances(&mut self, character: &Character, next_node: usize) {
        let mut taken = vec![false; character.skeleton().len()];
        for (index, instance) in character.instances().iter().enumerate() {
            let joint = instance.joint.index();
            let node = if self.meshes[instance.mesh].is_none() {
                None
            } else if std::mem::replace(&mut taken[joint], true) {
                self.extra_instances.push(index);
                Some(next_node + self.extra_instances.len() - 1)
            } else {
                Some(self.node(instance.joint))
            };
            self.node_of_instance.push(node);
        }
    }

    /// The node of a joint.
    pub(in crate::gltf) fn node(&self, joint: JointId) -> usize {
        self.node_of_joint[joint.index()]
    }

    /// The number of nodes.
    pub(in crate::gltf) fn node_count(&self) -> usize {
        let nodes = self.node_of_joint.iter().chain(self.node_of_instance.iter().flatten());
        nodes.max().map_or(0, |last| last + 1)
    }

    /// The node above the roots of skins without a common root, if there are any.
    pub(in crate::gltf) fn common_root(&self) -> Option<usize> {
        self.common_root
    }

    /// True when `joint` is a child of the common root instead of a root.
    pub(in crate::gltf) fn is_gathered(&self, joint: JointId) -> bool {
        self.gathered[joint.index()]
    }

    /// The index of a mesh in the file; `None` if it has nothing to draw.
    pub(in crate::gltf) fn mesh(&self, mesh: usize) -> Option<usize> {
        self.meshes[mesh]
    }

    /// The index of an image in the file; `None` if it has no bytes.
    pub(in crate::gltf) fn image(&self, image: usize) -> Option<usize> {
        self.images[image]
    }

    /// The node of an instance.
    pub(in crate::gltf) fn node_of_instance(&self, instance: usize) -> Option<usize> {
        self.node_of_instance[instance]
    }

    /// The instances with their own nodes, in node order.
    pub(in crate::gltf) fn extra_instances(&self) -> &[usize] {
        &self.extra_instances
    }
}

/// Numbers the entries that are kept.
fn numbered(stays: impl Iterator<Item = bool>) -> Vec<Option<usize>> {
    let mut next = 0;
    let number = |stays: bool| {
        stays.then(|| {
            next += 1;
            next - 1
        })
    };
    stays.map(number).collect()
}

/// Marks the root joints of every skin whose joints are in several trees.
fn gathered_roots(character: &Character) -> Vec<bool> {
    let top = tops(character.skeleton());
    let mut gathered = vec![false; top.len()];
    for skin in character.skins() {
        let mut roots: Vec<usize> = skin.joints().iter().map(|j| top[j.index()]).collect();
        roots.sort_unstable();
        roots.dedup();
        if roots.len() > 1 {
            roots.iter().for_each(|&root| gathered[root] = true);
        }
    }
    gathered
}

/// For each joint, its root.
fn tops(skeleton: &Skeleton) -> Vec<usize> {
    let mut tops: Vec<usize> = Vec::with_capacity(skeleton.len());
    for (joint, parent) in skeleton.parents().iter().enumerate() {
        tops.push(parent.map_or(joint, |p| tops[p.index()]));
    }
    tops
}
