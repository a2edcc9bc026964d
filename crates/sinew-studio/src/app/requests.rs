//! Requests of panels, tools and shortcuts; the studio performs them at the end of the frame.

use super::actions::Action;
use crate::{
    command::Command,
    document::DocumentSource,
    gesture::{GestureId, GestureIds},
    session::JournalEntry,
};

/// The answer of a dialog or of the browser, some frames after the request.
#[derive(Clone, Debug)]
pub(super) enum Arrival {
    File(Result<DocumentSource, String>),
    Act(Action),
}

/// Journal entries and actions in the order they were requested.
#[derive(Debug, Default)]
pub(super) struct Requests {
    entries: Vec<JournalEntry>,
    actions: Vec<Action>,
    gestures: GestureIds,
    /// The gesture of the pressed pointer button, until it is released.
    pointer_gesture: Option<GestureId>,
}

impl Requests {
    /// Requests of a session in which `entries` were replayed.
    pub(super) fn after(entries: &[JournalEntry]) -> Self {
        Self { gestures: GestureIds::after(entries), ..Self::default() }
    }

    /// Starts a gesture of its own, such as a modal transform.
    pub(super) fn begin_gesture(&mut self) -> GestureId {
        self.gestures.begin()
    }

    /// Starts a gesture that every command belongs to until the pointer is released.
    pub(super) fn begin_pointer_gesture(&mut self) {
        self.pointer_gesture = Some(self.gestures.begin());
    }

    pub(super) fn end_pointer_gesture(&mut self) {
        self.pointer_gesture = None;
    }

    pub(super) fn command(&mut self, command: Command) {
        self.entries.push(JournalEntry::Do { command, gesture: self.pointer_gesture });
    }

    /// A command of a gesture that is not the pointer's.
    pub(super) fn command_in(&mut self, gesture: GestureId, command: Command) {
        self.entries.push(JournalEntry::Do { command, gesture: Some(gesture) });
    }

    pub(super) fn undo(&mut self) {
        self.entries.push(JournalEntry::Undo);
    }

    pub(super) fn redo(&mut self) {
        self.entries.push(JournalEntry::Redo);
    }

    pub(super) fn act(&mut self, action: Action) {
        self.actions.push(action);
    }

    pub(super) fn take(&mut self) -> (Vec<JournalEntry>, Vec<Action>) {
        (std::mem::take(&mut self.entries), std::mem::take(&mut self.actions))
    }
}
