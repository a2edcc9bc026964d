//! Reads FBX: skeleton, meshes, skins, blend shapes, takes, base colors and their textures.
//!
//! The C library ufbx, which is hardened against hostile files, parses the bytes. The constructors of `sinew` check its
//! results again. Axes and units are converted to those of glTF: right-handed, Y up, meters.

mod curves;
mod joint_takes;
mod materials;
mod meshes;
mod motion_scale;
mod sampling;
mod shape_takes;
mod shapes;
mod skins;
mod takes;
mod textures;

use crate::{
    Fetch, Import, ReadError, ReadOptions,
    budget::Budget,
    fetch,
    names::{self, shortened},
    report::{FindingCode, ImportReport},
};
use sinew::{
    Character, CharacterParts, Joint, JointId, Mesh, MeshInstance, ScaleInheritance, Skeleton, Transform,
    glam::{DQuat, DVec3, Vec3},
};
use std::sync::Arc;

/// Options for reading FBX files.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FbxOptions {
    /// The rate at which takes are sampled, in frames per second. `None` samples at the file's own frames and keys, and
    /// between them until the motion is within 1e-5 of the character's size.
    pub frames_per_sec: Option<f64>,
}

impl FbxOptions {
    /// These options with another value of [`FbxOptions::frames_per_sec`].
    #[must_use]
    pub fn with_frames_per_sec(self, frames_per_sec: Option<f64>) -> Self {
        Self { frames_per_sec }
    }
}

/// Reads an FBX file, binary or text, from memory as a character called `name`, without textures that are not embedded.
///
/// # Errors
/// When ufbx cannot parse the bytes, an element is invalid and cannot be repaired, or unpacking would exceed the limit.
pub fn read_fbx(bytes: &[u8], name: &str, options: &ReadOptions) -> Result<Import, ReadError> {
    read_fbx_with(bytes, name, &fetch::from_nowhere, options)
}

/// As [`read_fbx`]; `fetch` loads the textures that the file names.
pub(crate) fn read_fbx_with(
    bytes: &[u8],
    name: &str,
    fetch: &Fetch<'_>,
    options: &ReadOptions,
) -> Result<Import, ReadError> {
    let budget = Budget::new(&options.limits, bytes.len())?;
    let limit = budget.max_unpacked();
    let load = |options| ufbx::load_memory(bytes, options).map_err(|e| parse_error(&e, limit));
    let mut scene = load(load_options(limit))?;
    let has_helpers = scene.nodes.as_ref().iter().any(|node| node.is_scale_helper);
    let is_exact = ScaleReading::of(&scene) == ScaleReading::Joints;
    if has_helpers && is_exact {
        let inherit_mode_handling = ufbx::InheritModeHandling::Preserve;
        scene = load(ufbx::LoadOpts { inherit_mode_handling, ..load_options(limit) })?;
    }
    budget.check_time("the file")?;
    curves::check_keys(&scene)?;
    let NodeJoints { joint_of_node, skeleton, node_of_joint } = nodes(&scene)?;
    let reader = FbxReader {
        scene: &scene,
        joint_of_node,
        skeleton: Arc::new(skeleton),
        fetch,
        budget,
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
        generate_missing_normals: true,
        target_axes: ufbx::CoordinateAxes {
            right: ufbx::CoordinateAxis::PositiveX,
            up: ufbx::CoordinateAxis::PositiveY,
            front: ufbx::CoordinateAxis::PositiveZ,
        },
        target_unit_meters: 1.0,
        handedness_conversion_axis: ufbx::MirrorAxis::X,
        // The other conversions leave factors of 0.01 in the joints.
        space_conversion: ufbx::SpaceConversion::ModifyGeometry,
        geometry_transform_handling: ufbx::GeometryTransformHandling::ModifyGeometry,
        // Nodes that inherit scale component by component get helper nodes in between, so that products of transforms are
        // correct.
        inherit_mode_handling: ufbx::InheritModeHandling::HelperNodes,
        ..ufbx::LoadOpts::default()
    }
}

fn bounded(limit: usize) -> ufbx::AllocatorOpts {
    ufbx::AllocatorOpts { memory_limit: limit, ..ufbx::AllocatorOpts::default() }
}

/// The error for bytes that ufbx cannot parse.
fn parse_error(error: &ufbx::Error, limit: usize) -> ReadError {
    match error.type_ {
        ufbx::ErrorType::MemoryLimit | ufbx::ErrorType::AllocationLimit => {
            ReadError::TooLarge { place: "the file".into(), limit }
        }
        _ => ReadError::invalid("the file", error.description.to_string()),
    }
}

/// The state that all steps of reading share.
struct FbxReader<'a> {
    scene: &'a ufbx::Scene,
    joint_of_node: Vec<Option<JointId>>,
    skeleton: Arc<Skeleton>,
    fetch: &'a Fetch<'a>,
    budget: Budget,
    report: ImportReport,
}

