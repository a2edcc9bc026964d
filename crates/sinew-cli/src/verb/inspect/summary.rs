//! The contents of a character as plain data; the field names are the keys of `--json`.

use super::constraints::{self, NodeConstraintSummary, SpringColliderSummary, SpringSummary};
use crate::{
    failure::{Attempt, Failure},
    json::{JsonBounds, JsonFinding},
};
use serde::Serialize;
use sinew::bounds::{CharacterBounds, Tightness, exact_clip_bounds};
use sinew::constrain::{HelperJoint, HelperKind, MetaJoint, MetaJointPart};
use sinew::glam::Vec3;
use sinew::{Character, Frame, HumanBone, Humanoid, Interpolation, JointId, MetaCurve, Method, WeightSum};
use sinew_formats::{Import, meta_joints::meta_joints_of};

/// Everything that `inspect` prints.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    pub(super) file: String,
    pub(super) name: String,
    pub(super) vertex_count: usize,
    pub(super) triangle_count: usize,
    /// The box around the rest pose; `None` for a character without vertices.
    pub(super) bounds: Option<JsonBounds>,
    pub(super) joints: Vec<JointSummary>,
    pub(super) meshes: Vec<MeshSummary>,
    pub(super) skins: Vec<SkinSummary>,
    pub(super) instances: Vec<InstanceSummary>,
    pub(super) materials: Vec<MaterialSummary>,
    pub(super) images: Vec<ImageSummary>,
    pub(super) clips: Vec<ClipSummary>,
    pub(super) helpers: Vec<HelperSummary>,
    pub(super) node_constraints: Vec<NodeConstraintSummary>,
    pub(super) springs: Vec<SpringSummary>,
    pub(super) spring_colliders: Vec<SpringColliderSummary>,
    pub(super) meta_joints: Vec<MetaJointSummary>,
    /// The bones of a human body; `None` if the file does not name them.
    pub(super) humanoid: Option<Vec<HumanBoneSummary>>,
    /// The deformation method that the file recommends; `None` if it says nothing.
    pub(super) recommended_method: Option<&'static str>,
    pub(super) scenes: Vec<String>,
    pub(super) findings: Vec<JsonFinding>,
    /// The findings as lines of text.
    #[serde(skip)]
    pub(super) finding_lines: Vec<String>,
}

/// A joint that is a bone of a human body.
#[derive(Debug, Serialize)]
pub(super) struct HumanBoneSummary {
    /// The name of the bone in VRM 1.0.
    pub(super) bone: &'static str,
    pub(super) joint: usize,
}

/// Rotation axes that form one anatomical joint.
#[derive(Debug, Serialize)]
pub(super) struct MetaJointSummary {
    pub(super) name: String,
    pub(super) parts: Vec<MetaJointPartSummary>,
}

#[derive(Debug, Serialize)]
pub(super) struct MetaJointPartSummary {
    pub(super) joint: usize,
    /// The letters of the axes, the outermost first.
    pub(super) axes: String,
    /// Minimum and maximum about each axis from rest; empty for no limits.
    pub(super) ranges_degrees: Vec<[f32; 2]>,
}

/// Helper joints, driven by another joint.
#[derive(Debug, Serialize)]
pub(super) struct HelperSummary {
    pub(super) name: String,
    /// The name of the kind: `twist` or `drive`.
    pub(super) kind: &'static str,
    pub(super) enabled: bool,
    /// The joint whose rotation drives the helper.
    pub(super) source_joint: Option<usize>,
    pub(super) driven_joints: Vec<usize>,
}

