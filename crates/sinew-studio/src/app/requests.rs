//! What panels ask for; the app does it when all of them are drawn.

use crate::{command::Command, document::Source, session::Entry, work::Work};
use sinew_view::camera::Orbit;
use std::path::PathBuf;

/// Something that is not a change of the document.
#[derive(Clone, Debug)]
pub(super) enum Action {
    TogglePlay,
    FrameAll,
    FrameSelection,
    View(Orbit),
    CopyPose,
    PastePose,
    /// Asks for a file to open.
    AskFile,
    /// Asks where to save and goes on with what `then` makes of the answer. A browser does not ask: it downloads.
    AskPlace {
        proposed: PathBuf,
        then: fn(PathBuf) -> Action,
    },
    Save(PathBuf),
    Picture(PathBuf),
    /// Something that takes a while.
    Work(Work),
    ToggleHelp,
    ToggleTheme,
}

/// What comes some time after it was asked for, from a dialog or the browser.
#[derive(Clone, Debug)]
pub(super) enum Arrival {
    File(Result<Source, String>),
    Act(Action),
}

/// Entries and actions in the order they were asked for.
#[derive(Debug, Default)]
pub(super) struct Requests {
    entries: Vec<Entry>,
    actions: Vec<Action>,
    gesture: Option<u64>,
}

impl Requests {
    /// Commands from now on belong to `gesture`.
    pub(super) fn begin(&mut self, gesture: Option<u64>) {
        self.gesture = gesture;
    }

    pub(super) fn command(&mut self, command: Command) {
        self.entries.push(Entry::Do { command, gesture: self.gesture });
    }

    /// A command of a gesture that is not the pointer's.
    pub(super) fn command_in(&mut self, gesture: u64, command: Command) {
        self.entries.push(Entry::Do { command, gesture: Some(gesture) });
    }

    pub(super) fn undo(&mut self) {
        self.entries.push(Entry::Undo);
    }

    pub(super) fn redo(&mut self) {
        self.entries.push(Entry::Redo);
    }

    pub(super) fn act(&mut self, action: Action) {
        self.actions.push(action);
    }

    pub(super) fn take(&mut self) -> (Vec<Entry>, Vec<Action>) {
        (std::mem::take(&mut self.entries), std::mem::take(&mut self.actions))
    }
}
