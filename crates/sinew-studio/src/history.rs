//! What was done, to undo and to redo.

use crate::document::{Document, DocumentPiece, EditError};

/// One entry of the history.
#[derive(Clone, Debug, PartialEq)]
struct HistoryStep {
    name: String,
    gesture: Option<u64>,
    pieces: Vec<DocumentPiece>,
}

impl HistoryStep {
    fn exchange(&mut self, document: &mut Document) -> Result<(), EditError> {
        self.pieces.iter_mut().try_for_each(|piece| piece.exchange(document))
    }
}

/// Steps that were done and steps that were undone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    done: Vec<HistoryStep>,
    /// The last is the next to redo.
    undone: Vec<HistoryStep>,
}

impl History {
    /// How many steps can be undone; older ones are forgotten.
    pub const MOST_STEPS: usize = 200;

    /// Remembers a command by its name and the pieces that it replaced.
    ///
    /// Commands of one gesture, such as a drag, make one step: its first pieces are the ones to go back to.
    pub fn push(&mut self, name: String, gesture: Option<u64>, pieces: Vec<DocumentPiece>) {
        let continues = self.undone.is_empty()
            && gesture.is_some()
            && self.done.last().is_some_and(|last| last.gesture == gesture && covers(&last.pieces, &pieces));
        self.undone.clear();
        if continues {
            return;
        }
        self.done.push(HistoryStep { name, gesture, pieces });
        if self.done.len() > Self::MOST_STEPS {
            self.done.remove(0);
        }
    }

    /// Takes the last step back and gives its name; `None` where there is none.
    ///
    /// # Errors
    /// Where `document` is not the one that the history is of.
    pub fn undo(&mut self, document: &mut Document) -> Result<Option<&str>, EditError> {
        let Some(mut step) = self.done.pop() else { return Ok(None) };
        step.exchange(document)?;
        // What follows belongs to a new gesture, even if the pointer is still down.
        step.gesture = None;
        self.undone.push(step);
        Ok(self.redo_name())
    }

    /// Does the last undone step again and gives its name; `None` where there is none.
    ///
    /// # Errors
    /// Where `document` is not the one that the history is of.
    pub fn redo(&mut self, document: &mut Document) -> Result<Option<&str>, EditError> {
        let Some(mut step) = self.undone.pop() else { return Ok(None) };
        step.exchange(document)?;
        self.done.push(step);
        Ok(self.undo_name())
    }

    /// What undo would take back.
    pub fn undo_name(&self) -> Option<&str> {
        self.done.last().map(|step| &step.name[..])
    }

    /// What redo would do.
    pub fn redo_name(&self) -> Option<&str> {
        self.undone.last().map(|step| &step.name[..])
    }

    /// Every step from the oldest, with true for those that are done.
    pub fn steps(&self) -> impl Iterator<Item = (&str, bool)> {
        let done = self.done.iter().map(|step| (&step.name[..], true));
        done.chain(self.undone.iter().rev().map(|step| (&step.name[..], false)))
    }

    /// How many steps are done.
    pub fn done_count(&self) -> usize {
        self.done.len()
    }
}

/// True where going back to `first` also takes back what replaced `later`.
fn covers(first: &[DocumentPiece], later: &[DocumentPiece]) -> bool {
    let is_same_place = |a: &DocumentPiece, b: &DocumentPiece| match (a, b) {
        (DocumentPiece::Joint(a, _), DocumentPiece::Joint(b, _)) => a == b,
        (DocumentPiece::Weights { mesh: a, .. }, DocumentPiece::Weights { mesh: b, .. }) => a == b,
        // Everything of a document that was left is of that document.
        (DocumentPiece::Document(_), _) | (_, DocumentPiece::Document(_)) => false,
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    };
    first.len() == later.len() && first.iter().zip(later).all(|(a, b)| is_same_place(a, b))
}
