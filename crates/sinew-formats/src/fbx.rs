//! FBX in: skeleton, meshes, skins, blend shapes, takes and base colours.
//!
//! The bytes are taken apart by ufbx, which is C and made for hostile files; everything that it gives is checked again by the
//! constructors of `sinew`. Axes and units become glTF's: right-handed, Y up, metres.

mod materials;
mod meshes;
mod shapes;
mod skins;
mod takes;

use crate::{
    Import, ReadError, ReadOptions,
    budget::Budget,
    report::{FindingCode, ImportReport},
};
use sinew::{
    Character, CharacterParts, Joint, JointId, Mesh, MeshInstance, Skeleton, Transform,
    glam::{DQuat, DVec3, Vec3},
};
use std::sync::Arc;

/// How an FBX file is read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FbxOptions {
    /// How often a second curves are sampled where they are not straight lines.
    pub frames_per_sec: f64,
}

impl Default for FbxOptions {
    fn default() -> Self {
        Self { frames_per_sec: 30.0 }
    }
}

impl FbxOptions {
    /// The same with curves sampled as often as this.
    #[must_use]
    pub fn with_frames_per_sec(self, frames_per_sec: f64) -> Self {
        Self { frames_per_sec }
    }
}

/// Reads an FBX file, binary or text, from memory. `name` becomes the character's.
///
/// # Errors
/// Where ufbx cannot read the bytes, an element breaks a rule in a way that cannot be repaired, or unpacking would pass
/// the limit.
pub fn read_fbx(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<Import, ReadError> {
    let limit = options.max_unpacked_bytes.unwrap_or_else(|| Budget::default_limit(bytes.len()));
    let scene = ufbx::load_memory(bytes, load_options(limit)).map_err(|e| refusal(&e, limit))?;
    let Nodes { joint_of_node, skeleton, node_of_joint } = nodes(&scene)?;
    let reader = FbxReader {
        scene: &scene,
        joint_of_node,
        skeleton: Arc::new(skeleton),
        budget: Budget::new(limit),
        limit,
        report: ImportReport::default(),
    };
    let (character, report) = reader.character(name, &options.fbx)?;
    Ok(Import { character, report, node_of_joint })
}

fn load_options(limit: usize) -> ufbx::LoadOpts<'static> {
    ufbx::LoadOpts {
        temp_allocator: bounded(limit),
        result_allocator: bounded(limit),
        file_format: ufbx::FileFormat::Fbx,
        ignore_embedded: true,
        generate_missing_normals: true,
        target_axes: ufbx::CoordinateAxes {
            right: ufbx::CoordinateAxis::PositiveX,
            up: ufbx::CoordinateAxis::PositiveY,
            front: ufbx::CoordinateAxis::PositiveZ,
        },
        target_unit_meters: 1.0,
        handedness_conversion_axis: ufbx::MirrorAxis::X,
        // The alternative leaves factors of 0.01 in the joints.
        space_conversion: ufbx::SpaceConversion::ModifyGeometry,
        geometry_transform_handling: ufbx::GeometryTransformHandling::ModifyGeometry,
        // Nodes that do not inherit scale get helpers between them, so that plain products of transforms are right.
        inherit_mode_handling: ufbx::InheritModeHandling::HelperNodes,
        ..ufbx::LoadOpts::default()
    }
}

fn bounded(limit: usize) -> ufbx::AllocatorOpts {
    ufbx::AllocatorOpts { memory_limit: limit, ..ufbx::AllocatorOpts::default() }
}

/// What ufbx says about bytes that it cannot read.
fn refusal(error: &ufbx::Error, limit: usize) -> ReadError {
    match error.type_ {
        ufbx::ErrorType::MemoryLimit | ufbx::ErrorType::AllocationLimit => {
            ReadError::TooLarge { place: "the file".into(), limit }
        }
        _ => ReadError::invalid("the file", error.description.to_string()),
    }
}

/// What every step of reading shares.
struct FbxReader<'a> {
    scene: &'a ufbx::Scene,
    joint_of_node: Vec<Option<JointId>>,
    skeleton: Arc<Skeleton>,
    budget: Budget,
    limit: usize,
    report: ImportReport,
}

