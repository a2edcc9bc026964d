//! A document with its history, driven by journal entries that can be recorded and replayed.

use crate::{
    command::{Command, CommandError},
    document::{Document, DocumentOpenError, DocumentSource, EditError, Evaluation},
    gesture::GestureId,
    history::History,
};
use serde::{Deserialize, Serialize};
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

/// An open document with its history and a revision number.
#[derive(Clone, Debug)]
pub struct Session {
    document: Document,
    history: History,
    revision: u64,
}

impl Session {
    /// Opens `source` with an empty history.
    ///
    /// # Errors
    /// If the source cannot be opened.
    pub fn open(source: DocumentSource) -> Result<Self, DocumentOpenError> {
        let opened = source.open()?;
        Ok(Self { document: Document::new(source, opened), history: History::default(), revision: 0 })
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

    /// Applies an entry; false if there was nothing to undo or redo.
    ///
    /// # Errors
    /// If a command is rejected; the document is unchanged then.
    pub fn perform(&mut self, entry: &JournalEntry) -> Result<bool, EntryError> {
        let happened = match entry {
            JournalEntry::Do { command, gesture } => {
                let pieces = command.apply(&mut self.document)?;
                self.history.push(command.name(), *gesture, pieces);
                true
            }
            JournalEntry::Undo => self.history.undo(&mut self.document)?.is_some(),
            JournalEntry::Redo => self.history.redo(&mut self.document)?.is_some(),
        };
        self.revision += u64::from(happened);
        Ok(happened)
    }
}
