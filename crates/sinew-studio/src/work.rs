//! Background jobs: work that may take seconds, on a copy of the document.
//!
//! A job changes nothing. Its result is shown, or becomes a [`Command`] that carries the result and applies at once.

mod character_glb;
mod job;

pub use job::{BackgroundJob, outcome};

use crate::{
    command::{Command, CommandError, EditedMesh, MeshReach, WeightsData, by_mesh},
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

/// A request for a background job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WorkRequest {
    /// Computes automatic weights from a mesh and its bones, for the selected vertices or all.
    Auto {
        /// The indices of the instances whose weights are computed.
        instances: Vec<usize>,
        /// The algorithm that computes the weights.
        method: AutoMethod,
        /// The maximum number of influences of a vertex.
        max_influences: usize,
    },
    /// Transfers weights from another mesh, to the selected vertices or all.
    Transfer {
        /// The instances that receive them.
        instances: Vec<usize>,
        /// The character whose weights are transferred.
        from: TransferSource,
        /// How vertices are matched.
        by: TransferBy,
    },
    /// Checks the character with the skin doctor.
    Check(CheckOptions),
    /// Measures how far an operation displaced the skin.
    Measure {
        /// The label of the operation.
        name: String,
        /// The character before the operation.
        #[serde(with = "character_glb")]
        before: Arc<Character>,
    },
}

/// The source of a weight transfer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TransferSource {
    /// The same mesh as opened.
    Opened,
    /// Another instance of the open character.
    Instance(usize),
    /// The first skinned mesh of another character.
    Source(DocumentSource),
}

/// How the vertices of a transfer are matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TransferBy {
    /// By the nearest point of the surface with a similar normal; gaps are filled.
    #[default]
    Surface,
    /// By the index of the vertex, for meshes with the same topology.
    Order,
    /// By the nearest vertex within a centimeter.
    Position,
    /// By the nearest vertex in texture space.
    Uv,
}

impl TransferBy {
    /// Every variant, in the order of the menu.
    pub const ALL: [Self; 4] = [Self::Surface, Self::Order, Self::Position, Self::Uv];

    /// The label in menus.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Surface => "nearest surface",
            Self::Order => "vertex index",
            Self::Position => "position",
            Self::Uv => "texture coordinates",
        }
    }
}

/// The result of a background job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Done {
    /// A command that applies the result.
    Command(Box<Command>),
    /// The findings of a check.
    Findings(Vec<Finding>),
    /// The measured effect of an operation.
    Effect {
        /// The label of the operation.
        name: String,
        /// The number of vertices whose weights changed.
        changed: usize,
        /// The displacement of the vertices.
        effect: Box<Effect>,
    },
}

