//! The scene of a document, rebuilt only where something changed.

use super::{
    canvas::{DeformedLayer, GpuDeformation},
    look::{Compared, LookOptions, ViewportLook},
    maps::{MapFrames, Maps, legend},
};
use crate::{
    document::{Document, Evaluation},
    session::Session,
};
use sinew::{Character, DeformError, JointId, LocalPose, Method};
use sinew_gpu::deform::CharacterPose;
use sinew_view::{
    camera::{Camera, CameraLens, Orbit},
    geometry::GeometryError,
    layer::SceneLayer,
    legend::Legend,
    scene::Scene,
    stage::{BoneLook, SkinLook, Stage, StageOptions, StageTextures},
    texture::TextureLimits,
};
use std::{borrow::Cow, sync::Arc};
use thiserror::Error;
use web_time::Instant;

/// Why a document cannot be drawn.
#[derive(Debug, Error)]
pub(in crate::app) enum SceneError {
    #[error(transparent)]
    Deform(#[from] DeformError),
    #[error(transparent)]
    Geometry(#[from] GeometryError),
}

/// The pose of playback, shown in place of the document's.
pub(in crate::app) struct Preview<'a> {
    pub(in crate::app) pose: &'a LocalPose,
    /// A number that changes with the pose.
    pub(in crate::app) number: u64,
}

/// What a scene shows of a session.
pub(in crate::app) struct SceneRequest<'a> {
    pub(in crate::app) session: &'a Session,
    /// A character to show in place of the document's.
    pub(in crate::app) character: Option<&'a Arc<Character>>,
    pub(in crate::app) method: Method,
    pub(in crate::app) preview: Option<Preview<'a>>,
    pub(in crate::app) camera: Camera,
    pub(in crate::app) options: LookOptions,
    /// True if the GPU deforms and nothing on the CPU reads the vertices.
    pub(in crate::app) on_gpu: bool,
    /// True to draw less, for a higher frame rate.
    pub(in crate::app) is_reduced: bool,
}

/// CPU time of the last update.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::app) struct Cost {
    /// Joints, palettes and, unless the GPU deforms, vertices.
    pub(in crate::app) deform_ms: f64,
    /// Layers and maps of the scene.
    pub(in crate::app) scene_ms: f64,
}

/// A scene with the state it was built from.
pub(in crate::app) struct ViewportScene {
    evaluation: Evaluation,
    textures: Arc<StageTextures>,
    stage: Stage,
    scene: Arc<Scene>,
    maps: Maps,
    posed: Option<PosedCharacter>,
    colors: Option<SkinColors>,
    built_from: Option<SceneState>,
    method: Method,
    gpu_deformation: Option<Arc<GpuDeformation>>,
    cost: Cost,
}

/// Everything that determines vertex positions.
#[derive(Clone, Copy, PartialEq)]
struct PosedCharacter {
    revision: u64,
    preview: Option<u64>,
    is_other_character: bool,
    compared: Option<Compared>,
    method: Method,
    on_gpu: bool,
}

/// Everything that determines a scene.
#[derive(Clone, Copy, PartialEq)]
struct SceneState {
    pose: PosedCharacter,
    colors: SkinColors,
    camera: Camera,
    options: LookOptions,
    is_reduced: bool,
}

/// Everything that determines the colors of the skin.
#[derive(Clone, Copy, PartialEq)]
struct SkinColors {
    look: ViewportLook,
    joint: Option<JointId>,
    opacity: f32,
    pose: Option<PosedCharacter>,
    /// The pose of the other scene, for a difference map.
    other: Option<PosedCharacter>,
}

impl ViewportScene {
    pub(in crate::app) fn new(session: &Session) -> Self {
        let evaluation = session.evaluation();
        let textures = Arc::new(StageTextures::decode(evaluation.character(), TextureLimits::default()));
        let stage = Stage::new(evaluation.character(), &textures, StageOptions::default());
        let scene = Arc::new(Scene::new(Camera::default()));
        Self {
            evaluation,
            textures,
            stage,
            scene,
            maps: Maps::default(),
            posed: None,
            colors: None,
            built_from: None,
            method: Method::default(),
            gpu_deformation: None,
            cost: Cost::default(),
        }
    }