impl FbxReader<'_> {
    fn character(mut self, name: &str, options: &FbxOptions) -> Result<(Character, ImportReport), ReadError> {
        let scene = self.scene;
        let ignored = scene.cameras.len() + scene.lights.len();
        if ignored > 0 {
            self.report.add(
                FindingCode::CameraIgnored,
                "the file",
                format!("{ignored} cameras and lights left out"),
            );
        }
        let mut parts = CharacterParts::new(name, self.skeleton.clone());
        parts.materials = self.materials();
        // A mesh may be empty, so its place here is not its place in the file.
        let mut places = vec![None; scene.meshes.len()];
        for (index, mesh) in scene.meshes.as_ref().iter().enumerate() {
            let place = format!("mesh {index} ({:?})", &*mesh.element.name);
            let skin = self.skin(&place, mesh)?;
            let weights = skin.as_ref().map(|(_, weights)| weights);
            let Some(made) = self.mesh(&place, mesh, weights)? else { continue };
            let skin = skin.map(|(skin, _)| {
                parts.skins.push(Arc::new(skin));
                parts.skins.len() - 1
            });
            places[index] = Some((parts.meshes.len(), skin));
            parts.meshes.push(Arc::new(made));
        }
        parts.instances = self.instances(&parts.meshes, &places)?;
        parts.clips = self.takes(&parts, options)?.into_iter().map(Arc::new).collect();
        let character = Character::new(parts).map_err(|e| ReadError::invalid("the file", e))?;
        Ok((character, self.report))
    }

    /// The meshes of all nodes; `places` says which mesh and skin each of the file's meshes became.
    fn instances(
        &self,
        meshes: &[Arc<Mesh>],
        places: &[Option<(usize, Option<usize>)>],
    ) -> Result<Vec<MeshInstance>, ReadError> {
        let mut out = Vec::new();
        for node in &self.scene.nodes {
            let at = |mesh: &ufbx::Mesh| places.get(mesh.element.typed_id as usize).copied().flatten();
            let found = node.mesh.as_ref().and_then(|mesh| at(mesh));
            let (Some((mesh, skin)), Some(joint)) = (found, self.joint(node)) else { continue };
            // A line of the file hangs a mesh on one more node, and every instance gets vertices and weights of its own.
            let place = format!("node {:?}", &*node.element.name);
            let size = 2 * size_of::<[Vec3; 3]>() * meshes[mesh].vertex_count();
            self.budget.charge(&place, 1, size + 4 * size_of::<f32>() * meshes[mesh].morphs().len())?;
            out.push(MeshInstance { joint, mesh, skin, morph_weights: Vec::new() });
        }
        Ok(out)
    }

    fn joint(&self, node: &ufbx::Node) -> Option<JointId> {
        self.joint_of_node.get(node.element.typed_id as usize).copied().flatten()
    }
}

/// The file's nodes as joints.
struct Nodes {
    joint_of_node: Vec<Option<JointId>>,
    skeleton: Skeleton,
    node_of_joint: Vec<usize>,
}

/// Every node as a joint, but not the root where it does nothing.
fn nodes(scene: &ufbx::Scene) -> Result<Nodes, ReadError> {
    if scene.nodes.len() > Skeleton::MAX_JOINTS {
        let what = format!("{} nodes, at most {} can be numbered", scene.nodes.len(), Skeleton::MAX_JOINTS);
        return Err(ReadError::invalid("the file", what));
    }
    let mut joint_of_node: Vec<Option<JointId>> = Vec::with_capacity(scene.nodes.len());
    let (mut joints, mut node_of_joint) = (Vec::new(), Vec::new());
    for (index, node) in scene.nodes.as_ref().iter().enumerate() {
        let rest = transform(&node.local_transform);
        if node.is_root && rest == Transform::IDENTITY && node.mesh.is_none() {
            joint_of_node.push(None);
            continue;
        }
        let parent = node.parent.as_ref().map(|p| p.element.typed_id as usize);
        if parent.is_some_and(|p| p >= index) {
            return Err(ReadError::invalid(format!("node {index}"), "its parent does not stand before it"));
        }
        let parent = parent.and_then(|p| joint_of_node[p]);
        joint_of_node.push(Some(JointId(joints.len() as u16)));
        joints.push(Joint { name: node.element.name.to_string(), parent, rest });
        node_of_joint.push(index);
    }
    let skeleton = Skeleton::new(joints).map_err(|e| ReadError::invalid("the file", e))?;
    Ok(Nodes { joint_of_node, skeleton, node_of_joint })
}

fn vector(v: ufbx::Vec3) -> Vec3 {
    DVec3::new(v.x, v.y, v.z).as_vec3()
}

fn rotation(q: ufbx::Quat) -> sinew::glam::Quat {
    let unit = DQuat::from_xyzw(q.x, q.y, q.z, q.w);
    let length = unit.length();
    if length > 0.0 && length.is_finite() { (unit / length).as_quat() } else { sinew::glam::Quat::IDENTITY }
}

fn transform(t: &ufbx::Transform) -> Transform {
    Transform { translation: vector(t.translation), rotation: rotation(t.rotation), scale: vector(t.scale) }
}
