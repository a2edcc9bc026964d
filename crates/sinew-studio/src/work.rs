//! Work that may take seconds: done on a copy of the document, so that the window goes on meanwhile.
//!
//! Work changes nothing. What it found is shown, or becomes a [`Command`] that carries the result and takes no time.

mod job;

pub use job::{BackgroundJob, outcome};

use crate::{
    command::{Command, CommandError, EditedMesh, WeightsData},
    document::{Document, DocumentOpenError, DocumentSource},
};
use serde::{Deserialize, Serialize};
use sinew::{Character, Mesh, Skin, Weights};
use sinew_author::{
    AuthorError,
    check::{CheckOptions, Finding, check, effect_of_change},
    weights::{
        BoneSet, Effect, PoseOptions,
        auto::{AutoMethod, AutoOptions, auto_weights},
        diff::changed_vertices,
        ops::{self, CopyBy, SkinAndSkeleton, SlotMap, TransferOptions},
    },
};
use std::{ops::ControlFlow, sync::Arc};
use thiserror::Error;

/// Something that takes a while.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkRequest {
    /// Weights from nothing but a mesh and its bones, for the selected vertices or all.
    Auto {
        /// The instance.
        instance: usize,
        /// How weights are found.
        method: AutoMethod,
        /// The most influences of a vertex.
        most: usize,
    },
    /// Weights from another mesh, for the selected vertices or all.
    Transfer {
        /// The instance that gets them.
        instance: usize,
        /// Where they come from.
        from: TransferSource,
        /// How a vertex finds the place whose weights it takes.
        by: TransferBy,
    },
    /// What is wrong with the character.
    Check(CheckOptions),
    /// What an operation did to the skin.
    Measure {
        /// What the operation is called.
        name: String,
        /// The character before it.
        before: Arc<Character>,
    },
}

/// A mesh that gives its weights.
#[derive(Clone, Debug, PartialEq)]
pub enum TransferSource {
    /// The same mesh as it was opened.
    Opened,
    /// Another instance of the open character.
    Instance(usize),
    /// The first skinned mesh of another character.
    Source(DocumentSource),
}

/// How a vertex finds the place whose weights it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TransferBy {
    /// The nearest place of the surface that faces the same way; gaps are filled in.
    #[default]
    Surface,
    /// The vertex of the same number.
    Order,
    /// The nearest vertex within a centimetre.
    Position,
    /// The vertex nearest in texture space.
    Uv,
}

impl TransferBy {
    /// Every way.
    pub const ALL: [Self; 4] = [Self::Surface, Self::Order, Self::Position, Self::Uv];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Surface => "nearest surface",
            Self::Order => "vertex number",
            Self::Position => "position",
            Self::Uv => "texture place",
        }
    }
}

/// What came of work.
#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    /// A change to make.
    Command(Box<Command>),
    /// What is wrong.
    Findings(Vec<Finding>),
    /// How far an operation moved vertices, and how many weights it changed.
    Effect {
        /// What the operation is called.
        name: String,
        /// Vertices whose weights are not what they were.
        changed: usize,
        /// How far they moved.
        effect: Box<Effect>,
    },
}

