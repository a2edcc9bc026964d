//! A document with its history, driven by entries that can be written down and replayed.

use crate::{
    command::{Command, CommandError},
    document::{Document, DocumentOpenError, DocumentSource, EditError, Evaluation},
    history::History,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Something that a person did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JournalEntry {
    /// A command; those that share a gesture's number are one step of the history.
    Do {
        /// What.
        command: Command,
        /// The drag or stroke that it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        gesture: Option<u64>,
    },
    /// Undo.
    Undo,
    /// Redo.
    Redo,
}

impl From<Command> for JournalEntry {
    fn from(command: Command) -> Self {
        Self::Do { command, gesture: None }
    }
}

/// Why an entry did nothing.
#[derive(Debug, Error)]
pub enum EntryError {
    /// The command was refused.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The history is of another document.
    #[error(transparent)]
    History(#[from] EditError),
}

/// An open document, its history, and a number that changes whenever the document does.
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
    /// Where it cannot be opened.
    pub fn open(source: DocumentSource) -> Result<Self, DocumentOpenError> {
        let opened = source.open()?;
        Ok(Self { document: Document::new(source, opened), history: History::default(), revision: 0 })
    }

    /// The document.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// What was done.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Changes with every entry that had an effect.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Buffers for drawing the document.
    pub fn evaluation(&self) -> Evaluation {
        Evaluation::new(&self.document)
    }

    /// Does, undoes or redoes; false where there was nothing to undo or redo.
    ///
    /// # Errors
    /// Where a command is refused; the document is as it was then.
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
