//! What is in a character, as plain data.

use crate::failure::Failure;
use serde::Serialize;
use sinew::bounds::{CharacterBounds, Tightness, exact_clip_bounds};
use sinew::constrain::{HelperJoint, HelperKind};
use sinew::glam::Vec3;
use sinew::{Character, Frame, Interpolation, JointId, MetaCurve, Method};
use sinew_formats::Import;

/// Everything `inspect` knows of a file.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    pub(super) file: String,
    pub(super) name: String,
    pub(super) vertices: usize,
    pub(super) triangles: usize,
    /// The box around the rest pose: smallest and largest corner, in metres.
    pub(super) bounds: Option<[[f32; 3]; 2]>,
    pub(super) joints: Vec<JointSummary>,
    pub(super) meshes: Vec<MeshSummary>,
    pub(super) skins: Vec<SkinSummary>,
    pub(super) instances: Vec<InstanceSummary>,
    pub(super) materials: Vec<MaterialSummary>,
    pub(super) images: Vec<ImageSummary>,
    pub(super) clips: Vec<ClipSummary>,
    pub(super) helpers: Vec<HelperSummary>,
    pub(super) scenes: Vec<String>,
    pub(super) report: Vec<FindingSummary>,
}

/// Joints that follow from another.
#[derive(Debug, Serialize)]
pub(super) struct HelperSummary {
    pub(super) name: String,
    /// `twist` or `drive`.
    pub(super) kind: &'static str,
    pub(super) on: bool,
    /// The joint that is looked at.
    pub(super) source: Option<usize>,
    /// The joints that are moved.
    pub(super) moved: Vec<usize>,
}