    /// Updates joints and vertices, if something changed.
    pub(in crate::app) fn pose(&mut self, request: &SceneRequest<'_>) -> Result<(), SceneError> {
        let posed = PosedCharacter {
            revision: request.session.revision(),
            preview: request.preview.as_ref().map(|p| p.number),
            is_other_character: request.character.is_some(),
            compared: request.options.compared,
            method: request.method,
            on_gpu: request.on_gpu,
        };
        if self.posed == Some(posed) {
            return Ok(());
        }
        let document = request.session.document();
        let character = request.character.unwrap_or(document.character());
        self.set_character(character, stage_options(document, request.options));
        let started = Instant::now();
        let pose = request.preview.as_ref().map_or(document.pose(), |p| p.pose);
        let pose = fitted(pose, document.character(), character);
        self.method = if request.on_gpu {
            self.evaluation.pose_only(request.method, character, &pose)?
        } else {
            self.evaluation.follow_character(request.method, character, &pose)?
        };
        self.cost.deform_ms = started.elapsed().as_secs_f64() * 1e3;
        self.posed = Some(posed);
        Ok(())
    }

    /// Rebuilds everything that depends on the character, if it is another one.
    fn set_character(&mut self, character: &Arc<Character>, options: StageOptions) {
        if Arc::ptr_eq(self.evaluation.character(), character) {
            return;
        }
        (self.colors, self.built_from) = (None, None);
        if self.character().shares_rig(character) && has_same_images(self.character(), character) {
            return;
        }
        if !has_same_images(self.character(), character) {
            self.textures = Arc::new(StageTextures::decode(character, TextureLimits::default()));
        }
        self.stage = Stage::new(character, &self.textures, StageOptions { skin: SkinLook::Clay, ..options });
    }

    /// Rebuilds the scene for the current pose, if something changed. `other` is the scene that a difference map compares to.
    pub(in crate::app) fn paint(
        &mut self,
        request: &SceneRequest<'_>,
        other: Option<&Self>,
    ) -> Result<(), SceneError> {
        let Some(posed) = self.posed else { return Ok(()) };
        let (options, document) = (request.options, request.session.document());
        let look = options.look;
        let colors = SkinColors {
            look,
            joint: document.selection().joint.filter(|_| look == ViewportLook::Heat),
            opacity: options.opacity,
            pose: look.follows_pose().then_some(posed),
            other: other.and_then(|o| o.posed).filter(|_| look == ViewportLook::Difference),
        };
        let state = SceneState {
            pose: posed,
            colors,
            camera: request.camera,
            options,
            is_reduced: request.is_reduced,
        };
        if self.built_from == Some(state) {
            return Ok(());
        }
        let started = Instant::now();
        let character = Arc::clone(self.evaluation.character());
        let frames = MapFrames { frame: self.evaluation.frame(), other: other.map(|o| o.evaluation.frame()) };
        let had = self.stage.options();
        let plain = stage_options(document, options);
        let is_repainted = self.colors != Some(colors);
        if is_repainted || *had != (StageOptions { skin: had.skin.clone(), ..plain.clone() }) {
            let skin = if is_repainted {
                self.maps.skin(look, colors.joint, &character, frames)?
            } else {
                had.skin.clone()
            };
            self.stage.set_options(&character, &self.textures, StageOptions { skin, ..plain });
            self.colors = Some(colors);
        }
        let mut scene = self.stage.scene(self.evaluation.frame(), request.camera)?;
        if request.is_reduced {
            reduce(&mut scene);
        }
        self.scene = Arc::new(scene);
        self.gpu_deformation = posed.on_gpu.then(|| Arc::new(self.deformation()));
        self.cost.scene_ms = started.elapsed().as_secs_f64() * 1e3;
        self.built_from = Some(state);
        Ok(())
    }