impl FbxReader<'_> {
    fn character(mut self, name: &str, options: &FbxOptions) -> Result<(Character, ImportReport), ReadError> {
        let scene = self.scene;
        self.note_ignored();
        let mut parts = CharacterParts::new(name, self.skeleton.clone());
        (parts.materials, parts.images) = self.materials()?;
        parts.recommended_method = skins::recommended_method(scene);
        // Empty meshes are skipped, so indices differ from those in the file.
        let mut places = vec![None; scene.meshes.len()];
        for (index, mesh) in scene.meshes.as_ref().iter().enumerate() {
            let place = format!("mesh {index} ({:?})", shortened(&mesh.element.name));
            let skin = self.skin(&place, mesh)?;
            let Some(made) = self.mesh(&place, mesh, skin.as_ref())? else { continue };
            let skin = skin.map(|of_points| {
                parts.skins.push(Arc::new(of_points.skin));
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

    /// Reports the elements that are not part of a character.
    fn note_ignored(&mut self) {
        let scene = self.scene;
        let surfaces = scene.nurbs_surfaces.len() + scene.nurbs_trim_surfaces.len();
        let kinds = [
            (FindingCode::CameraIgnored, "cameras and lights", scene.cameras.len() + scene.lights.len()),
            (FindingCode::ElementIgnored, "curves", scene.line_curves.len() + scene.nurbs_curves.len()),
            (FindingCode::ElementIgnored, "NURBS surfaces", surfaces),
            (FindingCode::ElementIgnored, "geometry caches", scene.cache_deformers.len()),
            (FindingCode::ElementIgnored, "constraints", scene.constraints.len()),
            (FindingCode::ElementIgnored, "sounds", scene.audio_clips.len()),
        ];
        let is_long = |element: &ufbx::Element| element.name.len() > names::MAX_NAME_BYTES;
        let long = scene.elements.as_ref().iter().filter(|element| is_long(element)).count();
        if long > 0 {
            self.report.add(FindingCode::NameShortened, "the file", names::message(long));
        }
        for (code, what, count) in kinds.into_iter().filter(|(_, _, count)| *count > 0) {
            self.report.add(code, "the file", format!("{count} {what} were ignored"));
        }
    }

    /// The mesh instances of all nodes. `places` maps the file's meshes to meshes and skins of the character.
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
            // One line of the file instances a mesh on another node, and every instance has its own vertices and weights.
            let place = format!("node {:?}", shortened(&node.element.name));
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

/// How nodes that do not inherit all scale are read.
#[derive(Clone, Copy, PartialEq)]
enum ScaleReading {
    /// As compensated joints: every node either inherits all scale or ignores that of its parent, which is the same.
    Joints,
    /// By helper nodes, since some nodes inherit scale component by component.
    Helpers,
}

impl ScaleReading {
    fn of(scene: &ufbx::Scene) -> Self {
        let by_component =
            |node: &ufbx::Node| node.original_inherit_mode == ufbx::InheritMode::ComponentwiseScale;
        if scene.nodes.as_ref().iter().any(|node| by_component(node)) { Self::Helpers } else { Self::Joints }
    }
}

/// The nodes of the file as joints.
struct NodeJoints {
    joint_of_node: Vec<Option<JointId>>,
    skeleton: Skeleton,
    node_of_joint: Vec<usize>,
}

/// Every node as a joint, except a root without transform and mesh.
fn nodes(scene: &ufbx::Scene) -> Result<NodeJoints, ReadError> {
    if scene.nodes.len() > Skeleton::MAX_JOINTS {
        let what = format!("there must be at most {} nodes, got {}", Skeleton::MAX_JOINTS, scene.nodes.len());
        return Err(ReadError::invalid("the file", what));
    }
    let mut joint_of_node: Vec<Option<JointId>> = Vec::with_capacity(scene.nodes.len());
    let reading = ScaleReading::of(scene);
    let (mut joints, mut node_of_joint, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    for (index, node) in scene.nodes.as_ref().iter().enumerate() {
        let rest = transform(&node.local_transform);
        if node.is_root && rest == Transform::IDENTITY && node.mesh.is_none() {
            joint_of_node.push(None);
            continue;
        }
        let parent = node.parent.as_ref().map(|p| p.element.typed_id as usize);
        if parent.is_some_and(|p| p >= index) {
            return Err(ReadError::invalid(format!("node {index}"), "its parent must precede it"));
        }
        let parent = parent.and_then(|p| joint_of_node[p]);
        let joint = JointId(joints.len() as u16);
        let ignores = node.original_inherit_mode == ufbx::InheritMode::IgnoreParentScale;
        if ignores && parent.is_some() && reading == ScaleReading::Joints {
            kinds.push((joint, ScaleInheritance::Compensated));
        }
        joint_of_node.push(Some(joint));
        joints.push(Joint { name: name_of(&node.element), parent, rest });
        node_of_joint.push(index);
    }
    let skeleton = Skeleton::new(joints).map_err(|e| ReadError::invalid("the file", e))?;
    let skeleton = skeleton.with_scale_inheritance(kinds);
    Ok(NodeJoints { joint_of_node, skeleton, node_of_joint })
}

/// The name of an element.
fn name_of(element: &ufbx::Element) -> String {
    shortened(&element.name).to_owned()
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