#[derive(Debug, Serialize)]
pub(super) struct JointSummary {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// The index of the file's node.
    pub(super) node: usize,
    /// Its origin in the rest pose, in model space.
    pub(super) position_meters: [f32; 3],
    /// How many vertices it influences, over all mesh instances.
    pub(super) weighted_vertex_count: usize,
    /// How many vertices it displaces as a muscle, over all mesh instances.
    pub(super) muscle_vertex_count: usize,
    /// The skins that contain it.
    pub(super) skins: Vec<usize>,
    /// The mesh that is attached to it.
    pub(super) mesh: Option<usize>,
    /// What it inherits of its parent's scale: `full` or `compensated`.
    pub(super) scale_inheritance: &'static str,
    /// False if the shown scene does not contain it.
    pub(super) visible: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct MeshSummary {
    pub(super) name: String,
    pub(super) vertex_count: usize,
    /// Distinct positions: the copies of a vertex along a seam count once.
    pub(super) point_count: usize,
    pub(super) triangle_count: usize,
    pub(super) primitive_count: usize,
    pub(super) streams: Vec<String>,
    pub(super) morph_targets: Vec<String>,
    /// How many vertices have one influence, two, and so on.
    pub(super) influence_histogram: Vec<usize>,
}

#[derive(Debug, Serialize)]
pub(super) struct SkinSummary {
    pub(super) name: String,
    pub(super) joints: Vec<usize>,
    pub(super) root_joint: Option<usize>,
    /// Joints that influence no vertex of any mesh.
    pub(super) unused_joint_count: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct InstanceSummary {
    pub(super) joint: usize,
    pub(super) mesh: usize,
    pub(super) skin: Option<usize>,
    pub(super) visible: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct MaterialSummary {
    pub(super) name: String,
    pub(super) base_color: [f32; 4],
    pub(super) base_color_image: Option<usize>,
    pub(super) double_sided: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct ImageSummary {
    pub(super) name: String,
    pub(super) mime_type: String,
    pub(super) size_bytes: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct ClipSummary {
    pub(super) name: String,
    pub(super) duration_secs: f32,
    pub(super) channels: Vec<ChannelSummary>,
    pub(super) key_count: usize,
    pub(super) events: Vec<EventSummary>,
    pub(super) kind: &'static str,
    pub(super) meta_channels: Vec<MetaSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bounds: Option<ClipBounds>,
}

/// A box that contains a whole clip under linear blend skinning.
#[derive(Debug, Serialize)]
pub(super) struct ClipBounds {
    #[serde(flatten)]
    pub(super) bounds: JsonBounds,
    /// Its diagonal and volume relative to a box around the sampled frames.
    pub(super) diagonal_ratio: f32,
    pub(super) volume_ratio: f32,
}

#[derive(Debug, Serialize)]
pub(super) struct MetaSummary {
    pub(super) name: String,
    /// `scalar`, `vector` or `rotation`.
    pub(super) value_kind: &'static str,
    pub(super) key_count: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct ChannelSummary {
    pub(super) joint: Option<usize>,
    pub(super) property: &'static str,
    pub(super) interpolation: &'static str,
    pub(super) key_count: usize,
    pub(super) first_key_secs: f32,
    pub(super) last_key_secs: f32,
}

#[derive(Debug, Serialize)]
pub(super) struct EventSummary {
    pub(super) time_secs: f32,
    pub(super) name: String,
    pub(super) payload: Option<String>,
}

impl Summary {
    pub(super) fn of(file: &str, import: &Import) -> Self {
        let character = &import.character;
        let meshes: Vec<MeshSummary> = character.meshes().iter().map(|m| mesh(m)).collect();
        let shown = |f: fn(&MeshSummary) -> usize| {
            character.visible_instances().map(|i| f(&meshes[character.instances()[i].mesh])).sum()
        };
        let influenced = influenced_vertices(character);
        let mut frame = Frame::new(character);
        // A frame that was made for this character deforms.
        let deformed = frame.deform(Method::Linear).is_ok();
        let bounds = Some(frame.bounds()).filter(|b| deformed && !b.is_empty());
        Self {
            file: file.into(),
            name: character.name().into(),
            vertex_count: shown(|m| m.vertex_count),
            triangle_count: shown(|m| m.triangle_count),
            bounds: bounds.map(JsonBounds::from),
            joints: joints(import, &frame, &influenced),
            skins: skins(character, &influenced),
            instances: instances(character),
            materials: character.materials().iter().map(material).collect(),
            images: character.images().iter().map(image).collect(),
            clips: character.clips().iter().map(|c| clip(c)).collect(),
            helpers: character.helpers().iter().map(helper).collect(),
            node_constraints: constraints::node_constraints(character),
            springs: constraints::springs(character),
            spring_colliders: constraints::spring_colliders(character),
            meta_joints: meta_joints(character),
            humanoid: character.humanoid().map(human_bones),
            recommended_method: character.recommended_method().map(Method::name),
            scenes: character.scenes().iter().map(|s| s.name.clone()).collect(),
            findings: import.report.findings().iter().map(JsonFinding::from).collect(),
            finding_lines: import.report.lines().collect(),
            meshes,
        }
    }
}

/// Samples per second for the box of a clip.
const SAMPLES_PER_SEC: f32 = 60.0;
/// The maximum number of frames whose deformed vertices are measured.
const MAX_FRAMES: f32 = 300.0;

impl Summary {
    /// Adds the box of every clip.
    pub(super) fn add_clip_bounds(&mut self, character: &Character) -> Result<(), Failure> {
        let attempt = || format!("compute the bounds of {}", self.file);
        let mut boxes = CharacterBounds::new(character).attempt(attempt)?;
        for (clip, summary) in character.clips().iter().zip(&mut self.clips) {
            let safe = boxes.of_clip(character, clip, Method::Linear, SAMPLES_PER_SEC);
            let safe = safe.attempt(attempt)?.bounds;
            let steps = (clip.duration_secs() * SAMPLES_PER_SEC).clamp(1.0, MAX_FRAMES) as usize;
            let exact = exact_clip_bounds(character, clip, Method::Linear, steps).attempt(attempt)?;
            let ratio = Tightness::of(&safe, &exact);
            let (diagonal_ratio, volume_ratio) = (ratio.diagonal, ratio.volume);
            summary.bounds = Some(ClipBounds { bounds: safe.into(), diagonal_ratio, volume_ratio });
        }
        Ok(())
    }
}

/// How many vertices a joint influences, over all mesh instances.
#[derive(Clone, Copy, Default)]
struct InfluencedVertices {
    weighted: usize,
    muscle: usize,
}

/// The influenced vertices of each joint.
fn influenced_vertices(character: &Character) -> Vec<InfluencedVertices> {
    let mut counts = vec![InfluencedVertices::default(); character.skeleton().len()];
    for instance in character.instances() {
        let Some(skin) = character.skin_of(instance) else { continue };
        let Some(weights) = character.mesh_of(instance).weights() else { continue };
        for vertex in 0..weights.vertex_count() {
            let joint = |&slot: &u16| skin.joints()[usize::from(slot)].index();
            weights.of(vertex).0.iter().for_each(|slot| counts[joint(slot)].weighted += 1);
            weights.muscle_of(vertex).0.iter().for_each(|slot| counts[joint(slot)].muscle += 1);
        }
    }
    counts
}

fn joints(import: &Import, frame: &Frame, influenced: &[InfluencedVertices]) -> Vec<JointSummary> {
    let character = &import.character;
    let skeleton = character.skeleton();
    let one = |joint| JointSummary {
        name: skeleton.name(joint).into(),
        parent: skeleton.parent(joint).map(JointId::index),
        children: Vec::new(),
        node: import.node_of_joint[joint.index()],
        position_meters: Vec3::from(frame.model().joint(joint).translation).to_array(),
        weighted_vertex_count: influenced[joint.index()].weighted,
        muscle_vertex_count: influenced[joint.index()].muscle,
        skins: Vec::new(),
        mesh: None,
        scale_inheritance: skeleton.scale_inheritance(joint).name(),
        visible: character.is_visible(joint),
    };
    let mut joints: Vec<JointSummary> = skeleton.joints().map(one).collect();
    for joint in 0..joints.len() {
        if let Some(parent) = joints[joint].parent {
            joints[parent].children.push(joint);
        }
    }
    for (index, skin) in character.skins().iter().enumerate() {
        for joint in skin.joints() {
            let skins = &mut joints[joint.index()].skins;
            if skins.last() != Some(&index) {
                skins.push(index);
            }
        }
    }
    for instance in character.instances() {
        joints[instance.joint.index()].mesh.get_or_insert(instance.mesh);
    }
    joints
}

fn mesh(mesh: &sinew::Mesh) -> MeshSummary {
    let mut streams = vec!["positions".to_owned()];
    let mut add = |present: bool, name: &str| streams.extend(present.then(|| name.to_owned()));
    add(!mesh.normals().is_empty(), "normals");
    add(!mesh.tangents().is_empty(), "tangents");
    add(!mesh.colors().is_empty(), "colors");
    (0..mesh.uv_sets().len()).for_each(|set| add(true, &format!("uv{set}")));
    add(mesh.weights().is_some(), "weights");
    add(mesh.weights().is_some_and(|w| w.sum_kind() == WeightSum::Muscle), "muscle weights");
    MeshSummary {
        name: mesh.name().into(),
        vertex_count: mesh.vertex_count(),
        point_count: mesh.points().len(),
        triangle_count: mesh.triangles().count(),
        primitive_count: mesh.primitives().len(),
        streams,
        morph_targets: mesh.morphs().targets().iter().map(|t| t.name.clone()).collect(),
        influence_histogram: mesh.weights().map(|w| w.histogram()).unwrap_or_default(),
    }
}

fn meta_joints(character: &Character) -> Vec<MetaJointSummary> {
    let part = |part: &MetaJointPart| MetaJointPartSummary {
        joint: part.joint.index(),
        axes: part.axes.to_string(),
        ranges_degrees: part.ranges_radians.iter().map(|range| range.map(f32::to_degrees)).collect(),
    };
    let summary = |meta: &MetaJoint| MetaJointSummary {
        name: meta.name().into(),
        parts: meta.parts().iter().map(part).collect(),
    };
    meta_joints_of(character.extras(), character.skeleton()).iter().map(summary).collect()
}

fn human_bones(humanoid: &Humanoid) -> Vec<HumanBoneSummary> {
    let summary =
        |(bone, joint): (HumanBone, JointId)| HumanBoneSummary { bone: bone.name(), joint: joint.index() };
    humanoid.iter().map(summary).collect()
}

fn helper(helper: &HelperJoint) -> HelperSummary {
    HelperSummary {
        name: helper.name.clone(),
        kind: match helper.kind {
            HelperKind::Twist { .. } => "twist",
            HelperKind::Drive(_) => "drive",
            HelperKind::Correct(_) => "correct",
        },
        enabled: helper.is_enabled,
        source_joint: helper.source().map(JointId::index),
        driven_joints: helper.moved().into_iter().map(JointId::index).collect(),
    }
}

fn skins(character: &Character, influenced: &[InfluencedVertices]) -> Vec<SkinSummary> {
    let is_unused = |joint: &&JointId| {
        let InfluencedVertices { weighted, muscle } = influenced[joint.index()];
        weighted + muscle == 0
    };
    let one = |skin: &std::sync::Arc<sinew::Skin>| SkinSummary {
        name: skin.name().into(),
        joints: skin.joints().iter().map(|j| j.index()).collect(),
        root_joint: skin.root().map(JointId::index),
        unused_joint_count: skin.joints().iter().filter(is_unused).count(),
    };
    character.skins().iter().map(one).collect()
}

fn instances(character: &Character) -> Vec<InstanceSummary> {
    let one = |i: &sinew::MeshInstance| InstanceSummary {
        joint: i.joint.index(),
        mesh: i.mesh,
        skin: i.skin,
        visible: character.is_visible(i.joint),
    };
    character.instances().iter().map(one).collect()
}

fn material(material: &sinew::Material) -> MaterialSummary {
    MaterialSummary {
        name: material.name.clone(),
        base_color: material.base_color.to_array(),
        base_color_image: material.base_color_texture.map(|t| t.image.into()),
        double_sided: material.double_sided,
    }
}

fn image(image: &sinew::Image) -> ImageSummary {
    ImageSummary {
        name: image.name.clone(),
        mime_type: image.mime_type.clone(),
        size_bytes: image.bytes.len(),
    }
}

fn clip(clip: &sinew::Clip) -> ClipSummary {
    let channel = |c: &sinew::Channel| ChannelSummary {
        joint: c.joint().map(JointId::index),
        property: c.property(),
        interpolation: match c.interpolation() {
            Interpolation::Step => "step",
            Interpolation::Linear => "linear",
            Interpolation::Cubic => "cubic",
        },
        key_count: c.key_count(),
        first_key_secs: c.times_secs().first().copied().unwrap_or_default(),
        last_key_secs: c.times_secs().last().copied().unwrap_or_default(),
    };
    let event = |e: &sinew::ClipEvent| EventSummary {
        time_secs: e.time_secs,
        name: e.name.clone(),
        payload: e.payload.clone(),
    };
    ClipSummary {
        name: clip.name().into(),
        duration_secs: clip.duration_secs(),
        channels: clip.channels().iter().map(channel).collect(),
        key_count: clip.channels().iter().map(sinew::Channel::key_count).sum(),
        events: clip.events().iter().map(event).collect(),
        kind: match clip.kind() {
            sinew::ClipKind::Absolute => "absolute",
            sinew::ClipKind::Additive => "additive",
        },
        meta_channels: clip.metas().iter().map(meta).collect(),
        bounds: None,
    }
}

fn meta(meta: &sinew::MetaChannel) -> MetaSummary {
    let (value_kind, key_count) = match &meta.curve {
        MetaCurve::Scalar(curve) => ("scalar", curve.key_count()),
        MetaCurve::Vector(curve) => ("vector", curve.key_count()),
        MetaCurve::Rotation(curve) => ("rotation", curve.key_count()),
    };
    MetaSummary { name: meta.name.clone(), value_kind, key_count }
}
