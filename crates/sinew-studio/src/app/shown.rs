//! The document as a scene, kept as long as nothing of it changes.

use super::{
    canvas::CardWork,
    look::{Compared, LookOptions, ViewportLook},
    maps::{Maps, legend},
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

/// Why the document cannot be shown.
#[derive(Debug, Error)]
pub(super) enum ShowError {
    #[error(transparent)]
    Deform(#[from] DeformError),
    #[error(transparent)]
    Geometry(#[from] GeometryError),
}

/// A pose that is shown in place of the document's, while something plays.
pub(super) struct Preview<'a> {
    pub(super) pose: &'a LocalPose,
    /// Another one for another pose.
    pub(super) number: u64,
}

/// What is to be shown of a session.
pub(super) struct WantedView<'a> {
    pub(super) session: &'a Session,
    /// Other weights than the document's, on the same skeleton.
    pub(super) character: Option<&'a Arc<Character>>,
    pub(super) method: Method,
    pub(super) preview: Option<Preview<'a>>,
    pub(super) camera: Camera,
    pub(super) options: LookOptions,
    /// True where the card may deform and nothing needs the vertices here.
    pub(super) on_card: bool,
    /// True where less is drawn, for more frames a second.
    pub(super) is_brief: bool,
}

/// What the last pose took, in milliseconds of the processor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Cost {
    /// Joints, palettes and, unless the card does it, vertices.
    pub(super) deform_ms: f64,
    /// Layers and maps for drawing.
    pub(super) scene_ms: f64,
}

/// The scene and what it was made from.
pub(super) struct ShownScene {
    evaluation: Evaluation,
    textures: Arc<StageTextures>,
    stage: Stage,
    scene: Arc<Scene>,
    maps: Maps,
    posed: Option<PosedCharacter>,
    painted: Option<Painted>,
    made_of: Option<(PosedCharacter, Painted, Camera, LookOptions, bool)>,
    method: Method,
    card: Option<Arc<CardWork>>,
    cost: Cost,
}

/// What decides where vertices are.
#[derive(Clone, Copy, PartialEq)]
struct PosedCharacter {
    revision: u64,
    preview: Option<u64>,
    is_other_character: bool,
    compared: Option<Compared>,
    method: Method,
    on_card: bool,
}

/// What decides the colours of the skin.
#[derive(Clone, Copy, PartialEq)]
struct Painted {
    look: ViewportLook,
    joint: Option<JointId>,
    opacity: f32,
    pose: Option<PosedCharacter>,
    /// The pose that a difference is measured from.
    other: Option<PosedCharacter>,
}

