//! A document with its history, driven by journal entries that can be recorded and replayed.

use crate::{
    command::{Command, CommandError},
    document::{Document, DocumentOpenError, DocumentPiece, DocumentSource, EditError, Evaluation, Opened},
    gesture::GestureId,
    history::{EditState, History, StepChange},
};
use serde::{Deserialize, Serialize};
use sinew_formats::export::ExportFormat;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// One action of the user, as recorded in a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JournalEntry {
    /// A command. Consecutive commands of one gesture form one step of the history.
    Do {
        /// The edit of the document.
        command: Command,
        /// The drag or stroke that the command belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gesture: Option<GestureId>,
    },
    /// Undoes the last step.
    Undo,
    /// Redoes the last undone step.
    Redo,
    /// The document was saved with all applied steps.
    Saved {
        /// The written file; a name alone in a browser.
        path: PathBuf,
    },
}

impl From<Command> for JournalEntry {
    fn from(command: Command) -> Self {
        Self::Do { command, gesture: None }
    }
}

/// Why an entry was rejected.
#[derive(Debug, Error)]
pub enum EntryError {
    /// The command was rejected.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The history belongs to another document.
    #[error(transparent)]
    History(#[from] EditError),
}

/// Edits that are not in a saved file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unsaved {
    /// Weights, clips, joints or limits differ from the saved or opened file.
    pub file: bool,
    /// Joints were posed by hand since the last save, and the pose is not keyed. No file holds it.
    pub pose: bool,
}

impl Unsaved {
    /// True if there is any such edit.
    pub const fn any(self) -> bool {
        self.file || self.pose
    }
}

/// The state of a document when it was last saved, and the file that holds it.
#[derive(Clone, Debug)]
struct SavedDocument {
    state: EditState,
    path: PathBuf,
}

/// An open document with its history and a revision number.
#[derive(Clone, Debug)]
pub struct Session {
    document: Document,
    history: History,
    revision: u64,
    /// The last save of each document that the history holds.
    saved: BTreeMap<u64, SavedDocument>,
}

impl Session {
    /// Opens `source` with an empty history.
    ///
    /// # Errors
    /// If the source cannot be opened.
    pub fn open(source: DocumentSource) -> Result<Self, DocumentOpenError> {
        let opened = source.open()?;
        Ok(Self::of(source, opened))
    }

    /// A session with the character that was opened from `source`.
    pub(crate) fn of(source: DocumentSource, opened: Opened) -> Self {
        let document = Document::new(source, opened);
        Self { document, history: History::default(), revision: 0, saved: BTreeMap::new() }
    }

    /// The document with all applied entries.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The undo and redo history.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// A number that changes with every entry that had an effect.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// New buffers that pose and deform the document's character.
    pub fn evaluation(&self) -> Evaluation {
        Evaluation::new(&self.document)
    }

    /// The edits of the open document that are not in a saved file.
    pub fn unsaved(&self) -> Unsaved {
        let now = self.history.state();
        let saved = self.saved.get(&now.document).map(|saved| saved.state);
        let saved = saved.unwrap_or(EditState::opened(now.document));
        Unsaved { file: now.file != saved.file, pose: now.pose != 0 && now.pose != saved.pose }
    }

    /// The file that the open document was last saved to, or else was opened from, if its format can be written.
    pub fn file(&self) -> Option<&Path> {
        let saved = self.saved.get(&self.history.state().document).map(|saved| saved.path.as_path());
        let opened = match self.document.source() {
            DocumentSource::File(path) => Some(path.as_path()),
            DocumentSource::Builtin(_) | DocumentSource::Content { .. } => None,
        };
        saved.or(opened).filter(|path| ExportFormat::of_path(path).is_some())
    }

    /// The name of the file that the open document was last saved to, or of its source.
    pub fn name(&self) -> String {
        let saved = self.saved.get(&self.history.state().document).and_then(|saved| saved.path.file_name());
        saved.map_or_else(|| self.document.source().to_string(), |name| name.to_string_lossy().into_owned())
    }

    /// Applies an entry; false if there was nothing to undo or redo.
    ///
    /// # Errors
    /// If a command is rejected; the document is unchanged then.
    pub fn perform(&mut self, entry: &JournalEntry) -> Result<bool, EntryError> {
        let happened = match entry {
            JournalEntry::Do { command, gesture } => {
                let pieces = command.apply(&mut self.document)?;
                self.push(command, *gesture, pieces);
                true
            }
            JournalEntry::Undo => self.history.undo(&mut self.document)?.is_some(),
            JournalEntry::Redo => self.history.redo(&mut self.document)?.is_some(),
            JournalEntry::Saved { path } => {
                let state = self.history.state();
                self.saved.insert(state.document, SavedDocument { state, path: path.clone() });
                true
            }
        };
        self.revision += u64::from(happened);
        Ok(happened)
    }

    /// As [`perform`](Self::perform) with [`Command::Open`], but with a character that was opened before.
    pub(crate) fn open_again(&mut self, source: &DocumentSource, opened: Opened) {
        let next = Document::new(source.clone(), opened);
        let before = std::mem::replace(&mut self.document, next);
        self.push(&Command::Open(source.clone()), None, vec![DocumentPiece::Document(Box::new(before))]);
        self.revision += 1;
    }

    fn push(&mut self, command: &Command, gesture: Option<GestureId>, pieces: Vec<DocumentPiece>) {
        let change = StepChange::of(command, &pieces, &self.document);
        self.history.push(command.name(), gesture, pieces, change);
    }
}
