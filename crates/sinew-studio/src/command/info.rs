//! One row per command: label, tooltip, journal key and flags.

/// A row of the command table. [`Command::info`](super::Command::info) finds the row of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandInfo {
    /// The key of the command in a recovery journal. It never changes, so that journals of older versions replay.
    pub journal: &'static str,
    /// The label in the history and on buttons, without parameters.
    pub label: &'static str,
    /// The text that buttons show on hover.
    pub tooltip: &'static str,
    /// The part of the document that the command edits.
    pub touches: Touches,
    /// True if the displacement of the skin is measured after the command.
    pub is_measured: bool,
}

/// The part of a document that a command edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touches {
    /// Selected joints and vertices, and locks.
    Selection,
    /// The skin weights of a mesh.
    Weights,
    /// Settings of playback and deformation that take effect while a clip plays.
    Settings,
    /// The pose of the joints and morph targets.
    Pose,
    /// Clips, the playhead's time, or the blend graph.
    Motion,
    /// Joints, limits, helper joints or the bind pose.
    Rig,
    /// Everything, because another character is opened.
    Document,
}

impl Touches {
    /// True if a playing clip would hide the edit, so that playback has to stop first.
    pub const fn stops_playback(self) -> bool {
        match self {
            Self::Selection | Self::Weights | Self::Settings => false,
            Self::Pose | Self::Motion | Self::Rig | Self::Document => true,
        }
    }
}

impl CommandInfo {
    /// A row of a command whose effect on the skin is not measured.
    pub(super) const fn new(
        journal: &'static str,
        label: &'static str,
        tooltip: &'static str,
        touches: Touches,
    ) -> Self {
        Self { journal, label, tooltip, touches, is_measured: false }
    }

    /// The same row, with the displacement of the skin measured after the command.
    pub(super) const fn measured(self) -> Self {
        Self { is_measured: true, ..self }
    }
}