impl ShownScene {
    pub(super) fn new(session: &Session) -> Self {
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
            painted: None,
            made_of: None,
            method: Method::default(),
            card: None,
            cost: Cost::default(),
        }
    }

    /// Brings joints and vertices up to what is wanted; nothing is done where nothing changed.
    pub(super) fn pose(&mut self, wanted: &WantedView<'_>) -> Result<(), ShowError> {
        let posed = PosedCharacter {
            revision: wanted.session.revision(),
            preview: wanted.preview.as_ref().map(|p| p.number),
            is_other_character: wanted.character.is_some(),
            compared: wanted.options.compared,
            method: wanted.method,
            on_card: wanted.on_card,
        };
        if self.posed == Some(posed) {
            return Ok(());
        }
        let document = wanted.session.document();
        let character = wanted.character.unwrap_or(document.character());
        self.take_character(character, stage_options(document, wanted.options));
        let started = Instant::now();
        let pose = wanted.preview.as_ref().map_or(document.pose(), |p| p.pose);
        let pose = fitted(pose, document.character(), character);
        self.method = if wanted.on_card {
            self.evaluation.pose_only(wanted.method, character, &pose)?
        } else {
            self.evaluation.follow_character(wanted.method, character, &pose)?
        };
        self.cost.deform_ms = started.elapsed().as_secs_f64() * 1e3;
        self.posed = Some(posed);
        Ok(())
    }

    /// Makes everything anew that belongs to another character.
    fn take_character(&mut self, character: &Arc<Character>, options: StageOptions) {
        if Arc::ptr_eq(self.evaluation.character(), character) {
            return;
        }
        (self.painted, self.made_of) = (None, None);
        if self.character().shares_rig(character) && has_same_images(self.character(), character) {
            return;
        }
        if !has_same_images(self.character(), character) {
            self.textures = Arc::new(StageTextures::decode(character, TextureLimits::default()));
        }
        self.stage = Stage::new(character, &self.textures, StageOptions { skin: SkinLook::Clay, ..options });
    }

    /// Brings the scene up to what was posed. `other` is the view that differences are measured from.
    pub(super) fn paint(&mut self, wanted: &WantedView<'_>, other: Option<&Self>) -> Result<(), ShowError> {
        let Some(posed) = self.posed else { return Ok(()) };
        let (options, document) = (wanted.options, wanted.session.document());
        let look = options.look;
        let painted = Painted {
            look,
            joint: document.selection().joint.filter(|_| look == ViewportLook::Heat),
            opacity: options.opacity,
            pose: look.follows_pose().then_some(posed),
            other: other.and_then(|o| o.posed).filter(|_| look == ViewportLook::Difference),
        };
        let made_of = (posed, painted, wanted.camera, options, wanted.is_brief);
        if self.made_of == Some(made_of) {
            return Ok(());
        }
        let started = Instant::now();
        let character = Arc::clone(self.evaluation.character());
        let frames = (self.evaluation.frame(), other.map(|o| o.evaluation.frame()));
        let had = self.stage.options();
        let plain = stage_options(document, options);
        let is_repainted = self.painted != Some(painted);
        if is_repainted || *had != (StageOptions { skin: had.skin.clone(), ..plain.clone() }) {
            let skin = if is_repainted {
                self.maps.skin(look, painted.joint, &character, frames)?
            } else {
                had.skin.clone()
            };
            self.stage.set_options(&character, &self.textures, StageOptions { skin, ..plain });
            self.painted = Some(painted);
        }
        let mut scene = self.stage.scene(self.evaluation.frame(), wanted.camera)?;
        if wanted.is_brief {
            abridge(&mut scene);
        }
        self.scene = Arc::new(scene);
        self.card = posed.on_card.then(|| Arc::new(self.card_work()));
        self.cost.scene_ms = started.elapsed().as_secs_f64() * 1e3;
        self.made_of = Some(made_of);
        Ok(())
    }

    /// Layers of the scene whose vertices the card moves, with the pose that it needs.
    fn card_work(&self) -> CardWork {
        let layers = (0..self.scene.layers.len()).filter_map(|layer| {
            let (instance, first_vertex) = self.stage.source_of(layer)?;
            Some((layer, instance, first_vertex))
        });
        CardWork {
            character: Arc::clone(self.evaluation.character()),
            method: self.method,
            pose: CharacterPose::of(self.evaluation.frame()),
            layers: layers.collect(),
        }
    }

    pub(super) fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    /// What the card has to do before the scene is drawn; `None` where the scene has all vertices.
    pub(super) fn card(&self) -> Option<&Arc<CardWork>> {
        self.card.as_ref()
    }

    pub(super) fn stage(&self) -> &Stage {
        &self.stage
    }

    pub(super) fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// The method that was used: linear blend where the chosen one lacks its data.
    pub(super) fn method(&self) -> Method {
        self.method
    }

    pub(super) fn cost(&self) -> Cost {
        self.cost
    }

    /// What the colours of the skin mean.
    pub(super) fn legend(&self, document: &Document) -> Option<Legend> {
        let joint = document.selection().joint.map(|joint| document.character().skeleton().name(joint));
        legend(self.painted?.look, &self.stage.options().skin, joint)
    }

    /// A camera around all that is shown.
    pub(super) fn framing(&self, orbit: Orbit, aspect: f32) -> Camera {
        let lens = CameraLens { aspect, margin: 0.12, ..CameraLens::default() };
        self.stage.camera(self.evaluation.frame(), orbit, lens)
    }

    /// How far the vertices of two views of one character are apart, at most.
    pub(super) fn distance_from(&self, other: &Self) -> f32 {
        let distances = sinew::measure::distances(self.evaluation.frame(), other.evaluation.frame());
        distances.into_iter().flatten().fold(0.0, f32::max)
    }

    fn character(&self) -> &Character {
        self.evaluation.character()
    }
}

/// A pose of character `of` for `other`, which may have been without the joints at its end.
fn fitted<'a>(pose: &'a LocalPose, of: &Character, other: &Character) -> Cow<'a, LocalPose> {
    let (skeleton, fewer) = (of.skeleton(), other.skeleton());
    let has_fewer = fewer.len() < skeleton.len() && skeleton.len() == pose.joints.len();
    if !has_fewer || fewer.joints().any(|joint| fewer.name(joint) != skeleton.name(joint)) {
        return Cow::Borrowed(pose);
    }
    Cow::Owned(LocalPose { joints: pose.joints[..fewer.len()].to_vec(), morphs: pose.morphs.clone() })
}

/// Leaves out what takes long to draw and is missed least.
fn abridge(scene: &mut Scene) {
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

/// True where all pictures are shared, as they are after an edit of weights or clips.
fn has_same_images(one: &Character, other: &Character) -> bool {
    let pairs = || one.images().iter().zip(other.images());
    one.images().len() == other.images().len() && pairs().all(|(a, b)| Arc::ptr_eq(&a.bytes, &b.bytes))
}

/// All but what the skin shows.
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
        selected: document.selection().joint,
        ground: options.ground,
        theme: options.theme,
    }
}