#[derive(Debug, Serialize)]
pub(super) struct JointSummary {
    pub(super) name: String,
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// The file's node.
    pub(super) node: usize,
    /// Where it rests, relative to the model.
    pub(super) position: [f32; 3],
    /// How many vertices follow it, over all meshes.
    pub(super) weighted_vertices: usize,
    /// The skins that use it.
    pub(super) skins: Vec<usize>,
    /// The mesh that hangs on it.
    pub(super) mesh: Option<usize>,
    /// False where the shown scene does not hold it.
    pub(super) visible: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct MeshSummary {
    pub(super) name: String,
    pub(super) vertices: usize,
    /// Distinct positions: vertices that are copies for a seam count once.
    pub(super) points: usize,
    pub(super) triangles: usize,
    pub(super) primitives: usize,
    pub(super) streams: Vec<String>,
    pub(super) morph_targets: Vec<String>,
    /// How many vertices have one influence, two, and so on.
    pub(super) influences: Vec<usize>,
}

#[derive(Debug, Serialize)]
pub(super) struct SkinSummary {
    pub(super) name: String,
    pub(super) joints: Vec<usize>,
    pub(super) root: Option<usize>,
    /// Joints that no vertex of any mesh follows.
    pub(super) unused_joints: usize,
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
    pub(super) bytes: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct ClipSummary {
    pub(super) name: String,
    pub(super) duration_secs: f32,
    pub(super) channels: Vec<ChannelSummary>,
    pub(super) keys: usize,
    pub(super) events: Vec<EventSummary>,
    pub(super) kind: &'static str,
    pub(super) metas: Vec<MetaSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bounds: Option<BoundsSummary>,
}

/// A box in which a clip stays by linear blend.
#[derive(Debug, Serialize)]
pub(super) struct BoundsSummary {
    pub(super) min: [f32; 3],
    pub(super) max: [f32; 3],
    /// How much longer its diagonal and larger its volume are than those of a box around what was seen.
    pub(super) diagonal_ratio: f32,
    pub(super) volume_ratio: f32,
}

/// A meta-channel.
#[derive(Debug, Serialize)]
pub(super) struct MetaSummary {
    pub(super) name: String,
    pub(super) holds: &'static str,
    pub(super) keys: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct ChannelSummary {
    pub(super) joint: Option<usize>,
    pub(super) property: &'static str,
    pub(super) interpolation: &'static str,
    pub(super) keys: usize,
    pub(super) first_secs: f32,
    pub(super) last_secs: f32,
}

#[derive(Debug, Serialize)]
pub(super) struct EventSummary {
    pub(super) time_secs: f32,
    pub(super) name: String,
    pub(super) payload: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct FindingSummary {
    pub(super) kind: &'static str,
    pub(super) code: &'static str,
    pub(super) place: String,
    pub(super) detail: String,
}

impl Summary {
    pub(super) fn of(file: &str, import: &Import) -> Self {
        let character = &import.character;
        let meshes: Vec<MeshSummary> = character.meshes().iter().map(|m| mesh(m)).collect();
        let shown = |f: fn(&MeshSummary) -> usize| {
            character.visible_instances().map(|i| f(&meshes[character.instances()[i].mesh])).sum()
        };
        let followers = followers(character);
        let mut frame = Frame::new(character);
        // A frame that was made for this character deforms.
        let deformed = frame.deform(Method::Linear).is_ok();
        let bounds = Some(frame.bounds()).filter(|b| deformed && !b.is_empty());
        Self {
            file: file.into(),
            name: character.name().into(),
            vertices: shown(|m| m.vertices),
            triangles: shown(|m| m.triangles),
            bounds: bounds.map(|b| [b.min, b.max].map(|v| v.to_array())),
            joints: joints(import, &frame, &followers),
            skins: skins(character, &followers),
            instances: instances(character),
            materials: character.materials().iter().map(material).collect(),
            images: character.images().iter().map(image).collect(),
            clips: character.clips().iter().map(|c| clip(c)).collect(),
            helpers: character.helpers().iter().map(helper).collect(),
            scenes: character.scenes().iter().map(|s| s.name.clone()).collect(),
            report: import.report.findings().iter().map(finding).collect(),
            meshes,
        }
    }
}

/// How often a second a clip is looked at for its box.
const SAMPLES_PER_SEC: f32 = 60.0;
/// The most moments at which a clip's deformed vertices are looked at.
const MOST_MOMENTS: f32 = 300.0;

impl Summary {
    /// Adds the box of every clip.
    pub(super) fn add_clip_bounds(&mut self, character: &Character) -> Result<(), Failure> {
        let fail = |e: &dyn std::fmt::Display| Failure::Draw(e.to_string());
        let mut boxes = CharacterBounds::new(character).map_err(|e| fail(&e))?;
        for (clip, summary) in character.clips().iter().zip(&mut self.clips) {
            let safe = boxes.of_clip(character, clip, Method::Linear, SAMPLES_PER_SEC);
            let safe = safe.map_err(|e| fail(&e))?.bounds;
            let steps = (clip.duration_secs() * SAMPLES_PER_SEC).clamp(1.0, MOST_MOMENTS) as usize;
            let seen = exact_clip_bounds(character, clip, Method::Linear, steps).map_err(|e| fail(&e))?;
            let ratio = Tightness::of(&safe, &seen);
            let [min, max] = [safe.min, safe.max].map(|v| v.to_array());
            let (diagonal_ratio, volume_ratio) = (ratio.diagonal, ratio.volume);
            summary.bounds = Some(BoundsSummary { min, max, diagonal_ratio, volume_ratio });
        }
        Ok(())
    }
}

/// How many vertices follow each joint.
fn followers(character: &Character) -> Vec<usize> {
    let mut counts = vec![0; character.skeleton().len()];
    for instance in character.instances() {
        let Some(skin) = character.skin_of(instance) else { continue };
        let Some(weights) = character.mesh_of(instance).weights() else { continue };
        for vertex in 0..weights.vertex_count() {
            weights.of(vertex).0.iter().for_each(|&s| counts[skin.joints()[usize::from(s)].index()] += 1);
        }
    }
    counts
}

fn joints(import: &Import, frame: &Frame, followers: &[usize]) -> Vec<JointSummary> {
    let character = &import.character;
    let skeleton = character.skeleton();
    let one = |joint| JointSummary {
        name: skeleton.name(joint).into(),
        parent: skeleton.parent(joint).map(JointId::index),
        children: Vec::new(),
        node: import.node_of_joint[joint.index()],
        position: Vec3::from(frame.model().joint(joint).translation).to_array(),
        weighted_vertices: followers[joint.index()],
        skins: (0..character.skins().len())
            .filter(|&s| character.skins()[s].slot_of(joint).is_some())
            .collect(),
        mesh: character.instances().iter().find(|i| i.joint == joint).map(|i| i.mesh),
        visible: character.is_visible(joint),
    };
    let mut joints: Vec<JointSummary> = skeleton.joints().map(one).collect();
    for joint in 0..joints.len() {
        if let Some(parent) = joints[joint].parent {
            joints[parent].children.push(joint);
        }
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
    MeshSummary {
        name: mesh.name().into(),
        vertices: mesh.vertex_count(),
        points: mesh.points().len(),
        triangles: mesh.triangles().count(),
        primitives: mesh.primitives().len(),
        streams,
        morph_targets: mesh.morphs().targets().iter().map(|t| t.name.clone()).collect(),
        influences: mesh.weights().map(|w| w.histogram()).unwrap_or_default(),
    }
}

fn helper(helper: &HelperJoint) -> HelperSummary {
    HelperSummary {
        name: helper.name.clone(),
        kind: match helper.kind {
            HelperKind::Twist { .. } => "twist",
            HelperKind::Drive(_) => "drive",
        },
        on: helper.is_enabled,
        source: helper.source().map(JointId::index),
        moved: helper.moved().into_iter().map(JointId::index).collect(),
    }
}

fn skins(character: &Character, followers: &[usize]) -> Vec<SkinSummary> {
    let one = |skin: &std::sync::Arc<sinew::Skin>| SkinSummary {
        name: skin.name().into(),
        joints: skin.joints().iter().map(|j| j.index()).collect(),
        root: skin.root().map(JointId::index),
        unused_joints: skin.joints().iter().filter(|j| followers[j.index()] == 0).count(),
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
    ImageSummary { name: image.name.clone(), mime_type: image.mime_type.clone(), bytes: image.bytes.len() }
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
        keys: c.key_count(),
        first_secs: c.times_secs().first().copied().unwrap_or_default(),
        last_secs: c.times_secs().last().copied().unwrap_or_default(),
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
        keys: clip.channels().iter().map(sinew::Channel::key_count).sum(),
        events: clip.events().iter().map(event).collect(),
        kind: match clip.kind() {
            sinew::ClipKind::Absolute => "absolute",
            sinew::ClipKind::Additive => "additive",
        },
        metas: clip.metas().iter().map(meta).collect(),
        bounds: None,
    }
}

fn meta(meta: &sinew::MetaChannel) -> MetaSummary {
    let (holds, keys) = match &meta.curve {
        MetaCurve::Scalar(curve) => ("scalar", curve.key_count()),
        MetaCurve::Vector(curve) => ("vector", curve.key_count()),
        MetaCurve::Rotation(curve) => ("rotation", curve.key_count()),
    };
    MetaSummary { name: meta.name.clone(), holds, keys }
}

fn finding(finding: &sinew_formats::Finding) -> FindingSummary {
    FindingSummary {
        kind: sinew_formats::ImportReport::label(finding.code),
        code: finding.code.as_str(),
        place: finding.place.text.clone(),
        detail: finding.message.clone(),
    }
}
