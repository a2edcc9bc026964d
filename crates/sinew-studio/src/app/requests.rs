//! What panels, tools and shortcuts ask for; the studio performs it at the end of the frame.

use crate::{
    command::Command,
    document::DocumentSource,
    gesture::{GestureId, GestureIds},
    session::JournalEntry,
    work::{TransferBy, WorkRequest},
};
use sinew_formats::export::ExportFormat;
use sinew_view::camera::Orbit;
use std::path::PathBuf;

/// A step through the clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeStep {
    /// The next or the previous frame.
    Frame { is_back: bool },
    /// The next or the previous key of the selected joint, or of any joint if none is selected.
    Key { is_back: bool },
    /// The start of the played range.
    Start,
    /// The end of the played range.
    End,
}

/// Something that does not edit the document.
#[derive(Clone, Debug)]
pub(super) enum Action {
    TogglePlay,
    /// Goes to another time of the clip.
    Step(TimeStep),
    /// Fires a trigger of the graph.
    Fire(String),
    RestartGraph,
    FrameAll,
    FrameSelection,
    View(Orbit),
    CopyPose,
    PastePose,
    /// Opens a character, or a graph for the open one.
    Open(DocumentSource),
    /// Opens a recent file.
    OpenRecent(PathBuf),
    /// Asks for a file to open.
    AskFile,
    /// Asks where to save and continues with the action of the answer. A browser downloads without asking.
    AskPlace {
        proposed: PathBuf,
        then: fn(PathBuf) -> Action,
    },
    Save(PathBuf),
    Picture(PathBuf),
    /// Starts a background job.
    Work(WorkRequest),
    /// Asks for a file whose weights are transferred to an instance.
    AskTransferFile {
        instance: usize,
        by: TransferBy,
    },
    /// Exports the clip as an animated picture.
    Film(PathBuf),
    CancelFilm,
    Export(ExportFormat, PathBuf),
    /// Continues the session that was not closed.
    Recover,
    /// Deletes the journal of the session that was not closed.
    DiscardRecovery,
    DismissMessage,
    ToggleShortcuts,
    ToggleTheme,
    CloseWindow,
}

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