    /// The layers that the GPU deforms, with the pose.
    fn deformation(&self) -> GpuDeformation {
        let layers = (0..self.scene.layers.len()).filter_map(|layer| {
            let (instance, first_vertex) = self.stage.source_of(layer)?;
            Some(DeformedLayer { layer, instance, first_vertex })
        });
        GpuDeformation {
            character: Arc::clone(self.evaluation.character()),
            method: self.method,
            pose: CharacterPose::of(self.evaluation.frame()),
            layers: layers.collect(),
        }
    }

    pub(in crate::app) fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    /// The deformation that the GPU computes before drawing; `None` if the scene has deformed vertices.
    pub(in crate::app) fn gpu_deformation(&self) -> Option<&Arc<GpuDeformation>> {
        self.gpu_deformation.as_ref()
    }

    pub(in crate::app) fn stage(&self) -> &Stage {
        &self.stage
    }

    pub(in crate::app) fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// The method that ran: linear blend skinning if the chosen one lacks precomputed data.
    pub(in crate::app) fn method(&self) -> Method {
        self.method
    }

    pub(in crate::app) fn cost(&self) -> Cost {
        self.cost
    }

    /// The legend of the skin's colors.
    pub(in crate::app) fn legend(&self, document: &Document) -> Option<Legend> {
        let joint = document.selection().joint.map(|joint| document.character().skeleton().name(joint));
        legend(self.colors?.look, &self.stage.options().skin, joint)
    }

    /// A camera that frames the character.
    pub(in crate::app) fn framing(&self, orbit: Orbit, aspect: f32) -> Camera {
        let lens = CameraLens { aspect, margin: 0.12, ..CameraLens::default() };
        self.stage.camera(self.evaluation.frame(), orbit, lens)
    }

    /// The largest distance between corresponding vertices of two scenes, in meters.
    pub(in crate::app) fn distance_from(&self, other: &Self) -> f32 {
        let distances = sinew::measure::distances(self.evaluation.frame(), other.evaluation.frame());
        distances.into_iter().flatten().fold(0.0, f32::max)
    }

    fn character(&self) -> &Character {
        self.evaluation.character()
    }
}

/// A pose of character `of` for `other`, which may lack the last joints of `of`.
fn fitted<'a>(pose: &'a LocalPose, of: &Character, other: &Character) -> Cow<'a, LocalPose> {
    let (skeleton, fewer) = (of.skeleton(), other.skeleton());
    let has_fewer = fewer.len() < skeleton.len() && skeleton.len() == pose.joints.len();
    if !has_fewer || fewer.joints().any(|joint| fewer.name(joint) != skeleton.name(joint)) {
        return Cow::Borrowed(pose);
    }
    Cow::Owned(LocalPose { joints: pose.joints[..fewer.len()].to_vec(), morphs: pose.morphs.clone() })
}

/// Removes shadows and outlines, which are expensive and least missed.
fn reduce(scene: &mut Scene) {
    scene.lights.shadow = 0.0;
    if let Some(ground) = &mut scene.ground {
        ground.shadow = None;
    }
    for layer in &mut scene.layers {
        if let SceneLayer::Mesh(mesh) = layer {
            mesh.outline = None;
        }
    }
}

/// True if both characters share all images, as after an edit of weights or clips.
fn has_same_images(one: &Character, other: &Character) -> bool {
    let pairs = || one.images().iter().zip(other.images());
    one.images().len() == other.images().len() && pairs().all(|(a, b)| Arc::ptr_eq(&a.bytes, &b.bytes))
}

/// The stage options apart from the colors of the skin.
fn stage_options(document: &Document, options: LookOptions) -> StageOptions {
    StageOptions {
        skin: SkinLook::Clay,
        skin_opacity: options.opacity,
        wire: options.wire,
        contours: true,
        normals: options.normals,
        bones: match (options.bones, options.look) {
            (false, _) => BoneLook::Hidden,
            (true, ViewportLook::Influences | ViewportLook::JointColors) => BoneLook::ByJoint,
            (true, _) => BoneLook::Plain,
        },
        axes: options.axes,
        bounds: options.bounds,
        bone_boxes: options.bone_boxes,
        selected: document.selection().joint,
        ground: options.ground,
        theme: options.theme,
    }
}
