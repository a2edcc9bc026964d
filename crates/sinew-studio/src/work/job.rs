//! Work as bytes, for a worker that shares no memory with the window: a browser's.

use super::{Done, Giver, TransferBy, Work, WorkError};
use crate::{
    command::Command,
    document::{Document, Opened, Source},
};
use serde::{Deserialize, Serialize};
use sinew::{Character, JointId};
use sinew_author::{
    AuthorError,
    check::{CheckOptions, Code, Finding, Place, Target},
    weights::{Displacement, Effect},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
    sync::Arc,
};

/// Work and everything of the document that it needs. Characters travel as files.
#[derive(Debug, Serialize, Deserialize)]
pub struct Job {
    asked: Asked,
    character: Source,
    /// The character as it was opened, or before an operation, where the work asks for it.
    other: Option<Source>,
    selected: BTreeMap<usize, BTreeSet<u32>>,
    locked: BTreeSet<u16>,
}

#[derive(Debug, Serialize, Deserialize)]
enum Asked {
    Auto { instance: usize, method: String, most: usize },
    Transfer { instance: usize, from: From, by: TransferBy },
    Check { target: Option<String> },
    Measure { name: String },
}

#[derive(Debug, Serialize, Deserialize)]
enum From {
    Opened,
    Instance(usize),
    Source(Source),
}

impl Job {
    /// Work on a document; `None` where something of it cannot be written down.
    pub fn new(work: &Work, document: &Document) -> Option<Self> {
        let (asked, other) = match work {
            Work::Auto { instance, method, most } => {
                let method = method.name().to_owned();
                (Asked::Auto { instance: *instance, method, most: *most }, None)
            }
            Work::Transfer { instance, from, by } => {
                let (from, other) = match from {
                    Giver::Opened => (From::Opened, Some(document.opened_character())),
                    Giver::Instance(other) => (From::Instance(*other), None),
                    Giver::Source(source) => (From::Source(source.clone()), None),
                };
                (Asked::Transfer { instance: *instance, from, by: *by }, other)
            }
            Work::Check(options) => {
                let target = options.target.map(written);
                let same = CheckOptions { target: options.target, ..CheckOptions::default() };
                (*options == same).then_some((Asked::Check { target }, None))?
            }
            Work::Measure { name, before } => (Asked::Measure { name: name.clone() }, Some(before)),
        };
        let other = match other {
            Some(other) => Some(file_of(other)?),
            None => None,
        };
        Some(Self {
            asked,
            character: file_of(document.character())?,
            other,
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
            Ok(done) => Reply::of(done),
            Err(WorkError::Author(AuthorError::Stopped)) => Reply::Stopped,
            Err(error) => Reply::Failed(error.to_string()),
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
            (Work::Transfer { .. }, Some(character)) => Opened { character, report: Default::default() },
            _ => Opened { character: Arc::clone(&character.character), report: Default::default() },
        };
        let mut document = Document::new(self.character, opened);
        let pose = character.character.rest_pose();
        document.swap_character(character.character, pose);
        document.selection_mut().vertices = self.selected;
        *document.locks_mut() = self.locked.into_iter().map(JointId).collect();
        work.run(&document, progress)
    }
}

impl Asked {
    fn work(self, other: &Arc<Character>) -> Result<Work, WorkError> {
        Ok(match self {
            Self::Auto { instance, method, most } => {
                let method = method.parse().map_err(|e| told(&e))?;
                Work::Auto { instance, method, most }
            }
            Self::Transfer { instance, from, by } => {
                let from = match from {
                    From::Opened => Giver::Opened,
                    From::Instance(other) => Giver::Instance(other),
                    From::Source(source) => Giver::Source(source),
                };
                Work::Transfer { instance, from, by }
            }
            Self::Check { target } => {
                let target = target.map(|target| target.parse()).transpose().map_err(WorkError::Told)?;
                Work::Check(CheckOptions { target, ..CheckOptions::default() })
            }
            Self::Measure { name } => Work::Measure { name, before: Arc::clone(other) },
        })
    }
}

fn told(error: &dyn std::fmt::Display) -> WorkError {
    WorkError::Told(error.to_string())
}

fn written(target: Target) -> String {
    match target {
        Target::Custom(limits) => format!("custom:{},{}", limits.influences, limits.joints),
        named => named.name().to_owned(),
    }
}

fn file_of(character: &Character) -> Option<Source> {
    let bytes = sinew_formats::to_glb(character).ok()?.into();
    Some(Source::Content { name: format!("{}.glb", character.name()), bytes })
}

/// What became of a job.
#[derive(Debug, Serialize, Deserialize)]
enum Reply {
    Command(Box<Command>),
    Findings(Vec<Found>),
    Effect { name: String, changed: usize, clips: Moved, range: Moved },
    Stopped,
    Failed(String),
}

/// A finding; its figures stand in its message.
#[derive(Debug, Serialize, Deserialize)]
struct Found {
    code: String,
    text: String,
    instance: Option<usize>,
    vertices: Vec<u32>,
    skin: Option<usize>,
    joint: Option<u16>,
    clip: Option<usize>,
    time_secs: Option<f32>,
    message: String,
}

/// Poses, the largest distance, its root mean square and its mean in millimetres; the worst vertex and pose.
type Moved = (usize, f64, f64, f64, usize, usize);

/// What a reply says.
///
/// # Errors
/// What the worker could not do, or that its words cannot be understood.
pub fn outcome(reply: &[u8]) -> Result<Done, WorkError> {
    match serde_json::from_slice(reply).map_err(|e| told(&e))? {
        Reply::Command(command) => Ok(Done::Command(command)),
        Reply::Findings(found) => Ok(Done::Findings(found.into_iter().filter_map(Found::finding).collect())),
        Reply::Effect { name, changed, clips, range } => {
            let effect = Box::new(Effect { clips: displacement(clips), range: displacement(range) });
            Ok(Done::Effect { name, changed, effect })
        }
        Reply::Stopped => Err(AuthorError::Stopped.into()),
        Reply::Failed(reason) => Err(WorkError::Told(reason)),
    }
}

impl Reply {
    fn of(done: Done) -> Self {
        match done {
            Done::Command(command) => Self::Command(command),
            Done::Findings(findings) => Self::Findings(findings.into_iter().map(Found::of).collect()),
            Done::Effect { name, changed, effect } => {
                Self::Effect { name, changed, clips: moved(&effect.clips), range: moved(&effect.range) }
            }
        }
    }
}

impl Found {
    fn of(finding: Finding) -> Self {
        let Place { text, instance, vertices, skin, joint, clip, time_secs } = finding.place;
        let (code, joint) = (finding.code.as_str().to_owned(), joint.map(|joint| joint.0));
        Self { code, text, instance, vertices, skin, joint, clip, time_secs, message: finding.message }
    }

    fn finding(self) -> Option<Finding> {
        let Self { code, text, instance, vertices, skin, joint, clip, time_secs, message } = self;
        let joint = joint.map(JointId);
        let place = Place { text, instance, vertices, skin, joint, clip, time_secs };
        Some(Finding { code: Code::find(&code)?, place, message, measured: Vec::new() })
    }
}

fn moved(of: &Displacement) -> Moved {
    (of.poses, of.max_mm, of.rms_mm, of.mean_mm, of.worst_vertex, of.worst_pose)
}

fn displacement((poses, max_mm, rms_mm, mean_mm, worst_vertex, worst_pose): Moved) -> Displacement {
    Displacement { poses, max_mm, rms_mm, mean_mm, worst_vertex, worst_pose }
}
