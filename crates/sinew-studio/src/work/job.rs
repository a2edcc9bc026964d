//! Background jobs as bytes, for a web worker that shares no memory with the page.

use super::{Done, TransferSource, WorkError, WorkRequest, character_glb};
use crate::document::{Document, DocumentSource, Opened};
use serde::{Deserialize, Serialize};
use sinew::{Character, JointId};
use sinew_author::AuthorError;
use sinew_formats::ImportReport;
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
    sync::Arc,
};

/// A request with a copy of the parts of the document that jobs read.
#[derive(Debug, Serialize, Deserialize)]
pub struct BackgroundJob {
    request: WorkRequest,
    #[serde(with = "character_glb")]
    character: Arc<Character>,
    /// The character as opened, if the request reads it.
    opened: Option<OpenedCharacter>,
    report: ImportReport,
    selected: BTreeMap<usize, BTreeSet<u32>>,
    /// Indices of the locked joints.
    locks: BTreeSet<u16>,
}

#[derive(Debug, Serialize, Deserialize)]
struct OpenedCharacter(#[serde(with = "character_glb")] Arc<Character>);

/// What a worker replies.
#[derive(Debug, Serialize, Deserialize)]
enum WorkerReply {
    Done(Done),
    Canceled,
    Failed(String),
}

impl BackgroundJob {
    /// A job on a copy of `document`.
    pub fn new(request: &WorkRequest, document: &Document) -> Self {
        let reads_opened = matches!(request, WorkRequest::Transfer { from: TransferSource::Opened, .. });
        let opened = || OpenedCharacter(Arc::clone(document.opened_character()));
        Self {
            request: request.clone(),
            character: Arc::clone(document.character()),
            opened: reads_opened.then(opened),
            report: document.report().clone(),
            selected: document.selection().vertices.clone(),
            locks: document.locks().iter().map(|joint| joint.0).collect(),
        }
    }

    /// The job as bytes; `None` if a character cannot be written as GLB.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        serde_json::to_vec(self).ok()
    }

    /// Runs the job in `bytes` and returns bytes for [`outcome`].
    pub fn run(bytes: &[u8], progress: &mut dyn FnMut(f32) -> ControlFlow<()>) -> Vec<u8> {
        let job = serde_json::from_slice::<Self>(bytes).map_err(|e| WorkError::Worker(e.to_string()));
        let reply = match job.and_then(|job| job.request.run(&job.document(), progress)) {
            Ok(done) => WorkerReply::Done(done),
            Err(WorkError::Author(AuthorError::Stopped)) => WorkerReply::Canceled,
            Err(error) => WorkerReply::Failed(error.to_string()),
        };
        serde_json::to_vec(&reply).unwrap_or_default()
    }

    /// The document that the job works on.
    fn document(&self) -> Document {
        let opened = self.opened.as_ref().map_or(&self.character, |opened| &opened.0);
        let opened = Opened { character: Arc::clone(opened), report: self.report.clone() };
        let mut document = Document::new(DocumentSource::Builtin(self.character.name().into()), opened);
        document.swap_character(Arc::clone(&self.character), self.character.rest_pose());
        document.selection_mut().vertices.clone_from(&self.selected);
        *document.locks_mut() = self.locks.iter().copied().map(JointId).collect();
        document
    }
}

/// The outcome in a worker's reply.
///
/// # Errors
/// If the job failed or was canceled, or the reply is malformed.
pub fn outcome(reply: &[u8]) -> Result<Done, WorkError> {
    match serde_json::from_slice(reply).map_err(|e| WorkError::Worker(e.to_string()))? {
        WorkerReply::Done(done) => Ok(done),
        WorkerReply::Canceled => Err(AuthorError::Stopped.into()),
        WorkerReply::Failed(reason) => Err(WorkError::Worker(reason)),
    }
}
