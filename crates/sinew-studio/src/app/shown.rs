//! The document as a scene, kept as long as nothing of it changes.

use crate::{
    document::{Document, Evaluation},
    session::Session,
};
use sinew::{Character, DeformError, LocalPose, Method};
use sinew_view::{
    camera::{Camera, Lens, Orbit},
    geometry::GeometryError,
    palette::Ramp,
    scene::Scene,
    stage::{BoneLook, Field, SkinLook, Stage, StageOptions, Textures},
    texture::TextureLimits,
    theme::Theme,
};
use std::sync::Arc;
use thiserror::Error;

/// Why the document cannot be shown.
#[derive(Debug, Error)]
pub(super) enum ShowError {
    #[error(transparent)]
    Deform(#[from] DeformError),
    #[error(transparent)]
    Geometry(#[from] GeometryError),
}

/// What the skin shows, as far as a person chooses it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Look {
    #[default]
    Material,
    Clay,
    Heat,
    Influences,
    Counts,
    JointColors,
    Normals,
    Hidden,
}

impl Look {
    pub(super) const ALL: [Self; 8] = [
        Self::Material,
        Self::Clay,
        Self::Heat,
        Self::Influences,
        Self::Counts,
        Self::JointColors,
        Self::Normals,
        Self::Hidden,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::Clay => "clay",
            Self::Heat => "heat of joint",
            Self::Influences => "influences",
            Self::Counts => "influence count",
            Self::JointColors => "joint colours",
            Self::Normals => "normals",
            Self::Hidden => "no skin",
        }
    }
}

/// Everything that decides how the scene looks beside the document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LookOptions {
    pub(super) look: Look,
    pub(super) opacity: f32,
    pub(super) wire: bool,
    pub(super) bones: bool,
    pub(super) axes: bool,
    pub(super) normals: bool,
    pub(super) ground: bool,
    pub(super) theme: Theme,
    /// A second view beside the first, deformed by this.
    pub(super) compared: Option<Method>,
}

impl Default for LookOptions {
    fn default() -> Self {
        Self {
            look: Look::Material,
            opacity: 1.0,
            wire: false,
            bones: true,
            axes: false,
            normals: false,
            ground: true,
            theme: Theme::Dark,
            compared: None,
        }
    }
}

/// A pose that is shown in place of the document's, while something plays.
pub(super) struct Preview<'a> {
    pub(super) pose: &'a LocalPose,
    /// Another one for another pose.
    pub(super) number: u64,
}

/// The scene and what it was made from.
pub(super) struct Shown {
    evaluation: Evaluation,
    textures: Arc<Textures>,
    stage: Stage,
    scene: Arc<Scene>,
    made_of: Option<MadeOf>,
    method: Method,
}

#[derive(PartialEq)]
struct MadeOf {
    revision: u64,
    preview: Option<u64>,
    camera: Camera,
    options: LookOptions,
    method: Method,
}

impl Shown {
    pub(super) fn new(session: &Session) -> Self {
        let evaluation = session.evaluation();
        let textures = Arc::new(Textures::decode(evaluation.character(), TextureLimits::default()));
        let stage = Stage::new(evaluation.character(), &textures, StageOptions::default());
        let scene = Arc::new(Scene::new(Camera::default()));
        Self { evaluation, textures, stage, scene, made_of: None, method: Method::default() }
    }

    /// Brings the scene up to the session, deformed by `method`; nothing is done where nothing changed.
    pub(super) fn follow(
        &mut self,
        session: &Session,
        (method, preview): (Method, Option<Preview<'_>>),
        camera: Camera,
        options: LookOptions,
    ) -> Result<(), ShowError> {
        let number = preview.as_ref().map(|p| p.number);
        let wanted = MadeOf { revision: session.revision(), preview: number, camera, options, method };
        if self.made_of.as_ref() == Some(&wanted) {
            return Ok(());
        }
        let document = session.document();
        let is_posed = self
            .made_of
            .as_ref()
            .is_some_and(|m| (m.revision, m.preview, m.method) == (wanted.revision, number, method));
        let other = !Arc::ptr_eq(self.evaluation.character(), document.character());
        if other && !has_same_images(self.character(), document.character()) {
            self.textures = Arc::new(Textures::decode(document.character(), TextureLimits::default()));
        }
        if !is_posed {
            self.method = self.evaluation.follow_by(method, document, preview.map(|p| p.pose))?;
        }
        let stage_options = stage_options(session, options);
        if other || *self.stage.options() != stage_options {
            self.stage = Stage::new(document.character(), &self.textures, stage_options);
        }
        self.scene = Arc::new(self.stage.scene(document.character(), self.evaluation.frame(), camera)?);
        self.made_of = Some(wanted);
        Ok(())
    }

    pub(super) fn scene(&self) -> &Arc<Scene> {
        &self.scene
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

    /// A camera around all that is shown.
    pub(super) fn framing(&self, orbit: Orbit, aspect: f32) -> Camera {
        let lens = Lens { aspect, margin: 0.12, ..Lens::default() };
        self.stage.camera(self.character(), self.evaluation.frame(), orbit, lens)
    }

    /// How far the vertices of two views of one character are apart, at most.
    pub(super) fn distance_from(&self, other: &Self) -> f32 {
        let streams = self.evaluation.frame().deformed().iter().zip(other.evaluation.frame().deformed());
        let pairs = streams.flat_map(|(one, other)| one.positions.iter().zip(&other.positions));
        pairs.map(|(one, other)| one.distance(*other)).fold(0.0, f32::max)
    }

    fn character(&self) -> &Character {
        self.evaluation.character()
    }
}

/// True where all pictures are shared, as they are after an edit of weights or clips.
fn has_same_images(one: &Character, other: &Character) -> bool {
    let pairs = || one.images().iter().zip(other.images());
    one.images().len() == other.images().len() && pairs().all(|(a, b)| Arc::ptr_eq(&a.bytes, &b.bytes))
}

/// How many joints move each vertex, from one to eight.
fn influence_counts(document: &Document) -> Field {
    let character = document.character();
    let values = (0..character.instances().len()).map(|instance| match document.weights(instance) {
        Some(weights) => (0..weights.vertex_count()).map(|v| weights.of(v).0.len() as f32).collect(),
        None => vec![0.0; character.mesh_of(&character.instances()[instance]).vertex_count()].into(),
    });
    Field { values: values.collect(), low: 1.0, high: 8.0, ramp: Ramp::Heat }
}

fn stage_options(session: &Session, options: LookOptions) -> StageOptions {
    let selected = session.document().selection().joint;
    let skin = match options.look {
        Look::Material => SkinLook::Material,
        Look::Clay => SkinLook::Clay,
        Look::Heat => selected.map_or(SkinLook::Clay, SkinLook::Heat),
        Look::Influences => SkinLook::Influences,
        Look::Counts => SkinLook::Field(influence_counts(session.document())),
        Look::JointColors => SkinLook::JointColors,
        Look::Normals => SkinLook::Normals,
        Look::Hidden => SkinLook::Hidden,
    };
    StageOptions {
        skin,
        skin_opacity: options.opacity,
        wire: options.wire,
        contours: true,
        normals: options.normals,
        bones: match (options.bones, options.look) {
            (false, _) => BoneLook::Hidden,
            (true, Look::Influences | Look::JointColors) => BoneLook::ByJoint,
            (true, _) => BoneLook::Plain,
        },
        axes: options.axes,
        selected,
        ground: options.ground,
        theme: options.theme,
    }
}
