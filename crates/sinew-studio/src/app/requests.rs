//! What panels ask for; the app does it when all of them are drawn.

use crate::{
    command::Command,
    document::DocumentSource,
    session::JournalEntry,
    work::{TransferBy, WorkRequest},
};
use sinew_formats::export::ExportFormat;
use sinew_view::camera::Orbit;
use std::path::PathBuf;

/// A way through a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PendingAction {
    /// One frame on or back.
    Frame { is_back: bool },
    /// The next key of the selected joint, or of any where none is selected; or the one before.
    Key { is_back: bool },
    /// The start of what is played.
    Start,
    /// Its end.
    End,
}

/// Something that is not a change of the document.
#[derive(Clone, Debug)]
pub(super) enum Action {
    TogglePlay,
    /// Goes to another moment of the clip.
    Step(PendingAction),
    /// Sets a trigger of the graph.
    Fire(String),
    RestartGraph,
    FrameAll,
    FrameSelection,
    View(Orbit),
    CopyPose,
    PastePose,
    /// Opens a character, or a graph for the one that is open.
    Open(DocumentSource),
    /// Opens a file that was open before.
    OpenRecent(PathBuf),
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
    Work(WorkRequest),
    /// Asks for a file whose weights an instance takes over.
    AskGiver {
        instance: usize,
        by: TransferBy,
    },
    /// An animated picture of the clip.
    Film(PathBuf),
    Export(ExportFormat, PathBuf),
    /// Goes on with the session that was not closed.
    Recover,
    /// Takes its journal away.
    Forget,
    ToggleHelp,
    ToggleTheme,
}

/// What comes some time after it was asked for, from a dialog or the browser.
#[derive(Clone, Debug)]
pub(super) enum Arrival {
    File(Result<DocumentSource, String>),
    Act(Action),
}

/// Entries and actions in the order they were asked for.
#[derive(Debug, Default)]
pub(super) struct Requests {
    entries: Vec<JournalEntry>,
    actions: Vec<Action>,
    gesture: Option<u64>,
}

impl Requests {
    /// Commands from now on belong to `gesture`.
    pub(super) fn begin(&mut self, gesture: Option<u64>) {
        self.gesture = gesture;
    }

    pub(super) fn command(&mut self, command: Command) {
        self.entries.push(JournalEntry::Do { command, gesture: self.gesture });
    }

    /// A command of a gesture that is not the pointer's.
    pub(super) fn command_in(&mut self, gesture: u64, command: Command) {
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