/// Why a background job failed.
#[derive(Debug, Error)]
pub enum WorkError {
    /// The job does not fit the document.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The job was canceled, or an option is invalid.
    #[error(transparent)]
    Author(#[from] AuthorError),
    /// The weights cannot be transferred.
    #[error(transparent)]
    Weight(#[from] sinew_author::weights::WeightError),
    /// The other character cannot be opened.
    #[error(transparent)]
    Open(#[from] DocumentOpenError),
    /// A bug: the thread ended without a result.
    #[error("{0} ended without a result")]
    Died(String),
    /// The web worker failed.
    #[error("{0}")]
    Worker(String),
    /// The transfer source has no skinned mesh.
    #[error("{0} has no skinned mesh")]
    NoTransferSource(String),
}

impl WorkRequest {
    /// The label of the job.
    pub fn name(&self) -> String {
        match self {
            Self::Auto { method, .. } => format!("Automatic weights ({method})"),
            Self::Transfer { by, .. } => format!("Transfer weights by {}", by.name()),
            Self::Check(_) => "Check".into(),
            Self::Measure { name, .. } => name.clone(),
        }
    }

    /// True if the job reports its progress and can be canceled.
    pub const fn can_be_canceled(&self) -> bool {
        matches!(self, Self::Auto { .. })
    }

    /// Runs the job on `document`. `progress` receives the completed fraction, 0 to 1, and can cancel the job.
    ///
    /// # Errors
    /// If the job does not fit the document or was canceled.
    pub fn run(
        &self,
        document: &Document,
        progress: &mut dyn FnMut(f32) -> ControlFlow<()>,
    ) -> Result<Done, WorkError> {
        match self {
            Self::Auto { instances, method, max_influences } => {
                let influences = *max_influences;
                let options = AutoOptions { method: *method, influences, ..AutoOptions::default() };
                let groups = by_mesh(document, instances);
                let count = groups.len() as f32;
                let auto = |place: usize, group: &[usize]| {
                    let mut part = |fraction: f32| progress((place as f32 + fraction) / count);
                    auto(document, group, &options, &mut part)
                };
                self.each_mesh(&groups, auto)
            }
            Self::Transfer { instances, from, by } => {
                let is_target = |index: &usize| *from != TransferSource::Instance(*index);
                let targets: Vec<usize> = instances.iter().copied().filter(is_target).collect();
                self.each_mesh(&by_mesh(document, &targets), |_, group| transfer(document, group, from, *by))
            }
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

    /// Computes the weights of several meshes, given as groups of instances. Those that fail are left out and counted, unless
    /// all do.
    fn each_mesh(
        &self,
        groups: &[Vec<usize>],
        mut compute: impl FnMut(usize, &[usize]) -> Result<Weights, WorkError>,
    ) -> Result<Done, WorkError> {
        let (mut made, mut failure) = (Vec::new(), None);
        for (place, group) in groups.iter().enumerate() {
            match (compute(place, group), group.first()) {
                (Ok(weights), Some(instance)) => made.push((*instance, WeightsData::from(&weights))),
                (Err(stopped @ WorkError::Author(AuthorError::Stopped)), _) => return Err(stopped),
                (Err(error), _) => failure = failure.or(Some(error)),
                (Ok(_), None) => {}
            }
        }
        let reach = MeshReach { reached: made.len(), all: groups.len() };
        let mut made = made.into_iter();
        let Some((instance, weights)) = made.next() else {
            return Err(failure.unwrap_or(CommandError::NothingSelected.into()));
        };
        let name = self.name() + &reach.note();
        let more = made.collect();
        Ok(Done::Command(Box::new(Command::ReplaceWeights { instance, name, weights, more })))
    }
}

/// Automatic weights of the mesh that `instances` share.
fn auto(
    document: &Document,
    instances: &[usize],
    options: &AutoOptions,
    progress: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Weights, WorkError> {
    let edited = EditedMesh::of_shared(document, instances)?;
    let bones = BoneSet::of_character(document.character(), edited.instance.skin.unwrap_or(usize::MAX));
    let made = auto_weights(edited.mesh, &bones, options, progress)?;
    // Copied onto the mesh itself, so that selection and locks apply.
    let slots = SlotMap::same(edited.skin.joints().len());
    let edit = edited.edit_of(document, instances)?;
    Ok(ops::copy(&edit, edited.mesh, &made.weights, &slots, CopyBy::Order)?.outcome.weights)
}

/// Transferred weights of the mesh that `instances` share.
fn transfer(
    document: &Document,
    instances: &[usize],
    from: &TransferSource,
    by: TransferBy,
) -> Result<Weights, WorkError> {
    let edited = EditedMesh::of_shared(document, instances)?;
    let opened;
    let (character, index) = match from {
        TransferSource::Opened => (&**document.opened_character(), Some(edited.index)),
        TransferSource::Instance(other) => (&**document.character(), Some(*other)),
        TransferSource::Source(source) => {
            opened = source.open()?.character;
            (&*opened, None)
        }
    };
    let none = || WorkError::NoTransferSource(character.name().into());
    let (mesh, skin, weights) = skinned(character, index).ok_or_else(none)?;
    let from = SkinAndSkeleton { skeleton: character.skeleton(), skin };
    let to = SkinAndSkeleton { skeleton: document.character().skeleton(), skin: edited.skin };
    let slots = SlotMap::by_name(from, to);
    let edit = edited.edit_of(document, instances)?;
    let copy = |by| ops::copy(&edit, mesh, weights, &slots, by).map(|copied| copied.outcome);
    let outcome = match by {
        TransferBy::Surface => {
            ops::transfer(&edit, mesh, weights, &slots, &TransferOptions::default())?.outcome
        }
        TransferBy::Order => copy(CopyBy::Order)?,
        TransferBy::Position => copy(CopyBy::Position { tolerance: 0.01 })?,
        TransferBy::Uv => copy(CopyBy::Uv { set: 0, tolerance: 0.01 })?,
    };
    Ok(outcome.weights)
}

/// The mesh, skin and weights of the instance at `index`, or of the first instance with a skin.
fn skinned(character: &Character, index: Option<usize>) -> Option<(&Mesh, &Skin, &Weights)> {
    let indices = index.map_or(0..character.instances().len(), |index| index..index + 1);
    indices.filter_map(|index| character.instances().get(index)).find_map(|instance| {
        let mesh = character.mesh_of(instance);
        Some((mesh, character.skin_of(instance)?, &**mesh.weights()?))
    })
}

/// The poses to measure: as on the command line, or fewer in a browser, which has no threads.
fn measured_poses(changed: usize) -> PoseOptions {
    let all = PoseOptions::default();
    match changed {
        20_000.. if cfg!(target_arch = "wasm32") => PoseOptions { per_clip: 3, angle_radians: 0.0, ..all },
        2_000.. if cfg!(target_arch = "wasm32") => PoseOptions { per_clip: 5, ..all },
        _ => all,
    }
}

/// The effect of an operation as a sentence, as the command line prints it.
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