/// Why work came to nothing.
#[derive(Debug, Error)]
pub enum WorkError {
    /// There is nothing to work on.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// It was stopped, or an option is wrong.
    #[error(transparent)]
    Author(#[from] AuthorError),
    /// Weights cannot be taken over.
    #[error(transparent)]
    Weight(#[from] sinew_author::weights::WeightError),
    /// The other character cannot be opened.
    #[error(transparent)]
    Open(#[from] DocumentOpenError),
    /// A bug: the thread ended without a word.
    #[error("{0} ended without a result")]
    Died(String),
    /// What a worker elsewhere says.
    #[error("{0}")]
    Told(String),
    /// The giver has no weights to give.
    #[error("{0} has no skinned mesh")]
    NoGiver(String),
}

impl WorkRequest {
    /// What the window calls it.
    pub fn name(&self) -> String {
        match self {
            Self::Auto { method, .. } => format!("Automatic weights ({method})"),
            Self::Transfer { by, .. } => format!("Weights by {}", by.name()),
            Self::Check(_) => "Check".into(),
            Self::Measure { name, .. } => name.clone(),
        }
    }

    /// True for what tells how far it is and can be stopped.
    pub const fn can_be_stopped(&self) -> bool {
        matches!(self, Self::Auto { .. })
    }

    /// Does the work on `document`; `progress` hears how far it is, 0 to 1, and may stop it.
    ///
    /// # Errors
    /// Where there is nothing to work on, or it was stopped.
    pub fn run(
        &self,
        document: &Document,
        progress: &mut dyn FnMut(f32) -> ControlFlow<()>,
    ) -> Result<Done, WorkError> {
        match self {
            Self::Auto { instance, method, most } => {
                let options = AutoOptions { method: *method, influences: *most, ..AutoOptions::default() };
                self.auto(document, *instance, &options, progress)
            }
            Self::Transfer { instance, from, by } => self.transfer(document, *instance, from, *by),
            Self::Check(options) => {
                Ok(Done::Findings(check(document.character(), document.report().findings(), options)))
            }
            Self::Measure { name, before } => {
                let changed = changed_vertices(before, document.character());
                let options = measured_poses(changed);
                let effect = Box::new(effect_of_change(before, document.character(), &options));
                Ok(Done::Effect { name: name.clone(), changed, effect })
            }
        }
    }

    fn auto(
        &self,
        document: &Document,
        instance: usize,
        options: &AutoOptions,
        progress: &mut dyn FnMut(f32) -> ControlFlow<()>,
    ) -> Result<Done, WorkError> {
        let subject = EditedMesh::new(document, instance)?;
        let bones = BoneSet::of_skin(document.character().skeleton(), subject.skin);
        let made = auto_weights(subject.mesh, &bones, options, progress)?;
        // Copied onto the mesh itself, so that selection and locks hold.
        let slots = SlotMap::same(subject.skin.joints().len());
        let copied = ops::copy(&subject.edit(document)?, subject.mesh, &made.weights, &slots, CopyBy::Order)?;
        Ok(self.taken(instance, &copied.outcome.weights))
    }

    fn transfer(
        &self,
        document: &Document,
        instance: usize,
        from: &TransferSource,
        by: TransferBy,
    ) -> Result<Done, WorkError> {
        let subject = EditedMesh::new(document, instance)?;
        let opened;
        let (character, place) = match from {
            TransferSource::Opened => (&**document.opened_character(), Some(instance)),
            TransferSource::Instance(other) => (&**document.character(), Some(*other)),
            TransferSource::Source(source) => {
                opened = source.open()?.character;
                (&*opened, None)
            }
        };
        let none = || WorkError::NoGiver(character.name().into());
        let (mesh, skin, weights) = skinned(character, place).ok_or_else(none)?;
        let from = SkinAndSkeleton { skeleton: character.skeleton(), skin };
        let to = SkinAndSkeleton { skeleton: document.character().skeleton(), skin: subject.skin };
        let slots = SlotMap::by_name(from, to);
        let edit = subject.edit(document)?;
        let copy = |by| ops::copy(&edit, mesh, weights, &slots, by).map(|copied| copied.outcome);
        let outcome = match by {
            TransferBy::Surface => {
                ops::transfer(&edit, mesh, weights, &slots, &TransferOptions::default())?.outcome
            }
            TransferBy::Order => copy(CopyBy::Order)?,
            TransferBy::Position => copy(CopyBy::Position { tolerance: 0.01 })?,
            TransferBy::Uv => copy(CopyBy::Uv { set: 0, tolerance: 0.01 })?,
        };
        Ok(self.taken(instance, &outcome.weights))
    }

    fn taken(&self, instance: usize, weights: &Weights) -> Done {
        let weights = WeightsData::from(weights);
        Done::Command(Box::new(Command::TakeWeights { instance, name: self.name(), weights }))
    }
}

/// The mesh, skin and weights of the instance at `place`, or of the first that has them.
fn skinned(character: &Character, place: Option<usize>) -> Option<(&Mesh, &Skin, &Weights)> {
    let places = place.map_or(0..character.instances().len(), |place| place..place + 1);
    places.filter_map(|place| character.instances().get(place)).find_map(|instance| {
        let mesh = character.mesh_of(instance);
        Some((mesh, character.skin_of(instance)?, &**mesh.weights()?))
    })
}

/// All that the command line measures; where there are no threads, not so many that the page stands still.
fn measured_poses(changed: usize) -> PoseOptions {
    let all = PoseOptions::default();
    match changed {
        20_000.. if cfg!(target_arch = "wasm32") => PoseOptions { per_clip: 3, angle_radians: 0.0 },
        2_000.. if cfg!(target_arch = "wasm32") => PoseOptions { per_clip: 5, ..all },
        _ => all,
    }
}

/// A sentence about what an operation did, as the command line has it.
pub fn effect_text(name: &str, changed: usize, effect: &Effect) -> String {
    let vertices = if changed == 1 { "vertex" } else { "vertices" };
    let over = |poses: usize, of: &str, max_mm: f64, rms_mm: f64| {
        format!("{max_mm:.3} mm at most, {rms_mm:.3} mm RMS over {poses} poses of {of}")
    };
    let mut parts = vec![format!("{name}: {changed} {vertices} changed")];
    let (clips, range) = (&effect.clips, &effect.range);
    if clips.poses > 0 {
        parts.push(over(clips.poses, "the clips", clips.max_mm, clips.rms_mm));
    }
    if range.poses > 0 {
        parts.push(over(range.poses, "a range of motion", range.max_mm, range.rms_mm));
    }
    parts.join("; ")
}
