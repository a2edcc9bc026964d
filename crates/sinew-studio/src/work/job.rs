//! Work as bytes, for a worker that shares no memory with the window: a browser's.

use super::{Done, TransferBy, TransferSource, WorkError, WorkRequest};
use crate::{
    command::Command,
    document::{Document, DocumentSource, Opened},
};
use serde::{Deserialize, Serialize};
use sinew::{Character, JointId};
use sinew_author::{
    AuthorError,
    check::{CheckOptions, CheckTarget, Finding},
    weights::{Displacement, Effect},
};
use sinew_formats::ImportReport;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
    sync::Arc,
};

/// Work and everything of the document that it needs. Characters travel as files.
#[derive(Debug, Serialize, Deserialize)]
pub struct BackgroundJob {
    asked: AskedWire,
    character: DocumentSource,
    /// The character as it was opened, or before an operation, where the work asks for it.
    other: Option<DocumentSource>,
    /// What import found in the file that was opened.
    report: ImportReport,
    selected: BTreeMap<usize, BTreeSet<u32>>,
    locked: BTreeSet<u16>,
}

#[derive(Debug, Serialize, Deserialize)]
enum AskedWire {
    Auto { instance: usize, method: String, most: usize },
    Transfer { instance: usize, from: FromWire, by: TransferBy },
    Check { target: Option<String> },
    Measure { name: String },
}

#[derive(Debug, Serialize, Deserialize)]
enum FromWire {
    Opened,
    Instance(usize),
    Source(DocumentSource),
}

impl BackgroundJob {
    /// Work on a document; `None` where something of it cannot be written down.
    pub fn new(work: &WorkRequest, document: &Document) -> Option<Self> {
        let (asked, other) = match work {
            WorkRequest::Auto { instance, method, most } => {
                let method = method.name().to_owned();
                (AskedWire::Auto { instance: *instance, method, most: *most }, None)
            }
            WorkRequest::Transfer { instance, from, by } => {
                let (from, other) = match from {
                    TransferSource::Opened => (FromWire::Opened, Some(document.opened_character())),
                    TransferSource::Instance(other) => (FromWire::Instance(*other), None),
                    TransferSource::Source(source) => (FromWire::Source(source.clone()), None),
                };
                (AskedWire::Transfer { instance: *instance, from, by: *by }, other)
            }
            WorkRequest::Check(options) => {
                let target = options.target.map(written);
                let same = CheckOptions { target: options.target, ..CheckOptions::default() };
                (*options == same).then_some((AskedWire::Check { target }, None))?
            }
            WorkRequest::Measure { name, before } => {
                (AskedWire::Measure { name: name.clone() }, Some(before))
            }
        };
        let other = match other {
            Some(other) => Some(file_of(other)?),
            None => None,
        };
        Some(Self {
            asked,
            character: file_of(document.character())?,
            other,
            report: document.report().clone(),
            selected: document.selection().vertices.clone(),
            locked: document.locks().iter().map(|joint| joint.0).collect(),
        })
    }

    /// The job as bytes; `None` where it cannot be written down.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        serde_json::to_vec(self).ok()
    }

    /// Does the job that stands in `bytes` and gives bytes for [`outcome`].
    pub fn run(bytes: &[u8], progress: &mut dyn FnMut(f32) -> ControlFlow<()>) -> Vec<u8> {
        let job = serde_json::from_slice::<Self>(bytes).map_err(|e| WorkError::Told(e.to_string()));
        let reply = match job.and_then(|job| job.done(progress)) {
            Ok(done) => WorkerReply::of(done),
            Err(WorkError::Author(AuthorError::Stopped)) => WorkerReply::Stopped,
            Err(error) => WorkerReply::Failed(error.to_string()),
        };
        serde_json::to_vec(&reply).unwrap_or_default()
    }

    fn done(self, progress: &mut dyn FnMut(f32) -> ControlFlow<()>) -> Result<Done, WorkError> {
        let character = self.character.open()?;
        let other = match &self.other {
            Some(other) => Some(other.open()?.character),
            None => None,
        };
        let work = self.asked.work(other.as_ref().unwrap_or(&character.character))?;
        // What is opened first stays known as what was opened.
        let opened = match (&work, other) {
            (WorkRequest::Transfer { .. }, Some(character)) => character,
            _ => Arc::clone(&character.character),
        };
        let opened = Opened { character: opened, report: self.report };
        let mut document = Document::new(self.character, opened);
        let pose = character.character.rest_pose();
        document.swap_character(character.character, pose);
        document.selection_mut().vertices = self.selected;
        *document.locks_mut() = self.locked.into_iter().map(JointId).collect();
        work.run(&document, progress)
    }
}

