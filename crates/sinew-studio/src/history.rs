//! The undo and redo history.

mod edit_state;

pub use edit_state::EditState;
pub(crate) use edit_state::StepChange;

use crate::{
    document::{Document, DocumentPiece, EditError},
    gesture::GestureId,
};

/// One entry of the history.
#[derive(Clone, Debug, PartialEq)]
struct HistoryStep {
    name: String,
    gesture: Option<GestureId>,
    pieces: Vec<DocumentPiece>,
    /// The state after the step.
    state: EditState,
}

impl HistoryStep {
    fn exchange(&mut self, document: &mut Document) -> Result<(), EditError> {
        self.pieces.iter_mut().try_for_each(|piece| piece.exchange(document))
    }
}

/// The steps that can be undone and the steps that can be redone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    done: Vec<HistoryStep>,
    /// The last element is the next step to redo.
    undone: Vec<HistoryStep>,
    /// The state before the oldest step.
    oldest: EditState,
    /// The number of changes so far, from which each gets a unique number.
    changes: u64,
}

impl History {
    /// The maximum number of steps that can be undone; older ones are dropped.
    pub const MAX_STEPS: usize = 200;

    /// Adds a step with the pieces that its command replaced.
    ///
    /// Commands of one gesture, such as a drag, form one step: undo returns to the pieces of the first command.
    pub(crate) fn push(
        &mut self,
        name: String,
        gesture: Option<GestureId>,
        pieces: Vec<DocumentPiece>,
        change: StepChange,
    ) {
        self.changes += 1;
        let state = self.state().after(change, self.changes);
        let is_continued = self.undone.is_empty() && gesture.is_some();
        self.undone.clear();
        let last = self.done.last_mut().filter(|last| is_continued && last.gesture == gesture);
        if let Some(last) =
            last.filter(|last| covers(&last.pieces, &pieces) || are_weights([&last.pieces, &pieces]))
        {
            // A gesture over several meshes keeps the first weights of each.
            let new =
                pieces.into_iter().filter(|piece| !last.pieces.iter().any(|old| is_same_place(old, piece)));
            let new: Vec<DocumentPiece> = new.collect();
            last.pieces.extend(new);
            last.state = state;
            return;
        }
        self.done.push(HistoryStep { name, gesture, pieces, state });
        if self.done.len() > Self::MAX_STEPS {
            self.oldest = self.done.remove(0).state;
        }
    }

    /// The state of the document after every applied step.
    pub fn state(&self) -> EditState {
        self.done.last().map_or(self.oldest, |step| step.state)
    }

    /// Undoes the last step and returns its name; `None` if there is none.
    ///
    /// # Errors
    /// If the history belongs to another document.
    pub fn undo(&mut self, document: &mut Document) -> Result<Option<&str>, EditError> {
        let Some(mut step) = self.done.pop() else { return Ok(None) };
        step.exchange(document)?;
        // Commands after an undo start a new step, even if the pointer is still down.
        step.gesture = None;
        self.undone.push(step);
        Ok(self.redo_name())
    }

    /// Redoes the last undone step and returns its name; `None` if there is none.
    ///
    /// # Errors
    /// If the history belongs to another document.
    pub fn redo(&mut self, document: &mut Document) -> Result<Option<&str>, EditError> {
        let Some(mut step) = self.undone.pop() else { return Ok(None) };
        step.exchange(document)?;
        self.done.push(step);
        Ok(self.undo_name())
    }

    /// The name of the step that undo would revert.
    pub fn undo_name(&self) -> Option<&str> {
        self.done.last().map(|step| &step.name[..])
    }

    /// The name of the step that redo would apply.
    pub fn redo_name(&self) -> Option<&str> {
        self.undone.last().map(|step| &step.name[..])
    }

    /// Every step from the oldest; the flag is true for steps that are applied.
    pub fn steps(&self) -> impl Iterator<Item = (&str, bool)> {
        let done = self.done.iter().map(|step| (&step.name[..], true));
        done.chain(self.undone.iter().rev().map(|step| (&step.name[..], false)))
    }

    /// The number of applied steps.
    pub fn done_count(&self) -> usize {
        self.done.len()
    }
}

/// True if restoring `first` also reverts the edits that replaced `later`.
fn covers(first: &[DocumentPiece], later: &[DocumentPiece]) -> bool {
    first.len() == later.len() && first.iter().zip(later).all(|(a, b)| is_same_place(a, b))
}

/// True if all pieces are weights, which can be restored in any order.
fn are_weights(lists: [&[DocumentPiece]; 2]) -> bool {
    lists.into_iter().flatten().all(|piece| matches!(piece, DocumentPiece::Weights { .. }))
}

/// True if both pieces are the same part of a document.
fn is_same_place(a: &DocumentPiece, b: &DocumentPiece) -> bool {
    match a {
        DocumentPiece::Joint(joint, _) => matches!(b, DocumentPiece::Joint(other, _) if other == joint),
        DocumentPiece::Weights { mesh, .. } => {
            matches!(b, DocumentPiece::Weights { mesh: other, .. } if other == mesh)
        }
        // Pieces of different documents never match.
        DocumentPiece::Document(_) => false,
        DocumentPiece::Pose(_)
        | DocumentPiece::Character(..)
        | DocumentPiece::Clips(_)
        | DocumentPiece::Helpers(_)
        | DocumentPiece::Playhead(_)
        | DocumentPiece::Selection(_)
        | DocumentPiece::Locks(_)
        | DocumentPiece::Limits(_)
        | DocumentPiece::Graph(_)
        | DocumentPiece::Method(_) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}