impl AskedWire {
    fn work(self, other: &Arc<Character>) -> Result<WorkRequest, WorkError> {
        Ok(match self {
            Self::Auto { instance, method, most } => {
                let method = method.parse().map_err(|e| told(&e))?;
                WorkRequest::Auto { instance, method, most }
            }
            Self::Transfer { instance, from, by } => {
                let from = match from {
                    FromWire::Opened => TransferSource::Opened,
                    FromWire::Instance(other) => TransferSource::Instance(other),
                    FromWire::Source(source) => TransferSource::Source(source),
                };
                WorkRequest::Transfer { instance, from, by }
            }
            Self::Check { target } => {
                let target = target.map(|target| target.parse()).transpose().map_err(WorkError::Told)?;
                WorkRequest::Check(CheckOptions { target, ..CheckOptions::default() })
            }
            Self::Measure { name } => WorkRequest::Measure { name, before: Arc::clone(other) },
        })
    }
}

fn told(error: &dyn std::fmt::Display) -> WorkError {
    WorkError::Told(error.to_string())
}

fn written(target: CheckTarget) -> String {
    match target {
        CheckTarget::Custom(limits) => format!("custom:{},{}", limits.influences, limits.joints),
        named => named.name().to_owned(),
    }
}

fn file_of(character: &Character) -> Option<DocumentSource> {
    let bytes = sinew_formats::to_glb(character).ok()?.into();
    Some(DocumentSource::Content { name: format!("{}.glb", character.name()), bytes })
}

/// What became of a job.
#[derive(Debug, Serialize, Deserialize)]
enum WorkerReply {
    Command(Box<Command>),
    Findings(Vec<Finding>),
    Effect { name: String, changed: usize, clips: MovedWire, range: MovedWire },
    Stopped,
    Failed(String),
}

/// Poses, the largest distance, its root mean square and its mean in millimetres; the worst vertex and pose.
type MovedWire = (usize, f64, f64, f64, usize, usize);

/// What a reply says.
///
/// # Errors
/// What the worker could not do, or that its words cannot be understood.
pub fn outcome(reply: &[u8]) -> Result<Done, WorkError> {
    match serde_json::from_slice(reply).map_err(|e| told(&e))? {
        WorkerReply::Command(command) => Ok(Done::Command(command)),
        WorkerReply::Findings(findings) => Ok(Done::Findings(findings)),
        WorkerReply::Effect { name, changed, clips, range } => {
            let effect = Box::new(Effect { clips: displacement(clips), range: displacement(range) });
            Ok(Done::Effect { name, changed, effect })
        }
        WorkerReply::Stopped => Err(AuthorError::Stopped.into()),
        WorkerReply::Failed(reason) => Err(WorkError::Told(reason)),
    }
}

impl WorkerReply {
    fn of(done: Done) -> Self {
        match done {
            Done::Command(command) => Self::Command(command),
            Done::Findings(findings) => Self::Findings(findings),
            Done::Effect { name, changed, effect } => {
                Self::Effect { name, changed, clips: moved(&effect.clips), range: moved(&effect.range) }
            }
        }
    }
}

fn moved(of: &Displacement) -> MovedWire {
    (of.poses, of.max_mm, of.rms_mm, of.mean_mm, of.worst_vertex, of.worst_pose)
}

fn displacement((poses, max_mm, rms_mm, mean_mm, worst_vertex, worst_pose): MovedWire) -> Displacement {
    Displacement { poses, max_mm, rms_mm, mean_mm, worst_vertex, worst_pose }
}
